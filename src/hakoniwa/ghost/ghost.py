"""Ghost: one persona's memory and inner life, on one line of play."""

from datetime import datetime

from hakoniwa.ghost.blackboard import Blackboard, recovered, snapshot, snapshot_due
from hakoniwa.ghost.embedding import Embedder
from hakoniwa.ghost.embedding.index import Index
from hakoniwa.ghost.inner import Inner, fold
from hakoniwa.ghost.memory import Revision
from hakoniwa.ghost.persona import Persona
from hakoniwa.ghost.store import Line, Memories, Scope, SnapshotKind, Writing


class Ghost:
    """Who remembers, what they hold just now, and where it is kept. `scope` says how far their memory reaches."""

    def __init__(
        self,
        memories: Memories,
        garden: str,
        branch: str,
        who: str,
        persona: Persona,
        embedder: Embedder | None = None,
        index: Index | None = None,
        head: int | None = None,
    ) -> None:
        self.memories, self.garden, self.branch, self.who = memories, garden, branch, who
        self.persona, self.embedder, self.index = persona, embedder, index
        self.number = memories.ghost(garden, who)
        self.scope = Scope(ghost=self.number, line=Line(spans=()))
        self.inner, self.board = Inner(), Blackboard()
        self._revised: dict[int, int] = {}
        self._newest, self.purges = 0, memories.purges()
        self.refresh(head)

    @property
    def newest(self) -> int | None:
        """The row up to which memory reaches; None before the first."""
        return self.scope.line.spans[0][1] if self.scope.line.spans else None

    def refresh(self, head: int | None) -> None:
        """Look along the line that ends at a head."""
        self.look_along(self.memories.line(self.garden, head))

    def look_along(self, line: Line) -> None:
        """Remember what lies on a line; what is held is read again where it may have changed."""
        self._keep_nothing_purged()
        scope = Scope(ghost=self.number, line=line)
        newest = self.memories.newest_revision(scope)
        if newest != self._newest or not _goes_on(self.scope.line, scope.line):
            self._fold(scope, newest)
        self.scope = scope

    def _keep_nothing_purged(self) -> None:
        """After a purge hold nothing in mind that was read before it; whose boards went, for them it begins anew."""
        purges = self.memories.purges()
        if purges != self.purges:
            self._newest, self.purges = 0, purges
            if self.memories.last_snapshot(self.scope) is None:
                self.board = Blackboard()

    def apply(self, seq: int, writing: Writing, done: int | None = None) -> tuple[Revision, ...]:
        """Write what an event changed, and settle the work it came from, in one transaction; hold it from now on."""
        written = self.memories.write(self.scope, seq, writing, done)
        self.take_up()
        return written

    def take_up(self) -> None:
        """Hold what has been written along this line."""
        self._fold(self.scope, self.memories.newest_revision(self.scope))

    def state_of(self, revision: int) -> int | None:
        """The state whose newest revision this is, if it is still held."""
        item = self._revised.get(revision)
        return item if item in self.inner.states else None

    def _fold(self, scope: Scope, newest: int) -> None:
        """Read what is new where the line only went on, and everything where it did not."""
        on = newest > self._newest > 0 and _goes_on(self.scope.line, scope.line)
        revisions = self.memories.revisions(scope, self._newest if on else 0)
        self.inner = fold(revisions, self.inner if on else None)
        revised = {**(self._revised if on else {}), **{one.id: one.item for one in revisions}}
        last = {item: id for id, item in sorted(revised.items())}
        self._revised = {id: item for item, id in last.items()}
        self._newest = newest

    # --- the board ---------------------------------------------------------------------------------------------------

    def wake(self, now: datetime) -> None:
        """Take the board up where the last run left it."""
        self.board = recovered(self.memories.last_snapshot(self.scope), now)
        self._write_board("startup_recovered", now)

    def note(self, now: datetime) -> None:
        """Write the board down if it is time to."""
        if snapshot_due(self.board, now):
            self._write_board("periodic", now)

    def rest(self, now: datetime) -> None:
        """Write the board down at the end of a run."""
        self._write_board("shutdown", now)

    def _write_board(self, kind: SnapshotKind, now: datetime) -> None:
        self._keep_nothing_purged()
        if self.newest is not None:
            self.board, kept = snapshot(self.board, now)
            self.memories.snapshot(self.scope, self.newest, kind, kept, now)


def _goes_on(before: Line, after: Line) -> bool:
    """Whether a line is another one continued: the same spans, of which only the newest may have grown."""
    if not before.spans or not after.spans:
        return before.spans == after.spans
    (start, upto), (new_start, new_upto) = before.spans[0], after.spans[0]
    return start == new_start and upto <= new_upto and before.spans[1:] == after.spans[1:]
