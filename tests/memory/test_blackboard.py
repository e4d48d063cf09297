"""Blackboard: what is under way, what has attention, and what survives a crash."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hakoniwa.memory.ghost import (
    Blackboard,
    begin_intent,
    draw_attention,
    end_intent,
    record_result,
    recover_board,
    snapshot_due,
    take_snapshot,
)
from hakoniwa.persona.action import ActionResult
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.interest import AttentionTarget

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)


def seconds(count: float) -> datetime:
    return NOON + timedelta(seconds=count)


def weights(board: Blackboard) -> dict[str, float]:
    return {f"{one.type}:{one.value}": pytest.approx(one.weight) for one in board.attention_targets}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("success", {"goal_id:3": 1.0, "action_type:web_research": 0.95, "capability:web_access": 0.8}),
        ("partial", {"goal_id:3": 1.0, "action_type:web_research": 0.95, "capability:web_access": 0.8}),
        ("failed", {"goal_id:3": 0.7, "action_type:web_research": 0.75, "capability:web_access": 0.6}),
    ],
)
def test_a_result_gains_attention(status: Any, expected: dict[str, float]) -> None:
    result = ActionResult(capability_name="web_access", result_status=status, summary_text=Generated("…"))
    board = record_result(Blackboard(), "web_research", result, NOON, goal=3)
    assert weights(board) == {**expected, "event_source:action_result": 0.4}
    assert "goal_id:3" not in weights(record_result(Blackboard(), "web_research", result, NOON))


def test_attention_fades_and_holds_twenty_four_things() -> None:
    many = [AttentionTarget(type="topic", value=str(n), weight=n / 100, updated_at=NOON) for n in range(1, 41)]
    board = draw_attention(Blackboard(), many, NOON)
    assert list(weights(board)) == [f"topic:{n}" for n in range(40, 16, -1)]
    board = end_intent(board, 1, NOON + timedelta(days=1))  # what is not about attention leaves its age alone
    assert weights(draw_attention(board, [], NOON + timedelta(days=3)))["topic:40"] == 0.2


def test_intents_come_and_go() -> None:
    board = begin_intent(begin_intent(begin_intent(Blackboard(), 1, NOON), 2, NOON), 1, NOON)
    assert board.active_intent_ids == (1, 2)
    assert end_intent(board, 1, NOON).active_intent_ids == (2,)


def test_a_snapshot_is_due_every_thirty_seconds_while_anything_changes() -> None:
    board = Blackboard()
    assert not snapshot_due(board, NOON)
    board = begin_intent(board, 1, NOON)
    assert snapshot_due(board, NOON)
    board, _ = take_snapshot(board, NOON)
    assert not snapshot_due(board, seconds(60))
    board = begin_intent(board, 2, seconds(10))
    assert not snapshot_due(board, seconds(29.9))
    assert snapshot_due(board, seconds(30))


def test_what_was_under_way_is_interrupted_after_a_crash_until_it_is_taken_up() -> None:
    target = AttentionTarget(type="topic", value="天気", weight=0.5, updated_at=NOON)
    _, kept = take_snapshot(
        draw_attention(begin_intent(begin_intent(Blackboard(), 1, NOON), 2, NOON), [target], NOON), NOON
    )

    board = recover_board(kept, seconds(90))
    assert (board.active_intent_ids, board.interrupted_intent_ids) == ((), (1, 2))
    assert (board.recovered_at, board.attention_targets) == (seconds(90), (target,))

    board = end_intent(begin_intent(board, 1, seconds(91)), 2, seconds(92))
    assert (board.active_intent_ids, board.interrupted_intent_ids) == ((1,), ())


def test_a_second_crash_forgets_no_interrupted_intent() -> None:
    _, kept = take_snapshot(begin_intent(Blackboard(interrupted_intent_ids=(1,)), 2, NOON), NOON)
    assert recover_board(kept, NOON).interrupted_intent_ids == (1, 2)


def test_the_first_run_starts_with_an_empty_board() -> None:
    assert recover_board(None, NOON) == Blackboard(updated_at=NOON)
