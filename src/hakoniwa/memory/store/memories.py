"""Memories: the one door to everything that ghosts remember. One method, one transaction."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from hakoniwa.journal import Journal, Row
from hakoniwa.journal.copies import remove_copies
from hakoniwa.journal.queries import counter_value, take
from hakoniwa.journal.tables import IDS, PURGES
from hakoniwa.memory.store import bookkeeping, forget, intake, items, lines, nearest, search
from hakoniwa.memory.store.items import stats
from hakoniwa.memory.store.values import (
    ForgetResult,
    MemoryEntry,
    MemoryScope,
    MemoryStats,
    MemoryWriting,
    Of,
    VisibleRows,
)
from hakoniwa.persona.records import NewMemory, Revision

CHAT = "chat"  # the kind of garden, and of row, that is nobody's history but the persona's and the user's own

P = ParamSpec("P")
T = TypeVar("T")


def _reads(ask: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate["Memories", P], T]:
    """A question as a method that asks it in a transaction of its own."""

    def method(self: "Memories", /, *args: P.args, **more: P.kwargs) -> T:
        with self.database.reading() as connection:
            return ask(connection, *args, **more)

    return wraps(ask)(method)


def _writes(change: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate["Memories", P], T]:
    """A change as a method that makes it in a transaction of its own."""

    def method(self: "Memories", /, *args: P.args, **more: P.kwargs) -> T:
        with self.database.writing() as connection:
            return change(connection, *args, **more)

    return wraps(change)(method)


class Memories:
    """What is remembered lies beside the journal; every question is asked along a line of play, by a Scope."""

    def __init__(self, journal: Journal) -> None:
        self.journal, self.database = journal, journal.database
        self._numbers: dict[tuple[str, str], int] = {}
        self._above: dict[int, lines.Older] = {}  # what leads to a span never changes
        self._embedded: dict[tuple[int, str], int] = {}  # up to which row nothing is left to embed

    # --- lines of play, and taking them in ---------------------------------------------------------------------------

    def ghost(self, garden: str, who: str) -> int:
        """The number of a character's ghost."""
        if (garden, who) not in self._numbers:
            with self.database.reading() as connection:
                found = intake.ghost_number(connection, garden, who)
            self._numbers[garden, who] = found or self._new_ghost(garden, who)
        return self._numbers[garden, who]

    def _new_ghost(self, garden: str, who: str) -> int:
        with self.database.writing() as connection:
            take(connection, 0, IDS)
            return intake.ghost_number(connection, garden, who) or intake.number_ghost(connection, garden, who)

    def line(self, garden: str, head: int | None) -> VisibleRows:
        """What can be seen from a head, which has been taken in; nothing from before the first row."""
        if head is None:
            return VisibleRows()
        with self.database.reading() as connection:
            span = lines.span_of(connection, head, garden)
            if span not in self._above:
                self._above[span] = lines.older_spans(connection, span)
        return VisibleRows(spans=((span, head), *self._above[span]))

    def untaken(self, garden: str, rows: Sequence[Row]) -> Sequence[Row]:
        """Those rows of a lineage that memory has not taken in yet."""
        with self.database.reading() as connection:
            new = lines.missing_rows(connection, (row.seq for row in rows))
        return [row for row in rows if row.seq in new]

    def take_in(self, garden: str, lived: Sequence[tuple[Row, Mapping[str, NewMemory]]]) -> None:
        """Remember rows, parents first, each as its witnesses lived through it; what was taken in before stays."""
        whole = [intake.index_row(row, by) for row, by in lived]
        numbers = {who: self.ghost(garden, who) for one in whole for who in one.by}
        with self.database.writing() as connection:
            intake.take_in(connection, garden, whole, numbers)

    # --- searching ---------------------------------------------------------------------------------------------------

    recent = _reads(search.recent_events)
    load = _reads(search.load)
    with_words = _reads(search.events_with_words)
    beside = _reads(search.beside)
    reply_chain = _reads(search.reply_chain)
    linked = _reads(search.load_links)
    about = _reads(search.about)
    during = _reads(search.events_during)
    affects = _reads(search.affects)
    affects_of = _reads(search.affects_of)

    def of_entities(self, scope: MemoryScope, names: Collection[str], limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.events_with_mark(connection, scope, intake.ENTITY, names, limit)

    def in_threads(self, scope: MemoryScope, threads: Collection[str], limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.events_with_mark(connection, scope, intake.THREAD, threads, limit)

    # --- items -------------------------------------------------------------------------------------------------------

    revisions = _reads(items.newest)
    history = _reads(items.history)
    newest_revision = _reads(items.newest_id)

    def write(
        self, scope: MemoryScope, seq: int, writing: MemoryWriting, done: int | None = None
    ) -> tuple[Revision, ...]:
        """Write what came of an event, and settle the work it came from; nothing if somebody else has settled it."""
        return self.write_all([MemoryEntry(scope=scope, seq=seq, writing=writing, work=done)])[0]

    def write_all(self, entries: Sequence[MemoryEntry]) -> list[tuple[Revision, ...]]:
        """Write what came of events, and settle the work it came from; nothing of what somebody else has settled, or
        has forgotten meanwhile."""
        with self.database.writing() as connection:
            take(connection, 0, IDS)
            return [
                items.write(connection, one.scope, one.seq, one.writing)
                if not forget.is_purged(connection, one.seq)
                and (one.work is None or bookkeeping.settle(connection, one.work, "done"))
                else ()
                for one in entries
            ]

    # --- runs, work, the board ---------------------------------------------------------------------------------------

    record_run = _writes(bookkeeping.record)
    runs = _reads(bookkeeping.newest)
    pending = _writes(bookkeeping.claim)
    queued = _reads(bookkeeping.queued_work)
    settle = _writes(bookkeeping.settle)
    snapshot = _writes(bookkeeping.snapshot)
    last_snapshot = _reads(bookkeeping.last_snapshot)

    # --- this moment -------------------------------------------------------------------------------------------------

    talking = _writes(bookkeeping.set_talking)
    move_clock = _writes(bookkeeping.move_clock)
    live = _writes(bookkeeping.set_living)
    living = _reads(bookkeeping.living_lines)
    moment = _reads(bookkeeping.line_status)

    # --- vectors -----------------------------------------------------------------------------------------------------

    def to_embed(self, ghost: int, embedder: str, limit: int) -> list[tuple[Of, int, str]]:
        """Texts that still have no vector of that embedder: events by their seq, states by their newest revision."""
        after = self._embedded.get((ghost, embedder), 0)
        with self.database.reading() as connection:
            events = nearest.bare_events(connection, ghost, embedder, after, limit)
            states = nearest.bare_states(connection, ghost, embedder, limit - len(events))
        if events:
            self._embedded[ghost, embedder] = events[0][0] - 1
        return [*(("event", *one) for one in events), *(("state", *one) for one in states)]

    def put_vectors(self, ghost: int, embedder: str, made: Sequence[nearest.KeptVector]) -> None:
        with self.database.writing() as connection:
            kept = nearest.put(connection, ghost, embedder, made)
            if nearest.is_available(connection):
                nearest.put_in_pgvector(connection, ghost, embedder, kept)

    def drop_vectors(self, ghost: int, embedder: str) -> int:
        """Remove every vector of an embedder that is no longer asked."""
        self._embedded.pop((ghost, embedder), None)
        with self.database.writing() as connection:
            if nearest.is_available(connection):
                nearest.drop(connection, ghost, embedder)
            return nearest.drop_all(connection, ghost, embedder)

    embedded = _reads(nearest.counts)
    finds_nearest = _reads(nearest.is_available)

    def nearest(
        self, scope: MemoryScope, embedder: str, vector: bytes, limit: int, since: datetime | None = None
    ) -> list[tuple[int, float]]:
        """The nearest events, on PostgreSQL with pgvector; elsewhere an index of our own answers."""
        with self.database.reading() as connection:
            made = nearest.has_table(connection, embedder)
        if not made:
            with self.database.writing() as connection:
                nearest.make_table(connection, embedder, len(vector) // 2)
        with self.database.reading() as connection:
            return nearest.find(connection, scope, embedder, vector, limit, since)

    # --- forgetting, and counting ------------------------------------------------------------------------------------

    def purges(self) -> int:
        """How many purges there were: who kept something in mind since before the last one must look again."""
        with self.database.reading() as connection:
            return counter_value(connection, PURGES)

    def forget(self, scope: MemoryScope, garden: str, seqs: Collection[int]) -> ForgetResult:
        """Purge events from one ghost's memory; words that nobody else heard, as in a chat, out of the journal too.

        The journal comes first: should anything fail, memory still knows what to forget when it is asked again."""
        is_chat = self.journal.garden(garden).settings.get("kind") == CHAT
        own = [seq for seq in seqs if is_chat or self._is_private(garden, seq)]
        purge = self.journal.forget(garden, own) if own else None
        with self.database.writing() as connection:
            take(connection, 0, IDS)
            gone = forget.forget(connection, scope.ghost, seqs)
        left = forget.scrub(self.database)
        copies, stayed = remove_copies(self.database)
        told = {"rows": purge.rows, "calls": purge.calls} if purge else {}
        return gone.model_copy(update={**told, "copies": copies, "traces": left or stayed})

    def held_of(self, garden: str) -> int:
        """How much everybody of a garden remembers, on all of its branches."""
        with self.database.reading() as connection:
            return forget.memories_of(connection, garden)

    def delete_garden(self, garden: str) -> None:
        """Remove a garden from the journal, and whatever anybody remembers of it, in one transaction."""
        with self.database.as_one():
            self.journal.delete(garden)
            with self.database.writing() as connection:
                take(connection, 0, IDS)
                forget.forget_garden(connection, garden)
        self._numbers = {key: no for key, no in self._numbers.items() if key[0] != garden}
        forget.scrub(self.database)
        remove_copies(self.database)

    def _is_private(self, garden: str, seq: int) -> bool:
        """Whether a row of a garden is words between a user and one person there."""
        rows = [row.event for row in self.journal.since(seq - 1, 1, garden) if row.seq == seq]
        return any(one.kind == CHAT and len(one.witnesses) == 1 for one in rows)

    def stats(self, scope: MemoryScope) -> MemoryStats:
        with self.database.moment() as connection:
            return stats(connection, scope)
