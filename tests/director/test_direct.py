"""Directing: sanitize, check, judge, up to two retakes with a card in hand; then the story goes on as it is."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot

from hakoniwa.actor.language import LanguageMind
from hakoniwa.director.check import CheckInput
from hakoniwa.director.direct import DirectedTurn, DirectorInput, direct, makeable, scene_items
from hakoniwa.director.evaluate import Director, DirectorMinimal
from hakoniwa.director.props import prop_dictionary
from hakoniwa.director.sanitize import ActionSanitizer
from hakoniwa.errors import ModelUnavailable
from hakoniwa.gm.history import History
from hakoniwa.gm.step import rule_on
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn
from hakoniwa.stage.scenario import find, load, shipped_scenarios
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import DeniedReason, Evaluation, InjectionDecision, Performance, Ruling, Status
from tests.director.lines import sheet
from tests.gardens import FREE, garden_of

ROOM: dict[str, Any] = {
    "location": {"current": "台所"},
    "locations": {"台所": {"exits": ["居間"]}, "居間": {"exits": ["台所"]}},
    "characters": {"やな": {"location": "台所", "holding": ["鍵"]}, "あゆ": {"location": "台所"}},
    "props": {
        "鍵": {"location": "台所", "held_by": "やな"},
        "マグカップ": {"location": "台所", "aliases": ["愛用の器"], "parts": ["取っ手"]},
        "箱": {"location": "台所", "fixed": True, "container": True, "state": ["closed"]},
        "指輪": {"location": "台所", "inside": "箱"},
        "傘": {"location": "居間"},
        "ポット": {
            "location": "台所", "fixed": True,
            "affordances": [
                {"verb": "淹れる", "makes": {"紅茶": {"edible": True}}},
                {"verb": "沸かす", "after": {"turns": 1, "makes": {"お茶": {"edible": True}}}},
            ],
        },
    },
}  # fmt: skip
ENGLISH: dict[str, Any] = {
    "location": {"current": "kitchen"},
    "locations": {"kitchen": {"exits": ["hall"]}, "hall": {"exits": ["kitchen"]}},
    "characters": {"Ann": {"location": "kitchen"}},
    "props": {"mug": {"location": "kitchen"}},
}
YANA = sheet(forbidden=["です"])


def shot(data: dict[str, Any] = ROOM, who: str = "やな", **more: Any) -> DirectorInput:
    return DirectorInput(WorldState.model_validate(data), who, YANA, History(), turn=1, **more)


def directed(
    first: str, *more: str | Exception, at: DirectorInput | None = None, director: Director | None = None
) -> tuple[DirectedTurn, list[str]]:
    """The cut of a performance, with these retakes on offer, and the cards that were handed out for them."""
    cards: list[str] = []
    replies = iter(more)

    async def again(card: str) -> Performance | None:
        cards.append(card)
        reply = next(replies, None)
        if isinstance(reply, Exception):
            raise reply
        return Performance(text=reply) if reply is not None else None

    cut = asyncio.run(direct(at or shot(), Performance(text=first), director or DirectorMinimal(), again))
    return cut, cards


# --- sanitize, then check, then judge ------------------------------------------------------------------------------


def test_what_is_shown_and_judged_is_the_sanitized_text() -> None:
    cut, cards = directed("（ビールを飲む）「おはよう」")
    assert cut.take.performance.text == "（一息つく）「おはよう」"
    assert cut.take.ruling.allowed
    assert cut.take.ruling.parsed.directions == ("一息つく",)
    assert cut.take.sanitized.model_dump() == {
        "triggered": True,
        "action_removed": False,
        "action_replaced": True,
        "blocked_props": ("ビール",),
        "original_action": "ビールを飲む",
        "replacement": "一息つく",
        "actions": ("ビールを飲む",),
    }
    assert cards == []


def test_the_raw_reply_gets_a_shadow_verdict() -> None:
    assert directed("（ビールを飲む）「おはよう」")[0].take.shadow == DeniedReason.MISSING_OBJECT
    assert directed("（微笑む）「おはよう」")[0].take.shadow is None
    assert directed("（箱を開けて指輪を取る）(GET: 傘)")[0].take.shadow == DeniedReason.WRONG_LOCATION


def test_the_check_sees_the_sanitized_line() -> None:
    seen: list[str] = []

    class Watching(Director):
        async def evaluate(self, line: CheckInput) -> Evaluation:
            seen.append(line.text)
            return Evaluation()

    directed("*眼鏡を外す*「おはよう」", director=Watching())
    assert seen == ["（目を細める）「おはよう」"]


def test_removing_is_a_policy() -> None:
    take = directed("（ビールを飲む）「おはよう」", at=shot(on_block="remove"))[0].take
    assert (take.performance.text, take.sanitized.action_removed) == ("「おはよう」", True)


def test_a_stage_direction_may_name_what_is_seen_or_held_and_what_is_being_made() -> None:
    world = WorldState.model_validate(ROOM)
    assert sorted(scene_items(world, "やな")) == sorted(["鍵", "マグカップ", "箱", "ポット", "愛用の器", "取っ手"])
    assert makeable(world, "やな") == ("紅茶", "お茶")


# --- retakes -------------------------------------------------------------------------------------------------------


def test_a_good_take_is_not_asked_for_again() -> None:
    cut, cards = directed("（マグカップを手に取る）「よし」", "「使わない」")
    assert (cut.take.ruling.allowed, cut.take.retakes, cards) == (True, (), [])
    assert (cut.take.silent_correction, cut.take.gave_up) == (None, False)


def test_a_denied_act_is_played_again() -> None:
    cut, cards = directed("(GET: 傘)「雨だ」", "（マグカップを手に取る）「まあいいか」")
    assert cut.take.performance.text == "（マグカップを手に取る）「まあいいか」"
    assert cut.take.ruling.allowed
    assert [(one.text, one.denied_reason) for one in cut.take.retakes] == [("(GET: 傘)「雨だ」", "WRONG_LOCATION")]
    assert (len(cards), cut.take.silent_correction, cut.take.gave_up) == (1, True, False)


def test_a_wrong_tone_is_played_again() -> None:
    cut, cards = directed("「そうです」", "「そうだね」")
    assert (cut.take.performance.text, cut.take.evaluation.status) == ("「そうだね」", Status.PASS)
    assert [(one.denied_reason, one.reason) for one in cut.take.retakes] == [(None, "「です」を使っている")]
    assert cards[0].startswith("【監督より】「そうです」は使えません。「です」を使っている。")
    assert cut.take.silent_correction is None


def test_a_warning_is_no_reason_to_play_it_again() -> None:
    assert directed("「うん", "「使わない」")[1] == []


def test_there_are_two_retakes_at_most() -> None:
    cut, cards = directed("(GET: 傘)", "(GET: 竜)", "(GET: 指輪)", "（微笑む）")
    assert len(cards) == 2
    assert cut.take.performance.text == "(GET: 指輪)"
    assert [one.text for one in cut.take.retakes] == ["(GET: 傘)", "(GET: 竜)"]
    assert cut.take.gave_up
    assert cut.take.silent_correction is False


def test_the_card_of_a_retake_speaks_of_the_take_before_it() -> None:
    _, cards = directed("(GET: 傘)", "(GET: 竜)")
    assert ["傘" in cards[0], "竜" in cards[1]] == [True, True]


def test_the_guidance_card() -> None:
    assert directed("(GET: 傘)")[1] == snapshot(
        [
            """\
【GMより】傘は居間にある。
ここにあるもの: ポット、マグカップ、箱、鍵
手に持っているもの: 鍵
行ける場所: 居間
できること: 鍵を調べる、ポットで淹れる、マグカップを調べる、箱を開ける、居間へ行く、あゆを調べる、鍵を置く、ポットを火にかける\
"""  # noqa: E501
        ]
    )


def test_the_guidance_card_in_english() -> None:
    at = replace(shot(ENGLISH, "Ann"), character=sheet())
    assert directed('(takes the lamp) "Dark."', at=at)[1] == snapshot(
        [
            """\
[GM] there is no lamp anywhere.
Here: mug
In hand: nothing
Ways out: hall
Possible: look closely at the mug, go to the hall, pick up the mug\
"""
        ]
    )


def test_a_room_nobody_described_has_no_ways_out() -> None:
    bare = {"location": {"current": "台所"}, "characters": {"やな": {"location": "台所"}}}
    at = shot(bare)
    assert "行ける場所: なし" in directed("(GET: 傘)", at=at)[1][0]


def test_whoever_will_not_play_it_again_is_left_in_peace() -> None:
    cut, cards = directed("(GET: 傘)「雨だ」")
    assert (len(cards), cut.take.gave_up, cut.take.retakes) == (1, True, ())


def test_a_model_that_fails_at_a_retake_does_not_lose_the_turn() -> None:
    cut, _ = directed("(GET: 傘)「雨だ」", ModelUnavailable("model.no-line", purpose="actor.retake"))
    assert (cut.take.performance.text, cut.take.gave_up) == ("(GET: 傘)「雨だ」", True)


@pytest.mark.parametrize(
    ("takes", "kept"),
    [
        (["「行くです」", "(GET: 傘)", "(GET: 竜)"], "「行くです」"),
        (["「行くです」", "「帰るです」", "「寝るです」"], "「寝るです」"),
        (["(GET: 傘)", "「行くです」", "(GET: 竜)"], "「行くです」"),
        (["(GET: 傘)", "「行くです」", "「寝るよ」"], "「寝るよ」"),
    ],
)
def test_the_best_take_stands(takes: Sequence[str], kept: str) -> None:
    take = directed(*takes)[0].take
    assert take.performance.text == kept
    assert [one.text for one in take.retakes] == [one for one in takes if one != kept]


@pytest.mark.parametrize(
    ("again", "silent"),
    [
        ("（マグカップを手に取る）「まあいいか」", True),
        ("（マグカップを手に取る）「ごめん、まちがえた」", False),
        ('（マグカップを手に取る）"Sorry, wrong one."', False),
        ("「まあいいか」", True),
        ("(GET: 傘)「もう一度」", False),
    ],
)
def test_a_silent_correction_is_another_act_without_an_apology(again: str, silent: bool) -> None:
    assert directed("(GET: 傘)「雨だ」", again)[0].take.silent_correction is silent


# --- acts that came as data ------------------------------------------------------------------------------------------

TAKE, LAY, UMBRELLA = "(GET: マグカップ)", "(PUT: マグカップ -> 箱)", "(GET: 傘)「雨だ」"
OPEN, GO = "(OPEN: 箱)", "(MOVE: 居間)"
NIGHT, BRIGHT = {**ROOM, "time": {"label": "夜"}}, "「朝日が眩しい」"
TOLD = "やながいまあゆに言う台詞を、直前のやりとりに続けて短く書いてください。"


def with_acts(*chosen: str, data: dict[str, Any] = NIGHT, **more: Any) -> DirectorInput:
    return shot(data, chosen=chosen, **more)


@pytest.mark.parametrize(
    ("takes", "kept"),
    [
        (["（マグカップを手に取る）「よし」"], "（マグカップを手に取る）「よし」"),
        (["（愛用の器を手に取り、微笑む）「よし」"], "（愛用の器を手に取り、微笑む）「よし」"),
        (["「よし」"], f"{TAKE} 「よし」"),
        (["（微笑む）「マグカップを手に取る」"], f"{TAKE} （微笑む）「マグカップを手に取る」"),
        ([""], TAKE),
        (["（マグカップを見つめる）「よし」"], f"{TAKE} （マグカップを見つめる）「よし」"),
        (["（マグカップを手に取り、ビールを飲む）「よし」"], f"{TAKE} （一息つく）「よし」"),
        ([UMBRELLA], f"{TAKE} 「雨だ」"),
        (["（マグカップを手に取り、箱を持ち上げる）「重い」[Next: あゆ]"], f"{TAKE} 「重い」 [Next: あゆ]"),
        ([f"{UMBRELLA}（微笑む）「です」", "（微笑む）「まあいいか」"], f"{TAKE} （微笑む）「まあいいか」"),
        ([f"{UMBRELLA}「です」", f"{UMBRELLA}「まあいいか」"], f"{TAKE} 「雨だ まあいいか」"),
        ([BRIGHT, "（マグカップを手に取る）「いい夜だ」"], "（マグカップを手に取る）「いい夜だ」"),
        ([BRIGHT, BRIGHT, "「使わない」"], TAKE),
        ([BRIGHT, ModelUnavailable("model.no-line", purpose="actor.retake")], TAKE),
        ([BRIGHT], TAKE),
    ],
)
def test_what_was_chosen_is_done(takes: Sequence[str | Exception], kept: str) -> None:
    first, *more = takes
    cut, _ = directed(str(first), *more, at=with_acts(TAKE))
    assert (cut.take.performance.text, cut.take.ruling.allowed) == (kept, True)
    assert [act.tag for act in cut.step.acts] == [TAKE]
    assert TAKE not in [act.tag for act in cut.denied]


@pytest.mark.parametrize(
    ("chosen", "done"),
    [
        ([OPEN, TAKE, LAY], [OPEN, TAKE, LAY]),
        ([TAKE, GO], [TAKE, GO]),
        ([GO, TAKE], [GO]),  # what comes after is out of reach
        ([OPEN, OPEN, TAKE], [OPEN]),
        ([TAKE, LAY, OPEN], [TAKE]),  # the box is shut
        ([], []),
    ],
)
def test_acts_are_done_in_order_up_to_the_first_that_an_earlier_one_made_impossible(
    chosen: list[str], done: list[str]
) -> None:
    cut, cards = directed("「よし」", at=with_acts(*chosen))
    assert [act.tag for act in cut.step.acts] == done
    assert (cut.take.ruling.allowed, cut.take.performance.text) == (True, " ".join([*done, "「よし」"]))
    assert (cards, cut.denied) == ([], ())


@pytest.mark.parametrize(
    ("words", "done", "drift"),
    [
        ("（箱を開ける）「よし」", [TAKE, OPEN], []),  # surely told, and it can be done
        ("（マグカップを手に取り、箱を開ける）「よし」", [TAKE, OPEN], []),
        ("（傘を取る）「よし」", [TAKE], []),  # surely told, but the umbrella is elsewhere
        ("（マグカップを置く）「よし」", [TAKE], []),  # about what was picked: how it is done
        ("（箱をこねくり回す）「よし」", [TAKE], ["箱をこねくり"]),  # nobody knows what that is
        ("（あゆが箱を開ける）「よし」", [TAKE], []),  # nobody acts for another
        ("（微笑む）「箱を開けるよ」", [TAKE], []),  # spoken of, not done
    ],
)
def test_what_the_words_tell_besides_is_done_only_if_it_is_sure_and_possible(
    words: str, done: list[str], drift: list[str]
) -> None:
    cut, cards = directed(words, at=with_acts(TAKE))
    assert ([act.tag for act in cut.step.acts], list(cut.take.drift)) == (done, drift)
    assert (cut.take.ruling.allowed, cut.take.ruling.parsed.speech, cards) == (True, said(words), [])


@pytest.mark.parametrize(
    ("spare", "kept"), [("雨の音がするね", f"{TAKE} 「雨の音がするね」"), ("", TAKE), ("朝日が眩しい", TAKE)]
)
def test_where_no_words_are_found_a_spare_line_is_said_unless_it_cannot_be_said_either(spare: str, kept: str) -> None:
    at = with_acts(TAKE, heard=[BRIGHT.strip("「」") + "ねえ、ほんとうに"], spare=lambda: spare)
    cut, _ = directed(BRIGHT + "ねえ、ほんとうに", BRIGHT, at=at)
    assert (cut.take.performance.text, cut.take.ruling.allowed) == (kept, True)


def said(words: str) -> str:
    return words.partition("「")[2].removesuffix("」")


def test_nothing_picked_and_nothing_said_is_a_silence() -> None:
    cut, cards = directed("", at=with_acts())
    assert (cut.take.performance.text, cut.take.ruling.allowed, cut.step.acts, cards) == ("（……）", True, (), [])


def test_what_stands_on_the_card_of_a_retake_is_no_line() -> None:
    line = "雨の日はずっと家にいるんだよ"
    at = with_acts(TAKE, told=TOLD, heard=[line])
    cut, cards = directed(f"「{line}」", "「同じ台詞を繰り返している。別のことを言うこと」", at=at)
    assert "同じ台詞を繰り返している。別のことを言う" in cards[0]
    assert cut.take.performance.text == TAKE


def test_where_nothing_is_picked_and_nothing_said_a_spare_line_is() -> None:
    cut, _ = directed("", at=with_acts(spare=lambda: "静かだね"))
    assert (cut.take.performance.text, cut.take.ruling.allowed) == ("「静かだね」", True)


def test_what_was_chosen_is_done_in_english() -> None:
    at = replace(shot(ENGLISH, "Ann", chosen=("(GET: mug)",)), character=sheet())
    cut, cards = directed('(takes the lamp) "So dark."', at=at)
    assert (cut.take.performance.text, cut.take.ruling.allowed, cards) == ('(GET: mug) "So dark."', True, [])


def test_an_act_that_the_reader_is_not_sure_of_goes_no_further_than_the_record() -> None:
    at = replace(shot(ENGLISH, "Ann", chosen=("(GET: mug)",)), character=sheet())
    take = directed('(takes the frobnicator) "So dark."', at=at)[0].take
    assert (take.performance.text, take.ruling.allowed) == ('(GET: mug) (takes the frobnicator) "So dark."', True)
    assert take.drift == ("(GET: frobnicator)",)


def test_a_chosen_act_that_cannot_be_done_is_told_as_a_failure_at_once() -> None:
    cut, cards = directed("（微笑む）「傘を取ってくる」", "（微笑む）", at=shot(chosen=("(GET: 傘)", TAKE)))
    assert (cards, cut.take.gave_up, cut.take.retakes) == ([], True, ())
    assert cut.take.performance.text == "(GET: 傘) （微笑む）「傘を取ってくる」"
    assert cut.take.ruling.explanation is not None
    assert cut.take.ruling.explanation.told == "だが、傘は居間にある。"


def test_a_chosen_act_that_cannot_be_done_in_the_actors_own_words_is_not_said_twice() -> None:
    text = "（箱を手に取る）「重い」"
    take = directed(text, at=shot(chosen=("(GET: 箱)",)))[0].take
    assert (take.performance.text, take.gave_up) == (text, True)


@pytest.mark.parametrize(
    "words",
    [
        "「そうです」", "「台詞」", "（しぐさ）「うん」", "「直前のやりとりに続けて短く書いてください」",
        "「いい夜だ、あゆ、星も出ている」", "「また明日」",
    ],
)  # fmt: skip
def test_words_that_cannot_stand_cost_one_retake_and_then_the_act_is_played_alone(words: str) -> None:
    at = with_acts(TAKE, told=TOLD, said=["また明日"], heard=["いい夜だ、あゆ、星も出ている"])
    mended, cards = directed(words, "「そうだね」", at=at)
    assert (mended.take.performance.text, len(cards)) == (f"{TAKE} 「そうだね」", 1)
    alone, cards = directed(words, words, "「使わない」", at=at)
    assert (alone.take.performance.text, alone.take.ruling.allowed, len(cards)) == (TAKE, True, 1)
    assert [one.text for one in alone.take.retakes] == [f"{TAKE} {words}"] * 2


def test_a_take_that_was_cut_down_is_no_correction_and_hides_nothing() -> None:
    cut, cards = directed(UMBRELLA, "（微笑む）", at=shot(chosen=(TAKE,)))
    take = cut.take
    assert (take.silent_correction, take.gave_up, take.shadow) == (False, False, DeniedReason.WRONG_LOCATION)
    assert [(one.text, one.denied_reason) for one in take.retakes] == [(f"{TAKE} {UMBRELLA}", "WRONG_LOCATION")]
    assert cards == []


def test_the_card_speaks_of_the_words_where_only_they_are_wrong() -> None:
    (card,) = directed("「そうです」", at=with_acts(TAKE))[1]
    assert card == "【監督より】「そうです」は使えません。「です」を使っている。その言い方を避けて言い直すこと。"


# --- what goes into the next prompt --------------------------------------------------------------------------------


def test_giving_up_the_words_stand_and_the_fact_is_carried() -> None:
    cut, _ = directed("(GET: 傘)「雨だ」")
    assert cut.take.ruling.parsed.speech == "雨だ"
    assert cut.take.ruling.world_delta == ()
    assert cut.take.ruling.explanation is not None
    assert cut.take.ruling.explanation.told == "だが、傘は居間にある。"
    assert cut.facts == ("FACT: 傘は居間にある。",)


def test_facts_of_the_director_follow_and_are_three_at_most() -> None:
    character = sheet(forbidden=["です"], address={"あゆ": "妹"})
    at = replace(shot(), character=character)
    cut, _ = directed("(GET: 傘)（ビールを飲む）「あゆ、雨です」", at=at)
    assert cut.facts == ("FACT: 傘は居間にある。", "FACT: 台所にビールはない。", "FACT: やなは「です」とは言わない。")


def test_the_sanitized_prop_becomes_a_fact_of_an_allowed_turn() -> None:
    assert directed("（ビールを飲む）「おはよう」")[0].facts == ("FACT: 台所にビールはない。",)
    assert directed("（ビールを飲む）「おはよう」", at=shot(inject=False))[0].facts == ()
    assert directed("（微笑む）「おはよう」")[0].facts == ()


@pytest.mark.parametrize(("inject", "count"), [(True, 2), (False, 0)])
def test_why_facts_are_given_is_kept_whether_or_not_they_are(inject: bool, count: int) -> None:
    cut, _ = directed("（ビールを飲む）「おはようです」", at=shot(inject=inject))
    assert (len(cut.facts), cut.take.injection) == (
        count,
        InjectionDecision(
            would_inject=True,
            reasons=("predicted_blocked_props", "tone_violation"),
            predicted_blocked_props=("ビール",),
            detected_tone_violation=True,
            facts_injected=count,
        ),
    )
    assert directed("（微笑む）「おはよう」")[0].take.injection == InjectionDecision()


def test_the_fact_of_a_turn_stands_in_the_actors_next_view_and_prompt() -> None:
    denied, allowed = "(GET: 傘)「雨だ」", "（微笑む）"
    model = ScriptedModel(
        {"actor.think": ["雨か。", "やめよう。"], "actor.perform": [denied, allowed], "actor.retake": [denied] * 2}
    )
    garden = garden_of(ROOM, {})
    journal = MemoryJournal()
    journal.create(garden)
    session = Session(journal, garden, LanguageMind(model, FREE))

    async def twice() -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        await session.open()
        turn = await play_turn(session, "やな")
        assert turn.take.gave_up
        first, other = session.view("やな").facts, session.view("あゆ").facts
        await play_turn(session, "やな")
        return first, other, session.view("やな").facts

    assert asyncio.run(twice()) == (("FACT: 傘は居間にある。",), (), ())
    prompts = [messages[1].content for purpose, messages in model.calls if purpose == "actor.think"]
    assert ["傘は居間にある" in one for one in prompts] == [False, True]


@pytest.mark.parametrize("name", shipped_scenarios())
def test_sanitizer_and_referee_go_by_one_table(name: str) -> None:
    """What one lets through as being here, the other does not deny as being nowhere or not here, and the other way."""
    world = load(find(name)).world
    words = prop_dictionary(world.language)
    taking = "（{}を手に取る）" if world.language == "ja" else "(picks up the {})"
    for who in world.characters:
        items = scene_items(world, who)
        blocked = {one for one in words.entries if ActionSanitizer().sanitize(taking.format(one), items).blocked_props}
        absent = {one for one in words.entries if not here(rule_on(world, who, f"(GET: {one})").ruling)}
        assert blocked == absent


def here(ruling: Ruling) -> bool:
    unseen = ruling.explanation is not None and ruling.explanation.rule in ("state.enclosed", "state.hidden")
    return ruling.denied_reason not in ("MISSING_OBJECT", "WRONG_LOCATION") and not unseen


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        ("（コーヒーを淹れる）", "（コーヒーを淹れる）"),
        ("（コーヒーを一口飲む）", "（一息つく）"),
        ("（コーヒーメーカーでコーヒーを作りはじめる）", "（コーヒーメーカーでコーヒーを作りはじめる）"),
    ],
)
def test_what_can_be_made_is_there_only_while_it_is_made(action: str, shown: str) -> None:
    world = load(find("kitchen_morning")).world
    items, made = scene_items(world, "やな"), makeable(world, "やな")
    assert ActionSanitizer().sanitize(action, items, made).sanitized_text == shown
