"""Journals of every revision there ever was, each written by the Hakoniwa of its time; and what must be in one once it
has been upgraded, whatever it is kept in."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import URL, create_engine

from hakoniwa.journal import Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS, metadata
from hakoniwa.play.state_hash import verify
from tests.journal import old
from tests.trust.promise import FOLDER

NEWEST = REVISIONS[-1]
# A new revision needs the dump of a journal of the one before it here.
DUMPS = {"0001": old.DUMP} | {
    path.stem.removeprefix("journal_"): path.read_text(encoding="utf-8")
    for path in sorted((FOLDER / "journals").glob("journal_*.sql"))
}
OLDER = [one for one in DUMPS if one != NEWEST]
SHAPE = {"version_table": REVISION_TABLE, "compare_type": True, "compare_server_default": True}

Contents = dict[str, Counter[str]]  # every row of every table, by what its columns are called


def place_of(number: int, count: int, chance: float) -> tuple[str, float]:
    """Which journal is killed, and where on its way: each of them all along it, elsewhere with every seed."""
    return OLDER[number % len(OLDER)], (number // len(OLDER) + chance) / (count // len(OLDER) + 1)


def lost(before: Contents, after: Contents) -> list[str]:
    """What was there and is no more; that the revision is another one is what an upgrade is for."""
    return [
        f"{table}: {sum(missing.values())} rows are gone or changed"
        for table, rows in before.items()
        if table != REVISION_TABLE and (missing := rows - after.get(table, Counter()))
    ]


def opened(url: str) -> list[str]:
    """Open a journal, which upgrades it, and say what does not add up in it."""
    with closing(open_journal(url)) as journal:
        return [fault for garden in journal.gardens() for fault in _faults(journal, garden.id)]


def _faults(journal: Journal, garden: str) -> list[str]:
    found = verify(journal, garden) if journal.garden(garden).scenario else []
    return [*journal.check(garden), *map(str, found)]


def misshapen(url: str | URL) -> Iterator[str]:
    """What is otherwise in the tables than it would be in a journal that was made today."""
    engine = create_engine(url)
    with engine.connect() as connection:
        yield from map(str, compare_metadata(MigrationContext.configure(connection, opts=SHAPE), metadata))
    engine.dispose()
