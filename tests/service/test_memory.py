"""Memory over HTTP: found, looked at, compared and forgotten, in chats and in gardens."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app import new_session
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.play.loop import play
from hakoniwa.play.session import Session
from hakoniwa.service.requests import MAX_FORGOTTEN, MAX_QUERY
from tests.service.door import WholeDoor, refused
from tests.service.talk import IN_ONE_PIECE, Held, begun, plan, said, scripted

MEMORY = "/v1/memory/c/yana"
CANARY = "かなりやのぴいちゃん"


@pytest.fixture(scope="module")
def door() -> Iterator[WholeDoor]:
    """A server with one chat of three exchanges, that is only looked at."""
    with WholeDoor() as opened:
        begun(opened)
        for line in ("紅茶を飲んだ", "猫のミケが来た", "雨が降っている"):
            said(opened, line)
        yield opened


@pytest.mark.parametrize(("q", "first"), [("紅茶", 1), ("ミケ", 2), ("雨", 3)])
def test_words_are_found_the_most_fitting_first(door: WholeDoor, q: str, first: int) -> None:
    found = door.get(f"{MEMORY}/search?q={q}")
    assert (found[0]["type"], found[0]["key"]) == ("event", first)
    assert "full_text" in found[0]["ranks"]
    assert len(door.get(f"{MEMORY}/search?q={q}&limit=1")) == 1


def test_an_event_comes_with_all_that_hangs_on_it(door: WholeDoor) -> None:
    found = door.get(f"{MEMORY}/events/2")
    assert set(found) == {"memory", "affect", "links", "revisions"}
    assert (found["memory"]["seq"], found["memory"]["user_text"]) == (2, "猫のミケが来た")
    assert found["memory"]["reply_to"] == 1


def test_inner_life_has_persona_mood_interest_and_what_is_held(door: WholeDoor) -> None:
    found = door.get(f"{MEMORY}/inner")
    assert set(found) == {"persona", "mood", "felt", "interest", "states", "preferences", "goals"}
    assert found["persona"]["name"] == "やな"
    assert found["felt"] == {"v": 0.0, "a": 0.0, "d": 0.0}


def test_stats_count_what_is_remembered(door: WholeDoor) -> None:
    found = door.get(f"{MEMORY}/stats")
    assert (found["events"], found["searchable"], found["runs"]) == (3, 3, 2)


def test_runs_say_what_was_asked_considered_and_chosen_and_why(door: WholeDoor) -> None:
    newest, before = door.get(f"{MEMORY}/runs")
    assert [newest["input"], before["input"]] == ["雨が降っている", "猫のミケが来た"]
    assert newest["plan"]["queries"] == ["雨が降っている"]
    assert {one["key"] for one in newest["candidates"]} == {1, 2}
    assert all(one["why"] for one in newest["selection"]["selected"])
    assert len(door.get(f"{MEMORY}/runs?limit=1")) == 1


def test_two_personas_are_compared_without_a_trace(door: WholeDoor) -> None:
    before = door.get(f"{MEMORY}/runs")
    made = door.post(f"{MEMORY}/compare", {"text": "猫", "persona": "ayu"})
    assert made["names"] == ["やな", "あゆ"]
    assert 0.0 <= made["overlap"] <= 1.0
    assert {one["event_id"] for one in made["one"]["pack"]["selected"]} == {1, 2, 3}
    assert made["other"]["by"] == "rule"
    assert door.get(f"{MEMORY}/runs") == before


BAD = (
    ("GET", "/search", None, 422),
    ("GET", "/search?q=", None, 422),
    ("GET", f"/search?q={'あ' * (MAX_QUERY + 1)}", None, 422),
    ("GET", "/search?q=%00", None, 422),
    ("GET", "/search?q=x&limit=0", None, 422),
    ("GET", "/search?q=x&limit=101", None, 422),
    ("GET", "/search?q=x&branch=nowhere", None, 404),
    ("GET", "/events/99", None, 404),
    ("GET", "/events/0", None, 422),
    ("GET", f"/events/{2**63}", None, 422),
    ("GET", "/events/x", None, 422),
    ("GET", "/runs?limit=101", None, 422),
    ("POST", "/forget", {}, 422),
    ("POST", "/forget", {"events": []}, 422),
    ("POST", "/forget", {"events": ["1"]}, 422),
    ("POST", "/forget", {"events": [True]}, 422),
    ("POST", "/forget", {"events": list(range(1, MAX_FORGOTTEN + 2))}, 422),
    ("POST", "/forget", {"events": [1, 99]}, 404),
    ("POST", "/compare", {"text": "猫"}, 422),
    ("POST", "/compare", {"text": "猫", "persona": "nobody"}, 404),
    ("POST", "/compare", {"text": "猫", "persona": "/etc/passwd"}, 404),
)


@pytest.mark.parametrize(("method", "path", "body", "status"), BAD, ids=lambda one: str(one)[:40])
def test_what_cannot_be_is_refused(door: WholeDoor, method: str, path: str, body: Any, status: int) -> None:
    content = b"" if body is None else json.dumps(body).encode()
    refused(door.send(content, MEMORY + path, method), status)
    assert door.get(f"{MEMORY}/stats")["events"] == 3


@pytest.mark.parametrize(
    ("path", "key"),
    [("/v1/memory/nowhere/yana/stats", "unknown.garden"), ("/v1/memory/c/nobody/stats", "unknown.character"),
     ("/v1/memory/c/nobody/inner", "unknown.character"), ("/v1/memory/c/yana/stats?branch=x", "unknown.branch")],
)  # fmt: skip
def test_nobody_and_nowhere_are_not_found(door: WholeDoor, path: str, key: str) -> None:
    assert refused(door.send(b"", path, "GET"), 404)["key"] == key


def test_whoever_lives_in_a_garden_remembers_what_is_played_there(tmp_path: Path) -> None:
    """Played here and looked at there, by turns: nothing that was witnessed goes by."""
    journal = SqlJournal(f"sqlite:///{tmp_path / 'journal.db'}")
    session = new_session(journal, "kitchen_morning", 1, "g")
    counts: dict[str, list[int]] = {who: [] for who in session.garden.sheets}
    with WholeDoor(SqlJournal(f"sqlite:///{tmp_path / 'journal.db'}")) as door:
        for turns in (2, 3):
            asyncio.run(_played(session, turns))
            for who, count in counts.items():
                count.append(door.get(f"/v1/memory/g/{who}/stats")["events"])
                assert door.get(f"/v1/memory/g/{who}/search?q={who}")
                assert door.get(f"/v1/memory/g/{who}/inner")["persona"]["name"]
        newest = door.get(f"/v1/memory/g/{who}/search?q={who}&limit=1")[0]["key"]
        gone = door.post(f"/v1/memory/g/{who}/forget", {"events": [newest]})
        assert (gone["events"], gone["rows"]) == (1, 0)
        assert door.get(f"/v1/memory/g/{who}/stats")["events"] == counts[who][-1] - 1
    assert all(0 < before < after for before, after in counts.values())
    assert journal.check("g") == []
    journal.close()


async def _played(session: Session, turns: int) -> None:
    async for _ in play(session, turns):
        pass


def test_what_is_forgotten_is_gone_from_memory_and_from_every_byte_of_the_journal(tmp_path: Path) -> None:
    with WholeDoor(SqlJournal(f"sqlite:///{tmp_path / 'journal.db'}")) as door:
        begun(door)
        said(door, "最初の話")
        said(door, f"飼い鳥は{CANARY}という名前")
        said(door, "最後の話")
        door.post("/v1/chats/c/branches", {"name": "side"})
        assert door.get(f"{MEMORY}/search?q={CANARY}&branch=side")[0]["key"] == 2
        assert _holds(tmp_path)
        gone = door.post(f"{MEMORY}/forget", {"events": [2]})
        assert (gone["events"], gone["rows"], gone["traces"]) == (1, 1, False)
        assert not _holds(tmp_path)
        for line in ("main", "side"):
            assert {one["key"] for one in door.get(f"{MEMORY}/search?q={CANARY}&branch={line}")} == {3, 1}
        assert [one["user_text"] for one in door.get("/v1/chats/c")["history"]] == ["最初の話", "最後の話"]
        refused(door.send(b"", f"{MEMORY}/events/2", "GET"), 404)
        assert said(door, "それでも続く話")["turn"] == 4


def _holds(folder: Path) -> bool:
    return any(CANARY.encode() in one.read_bytes() for one in folder.rglob("*") if one.is_file())


def test_what_was_held_because_of_a_forgotten_event_is_no_longer_held() -> None:
    model = scripted("へえ。", plans=[plan(CANARY)])
    with WholeDoor(find_model=lambda: model) as door:
        begun(door)
        said(door, "鳥の名前を教えるね")
        states = door.sooner_or_later(lambda: door.get(f"{MEMORY}/inner")["states"])
        assert [one["body_text"] for one in states.values()] == [CANARY]
        assert door.get(f"{MEMORY}/inner")["felt"]["v"] > 0
        assert door.post(f"{MEMORY}/forget", {"events": [1]})["states"] == 3  # a fact, the mood and the interest
        after = door.get(f"{MEMORY}/inner")
        assert (after["states"], after["felt"]["v"]) == ({}, 0.0)


def test_nothing_is_forgotten_while_somebody_of_that_chat_is_answered() -> None:
    model = Held()
    with WholeDoor(find_model=lambda: model) as door:
        path = begun(door)
        door.post("/v1/chats/c/branches", {"name": "side"})
        door.get("/v1/chats/c")

        async def meanwhile() -> Any:
            words = b'{"text": "x", "branch": "side"}'
            talking = asyncio.ensure_future(door.sending(words, path, **IN_ONE_PIECE))
            await model.speaking.wait()
            refusal = await door.sending(b'{"events": [1]}', f"{MEMORY}/forget")
            model.may_go_on.set()
            await talking
            return refusal

        assert refused(door.wait_for(meanwhile()), 409)["key"] == "chat.busy"
