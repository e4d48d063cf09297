"""Who speaks next: the speaker's own reply may name a member; anything else goes by policy. Total, linear, logged."""

import json
import logging
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.director.next_speaker import CharacterRegistry, NextPolicy, Resolved, normalized, resolve_next_speaker
from tests.pace import busy

VOICES = CharacterRegistry(
    [
        {"internal_id": "LUMINA", "display_name": "ルミナ", "short_name": "る"},
        {"internal_id": "CLARIS", "display_name": "クラリス", "short_name": "く"},
        {"internal_id": "NOX", "display_name": "ノクス", "short_name": "の"},
    ]
)


def resolved(text: str, current: str = "LUMINA", members: CharacterRegistry = VOICES, **policy: Any) -> Resolved:
    return resolve_next_speaker(text, current, members, NextPolicy(**policy), Random(1))


def chosen(
    text: str, current: str = "LUMINA", members: CharacterRegistry = VOICES, **policy: Any
) -> tuple[str | None, str]:
    found = resolved(text, current, members, **policy)
    return found["next_id"], found["reason"]


def cast(*members: dict[str, Any]) -> CharacterRegistry:
    return CharacterRegistry(list(members))


# --- what the seed asks for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "current", "expected"),
    [
        ("[Next: LUMINA]", "NOX", ("LUMINA", "tag")),
        ("[Next: ルミナ]", "NOX", ("LUMINA", "tag")),
        ("[Next: る]", "NOX", ("LUMINA", "tag")),
        ("[Next: ルミナさん]", "NOX", ("LUMINA", "tag")),
        ("[Next: (クラリス)]", "NOX", ("CLARIS", "tag")),
        ("[next:   nox ]", "LUMINA", ("NOX", "tag")),
        ("[Next: LUMINA]", "LUMINA", ("CLARIS", "round_robin")),
        ("静かな夜ね。", "LUMINA", ("CLARIS", "round_robin")),
        ("[Next: 黒猫]", "CLARIS", ("NOX", "round_robin")),
        ("[Next: CLARIS] [Next: NOX]", "LUMINA", ("NOX", "tag")),
    ],
    ids=["id", "display", "short", "honorific", "brackets", "case", "self", "missing", "unknown", "several"],
)
def test_the_viewpoints_of_the_seed(text: str, current: str, expected: tuple[str, str]) -> None:
    assert chosen(text, current) == expected


@pytest.mark.parametrize(
    "tag",
    ["[nExT: NOX]", "[ Next : NOX ]", "［Next：ＮＯＸ］", "[NEXT:nox]", "[Next: 「ノクス」]", "[Next: 'NOX']",
     '[Next: "NOX"]', "[Next: （ノクス）]", "[Next: ノクス様]", "[Next: ノクスちゃん]", "[Next: ノクス君]",
     "[Next: ノクスくん]", "[Next: ノクスさま]", "[Next: ノクス。]", "[Next: ﾉｸｽ]", "[Next:\nNOX\n]",
     "「じゃあね」[Next: の]！", "[Next: <NOX>]", "[Next: **NOX**]", "[Next: @NOX]", "[Next: NOX（ノクス）]",
     "[Next: ノクス（夜の人）]", "[Next: ノクス先輩]", "[Next: のくす]", "[Next: のくすちゃん]"],
)  # fmt: skip
def test_a_tag_may_be_written_in_many_ways(tag: str) -> None:
    assert chosen(f"じゃあ、次。{tag}") == ("NOX", "tag")


@pytest.mark.parametrize(
    ("raw", "form"),
    [(" （ルミナ）さん。", "ルミナ"), ("ｎｏｘ", "NOX"), ("さん", "さん"), ("様", "様"), ("", ""), ("「」", ""),
     ("ノクス様！", "ノクス"), ("李君", "李"), ("ノクス君さん", "ノクス君")],
)  # fmt: skip
def test_names_are_compared_in_one_form(raw: str, form: str) -> None:
    assert normalized(raw) == form


@pytest.mark.parametrize(
    "text",
    ["[Next: ]", "[Next: USER]", "[Next: user]", "[Next: さん]", "[Next: 全員]", "[Next NOX]", "Next: NOX",
     "[Next: NOX", "[次: NOX]", "[Next: <script>]", "[Next: LUMINA NOX]", "[Next: " + "N" * 300 + "]",
     "[Next: LUMINA, NOX]", "[Next: ...]"],
)  # fmt: skip
def test_what_names_no_member_goes_by_policy(text: str) -> None:
    assert chosen(text) == ("CLARIS", "round_robin")


def test_the_record_says_what_was_read() -> None:
    assert resolved("ね？[Next:  ノクスさん ]") == {
        "next_id": "NOX", "reason": "tag", "extracted": "ノクスさん", "normalized": "ノクス",
    }  # fmt: skip
    assert resolved("[Next: 猫] [Next: 犬さん]") == {
        "next_id": "CLARIS", "reason": "round_robin", "extracted": "犬さん", "normalized": "犬",
    }  # fmt: skip
    assert resolved("やあ") == {"next_id": "CLARIS", "reason": "round_robin", "extracted": "", "normalized": ""}


# --- thoughts, quotations, several tags, control messages ----------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["<think>[Next: NOX]</think>うん。", "<THOUGHT>[Next: NOX]</THOUGHT>", "＜think＞[Next: NOX]＜/think＞",
     "<think>[Next: NOX]", "<think>あ<think>い</think>[Next: NOX]</think>", "< think >[Next: NOX]</ think >",
     "<thinking>[Next: NOX]</thinking>", '<think>{"type":"control","next":"NOX"}</think>'],
)  # fmt: skip
def test_a_thought_names_nobody(text: str) -> None:
    assert chosen(text) == ("CLARIS", "round_robin")


@pytest.mark.parametrize(
    "text",
    ["<think>猫</think>[Next: NOX]", "</think>[Next: NOX]", "<thinker>[Next: NOX]", "[Next: NOX]<think>[Next: CLARIS]"],
)
def test_what_stands_outside_a_thought_counts(text: str) -> None:
    assert chosen(text) == ("NOX", "tag")


@pytest.mark.parametrize(
    "text",
    ["「[Next: NOX]」と書けばいいの？", "『[Next: NOX]』", "「『あ』[Next: NOX]」", "「［Next：ノクス］」",
     '「{"type":"control","next":"NOX"}」', "「あ「い」[Next: NOX]う」"],
)  # fmt: skip
def test_a_quotation_names_nobody(text: str) -> None:
    assert chosen(text) == ("CLARIS", "round_robin")


@pytest.mark.parametrize(
    "text",
    ["「うん」[Next: NOX]", "「うん[Next: NOX]", "」[Next: NOX]", "「あ」『い』[Next: NOX]「う」",
     "「あ」[Next: CLARIS]「[Next: NOX]", "[Next: 「ノクス」]「[Next: CLARIS]」"],
)  # fmt: skip
def test_what_stands_outside_a_quotation_counts(text: str) -> None:
    assert chosen(text) == ("NOX", "tag")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Next: NOX] あるいは [Next: 黒猫]", ("NOX", "tag")),
        ("[Next: NOX][Next: CLARIS][Next: NOX]", ("NOX", "tag")),
        ("[Next: CLARIS] やっぱり [Next: LUMINA]", ("CLARIS", "round_robin")),
        ("[Next: NOX] やっぱり [Next: LUMINA]", ("CLARIS", "round_robin")),
        ("[Next: NOX]" + "[Next: 猫]" * 30, ("NOX", "tag")),
        ("[Next: NOX]" + "".join(f"[Next: 猫{n}]" for n in range(16)), ("CLARIS", "round_robin")),
        ("[Next: NOX]" + "".join(f"[Next: 猫{n}]" for n in range(15)), ("NOX", "tag")),
    ],
)
def test_the_last_tag_that_names_a_member_decides(text: str, expected: tuple[str, str]) -> None:
    assert chosen(text) == expected


def control(**message: Any) -> str:
    return json.dumps({"type": "control", **message}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (control(next="NOX"), ("NOX", "tag")),
        (control(next="ノクスさん") + "[Next: CLARIS]", ("NOX", "tag")),
        ('```json\n{\n  "next": "NOX",\n  "type": "control"\n}\n```', ("NOX", "tag")),
        (control(next="CLARIS") + control(next="NOX"), ("NOX", "tag")),
        (control(next="猫") + "[Next: NOX]", ("NOX", "tag")),
        (control(next="NOX") + '{"type":"control",', ("NOX", "tag")),
        (control(next="LUMINA") + "[Next: NOX]", ("CLARIS", "round_robin")),
        (control(next="USER"), ("CLARIS", "round_robin")),
        (control(next=["NOX"]), ("CLARIS", "round_robin")),
        (control(next=None), ("CLARIS", "round_robin")),
        (control(), ("CLARIS", "round_robin")),
        ('{"type":"chat","next":"NOX"}', ("CLARIS", "round_robin")),
        ('{"next":"NOX"}', ("CLARIS", "round_robin")),
        ('{"type":"control","next":"NOX"', ("CLARIS", "round_robin")),
        ('{"type":' * 600, ("CLARIS", "round_robin")),
        (control(members=[{"internal_id": "EVIL"}], next="EVIL"), ("CLARIS", "round_robin")),
        (control(note="x" * 2000, next="NOX"), ("CLARIS", "round_robin")),
    ],
)
def test_a_control_message_goes_before_any_tag(text: str, expected: tuple[str, str]) -> None:
    assert chosen(text) == expected


# --- who is meant --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("ノックス", ("NOX", "fuzzy")), ("NOXX", ("NOX", "fuzzy")), ("クラリース", ("CLARIS", "fuzzy")),
        ("CLARISS", ("CLARIS", "fuzzy")), ("NO", ("CLARIS", "round_robin")), ("ノクズ", ("CLARIS", "round_robin")),
        ("のの", ("CLARIS", "round_robin")), ("ん", ("CLARIS", "round_robin")),
    ],
)  # fmt: skip
def test_a_doubled_letter_is_forgiven_a_wrong_one_is_not(written: str, expected: tuple[str, str]) -> None:
    assert chosen(f"[Next: {written}]") == expected


def test_the_threshold_is_a_policy() -> None:
    assert chosen("[Next: ノクズ]", fuzzy_threshold=0.6) == ("NOX", "fuzzy")
    assert chosen("[Next: ノックス]", fuzzy_threshold=1.0) == ("CLARIS", "round_robin")
    assert chosen("[Next: のん]", fuzzy_threshold=0.5) == ("CLARIS", "round_robin")
    assert chosen("[Next: ノ]", fuzzy_threshold=0.5) == ("CLARIS", "round_robin")
    assert chosen("[Next: ノク]", fuzzy_threshold=0.75) == ("NOX", "fuzzy")


def test_ids_go_before_display_names_before_short_names_before_aliases() -> None:
    members = cast(
        {"internal_id": "ミナ", "display_name": "一", "short_name": "a"},
        {"internal_id": "B", "display_name": "ミナ", "short_name": "カイ"},
        {"internal_id": "C", "display_name": "カイ", "short_name": "ソラ"},
        {"internal_id": "D", "display_name": "四", "short_name": "d", "aliases": ["ソラ", "トワ"]},
    )
    named = [chosen(f"[Next: {name}]", "E", members)[0] for name in ("ミナ", "カイ", "ソラ", "トワ")]
    assert named == ["ミナ", "C", "C", "D"]


def test_a_close_name_prefers_the_better_kind_of_name() -> None:
    members = cast({"internal_id": "A", "aliases": ["トワイライト"]}, {"internal_id": "トワイライト"})
    assert chosen("[Next: トワイライトト]", "Z", members) == ("トワイライト", "fuzzy")


def test_a_name_that_two_share_decides_nothing() -> None:
    members = cast(
        {"internal_id": "A", "display_name": "ミナモト"},
        {"internal_id": "B", "display_name": "ミナモト", "short_name": "ビ"},
        {"internal_id": "C", "display_name": "カイ"},
    )
    assert chosen("[Next: ミナモト]", "C", members) == ("A", "round_robin")
    assert chosen("[Next: ミナモトト]", "C", members) == ("A", "round_robin")
    assert chosen("[Next: ビ]", "C", members) == ("B", "tag")
    assert chosen("[Next: ミナモト] [Next: B]", "C", members) == ("B", "tag")


def test_a_name_that_two_share_in_different_kana_decides_only_as_it_is_written() -> None:
    members = cast(
        {"internal_id": "A", "display_name": "ミナ"},
        {"internal_id": "B", "display_name": "みな"},
        {"internal_id": "C", "display_name": "カイ"},
    )

    assert chosen("[Next: みな]", "C", members) == ("B", "tag")
    assert chosen("[Next: みナ]", "C", members) == ("A", "round_robin")


def test_somebody_may_bear_one_name_twice() -> None:
    members = cast({"internal_id": "A", "display_name": "ミナ", "aliases": ["ミナ", "", "ﾐﾅ"]}, {"internal_id": "B"})
    assert chosen("[Next: ミナ]", "B", members) == ("A", "tag")


def test_hidden_members_never_speak() -> None:
    searcher = {"internal_id": "SEARCHER", "display_name": "検索係", "hidden": True}
    members = cast({"internal_id": "A"}, searcher, {"internal_id": "B"})
    assert chosen("[Next: SEARCHER]", "A", members) == ("B", "round_robin")
    assert chosen("[Next: 検索係]", "A", members) == ("B", "round_robin")
    assert chosen("", "B", members) == ("A", "round_robin")


def test_absent_members_cannot_be_named_but_have_their_turn() -> None:
    members = cast({"internal_id": "A"}, {"internal_id": "B", "absent": True}, {"internal_id": "C"})
    assert chosen("[Next: B]", "C", members) == ("A", "round_robin")
    assert chosen("[Next: C]", "A", members) == ("C", "tag")
    assert chosen("", "A", members) == ("B", "round_robin")


def test_a_member_without_an_id_is_none() -> None:
    assert chosen("[Next: 誰か]", "A", cast({"display_name": "誰か"}, {"internal_id": "A"})) == (None, "none")


# --- policy --------------------------------------------------------------------------------------------------------


def test_round_robin_goes_round_in_order() -> None:
    order, current = [], "LUMINA"
    for _ in range(4):
        current = str(chosen("", current)[0])
        order.append(current)
    assert order == ["CLARIS", "NOX", "LUMINA", "CLARIS"]


@pytest.mark.parametrize("fallback", ["round_robin", "random"])
def test_alone_there_is_nobody_next(fallback: str) -> None:
    assert chosen("[Next: LUMINA]", "LUMINA", cast({"internal_id": "LUMINA"}), fallback=fallback) == (None, "none")
    assert chosen("", "LUMINA", cast(), fallback=fallback) == (None, "none")


def test_somebody_unknown_is_followed_by_the_first() -> None:
    assert chosen("", "STRANGER") == ("LUMINA", "round_robin")


def test_random_takes_its_dice_and_never_the_speaker() -> None:
    def thrown(seed: int) -> list[str | None]:
        dice = Random(seed)
        policy = NextPolicy(fallback="random")
        return [resolve_next_speaker("", "NOX", VOICES, policy, dice)["next_id"] for _ in range(40)]

    assert thrown(3) == thrown(3)
    assert set(thrown(3)) == {"LUMINA", "CLARIS"}
    assert chosen("[Next: CLARIS]", "NOX", fallback="random") == ("CLARIS", "tag")
    assert resolve_next_speaker("", "NOX", VOICES, NextPolicy(fallback="random"))["reason"] == "random"


def test_self_nomination_is_a_policy() -> None:
    assert chosen("[Next: る]", allow_self_nomination=True) == ("LUMINA", "tag")
    assert chosen("[Next: る]", fallback="random")[1] == "random"


# --- never raises, linear, logged ----------------------------------------------------------------------------------

PIECES = [
    "[Next: ", "[", "]", "NOX", "<think>", "</think>", "「", "」", "『", '{"type":"control","next":"', '"}', " ", "：",
    "さん", "\x00", "é",
]  # fmt: skip
MEMBER = st.dictionaries(
    st.sampled_from(["internal_id", "display_name", "short_name", "aliases", "hidden"]),
    st.one_of(st.text(max_size=3), st.none(), st.booleans(), st.lists(st.text(max_size=2), max_size=2)),
)


@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=30).map("".join),
    st.lists(MEMBER.filter(lambda one: isinstance(one.get("internal_id"), str)), max_size=4),
    st.floats(allow_nan=False),
)
def test_it_never_raises_and_chooses_members_only(text: str, members: list[dict[str, Any]], threshold: float) -> None:
    found = resolve_next_speaker(text, "LUMINA", cast(*members), NextPolicy(fuzzy_threshold=threshold))
    assert found["next_id"] in [None, *(one["internal_id"] for one in members if not one.get("hidden"))]
    assert found["next_id"] != "LUMINA"
    assert found["reason"] in ("tag", "fuzzy", "round_robin", "none")


@pytest.mark.pace
@pytest.mark.parametrize("text", ["「やあ」[Next: MEMBER49]", "「やあ」", "[Next: だれか別の人]", "[Next: MEMBER49X]"])
def test_fifty_members_take_about_a_millisecond(text: str) -> None:
    members = cast(
        *({"internal_id": f"MEMBER{n}", "display_name": f"登場人物{n}号", "short_name": f"M{n}"} for n in range(50))
    )

    def ten_times() -> None:
        for _ in range(10):
            resolved(text, "MEMBER0", members)

    assert busy(ten_times, 0.02) < 0.02


def test_a_member_may_have_several_display_names() -> None:
    members = cast({"internal_id": "A", "display_name": ["ルミナ", "Lumina"]}, {"internal_id": "B"})
    named = [resolved(f"[Next: {name}]", "B", members) for name in ("ルミナ", "lumina")]
    assert [(one["next_id"], one["reason"]) for one in named] == [("A", "tag")] * 2


def test_a_decision_is_logged_as_information(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="hakoniwa.operation"):
        resolved("[Next: ノックスさん]")
        resolved("")
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("INFO", "extracted_raw='ノックスさん' normalized='ノックス' matched_id='NOX' reason=fuzzy"),
        ("INFO", "extracted_raw='' normalized='' matched_id='CLARIS' reason=round_robin"),
    ]


@pytest.mark.parametrize("text", [control(next=["NOX"]), control(next=7), '{"type":', "[Next: ]"])
def test_nonsense_is_no_failure(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="hakoniwa.operation"):
        resolved(text)
    assert [one.levelname for one in caplog.records] == ["INFO"]


def test_no_decision_is_logged_as_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="hakoniwa.operation"):
        resolved("[Next: 猫]", "LUMINA", cast({"internal_id": "LUMINA"}))
    assert [(one.levelname, one.getMessage()) for one in caplog.records] == [
        ("WARNING", "extracted_raw='猫' normalized='猫' matched_id=None reason=none")
    ]


def test_a_failure_is_logged_as_an_error_and_the_play_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="hakoniwa.operation"):
        found = resolved("[Next: NOXX]", fuzzy_threshold=7)
    assert (found["next_id"], found["reason"]) == ("CLARIS", "round_robin")
    assert [one.levelname for one in caplog.records] == ["ERROR", "INFO"]
