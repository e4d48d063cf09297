"""The token of this installation: made once, kept where only its owner can read it."""

import secrets
from pathlib import Path

from hakoniwa.own_files import PRIVATE, partial_file, private_folder
from hakoniwa.settings import Settings


def token_file(settings: Settings) -> Path:
    """Where the token is kept unless one is set."""
    return settings.home / "token"


def token_of(settings: Settings) -> str:
    """What HTTP callers must send: the token that is set, or the one of this installation."""
    return settings.token or _read_token(token_file(settings)) or new_token(settings)


def new_token(settings: Settings) -> str:
    """A new token, in the file at once and whole; an earlier one is gone."""
    path = token_file(settings)
    private_folder(path.parent)
    with partial_file(path, PRIVATE) as partial:
        partial.write_text(secrets.token_urlsafe(32) + "\n", encoding="utf-8")
    return _read_token(path)


def _read_token(path: Path) -> str:
    """The token in the file, which nobody else may read from now on; empty if there is none."""
    if not path.is_file():
        return ""
    path.chmod(0o600)
    return path.read_text(encoding="utf-8").strip()
