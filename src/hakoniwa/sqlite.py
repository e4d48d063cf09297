"""SQLite connections whose commits stay: a log written ahead, and whole syncs."""

from sqlite3 import SQLITE_BUSY, OperationalError
from time import monotonic, sleep
from typing import Any

# fullfsync: on macOS a plain sync leaves the data in the drive's cache.
SETTINGS = ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON")


def set_up_connection(connection: Any, patience: float) -> None:
    """Set a new connection of the driver's up, waiting so many seconds for others."""
    _switch_to_wal(connection, monotonic() + patience)
    for setting in SETTINGS:
        connection.execute(f"PRAGMA {setting}")


def _switch_to_wal(connection: Any, deadline: float) -> None:
    """SQLite waits for nobody when it turns a new file over to WAL, so this does."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except OperationalError as error:
            if error.sqlite_errorcode & 0xFF != SQLITE_BUSY or monotonic() > deadline:
                raise
        sleep(0.01)
