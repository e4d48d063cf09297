"""Directors: the stricter opinion wins, and a model that fails leaves the checks standing."""

import asyncio

import pytest

from hakoniwa.director.check import CheckInput
from hakoniwa.director.evaluate import Critic, DirectorHybrid, DirectorMinimal, run_checks, status_of
from hakoniwa.errors import ModelError, ModelMisbehaved, ModelUnavailable
from hakoniwa.turn import FiveAxes, Status
from tests.director.lines import line_of, sheet

GOOD = line_of("（笑う）「おはよう」")
WARNED = line_of(f"「{'、'.join(f'{number}番目' for number in range(40))}」")
BAD = line_of("「行くんだよ」", sheet(forbidden=["だよ"]))


def axes(overall: float, character: float | None = None, relationship: float | None = None) -> FiveAxes:
    return FiveAxes(
        character_consistency=overall if character is None else character,
        topic_novelty=overall,
        relationship_quality=overall if relationship is None else relationship,
        naturalness=overall,
        concreteness=overall,
    )


class FixedCritic(Critic):
    """Gives the same score to every line, and counts how often it is asked."""

    def __init__(self, score: FiveAxes) -> None:
        self.fixed = score
        self.asked = 0

    async def score(self, line: CheckInput) -> FiveAxes:
        self.asked += 1
        return self.fixed


class BrokenCritic(Critic):
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def score(self, line: CheckInput) -> FiveAxes:
        raise self.error


def test_the_weights_of_the_five_axes() -> None:
    one_by_one = [
        FiveAxes.model_validate({**dict.fromkeys(FiveAxes.model_fields, 0.0), name: 1.0}).overall
        for name in FiveAxes.model_fields
    ]
    assert one_by_one == [0.25, 0.20, 0.25, 0.15, 0.15]


@pytest.mark.parametrize(
    ("score", "status"),
    [
        (axes(1.0), Status.PASS), (axes(0.61), Status.PASS), (axes(0.59), Status.WARN), (axes(0.41), Status.WARN),
        (axes(0.39), Status.RETRY), (axes(0.9, character=0.29), Status.RETRY), (axes(0.9, character=0.31), Status.PASS),
        (axes(0.9, relationship=0.29), Status.RETRY), (axes(0.9, relationship=0.31), Status.PASS),
    ],
)  # fmt: skip
def test_what_a_score_asks_for(score: FiveAxes, status: Status) -> None:
    assert status_of(score) == status


@pytest.mark.parametrize("line", [GOOD, WARNED, BAD])
def test_minimal_is_the_checks_alone(line: CheckInput) -> None:
    assert asyncio.run(DirectorMinimal().evaluate(line)) == run_checks(line)


@pytest.mark.parametrize(
    ("line", "score", "status", "action"),
    [
        (GOOD, axes(0.9), Status.PASS, "NOOP"),
        (GOOD, axes(0.5), Status.WARN, "NOOP"),
        (GOOD, axes(0.2), Status.RETRY, "INTERVENE"),
        (WARNED, axes(0.9), Status.WARN, "NOOP"),
        (WARNED, axes(0.5), Status.WARN, "NOOP"),
        (WARNED, axes(0.2), Status.RETRY, "INTERVENE"),
    ],
)
def test_the_stricter_of_checks_and_model_wins(line: CheckInput, score: FiveAxes, status: Status, action: str) -> None:
    found = asyncio.run(DirectorHybrid(FixedCritic(score)).evaluate(line))
    assert (found.status, found.action, found.score, found.note) == (status, action, score, None)
    assert found.findings == run_checks(line).findings


def test_a_low_score_says_why() -> None:
    found = asyncio.run(DirectorHybrid(FixedCritic(axes(0.2))).evaluate(GOOD))
    assert found.reason == "芝居の出来がよくない"
    assert found.suggestion == found.next_instruction != ""


def test_where_the_checks_want_a_retake_no_model_is_asked() -> None:
    critic = FixedCritic(axes(1.0))
    found = asyncio.run(DirectorHybrid(critic).evaluate(BAD))
    assert (found, critic.asked) == (run_checks(BAD), 0)


@pytest.mark.parametrize("line", [GOOD, WARNED])
@pytest.mark.parametrize("error", [ModelMisbehaved, ModelUnavailable])
def test_a_critic_that_fails_is_noted_and_the_checks_stand(line: CheckInput, error: type[ModelError]) -> None:
    found = asyncio.run(DirectorHybrid(BrokenCritic(error("model.no-line", purpose="x"))).evaluate(line))
    assert found == run_checks(line).model_copy(update={"note": "model.no-line"})


def test_a_mistake_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(DirectorHybrid(BrokenCritic(ZeroDivisionError())).evaluate(GOOD))
