"""Opening the journal a URL names."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from hakoniwa.errors import JournalError
from hakoniwa.journal import Journal
from hakoniwa.journal.copies import copies_of
from hakoniwa.journal.faults import cannot_make
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.own_files import private_database, private_folder

MEMORY = "memory:"
KNOWN = "sqlite:///path/to/file, postgresql://user@host/database, memory:"


def open_journal(url: str) -> Journal:
    """The journal at `url`, made if it is not there and brought to the newest revision."""
    if url == MEMORY:
        return MemoryJournal()
    parsed = _parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _make_room(Path(str(parsed.database)))
    return SqlJournal(parsed)


def _parse_url(url: str) -> URL:
    """The URL, if it names a file or a server; its text stays out of the error, for it may hold a password."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # of what should be a port
        raise JournalError("journal.bad-url", known=KNOWN) from None
    if parsed.drivername == "postgres":
        parsed = parsed.set(drivername="postgresql")
    backend = parsed.get_backend_name()
    if "@" in (parsed.host or ""):  # the rest of a password that had one in it
        raise JournalError("journal.bad-url", known=KNOWN)
    if backend == "postgresql" or (backend == "sqlite" and parsed.database not in (None, "", ":memory:")):
        return parsed
    raise JournalError("journal.bad-url", known=KNOWN)


def _make_room(journal: Path) -> None:
    """See to the folder; copies from before upgrades hold as much as the journal, and are as private."""
    try:
        private_folder(journal.parent)
        for copy in copies_of(journal):
            private_database(copy)
    except OSError as error:
        raise cannot_make(journal.parent, error) from error
