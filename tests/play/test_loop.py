"""The loop: how a garden goes on, and the named reasons for which it ends."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.errors import ModelSpent, ModelUnavailable, UsageError
from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.play.loop import end, play, resume
from hakoniwa.play.script import script_of
from hakoniwa.play.session import Session
from hakoniwa.play.state_hash import verify
from hakoniwa.play.turn import play_turn
from hakoniwa.play.user_acts import mute, nominate, pin, unmute
from hakoniwa.turn import Event, Turn
from tests.gardens import FREE, garden_of

WORLD: dict[str, Any] = {
    "location": {"current": "部屋"},
    "locations": {"部屋": {"exits": ["庭"]}, "庭": {"exits": ["部屋"]}},
    "characters": {
        "楓": {"location": "部屋"},
        "蓬": {"location": "部屋"},
        "梓": {"location": "部屋"},
        "柾": {"location": "庭"},
    },
    "props": {"箱": {"location": "部屋"}, "窓": {"location": "部屋", "fixed": True, "state": ["closed"]}},
}
QUIET, DENIED = "（頷く）", "(GET: 竜の鱗)"
FAULT = ModelUnavailable("model.no-line", purpose="actor.think")
Reply = str | Exception


def garden(
    replies: Sequence[Reply], thoughts: Sequence[Reply] = ("……",), journal: Journal | None = None, **scenario: Any
) -> Session:
    """A garden whose people all say what the script says; its last line goes on for ever."""
    script = {"actor.think": thoughts, "actor.perform": replies, "actor.retake": list(replies)[-1:]}
    model = ScriptedModel(script, loop=True)
    made = garden_of(WORLD, {}, **scenario)
    journal = journal or MemoryJournal()
    journal.create(made)
    return Session(journal, made, LanguageMind(model, FREE))


def played(session: Session, turns: int | None = None) -> list[Turn]:
    async def through() -> list[Turn]:
        return [turn async for turn in play(session, turns)]

    return asyncio.run(through())


def kinds(session: Session) -> list[str]:
    return [row.event.kind for row in session.rows]


def commit(session: Session, *events: Event) -> None:
    asyncio.run(session.commit(events))


# --- ends ----------------------------------------------------------------------------------------------------------


def test_after_the_turns_that_were_asked_for_it_can_go_on() -> None:
    session = garden([QUIET])
    assert len(played(session, 3)) == 3
    assert (session.standing.ended, len(played(session, 2))) == (None, 2)
    assert [turn.speaker for turn in session.standing.turns] == ["楓", "蓬", "梓", "楓", "蓬"]
    assert kinds(session)[0] == "opening"
    assert kinds(session).count("opening") == 1


def test_it_ends_with_its_goal() -> None:
    goal = {"state": {"窓": "open"}, "told": "風が入ってきた。"}
    session = garden([QUIET, "(OPEN: 窓)", QUIET], goal=goal)
    assert len(played(session)) == 2
    assert session.standing.ended == "goal"
    assert session.rows[-1].event.payload == {"reason": "goal", "text": "風が入ってきた。"}


ACTS = [
    {"id": "first", "title": "窓のこちら"},
    {
        "id": "second",
        "title": "風",
        "text": "第二幕。窓が開いた。",
        "opens": {"state": {"窓": "open"}},
        "delta": [{"op": "replace", "path": "/meta/tension", "value": "High"}],
    },
    {"id": "third", "title": "箱", "text": "第三幕。", "opens": {"holding": "箱"}},
]
GRABBED = {
    "id": "grabbed",
    "holding": "箱",
    "told": "箱は渡さない。",
    "epilogue": "三人はそれきり会わなかった。",
    "next": "sequel",
}
LEFT = {"id": "left", "at": "庭", "who": "楓", "when": {"after": "second"}, "told": "楓は庭へ出た。"}


def test_acts_open_in_their_order_when_their_goals_come_true() -> None:
    session = garden(["(GET: 箱)", QUIET, "(OPEN: 窓)", QUIET], acts=ACTS)
    played(session, 3)
    assert session.standing.rung == ["first", "second"]  # the third waits for it, though the box is held
    assert session.world.meta.tension == "High"
    played(session, 1)
    assert session.standing.rung == ["first", "second", "third"]
    assert [entry.text for entry in script_of(session.scenario.world, session.rows) if entry.kind == "incident"] == [
        "第二幕。窓が開いた。",
        "第三幕。",
    ]


def test_of_several_endings_the_first_whose_goal_has_come_true_is_told() -> None:
    session = garden(["(GET: 箱)", QUIET], endings=[LEFT, GRABBED])
    played(session)
    told = "箱は渡さない。\n三人はそれきり会わなかった。"
    assert session.rows[-1].event.payload == {"reason": "goal", "text": told, "ending": "grabbed", "next": "sequel"}
    assert session.standing.next_scenario == "sequel"


def test_an_ending_counts_in_its_act_and_for_whom_it_names() -> None:
    session = garden(["(MOVE: 庭)", "(OPEN: 窓)", QUIET], acts=ACTS, endings=[LEFT])
    assert len(played(session, 9)) == 2  # with the window open, somebody who was out there all along has left
    assert session.standing.endings == ["left"]


def test_one_may_go_on_from_an_ending_to_another() -> None:
    session = garden(
        ["(GET: 箱)", "(OPEN: 窓)", "(MOVE: 庭)", "(MOVE: 庭)", "(MOVE: 庭)", QUIET], endings=[GRABBED, LEFT], acts=ACTS
    )
    assert len(played(session)) == 1
    asyncio.run(resume(session))
    played(session, 12)
    assert session.standing.endings[0] == "grabbed"
    assert session.standing.endings.count("grabbed") == 1


def test_it_ends_when_nobody_is_left_to_speak() -> None:
    session = garden([QUIET])
    asyncio.run(session.open())
    commit(session, Event(kind="cue", turn=0, origin="user", payload={"muted": ["楓", "蓬", "梓", "柾"]}))
    assert len(played(session, 5)) == 1
    assert session.standing.ended == "none"


def test_one_who_is_left_alone_goes_on_alone() -> None:
    session = garden([QUIET])
    asyncio.run(session.open())
    commit(session, Event(kind="cue", turn=0, origin="user", payload={"muted": ["蓬", "梓", "柾"]}))
    assert [turn.speaker for turn in played(session, 3)] == ["楓"] * 3
    assert session.standing.ended is None


def test_five_denials_in_a_row_bring_an_incident_ten_the_end() -> None:
    session = garden([DENIED], incidents=[{"id": "wind", "text": "風が吹いた。", "once": False}], still_turns=99)
    turns = played(session)
    assert (len(turns), session.standing.ended) == (10, "denials")
    rung = [row.event for row in session.rows if row.event.kind == "incident"]
    assert [(one.turn, one.payload["cause"]) for one in rung if one.payload["cause"] == "denials"] == [(5, "denials")]


def test_an_act_that_succeeds_breaks_the_row() -> None:
    replies = [*[DENIED] * 9, QUIET, *[DENIED] * 9, QUIET]
    model = ScriptedModel({"actor.think": ["……"], "actor.perform": replies, "actor.retake": [DENIED]}, loop=True)
    session = garden([QUIET])
    session.mind = LanguageMind(model, FREE)
    turns = played(session, 20)
    assert len(turns) == 20
    assert [turn.number for turn in turns if turn.take.ruling.allowed] == [10, 20]
    assert session.standing.ended is None


def test_a_model_that_fails_three_times_in_a_row_ends_it() -> None:
    session = garden([QUIET], [FAULT])
    assert (played(session), session.standing.ended) == ([], "model")
    faults = [row.event for row in session.rows if row.event.kind == "fault"]
    assert [one.payload for one in faults] == [
        {"speaker": who, "fault": "model.no-line", "details": {"purpose": "actor.think"}, "next": following}
        for who, following in (("楓", "蓬"), ("蓬", "梓"), ("梓", "柾"))
    ]
    assert session.world.time.turn == 0


def test_it_ends_when_the_tokens_are_used_up() -> None:
    session = garden([QUIET], ["……", ModelSpent("model.session-budget", spent=9, limit=8)])
    assert (len(played(session)), session.standing.ended) == (1, "budget")


@pytest.mark.parametrize("reply", ["", " \n", "（）", "<think>うーん", "[Next: 蓬]", "Thought: 眠い"])
def test_a_model_that_never_says_or_does_anything_ends_it(reply: str) -> None:
    session = garden([reply])
    assert (played(session), session.standing.ended) == ([], "model")
    faults = [row.event.payload["fault"] for row in session.rows if row.event.kind == "fault"]
    assert faults == ["model.says-nothing"] * 3


def test_one_empty_reply_is_asked_for_again() -> None:
    session = garden(["（）"])
    script: dict[str, list[Reply]] = {"actor.think": ["……"], "actor.perform": ["（）"], "actor.retake": ["", QUIET]}
    session.mind = LanguageMind(ScriptedModel(script, loop=True), FREE)
    (turn,) = played(session, 1)
    assert (turn.take.performance.text, len(turn.take.retakes)) == (QUIET, 2)


def test_a_model_that_recovers_is_forgiven() -> None:
    session = garden([QUIET], [FAULT, FAULT, "……", FAULT, FAULT, "……"])
    assert [turn.speaker for turn in played(session, 3)] == ["梓", "梓", "楓"]
    assert session.standing.ended is None


def test_a_fault_in_the_second_phase_leaves_no_half_of_a_turn() -> None:
    session = garden([FAULT, QUIET])
    (turn,) = played(session, 1)
    assert turn.speaker == "蓬"
    assert kinds(session)[:3] == ["opening", "fault", "turn"]


def test_the_user_may_end_it() -> None:
    session = garden([QUIET])

    async def until_the_third() -> int:
        count = 0
        async for turn in play(session):
            count += 1
            if turn.number == 3:
                await end(session, "user")
        return count

    assert asyncio.run(until_the_third()) == 3
    assert session.standing.ended == "user"


@pytest.mark.parametrize(
    ("replies", "thoughts", "reason"), [([DENIED], ["……"], "denials"), ([QUIET], [FAULT], "model")]
)
def test_after_an_end_it_has_all_its_chances_again(replies: list[Reply], thoughts: list[Reply], reason: str) -> None:
    session = garden(replies, thoughts)
    played(session)
    first = len(session.rows)
    assert (session.standing.ended, played(session)) == (reason, [])
    asyncio.run(resume(session))
    assert session.standing.ended is None
    played(session)
    assert session.standing.ended == reason
    assert len(session.rows) - first >= first - 1


def test_what_has_not_ended_is_not_resumed() -> None:
    session = garden([QUIET])
    played(session, 1)
    rows = len(session.rows)
    asyncio.run(resume(session))
    assert len(session.rows) == rows


# --- a model that grabs what is not there --------------------------------------------------------------------------

GRABS = [
    "（コーヒーを一口飲む）「うまい」",
    "*スマホを取り出して眺める*「まだか」",
    "（傘を広げ、タバコに火をつける）",
    "(本を読みながら)「ふむ」",
    "（ワイングラスを傾ける）「乾杯」（指輪を外す）",
    "（眼鏡を押し上げて新聞をめくる）「ほう」",
    "「乾杯」（ビールを飲み干す）",
    "**紅茶を注ぐ**",
    "（ノートとペンを取り出す）「書いておこう」",
    "（メガネを拭く）（お茶をすする）（ライターを鳴らす）",
    "*煙草吸いながら*「悪いな」",
    "(sips her coffee) 「おいしい」 (checks his phone)",
]
THINGS = re.compile(
    "コーヒー|スマホ|傘|タバコ|本|グラス|ワイン|指輪|眼鏡|新聞|ビール|紅茶|ノート|ペン|メガネ|お茶|ライター|煙草|coffee|phone"
)
INVENTED = [
    "（ハンマーを拾い上げて釘を打つ）「よし」",
    "(GET: 竜の鱗)「やった」",
    "（金貨をポケットから出して渡す）「ほら」",
    "（机の上の剣を抜く）",
    "コーヒーを飲みながら「うまい」",
    "「見て」と言って、彼女はスマホを掲げた。",
    "（ナイフで箱を開ける）",
    "*ギターを弾き始める*「♪」",
    "（花束を蓬に渡す）「おめでとう」",
    '(picks up a hammer) "There."',
    "（コーヒーメーカーのスイッチを入れる）「待ってて」",
    "(DRINK: ビール)",
]


def test_what_is_not_there_is_never_shown_in_use() -> None:
    session = garden([*GRABS, *GRABS])
    turns = played(session, 2 * len(GRABS))
    assert [turn.number for turn in turns if not turn.take.sanitized.triggered] == []
    entries = script_of(session.scenario.world, session.rows)
    shown = [one.direction if one.kind == "speech" else f"{one.direction}{one.text}" for one in entries]
    assert len(shown) > 20
    assert [text for text in shown if THINGS.search(text)] == []
    assert session.world.props == session.scenario.world.props


@pytest.mark.parametrize("reply", INVENTED)
def test_what_is_invented_again_and_again_is_told_as_failing(reply: str) -> None:
    session = garden([reply])
    (turn,) = played(session, 1)
    assert (turn.take.ruling.denied_reason, turn.take.gave_up, len(turn.take.retakes)) == ("MISSING_OBJECT", True, 2)
    told = [one for one in script_of(session.scenario.world, session.rows) if one.direction]
    assert [one.kind for one in told] == ["denied"]
    assert told[0].text.endswith("はどこにもない。")
    assert session.world.props == session.scenario.world.props
    assert len(turn.facts) >= 1


@pytest.mark.parametrize("reply", INVENTED)
def test_what_is_invented_once_is_played_again_and_never_shown(reply: str) -> None:
    session = garden([reply, QUIET])
    (turn,) = played(session, 1)
    assert (turn.take.performance.text, turn.take.ruling.allowed, turn.take.silent_correction) == (QUIET, True, True)
    shown = [one.direction + one.text for one in script_of(session.scenario.world, session.rows)]
    assert [text for text in shown if "どこにもない" in text or reply in text] == []


# --- order ---------------------------------------------------------------------------------------------------------


def test_order_by_lot_is_a_policy_of_the_scenario() -> None:
    first, second = (played(garden([QUIET], speakers={"policy": "random"}), 12) for _ in range(2))
    assert [turn.speaker for turn in first] == [turn.speaker for turn in second]
    assert {turn.next_reason for turn in first} == {"random"}
    assert [turn.number for turn in first if turn.next_speaker == turn.speaker] == []
    assert len({turn.speaker for turn in first}) == 4


@pytest.mark.parametrize(
    ("speakers", "tag", "following"),
    [
        ({}, "楓", ("蓬", "round_robin")),
        ({"allow_self_nomination": True}, "楓", ("楓", "tag")),
        ({}, "かえで姫の妹の梓", ("蓬", "round_robin")),
        ({"fuzzy_threshold": 0.2}, "かえで姫の妹の梓姫", ("梓", "fuzzy")),
        ({}, "Azusa", ("梓", "tag")),
        ({}, "アズサ", ("梓", "tag")),
    ],
)
def test_how_nominations_are_taken_is_a_policy_of_the_scenario(
    speakers: dict[str, Any], tag: str, following: tuple[str, str]
) -> None:
    made = garden_of(WORLD, {"梓": {"display_names": ["Azusa", "アズサ", "梓姫"]}}, speakers=speakers)
    journal = MemoryJournal()
    journal.create(made)
    model = ScriptedModel({"actor.think": ["……"], "actor.perform": [f"「ねえ」[Next: {tag}]"]}, loop=True)
    (turn,) = played(Session(journal, made, LanguageMind(model, FREE)), 1)
    assert (turn.next_speaker, turn.next_reason) == following


# --- cues ----------------------------------------------------------------------------------------------------------


def test_a_nomination_by_the_user_holds_for_one_turn() -> None:
    session = garden([QUIET])
    played(session, 1)
    commit(session, nominate(session, "梓"))
    assert [turn.speaker for turn in played(session, 3)] == ["梓", "楓", "蓬"]


def test_only_somebody_in_the_room_can_be_nominated() -> None:
    session = garden([QUIET])
    with pytest.raises(UsageError) as refused:
        nominate(session, "柾")
    assert (refused.value.key, refused.value.details) == (
        "play.not-here",
        {"who": "柾", "room": "部屋", "known": "楓, 蓬, 梓"},
    )


def test_the_room_is_that_of_whoever_spoke_last() -> None:
    session = garden(["（庭へ行く）", QUIET])
    played(session, 1)
    assert nominate(session, "柾").payload == {"next": "柾"}
    with pytest.raises(UsageError, match=r"play\.not-here"):
        nominate(session, "蓬")


def test_somebody_muted_has_no_turn_until_they_are_heard_again() -> None:
    session = garden(["（頷く）[Next: 蓬]"])
    asyncio.run(session.open())
    commit(session, mute(session, "蓬"))
    assert [turn.speaker for turn in played(session, 4)] == ["楓", "梓", "楓", "梓"]
    with pytest.raises(UsageError, match=r"play\.muted"):
        nominate(session, "蓬")
    with pytest.raises(UsageError, match=r"play\.muted"):
        pin(session, "蓬")
    commit(session, unmute(session, "蓬"))
    assert [turn.speaker for turn in played(session, 2)] == ["楓", "蓬"]


def test_the_last_voice_cannot_be_muted() -> None:
    session = garden([QUIET])
    asyncio.run(session.open())
    for who in ("楓", "蓬", "梓"):
        commit(session, mute(session, who))
    assert mute(session, "楓").payload == {"muted": ["楓", "蓬", "梓"]}
    with pytest.raises(UsageError, match=r"play\.all-muted"):
        mute(session, "柾")


def test_muting_takes_back_a_nomination_and_a_pin() -> None:
    session = garden([QUIET])
    asyncio.run(session.open())
    commit(session, nominate(session, "蓬"), pin(session, "蓬"))
    assert mute(session, "蓬").payload == {"muted": ["蓬"], "next": None, "pin": None}
    commit(session, mute(session, "蓬"))
    assert [turn.speaker for turn in played(session, 2)] == ["楓", "梓"]


def test_somebody_pinned_has_every_turn() -> None:
    session = garden(["（頷く）[Next: 蓬]"])
    asyncio.run(session.open())
    commit(session, pin(session, "梓"))
    assert [turn.speaker for turn in played(session, 3)] == ["梓"] * 3
    with pytest.raises(UsageError, match=r"play\.pinned"):
        nominate(session, "蓬")
    assert nominate(session, "梓").payload == {"next": "梓"}
    commit(session, pin(session, None))
    assert [turn.speaker for turn in played(session, 1)] == ["蓬"]


def test_cues_survive_being_opened_again() -> None:
    journal = MemoryJournal()
    session = garden([QUIET], journal=journal)
    asyncio.run(session.open())
    commit(session, mute(session, "蓬"), pin(session, "梓"), nominate(session, "梓"))
    again = Session(journal, session.garden, session.mind)
    assert (again.standing.muted, again.standing.pinned, again.standing.cued) == (("蓬",), "梓", "梓")
    assert again.speaker() == session.speaker() == "梓"


def test_who_is_muted_and_pinned_survives_taking_turns_back() -> None:
    journal = MemoryJournal()
    session = garden([QUIET], journal=journal)
    played(session, 1)
    commit(session, mute(session, "蓬"))
    played(session, 1)
    commit(session, pin(session, "梓"), mute(session, "柾"))
    asyncio.run(session.undo(2))
    assert (session.standing.muted, session.standing.pinned) == (("蓬", "柾"), "梓")
    again = Session(journal, session.garden, session.mind)
    assert (again.standing.muted, again.standing.pinned) == (("蓬", "柾"), "梓")
    assert verify(journal, session.garden.id) == []


def test_taking_a_turn_back_that_no_cue_followed_adds_no_cue() -> None:
    session = garden([QUIET])
    asyncio.run(session.open())
    commit(session, mute(session, "蓬"))
    played(session, 1)
    asyncio.run(session.undo(1))
    assert kinds(session) == ["opening", "cue", "undo"]
    assert session.standing.muted == ("蓬",)


def test_a_turn_out_of_order_is_nobodys_nomination() -> None:
    session = garden([QUIET])
    asyncio.run(session.open())
    turn = asyncio.run(play_turn(session, "梓"))
    assert (turn.next_speaker, turn.next_reason) == ("楓", "round_robin")
