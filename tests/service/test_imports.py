"""Files of SillyTavern over HTTP: told apart by what is in them, taken in whole or refused, and given back."""

import base64
import json
from typing import Any

from tests.actor.deck import packed, pictured
from tests.service.door import WholeDoor, refused

CARD = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Aria", "description": "A singer."}}
BOOK = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["lute"],
            "keysecondary": [],
            "comment": "lute",
            "content": "The lute is old.",
        },
        "1": {"uid": 1, "key": [], "content": "Night falls early.", "constant": True, "order": 5},
    }
}
CHAT = [
    {"user_name": "Nao", "character_name": "Aria", "create_date": "2024-05-01", "chat_metadata": {}},
    {"name": "Aria", "is_user": False, "mes": "Hello, {{user}}.", "send_date": "2024-05-01T09:00:00+00:00"},
    {"name": "Nao", "is_user": True, "mes": "I have a cat now.", "send_date": "2024-05-01T09:01:00+00:00"},
    {"name": "Aria", "is_user": False, "mes": "What colour?", "send_date": "2024-05-01T09:02:00+00:00"},
]


def lines(messages: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, messages)).encode()


def body(raw: bytes, **more: str) -> dict[str, Any]:
    return {"data": base64.b64encode(raw).decode(), **more}


def brought(door: WholeDoor, raw: bytes, **more: str) -> dict[str, Any]:
    found: dict[str, Any] = door.post("/v1/imports", body(raw, **more))
    return found


def test_card_lorebook_and_chat_come_in_through_one_door(door: WholeDoor) -> None:
    card = brought(door, pictured([packed("ccv3", json.dumps(CARD).encode())]))
    assert (card["kind"], card["sheet"]) == ("card", "Aria")
    lore = brought(door, json.dumps(BOOK).encode(), sheet="Aria")
    assert (lore["kind"], lore["entries"]) == ("lore", 2)
    assert brought(door, json.dumps(BOOK).encode(), sheet="Aria")["entries"] == 0
    chat = brought(door, lines(CHAT))
    assert (chat["kind"], chat["sheet"]) == ("chat", "Aria")
    told = door.get(f"/v1/chats/{chat['chat']}")["history"]
    assert [(one["user_text"], one["assistant_text"]) for one in told] == [
        (None, "Hello, Nao."), ("I have a cat now.", "What colour?"),
    ]  # fmt: skip
    assert door.post(f"/v1/chats/{chat['chat']}/remember", {}) == {"settled": 2, "waiting": 0}
    found = door.get(f"/v1/memory/{chat['chat']}/Aria/search?q=cat")
    assert "I have a cat now." in found[0]["text"]


def test_chats_and_lorebooks_go_back_as_sillytavern_reads_them(door: WholeDoor) -> None:
    brought(door, json.dumps(CARD).encode())
    brought(door, json.dumps(BOOK).encode(), sheet="Aria")
    chat = brought(door, lines(CHAT))["chat"]
    door.post(f"/v1/chats/{chat}/messages", {"text": "Black."}, accept="application/json")
    out = [json.loads(one) for one in door.send(b"", f"/v1/chats/{chat}/export", "GET").text.splitlines()]
    assert out[1:4] == CHAT[1:]
    assert [(one["name"], one["is_user"]) for one in out[4:]] == [("Nao", True), ("Aria", False)]
    entries = door.get("/v1/cards/Aria/lore")["entries"]
    assert [(one["key"], one["content"], one["constant"]) for one in entries.values()] == [
        (["lute"], "The lute is old.", False), ([], "Night falls early.", True),
    ]  # fmt: skip


def test_what_was_edited_here_goes_back_as_it_is_now(door: WholeDoor) -> None:
    brought(door, json.dumps(CARD).encode())
    chat = brought(door, lines(CHAT))["chat"]
    newest = door.get(f"/v1/chats/{chat}")["history"][-1]["seq"]
    door.post(f"/v1/chats/{chat}/edit", {"seq": newest, "assistant_text": "Which colour?"})
    out = [json.loads(one) for one in door.send(b"", f"/v1/chats/{chat}/export", "GET").text.splitlines()]
    assert [one["mes"] for one in out[2:]] == ["I have a cat now.", "Which colour?"]


def test_a_bad_file_is_refused_with_its_line_in_the_callers_language(door: WholeDoor) -> None:
    brought(door, json.dumps(CARD).encode())
    bad = json.dumps(body(lines(CHAT) + b"\n{")).encode()
    told = refused(door.send(bad, "/v1/imports", **{"accept-language": "ja"}), 422)
    assert told["key"] == "tavern.not-json"
    assert "5行目" in told["detail"]
    assert door.get("/v1/chats") == []
    assert refused(door.send(json.dumps(body(json.dumps(BOOK).encode())).encode(), "/v1/imports"), 422)["key"] == (
        "tavern.no-sheet"
    )
    assert refused(door.send(json.dumps(body(json.dumps(BOOK).encode(), sheet="yana")).encode(), "/v1/imports"), 409)[
        "key"
    ] == ("shelf.shipped")


def test_the_same_chat_is_imported_once(door: WholeDoor) -> None:
    brought(door, json.dumps(CARD).encode())
    brought(door, lines(CHAT))
    assert refused(door.send(json.dumps(body(lines(CHAT))).encode(), "/v1/imports"), 409)["key"] == "tavern.known"


def test_personas_are_kept_chosen_for_chat_and_garden_and_removed(door: WholeDoor) -> None:
    told = {"personas": {"1.png": "Nao"}, "persona_descriptions": {"1.png": {"description": "A painter."}}}
    assert brought(door, json.dumps(told).encode())["entries"] == 1
    face = base64.b64encode(pictured([])).decode()
    made = door.post("/v1/personas", {"id": "Nao", "name": "Nao", "description": "Paints.", "portrait": face})
    assert made == {"id": "Nao", "name": "Nao", "description": "Paints.", "portrait": True}
    assert door.send(b"", "/v1/personas/Nao/portrait", "GET").content == pictured([])
    chat = door.post("/v1/chats", {"persona": "marian", "me": "Nao"})
    assert chat["me"] == "Nao"
    garden = door.post("/v1/gardens", {"scenario": "tea_room", "me": "Nao"})["id"]
    people = {one["name"]: one for one in door.get(f"/v1/gardens/{garden}")["people"]}
    assert "Nao" in people
    told = door.post(f"/v1/gardens/{garden}/act", {"who": "Nao", "text": '"Good morning."'})
    assert told
    assert "Nao" in door.send(b"", "/v1/personas/export", "GET").text
    assert door.post("/v1/personas/Nao/delete", {}) == []
    assert refused(door.send(b"{}", "/v1/personas/Nao/delete"), 404)["key"] == "unknown.persona"
    assert door.get("/v1/chats")[0]["me"] == "Nao"
