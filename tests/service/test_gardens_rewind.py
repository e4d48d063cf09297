"""Going back in a garden over HTTP: undo, forks, a turn played anew with its earlier takes, two lines side by side."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.state_hash import verify
from tests.service.door import PATIENCE, WholeDoor
from tests.service.plot import IN_ONE_PIECE, G, Hesitant, acted, garden, performing, texts


@pytest.fixture
def door() -> Iterator[WholeDoor]:
    with garden() as opened:
        acted(opened, "やな", "（カップを手に取る）")
        acted(opened, "やな", "（戸棚を開ける）")
        yield opened


def test_undo_takes_whole_turns_back(door: WholeDoor) -> None:
    assert door.post(f"{G}/undo", {"turns": 2})["turn"] == 0
    view = door.get(G)
    assert (view["turn"], next(one for one in view["things"] if one["name"] == "カップ")["held_by"]) == (0, None)
    assert door.get(f"{G}/script")["lines"][-1]["kind"] == "opening"
    acted(door, "やな", "「やりなおし」")
    assert door.get(f"{G}?turn=1")["head"] > 6


def test_a_fork_goes_its_own_way_from_any_turn(door: WholeDoor) -> None:
    assert door.post(f"{G}/fork", {"name": "side", "turn": 1})["turn"] == 1
    acted(door, "やな", "（カップを置く）", branch="side")
    assert (door.get(G)["turn"], door.get(f"{G}?branch=side")["turn"]) == (2, 2)
    here, there = (door.get(f"{G}/script?branch={one}")["lines"] for one in ("main", "side"))
    shared = [line for line in here if line["turn"] <= 1]
    assert there[: len(shared)] == shared
    assert [(one["name"], one["parent"], one["forked_at"], one["turn"]) for one in door.get(f"{G}/branches")] == [
        ("main", None, 0, 2), ("side", "main", 1, 2),
    ]  # fmt: skip


def test_two_lines_are_compared_from_where_they_part(door: WholeDoor) -> None:
    door.post(f"{G}/fork", {"name": "side", "turn": 1})
    acted(door, "やな", "（カップを置く）", branch="side")
    found = door.get(f"{G}/compare?one=main&other=side")
    assert (found["turn"], found["one"]["turn"], found["other"]["turn"]) == (1, 2, 2)
    told = {(one["name"], one["field"]): (one["one"], one["other"]) for one in found["differences"]}
    assert told == {
        ("やな", "holding"): (["カップ"], []),
        ("カップ", "held_by"): ("やな", None),
        ("戸棚", "state"): (["open"], ["closed"]),
    }
    assert door.get(f"{G}/compare?one=main&other=main")["differences"] == []


def test_a_turn_can_be_had_anew_and_the_one_before_gone_back_to() -> None:
    journal = MemoryJournal()
    with garden(performing("「一度目」", "「二度目」", "「三度目」", "「その次」"), journal) as door:
        door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        assert texts(door.post(f"{G}/regenerate", {}, **IN_ONE_PIECE)["lines"])[-1] == "二度目"
        assert texts(door.post(f"{G}/regenerate", {}, **IN_ONE_PIECE)["lines"])[-1] == "三度目"
        takes = [one["name"] for one in door.get(f"{G}/branches") if one["take"]]
        assert takes == ["main-take-1-1", "main-take-1-2"]
        assert [spoken(door, one) for one in ("main", *takes)] == ["三度目", "一度目", "二度目"]
        door.post(f"{G}/choose", {"take": "main-take-1-1"})
        assert spoken(door, "main") == "一度目"
        assert [spoken(door, f"main-take-1-{one}") for one in (1, 2, 3)] == ["一度目", "二度目", "三度目"]
        door.post(f"{G}/choose", {"take": "main-take-1-3"})
        assert len([one for one in door.get(f"{G}/branches") if one["take"]]) == 4
        door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        assert [line["text"] for line in door.get(f"{G}/script")["lines"] if line["kind"] == "speech"] == [
            "三度目", "その次",
        ]  # fmt: skip
    assert verify(journal, "g") == []


def spoken(door: WholeDoor, branch: str) -> str:
    found: str = door.get(f"{G}/script?branch={branch}")["lines"][-1]["text"]
    return found


def test_what_the_user_did_since_goes_with_the_turn_that_is_taken_back() -> None:
    with garden(performing("「一度目」", "「二度目」")) as door:
        door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        door.post(f"{G}/say", {"text": "もう一回"})
        door.post(f"{G}/regenerate", {}, **IN_ONE_PIECE)
        assert "もう一回" not in texts(door.get(f"{G}/script")["lines"])
        assert spoken(door, "main-take-1-1") == "もう一回"


@pytest.mark.parametrize(("path", "turn"), [("undo", 0), ("regenerate", 1)])
def test_going_back_stops_whoever_is_speaking_and_the_play(path: str, turn: int) -> None:
    model, journal = Hesitant(), MemoryJournal()

    async def back(door: WholeDoor) -> None:
        await door.sending(b'{"speed": 0}', f"{G}/run")
        await model.speaking.wait()
        response = await asyncio.wait_for(going_back(door), PATIENCE)
        assert response.status_code == 200, response.text

    async def going_back(door: WholeDoor) -> httpx.Response:
        answer = asyncio.ensure_future(door.sending(b"{}", f"{G}/{path}", **IN_ONE_PIECE))
        while not model.stopped:
            await asyncio.sleep(0.01)
        model.may_go_on.set()
        return await answer

    with garden(model, journal) as door:
        acted(door, "あゆ", "「ひとりごと」")
        door.wait_for(back(door))
        view = door.get(G)
        assert (view["turn"], view["pace"]["running"], view["pace"]["reason"]) == (turn, False, "stopped")
        assert model.stopped == 1
