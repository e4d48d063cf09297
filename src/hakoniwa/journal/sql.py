"""The journal in SQLite or PostgreSQL: one method, one transaction."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, insert, make_url, update

from hakoniwa.errors import JournalError, JournalMovedOn
from hakoniwa.journal import (
    MAIN,
    Branch,
    CallRow,
    GardenRecord,
    GardenSummary,
    Journal,
    PurgeResult,
    Row,
    calls,
    purge,
    queries,
)
from hakoniwa.journal.calls import place_columns, split_call, usable_call
from hakoniwa.journal.copies import write_backup
from hakoniwa.journal.database import PATIENCE, Database, open_database
from hakoniwa.journal.faults import translate_errors
from hakoniwa.journal.rows import (
    Clock,
    as_kept,
    branch_columns,
    chain,
    garden_columns,
    kept_with_texts,
    key_of,
    problems,
    utc_now,
)
from hakoniwa.journal.tables import PURGES, branches, gardens, metadata
from hakoniwa.turn import Event


class SqlJournal(Journal):
    """Whoever writes rows takes the counter first and queues there, so rows appear in the order of their seq."""

    def __init__(self, url: str | URL, now: Clock = utc_now, patience: float = PATIENCE) -> None:
        parsed = make_url(url)
        self._now = now
        self._database = open_database(parsed, patience)
        self._last_texts: frozenset[str] = frozenset()  # those of the call before, most of which the next one repeats
        self._purges = 0  # how many there had been then

    @property
    def database(self) -> Database:
        return self._database

    @property
    def engine(self) -> Engine:
        return self._database.engine

    def create(self, garden: GardenRecord) -> None:
        kept = as_kept(garden, garden.id)
        with self.database.writing() as connection:
            queries.take(connection, 0)
            if queries.garden_exists(connection, kept.id):
                raise JournalError("journal.garden-exists", name=kept.id)
            connection.execute(insert(gardens), garden_columns(kept, self._now()))
            main = Branch(name=MAIN, head=None, parent=None, turn=0)
            connection.execute(insert(branches), branch_columns(kept.id, main))

    def gardens(self) -> list[GardenRecord]:
        with self.database.reading() as connection:
            return queries.all_gardens(connection)

    def plates(self) -> list[GardenSummary]:
        with self.database.moment() as connection:
            return queries.all_summaries(connection)

    def garden(self, id: str) -> GardenRecord:
        with self.database.reading() as connection:
            return queries.find_garden(connection, id)

    def branches(self, garden: str) -> list[Branch]:
        with self.database.reading() as connection:
            found = queries.all_branches(connection, garden)
            if not found:  # every garden has one; to read the garden as well would take several times as long
                queries.find_garden(connection, garden)
            return found

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        kept = [kept_with_texts(event, event.kind) for event in events]
        with self.database.writing() as connection:
            last = queries.take(connection, len(kept))
            tip = queries.tip(connection, garden, branch)
            if tip.seq != after:
                raise JournalMovedOn("journal.moved-on", garden=garden, branch=branch, expected=after, found=tip.seq)
            rows = chain(garden, branch, [event for event, _ in kept], last - len(kept) + 1, tip, self._now())
            if rows:
                queries.write(connection, rows, [texts for _, texts in kept])
                queries.move(connection, garden, branch, rows[-1].seq)
        return rows

    def line(self, garden: str, branch: str) -> list[int]:
        with self.database.reading() as connection:
            return queries.line(connection, garden, queries.tip(connection, garden, branch).seq)

    def lineage(self, garden: str, branch: str) -> list[Row]:
        with self.database.reading() as connection:
            return queries.lineage(connection, garden, queries.tip(connection, garden, branch).seq)

    def move_head(self, garden: str, branch: str, to: int | None) -> None:
        with self.database.writing() as connection:
            queries.take(connection, 0)
            queries.require_branch(connection, garden, branch)
            queries.turn_at(connection, garden, to)
            queries.move(connection, garden, branch, to)

    def fork(self, garden: str, branch: str, name: str, at: int | None) -> Branch:
        with self.database.writing() as connection:
            queries.take(connection, 0)
            queries.require_branch(connection, garden, branch)
            made = Branch(name=name, head=at, parent=branch, turn=queries.turn_at(connection, garden, at))
            if queries.branch_exists(connection, garden, name):
                raise JournalError("journal.branch-exists", garden=garden, name=name)
            connection.execute(insert(branches), branch_columns(garden, made))
        return made

    def since(self, seq: int, limit: int = 1000, garden: str | None = None) -> list[Row]:
        with self.database.reading() as connection:
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
        purges: int | None = None,
    ) -> None:
        kept, place = split_call(call), place_columns(garden, branch, after, turn, key, speaker, self._now())
        with self.database.writing() as connection:
            now = queries.counter_value(connection, PURGES)
            if purges not in (None, now):
                return
            known = self._last_texts if now == self._purges else frozenset()
            calls.write_call(connection, place, kept, kept.texts.keys() - known)
        self._last_texts, self._purges = frozenset(kept.texts), now

    def recorded_call(self, garden: str, branch: str, after: int | None, key: str) -> dict[str, Any] | None:
        with self.database.moment() as connection:
            found = calls.waiting_calls(connection, garden, branch, after, key_of(key))
            return usable_call(found, calls.texts_of(connection, found))

    def calls(self, garden: str, branch: str, turn: int | None = None, prompts: bool = False) -> list[CallRow]:
        with self.database.moment() as connection:
            line = calls.branch_rows(connection, garden, branch, queries.tip(connection, garden, branch).seq)
            found = [one for one in calls.all_calls(connection, garden, turn) if line.behind(one)]
            texts = calls.texts_of(connection, found) if prompts else None
            return [line.row(one, texts) for one in found]

    def forget(self, garden: str, seqs: Collection[int]) -> PurgeResult:
        with self.database.writing() as connection:
            queries.find_garden(connection, garden)
            queries.take(connection, 0)
            calls = purge.forget_calls(connection, garden, seqs) if seqs else 0
            return PurgeResult(rows=purge.forget_rows(connection, garden, seqs), calls=calls)

    def set_settings(self, garden: str, settings: Mapping[str, Any]) -> GardenRecord:
        with self.database.writing() as connection:
            queries.take(connection, 0)
            changed = as_kept(queries.find_garden(connection, garden).with_field("settings", dict(settings)), garden)
            columns = {"settings": garden_columns(changed, self._now())["settings"]}
            connection.execute(update(gardens).where(gardens.c.id == garden), columns)
        return changed

    def delete(self, garden: str) -> PurgeResult:
        with self.database.writing() as connection:
            queries.take(connection, 0)
            queries.find_garden(connection, garden)
            return purge.delete_garden(connection, garden)

    def search(self, text: str, limit: int) -> list[Row]:
        with self.database.reading() as connection:
            return queries.rows_with_text(connection, text, limit)

    def check(self, garden: str) -> list[str]:
        with self.database.moment() as connection:
            queries.find_garden(connection, garden)
            links, heads = queries.all_links(connection, garden), queries.all_branches(connection, garden)
            lost, graves = calls.lost_calls(connection, garden), purge.tombstones(connection)
            return problems(garden, links, heads, graves) + queries.missing_rows(connection) + lost

    def backup(self, to: Path) -> None:
        with self.database.moment() as connection:
            write_backup(to, ((table, self._stored(connection, table)) for table in metadata.sorted_tables))

    def close(self) -> None:
        self.database.close()

    def _stored(self, connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
        """The rows of a table; what goes wrong here is this journal's trouble, not the copy's."""
        with translate_errors(self.database.path):
            yield from queries.stored_rows(connection, table)
