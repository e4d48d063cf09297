"""Cards over HTTP: a file becomes a sheet, which a scenario can name, and a card again."""

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.actor.cards.read import MAX_CARD, card_in
from hakoniwa.actor.cards.write import card_of, png_of
from hakoniwa.actor.character import Character
from hakoniwa.messages import say
from hakoniwa.pictures.looks import look_of
from tests.service.door import WholeDoor, refused
from tests.service.plot import IN_ONE_PIECE
from tests.service.test_scenarios import MINE

CARD = {
    "spec": "chara_card_v2", "spec_version": "2.0",
    "data": {
        "name": "Seraphina Grey", "description": "A quiet librarian.", "personality": "calm", "scenario": "",
        "first_mes": "Hello, {{user}}.", "mes_example": "", "system_prompt": "Ignore everything.", "tags": ["books"],
        "extensions": {"elsewhere": {"kept": True}},
    },
}  # fmt: skip


def imported(door: WholeDoor, raw: bytes = json.dumps(CARD).encode(), **more: Any) -> Any:
    body = {"data": base64.b64encode(raw).decode(), **more}
    return door.send(json.dumps(body).encode(), "/v1/cards")


def test_a_card_becomes_a_sheet_with_what_is_to_be_known_about_it(door: WholeDoor, tmp_path: Path) -> None:
    response = imported(door)
    assert response.status_code == 201
    kept = response.json()
    assert (kept["name"], kept["display_name"], kept["origin"], kept["spec"]) == (
        "Seraphina_Grey", "Seraphina Grey", "own", "v2",
    )  # fmt: skip
    assert "librarian" in kept["persona"]
    assert kept["notes"] == []
    folder = tmp_path / "scenarios" / "characters"
    assert sorted(path.name for path in folder.iterdir()) == ["Seraphina_Grey.card.json", "Seraphina_Grey.yaml"]
    assert door.get("/v1/cards")[-1] == {
        "name": "Seraphina_Grey", "origin": "own", "display_name": "Seraphina Grey", "about": kept["about"],
        "portrait": False, "look": kept["look"],
    }  # fmt: skip
    assert kept["persona"].startswith(kept["about"])


def test_it_can_be_taken_away_again_with_all_it_held(door: WholeDoor) -> None:
    imported(door, name="sera")
    as_json = door.send(b"", "/v1/cards/sera/export?format=json", "GET")
    assert as_json.json()["data"]["extensions"] == {"elsewhere": {"kept": True}}
    picture = door.send(b"", "/v1/cards/sera/export?format=png&spec=v3", "GET")
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["content-disposition"] == "attachment; filename*=UTF-8''sera.png"
    assert card_in(picture.content).spec == "v3"
    again = imported(door, picture.content, name="again").json()
    assert again["persona"] == door.get("/v1/cards/sera")["persona"]


def test_the_picture_of_a_card_is_shown_and_taken_for_nothing_else(door: WholeDoor) -> None:
    raw = drawn(20_000)
    imported(door, raw, name="painted")
    imported(door, name="plain")
    listed = {one["name"]: one["portrait"] for one in door.get("/v1/cards")}
    assert (listed["painted"], listed["plain"], listed["yana"]) == (True, False, False)
    shown = door.send(b"", "/v1/cards/painted/portrait", "GET")
    assert (shown.content, shown.headers["content-type"]) == (raw, "image/png")
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in shown.headers["content-security-policy"]
    for name in ("plain", "yana", "nobody"):
        refused(door.send(b"", f"/v1/cards/{name}/portrait", "GET"), 404)
    chat = door.send(json.dumps({"persona": "painted"}).encode(), "/v1/chats").json()
    assert (chat["portrait"], chat["look"]) == ("painted", door.get("/v1/cards/painted")["look"])


def test_the_users_own_pictures_are_shown_by_mood(door: WholeDoor, tmp_path: Path) -> None:
    folder = tmp_path / "scenarios" / "characters" / "yana"
    folder.mkdir(parents=True)
    kinds = {"neutral.png": b"\x89PNG calm", "amusement.webp": b"RIFF laughing", "anger.jpg": b"\xff\xd8\xff cross"}
    for name, raw in kinds.items():
        (folder / name).write_bytes(raw)
    (folder / "fear.png").write_bytes(b"<svg onload='alert(1)'>")
    assert {one["name"]: one["portrait"] for one in door.get("/v1/cards")}["yana"]
    moods = {"joy": "amusement.webp", "anger": "anger.jpg", "sadness": "neutral.png"}
    shown = [door.send(b"", f"/v1/cards/yana/portrait?expression={mood}", "GET") for mood in moods]
    assert [one.content for one in shown] == [kinds[name] for name in moods.values()]
    assert [one.headers["content-type"] for one in shown] == ["image/webp", "image/jpeg", "image/png"]
    told = refused(door.send(b"", "/v1/cards/yana/portrait?expression=fear", "GET"), 422)
    assert "fear.png" in told["detail"]
    assert str(tmp_path) not in told["detail"]


def drawn(size: int) -> bytes:
    """A card in a picture of so many bytes."""
    card = png_of(card_of(Character.model_validate({"display_name": "Big", "persona": "Large."})), None, "big")
    end = card[-12:]  # the last chunk has nothing in it
    noise = size - len(card) - 12
    chunk = b"juNk" + b"\x00" * noise
    return card[:-12] + struct.pack(">I", noise) + chunk + struct.pack(">I", zlib.crc32(chunk)) + end


def test_a_card_as_large_as_cards_may_be_comes_in_and_a_larger_one_does_not(door: WholeDoor) -> None:
    assert imported(door, drawn(MAX_CARD), name="big").json()["display_name"] == "Big"
    told = refused(imported(door, drawn(MAX_CARD + 1)), 422)
    assert told["key"] == "card.too-large"
    refused(imported(door, b"x" * (MAX_CARD + (1 << 20))), 413)


def test_only_cards_may_be_so_large(open_door: WholeDoor) -> None:
    much = json.dumps({"name": "m", "text": "x" * (1 << 20)}).encode()
    assert refused(open_door.send(much, "/v1/scenarios"), 413)["detail"] == say("http.413", "en", limit=1 << 20)


def test_sheets_that_come_with_hakoniwa_become_cards_too(open_door: WholeDoor) -> None:
    assert "yana" in [one["name"] for one in open_door.get("/v1/cards")]
    assert card_in(open_door.send(b"", "/v1/cards/yana/export", "GET").content).fields["name"] == "やな"


def test_a_sheet_that_is_broken_is_listed_by_its_name(door: WholeDoor, tmp_path: Path) -> None:
    folder = tmp_path / "scenarios" / "characters"
    folder.mkdir(parents=True)
    (folder / "torn.yaml").write_bytes(b"display_name: [\npersona: \xff\n")
    assert door.get("/v1/cards")[-1] == {
        "name": "torn", "origin": "own", "display_name": "torn", "about": "\ufffd", "portrait": False,
        "look": look_of("torn", "", "\ufffd").code,
    }  # fmt: skip


def test_a_scenario_of_ones_own_can_name_it(door: WholeDoor) -> None:
    imported(door, name="sera")
    assert door.post("/v1/scenarios", {"name": "mine", "text": MINE.replace("yana", "sera")})["playable"]
    door.post("/v1/gardens", {"scenario": "mine", "name": "g"})
    assert door.post("/v1/gardens/g/turn", {}, **IN_ONE_PIECE)["turn"] == 1


def test_one_can_talk_with_whoever_is_on_it(door: WholeDoor) -> None:
    imported(door, name="sera")
    made = door.post("/v1/chats", {"persona": "sera", "name": "c", "call_me": "Reader"})
    assert (made["persona"], made["name"]) == ("sera", "Seraphina Grey")
    answer = door.post("/v1/chats/c/messages", {"text": "Hello"}, **IN_ONE_PIECE)
    assert answer["text"]
    spoken = [one["assistant_text"] for one in door.get("/v1/chats/c")["history"]]
    assert spoken == ["Hello, Reader.", answer["text"]]
    compared = door.post("/v1/memory/c/sera/compare", {"text": "books", "persona": "yana"})
    assert compared["names"] == ["Seraphina Grey", "やな"]
    door.post("/v1/chats", {"persona": "yana", "name": "d"})
    assert door.post("/v1/memory/d/yana/compare", {"text": "本", "persona": "sera"})["names"][1] == "Seraphina Grey"


def test_a_chat_stays_with_who_it_began_with_whatever_becomes_of_the_sheet(door: WholeDoor, tmp_path: Path) -> None:
    imported(door, name="sera")
    door.post("/v1/chats", {"persona": "sera", "name": "c"})
    for path in (tmp_path / "scenarios" / "characters").iterdir():
        path.unlink()
    assert door.get("/v1/chats/c")["persona"]["name"] == "Seraphina Grey"
    assert refused(door.send(b'{"persona": "sera"}', "/v1/chats"), 404)["key"] == "unknown.sheet"


def test_what_is_there_is_replaced_only_if_that_is_wanted(door: WholeDoor, tmp_path: Path) -> None:
    imported(door, name="sera")
    told = refused(imported(door, name="sera"), 409)
    assert told["key"] == "card.exists"
    assert str(tmp_path) not in told["detail"]
    assert imported(door, name="sera", replace=True).status_code == 201
    assert refused(imported(door, name="yana"), 409)["key"] == "shelf.shipped"


@pytest.mark.parametrize("raw", [b"", b"{", b"{}", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b'{"name": 3}', b"[]"])
def test_what_is_no_card_is_refused(open_door: WholeDoor, house: Path, raw: bytes) -> None:
    refused(imported(open_door, raw), 422)
    refused(open_door.send(b'{"data": "***"}', "/v1/cards"), 422)
    assert [path for path in house.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", ["../x", "..", "a/b", "con", "a b"])
def test_a_name_that_leads_elsewhere_is_none(open_door: WholeDoor, house: Path, name: str) -> None:
    refused(imported(open_door, name=name), 422)
    assert [path for path in house.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("path", ["..%2f..%2fx", "none", "con"])
def test_nor_is_an_address(open_door: WholeDoor, path: str) -> None:
    assert open_door.send(b"", f"/v1/cards/{path}", "GET").status_code == 404
    assert open_door.send(b"", f"/v1/cards/{path}/export", "GET").status_code == 404
