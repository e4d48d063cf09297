"""Gardens over HTTP to look at: the list, the world at any turn, the script by pages, minds, reasons, files to keep."""

import base64
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.play.export import to_html, to_jsonl, to_markdown
from hakoniwa.play.highlights import highlights
from hakoniwa.play.script import script_of
from hakoniwa.play.session import Session
from tests.gardens import opened, played, shipped_garden
from tests.play.parlour import after
from tests.service.door import WholeDoor, refused
from tests.service.plot import IN_ONE_PIECE, G, acted, garden, performing
from tests.service.talk import begun

STORY = [
    ("やな", "（カップを手に取る）「寒いね」"),
    ("あゆ", "（台所に行く）「ただいま」"),
    ("やな", "（小箱を開ける）"),
    ("あゆ", "（戸棚を開ける）"),
]


@pytest.fixture(scope="module")
def told() -> Iterator[WholeDoor]:
    """A garden in which a few things have happened; nobody changes it."""
    with garden() as door:
        door.post(f"{G}/cue", {"cue": "pin", "who": "あゆ"})
        for who, text in STORY:
            acted(door, who, text)
        yield door


# --- the list --------------------------------------------------------------------------------------------------------


def test_a_garden_begins_with_its_opening_words(tmp_path: Path) -> None:
    with WholeDoor(home=tmp_path) as door:
        made = door.post("/v1/gardens", {"scenario": "tea_room", "name": "t", "seed": 7})
        assert (made["id"], made["scenario"], made["seed"], made["turn"]) == ("t", "tea_room", 7, 0)
        opening = door.get("/v1/gardens/t/script")["lines"]
        assert [line["kind"] for line in opening] == ["scene", "opening"]
        refused(door.send(b'{"name": "t"}', "/v1/gardens"), 409)
        assert refused(door.send(b'{"scenario": "nowhere"}', "/v1/gardens"), 404)["key"] == "unknown.scenario"


def test_gardens_are_listed_the_last_played_first_and_chats_are_not_among_them(tmp_path: Path) -> None:
    with WholeDoor(home=tmp_path) as door:
        begun(door)
        for name in ("a", "b"):
            door.post("/v1/gardens", {"name": name})
        door.post("/v1/gardens/a/turn", {}, **IN_ONE_PIECE)
        listed = door.get("/v1/gardens")
        assert [(one["id"], one["turn"], one["branches"], one["running"]) for one in listed] == [
            ("a", 1, ["main"], []), ("b", 0, ["main"], []),
        ]  # fmt: skip
        assert listed[0]["at"] >= listed[1]["at"]
        assert len(door.get("/v1/gardens?limit=1")) == 1
        assert refused(door.send(b"", "/v1/gardens/c", "GET"), 404)["key"] == "unknown.garden"


def test_a_garden_that_has_ended_is_listed_as_ended_until_somebody_goes_on() -> None:
    with garden() as door:
        acted(door, "やな", "（盆を手に取る）")
        assert door.get(G)["ended"] == "goal"
        assert door.get("/v1/gardens")[0]["ended"]
        door.post(f"{G}/say", {"text": "お疲れさま"})
        assert door.get("/v1/gardens")[0]["ended"]
        acted(door, "やな", "（盆を置く）")
        assert not door.get("/v1/gardens")[0]["ended"]
        assert door.get(G)["ended"] is None


# --- the world at any turn -------------------------------------------------------------------------------------------


def of(view: dict[str, Any], table: str, name: str) -> dict[str, Any]:
    return next(one for one in view[table] if name in (one.get("who"), one.get("name")))


def test_everything_is_where_it_is_now(told: WholeDoor) -> None:
    view = told.get(G, **{"accept-language": "ja"})
    assert (view["turn"], view["newest"], view["room"]) == (4, 4, "台所")
    told_sky = {"label": "夜", "clock": "18:40", "weather": "雨", "tension": "Low"}
    assert view["sky"] == {**told_sky, "light": "dusk", "falls": "rain"}
    assert [(room["name"], [way["to"] for way in room["exits"]]) for room in view["rooms"]] == [
        ("台所", ["居間"]), ("居間", ["台所"]),
    ]  # fmt: skip
    yana = of(view, "people", "やな")
    assert (yana["location"], yana["holding"], yana["mood"]["label"]) == ("台所", ["カップ"], "calm")
    assert of(view, "people", "あゆ")["location"] == "台所"
    assert of(view, "things", "カップ")["held_by"] == "やな"
    cupboard = of(view, "things", "戸棚")
    assert (cupboard["state"], cupboard["words"], cupboard["container"]) == (["open"], ["開いている"], True)
    assert (view["next_speaker"], view["pinned"], view["muted"], view["ended"]) == ("あゆ", "あゆ", [], None)
    rain = {"id": "clear", "title": "", "text": "雨がやんだ。", "rung": False, "ready": True}
    assert view["incidents"] == [rain]
    assert view["pace"]["running"] is False
    assert view["speaking"]["who"] is None


@pytest.mark.parametrize(
    ("turn", "cup", "ayu", "cupboard"),
    [
        (0, None, "居間", "closed"),
        (1, "やな", "居間", "closed"),
        (2, "やな", "台所", "closed"),
        (4, "やな", "台所", "open"),
    ],
)
def test_and_where_it_was_at_the_end_of_any_turn(
    told: WholeDoor, turn: int, cup: str | None, ayu: str, cupboard: str
) -> None:
    view = told.get(f"{G}?turn={turn}")
    assert (view["turn"], view["newest"]) == (turn, 4)
    assert of(view, "things", "カップ")["held_by"] == cup
    assert of(view, "people", "あゆ")["location"] == ayu
    assert of(view, "things", "戸棚")["state"] == [cupboard]


def test_a_turn_that_has_not_come_cannot_be_looked_at(told: WholeDoor) -> None:
    assert refused(told.send(b"", f"{G}?turn=5", "GET"), 422)["key"] == "play.no-such-turn"
    assert refused(told.send(b"", f"{G}?branch=none", "GET"), 404)["key"] == "unknown.branch"


# --- the script ------------------------------------------------------------------------------------------------------


def test_the_script_by_pages_is_the_script(told: WholeDoor) -> None:
    whole = told.get(f"{G}/script?limit=500")
    pages, before = [], ""
    while True:
        page = told.get(f"{G}/script?limit=2{before}")
        pages.insert(0, page)
        assert page["total"] == whole["total"]
        if page["before"] is None:
            break
        before = f"&before={page['before']}"
    assert [line for page in pages for line in page["lines"]] == whole["lines"]
    assert [page["first"] for page in pages] == sorted(page["first"] for page in pages)


def test_it_can_be_read_on_from_a_row_or_from_a_turn(told: WholeDoor) -> None:
    whole = told.get(f"{G}/script?limit=500")["lines"]
    fifth = whole[4]
    after = told.get(f"{G}/script?after={fifth['seq']}")
    assert after["lines"] == [line for line in whole if line["seq"] > fifth["seq"]]
    assert after["after"] is None
    assert told.get(f"{G}/script?turn=3")["lines"] == [line for line in whole if line["turn"] >= 3]
    assert told.get(f"{G}/script?turn=99")["lines"] == []


def test_the_lines_are_those_of_the_printed_script() -> None:
    session = after(STORY)
    with WholeDoor(session.journal) as door:
        lines = door.get("/v1/gardens/parlour/script")["lines"]
    expected = [entry.model_dump() for entry in script_of(session.scenario.world, session.rows)]
    assert [{name: line[name] for name in expected[0]} for line in lines] == expected


def test_lines_of_a_highlight_are_marked() -> None:
    session = opened(shipped_garden("kitchen_morning", seed=3))
    played(session, 60)
    found = highlights(session)
    with WholeDoor(session.journal) as door:
        assert door.get("/v1/gardens/kitchen_morning/highlights") == [one.model_dump(mode="json") for one in found]
        lines = door.get("/v1/gardens/kitchen_morning/script?limit=500")["lines"]
    marked = {line["turn"]: set(line["highlights"]) for line in lines if line["highlights"]}
    assert found
    assert marked == {turn: {one.name for one in found if turn in one.turns} for one in found for turn in one.turns}


# --- acts, minds and reasons -----------------------------------------------------------------------------------------


def test_possible_acts_can_be_searched_and_sent_back() -> None:
    with garden() as door:
        found = door.get(f"{G}/acts?who=やな&q=カップ")
        assert {act["target"] for act in found["acts"]} == {"カップ"}
        take = next(act for act in found["acts"] if act["verb"] == "GET")
        assert (take["tag"], take["words"]) == ("(GET: カップ)", "カップを手に取る")
        few = door.get(f"{G}/acts?who=やな&limit=2")
        assert len(few["acts"]) == 2 < few["total"]
        acted(door, "やな", take["tag"])
        assert of(door.get(G), "people", "やな")["holding"] == ["カップ"]
        assert refused(door.send(b"", f"{G}/acts?who=誰", "GET"), 404)["key"] == "unknown.character"


def test_a_mind_is_shown_with_what_it_has_wrong() -> None:
    with garden() as door:
        acted(door, "やな", "（居間に行く）")
        acted(door, "あゆ", "（台所に行く）")
        acted(door, "あゆ", "（カップを手に取る）")
        mind = door.get(f"{G}/minds/やな")
        cup = next(one for one in mind["things"] if one["name"] == "カップ")
        assert (cup["believed"]["held_by"], cup["so"]["held_by"], cup["right"]) == (None, "あゆ", False)
        before = door.get(f"{G}/minds/やな?turn=1")
        assert next(one for one in before["things"] if one["name"] == "カップ")["right"]
        assert [one["turn"] for one in mind["moods"]] == [1]
        assert refused(door.send(b"", f"{G}/minds/誰", "GET"), 404)["key"] == "unknown.character"


def test_a_promise_is_a_wish_and_keeping_it_is_trusted() -> None:
    with garden() as door:
        acted(door, "あゆ", "（台所に行く）")
        acted(door, "やな", "「約束する、カップを手に取る」")
        wanted = [one["name"] for one in door.get(f"{G}/minds/やな")["desires"]]
        acted(door, "やな", "（カップを手に取る）")
        kept = next(one for one in door.get(f"{G}/relations") if (one["of"], one["who"]) == ("あゆ", "やな"))
        assert [(one["turn"], one["event"]) for one in kept["causes"]] == [(3, "kept")]
        before = next(one for one in door.get(f"{G}/relations?turn=2") if one["of"] == "あゆ")
        assert before["causes"] == []
        assert kept["bond"]["trust"] > before["bond"]["trust"]
        assert "あゆとの約束を守る（カップを手に取る）" in wanted


def test_desires_come_with_what_they_count_for(tmp_path: Path) -> None:
    with WholeDoor(home=tmp_path) as door:
        door.post("/v1/gardens", {"name": "k"})
        for _ in range(2):
            door.post("/v1/gardens/k/turn", {}, **IN_ONE_PIECE)
        mind = door.get("/v1/gardens/k/minds/やな")
        scores = [one["score"] for one in mind["desires"]]
        assert scores == sorted(scores, reverse=True)
        first = mind["desires"][0]
        assert first["score"] == pytest.approx(first["strength"] * first["urgency"] * first["weight"], abs=1e-3)
        assert mind["thought"]
        assert (mind["thought_at"], len(mind["ranked"]) > 1) == (1, True)


def test_why_tells_what_each_act_was_told_and_which_rule_stood_against_it(told: WholeDoor) -> None:
    fine, denied = (told.get(f"{G}/why/{turn}", **{"accept-language": "ja"}) for turn in (1, 3))
    assert fine["operation"] == {
        "extracted_raw": fine["turn"]["next_tag"], "normalized": fine["turn"]["next_tag"],
        "matched_id": fine["turn"]["next_speaker"], "reason": fine["turn"]["next_reason"],
        "policy": {"allow_self_nomination": False, "fallback": "round_robin", "fuzzy_threshold": 0.85},
    }  # fmt: skip
    assert fine["policy_told"] is None
    assert [(one["about"], one["allowed"]) for one in fine["asked"]] == [
        ("(GET: カップ)", True), ("claims", True), ("claims", True), ("repetition", True),
    ]  # fmt: skip
    assert {"op": "add", "path": "/props/カップ/held_by", "value": "やな"} in fine["changes"]
    assert fine["changes_told"] == ["やながカップを手にした。"]
    assert fine["read_told"] == ["カップを手に取る", "話す"]
    assert not any("FACT" in fact for fact in (*fine["facts_told"], *denied["facts_told"]))
    assert (fine["origin"], fine["witnesses"], fine["calls"]) == ("user", ["やな"], [])
    ruling = denied["turn"]["take"]["ruling"]
    last = denied["asked"][-1]
    assert (last["allowed"], last["reason"], last["rule"]) == (False, "INVALID_STATE", ruling["explanation"]["rule"])
    assert last["questions"][-1] == {
        "question": "state", "answer": "denied", "rule": last["rule"], "reason": "INVALID_STATE",
        "why": ruling["explanation"]["why"],
    }  # fmt: skip
    assert {one["answer"] for one in last["questions"][:-1]} == {"passed", "not_applicable"}
    assert [one["question"] for one in fine["asked"][0]["questions"]] == [
        "meant", "instrument", "source", "named", "exists", "here", "unclaimed", "in-reach", "movable", "hand-free",
        "size",
    ]  # fmt: skip
    assert refused(told.send(b"", f"{G}/why/9", "GET"), 404)["key"] == "garden.no-turn"


def test_why_shows_the_prompt_as_it_was_sent_and_what_came() -> None:
    with garden(performing("「おはよう」")) as door:
        door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
        calls = door.get(f"{G}/why/1")["calls"]
        assert [call["purpose"] for call in calls] == ["actor.think", "actor.perform"]
        assert calls[1]["reply"] == "「おはよう」"
        assert "やな" in calls[0]["messages"][0]["content"]
        assert {"prompt", "cached", "completion"} <= set(calls[0]["usage"])
        assert calls[0]["total_ms"] >= 0


# --- files to keep ---------------------------------------------------------------------------------------------------


FILES: dict[str, tuple[str, Callable[[Session], str]]] = {
    "md": ("text/markdown", partial(to_markdown, lang="en")),
    "html": ("text/html", partial(to_html, lang="en")),
    "jsonl": ("application/jsonl", to_jsonl),
}


def test_a_garden_can_be_handed_on_as_a_file_that_makes_it_again() -> None:
    with WholeDoor(after(STORY).journal) as door:
        raw = door.send(b"", "/v1/gardens/parlour/export?format=hakoniwa", "GET").content
        told = door.get("/v1/gardens/parlour/sharing")
    with WholeDoor() as other:
        body = json.dumps({"data": base64.b64encode(raw).decode()}).encode()
        made = other.send(body, "/v1/imports").json()
        assert (made["kind"], made["garden"]) == ("garden", "parlour")
        assert other.get("/v1/gardens/parlour/sharing") == told
        refused(other.send(body.replace(b"A", b"B", 40), "/v1/imports"), 422)


@pytest.mark.parametrize("form", FILES)
def test_a_garden_can_be_taken_away_as_a_file(form: str) -> None:
    session = after(STORY)
    kind, write = FILES[form]
    with WholeDoor(session.journal) as door:
        response = door.send(b"", f"/v1/gardens/parlour/export?format={form}", "GET")
        refused(door.send(b"", "/v1/gardens/parlour/export?format=exe", "GET"), 422)
    assert response.text == write(session)
    assert response.headers["content-type"].partition(";")[0] == kind
    assert response.headers["content-disposition"] == f"attachment; filename*=UTF-8''parlour.{form}"
    assert response.headers["x-content-type-options"] == "nosniff"
