"""A chat with a person of a garden over HTTP: one person, who knows here what happened there."""

import asyncio
import json
from typing import Any

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from tests.service.door import WholeDoor, refused
from tests.service.plot import IN_ONE_PIECE, Hesitant
from tests.service.talk import NOTHING, events, said

G, C = "/v1/gardens/g", "/v1/chats/c"
ON = "ラジオのスイッチを入れて"


def begun(door: WholeDoor, who: str = "あゆ") -> None:
    """A garden, in which somebody did something, and a chat with one of its people."""
    door.post("/v1/gardens", {"scenario": "kitchen_morning", "seed": 3, "name": "g"})
    door.post(f"{G}/act", {"who": who, "text": "（両手を広げる）「お湯が沸きました」"})
    assert door.post("/v1/chats", {"garden": "g", "persona": who, "name": "c"})["garden"] == "g"


def turn(door: WholeDoor) -> dict[str, Any]:
    played: dict[str, Any] = door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
    return played


def radio(door: WholeDoor) -> list[str]:
    found: list[str] = next(one["state"] for one in door.get(G)["things"] if one["name"] == "ラジオ")
    return found


def memories(door: WholeDoor, who: str, words: str) -> str:
    return json.dumps(door.get(f"/v1/memory/g/{who}/search?q={words}"), ensure_ascii=False)


def asked(model: ScriptedModel, purpose: str) -> str:
    return next("\n".join(one.content for one in told) for what, told in reversed(model.calls) if what == purpose)


def test_what_is_asked_for_in_a_chat_is_done_in_the_garden_and_remembered_on_both_sides() -> None:
    model = ScriptedModel({
        "ghost.reply": ["お湯を沸かしていました。", "かしこまりました。", "ええ、入れました。"],
        "ghost.select": [NOTHING] * 9,
        "actor.think": ["さて。"] * 2,
        "actor.perform": ["「おはよう」", "（ラジオのスイッチを入れる）「音楽でも」"],
    })  # fmt: skip
    with WholeDoor(find_model=lambda: model) as door:
        begun(door)
        assert said(door, "さっき何をしてたの？")["text"] == "お湯を沸かしていました。"
        assert "お湯が沸きました" in asked(model, "ghost.reply")
        said(door, f"{ON}。これは内緒だよ")
        assert [turn(door)["who"], turn(door)["who"]] == ["やな", "あゆ"]
        assert "内緒だよ" in asked(model, "actor.perform"), "what was said in private is in mind when they act"
        assert radio(door) == ["on"]
        said(door, "入れてくれた？")
        assert "音楽でも" in asked(model, "ghost.reply")
        assert "内緒だよ" in memories(door, "あゆ", "内緒")
        assert "内緒だよ" not in memories(door, "やな", "内緒")
        assert "音楽でも" in memories(door, "やな", "音楽")
        history = door.get(C)["history"]
        assert [one["assistant_text"] for one in history] == [
            "お湯を沸かしていました。", "かしこまりました。", "ええ、入れました。",
        ]  # fmt: skip
        assert door.get(C)["garden"] == "g"
        assert not any("内緒だよ" in line["text"] for line in door.get(f"{G}/script")["lines"])


def test_without_a_model_a_request_is_done_as_well() -> None:
    with WholeDoor() as door:
        begun(door)
        said(door, ON)
        for _ in range(5):
            turn(door)
        assert radio(door) == ["on"]


def test_what_an_answer_does_is_undone_with_it_and_done_again_with_its_take() -> None:
    replies = ["（ラジオのスイッチを入れる）はい。", "いやです。"]
    model = ScriptedModel({"ghost.reply": replies, "ghost.select": [NOTHING] * 9})
    with WholeDoor(find_model=lambda: model) as door:
        begun(door)
        said(door, ON)
        assert radio(door) == ["on"]
        door.post(f"{C}/retake", {}, **IN_ONE_PIECE)
        assert radio(door) == ["off"]
        assert [one["text"] for one in door.get(f"{C}/takes")] == replies
        door.post(f"{C}/choose", {"take": 1})
        assert radio(door) == ["on"]
        door.post(f"{C}/undo", {})
        assert radio(door) == ["off"]
        assert door.get(C)["history"] == []


def test_what_the_garden_has_gone_on_from_is_not_taken_back() -> None:
    with WholeDoor() as door:
        begun(door)
        said(door, "やあ")
        turn(door)
        assert refused(door.send(b"{}", f"{C}/undo"), 409)["key"] == "chat.played-on"
        seq = door.get(C)["history"][0]["seq"]
        door.post(f"{C}/delete", {"seq": seq})
        assert door.get(C)["history"] == []
        assert door.get(G)["turn"] == 2


def test_a_turn_waits_for_the_answer_and_the_answer_for_the_turn() -> None:
    """Both are played out, in whatever order they were asked for, and nothing is played twice."""
    model = Hesitant()
    with WholeDoor(find_model=lambda: model) as door:
        begun(door)

        async def both() -> list[Any]:
            answer = asyncio.create_task(door.sending(b'{"text": "\xe3\x82\x84\xe3\x81\x82"}', f"{C}/messages"))
            await model.speaking.wait()
            played = asyncio.create_task(door.sending(b"{}", f"{G}/turn", **IN_ONE_PIECE))
            await asyncio.sleep(0)
            model.may_go_on.set()
            return [await answer, await played]

        answer, played = door.wait_for(both())
        assert events(answer.text)[-1][0] == "done"
        assert played.json()["turn"] == 2
        assert door.get(C)["history"][0]["user_text"] == "やあ"


def test_there_is_one_chat_with_a_person_and_it_is_in_the_list() -> None:
    with WholeDoor() as door:
        begun(door)
        assert door.post("/v1/chats", {"garden": "g", "persona": "あゆ"})["id"] == "c"
        (one,) = door.get("/v1/chats")
        assert (one["id"], one["garden"], one["turn"]) == ("c", "g", 1)
        refused(door.send('{"garden": "nowhere", "persona": "あゆ"}'.encode(), "/v1/chats"), 404)
        refused(door.send('{"garden": "g", "persona": "だれか"}'.encode(), "/v1/chats"), 404)


def test_what_is_forgotten_is_gone_from_the_garden_that_is_open() -> None:
    with WholeDoor(MemoryJournal()) as door:
        begun(door)
        said(door, "金庫の番号は4711だよ")
        seq = door.get(C)["history"][0]["seq"]
        gone = door.post("/v1/memory/g/あゆ/forget", {"events": [seq]})
        assert (gone["events"], gone["rows"]) == (1, 1)
        assert "4711" not in memories(door, "あゆ", "金庫")
        assert door.get(C)["history"] == []
        turn(door)
        refused(door.send(json.dumps({"seq": seq, "user_text": "金庫"}).encode(), f"{C}/edit"), 404)


def test_a_chat_is_no_garden_to_meet_somebody_in(door: WholeDoor) -> None:
    door.post("/v1/chats", {"persona": "yana", "name": "c"})
    body = json.dumps({"garden": "c", "persona": "yana", "name": "d"}).encode()
    assert "c" in refused(door.send(body, "/v1/chats"), 404)["detail"]
