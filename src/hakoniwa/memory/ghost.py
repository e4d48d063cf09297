"""Ghost: one persona's memory and inner life on one line of play, and the blackboard of what it is in the middle of."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from hakoniwa.memory.embedding import Embedder
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.store import Memories, MemoryScope, MemoryWriting, SnapshotKind, VisibleRows
from hakoniwa.memory.words import words
from hakoniwa.persona.action import ActionResult
from hakoniwa.persona.inner import InnerState, fold
from hakoniwa.persona.interest import MOST_TARGETS, AttentionTarget, blend_targets, fade_targets
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import MemorySource, Revision
from hakoniwa.turn import Value

SNAPSHOT_EVERY = timedelta(seconds=30)
MOST_OWN_WORDS = 32


class Blackboard(Value):
    """Intents under way, what has attention, and how many triggers and intents stand where.

    `interrupted_intent_ids` are those that were under way when the last run ended, until somebody takes them up."""

    active_intent_ids: tuple[int, ...] = ()
    attention_targets: tuple[AttentionTarget, ...] = Field(default=(), max_length=MOST_TARGETS)
    trigger_counts: dict[str, int] = {}
    intent_counts: dict[str, int] = {}
    interrupted_intent_ids: tuple[int, ...] = ()
    recovered_at: datetime | None = None
    snapshot_at: datetime | None = None
    attended_at: datetime | None = None
    updated_at: datetime | None = None


def begin_intent(board: Blackboard, intent: int, now: datetime) -> Blackboard:
    """The board once an intent is under way."""
    active = tuple(dict.fromkeys((*board.active_intent_ids, intent)))
    rest = tuple(one for one in board.interrupted_intent_ids if one != intent)
    return _update_board(board, now, active_intent_ids=active, interrupted_intent_ids=rest)


def end_intent(board: Blackboard, intent: int, now: datetime) -> Blackboard:
    """The board once an intent is over, however it went."""
    active = tuple(one for one in board.active_intent_ids if one != intent)
    rest = tuple(one for one in board.interrupted_intent_ids if one != intent)
    return _update_board(board, now, active_intent_ids=active, interrupted_intent_ids=rest)


def draw_attention(board: Blackboard, targets: Iterable[AttentionTarget], now: datetime) -> Blackboard:
    """The board after something drew attention; what had it before fades."""
    before = fade_targets(board.attention_targets, board.attended_at, now)
    return _update_board(board, now, attention_targets=blend_targets(before, targets), attended_at=now)


def record_result(
    board: Blackboard,
    action_type: str,
    result: ActionResult,
    now: datetime,
    goal: int | None = None,
    source: MemorySource = MemorySource.ACTION_RESULT,
) -> Blackboard:
    """The board after an act came to something; a failure draws less attention."""
    failed = result.result_status == "failed"
    weights = [
        ("action_type", action_type, 0.75 if failed else 0.95),
        ("capability", result.capability_name, 0.6 if failed else 0.8),
        ("event_source", source, 0.4),
        *([] if goal is None else [("goal_id", str(goal), 0.7 if failed else 1.0)]),
    ]
    targets = [
        AttentionTarget(type=type, value=value, weight=weight, updated_at=now) for type, value, weight in weights
    ]
    return draw_attention(board, targets, now)


# --- snapshots --------------------------------------------------------------------------------------------------------


def snapshot_due(board: Blackboard, now: datetime) -> bool:
    """Whether the board has changed, and was last written down long enough ago."""
    if board.updated_at is None or (board.snapshot_at is not None and board.updated_at <= board.snapshot_at):
        return False
    return board.snapshot_at is None or now - board.snapshot_at >= SNAPSHOT_EVERY


def take_snapshot(board: Blackboard, now: datetime) -> tuple[Blackboard, dict[str, Any]]:
    """The board as it is written down, and the board that knows it was."""
    kept = board.model_copy(update={"snapshot_at": now})
    return kept, kept.model_dump(mode="json")


def recover_board(kept: Mapping[str, Any] | None, now: datetime) -> Blackboard:
    """The board at the start of a run: what was under way when the last one ended is marked as interrupted."""
    if kept is None:
        return Blackboard(updated_at=now)
    board = Blackboard.model_validate(kept)
    under_way = tuple(dict.fromkeys((*board.interrupted_intent_ids, *board.active_intent_ids)))
    return _update_board(board, now, active_intent_ids=(), interrupted_intent_ids=under_way, recovered_at=now)


def _update_board(board: Blackboard, now: datetime, **changes: Any) -> Blackboard:
    return board.model_copy(update={**changes, "updated_at": now})


def _own_words(persona: Persona) -> list[str]:
    """What its lasting wants and its sheet speak of, as memory files words; what it is called sets nothing apart."""
    wants, called = " ".join(one.name for one in persona.desires), set(words(persona.name, persona.language))
    spoken = words(f"{wants}\n{persona.persona_text}", persona.language)
    return [word for word in spoken if word not in called][:MOST_OWN_WORDS]


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
        index: VectorIndex | None = None,
        head: int | None = None,
    ) -> None:
        self.memories, self.garden, self.branch, self.who = memories, garden, branch, who
        self.persona, self.embedder, self.index = persona, embedder, index
        self.own_words = _own_words(persona)
        self.number = memories.ghost(garden, who)
        self.scope = MemoryScope(ghost=self.number, line=VisibleRows(spans=()))
        self.inner, self.board = InnerState(), Blackboard()
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

    def look_along(self, line: VisibleRows) -> None:
        """Remember what lies on a line; what is held is read again where it may have changed."""
        self._keep_nothing_purged()
        scope = MemoryScope(ghost=self.number, line=line)
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

    def apply(self, seq: int, writing: MemoryWriting, done: int | None = None) -> tuple[Revision, ...]:
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

    def _fold(self, scope: MemoryScope, newest: int) -> None:
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
        self.board = recover_board(self.memories.last_snapshot(self.scope), now)
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
            self.board, kept = take_snapshot(self.board, now)
            self.memories.snapshot(self.scope, self.newest, kind, kept, now)


def _goes_on(before: VisibleRows, after: VisibleRows) -> bool:
    """Whether a line is another one continued: the same spans, of which only the newest may have grown."""
    if not before.spans or not after.spans:
        return before.spans == after.spans
    (start, upto), (new_start, new_upto) = before.spans[0], after.spans[0]
    return start == new_start and upto <= new_upto and before.spans[1:] == after.spans[1:]
