"""Gardens and chats over HTTP as their user keeps them: called, tagged, put away, searched, deleted with all of it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hakoniwa.journal.sql import SqlJournal
from tests.service.door import WholeDoor, refused
from tests.service.talk import begun, said


@pytest.fixture(params=["memory", "sqlite"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WholeDoor]:
    with (
        closing(SqlJournal(f"sqlite:///{tmp_path}/journal.db")) as journal,
        WholeDoor(journal if request.param == "sqlite" else None) as opened,
    ):
        yield opened


def test_a_chat_is_called_tagged_and_put_away(kept: WholeDoor) -> None:
    begun(kept)
    label = {"title": "猫の話", "tags": ["猫", "猫", "家"], "archived": True}
    assert kept.post("/v1/records/c/label", label) == {**label, "tags": ["猫", "家"]}
    assert kept.get("/v1/chats") == []
    (one,) = kept.get("/v1/chats?archived=true")
    assert (one["id"], one["title"], one["tags"], one["archived"]) == ("c", "猫の話", ["猫", "家"], True)
    said(kept, "こんにちは")
    assert kept.get("/v1/chats?archived=true")[0]["turn"] == 1


def test_a_garden_is_called_otherwise_than_its_scenario(kept: WholeDoor) -> None:
    kept.post("/v1/gardens", {"scenario": "tea_room", "name": "g"})
    kept.post("/v1/records/g/label", {"title": "Mine"})
    assert [(one["id"], one["title"]) for one in kept.get("/v1/gardens")] == [("g", "Mine")]
    kept.post("/v1/gardens/g/turn", {}, accept="application/json")
    assert kept.get("/v1/gardens")[0]["title"] == "Mine"


@pytest.mark.parametrize(
    "label",
    [{"title": "x" * 121}, {"tags": [""]}, {"tags": ["x" * 41]}, {"tags": list("abcdefghijklm")}, {"titel": "x"}],
)
def test_a_label_that_is_none_is_refused(kept: WholeDoor, label: dict[str, object]) -> None:
    begun(kept)
    refused(kept.send(json.dumps(label).encode(), "/v1/records/c/label"), 422)


def test_what_was_said_is_found_where_it_stands_and_not_where_it_was_taken_back(kept: WholeDoor) -> None:
    begun(kept)
    said(kept, "鯨骨の月琴を買った\n「本当」に")
    said(kept, "鯨骨はもう忘れて")
    kept.post("/v1/chats/c/undo", {})
    kept.post("/v1/gardens", {"scenario": "tea_room", "name": "g"})
    kept.post("/v1/gardens/g/say", {"text": "The lute is of 100% WHALEBONE_."})
    (found,) = kept.get("/v1/records?q=鯨骨")
    assert (found["id"], found["kind"], found["branch"], found["turn"]) == ("c", "chat", "main", 1)
    assert "鯨骨の月琴" in found["excerpt"]
    assert [one["id"] for one in kept.get("/v1/records?q=100%25 whalebone_")] == ["g"]
    assert kept.get("/v1/records?q=x_y%25") == []


def test_a_deleted_chat_leaves_nothing_and_says_before_what_goes(kept: WholeDoor, tmp_path: Path) -> None:
    begun(kept)
    begun(kept, "d")
    said(kept, "canary-of-a-chat")
    said(kept, "ほかの話", "d")
    told = kept.get("/v1/records/c")
    assert (told["kind"], told["rows"], told["branches"], told["chats"]) == ("chat", 1, 1, [])
    assert told["memories"] >= 1
    refused(kept.send(b"{}", "/v1/records/c/delete"), 422)
    assert kept.post("/v1/records/c/delete", {"confirm": True})["rows"] == 1
    refused(kept.send(b"", "/v1/chats/c", "GET"), 404)
    assert [one["id"] for one in kept.get("/v1/chats")] == ["d"]
    assert kept.get("/v1/records?q=canary-of-a-chat") == []
    assert said(kept, "まだいる？", "d")["text"]
    begun(kept)
    assert kept.get("/v1/chats/c")["history"] == []
    with closing(sqlite3.connect(tmp_path / "journal.db")) as database:
        assert not [line for line in database.iterdump() if "canary-of-a-chat" in line]


def test_the_chats_with_its_people_go_along_with_a_garden(kept: WholeDoor) -> None:
    kept.post("/v1/gardens", {"scenario": "tea_room", "name": "g"})
    kept.post("/v1/gardens/g/turn", {}, accept="application/json")
    chat = kept.post("/v1/chats", {"garden": "g", "persona": "Marian"})["id"]
    assert kept.get("/v1/records/g")["chats"] == [chat]
    kept.post("/v1/records/g/delete", {"confirm": True})
    assert (kept.get("/v1/gardens"), kept.get("/v1/chats")) == ([], [])
