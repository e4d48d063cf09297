"""A garden from Python: the same as at the other doors, to loop over, to look into and to ask."""

import asyncio
import importlib.util
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from hakoniwa import Garden, Scenario
from hakoniwa.actor.view import CharacterView
from hakoniwa.app import new_session, scenario_at
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.library.records import KINDS
from hakoniwa.llm import Message
from hakoniwa.play.loop import play
from hakoniwa.settings import Settings


def played(garden: Garden, turns: int) -> list[str]:
    return [turn.take.performance.text for turn in garden.play(turns)]


def test_it_is_the_garden_that_a_session_plays() -> None:
    async def by_session() -> list[str]:
        session = new_session(MemoryJournal(), "kitchen_morning", 3)
        return [turn.take.performance.text async for turn in play(session, 6)]

    with Garden.open("kitchen_morning", seed=3) as garden:
        assert played(garden, 6) == asyncio.run(by_session())


def test_turns_come_in_an_asynchronous_program_too() -> None:
    async def both() -> list[list[int]]:
        async def numbers(garden: Garden) -> list[int]:
            return [turn.number async for turn in garden.play(3)]

        with Garden.open("kitchen_morning", seed=1) as one, Garden.open("tea_room", seed=1) as other:
            return await asyncio.gather(numbers(one), numbers(other))

    assert asyncio.run(both()) == [[1, 2, 3], [1, 2, 3]]


def test_a_fork_leaves_its_garden_as_it_is_and_goes_on_from_an_earlier_turn() -> None:
    with Garden.open("kitchen_morning", seed=3) as garden:
        lines = played(garden, 6)
        fork = garden.fork(at=2)
        assert (fork.turn, garden.turn) == (2, 6)
        list(fork.play(1))
        fork.close()
        assert [turn.take.performance.text for turn in garden.turns()] == lines
        assert [turn.number for turn in fork.turns()] == [1, 2, 3]


def test_what_one_does_is_judged_and_can_be_taken_back() -> None:
    with Garden.open("tea_room", seed=3) as garden:
        assert garden.act("Theo", "(takes the telescope)").take.ruling.denied_reason == "MISSING_OBJECT"
        garden.undo()
        turn = garden.act("Theo", "(GET: newspaper)")
        assert turn.take.ruling.allowed
        assert garden.world.props["newspaper"].held_by == "Theo"
        assert "(PUT: newspaper)" in garden.possible_acts("Theo")
        garden.say("Is there tea?")
        garden.drop("letter")
        assert "letter" in garden.world.props
        assert garden.beliefs("Marian").props["letter"].prop.location == "tea room"


def test_a_garden_is_resumed_where_it_was_left(tmp_path: Path) -> None:
    with Garden.open("tea_room", seed=3, journal=tmp_path / "journal.db") as garden:
        list(garden.play(4))
        id, world = garden.id, garden.world
    with Garden.resume(tmp_path / "journal.db", id) as again:
        assert again.world == world
        assert [turn.number for turn in again.play(1)] == [5]


def test_a_function_may_be_somebodys_mind() -> None:
    def shy(view: CharacterView) -> str:
        return f"「{len(view.company)}」"

    with Garden.open("kitchen_morning", seed=3, minds={"あゆ": shy}) as garden:
        said = {turn.speaker: turn.take.ruling.parsed.speech for turn in garden.play(4)}
    assert said["あゆ"] in ("0", "1")
    assert said["やな"] not in ("0", "1", None)


def test_a_function_may_be_the_model() -> None:
    asked: list[str] = []

    async def echo(messages: list[Message]) -> str:
        asked.append(messages[-1].content)
        return "（うなずく）「そうだね、いい朝だ」"

    settings = Settings(acts="free", phases="two")
    with Garden.open("kitchen_morning", seed=3, model=echo, settings=settings) as garden:
        (turn,) = garden.play(1)
        calls = garden.records("calls")
    assert turn.take.ruling.parsed.speech == "そうだね、いい朝だ"
    assert {one["model"] for one in calls} == {"echo"}
    assert asked


def test_further_incidents_and_other_sheets_take_part() -> None:
    scenario: Scenario = scenario_at("kitchen_morning")[0]
    knock = {"id": "knock", "text": "ドアをたたく音がした。", "carries": True}
    with Garden.open("kitchen_morning", seed=3) as plain:
        calm = plain.cast["あゆ"].with_field("display_name", "別人")
    with Garden.open(scenario, seed=3, sheets={"あゆ": calm}, incidents=[knock]) as garden:
        garden.ring("knock")
        assert garden.world.events[-1] == "ドアをたたく音がした。"
        assert garden.cast["あゆ"].display_name == "別人"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_records_is_a_frame_of_either_library(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Garden.open("kitchen_morning", seed=3) as garden:
        list(garden.play(3))
        rows = garden.records(kind)  # type: ignore[arg-type]
        assert len(garden.to_frame(kind)) == len(rows) == len(pd.DataFrame(rows))  # type: ignore[arg-type]
        find = importlib.util.find_spec
        monkeypatch.setattr("hakoniwa.library.records.find_spec", lambda name: None if name == "pandas" else find(name))
        assert isinstance(garden.to_frame(kind), pl.DataFrame)  # type: ignore[arg-type]


def test_beliefs_say_whether_they_hold() -> None:
    with Garden.open("kitchen_morning", seed=3) as garden:
        garden.act("やな", "(GET: 布巾)")
        garden.act("やな", "(MOVE: リビング)")
        garden.act("やな", "(PUT: 布巾)")
        rows = [row for row in garden.records("beliefs") if row["thing"] == "布巾"]
    assert {row["who"]: row["true"] for row in rows} == {"やな": True, "あゆ": False}


def test_an_error_is_told_in_words_below_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    with Garden.open("kitchen_morning", seed=3) as garden:
        with pytest.raises(UnknownName) as unknown:
            garden.act("誰か", "やあ")
        monkeypatch.setattr("hakoniwa.library.records.find_spec", lambda _: None)
        with pytest.raises(UsageError) as frameless:
            garden.to_frame()
    with pytest.raises(UnknownName) as nobody:
        Garden.open("kitchen_morning", minds={"誰か": lambda _: ""})
    notes = [one.value.__notes__ for one in (unknown, frameless, nobody)]
    assert "「誰か」" in notes[0][0]
    assert "pip install pandas" in notes[1][0]
    assert "やな" in notes[2][0]
