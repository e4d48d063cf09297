"""Memories: the one door to everything that ghosts remember. One method, one transaction."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from hakoniwa.ghost.memory import AboutTime, Affect, Link, Memory, Remembered, Revision, Source
from hakoniwa.ghost.store import forget, intake, items, lines, moments, nearest, runs, search, vectors, works
from hakoniwa.ghost.store.stats import stats
from hakoniwa.ghost.store.values import (
    Entry,
    Forgotten,
    Line,
    Moment,
    Of,
    Outcome,
    Run,
    Scope,
    SnapshotKind,
    Stats,
    Work,
    WorkKind,
    Writing,
)
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.ghost_tables import IDS, PURGES
from hakoniwa.journal.keepsake import remove_copies
from hakoniwa.journal.queries import counted, take

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

    def line(self, garden: str, head: int | None) -> Line:
        """What can be seen from a head, which has been taken in; nothing from before the first row."""
        if head is None:
            return Line()
        with self.database.reading() as connection:
            span = lines.span_of(connection, head, garden)
            if span not in self._above:
                self._above[span] = lines.older(connection, span)
        return Line(spans=((span, head), *self._above[span]))

    def untaken(self, garden: str, rows: Sequence[Row]) -> Sequence[Row]:
        """Those rows of a lineage that memory has not taken in yet."""
        with self.database.reading() as connection:
            new = lines.untaken(connection, (row.seq for row in rows))
        return [row for row in rows if row.seq in new]

    def take_in(self, garden: str, lived: Sequence[tuple[Row, Mapping[str, Remembered]]]) -> None:
        """Remember rows, parents first, each as its witnesses lived through it; what was taken in before stays."""
        whole = [intake.lived(row, by) for row, by in lived]
        numbers = {who: self.ghost(garden, who) for one in whole for who in one.by}
        with self.database.writing() as connection:
            intake.take_in(connection, garden, whole, numbers)

    # --- searching ---------------------------------------------------------------------------------------------------

    def recent(self, scope: Scope, limit: int, sources: Collection[Source] = ()) -> list[Memory]:
        with self.database.reading() as connection:
            return search.recent(connection, scope, limit, sources)

    def load(self, scope: Scope, seqs: Collection[int]) -> dict[int, Memory]:
        with self.database.reading() as connection:
            return search.load(connection, scope, seqs)

    def with_words(self, scope: Scope, words: Sequence[str], limit: int) -> dict[str, list[int]]:
        with self.database.reading() as connection:
            return search.with_words(connection, scope, words, limit)

    def reply_chain(self, scope: Scope, seq: int, depth: int) -> list[int]:
        with self.database.reading() as connection:
            return search.reply_chain(connection, scope, seq, depth)

    def linked(self, scope: Scope, seqs: Collection[int], limit: int, of: Of = "event") -> list[Link]:
        with self.database.reading() as connection:
            return search.linked(connection, scope, seqs, limit, of)

    def of_entities(self, scope: Scope, names: Collection[str], limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.marked(connection, scope, intake.ENTITY, names, limit)

    def in_threads(self, scope: Scope, threads: Collection[str], limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.marked(connection, scope, intake.THREAD, threads, limit)

    def about(self, scope: Scope, about: AboutTime, limit: int, per_bucket: int) -> list[int]:
        with self.database.reading() as connection:
            return search.about(connection, scope, about, limit, per_bucket)

    def during(self, scope: Scope, start: datetime, end: datetime, limit: int) -> list[int]:
        with self.database.reading() as connection:
            return search.during(connection, scope, start, end, limit)

    def affects(self, scope: Scope, limit: int) -> list[Affect]:
        with self.database.reading() as connection:
            return search.affects(connection, scope, limit)

    def affects_of(self, scope: Scope, seqs: Collection[int]) -> dict[int, Affect]:
        with self.database.reading() as connection:
            return search.affects_of(connection, scope, seqs)

    # --- items -------------------------------------------------------------------------------------------------------

    def revisions(self, scope: Scope, after: int = 0) -> list[Revision]:
        """What a fold needs: of each item that changed after a revision the newest one, oldest first."""
        with self.database.reading() as connection:
            return items.newest(connection, scope, after)

    def history(self, scope: Scope, item: int) -> list[Revision]:
        """Everything an item has been, oldest first."""
        with self.database.reading() as connection:
            return items.history(connection, scope, item)

    def newest_revision(self, scope: Scope) -> int:
        with self.database.reading() as connection:
            return items.newest_id(connection, scope)

    def write(self, scope: Scope, seq: int, writing: Writing, done: int | None = None) -> tuple[Revision, ...]:
        """Write what came of an event, and settle the work it came from; nothing if somebody else has settled it."""
        return self.write_all([Entry(scope=scope, seq=seq, writing=writing, work=done)])[0]

    def write_all(self, entries: Sequence[Entry]) -> list[tuple[Revision, ...]]:
        """Write what came of events, and settle the work it came from; nothing of what somebody else has settled, or
        has forgotten meanwhile."""
        with self.database.writing() as connection:
            take(connection, 0, IDS)
            return [
                items.write(connection, one.scope, one.seq, one.writing)
                if not forget.purged(connection, one.seq)
                and (one.work is None or works.settle(connection, one.work, "done", None))
                else ()
                for one in entries
            ]

    # --- runs, work, the board ---------------------------------------------------------------------------------------

    def record_run(self, scope: Scope, seq: int, run: Run) -> int:
        with self.database.writing() as connection:
            return runs.record(connection, scope, seq, run)

    def runs(self, scope: Scope, limit: int) -> list[Run]:
        with self.database.reading() as connection:
            return runs.newest(connection, scope, limit)

    def pending(self, ghost: int | None, limit: int, now: datetime, kind: WorkKind | None = None) -> list[Work]:
        """Work to do, held for the caller alone until its lease is up."""
        with self.database.writing() as connection:
            return works.claim(connection, ghost, kind, limit, now)

    def queued(self, ghosts: Collection[int], limit: int, now: datetime, kind: WorkKind) -> list[Work]:
        """Work to do for some ghosts, oldest first, of which nobody is kept by looking."""
        with self.database.reading() as connection:
            return works.queued(connection, ghosts, kind, limit, now)

    def settle(self, work: int, status: Outcome, problem: str | None = None) -> None:
        with self.database.writing() as connection:
            works.settle(connection, work, status, problem)

    def snapshot(self, scope: Scope, seq: int, kind: SnapshotKind, board: dict[str, Any], at: datetime) -> None:
        with self.database.writing() as connection:
            runs.snapshot(connection, scope, seq, kind, board, at)

    def last_snapshot(self, scope: Scope) -> dict[str, Any] | None:
        with self.database.reading() as connection:
            return runs.last_snapshot(connection, scope)

    # --- this moment -------------------------------------------------------------------------------------------------

    def talking(self, garden: str, branch: str, until: datetime | None) -> None:
        """Somebody talks here, at the latest until then; or (None) no longer."""
        with self.database.writing() as connection:
            moments.talking(connection, garden, branch, until)

    def move_clock(self, garden: str, branch: str, ahead: timedelta) -> None:
        """Let the clock of a line be so far ahead of the world's."""
        with self.database.writing() as connection:
            moments.move_clock(connection, garden, branch, ahead)

    def live(self, garden: str, branch: str, living: bool) -> None:
        """Let the persona of a line live by itself, or no longer."""
        with self.database.writing() as connection:
            moments.live(connection, garden, branch, living)

    def living(self) -> list[tuple[str, str]]:
        """Every line whose persona lives by itself, by garden and branch."""
        with self.database.reading() as connection:
            return moments.living(connection)

    def moment(self, garden: str, branch: str) -> Moment:
        with self.database.reading() as connection:
            return moments.moment(connection, garden, branch)

    # --- vectors -----------------------------------------------------------------------------------------------------

    def to_embed(self, ghost: int, embedder: str, limit: int) -> list[tuple[Of, int, str]]:
        """Texts that still have no vector of that embedder: events by their seq, states by their newest revision."""
        after = self._embedded.get((ghost, embedder), 0)
        with self.database.reading() as connection:
            events = vectors.bare_events(connection, ghost, embedder, after, limit)
            states = vectors.bare_states(connection, ghost, embedder, limit - len(events))
        if events:
            self._embedded[ghost, embedder] = events[0][0] - 1
        return [*(("event", *one) for one in events), *(("state", *one) for one in states)]

    def put_vectors(self, ghost: int, embedder: str, made: Sequence[vectors.Kept]) -> None:
        with self.database.writing() as connection:
            kept = vectors.put(connection, ghost, embedder, made)
            if nearest.possible(connection):
                nearest.put(connection, ghost, embedder, kept)

    def drop_vectors(self, ghost: int, embedder: str) -> int:
        """Remove every vector of an embedder that is no longer asked."""
        self._embedded.pop((ghost, embedder), None)
        with self.database.writing() as connection:
            if nearest.possible(connection):
                nearest.drop(connection, ghost, embedder)
            return vectors.drop_all(connection, ghost, embedder)

    def vectors(self, ghost: int, embedder: str) -> Iterator[vectors.Kept]:
        return vectors.pages(self.database, ghost, embedder)

    def embedded(self, ghost: int) -> dict[str, tuple[int, int]]:
        """For each embedder how many vectors there are, and how many there would be if it had them all."""
        with self.database.reading() as connection:
            return vectors.counts(connection, ghost)

    def finds_nearest(self) -> bool:
        """Whether the database itself finds nearest vectors."""
        with self.database.reading() as connection:
            return nearest.possible(connection)

    def nearest(
        self, scope: Scope, embedder: str, vector: bytes, limit: int, since: datetime | None = None
    ) -> list[tuple[int, float]]:
        """The nearest events, on PostgreSQL with pgvector; elsewhere an index of our own answers."""
        with self.database.reading() as connection:
            made = nearest.made(connection, embedder)
        if not made:
            with self.database.writing() as connection:
                nearest.make(connection, embedder, len(vector) // 2)
        with self.database.reading() as connection:
            return nearest.find(connection, scope, embedder, vector, limit, since)

    # --- forgetting, and counting ------------------------------------------------------------------------------------

    def purges(self) -> int:
        """How many purges there were: who kept something in mind since before the last one must look again."""
        with self.database.reading() as connection:
            return counted(connection, PURGES)

    def forget(self, scope: Scope, garden: str, seqs: Collection[int]) -> Forgotten:
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

    def stats(self, scope: Scope) -> Stats:
        with self.database.moment() as connection:
            return stats(connection, scope)
