"""Explaining: a denial says which rule, which thing, where it really is, who has it, and what could be done instead."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.gm.facts import MAX_CARD, MAX_CARDS, should_inject
from hakoniwa.gm.history import History
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Explanation, Ruling
from tests.worlds import LANGUAGES, WORDS, lighthouse, small_worlds, tiny


def denied(world: WorldState, who: str, reply: str) -> tuple[Explanation, Ruling]:
    ruling = rule_on(world, who, reply).ruling
    assert ruling.explanation is not None
    return ruling.explanation, ruling


@pytest.mark.parametrize(
    ("reply", "rule", "written", "resolved", "where", "held_by"),
    [
        ("(GET: 望遠鏡)", "elsewhere.thing", "望遠鏡", "望遠鏡", "灯室", "音羽"),
        ("(GET: サビタカギ)", "missing.thing", "サビタカギ", None, None, None),
        ("(GET: 錆びた鍵)", "elsewhere.thing", "錆びた鍵", "錆びた鍵", "桟橋", None),
        ("(GET: 外套)", "owned.owner", "外套", "外套", "詰所", "鉄平"),
        ("(OPEN: ナガモチ)", "missing.thing", "ナガモチ", None, None, None),
        ("(GET: 真鍮の鍵)", "state.enclosed", "真鍮の鍵", "真鍮の鍵", "詰所", None),
        ("(GET: 銀貨)", "state.hidden", "銀貨", "銀貨", None, None),
        ("(READ: ベンチ)", "missing.thing", "ベンチ", None, None, None),
        ("(TURN_ON: 無線機) (TURN_ON: 無線機)", "state.already", "無線機", "無線機", "詰所", None),
    ],
)
def test_a_denial_is_explained(
    reply: str, rule: str, written: str, resolved: str | None, where: str | None, held_by: str | None
) -> None:
    why, _ = denied(lighthouse("ja"), "汐里", reply)

    assert (why.rule, why.written, why.resolved, why.where, why.held_by) == (rule, written, resolved, where, held_by)


def test_a_missing_destination_is_what_the_explanation_speaks_of() -> None:
    why, _ = denied(lighthouse("ja"), "汐里", "(PUT: 手帳 -> ピアノ)")

    assert (why.written, why.resolved) == ("ピアノ", None)
    assert "ピアノ" in why.told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("(GET: {piano})", {"ja": "だが、ピアノはどこにもない。", "en": "But there is no piano anywhere."}),
        ("(GET: {notebook})", {"ja": "だが、手帳は汐里が持っている。", "en": "But Maren is holding the notebook."}),
        ("(MOVE: {loft})", {"ja": "だが、鉄扉に鍵がかかっている。", "en": "But the iron door is locked."}),
        ("(GET: {rusty_key})", {"ja": "だが、錆びた鍵は桟橋にある。", "en": "But the rusty key is in the pier."}),
    ],
)
def test_a_denial_is_told_in_the_language_of_the_world(reply: str, told: dict[str, str], language: str) -> None:
    words = WORDS[language]
    why, ruling = denied(lighthouse(language), words["mate"], reply.format(**words))

    assert why.told == told[language]
    assert ruling.fact_cards[0].startswith("FACT: ")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("(CLOSE: 木戸)", "木戸はもう閉まっている"), ("(TURN_OFF: 無線機)", "無線機はもう消えている"),
        ("(LOCK: 鉄扉)", "鉄扉はもう鍵がかかっている"), ("(READ: 鉄平)", "鉄平にそういうことはできない"),
        ("(TURN_ON: ストーブ)", "それには元栓が開いている必要がある"),
    ],
)  # fmt: skip
def test_a_denial_says_how_things_are(reply: str, told: str) -> None:
    gas = {"verb": "TURN_ON", "needs": ["off", {"元栓": "open"}]}
    why, _ = denied(lighthouse("ja", {"stove": {"affordances": [gas]}}), "汐里", reply)

    assert why.why == told
    assert why.where in (None, "詰所")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_denial_offers_up_to_three_acts_that_are_allowed(language: str) -> None:
    words = WORDS[language]
    world = lighthouse(language)
    for tag in ("(OPEN: {trunk})", "(GET: {piano})", "(MOVE: {pier})", "(EAT: {biscuit})", "(GIVE: {notebook})"):
        why, _ = denied(world, words["keeper"], tag.format(**words))
        possible = {act.tag for act in possible_acts(world, words["keeper"])}
        assert 0 < len(why.instead) <= 3
        assert {*why.instead} <= possible


def test_what_is_offered_first_is_about_the_same_thing() -> None:
    why, _ = denied(lighthouse("ja"), "汐里", "(EAT: 干し芋)")

    assert why.instead[0] in ("(GET: 干し芋)", "(INSPECT: 干し芋)")


@given(st.data())
def test_cards_are_few_and_short_whatever_the_world(data: st.DataObject) -> None:
    world = data.draw(small_worlds())
    for who in world.characters:
        verb = data.draw(st.sampled_from(["GET", "OPEN", "EAT", "MOVE", "PUT", "LOCK", "CALL"]))
        target = data.draw(st.sampled_from([*world.props, *world.characters, "長" * 64, "無" * 150]))
        ruling = rule_on(world, who, f"({verb}: {target})").ruling
        assert len(ruling.fact_cards) <= MAX_CARDS
        assert all(len(card) <= MAX_CARD for card in ruling.fact_cards)
        if ruling.explanation:
            assert len(ruling.explanation.told) <= MAX_CARD
            assert len(ruling.explanation.instead) <= 3


def test_names_at_their_longest_still_fit_on_a_card() -> None:
    long = ["長" * 64, "永" * 64, "遠" * 64]
    world = tiny(
        {long[0]: {"location": "茶室", "held_by": long[2]}, long[1]: {"location": "茶室"}},
        characters={"楓": {"location": "茶室"}, long[2]: {"location": "茶室", "holding": [long[0]]}},
    )
    tags = [f"(GET: {long[0]})", f"(GET: {'無' * 190})", f"(GET: {long[1]})", f"(GET: {long[1]}) (PUT: {long[1]})"]
    for reply in tags:
        ruling = rule_on(world, "楓", reply).ruling
        assert all(len(card) <= MAX_CARD for card in ruling.fact_cards)


# --- what is here ---------------------------------------------------------------------------------------------------


def scene_card(world: WorldState) -> str | None:
    cards = rule_on(world, "楓", "(GET: ピアノ)").ruling.fact_cards
    return cards[-1] if len(cards) > 1 else None


def test_whoever_grasps_at_nothing_is_told_what_is_here() -> None:
    world = tiny({"茶碗": {"location": "茶室"}, "棗": {"location": "茶室"}, "石": {"location": "中庭"}})

    assert scene_card(world) == "FACT: 茶室には棗、茶碗がある。"


def test_what_is_out_of_sight_takes_no_room_on_the_card() -> None:
    shut = {f"あかさたな{number}": {"inside": "長持"} for number in range(9)}
    world = tiny({"長持": {"location": "茶室", "container": True, "state": ["closed"]}, **shut})

    assert scene_card(world) == "FACT: 茶室には長持がある。"


def test_one_long_name_is_still_told() -> None:
    world = tiny({"長い" * 20: {"location": "茶室"}, "鸞": {"location": "茶室"}})

    assert scene_card(world) == f"FACT: 茶室には{'長い' * 20}、ほかがある。"


def test_an_empty_room_gets_no_card_about_itself() -> None:
    assert scene_card(tiny()) is None


def test_a_change_is_told_and_at_the_start_what_is_here_as_well() -> None:
    world = tiny({"鈴": {"location": "茶室"}})

    assert rule_on(world, "楓", "(GET: 鈴)").ruling.fact_cards == (
        "FACT: 楓は鈴を手に取った。", "FACT: 茶室には鈴がある。",
    )  # fmt: skip
    later = world.model_copy(update={"time": world.time.model_copy(update={"turn": 5})})
    assert rule_on(later, "楓", "(GET: 鈴)").ruling.fact_cards == ("FACT: 楓は鈴を手に取った。",)


def test_feedback_is_injected_after_a_change_a_denial_or_a_silence() -> None:
    world = lighthouse("ja")

    def asked(reply: str) -> tuple[bool, bool]:
        return should_inject(rule_on(world, "汐里", reply, History()).ruling)

    assert asked("「寒いね」") == (False, False)
    assert asked("(GET: 干し芋) 「寒いね」") == (True, False)
    assert asked("(GET: ピアノ) 「寒いね」") == (False, True)
    assert asked("（肩をすくめる）") == (False, True)


def test_what_is_here_is_what_the_turn_left() -> None:
    things = {"茶": {"held_by": "楓", "edible": "drink"}, "棗": {"location": "茶室"}}
    world = tiny(things, characters={"楓": {"location": "茶室", "holding": ["茶"]}})

    cards = rule_on(world, "楓", "(DRINK: 茶)").ruling.fact_cards

    assert cards == ("FACT: 楓は茶を飲んだ。", "FACT: 茶室には棗がある。")


@pytest.mark.parametrize(
    ("things", "card"),
    [
        ({"猫": {"location": "茶室", "alive": True}}, "FACT: 茶室には猫がいる。"),
        (
            {"棗": {"location": "茶室"}, "猫": {"location": "茶室", "alive": True}},
            "FACT: 茶室には棗がある。猫もいる。",
        ),
        ({"鯉": {"location": "中庭", "alive": True}}, None),
    ],
)
def test_what_lives_is_not_among_the_things(things: dict[str, Any], card: str | None) -> None:
    assert scene_card(tiny(things)) == card


# --- in sentences that a person would write -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("(GET: matches)", "the matches are inside the closed tin"),
        ("(GET: glasses)", "there are no glasses anywhere"),
        ("(GET: pair of gloves)", "the pair of gloves is in the hall"),
        ("(GET: scissors)", "the scissors belong to Bea"),
        ("(GET: compass)", "the compass is in the hall"),
        ("(MOVE: hall) (MOVE: attic)", "the stairs are closed"),
        ("(READ: Bea)", "that cannot be done to Bea"),
        ("(GET: tin) (CLOSE: tin)", "the tin is already closed"),
    ],
)
def test_things_agree_with_their_verbs(act: str, told: str) -> None:
    here, hall = {"location": "den"}, {"location": "hall"}
    world = WorldState.model_validate(
        {
            "location": {"current": "den"},
            "locations": {
                "den": {"exits": ["hall"]}, "hall": {"exits": {"attic": {"via": "stairs"}}}, "attic": {},
            },
            "characters": {"Ann": {"location": "den"}, "Bea": {"location": "den"}},
            "props": {
                "tin": {**here, "container": True, "state": ["closed"]}, "matches": {"inside": "tin"},
                "pair of gloves": hall, "compass": hall, "scissors": {**here, "owner": "Bea"},
                "stairs": {**hall, "state": ["closed"]},
            },
        }
    )  # fmt: skip
    ruling = rule_on(world, "Ann", act).ruling
    assert ruling.explanation is not None
    assert ruling.explanation.why == told
    assert rule_on(world, "Ann", "(INSPECT: Bea)").ruling.told == ("Ann took a good look at Bea.",)


TEA_THINGS = {
    "茶碗": {"location": "茶室"}, "石": {"location": "茶室"}, "行灯": {"location": "茶室", "state": ["off"]},
    "水屋": {"location": "茶室", "fixed": True, "container": True}, "饅頭": {"location": "茶室", "edible": "food"},
    "硯": {"location": "茶室", "affordances": ["使う"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("held", "reply"),
    [
        (["茶碗"], "(GET: ピアノ)"), (["茶碗", "石"], "(OPEN: 茶碗) (OPEN: 茶碗) (GET: 琴)"), (["石"], "(EAT: 石)"),
        (["石", "饅頭"], "(DRINK: 饅頭)"), (["硯"], "(MOVE: 駅)"), ([], "(READ: 茶碗)"),
    ],
)  # fmt: skip
def test_every_alternative_is_one_that_somebody_might_want(held: list[str], reply: str) -> None:
    """Nobody switches on a cup, opens a stone or merely uses it, or eats what is no food."""
    odd = {
        f"({verb}: {name})"
        for name in ("茶碗", "石", "饅頭")
        for verb in ("OPEN", "CLOSE", "TURN_ON", "TURN_OFF", "USE", "DRINK")
    } | {"(EAT: 石)", "(EAT: 茶碗)", "(TURN_ON: 水屋)", "(TURN_OFF: 水屋)"}
    things = {name: {**thing, **({"held_by": "楓"} if name in held else {})} for name, thing in TEA_THINGS.items()}
    world = tiny(things, characters={"楓": {"location": "茶室", "holding": held}})
    why, _ = denied(world, "楓", reply)
    assert len(why.instead) == 3
    assert not odd & {*why.instead}


def test_after_grasping_at_nothing_other_things_can_be_grasped() -> None:
    why, _ = denied(tiny(TEA_THINGS), "楓", "(GET: 琴)")
    assert [act.partition(":")[0] for act in why.instead] == ["(GET"] * 3


def test_a_word_for_something_unsaid_is_asked_back() -> None:
    why, _ = denied(tiny(TEA_THINGS), "楓", "(GET: 何)")
    assert why.why == "「何」だけでは、どれのことか分からない"
