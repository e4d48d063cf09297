"""The log of a command: servers write it to standard error, and the `log` setting sends any command's to a file."""

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path

from hakoniwa.address import hide_secrets
from hakoniwa.cli.screen import harmless, harmless_json
from hakoniwa.own_files import PRIVATE, private_folder
from hakoniwa.settings import Settings

LOGGERS = ("hakoniwa", "uvicorn")
SERVERS = frozenset({"serve", "worker", "mcp"})  # commands that print nothing a log line could break into
TEXT_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@contextmanager
def logging_of(command: str, settings: Settings) -> Iterator[None]:
    """Write the log of a command where the settings say, as long as it runs."""
    handler = _handler(command, settings)
    handler.setFormatter(
        (JsonFormatter if settings.log_format == "json" else TextFormatter)(settings.token, settings.api_key)
    )
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [one.level for one in loggers]
    for one in loggers:
        one.addHandler(handler)
        one.setLevel(settings.log_level.upper())
    try:
        yield
    finally:
        for one, level in zip(loggers, before, strict=True):
            one.removeHandler(handler)
            one.setLevel(level)
        handler.close()


def _handler(command: str, settings: Settings) -> logging.Handler:
    if settings.log:
        path = Path(settings.log).expanduser()
        private_folder(path.parent)
        return OwnerOnlyHandler(path, encoding="utf-8", errors="backslashreplace")
    return logging.StreamHandler(sys.stderr) if command in SERVERS else logging.NullHandler()


class OwnerOnlyHandler(WatchedFileHandler):
    """A log file that only its owner can read, and that may be moved away while it is written."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, errors=self.errors, opener=_open_for_owner)


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE)


class TextFormatter(logging.Formatter):
    """One line per record and then its traceback: without secrets, and without signs that steer a terminal."""

    def __init__(self, *secrets: str) -> None:
        super().__init__(TEXT_FORMAT)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        return harmless(hide_secrets(super().format(record), *self._secrets))

    def formatMessage(self, record: logging.LogRecord) -> str:
        return super().formatMessage(record).strip().replace("\n", "\\n")


class JsonFormatter(logging.Formatter):
    """One JSON object per record; the named values of a message are fields of their own."""

    def __init__(self, *secrets: str) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage().strip(),
            **(record.args if isinstance(record.args, dict) else {}),
            **({"exception": self.formatException(record.exc_info)} if record.exc_info else {}),
        }
        return harmless_json(hide_secrets(json.dumps(entry, ensure_ascii=False, default=str), *self._secrets))
