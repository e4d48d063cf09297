"""What a server says, without the keys it may repeat."""

import re
from base64 import b64encode
from urllib.parse import unquote, urlsplit

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
