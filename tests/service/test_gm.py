"""POST /v1/gm/step: the seed's contract, retakes, memory across restarts, and what it does when it cannot write."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import pytest

from hakoniwa.errors import JournalFull, ModelMisbehaved
from hakoniwa.gm.request import checked_request
from hakoniwa.journal import GardenRecord, Journal, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.service import gm_sessions
from hakoniwa.service.gm_sessions import GMSessions, SecondReader
from hakoniwa.stage.patch import apply
from hakoniwa.turn import Event, PatchOp
from tests.service.door import MORNING, Door, refused, request, together
from tests.worlds import kitchen

SEED_FIELDS = ["parsed", "allowed", "denied_reason", "world_delta", "stall_score", "fact_cards"]
QUESTION = "「今日のごはん何にする？」"
GLASS = "（グラスを手に取る）「乾杯しよう」"
CUP = "（マグカップを手に取る）「おはよう」"
T = TypeVar("T")


@pytest.fixture
def door() -> Iterator[Door]:
    with Door() as opened:
        yield opened


# --- the contract ----------------------------------------------------------------------------------------------------


def test_the_seeds_own_example_is_answered_as_the_seed_says(door: Door) -> None:
    ruling = door.ruling()
    parsed, (event,) = ruling["parsed"], ruling["world_delta"]
    assert parsed["thought"] == "(朝のキッチン)"
    assert parsed["speech"] == "おはよう、あゆ。今日のごはん何にする？"
    assert [(one["intent"], one["target"]) for one in parsed["action_intents"]] == [("SAY", "あゆ"), ("ASK", "あゆ")]
    assert all(one["detail"] for one in parsed["action_intents"])
    assert (ruling["allowed"], ruling["denied_reason"], ruling["stall_score"]) == (True, None, 0.0)
    assert (event["op"], event["path"]) == ("add", "/events/-")
    assert "やな" in event["value"]
    assert "あゆ" in event["value"]
    assert any(card.startswith("FACT: ") and "マグカップ" in card for card in ruling["fact_cards"])


def test_the_six_fields_of_the_seed_come_first(door: Door) -> None:
    assert list(door.ruling())[: len(SEED_FIELDS)] == SEED_FIELDS


def test_the_delta_of_the_example_applies(door: Door) -> None:
    delta = [PatchOp.model_validate(one) for one in door.ruling()["world_delta"]]
    world = apply(checked_request(request()).world_state, delta)
    assert list(world.events) == [one.value for one in delta]


def test_the_english_door_is_the_same_door(door: Door) -> None:
    world = {
        "version": "0.1",
        "location": {"current": "kitchen"},
        "characters": {"Yana": {"location": "kitchen"}, "Ayu": {"location": "kitchen"}},
        "props": {"mug": {"location": "kitchen"}},
        "events": [],
    }
    told = {"speaker": "Yana", "world_state": world}
    ruling = door.ruling(**told, raw_output="Thought: Morning.\nOutput: Good morning, Ayu. What shall we eat?")
    assert ruling["parsed"]["thought"] == "Morning."
    assert ("ASK", "Ayu") in [(one["intent"], one["target"]) for one in ruling["parsed"]["action_intents"]]
    assert any("mug" in card for card in ruling["fact_cards"])
    denied = door.ruling(**told, turn_number=1, raw_output='*picks up the glass* "Cheers!"')
    assert (denied["allowed"], denied["denied_reason"]) == (False, "MISSING_OBJECT")


def test_fields_of_other_engines_are_ignored(door: Door) -> None:
    plain = door.ruling()
    world = kitchen(mood_engine={"version": 3})
    world["characters"]["やな"]["sprite"] = "yana_01.png"
    world["props"]["マグカップ"]["weight"] = 0.3
    mixed = door.ruling(session_id="朝-2", world_state=world, temperature=0.7, meta={"engine": "duo-talk"})
    assert mixed == plain


def test_a_denial_changes_nothing_and_says_why(door: Door) -> None:
    ruling = door.ruling(raw_output=GLASS)
    assert (ruling["allowed"], ruling["denied_reason"], ruling["world_delta"]) == (False, "MISSING_OBJECT", [])
    assert (ruling["explanation"]["rule"], ruling["explanation"]["written"]) == ("missing.thing", "グラス")
    assert 1 <= len(ruling["explanation"]["instead"]) <= 3
    assert "グラス" in ruling["fact_cards"][0]


def test_possible_acts_come_only_when_asked_for_and_as_many_as_asked_for(door: Door) -> None:
    assert door.ruling()["possible_acts"] is None
    two = door.ruling(session_id="二つ", possible_acts=2)["possible_acts"]
    many = door.ruling(session_id="全部", possible_acts=True)["possible_acts"]
    assert len(two) == 2
    assert two == many[:2]
    assert "(GET: マグカップ)" in many


def test_every_possible_act_is_allowed(door: Door) -> None:
    for place, act in enumerate(door.ruling(possible_acts=200)["possible_acts"]):
        assert door.ruling(session_id=f"試し-{place}", raw_output=act)["allowed"], act


def test_acts_may_come_as_data_and_are_part_of_the_key(door: Door) -> None:
    first = door.step(raw_output="「おはよう」", acts=["GET: マグカップ"])
    assert first.json()["told"] == ["やなはマグカップを手に取った。"]
    assert door.step(raw_output="「おはよう」", acts=["GET: マグカップ"]).content == first.content
    refused(door.step(raw_output="「おはよう」", acts=[]), 409)
    denied = door.ruling(turn_number=1, acts=["GET: グラス"], raw_output="")
    assert (denied["denied_reason"], denied["world_delta"]) == ("MISSING_OBJECT", [])
    assert door.ruling(turn_number=1, acts=["GET: マグカップ"], raw_output="")["allowed"]


@pytest.mark.parametrize(("language", "told"), [("ja", "'飛ぶ鳥: 窓' という行動は"), ("en", "'飛ぶ鳥: 窓' is no act")])
def test_an_act_that_is_none_is_a_problem_that_names_it(door: Door, language: str, told: str) -> None:
    body = json.dumps(request(acts=["飛ぶ鳥: 窓"])).encode()
    assert told in refused(door.send(body, accept_language=language), 422)["detail"]


# --- a second reading ------------------------------------------------------------------------------------------------

UNSURE = "（手帳をこねくり回す）"  # names a thing and is no act


def notebook_room() -> dict[str, Any]:
    return kitchen(props={"手帳": {"location": "キッチン"}})


def meaning(number: int) -> ScriptedModel:
    return ScriptedModel({"gm.second": [json.dumps({"meant": number})]}, loop=True)


def second_door(model: ScriptedModel, journal: Journal | None = None, *, of_denials: bool = False) -> Door:
    return Door(journal, second=SecondReader(lambda: Ledger(model), of_denials))


def meant(door: Door, **changes: Any) -> dict[str, Any]:
    return door.ruling(world_state=notebook_room(), **{"raw_output": UNSURE, **changes})


def test_a_model_says_what_was_meant_and_the_world_what_is_true() -> None:
    with Door() as plain:
        assert meant(plain)["parsed"]["unread"] == ["手帳をこねくり"]
    model = meaning(1)
    with second_door(model) as door:
        ruling = meant(door)
        far = {**notebook_room()["props"]["手帳"], "location": "リビング"}
        elsewhere = door.ruling(session_id="夜", raw_output=UNSURE, world_state=kitchen(props={"手帳": far}))
    assert (ruling["told"], ruling["parsed"]["unread"]) == (["やなは手帳を手に取った。"], [])
    assert elsewhere["denied_reason"] == "WRONG_LOCATION"
    _, (asked,) = model.calls[0]
    assert "手帳をこねくり" in asked.content
    assert "1. 手帳を手に取る" in asked.content
    assert MORNING not in asked.content


@pytest.mark.parametrize("reply", ['{"meant": 0}', '{"meant": 99}', "はい", ModelMisbehaved("model.silent")])
def test_nothing_is_done_where_none_is_meant_or_the_model_fails(reply: str | Exception) -> None:
    with second_door(ScriptedModel({"gm.second": [reply]}, loop=True)) as door, Door() as plain:
        asked, unasked = meant(door), meant(plain)
    assert (asked["allowed"], asked["world_delta"]) == (True, [])
    assert asked["parsed"]["unread"] == unasked["parsed"]["unread"]


@pytest.mark.parametrize("of_denials", [False, True])
def test_a_denial_falls_only_where_the_setting_says_so(of_denials: bool) -> None:
    with second_door(meaning(0), of_denials=of_denials) as door:
        assert door.ruling(raw_output=GLASS)["allowed"] is of_denials


def test_a_reply_without_doubt_is_not_asked_about_nor_one_with_acts() -> None:
    model = meaning(1)
    with second_door(model) as door:
        door.ruling()
        meant(door, turn_number=1, acts=[])
    assert model.calls == []


def test_the_answer_is_in_the_journal_and_is_used_again() -> None:
    journal, model = MemoryJournal(), meaning(1)
    with second_door(model, journal) as door:
        first = meant(door)
        assert meant(door) == first
        (call,) = journal.calls("gm/朝-1", "main", 0)
    assert (call.call["purpose"], call.call["reply"], call.speaker) == ("gm.second", '{"meant": 1}', "やな")
    assert len(model.calls) == 1


def test_what_a_crash_kept_from_being_written_is_not_asked_again() -> None:
    journal, model = MemoryJournal(), meaning(1)
    with second_door(model, journal) as door:
        door.wait_for(_lost_step(journal, model))
        assert meant(door)["told"] == ["やなは手帳を手に取った。"]
    assert len(model.calls) == 1


async def _lost_step(journal: Journal, model: ScriptedModel) -> None:
    """A step of a process that died before it wrote what it answered."""
    sessions = GMSessions(journal, SecondReader(lambda: Ledger(model)))
    body = request(world_state=notebook_room(), raw_output=UNSURE)
    await sessions.step(checked_request(body), b"1")
    sessions._closing = True


def test_what_was_not_read_is_a_fact_card_on_request(door: Door) -> None:
    assert not any("こねくり" in card for card in meant(door)["fact_cards"])
    cards = meant(door, turn_number=1, unread_card=True)["fact_cards"]
    assert cards[-1] == "FACT: 読み取れず、何も起きていない：「手帳をこねくり」。"
    assert len(cards) <= 3


# --- across turns ----------------------------------------------------------------------------------------------------


def test_the_third_same_question_in_a_row_is_denied(door: Door) -> None:
    asked = [door.ruling(turn_number=turn, raw_output=QUESTION) for turn in range(3)]
    assert [one["denied_reason"] for one in asked] == [None, None, "RATE_LIMITED"]


def test_sessions_and_speakers_do_not_share_their_patience(door: Door) -> None:
    for turn in range(2):
        door.ruling(turn_number=turn, raw_output=QUESTION)
    assert door.ruling(turn_number=2, raw_output=QUESTION, session_id="夜-1")["allowed"]
    assert door.ruling(turn_number=2, raw_output=QUESTION, speaker="あゆ")["allowed"]
    assert not door.ruling(turn_number=2, raw_output=QUESTION)["allowed"]


def test_talk_that_goes_nowhere_raises_the_stall_score_and_movement_lowers_it(door: Door) -> None:
    speakers = ("やな", "あゆ")
    idle = [
        door.ruling(turn_number=turn, speaker=speakers[turn % 2], raw_output=f"「うん、そうだね{'。' * turn}」")
        for turn in range(7)
    ]
    scores = [one["stall_score"] for one in idle]
    assert scores[0] == 0.0
    assert scores == sorted(scores)
    assert scores[-1] > 0.5
    assert any("停滞" in card for card in idle[-1]["fact_cards"])
    moved = door.ruling(turn_number=7, speaker="あゆ", raw_output=CUP)
    assert moved["stall_score"] < scores[-1]


def test_an_answer_is_read_as_one_because_the_question_is_remembered(door: Door) -> None:
    door.ruling()
    reply = door.ruling(turn_number=1, speaker="あゆ", raw_output="「パンがいいな」")
    assert [one["intent"] for one in reply["parsed"]["action_intents"]] == ["ANSWER"]


# --- the same key ----------------------------------------------------------------------------------------------------


def test_the_same_request_gets_the_same_answer_and_happens_once(door: Door) -> None:
    first = [door.step(turn_number=turn, raw_output=QUESTION) for turn in range(2)]
    again = [door.step(turn_number=turn, raw_output=QUESTION) for turn in (0, 0, 1, 1, 0)]
    assert [one.content for one in again] == [first[turn].content for turn in (0, 0, 1, 1, 0)]
    assert door.ruling(turn_number=2, raw_output=QUESTION)["denied_reason"] == "RATE_LIMITED"


def test_many_at_once_with_one_key_get_one_answer(door: Door) -> None:
    body = json.dumps(request(), ensure_ascii=False).encode()
    answers = door.wait_for(together(*(door.sending(body) for _ in range(20))))
    assert {one.status_code for one in answers} == {200}
    assert len({one.content for one in answers}) == 1


def test_another_body_after_a_denial_is_a_retake(door: Door) -> None:
    assert not door.ruling(raw_output=GLASS)["allowed"]
    assert not door.ruling(raw_output="（ワイングラスを手に取る）「乾杯」")["allowed"]
    retaken = door.ruling(raw_output=CUP)
    assert retaken["allowed"]
    assert door.ruling(raw_output=CUP) == retaken


def test_another_body_after_an_allowed_answer_is_a_conflict(door: Door) -> None:
    allowed = door.ruling(raw_output=CUP)
    assert refused(door.step(raw_output=QUESTION), 409)["title"] == "Already answered"
    assert door.ruling(raw_output=CUP) == allowed
    assert door.ruling(raw_output=QUESTION, speaker="あゆ")["allowed"]
    assert door.ruling(raw_output=QUESTION, turn_number=1)["allowed"]


def test_retakes_of_one_turn_count_once(door: Door) -> None:
    door.ruling(turn_number=0, raw_output=QUESTION)
    for glass in ("グラス", "ワイングラス", "ビールジョッキ"):
        assert not door.ruling(turn_number=1, raw_output=f"（{glass}を手に取る）{QUESTION}")["allowed"]
    assert door.ruling(turn_number=1, raw_output=QUESTION)["allowed"]
    assert door.ruling(turn_number=2, raw_output=QUESTION)["denied_reason"] == "RATE_LIMITED"
    assert door.ruling(turn_number=2, raw_output="「パンにしようか」")["allowed"]
    assert door.ruling(turn_number=3, raw_output=QUESTION)["allowed"]


def test_a_retake_of_an_answer_is_still_an_answer(door: Door) -> None:
    door.ruling()
    assert not door.ruling(turn_number=1, speaker="あゆ", raw_output=f"{GLASS}「パンがいいな」")["allowed"]
    retaken = door.ruling(turn_number=1, speaker="あゆ", raw_output="「パンがいいな」")
    assert [one["intent"] for one in retaken["parsed"]["action_intents"]] == ["ANSWER"]


# --- across restarts -------------------------------------------------------------------------------------------------


def test_history_survives_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/journal.db"
    told: list[dict[str, Any]] = [
        {"raw_output": GLASS},
        {"raw_output": QUESTION},
        {"speaker": "あゆ", "raw_output": "「パンがいいな」"},
        {"turn_number": 1, "raw_output": QUESTION},
    ]
    with Door(open_journal(url)) as door:
        first = [door.step(**one).content for one in told]
    with Door(open_journal(url)) as door:
        assert [door.step(**one).content for one in told[1:]] == first[1:]
        refused(door.step(turn_number=1, raw_output=CUP), 409)
        third = door.ruling(turn_number=2, raw_output=QUESTION)
        assert third["denied_reason"] == "RATE_LIMITED"
    with Door(open_journal(url)) as door:
        assert door.ruling(turn_number=2, raw_output=QUESTION) == third
        assert door.ruling(turn_number=2, raw_output="「パンにしようか」")["allowed"]


def test_the_stall_score_goes_on_after_a_restart_as_if_nothing_had_happened(tmp_path: Path) -> None:
    lines = [{"turn_number": turn, "raw_output": f"「うん、そうだね{'。' * turn}」"} for turn in range(8)]
    with Door() as door:
        unbroken = [door.ruling(**line)["stall_score"] for line in lines]
    broken = []
    for line in lines:
        with Door(open_journal(f"sqlite:///{tmp_path}/journal.db")) as door:
            broken.append(door.ruling(**line)["stall_score"])
    assert broken == unbroken
    assert broken[-1] > 0.5


def test_old_answers_are_read_back_from_the_journal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gm_sessions, "KEPT_ANSWERS", 2)
    with Door(open_journal(f"sqlite:///{tmp_path}/journal.db")) as door:
        first = [door.step(turn_number=turn, raw_output=f"「{turn}だよ」").content for turn in range(9)]
        door.pause(4 * gm_sessions.DELAY)
        assert [door.step(turn_number=turn, raw_output=f"「{turn}だよ」").content for turn in range(9)] == first


def test_only_the_newest_of_very_many_steps_are_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gm_sessions, "AT_HAND", 3)
    lines: list[dict[str, Any]] = [{"turn_number": turn, "raw_output": f"「{turn}だよ」"} for turn in range(20)]
    url = f"sqlite:///{tmp_path}/journal.db"
    with Door(open_journal(url)) as door, following(gm_sessions.GMSession) as sessions:
        first = []
        for line in lines:
            first.append(door.step(**line).content)
            door.pause(1.5 * gm_sessions.DELAY)
        assert len(sessions[0].answers) < 6
        assert [door.step(**line).content for line in lines] == first
        refused(door.step(turn_number=0, raw_output=CUP), 409)
        assert len(sessions[0].answers) < 6
    with Door(open_journal(url)) as door, following(gm_sessions.GMSession) as sessions:
        assert [door.step(**line).content for line in lines] == first
        assert len(sessions[0].answers) < 6


def test_a_denial_of_long_ago_can_still_be_retaken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gm_sessions, "AT_HAND", 2)
    with Door() as door:
        assert not door.ruling(raw_output=GLASS)["allowed"]
        for turn in range(1, 9):
            door.step(turn_number=turn, raw_output=f"「{turn}だよ」")
            door.pause(1.5 * gm_sessions.DELAY)
        retaken = door.ruling(raw_output=CUP)
        assert retaken["allowed"]
        assert door.ruling(raw_output=CUP) == retaken
        refused(door.step(raw_output=GLASS), 409)


@contextmanager
def following(kind: type[T]) -> Iterator[list[T]]:
    """Everything of a kind that is made meanwhile."""
    made: list[T] = []
    honest = kind.__init__
    with patch.object(kind, "__init__", lambda one, *a, **k: (made.append(one), honest(one, *a, **k))[1]):
        yield made


def test_more_sessions_than_are_kept_open_lose_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gm_sessions, "OPEN_SESSIONS", 5)
    names = [f"部屋-{number}" for number in range(40)]
    with Door(open_journal(f"sqlite:///{tmp_path}/journal.db")) as door:
        for turn in range(2):
            bodies = [
                json.dumps(request(session_id=name, turn_number=turn, raw_output=QUESTION)).encode() for name in names
            ]
            answers = door.wait_for(together(*(door.sending(body) for body in bodies)))
            assert {one.status_code for one in answers} == {200}
            door.pause(4 * gm_sessions.DELAY)
        third = [door.ruling(session_id=name, turn_number=2, raw_output=QUESTION) for name in names]
        assert {one["denied_reason"] for one in third} == {"RATE_LIMITED"}


def test_two_servers_on_one_journal_do_not_lose_each_others_turns(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/journal.db"
    with Door(open_journal(url)) as one, Door(open_journal(url)) as other:
        one.ruling(turn_number=0, raw_output=QUESTION)
        one.pause(4 * gm_sessions.DELAY)
        other.ruling(turn_number=1, raw_output=QUESTION)
        other.pause(4 * gm_sessions.DELAY)
        one.ruling(turn_number=2, raw_output=CUP)
        one.ruling(session_id="別の部屋", raw_output=QUESTION)
    with Door(journal := open_journal(url)) as later:
        refused(later.step(turn_number=0, raw_output=CUP), 409)
        refused(later.step(turn_number=1, raw_output=CUP), 409)
        refused(later.step(turn_number=2, raw_output=QUESTION), 409)
        refused(later.step(session_id="別の部屋", raw_output=CUP), 409)
        assert [journal.check(garden.id) for garden in journal.gardens()] == [[], []]


# --- when the journal cannot be written ------------------------------------------------------------------------------


class FullJournal(MemoryJournal):
    """A journal on a disk that fills up and is cleared again."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        self._room()
        return super().append(garden, branch, events, after)

    def create(self, garden: GardenRecord) -> None:
        self._room()
        super().create(garden)

    def _room(self) -> None:
        if self.full:
            raise JournalFull("journal.full", path="journal.db", problem="no space left")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gm_sessions, "MAX_UNWRITTEN", 5)
    monkeypatch.setattr(gm_sessions, "RETRY", 0.02)


def line(turn: int) -> dict[str, Any]:
    return {"turn_number": turn, "raw_output": f"「これで{turn}回目だね」"}


def test_a_full_journal_is_answered_over_until_too_much_is_unwritten(
    impatient: None, caplog: pytest.LogCaptureFixture
) -> None:
    journal = FullJournal()
    with Door(journal) as door:
        first = [door.step(**line(0)).content]
        door.pause(4 * gm_sessions.DELAY)
        journal.full = True
        first += [door.step(**line(turn)).content for turn in range(1, 6)]
        door.pause(4 * gm_sessions.DELAY)
        assert refused(door.step(**line(6)), 503)["key"] == "journal.full"
        assert [door.step(**line(turn)).content for turn in range(6)] == first
        refused(door.step(**line(6)), 503)
        refused(door.step(session_id="新しい部屋"), 503)
        assert door.send(b"", "/health", "GET").status_code == 200

        journal.full = False
        door.pause(4 * gm_sessions.DELAY)
        assert door.step(**line(6)).status_code == 200
        assert door.step(session_id="新しい部屋").status_code == 200
    assert journal.check("gm/朝-1") == []
    with Door(journal) as door:
        assert [door.step(**line(turn)).content for turn in range(6)] == first
    waits, *refusals = [one.getMessage() for one in caplog.records if one.name == "hakoniwa.service"]
    assert waits.startswith("what the GM answered waits to be written: ")
    assert [one.partition(": ")[2][:16] for one in refusals] == ["503 journal.full"] * 3


def test_what_a_full_journal_refused_is_written_as_soon_as_there_is_room(impatient: None) -> None:
    journal = FullJournal()
    with Door(journal) as door:
        door.step(**line(0))
        journal.full = True
        door.step(**line(1))
        door.pause(4 * gm_sessions.DELAY)
        assert journal.lineage("gm/朝-1", "main") == []
        journal.full = False
        door.pause(4 * gm_sessions.DELAY)
        (row,) = journal.lineage("gm/朝-1", "main")
        assert [one["past"]["turn"] for one in row.event.payload["steps"]] == [0, 1]


def test_a_step_that_comes_while_others_are_being_written_is_written_too() -> None:
    journal = SlowJournal()
    with Door(journal) as door:
        door.step(**line(0))
        door.pause(gm_sessions.DELAY + journal.takes / 2)
        door.step(**line(1))
        door.pause(3 * (gm_sessions.DELAY + journal.takes))
        rows = journal.lineage("gm/朝-1", "main")
        assert [one["past"]["turn"] for row in rows for one in row.event.payload["steps"]] == [0, 1]


def test_steps_that_two_write_at_once_are_appended_once() -> None:
    journal = MemoryJournal()

    async def written() -> list[int]:
        sessions = GMSessions(journal)
        for turn in range(3):
            await sessions.step(checked_request(request(**line(turn))), str(turn).encode())
        await asyncio.gather(sessions.write(), sessions.write())
        rows = journal.lineage("gm/朝-1", "main")
        await sessions.close()
        return [one["past"]["turn"] for row in rows for one in row.event.payload["steps"]]

    assert asyncio.run(written()) == [0, 1, 2]


class SlowJournal(MemoryJournal):
    """A journal whose writes take their time."""

    takes = 0.1

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        asyncio.run(asyncio.sleep(self.takes))
        return super().append(garden, branch, events, after)
