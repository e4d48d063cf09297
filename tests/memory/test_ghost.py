"""A ghost: what it holds follows the line of play and whoever writes; its board survives a restart."""

from datetime import UTC, datetime, timedelta

import pytest

from hakoniwa.memory.ghost import Ghost, begin_intent
from hakoniwa.memory.store import Memories, MemoryWriting
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.records import PersonaState, Preference, Revision, StateKind
from tests.memory.living import Cares, Past, ghost_of, lived, somebody

NOW = datetime(2025, 11, 12, 6, 0, tzinfo=UTC)
PAST = [Past(f"{count}日目", NOW - timedelta(days=9 - count)) for count in range(1, 6)]


@pytest.fixture
def memories() -> Memories:
    return lived(PAST, "ミナ")[0]


def at(memories: Memories, head: int) -> Ghost:
    return ghost_of(memories, head, Cares(somebody()), NOW)


def liking(subject: str, item: int = 0) -> Revision:
    one = Preference(domain="topic", polarity="like", subject=subject, status="confirmed")
    return Revision(item=item, kind="preference", after=one.model_dump(mode="json"), at=NOW)


def fact(words: str, item: int = 0) -> Revision:
    one = PersonaState(kind=StateKind.FACT, body_text=Generated(words), last_confirmed_at=NOW)
    return Revision(item=item, kind="state", after=one.model_dump(mode="json"), at=NOW)


def likes(ghost: Ghost) -> set[str]:
    return {one["subject"] for one in ghost.inner.confirmed_preferences["topic"]["like"]}


def test_what_is_written_is_held_at_once(memories: Memories) -> None:
    ghost = at(memories, 5)
    (made,) = ghost.apply(5, MemoryWriting(revisions=(liking("花"),)))
    assert likes(ghost) == {"花"}
    ghost.apply(5, MemoryWriting(revisions=(liking("星", made.item),)))
    assert likes(ghost) == {"星"}


def test_what_somebody_else_wrote_is_held_after_a_look(memories: Memories) -> None:
    ghost, other = at(memories, 5), at(memories, 5)
    other.apply(5, MemoryWriting(revisions=(liking("花"),)))
    assert likes(ghost) == set()
    ghost.refresh(5)
    assert likes(ghost) == {"花"}


def test_what_was_held_later_is_not_held_further_back(memories: Memories) -> None:
    ghost = at(memories, 5)
    ghost.apply(2, MemoryWriting(revisions=(liking("花"),)))
    ghost.apply(4, MemoryWriting(revisions=(liking("星"),)))
    for head, held in ((3, {"花"}), (5, {"花", "星"}), (1, set()), (None, set()), (4, {"花", "星"})):
        ghost.refresh(head)
        assert likes(ghost) == held, head


def test_a_state_is_known_by_its_newest_revision(memories: Memories) -> None:
    ghost = at(memories, 5)
    (first,) = ghost.apply(5, MemoryWriting(revisions=(fact("猫がいる"),)))
    (second,) = ghost.apply(5, MemoryWriting(revisions=(fact("猫が二匹いる", first.item),)))
    fresh = at(memories, 5)
    for one in (ghost, fresh):
        assert one.state_of(second.id) == first.item
        assert one.state_of(first.id) is None
    ghost.apply(5, MemoryWriting(revisions=(second.model_copy(update={"id": 0, "after": None}),)))
    assert ghost.state_of(second.id) is None


def test_nothing_is_read_again_while_nothing_changed(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    ghost = at(memories, 3)
    ghost.apply(3, MemoryWriting(revisions=(liking("花"),)))
    before = ghost.inner
    monkeypatch.setattr(memories, "revisions", lambda *_: pytest.fail("there was nothing to read"))
    ghost.refresh(5)
    assert ghost.inner is before
    assert ghost.newest == 5


def test_a_board_is_taken_up_where_the_last_run_left_it(memories: Memories) -> None:
    ghost = at(memories, 5)
    ghost.wake(NOW)
    ghost.board = begin_intent(ghost.board, 7, NOW + timedelta(seconds=31))
    ghost.note(NOW + timedelta(seconds=31))
    again = at(memories, 5)
    again.wake(NOW + timedelta(minutes=5))
    assert (again.board.active_intent_ids, again.board.interrupted_intent_ids) == ((), (7,))


def test_a_board_is_not_written_all_the_time(memories: Memories) -> None:
    ghost = at(memories, 5)
    ghost.wake(NOW)
    ghost.board = begin_intent(ghost.board, 7, NOW + timedelta(seconds=5))
    ghost.note(NOW + timedelta(seconds=5))
    kept = memories.last_snapshot(ghost.scope)
    assert kept is not None
    assert kept["active_intent_ids"] == []
    ghost.rest(NOW + timedelta(seconds=6))
    kept = memories.last_snapshot(ghost.scope)
    assert kept is not None
    assert kept["active_intent_ids"] == [7]
