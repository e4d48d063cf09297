"""What a database complains of, told as an error of ours."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import (
    SQLITE_BUSY,
    SQLITE_CANTOPEN,
    SQLITE_CORRUPT,
    SQLITE_ERROR,
    SQLITE_FULL,
    SQLITE_IOERR,
    SQLITE_LOCKED,
    SQLITE_NOTADB,
    SQLITE_PERM,
    SQLITE_READONLY,
)

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from hakoniwa.errors import JournalBroken, JournalError, JournalFull, JournalLocked

Fault = tuple[type[JournalError], str]

LOCKED: Fault = (JournalLocked, "journal.locked")
FULL: Fault = (JournalFull, "journal.full")
BROKEN: Fault = (JournalBroken, "journal.broken")
CANNOT_OPEN: Fault = (JournalError, "journal.cannot-open")
UNREACHABLE: Fault = (JournalError, "journal.unreachable")
FAILED: Fault = (JournalError, "journal.failed")

# The statements are fixed, so one that SQL itself rejects (SQLITE_ERROR, class 42) has met tables that were changed.
SQLITE_FAULTS = {
    SQLITE_BUSY: LOCKED,
    SQLITE_LOCKED: LOCKED,
    SQLITE_FULL: FULL,
    SQLITE_IOERR: FULL,
    SQLITE_CORRUPT: BROKEN,
    SQLITE_NOTADB: BROKEN,
    SQLITE_ERROR: BROKEN,
    SQLITE_CANTOPEN: CANNOT_OPEN,
    SQLITE_PERM: CANNOT_OPEN,
    SQLITE_READONLY: CANNOT_OPEN,
}
POSTGRES_FAULTS = {
    "55P03": LOCKED,  # lock_not_available
    "40": LOCKED,  # deadlock, serialization failure
    "53100": FULL,  # disk_full
    "58": FULL,  # io_error
    "XX": BROKEN,  # data_corrupted, index_corrupted
    "22P02": BROKEN,  # what should be JSON is none
    "42501": CANNOT_OPEN,  # insufficient_privilege
    "42": BROKEN,
    "25006": CANNOT_OPEN,  # read_only_sql_transaction
    "08": UNREACHABLE,
    "28": UNREACHABLE,  # wrong password
    "3D": UNREACHABLE,  # no such database
    "53": UNREACHABLE,  # too many connections
    "57P": UNREACHABLE,  # shutting down, starting up
}


class SpoiltRecord(Exception):
    """What stands in the tables is not what was written there."""


@contextmanager
def translate_errors(path: str) -> Iterator[None]:
    """Raise what goes wrong inside as a JournalError about `path`."""
    try:
        yield
    except DBAPIError as error:
        kind, key = fault(error)
        raise kind(key, path=path, problem=str(error.orig).strip()) from error
    except SpoiltRecord as error:
        raise JournalBroken("journal.broken", path=path, problem=str(error)) from error
    except PoolTimeout as error:
        raise JournalLocked("journal.locked", path=path, problem=str(error)) from error
    except SQLAlchemyError as error:
        raise JournalError("journal.failed", path=path, problem=str(error)) from error


def cannot_make(path: Path, error: OSError) -> JournalError:
    """Why a file or its directory cannot be made."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return JournalFull("journal.full", path=str(path), problem=str(error))
    return JournalError("journal.cannot-open", path=str(path), problem=str(error))


def fault(error: DBAPIError) -> Fault:
    """Which trouble it is, by the code the driver gives; an operational error without one is a lost connection."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return SQLITE_FAULTS.get(code & 0xFF, FAILED)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return next((POSTGRES_FAULTS[state[:size]] for size in (5, 3, 2) if state[:size] in POSTGRES_FAULTS), FAILED)
    return UNREACHABLE if isinstance(error, OperationalError) else FAILED
