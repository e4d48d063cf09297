"""Facts for the next prompt: one per tag, in their order, at most three; detection goes on when injection is off."""

import pytest

from hakoniwa.director.check import CheckInput
from hakoniwa.director.facts import get_facts_for_injection
from hakoniwa.turn import InjectedFact, InjectionDecision
from tests.director.lines import line_of, sheet

AYU = sheet(first_person="私", forbidden=["だよ", "じゃん"], address={"あゆ": "妹"})
ANN = sheet(first_person="I", forbidden=["okay"], address={"Theo": "my dear"})


def facts(line: CheckInput, *scene: str, where: str = "台所") -> list[tuple[str, str]]:
    return [(one.tag, one.text) for one in get_facts_for_injection(line, list(scene), where)[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("（頷く）「そうですね」", []),
        ("（コーヒーを飲む）「そうですね」", [("SCENE", "台所にコーヒーはない。")]),
        ("（本と傘を持つ）「そうですね」", [("SCENE", "台所に本はない。")]),
        ("「そうだよ、いいじゃん」", [("STYLE", "やなは「だよ」とは言わない。")]),
        ("「俺は行きません」", [("STYLE", "やなの一人称は「私」。")]),
        ("「あゆ、行きましょう」", [("REL", "やなはあゆを「妹」と呼ぶ。")]),
        (
            "「あゆ、そうだよ」（コーヒーを飲む）",
            [
                ("SCENE", "台所にコーヒーはない。"),
                ("STYLE", "やなは「だよ」とは言わない。"),
                ("REL", "やなはあゆを「妹」と呼ぶ。"),
            ],
        ),
    ],
)
def test_a_reply_calls_for_its_facts(text: str, expected: list[tuple[str, str]]) -> None:
    assert facts(line_of(text, AYU)) == expected


def test_in_english() -> None:
    line = line_of('(drinks coffee) "Okay, Theo."', ANN, "en")
    assert facts(line, where="hall") == [
        ("SCENE", "There is no coffee in the hall."),
        ("STYLE", 'Ann never says "okay".'),
        ("REL", 'Ann calls Theo "my dear".'),
    ]


def test_what_is_in_the_scene_calls_for_nothing() -> None:
    assert facts(line_of("（コーヒーを飲む）「そうですね」", AYU), "冷めたコーヒー") == []


def test_every_fact_is_one_short_sentence() -> None:
    found = facts(line_of("「あゆ、そうだよ」（コーヒーを飲む）", AYU))
    assert len(found) == 3
    assert [text for _, text in found if len(text) > 50 or text.count("。") != 1] == []


ALL = line_of("「あゆ、そうだよ」（コーヒーを飲む）", AYU)


def test_the_decision_is_recorded() -> None:
    given, decision = get_facts_for_injection(ALL, [], "台所")
    assert [type(one) for one in given] == [InjectedFact] * 3
    assert decision == InjectionDecision(
        would_inject=True,
        reasons=("predicted_blocked_props", "tone_violation", "addressing_violation"),
        predicted_blocked_props=("コーヒー",),
        detected_tone_violation=True,
        detected_addressing_violation=True,
        facts_injected=3,
    )


def test_switched_off_it_detects_all_the_same() -> None:
    on, off = (get_facts_for_injection(ALL, [], "台所", inject_enabled=switch) for switch in (True, False))
    assert off[0] == []
    assert off[1] == on[1].model_copy(update={"facts_injected": 0})


def test_where_nothing_is_wrong_nothing_would_be_given() -> None:
    assert get_facts_for_injection(line_of("「はい」", AYU), [], "台所") == ([], InjectionDecision(would_inject=False))


def test_an_empty_reply_is_read_too() -> None:
    assert get_facts_for_injection(line_of("", AYU), [], "台所") == ([], InjectionDecision(would_inject=False))
