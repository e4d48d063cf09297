"""The journal in SQLite or PostgreSQL: one method, one transaction."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, insert, make_url

from hakoniwa.errors import JournalError, JournalLocked
from hakoniwa.journal import MAIN, Branch, CallRow, Garden, Journal, Row, call_queries, queries
from hakoniwa.journal.backup import write_backup
from hakoniwa.journal.calls import asked, place_columns, usable
from hakoniwa.journal.columns import branch_columns, garden_columns
from hakoniwa.journal.engine import open_engine, place, snapshot, writing
from hakoniwa.journal.faults import named
from hakoniwa.journal.rows import Clock, as_kept, chain, problems, utc_now
from hakoniwa.journal.tables import branches, gardens, metadata
from hakoniwa.journal.texts import key_of
from hakoniwa.turn import Event

PATIENCE = 5.0


class SqlJournal(Journal):
    """Whoever writes rows takes the counter first and queues there, so rows appear in the order of their seq."""

    def __init__(self, url: str | URL, now: Clock = utc_now, patience: float = PATIENCE) -> None:
        parsed = make_url(url)
        self._now = now
        self._path = place(parsed)
        self.engine = open_engine(parsed, patience)
        self._writes = writing(self.engine)
        self._moments = snapshot(self.engine)
        self._patience = patience
        self._one_writer = Lock()
        self._last_texts: frozenset[str] = frozenset()  # those of the call before, most of which the next one repeats

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

    def record_call(
        self,
        garden: str,
        branch: str,
        after: int | None,
        turn: int,
        key: str,
        call: Mapping[str, Any],
        speaker: str | None = None,
    ) -> None:
        kept, place = asked(call), place_columns(garden, branch, after, turn, key, speaker, self._now())
        with self._writing() as connection:
            call_queries.write(connection, place, kept, kept.texts.keys() - self._last_texts)
        self._last_texts = frozenset(kept.texts)

    def recorded_call(self, garden: str, branch: str, after: int | None, key: str) -> dict[str, Any] | None:
        with self._begin(self._moments) as connection:
            found = call_queries.waiting(connection, garden, branch, after, key_of(key))
            return usable(found, call_queries.texts_of(connection, found))

    def calls(self, garden: str, branch: str, turn: int | None = None, prompts: bool = False) -> list[CallRow]:
        with self._begin(self._moments) as connection:
            line = call_queries.line(connection, garden, branch, queries.tip(connection, garden, branch).seq)
            found = [one for one in call_queries.all_calls(connection, garden, turn) if line.behind(one)]
            texts = call_queries.texts_of(connection, found) if prompts else None
            return [line.row(one, texts) for one in found]

    def check(self, garden: str) -> list[str]:
        with self._begin(self._moments) as connection:
            queries.find_garden(connection, garden)
            links, heads = queries.all_links(connection, garden), queries.all_branches(connection, garden)
            lost = call_queries.lost(connection, garden)
            return problems(garden, links, heads) + queries.missing(connection) + lost

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
