"""Who is alive: every worker holds a lock that its death lets go of, whatever it died of."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from hakoniwa.own_files import lock_file, private_folder


class Liveness(Protocol):
    """The locks of the workers on one database."""

    def hold(self, worker: str) -> None:
        """Show that this worker lives, until it lets go or its process ends."""
        ...

    def keep(self) -> None:
        """Take the lock again if it has been lost."""
        ...

    def let_go(self) -> None: ...

    def dead(self, worker: str) -> AbstractContextManager[bool]:
        """Whether a worker is gone; if it is, nobody else finds that out while this lasts."""
        ...


class FileLiveness(Liveness):
    """A locked file for each worker in one folder; the lock ends with the process, the file with its discovery."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: tuple[Path, int] | None = None

    def hold(self, worker: str) -> None:
        private_folder(self._folder)
        path = self._path(worker)
        file = os.open(path, os.O_CREAT | os.O_RDWR)
        held = lock_file(file)
        assert held, f"{worker!r} is not the only one of its name"
        self._held = path, file

    def keep(self) -> None:
        pass  # a file's lock cannot be lost

    def let_go(self) -> None:
        if self._held:
            _discard(*self._held)
            self._held = None

    @contextmanager
    def dead(self, worker: str) -> Iterator[bool]:
        path = self._path(worker)
        file = os.open(path, os.O_CREAT | os.O_RDWR)
        if not lock_file(file):
            os.close(file)
            yield False
            return
        try:
            yield True
        finally:
            _discard(path, file)

    def _path(self, worker: str) -> Path:
        return self._folder / f"{worker}.lock"


def _discard(path: Path, file: int) -> None:
    os.close(file)
    with suppress(OSError):  # whoever was looking at it at this moment has it open, or has taken it away
        path.unlink()


class ServerLiveness(Liveness):
    """An advisory lock for each worker, held by a connection of its own that ends with the worker."""

    def __init__(self, engine: Engine, grace: float) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._grace = grace
        self._worker: str | None = None
        self._connection: Connection | None = None  # None as well where the lock was lost and not yet taken again
        self._missed: dict[str, float] = {}

    def hold(self, worker: str) -> None:
        self._worker = worker
        connection = self._engine.connect()
        try:
            # A machine that vanishes says no goodbye: let the server ask.
            for setting, value in (("idle", 5), ("interval", 2), ("count", 3)):
                connection.execute(text(f"SET tcp_keepalives_{setting} = {value}"))
            connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": _number(worker)})
        except BaseException:
            _end_connection(connection)
            raise
        self._connection = connection

    def keep(self) -> None:
        if self._connection is not None:
            try:
                self._connection.execute(text("SELECT 1"))
            except SQLAlchemyError:
                self._drop()
        if self._worker is not None and self._connection is None:
            self.hold(self._worker)

    def let_go(self) -> None:
        self._worker = None
        self._drop()

    def _drop(self) -> None:
        """Be without a connection, whatever becomes of the one that was there."""
        lost, self._connection = self._connection, None
        if lost is not None:
            _end_connection(lost)

    @contextmanager
    def dead(self, worker: str) -> Iterator[bool]:
        number = {"number": _number(worker)}
        with self._engine.connect() as connection:
            free = connection.scalar(text("SELECT pg_try_advisory_lock(:number)"), number)
            if not free:
                self._missed.pop(worker, None)
                yield False
                return
            try:
                yield self._long_enough(worker)
            finally:
                connection.execute(text("SELECT pg_advisory_unlock(:number)"), number)

    def _long_enough(self, worker: str) -> bool:
        """A server that restarts drops every lock: those who live have a moment to take theirs again."""
        return monotonic() - self._missed.setdefault(worker, monotonic()) >= self._grace


def _number(worker: str) -> int:
    return int.from_bytes(sha256(worker.encode()).digest()[:8], "big", signed=True)


def _end_connection(connection: Connection) -> None:
    """End it for good, and with it, whatever the server thinks of it, its lock."""
    connection.invalidate()
    connection.close()
