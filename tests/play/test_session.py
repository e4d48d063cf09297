"""Gardens at play: one transaction a turn, rewinding, forking, resuming, and a fold that equals what was lived."""

import asyncio
import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.app import resumed_session
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.play.session import Session
from hakoniwa.play.standing import GardenState, changes_world
from hakoniwa.play.state_hash import verify
from hakoniwa.stage.scenario import shipped_scenarios
from hakoniwa.stage.world import problems
from hakoniwa.turn import Event
from tests.gardens import export, garden_of, opened, played, shipped_garden

QUICK = ("treasure_chest", "tea_room", "detective_office", "three_voices")


class CountingJournal(MemoryJournal):
    """Keeps the size of every transaction."""

    def __init__(self) -> None:
        super().__init__()
        self.transactions: list[list[str]] = []

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        rows = super().append(garden, branch, events, after)
        self.transactions.append([event.kind for event in events])
        return rows


def stand(session: Session) -> dict[str, Any]:
    """Everything that follows from the journal."""
    standing = session.standing
    return {
        "world": standing.world.model_dump(),
        "beliefs": standing.beliefs,
        "minds": standing.minds,
        "recent": standing.recent,
        "urges": standing.urges,
        "processes": standing.processes,
        "rung": standing.rung,
        "still": standing.still,
        "turns": standing.turns,
        "next": session.speaker(),
        "history": standing.history.recent,
        "ended": standing.ended,
    }


# --- one transaction a turn -----------------------------------------------------------------------------------------


def test_a_turn_and_all_that_follows_is_one_transaction() -> None:
    journal = CountingJournal()
    session = opened(shipped_garden("detective_office", 3), journal)

    turns = played(session, 20)
    session.close()

    opening, *others = journal.transactions
    assert opening == ["opening"]
    assert len(others) == len(turns) == 20
    assert all(kinds[:2] == ["turn", "clock"] for kinds in others)
    assert all({*kinds[2:]} <= {"status", "process", "incident", "end"} for kinds in others)


def test_every_transaction_ends_with_the_hash_of_the_world_it_leaves() -> None:
    session = opened(shipped_garden("tea_room", 2))
    played(session, 8)
    session.close()

    assert session.rows[-1].event.state_hash == session.world.hash
    assert verify(session.journal, session.garden.id) == []
    hashed = [row.event.turn for row in session.rows if row.event.state_hash]
    assert hashed == list(range(9))


def test_events_say_where_they_come_from_and_who_was_there() -> None:
    session = opened(shipped_garden("detective_office", 1))
    played(session, 12)
    session.close()

    turns = [row.event for row in session.rows if row.event.kind == "turn"]
    assert {event.origin for event in turns} == {"actor:レイモンド", "actor:助手"}
    assert all(event.origin.removeprefix("actor:") in event.witnesses for event in turns)
    assert all(row.event.origin == "gm" for row in session.rows if row.event.kind in ("clock", "process", "incident"))


# --- undo -----------------------------------------------------------------------------------------------------------


@settings(max_examples=8)
@given(st.integers(1, 10), st.sampled_from(QUICK))
def test_undoing_turns_restores_the_recorded_world(back: int, name: str) -> None:
    session = opened(shipped_garden(name, 5))
    turns = played(session, 10)
    recorded = {row.event.turn: row.event.state_hash for row in session.rows if row.event.state_hash}
    kept = len(turns) - min(back, len(turns))

    stands_at = asyncio.run(session.undo(len(turns) - kept))

    assert (stands_at, session.world.hash) == (kept, recorded[kept])
    assert len(session.standing.turns) == kept
    again = Session(session.journal, session.garden, BuiltinMind())
    assert stand(again) == stand(session)
    assert {row.event.turn for row in session.journal.since(0)} == {*range(len(turns) + 1)}
    session.close()
    again.close()


@pytest.mark.parametrize("turns", [0, -1, 6, 100])
def test_no_more_can_be_undone_than_was_played(turns: int) -> None:
    session = opened(shipped_garden("treasure_chest", 1))
    played(session, 5)

    with pytest.raises(UsageError) as caught:
        asyncio.run(session.undo(turns))
    session.close()
    assert (caught.value.key, caught.value.details) == ("play.cannot-undo", {"wanted": turns, "played": 5})


def test_after_an_undo_the_garden_goes_on_and_its_journal_adds_up() -> None:
    session = opened(shipped_garden("detective_office", 4))
    played(session, 9)
    asyncio.run(session.undo(3))
    played(session, 6)
    asyncio.run(session.undo(2))

    more = played(session, 4)
    session.close()

    assert [turn.number for turn in session.standing.turns] == list(range(1, 15))
    assert more[-1].number == 14
    assert verify(session.journal, session.garden.id) == []


def test_what_is_folded_anew_is_folded_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(shipped_garden("tea_room", 3))
    played(session, 12)
    on_loop: list[str] = []
    absorb = GardenState.absorb

    def noted(self: GardenState, event: Event, *more: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            on_loop.append(event.kind)
        absorb(self, event, *more)

    monkeypatch.setattr(GardenState, "absorb", noted)
    asyncio.run(session.follow())
    asyncio.run(session.undo(2))
    assert on_loop == ["undo"]
    assert session.world.time.turn == 10


def test_a_garden_that_had_ended_can_be_taken_back_and_played_again() -> None:
    session = opened(garden_of(*goal_garden(), goal={"holding": "笛", "told": "笛は見つかった。"}))
    played(session, 10)
    assert session.standing.ended == "goal"

    asyncio.run(session.undo(1))

    assert session.standing.ended is None
    session.close()


# --- fork -----------------------------------------------------------------------------------------------------------


def test_branches_go_their_own_ways_and_share_what_went_before() -> None:
    session = opened(shipped_garden("detective_office", 6))
    played(session, 6)
    trunk = export(session)

    asyncio.run(session.fork("もしも"))
    played(session, 5)
    branch = export(session)
    main = resumed_session(session.journal, session.garden.id)
    assert export(main) == trunk
    played(main, 5)

    assert branch[: len(trunk)] == export(main)[: len(trunk)] == trunk
    assert export(session) == branch
    assert [one.name for one in session.journal.branches(session.garden.id)] == ["main", "もしも"]
    assert verify(session.journal, session.garden.id) == []
    session.close()
    main.close()


def test_a_branch_that_is_not_there_cannot_be_resumed() -> None:
    session = opened(shipped_garden("treasure_chest", 1))
    session.close()

    with pytest.raises(UnknownName):
        resumed_session(session.journal, session.garden.id, "nowhere")


# --- resume and fold ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUICK)
def test_a_garden_that_was_stopped_goes_on_as_if_it_had_not_been(name: str) -> None:
    whole = opened(shipped_garden(name, 7))
    played(whole, 16)

    first = opened(shipped_garden(name, 7))
    played(first, 7)
    first.close()
    second = resumed_session(first.journal, first.garden.id)
    played(second, 16 - len(first.standing.turns))

    assert export(second) == export(whole)
    whole.close()
    second.close()


def test_it_makes_no_difference_what_the_journal_is_kept_in(tmp_path: Path) -> None:
    kept: list[Journal] = [MemoryJournal(), open_journal(f"sqlite:///{tmp_path / 'garden.db'}")]
    exports = []
    for journal in kept:
        session = opened(shipped_garden("detective_office", 2), journal)
        played(session, 6)
        session.close()
        again = resumed_session(journal, session.garden.id)
        played(again, 6)
        exports.append(export(again))
        again.close()
        journal.close()

    assert exports[0] == exports[1]


@settings(max_examples=8)
@given(st.sampled_from(sorted({*shipped_scenarios()} - {"kitchen_morning"})), st.integers(0, 1000), st.integers(1, 10))
def test_the_fold_of_the_journal_is_what_was_lived(name: str, seed: int, turns: int) -> None:
    live = opened(shipped_garden(name, seed))
    played(live, turns)

    folded = Session(live.journal, live.garden, BuiltinMind())

    assert stand(folded) == stand(live)
    assert problems(live.world) == []
    live.close()
    folded.close()


def test_another_seed_gives_another_journal() -> None:
    def digest(seed: int) -> str:
        session = opened(shipped_garden("tea_room", seed))
        played(session, 10)
        session.close()
        return hashlib.sha256("\n".join(export(session)).encode()).hexdigest()

    assert len({digest(seed) for seed in range(4)}) > 1


# --- what happens by itself -----------------------------------------------------------------------------------------


def goal_garden() -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    world = {
        "location": {"current": "縁台"},
        "locations": {"縁台": {}},
        "characters": {"陸": {"location": "縁台"}},
        "props": {"箱": {"location": "縁台", "container": True, "state": ["closed"]}, "笛": {"inside": "箱"}},
    }
    desire = {"name": "笛がほしい", "kind": "gain", "urgency": 1, "goal": {"holding": "笛"}}
    return world, {"陸": {"desires": [desire], "personality": {"conscientiousness": 0.1}}}


def test_a_garden_of_one_plays_and_its_goal_ends_it() -> None:
    world, sheets = goal_garden()
    session = opened(garden_of(world, sheets, goal={"holding": "笛", "told": "笛は見つかった。"}))

    turns = played(session, 30)
    session.close()

    assert {turn.speaker for turn in turns} == {"陸"}
    assert len(turns) < 30
    assert session.rows[-1].event.kind == "end"
    assert session.rows[-1].event.payload == {"reason": "goal", "text": "笛は見つかった。"}
    assert session.world.props["笛"].held_by == "陸"


def test_what_was_set_going_is_finished_when_it_is_due() -> None:
    brew = {
        "verb": "淹れる", "needs": ["off"], "becomes": ["on"],
        "after": {"turns": 3, "becomes": ["off"], "makes": {"番茶": {"edible": True}}, "told": "{what}が鳴いた。"},
    }  # fmt: skip
    world = {
        "location": {"current": "縁台"},
        "locations": {"縁台": {}},
        "characters": {"陸": {"location": "縁台"}},
        "props": {"薬缶": {"location": "縁台", "fixed": True, "state": ["off"], "affordances": [brew]}},
    }
    drink = {"did": {"verb": "DRINK", "target": "番茶"}}
    thirst = {"name": "番茶", "kind": "body", "urgency": 1, "once": True, "goal": drink}
    session = opened(garden_of(world, {"陸": {"desires": [thirst]}}))

    turns = played(session, 12)
    session.close()

    started = next(turn.number for turn in turns if ("BREW", "薬缶") in turn.deeds)
    (done,) = [row.event for row in session.rows if row.event.kind == "process"]
    assert (done.turn, done.payload["text"]) == (started + 2, "薬缶が鳴いた。")
    assert any(("DRINK", "番茶") in turn.deeds and turn.number > started + 2 for turn in turns)
    assert (session.world.props["薬缶"].state, "番茶" in session.world.props) == (("off",), False)


def bell(**incident: Any) -> dict[str, Any]:
    urge = {"name": "鐘だ", "kind": "duty", "strength": 1, "urgency": 1, "once": True, "goal": {"seen": "鐘"}}
    delta = [{"op": "add", "path": "/props/号外", "value": {"location": "縁台"}}]
    return {"id": "bell", "text": "鐘が鳴った。", "delta": delta, "urges": [urge], **incident}


def test_when_nothing_moves_an_incident_happens_and_its_delta_is_real() -> None:
    world, _ = goal_garden()
    session = opened(garden_of(world, {}, still_turns=4, incidents=[bell()]))

    played(session, 9)
    session.close()

    (rung,) = [row.event for row in session.rows if row.event.kind == "incident"]
    assert (rung.turn, rung.payload["id"], rung.witnesses) == (4, "bell", ("陸",))
    assert "号外" in session.world.props
    assert "鐘が鳴った。" in session.world.events


def test_an_incident_may_come_unasked_and_raises_urges_in_those_who_perceive_it() -> None:
    world, _ = goal_garden()
    session = opened(garden_of(world, {}, incidents=[bell(chance=1.0, once=True)]))

    turns = played(session, 3)
    session.close()

    assert [row.event.turn for row in session.rows if row.event.kind == "incident"] == [1]
    assert "鐘だ" in [one.desire for one in turns[1].thought.desires]


@pytest.mark.parametrize("when", [{"after_turn": 99}, {"label": ["夜"]}, {"state": {"箱": "open"}}, {"at": "蔵"}])
def test_an_incident_waits_for_its_condition(when: dict[str, Any]) -> None:
    world, _ = goal_garden()
    session = opened(garden_of(world, {}, still_turns=2, incidents=[bell(chance=1.0, when=when)]))

    played(session, 6)
    session.close()

    assert [row.event for row in session.rows if row.event.kind == "incident"] == []


def test_the_clock_and_the_time_of_day_go_on() -> None:
    world, _ = goal_garden()
    world["time"] = {"label": "昼", "clock": "15:30"}
    session = opened(garden_of(world, {}, minutes_per_turn=20))

    played(session, 3)
    session.close()

    assert (session.world.time.clock, session.world.time.label, session.world.time.turn) == ("16:30", "夕方", 3)


# --- the shipped scenarios ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped_scenarios())
def test_every_shipped_scenario_plays_and_its_world_moves(name: str) -> None:
    session = opened(shipped_garden(name, 1))

    turns = played(session, 40)
    session.close()

    moving = sum(changes_world(row.event) for row in session.rows if row.event.kind == "turn")
    assert len(turns) == 40 or session.standing.ended
    # stall_induced is there to stand still: only its incidents are to move it.
    assert moving >= (3 if name == "stall_induced" else len(turns) / 3)
    assert problems(session.world) == []
    assert verify(session.journal, session.garden.id) == []


def test_the_whole_cast_takes_its_turns() -> None:
    session = opened(shipped_garden("three_voices", 1))

    turns = played(session, 15)
    session.close()

    assert {turn.speaker for turn in turns} == {*session.cast}
