"""Taking part in a garden over HTTP: turns as they come, playing by itself, words, acts, things, incidents and cues."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from hakoniwa.errors import ModelMisbehaved
from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service import live_gardens
from tests.service.door import WholeDoor, refused, together
from tests.service.plot import IN_ONE_PIECE, G, Hesitant, acted, frames, garden, performing, sent, texts


@pytest.fixture
def door() -> Iterator[WholeDoor]:
    with garden() as opened:
        yield opened


def kinds(door: WholeDoor, journal: Journal) -> list[str]:
    return [row.event.kind for row in journal.lineage("g", "main")]


# --- one turn --------------------------------------------------------------------------------------------------------


def test_a_turn_comes_piece_by_piece_and_then_as_what_happened() -> None:
    with garden(performing("（カップを手に取る）「おはよう、あゆ」")) as door:
        told = frames(door.send(b"{}", f"{G}/turn").text)
    assert [(one.event, one.data["phase"]) for one in told if one.event == "speaking"] == [
        ("speaking", "think"), ("speaking", "perform"), ("speaking", None),
    ]  # fmt: skip
    pieces = [one.data for one in told if one.event == "piece"]
    assert "（カップを手に取る）「おはよう、あゆ」".endswith("".join(one["text"] for one in pieces))
    rows = [one for one in told if one.event == "row"]
    assert [one.data["kind"] for one in rows] == ["opening", "turn", "clock"]
    assert rows[1].id == rows[1].data["seq"] == rows[2].data["parent"]
    done = told[-1]
    assert (done.event, done.id, done.data["turn"], done.data["who"]) == ("done", None, 1, "やな")
    assert "おはよう、あゆ" in texts(done.data["lines"])


def test_or_in_one_piece(door: WholeDoor) -> None:
    played = door.post(f"{G}/turn", {}, **IN_ONE_PIECE)
    assert (played["turn"], played["who"]) == (1, "やな")
    assert played["seq"] == door.get(G)["head"]


def test_what_a_retake_replaces_is_told_as_another_text() -> None:
    with garden(performing("（剣を抜く）", "「やめておこう」")) as door:
        told = frames(door.send(b"{}", f"{G}/turn").text)
    assert [one.data["phase"] for one in told if one.event == "speaking"][-2:] == ["retake", None]


def test_one_who_fails_is_passed_over_and_a_model_that_keeps_failing_is_a_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = ModelMisbehaved("model.empty", model="m")
    with garden(performing(broken, "「やっと話せた」")) as door:
        assert door.post(f"{G}/turn", {}, **IN_ONE_PIECE)["who"] == "あゆ"
    with garden(performing(broken, broken, broken)) as door:
        assert refused(door.send(b"{}", f"{G}/turn", **IN_ONE_PIECE), 502)["key"] == "model.empty"
        assert door.get(G)["ended"] == "model"
    assert "garden=g branch=main fault=model.empty: " in caplog.text
    assert "a turn of g is not played: 502 model.empty: " in caplog.text


def test_a_model_that_is_named_and_missing_is_told_and_the_garden_can_still_be_looked_at() -> None:
    def missing() -> None:
        raise ModelMisbehaved("model.empty", model="m")

    with WholeDoor(MemoryJournal(), missing) as door:
        door.post("/v1/gardens", {"name": "k"})
        refused(door.send(b"{}", "/v1/gardens/k/turn", **IN_ONE_PIECE), 502)
        assert door.get("/v1/gardens/k")["turn"] == 0


# --- stopping --------------------------------------------------------------------------------------------------------


def test_stop_closes_the_model_and_nothing_has_happened() -> None:
    model, journal = Hesitant(), MemoryJournal()

    async def stopped(door: WholeDoor) -> list[Any]:
        async def stop() -> Any:
            await model.speaking.wait()
            return await door.sending(b"{}", f"{G}/stop")

        return await together(door.sending(b"{}", f"{G}/turn", **IN_ONE_PIECE), stop())

    with garden(model, journal) as door:
        turn, stop = door.wait_for(stopped(door))
        assert refused(turn, 409)["key"] == "garden.stopped"
        assert stop.json()["running"] is False
        assert model.stopped == 1
        assert kinds(door, journal) == ["opening"]
        model.may_go_on.set()
        assert door.post(f"{G}/turn", {}, **IN_ONE_PIECE)["turn"] == 1


def test_whoever_hangs_up_stops_the_turn() -> None:
    model, journal = Hesitant(), MemoryJournal()
    with garden(model, journal) as door:
        text = door.wait_for(sent(door, "POST", f"{G}/turn", b"{}", lambda text: "ええと" in text))
        assert "ええと" in text
        assert model.stopped == 1
        assert kinds(door, journal) == ["opening"]


def test_nobody_else_gets_a_turn_while_somebody_speaks_but_words_wait_for_their_moment() -> None:
    model, journal = Hesitant(), MemoryJournal()

    async def meanwhile(door: WholeDoor) -> list[Any]:
        async def others() -> Any:
            await model.speaking.wait()
            second = await door.sending(b"{}", f"{G}/turn", **IN_ONE_PIECE)
            saying = asyncio.ensure_future(door.sending('{"text": "おはよう"}'.encode(), f"{G}/say"))
            await asyncio.sleep(0.05)
            assert not saying.done()
            model.may_go_on.set()
            return second, await saying

        return await together(door.sending(b"{}", f"{G}/turn", **IN_ONE_PIECE), others())

    with garden(model, journal) as door:
        turn, (second, said) = door.wait_for(meanwhile(door))
        assert turn.status_code == 200
        assert refused(second, 409)["key"] == "garden.busy"
        assert texts(said.json()["lines"]) == ["おはよう"]
        assert kinds(door, journal) == ["opening", "turn", "clock", "user"]


# --- by itself -------------------------------------------------------------------------------------------------------


def test_a_garden_plays_so_many_turns_by_itself(door: WholeDoor) -> None:
    assert door.post(f"{G}/run", {"turns": 4, "speed": 0}) == {
        "running": True, "speed": 0.0, "left": 4, "reason": None,
    }  # fmt: skip
    door.sooner_or_later(lambda: not door.get(G)["pace"]["running"])
    view = door.get(G)
    assert (view["turn"], view["pace"]["reason"]) == (4, "turns")


def test_it_pauses_after_the_turn_that_is_being_played_and_goes_on() -> None:
    model = Hesitant()

    async def paused(door: WholeDoor) -> None:
        await door.sending(b'{"speed": 0}', f"{G}/run")
        await model.speaking.wait()
        await door.sending(b"{}", f"{G}/pause")
        model.may_go_on.set()

    with garden(model) as door:
        door.wait_for(paused(door))
        door.sooner_or_later(lambda: not door.get(G)["pace"]["running"])
        door.pause(0.1)
        view = door.get(G)
        assert (view["turn"], view["pace"]["reason"], view["model"]) == (1, "asked", "hesitant")
        door.post(f"{G}/run", {"turns": 1, "speed": 0})
        door.sooner_or_later(lambda: door.get(G)["turn"] == 2)


def test_it_stops_where_the_story_ends() -> None:
    with garden(performing("（盆を手に取る）「できた」", loop=True)) as door:
        door.post(f"{G}/run", {"speed": 0})
        door.sooner_or_later(lambda: not door.get(G)["pace"]["running"])
        view = door.get(G)
        assert (view["ended"], view["pace"]["reason"]) == ("goal", "ended")


def test_a_run_that_nobody_watches_does_not_go_on_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "hakoniwa.service")
    with garden(turns_alone=3) as door:
        door.post(f"{G}/run", {"speed": 0})
        door.sooner_or_later(lambda: not door.get(G)["pace"]["running"])
        view = door.get(G)
        assert (view["turn"], view["pace"]["reason"]) == (3, "unwatched")
    assert caplog.messages == ["garden=g branch=main paused=unwatched"]


def test_only_so_many_gardens_play_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_gardens, "MOST_RUNNING", 1)
    with garden() as door:
        door.post(f"{G}/fork", {"name": "side"})
        door.post(f"{G}/run", {"speed": 60})
        response = door.send(b'{"branch": "side"}', f"{G}/run")
        assert refused(response, 429)["key"] == "garden.too-many"
        assert [one["running"] for one in door.get("/v1/gardens")] == [["main"]]
        door.post(f"{G}/run", {"speed": 0, "turns": 1})


# --- taking part -----------------------------------------------------------------------------------------------------


def test_a_voice_is_heard_where_the_camera_is_and_a_whisper_by_one() -> None:
    journal = MemoryJournal()
    with garden(journal=journal) as door:
        acted(door, "あゆ", "（台所に行く）")
        door.post(f"{G}/say", {"text": "やかんを火にかけて"})
        whisper = door.post(f"{G}/say", {"text": "カップを取って", "to": "あゆ"})
        loud, quiet = [row.event for row in journal.lineage("g", "main") if row.event.kind == "user"]
    assert set(loud.witnesses) == {"やな", "あゆ"}
    assert (loud.payload["urges"][0]["goal"]["did"]["target"], len(loud.payload["urges"][0]["who"])) == (["やかん"], 1)
    assert (quiet.witnesses, quiet.payload["to"], quiet.payload["urges"][0]["who"]) == (("あゆ",), "あゆ", ["あゆ"])
    assert [(line["text"], line["to"]) for line in whisper["lines"]] == [("カップを取って", "あゆ")]


def test_an_act_as_one_of_the_people_is_judged_like_any_other(door: WholeDoor) -> None:
    fine = acted(door, "やな", "（カップを手に取る）「あったかい」")
    assert (fine["turn"], texts(fine["lines"])[-1]) == (1, "あったかい")
    denied = acted(door, "やな", "（剣を抜く）")
    assert [line["kind"] for line in denied["lines"]] == ["denied"]
    assert refused(door.send('{"who": "誰か", "text": "x"}'.encode(), f"{G}/act"), 404)["key"] == "unknown.character"


def test_a_denied_act_is_told_with_what_could_be_done_instead(door: WholeDoor) -> None:
    denial = acted(door, "やな", "剣を抜く")["denial"]
    assert (denial["reason"], denial["why"]) == ("MISSING_OBJECT", "だが、剣はどこにもない。")
    assert acted(door, "やな", denial["instead"][0]["tag"])["denial"] is None


def test_a_line_that_reads_in_two_ways_is_asked_about_before_anything_is_written(door: WholeDoor) -> None:
    asked = acted(door, "やな", "調べる")
    assert (asked["turn"], asked["lines"], asked["denial"]) == (0, [], None)
    assert (asked["question"]["done"], asked["question"]["said"]) == ("（調べる）", "「調べる」")
    assert door.get(G)["turn"] == 0
    said = acted(door, "やな", asked["question"]["said"])
    assert (said["question"], texts(said["lines"])[-1]) == (None, "調べる")
    assert acted(door, "やな", "調べる", confirm=True)["turn"] == 2


def test_things_and_incidents_are_brought_about(door: WholeDoor) -> None:
    told = door.post(f"{G}/prop", {"name": "風船", "place": "居間"})
    assert texts(told["lines"]) == ["いつのまにか、そこに風船がある。"]
    door.post(f"{G}/incident", {"incident": "clear"})
    view = door.get(G)
    assert next(one for one in view["things"] if one["name"] == "風船")["location"] == "居間"
    assert (view["sky"]["weather"], view["incidents"][0]["rung"]) == ("晴れ", True)


@pytest.mark.parametrize(
    ("path", "body", "status", "key"),
    [
        ("prop", {"name": "カップ"}, 422, "play.prop-exists"),
        ("prop", {"name": "風船", "place": "どこにもない"}, 404, "unknown.place"),
        ("incident", {"incident": "none"}, 404, "unknown.incident"),
        ("cue", {"cue": "next", "who": "あゆ"}, 422, "play.not-here"),
        ("say", {"text": "やあ", "to": "誰か"}, 404, "unknown.character"),
        ("undo", {"turns": 1}, 409, "play.cannot-undo"),
        ("regenerate", {}, 409, "play.cannot-undo"),
        ("fork", {"name": "main"}, 409, "journal.branch-exists"),
        ("fork", {"name": "later", "turn": 3}, 422, "play.no-such-turn"),
        ("choose", {"take": "main"}, 404, "unknown.branch"),
    ],
)
def test_what_cannot_be_is_said_so(door: WholeDoor, path: str, body: dict[str, Any], status: int, key: str) -> None:
    assert refused(door.send(json.dumps(body).encode(), f"{G}/{path}"), status)["key"] == key
    assert door.get(G)["turn"] == 0


def test_cues_say_who_speaks(door: WholeDoor) -> None:
    acted(door, "あゆ", "（台所に行く）")
    door.post(f"{G}/cue", {"cue": "mute", "who": "あゆ"})
    assert (door.get(G)["muted"], door.get(G)["next_speaker"]) == (["あゆ"], "やな")
    door.post(f"{G}/cue", {"cue": "unmute", "who": "あゆ"})
    door.post(f"{G}/cue", {"cue": "next", "who": "あゆ"})
    assert (door.get(G)["cued"], door.get(G)["next_speaker"]) == ("あゆ", "あゆ")
    door.post(f"{G}/cue", {"cue": "pin", "who": "あゆ"})
    assert door.get(G)["pinned"] == "あゆ"
    door.post(f"{G}/cue", {"cue": "unpin"})
    assert door.get(G)["pinned"] is None
    refused(door.send(b'{"cue": "mute"}', f"{G}/cue"), 422)


# --- with others -----------------------------------------------------------------------------------------------------


def test_what_another_process_wrote_is_gone_on_from() -> None:
    journal = MemoryJournal()
    with garden(journal=journal) as here, garden(journal=journal) as there:
        acted(here, "やな", "（カップを手に取る）")
        acted(there, "やな", "（カップを置く）")
        assert here.get(G)["turn"] == 2
        acted(here, "やな", "（カップを手に取る）")
        assert there.get(G)["turn"] == 3
        assert there.post(f"{G}/undo", {"turns": 2})["turn"] == 1
        assert here.get(G)["turn"] == 1
        assert here.post(f"{G}/turn", {}, **IN_ONE_PIECE)["turn"] == 2


def test_a_turn_that_others_came_before_is_played_on_what_they_left() -> None:
    model, journal = Hesitant(), MemoryJournal()

    async def overtaken(here: WholeDoor) -> Any:
        async def other() -> None:
            await model.speaking.wait()
            session_rows = journal.lineage("g", "main")
            event = session_rows[0].event.model_copy(update={"kind": "user", "payload": {"text": "割りこみ"}})
            journal.append("g", "main", [event], session_rows[-1].seq)
            model.may_go_on.set()

        return await together(here.sending(b"{}", f"{G}/turn", **IN_ONE_PIECE), other())

    with garden(model, journal) as here:
        turn, _ = here.wait_for(overtaken(here))
        assert turn.status_code == 200
        assert kinds(here, journal) == ["opening", "user", "turn", "clock"]
