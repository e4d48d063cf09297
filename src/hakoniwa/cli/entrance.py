"""The entrance: a file for its owner alone that sends a browser on to the server with the token.

The command line of a browser can be read by every user of the machine and by every program that runs there: it has the
name of this file, and never the token."""

import html
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

from hakoniwa.private import private_folder
from hakoniwa.whole import PRIVATE, beside

PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Hakoniwa 箱庭</title>
"""


@contextmanager
def entrance(home: Path, address: str, token: str) -> Iterator[Path | None]:
    """The file, as long as the server is open; None where it cannot be written."""
    path = home / f"entrance-{urlsplit(address).port}.html"
    try:
        yield path if _written(path, f"{address}?token={quote(token, safe='')}") else None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _written(path: Path, address: str) -> bool:
    try:
        private_folder(path.parent)
        with beside(path, PRIVATE) as partial:
            partial.write_text(PAGE.format(address=html.escape(address)), encoding="utf-8")
    except OSError:
        return False
    return True
