"""Pictures over HTTP: what a thing of a garden looks like, as it is, and nothing a browser could run."""

import json

from tests.service.door import WholeDoor, refused


def test_a_garden_tells_what_its_things_look_like_and_how_they_are(door: WholeDoor) -> None:
    garden = door.send(json.dumps({"scenario": "kitchen_morning"}).encode(), "/v1/gardens").json()["id"]
    things = {one["name"]: one for one in door.get(f"/v1/gardens/{garden}")["things"]}
    fridge, lamp, cat = things["冷蔵庫"], things["照明"], things["ごま"]
    assert fridge["picture"] == {
        "name": "fridge", "width": 52.2, "height": 97.2, "hangs": None, "states": ["open"], "top": 0.0,
        "gives_light": False,
    }  # fmt: skip
    assert (fridge["open"], fridge["locked"], fridge["running"]) == (False, False, None)
    assert (lamp["picture"]["hangs"], lamp["running"] in (True, False), lamp["open"]) == ("ceiling", True, None)
    assert cat["picture"]["name"] == "cat"


def test_everybody_has_a_face_wherever_they_are_listed(door: WholeDoor) -> None:
    garden = door.send(json.dumps({"scenario": "kitchen_morning"}).encode(), "/v1/gardens").json()["id"]
    people = {one["name"]: one for one in door.get(f"/v1/gardens/{garden}")["people"]}
    sheets = {one["name"]: one["look"] for one in door.get("/v1/cards")}
    assert {name: one["look"] for name, one in people.items()} == {"やな": sheets["yana"], "あゆ": sheets["ayu"]}
    assert [one["portrait"] for one in people.values()] == [None, None]
    look, mood = people["やな"]["look"], people["やな"]["mood"]["expression"]
    faces = {
        door.send(b"", f"/v1/faces/{look}?expression={mood}&pose={pose}", "GET").text
        for pose in ("face", "standing", "sitting", "lying")
    }
    assert len(faces) == 4
    assert all(one.startswith("<svg ") for one in faces)
    refused(door.send(b"", "/v1/faces/0-0", "GET"), 404)


def test_a_picture_is_shown_as_it_is_and_does_nothing_else(door: WholeDoor) -> None:
    shut, wide = (door.send(b"", f"/v1/pictures/fridge{state}", "GET") for state in ("", "?state=open"))
    assert shut.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in shut.headers["content-security-policy"]
    assert shut.text.startswith("<svg ")
    assert shut.text != wide.text
    assert door.send(b"", "/v1/pictures/red-apple?state=open", "GET").text.startswith("<svg ")
    for name in ("nothing-of-the-kind", "..%2Fwords", "fridge.open.svg"):
        refused(door.send(b"", f"/v1/pictures/{name}", "GET"), 404)
    refused(door.send(b"", "/v1/pictures/fridge?state=blue", "GET"), 422)
