"""Addresses as they may be shown: without who logs in, and without queries, which may hold a key."""

import re

VEIL = "***"
_ASKED = re.compile(r"[?#]")
_SCHEME = re.compile(r"[^:/?#@]+://")


def bare_address(url: str) -> str:
    """An address with a mark for names, passwords and queries; nor is shown what may be part of an odd password."""
    scheme = _SCHEME.match(url)
    head, rest = (scheme[0], url[scheme.end() :]) if scheme else ("", url)
    asked = _ASKED.search(rest)
    place, query = (rest[: asked.start()], rest[asked.start() :]) if asked else (rest, "")
    if head.startswith("sqlite"):  # a file: nobody logs in, and its name may have an @
        return head + place + _veiled(query)
    if "@" in query:  # perhaps the end of a password with a ? in it
        return head + VEIL
    _, login, host = place.rpartition("@")
    return head + (VEIL if login else "") + login + host + _veiled(query)


def _veiled(query: str) -> str:
    return query[0] + VEIL if query[1:] else query
