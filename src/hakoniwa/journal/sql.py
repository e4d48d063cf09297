"""The journal in SQLite or PostgreSQL: one method, one transaction."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, insert, make_url

from hakoniwa.errors import JournalError, JournalLocked
from hakoniwa.journal import MAIN, Branch, Garden, Journal, Row, queries
from hakoniwa.journal.backup import write_backup
from hakoniwa.journal.columns import branch_columns, garden_columns
from hakoniwa.journal.engine import open_engine, place, snapshot, writing
from hakoniwa.journal.faults import named
from hakoniwa.journal.rows import Clock, as_kept, chain, problems, utc_now
from hakoniwa.journal.tables import branches, gardens, metadata
from hakoniwa.turn import Event

PATIENCE = 5.0


class SqlJournal(Journal):
    """Every write takes the counter first: writers queue up there, so rows become visible in the order of their seq."""

    def __init__(self, url: str | URL, now: Clock = utc_now, patience: float = PATIENCE) -> None:
        parsed = make_url(url)
        self._now = now
        self._path = place(parsed)
        self.engine = open_engine(parsed, patience)
        self._writes = writing(self.engine)
        self._moments = snapshot(self.engine)
        self._patience = patience
        self._one_writer = Lock()

    def create(self, garden: Garden) -> None:
        kept = as_kept(garden, garden.id)
        with self._writing() as connection:
            queries.take(connection, 0)
            if queries.garden_exists(connection, kept.id):
                raise JournalError("journal.garden-exists", name=kept.id)
            connection.execute(insert(gardens), garden_columns(kept, self._now()))
            main = Branch(name=MAIN, head=None, parent=None, turn=0)
            connection.execute(insert(branches), branch_columns(kept.id, main))

    def gardens(self) -> list[Garden]:
        with self._begin(self.engine) as connection:
            return queries.all_gardens(connection)

    def garden(self, id: str) -> Garden:
        with self._begin(self.engine) as connection:
            return queries.find_garden(connection, id)

    def branches(self, garden: str) -> list[Branch]:
        with self._begin(self.engine) as connection:
            queries.find_garden(connection, garden)
            return queries.all_branches(connection, garden)

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        kept = [as_kept(event, event.kind) for event in events]
        with self._writing() as connection:
            last = queries.take(connection, len(kept))
            tip = queries.tip(connection, garden, branch)
            if tip.seq != after:
                raise JournalError("journal.moved-on", garden=garden, branch=branch, expected=after, found=tip.seq)
            rows = chain(garden, branch, kept, last - len(kept) + 1, tip, self._now())
            if rows:
                queries.write(connection, rows)
                queries.move(connection, garden, branch, rows[-1].seq)
        return rows

    def lineage(self, garden: str, branch: str) -> list[Row]:
        with self._begin(self.engine) as connection:
            return queries.lineage(connection, garden, queries.tip(connection, garden, branch).seq)

    def move_head(self, garden: str, branch: str, to: int | None) -> None:
        with self._writing() as connection:
            queries.take(connection, 0)
            queries.require_branch(connection, garden, branch)
            queries.turn_at(connection, garden, to)
            queries.move(connection, garden, branch, to)

    def fork(self, garden: str, branch: str, name: str, at: int | None) -> Branch:
        with self._writing() as connection:
            queries.take(connection, 0)
            queries.require_branch(connection, garden, branch)
            made = Branch(name=name, head=at, parent=branch, turn=queries.turn_at(connection, garden, at))
            if queries.branch_exists(connection, garden, name):
                raise JournalError("journal.branch-exists", garden=garden, name=name)
            connection.execute(insert(branches), branch_columns(garden, made))
        return made

    def since(self, seq: int, limit: int = 1000, garden: str | None = None) -> list[Row]:
        with self._begin(self.engine) as connection:
            return queries.tail(connection, seq, limit, garden)

    def check(self, garden: str) -> list[str]:
        with self._begin(self._moments) as connection:
            queries.find_garden(connection, garden)
            links, heads = queries.all_links(connection, garden), queries.all_branches(connection, garden)
            return problems(garden, links, heads) + queries.missing(connection)

    def backup(self, to: Path) -> None:
        with self._begin(self._moments) as connection:
            write_backup(to, ((table, self._stored(connection, table)) for table in metadata.sorted_tables))

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _begin(self, engine: Engine) -> Iterator[Connection]:
        """One transaction: committed at the end, and rolled back if anything is raised."""
        with named(self._path), engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that writes; threads queue up here, because SQLite's own way of waiting is to doze."""
        if not self._one_writer.acquire(timeout=self._patience):
            raise JournalLocked("journal.locked", path=self._path, problem="another thread is writing")
        try:
            with self._begin(self._writes) as connection:
                yield connection
        finally:
            self._one_writer.release()

    def _stored(self, connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
        """The rows of a table; what goes wrong here is this journal's trouble, not the copy's."""
        with named(self._path):
            yield from queries.stored(connection, table)
