"""The user's browser, where there is one to be seen."""

import os
import sys
import webbrowser

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
FROM_AFAR = ("SSH_CONNECTION", "SSH_TTY")


def can_be_seen() -> bool:
    """Whether whoever typed the command sits before a screen that a browser would come up on."""
    return sys.stdout.isatty() and not _set(FROM_AFAR) and (_has_windows() or _set(SCREENS))


def shown(address: str) -> bool:
    """Show an address, and say whether that worked."""
    try:
        return webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False


def _has_windows() -> bool:
    return sys.platform in ("darwin", "win32")


def _set(names: tuple[str, ...]) -> bool:
    return any(os.environ.get(name) for name in names)
