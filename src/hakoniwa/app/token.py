"""The token of this installation: made once, kept where only its owner can read it."""

import os
import secrets
from pathlib import Path

from hakoniwa.private import private_folder
from hakoniwa.settings import Settings


def token_of(settings: Settings) -> str:
    """What HTTP callers must send: the token that is set, or the one of this installation."""
    path = settings.home / "token"
    return settings.token or _kept(path) or _made(path)


def _kept(path: Path) -> str:
    """The token in the file, which nobody else may read from now on; empty if there is none."""
    if not path.is_file():
        return ""
    path.chmod(0o600)
    return path.read_text(encoding="utf-8").strip()


def _made(path: Path) -> str:
    """A new token, in the file at once and whole."""
    private_folder(path.parent)
    draft = path.with_name(f"token.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(32) + "\n", encoding="utf-8")
    draft.replace(path)
    return _kept(path)
