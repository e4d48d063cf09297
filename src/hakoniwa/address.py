"""Addresses, and what servers say, as they may be shown: without logins, queries, which may hold a key, and keys."""

import re
from base64 import b64encode
from urllib.parse import unquote, urlsplit

MASK = "***"
_QUERY_START = re.compile(r"[?#]")
_SCHEME = re.compile(r"[^:/?#@]+://")


def bare_address(url: str) -> str:
    """An address with a mark for names, passwords and queries; nor is shown what may be part of an odd password."""
    scheme = _SCHEME.match(url)
    head, rest = (scheme[0], url[scheme.end() :]) if scheme else ("", url)
    asked = _QUERY_START.search(rest)
    place, query = (rest[: asked.start()], rest[asked.start() :]) if asked else (rest, "")
    if head.startswith("sqlite"):  # a file: nobody logs in, and its name may have an @
        return head + place + _mask_query(query)
    if "@" in query:  # perhaps the end of a password with a ? in it
        return head + MASK
    _, login, host = place.rpartition("@")
    return head + (MASK if login else "") + login + host + _mask_query(query)


def _mask_query(query: str) -> str:
    return query[0] + MASK if query[1:] else query


_KEY = re.compile(r"\b(?:sk-|bearer\s+)[\w*.…-]+", re.IGNORECASE)
HIDDEN = "…"


def hide_secrets(said: str, *secrets: str) -> str:
    """A server's words as they may be shown and kept: without what it was sent in secret, and what looks like a key."""
    for secret in filter(None, secrets):
        said = said.replace(secret, HIDDEN)
    return _KEY.sub(HIDDEN, said)


def split_login(url: str) -> tuple[str, tuple[str, str] | None]:
    """An address without the name, password and query it may carry, which clients log; and the first two."""
    try:
        parts = urlsplit(url)
    except ValueError:  # whoever dials it says so
        return url, None
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    login = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return bare, login


def sent_forms(login: tuple[str, str] | None) -> tuple[str, ...]:
    """A password, and the form it takes on its way."""
    return () if login is None else (login[1], b64encode(":".join(login).encode()).decode())
