"""The stall score: exact weights, thresholds, profiles, what is logged, and whether an incident helped."""

import logging

import pytest

from hakoniwa.gm.facts import cards
from hakoniwa.gm.history import PastTurn
from hakoniwa.gm.stall import NOTICE, STUCK, WARNING, calculate_stall_score, recovery_share, stall_score
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ParsedOutput, Ruling

LONG = "港の朝市で、青い魚と赤い蟹をいっぺんに見たことがある。"
WORDS = ["港", "山", "森", "川", "海", "空"]


def lively(turn: int) -> PastTurn:
    return PastTurn(
        turn,
        "汐里",
        speech=f"{WORDS[turn % 6] * 2}のことを、きょうはながながと、ゆっくりと、きいてほしい。",
        moved=True,
        acted=True,
    )


def test_a_first_turn_scores_nothing() -> None:
    assert stall_score([], PastTurn(0, "汐里", speech="うん")) == 0.0
    assert calculate_stall_score([], []) == 0.0


def test_a_lively_session_scores_nothing() -> None:
    assert stall_score([lively(turn) for turn in range(5)], lively(5)) == 0.0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"moved": False}, 0.50),
        ({"speech": ""}, 0.15),
        ({"acted": False}, 0.10),
        ({"moved": False, "acted": False, "speech": ""}, 0.75),
    ],
)
def test_each_weight_counts_in_full_when_every_turn_has_it(changes: dict[str, object], expected: float) -> None:
    turns = [
        PastTurn(
            **{"turn": turn, "speaker": "汐里", "speech": lively(turn).speech, "moved": True, "acted": True, **changes}
        )
        for turn in range(6)
    ]  # type: ignore[arg-type]
    assert stall_score(turns[:5], turns[5]) == expected


def test_a_repeated_topic_counts_from_its_second_turn_on() -> None:
    turns = [PastTurn(turn, "汐里", speech=LONG, moved=True, acted=True) for turn in range(6)]
    assert stall_score(turns[:5], turns[5]) == round(0.25 * 5 / 6, 4)


def test_words_without_content_are_a_topic_when_they_are_said_again() -> None:
    turns = [PastTurn(turn, "汐里", speech="そうだね。") for turn in range(10)]
    scores = [stall_score(turns[:turn], turns[turn]) for turn in range(10)]
    assert scores[-1] == round(0.75 + 0.25 * 5 / 6, 4) > STUCK
    assert stall_score([PastTurn(0, "汐里", speech="いやだよ。")], turns[1]) == round(0.75 * 2 / 6, 4)


def test_shares_are_over_the_window_and_one() -> None:
    still = PastTurn(1, "汐里", speech=lively(1).speech, moved=False, acted=True)
    assert stall_score([lively(0)], still) == round(0.50 / 6, 4)


def test_the_profile_of_play_weighs_repetition_most() -> None:
    turns = [PastTurn(turn, "汐里", speech=LONG, moved=False) for turn in range(6)]
    assert stall_score(turns[:5], turns[5], "repetition") == round(0.70 * 5 / 6 + 0.20, 4)


def test_what_the_gm_injected_is_no_repetition() -> None:
    turns = [PastTurn(turn, "汐里", speech=LONG, moved=True, injected=True) for turn in range(6)]
    assert stall_score(turns[:5], turns[5], "repetition") == 0.0


def test_plain_records_are_scored_like_the_seed_does() -> None:
    empty = {"world_delta": [], "speech": LONG, "action_intents": [{"intent": "GET"}]}
    only_notes = {**empty, "world_delta": [{"op": "add", "path": "/events/-", "value": "…"}]}
    assert calculate_stall_score([empty, only_notes], []) == pytest.approx(0.5 * 3 / 6 + 0.25 / 6 + 0.1 / 6, abs=1e-3)
    moved = [{"op": "replace", "path": "/props/皿/state", "value": ["clean"]}]
    assert calculate_stall_score([{**empty, "world_delta": moved}], moved) == 0.0


@pytest.mark.parametrize(("quiet", "logged"), [(3, False), (4, True), (6, True)])
def test_a_middling_score_is_noted_in_the_log(quiet: int, logged: bool, caplog: pytest.LogCaptureFixture) -> None:
    turns = [
        lively(turn) if turn >= quiet else PastTurn(turn, "汐里", speech=lively(turn).speech, acted=True)
        for turn in range(6)
    ]
    with caplog.at_level(logging.INFO, logger="hakoniwa.gm"):
        score = stall_score(turns[:5], turns[5])
    assert (NOTICE <= score <= WARNING) == logged == bool(caplog.records)


def world() -> WorldState:
    props = {"皿": {"location": "台所"}, "鍋": {"location": "台所"}}
    return WorldState.model_validate(
        {"time": {"turn": 3}, "location": {"current": "台所"}, "locations": {"台所": {}}, "props": props,
         "characters": {"汐里": {"location": "台所"}}}
    )  # fmt: skip


@pytest.mark.parametrize(("score", "count"), [(WARNING, 0), (WARNING + 0.01, 1), (STUCK, 1), (STUCK + 0.01, 2)])
def test_cards_warn_above_a_half_and_name_a_new_topic_above_four_fifths(score: float, count: int) -> None:
    found = cards(Ruling(parsed=ParsedOutput(), allowed=True, stall_score=score), world(), "汐里", touched=["皿"])
    assert len(found) == count
    assert not any("皿" in card for card in found)
    assert any("鍋" in card for card in found) == (score > STUCK)


def test_recovery_is_the_share_of_incidents_after_which_the_world_moved_in_time() -> None:
    assert recovery_share([], [1, 2]) is None
    assert recovery_share([4, 10], [7, 14]) == 0.5
    assert recovery_share([4], [4]) == 0.0
