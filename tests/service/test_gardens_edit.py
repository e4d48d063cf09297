"""A turn in other words, and one that goes on from the last: over HTTP, judged like any other."""

import json
from collections.abc import Iterator

import pytest

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.state_hash import verify
from tests.service.door import WholeDoor, refused
from tests.service.plot import IN_ONE_PIECE, G, acted, garden, performing, texts


@pytest.fixture
def door() -> Iterator[WholeDoor]:
    with garden() as opened:
        acted(opened, "やな", "（カップを手に取る）「いただきます」")
        acted(opened, "あゆ", "「寒いね」")
        yield opened


def held(door: WholeDoor, branch: str = "main") -> list[str]:
    people = door.get(f"{G}?branch={branch}")["people"]
    found: list[str] = next(one["holding"] for one in people if one["who"] == "やな")
    return found


def test_a_line_in_other_words_takes_the_place_of_the_last(door: WholeDoor) -> None:
    done = door.post(f"{G}/edit", {"text": "「暑いね」"})
    assert (done["turn"], texts(done["lines"])) == (2, ["居間", "暑いね"])
    assert texts(door.get(f"{G}/script")["lines"])[-3:] == ["いただきます", "居間", "暑いね"]
    assert texts(door.get(f"{G}/script?branch=main-take-2-1")["lines"])[-1] == "寒いね"
    assert [one["take"] for one in door.get(f"{G}/branches") if one["take"]] == [
        {"branch": "main", "turn": 2, "number": 1}
    ]


def test_an_earlier_turn_takes_what_came_after_with_it_and_all_of_it_can_be_gone_back_to(door: WholeDoor) -> None:
    done = door.post(f"{G}/edit", {"turn": 1, "text": "「あとで」"})
    assert (done["turn"], held(door), held(door, "main-take-1-1")) == (1, [], ["カップ"])
    door.post(f"{G}/choose", {"take": "main-take-1-1"})
    assert (door.get(G)["turn"], held(door)) == (2, ["カップ"])
    assert texts(door.get(f"{G}/script")["lines"])[-1] == "寒いね"
    assert texts(door.get(f"{G}/script?branch=main-take-1-2")["lines"])[-1] == "あとで"


def test_the_world_is_the_truth_for_other_words_too(door: WholeDoor) -> None:
    lines = door.post(f"{G}/edit", {"turn": 1, "text": "(GET: 剣)「いくぞ」"})["lines"]
    assert [line["kind"] for line in lines] == ["speech", "denied"]
    assert (lines[0]["text"], held(door)) == ("いくぞ", [])
    why = door.get(f"{G}/why/1")
    assert (why["origin"], why["turn"]["take"]["ruling"]["denied_reason"]) == ("user", "MISSING_OBJECT")


def test_what_a_character_says_changes_and_what_they_thought_stays() -> None:
    journal = MemoryJournal()
    with garden(performing("「一度目」", "「その次」"), journal) as door:
        door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        thought = door.get(f"{G}/why/1")["turn"]["thought"]
        door.post(f"{G}/edit", {"text": "「書きなおし」"})
        why = door.get(f"{G}/why/1")
        assert thought["text"]
        assert (why["turn"]["thought"], why["origin"]) == (thought, "user")
        assert texts(door.post(f"{G}/turn", {}, **IN_ONE_PIECE)["lines"])[-1] == "その次"
    assert verify(journal, "g") == []


@pytest.mark.parametrize(("asked", "status"), [({"turn": 3}, 404), ({"turn": 0}, 422), ({"text": ""}, 422)])
def test_what_is_not_there_cannot_be_put_in_other_words(door: WholeDoor, asked: dict[str, object], status: int) -> None:
    refused(door.send(json.dumps({"text": "「え」", **asked}).encode(), f"{G}/edit"), status)
    assert [one["name"] for one in door.get(f"{G}/branches")] == ["main"]


def test_before_anybody_spoke_there_is_nothing_to_change_or_to_go_on_from() -> None:
    with garden() as door:
        assert refused(door.send(b'{"text": "x"}', f"{G}/edit"), 404)["key"] == "garden.no-turn"
        assert refused(door.send(b"{}", f"{G}/continue"), 409)["key"] == "play.nobody-spoke"


def test_whoever_spoke_last_goes_on_and_is_told_so() -> None:
    model = performing("「まず、」", "「それから、」", "「うん」")
    with garden(model) as door:
        acted(door, "あゆ", "（台所に行く）")  # alone, one would go on without being told so
        first = door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        second = door.post(f"{G}/continue", {}, **IN_ONE_PIECE)
        assert (second["who"], second["turn"], texts(second["lines"])[-1]) == (first["who"], 3, "それから、")
        after = door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        assert after["who"] != first["who"]
    asked = ["".join(one.content for one in messages) for _, messages in model.calls]
    assert ["直前の自分の言葉の続き" in prompt for prompt in asked] == [False, False, True, True, False, False]


def test_a_line_tells_who_it_is_from_and_whether_the_director_put_it_right() -> None:
    with garden(performing("「おはよう」", "（スマホを見る）「え」")) as door:
        for _ in range(2):
            door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        door.post(f"{G}/say", {"text": "やあ"})
        acted(door, "やな", "「はい」")
        lines = [line for line in door.get(f"{G}/script")["lines"] if line["kind"] != "scene"]
        assert [(line["origin"], line["directed"]) for line in lines] == [
            ("gm", False), ("actor", False), ("actor", True), ("user", False), ("user", False),
        ]  # fmt: skip
