"""A journal that lives as long as its process."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any

from hakoniwa.errors import JournalError, JournalMovedOn, UnknownName
from hakoniwa.journal import (
    MAIN,
    Branch,
    CallRow,
    GardenRecord,
    GardenSummary,
    Journal,
    PurgeResult,
    Row,
    has_summary,
    summary_of,
)
from hakoniwa.journal.calls import BranchRows, Columns, RowStep, place_columns, split_call, usable_call
from hakoniwa.journal.copies import write_backup
from hakoniwa.journal.database import Database, passing_database
from hakoniwa.journal.purge import unshared_texts
from hakoniwa.journal.queries import counter_value
from hakoniwa.journal.rows import (
    FORGOTTEN,
    BranchTip,
    Clock,
    RowLink,
    as_kept,
    branch_columns,
    chain,
    garden_columns,
    hash_remains,
    json_spelling,
    key_of,
    plain_json,
    problems,
    row_columns,
    utc_now,
)
from hakoniwa.journal.tables import COUNTER, PURGES, branches, calls, counters, events, forgotten, gardens, texts
from hakoniwa.turn import Event


class MemoryJournal(Journal):
    """The in-memory implementation: rows in a list, in which a row's seq is its place."""

    waits = False

    def __init__(self, now: Clock = utc_now) -> None:
        self._now = now
        self._lock = RLock()
        self._gardens: dict[str, GardenRecord] = {}
        self._branches: dict[str, dict[str, Branch]] = {}
        self._rows: list[Row] = []
        self._calls: list[dict[str, Any]] = []
        self._calls_at: dict[tuple[str, str, int | None, str], list[dict[str, Any]]] = defaultdict(list)
        self._texts: dict[str, str] = {}
        self._tombstones: dict[int, str] = {}

    @cached_property
    def database(self) -> Database:
        return passing_database()

    def create(self, garden: GardenRecord) -> None:
        kept = as_kept(garden, garden.id)
        with self._lock:
            if garden.id in self._gardens:
                raise JournalError("journal.garden-exists", name=garden.id)
            self._gardens[garden.id] = kept
            self._branches[garden.id] = {MAIN: Branch(name=MAIN, head=None, parent=None, turn=0)}

    def gardens(self) -> list[GardenRecord]:
        with self._lock:
            return [self._gardens[id] for id in sorted(self._gardens)]

    def plates(self) -> list[GardenSummary]:
        with self._lock:
            return [summary_of(one, self.branches(one.id)) for one in self.gardens() if has_summary(one)]

    def garden(self, id: str) -> GardenRecord:
        with self._lock:
            if id not in self._gardens:
                known = ", ".join(one.id for one in self.gardens() if has_summary(one))
                raise UnknownName("unknown.garden", name=id, known=known)
            return self._gardens[id]

    def branches(self, garden: str) -> list[Branch]:
        with self._lock:
            self.garden(garden)
            return [self._branches[garden][name] for name in sorted(self._branches[garden])]

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        kept = [as_kept(event, event.kind) for event in events]
        with self._lock:
            before = self._branch(garden, branch)
            if before.head != after:
                head = before.head
                raise JournalMovedOn("journal.moved-on", garden=garden, branch=branch, expected=after, found=head)
            rows = chain(garden, branch, kept, len(self._rows) + 1, self._tip(before.head), self._now())
            if rows:
                self._branches[garden][branch] = before.model_copy(update={"head": rows[-1].seq})
                self._rows.extend(rows)
            return rows

    def line(self, garden: str, branch: str) -> list[int]:
        return [row.seq for row in self.lineage(garden, branch)]

    def lineage(self, garden: str, branch: str) -> list[Row]:
        with self._lock:
            rows: list[Row] = []
            at = self._branch(garden, branch).head
            while at is not None:
                rows.append(self._rows[at - 1])
                at = rows[-1].parent
            return rows[::-1]

    def move_head(self, garden: str, branch: str, to: int | None) -> None:
        with self._lock:
            before = self._branch(garden, branch)
            self._turn_at(garden, to)
            self._branches[garden][branch] = before.model_copy(update={"head": to})

    def fork(self, garden: str, branch: str, name: str, at: int | None) -> Branch:
        with self._lock:
            self._branch(garden, branch)
            made = Branch(name=name, head=at, parent=branch, turn=self._turn_at(garden, at))
            if name in self._branches[garden]:
                raise JournalError("journal.branch-exists", garden=garden, name=name)
            self._branches[garden][name] = made
            return made

    def since(self, seq: int, limit: int = 1000, garden: str | None = None) -> list[Row]:
        with self._lock:
            newer = islice(self._rows, max(seq, 0), None)
            return list(islice((row for row in newer if row.garden in ([garden] if garden else self._gardens)), limit))

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
        with self._lock:
            self._branch(garden, branch)
            if purges is not None and purges != self._purges():
                return
            self._texts |= kept.texts
            self._calls.append({"id": self._last_call() + 1, "seen": len(self._rows), **place, **kept.columns})
            self._calls_at[garden, branch, after, place["key"]].append(self._calls[-1])

    def _purges(self) -> int:
        with self.database.reading() as connection:
            return counter_value(connection, PURGES)

    def recorded_call(self, garden: str, branch: str, after: int | None, key: str) -> dict[str, Any] | None:
        with self._lock:
            found = self._calls_at.get((garden, branch, after, key_of(key)), [])
            return usable_call((one for one in reversed(found) if self._waiting(one)), self._texts)

    def calls(self, garden: str, branch: str, turn: int | None = None, prompts: bool = False) -> list[CallRow]:
        with self._lock:
            head = self._branch(garden, branch).head
            own = [row for row in self._rows if row.garden == garden]
            line = BranchRows([RowStep(row.seq, row.parent, row.branch, row.event.turn) for row in own], branch, head)
            found = [one for one in self._calls if one["garden"] == garden and turn in (None, one["turn"])]
            return [line.row(one, self._texts if prompts else None) for one in found if line.behind(one)]

    def forget(self, garden: str, seqs: Collection[int]) -> PurgeResult:
        with self._lock:
            self.garden(garden)
            own = [self._rows[seq - 1] for seq in sorted(seqs) if 0 < seq <= len(self._rows)]
            rows = [row for row in own if row.garden == garden and row.seq not in self._tombstones]
            since = own[0].parent or 0 if own else len(self._rows) + 1
            gone = [one for one in self._calls if one["garden"] == garden and one["seen"] >= since]
            for row in rows:
                self._forget_row(row)
            self._forget_calls(gone)
            return PurgeResult(rows=len(rows), calls=len(gone))

    def _forget_row(self, row: Row) -> None:
        self._tombstones[row.seq] = hash_remains(self._tip(row.parent).row_hash, row)
        blank = row.event.model_copy(update={"payload": FORGOTTEN})
        self._rows[row.seq - 1] = row.model_copy(update={"event": blank})

    def _forget_calls(self, gone: list[dict[str, Any]]) -> None:
        ids = {one["id"] for one in gone}
        self._calls = [one for one in self._calls if one["id"] not in ids]
        for place, kept in self._calls_at.items():
            self._calls_at[place] = [one for one in kept if one["id"] not in ids]
        for hash in unshared_texts(gone, self._calls):
            del self._texts[hash]

    def set_settings(self, garden: str, settings: Mapping[str, Any]) -> GardenRecord:
        with self._lock:
            self._gardens[garden] = as_kept(self.garden(garden).with_field("settings", dict(settings)), garden)
            return self._gardens[garden]

    def delete(self, garden: str) -> PurgeResult:
        with self._lock:
            self.garden(garden)
            own = [row for row in self._rows if row.garden == garden]
            gone = [one for one in self._calls if one["garden"] == garden]
            for row in own:  # numbers are places: a row keeps its own, with nothing in it that anybody is given
                self._forget_row(row)
            self._forget_calls(gone)
            del self._gardens[garden], self._branches[garden]
            return PurgeResult(rows=len(own), calls=len(gone))

    def search(self, text: str, limit: int) -> list[Row]:
        wanted = json_spelling(text).casefold()
        with self._lock:
            kept = (row for row in reversed(self._rows) if row.garden in self._gardens)
            return list(islice((row for row in kept if wanted in plain_json(row.event.payload).casefold()), limit))

    def check(self, garden: str) -> list[str]:
        with self._lock:
            heads = self.branches(garden)
            links = [
                RowLink(seq=row.seq, parent=row.parent, row_hash=row.row_hash, event=row.event)
                for row in self._rows
                if row.garden == garden
            ]
            return problems(garden, links, heads, self._tombstones)

    def backup(self, to: Path) -> None:
        with self._lock:
            write_backup(to, self._tables())

    def close(self) -> None:
        """Nothing to let go of that does not go with the process."""

    def _last_call(self) -> int:
        return self._calls[-1]["id"] if self._calls else 0

    def _branch(self, garden: str, name: str) -> Branch:
        self.garden(garden)
        found = self._branches[garden].get(name)
        if found is None:
            raise UnknownName("unknown.branch", name=name, known=", ".join(sorted(self._branches[garden])))
        return found

    def _waiting(self, call: Columns) -> bool:
        """Whether nothing has been written on a call's branch since."""
        place = (call["garden"], call["branch"])
        return all((row.garden, row.branch) != place for row in self._rows[call["seen"] :])

    def _tip(self, head: int | None) -> BranchTip:
        return BranchTip() if head is None else BranchTip(seq=head, row_hash=self._rows[head - 1].row_hash)

    def _turn_at(self, garden: str, seq: int | None) -> int:
        if seq is None:
            return 0
        if not 0 < seq <= len(self._rows) or self._rows[seq - 1].garden != garden:
            raise JournalError("journal.no-row", garden=garden, seq=seq)
        return self._rows[seq - 1].event.turn

    def _tables(self) -> list[tuple[Any, list[dict[str, Any]]]]:
        """Everything here, as the tables of an SQL journal hold it."""
        now, kept = self._now(), self.database.contents()
        heads = [branch_columns(garden, branch) for garden in self._branches for branch in self.branches(garden)]
        return [
            (counters, [{"name": COUNTER, "value": len(self._rows)}, *kept.pop(counters)]),
            (gardens, [garden_columns(garden, now) for garden in self.gardens()]),
            (events, [row_columns(row) for row in self._rows]),
            (branches, heads),
            (texts, [{"hash": hash, "text": plain_json(text)} for hash, text in self._texts.items()]),
            (calls, self._calls),
            (forgotten, [{"seq": seq, "row_hash": hash} for seq, hash in self._tombstones.items()]),
            *kept.items(),
        ]
