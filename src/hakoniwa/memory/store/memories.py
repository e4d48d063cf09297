"""Memories: the one door to everything that ghosts remember. One method, one transaction."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from hakoniwa.journal import Journal, Row
from hakoniwa.journal.copies import remove_copies
from hakoniwa.journal.queries import counter_value, take
from hakoniwa.journal.tables import IDS, PURGES
from hakoniwa.memory.store import bookkeeping, forget, intake, items, lines, nearest, search
from hakoniwa.memory.store.items import stats
from hakoniwa.memory.store.values import (
    ForgetResult,
    LineStatus,
    MemoryEntry,
    MemoryScope,
    MemoryStats,
    MemoryWork,
    MemoryWriting,
    Of,
    RetrievalRun,
    SnapshotKind,
    VisibleRows,
    WorkKind,
    WorkOutcome,
)
from hakoniwa.persona.records import AboutTime, Affect, Memory, MemoryLink, MemorySource, NewMemory, Revision

CHAT = "chat"  # the kind of garden whose rows are nobody's history but the persona's and the user's own


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

    def recent(self, scope: MemoryScope, limit: int, sources: Collection[MemorySource] = ()) -> list[Memory]:
        with self.database.reading() as connection:
            return search.recent_events(connection, scope, limit, sources)

    def load(self, scope: MemoryScope, seqs: Collection[int]) -> dict[int, Memory]:
        with self.database.reading() as connection:
            return search.load(connection, scope, seqs)

    def with_words(self, scope: MemoryScope, words: Sequence[str], limit: int) -> dict[str, list[int]]:
        with self.database.reading() as connection:
            return search.events_with_words(connection, scope, words, limit)

    def reply_chain(self, scope: MemoryScope, seq: int, depth: int) -> list[int]:
        with self.database.reading() as connection:
            return search.reply_chain(connection, scope, seq, depth)

    def linked(self, scope: MemoryScope, seqs: Collection[int], limit: int, of: Of = "event") -> list[MemoryLink]:
        with self.database.reading() as connection:
            return search.load_links(connection, scope, seqs, limit, of)

    def of_entities(self, scope: MemoryScope, names: Collection[str], limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.events_with_mark(connection, scope, intake.ENTITY, names, limit)

    def in_threads(self, scope: MemoryScope, threads: Collection[str], limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.events_with_mark(connection, scope, intake.THREAD, threads, limit)

    def about(self, scope: MemoryScope, about: AboutTime, limit: int, per_bucket: int) -> list[int]:
        with self.database.reading() as connection:
            return search.about(connection, scope, about, limit, per_bucket)

    def during(self, scope: MemoryScope, start: datetime, end: datetime, limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.events_during(connection, scope, start, end, limit)

    def affects(self, scope: MemoryScope, limit: int) -> list[Affect]:
        with self.database.reading() as connection:
            return search.affects(connection, scope, limit)

    def affects_of(self, scope: MemoryScope, seqs: Collection[int]) -> dict[int, Affect]:
        with self.database.reading() as connection:
            return search.affects_of(connection, scope, seqs)

    # --- items -------------------------------------------------------------------------------------------------------

    def revisions(self, scope: MemoryScope, after: int = 0) -> list[Revision]:
        """What a fold needs: of each item that changed after a revision the newest one, oldest first."""
        with self.database.reading() as connection:
            return items.newest(connection, scope, after)

    def history(self, scope: MemoryScope, item: int) -> list[Revision]:
        """Everything an item has been, oldest first."""
        with self.database.reading() as connection:
            return items.history(connection, scope, item)

    def newest_revision(self, scope: MemoryScope) -> int:
        with self.database.reading() as connection:
            return items.newest_id(connection, scope)

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
                and (one.work is None or bookkeeping.settle(connection, one.work, "done", None))
                else ()
                for one in entries
            ]

    # --- runs, work, the board ---------------------------------------------------------------------------------------

    def record_run(self, scope: MemoryScope, seq: int, run: RetrievalRun) -> int:
        with self.database.writing() as connection:
            return bookkeeping.record(connection, scope, seq, run)

    def runs(self, scope: MemoryScope, limit: int) -> list[RetrievalRun]:
        with self.database.reading() as connection:
            return bookkeeping.newest(connection, scope, limit)

    def pending(self, ghost: int | None, limit: int, now: datetime, kind: WorkKind | None = None) -> list[MemoryWork]:
        """Work to do, held for the caller alone until its lease is up."""
        with self.database.writing() as connection:
            return bookkeeping.claim(connection, ghost, kind, limit, now)

    def queued(self, ghosts: Collection[int], limit: int, now: datetime, kind: WorkKind) -> list[MemoryWork]:
        """Work to do for some ghosts, oldest first, of which nobody is kept by looking."""
        with self.database.reading() as connection:
            return bookkeeping.queued_work(connection, ghosts, kind, limit, now)

    def settle(self, work: int, status: WorkOutcome, problem: str | None = None) -> None:
        with self.database.writing() as connection:
            bookkeeping.settle(connection, work, status, problem)

    def snapshot(self, scope: MemoryScope, seq: int, kind: SnapshotKind, board: dict[str, Any], at: datetime) -> None:
        with self.database.writing() as connection:
            bookkeeping.snapshot(connection, scope, seq, kind, board, at)

    def last_snapshot(self, scope: MemoryScope) -> dict[str, Any] | None:
        with self.database.reading() as connection:
            return bookkeeping.last_snapshot(connection, scope)

    # --- this moment -------------------------------------------------------------------------------------------------

    def talking(self, garden: str, branch: str, until: datetime | None) -> None:
        """Somebody talks here, at the latest until then; or (None) no longer."""
        with self.database.writing() as connection:
            bookkeeping.set_talking(connection, garden, branch, until)

    def move_clock(self, garden: str, branch: str, ahead: timedelta) -> None:
        """Let the clock of a line be so far ahead of the world's."""
        with self.database.writing() as connection:
            bookkeeping.move_clock(connection, garden, branch, ahead)

    def live(self, garden: str, branch: str, living: bool) -> None:
        """Let the persona of a line live by itself, or no longer."""
        with self.database.writing() as connection:
            bookkeeping.set_living(connection, garden, branch, living)

    def living(self) -> list[tuple[str, str]]:
        """Every line whose persona lives by itself, by garden and branch."""
        with self.database.reading() as connection:
            return bookkeeping.living(connection)

    def moment(self, garden: str, branch: str) -> LineStatus:
        with self.database.reading() as connection:
            return bookkeeping.line_status(connection, garden, branch)

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

    def vectors(self, ghost: int, embedder: str) -> Iterator[nearest.KeptVector]:
        return nearest.pages(self.database, ghost, embedder)

    def embedded(self, ghost: int) -> dict[str, tuple[int, int]]:
        """For each embedder how many vectors there are, and how many there would be if it had them all."""
        with self.database.reading() as connection:
            return nearest.counts(connection, ghost)

    def finds_nearest(self) -> bool:
        """Whether the database itself finds nearest vectors."""
        with self.database.reading() as connection:
            return nearest.is_available(connection)

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
        """Purge events from one ghost's memory; from a chat, whose history is nobody else's, out of the journal too.

        The journal comes first: should anything fail, memory still knows what to forget when it is asked again."""
        is_chat = self.journal.garden(garden).settings.get("kind") == CHAT
        purge = self.journal.forget(garden, seqs) if is_chat else None
        with self.database.writing() as connection:
            take(connection, 0, IDS)
            gone = forget.forget(connection, scope.ghost, seqs)
        left = forget.scrub(self.database)
        copies, stayed = remove_copies(self.database)
        told = {"rows": purge.rows, "calls": purge.calls} if purge else {}
        return gone.model_copy(update={**told, "copies": copies, "traces": left or stayed})

    def stats(self, scope: MemoryScope) -> MemoryStats:
        with self.database.moment() as connection:
            return stats(connection, scope)
