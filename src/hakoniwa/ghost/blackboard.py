"""Blackboard: what a persona is in the middle of. It lives in memory, and a snapshot of it survives a crash."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from hakoniwa.ghost.action import ActionResult
from hakoniwa.ghost.interest import MOST_TARGETS, Target, blended, faded
from hakoniwa.ghost.memory import Source
from hakoniwa.turn import Value

SNAPSHOT_EVERY = timedelta(seconds=30)


class Blackboard(Value):
    """Intents under way, what has attention, and how many triggers and intents stand where.

    `interrupted_intent_ids` are those that were under way when the last run ended, until somebody takes them up."""

    active_intent_ids: tuple[int, ...] = ()
    attention_targets: tuple[Target, ...] = Field(default=(), max_length=MOST_TARGETS)
    trigger_counts: dict[str, int] = {}
    intent_counts: dict[str, int] = {}
    interrupted_intent_ids: tuple[int, ...] = ()
    recovered_at: datetime | None = None
    snapshot_at: datetime | None = None
    attended_at: datetime | None = None
    updated_at: datetime | None = None


def begun(board: Blackboard, intent: int, now: datetime) -> Blackboard:
    """The board once an intent is under way."""
    active = tuple(dict.fromkeys((*board.active_intent_ids, intent)))
    rest = tuple(one for one in board.interrupted_intent_ids if one != intent)
    return _at(board, now, active_intent_ids=active, interrupted_intent_ids=rest)


def ended(board: Blackboard, intent: int, now: datetime) -> Blackboard:
    """The board once an intent is over, however it went."""
    active = tuple(one for one in board.active_intent_ids if one != intent)
    rest = tuple(one for one in board.interrupted_intent_ids if one != intent)
    return _at(board, now, active_intent_ids=active, interrupted_intent_ids=rest)


def counted(board: Blackboard, triggers: Mapping[str, int], intents: Mapping[str, int], now: datetime) -> Blackboard:
    """The board with how many triggers and intents have which status."""
    return _at(board, now, trigger_counts=dict(triggers), intent_counts=dict(intents))


def attended(board: Blackboard, targets: Iterable[Target], now: datetime) -> Blackboard:
    """The board after something drew attention; what had it before fades."""
    before = faded(board.attention_targets, board.attended_at, now)
    return _at(board, now, attention_targets=blended(before, targets), attended_at=now)


def after_result(
    board: Blackboard,
    action_type: str,
    result: ActionResult,
    now: datetime,
    goal: int | None = None,
    source: Source = Source.ACTION_RESULT,
) -> Blackboard:
    """The board after an act came to something; a failure draws less attention."""
    failed = result.result_status == "failed"
    weights = [
        ("action_type", action_type, 0.75 if failed else 0.95),
        ("capability", result.capability_name, 0.6 if failed else 0.8),
        ("event_source", source, 0.4),
        *([] if goal is None else [("goal_id", str(goal), 0.7 if failed else 1.0)]),
    ]
    targets = [Target(type=type, value=value, weight=weight, updated_at=now) for type, value, weight in weights]
    return attended(board, targets, now)


# --- snapshots --------------------------------------------------------------------------------------------------------


def snapshot_due(board: Blackboard, now: datetime) -> bool:
    """Whether the board has changed, and was last written down long enough ago."""
    if board.updated_at is None or (board.snapshot_at is not None and board.updated_at <= board.snapshot_at):
        return False
    return board.snapshot_at is None or now - board.snapshot_at >= SNAPSHOT_EVERY


def snapshot(board: Blackboard, now: datetime) -> tuple[Blackboard, dict[str, Any]]:
    """The board as it is written down, and the board that knows it was."""
    kept = board.model_copy(update={"snapshot_at": now})
    return kept, kept.model_dump(mode="json")


def recovered(kept: Mapping[str, Any] | None, now: datetime) -> Blackboard:
    """The board at the start of a run: what was under way when the last one ended is marked as interrupted."""
    if kept is None:
        return Blackboard(updated_at=now)
    board = Blackboard.model_validate(kept)
    under_way = tuple(dict.fromkeys((*board.interrupted_intent_ids, *board.active_intent_ids)))
    return _at(board, now, active_intent_ids=(), interrupted_intent_ids=under_way, recovered_at=now)


def _at(board: Blackboard, now: datetime, **changes: Any) -> Blackboard:
    return board.model_copy(update={**changes, "updated_at": now})
