"""Addresses as they may be shown: without who logs in, and without queries, which may hold a key."""

import re

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
