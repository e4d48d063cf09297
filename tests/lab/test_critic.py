"""The five axes by a model: calibrated on the anchors, corrected by them, and never mixed with formulas."""

import asyncio
import json

import pytest

from hakoniwa.lab.critic import AXES, anchors, calibrate_model, correct_score, fit_axis, score_rows
from hakoniwa.lab.results import Arm, Calibration
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import ScriptedModel
from tests.lab.bench import arm, plan


def marks(number: int) -> str:
    return json.dumps(dict.fromkeys(AXES, number))


def test_there_are_twenty_anchors_in_both_languages_over_the_whole_scale() -> None:
    assert len(anchors()) == 20
    assert {one.language for one in anchors()} == {"ja", "en"}
    for axis in AXES:
        given = [getattr(one.scores, axis) for one in anchors()]
        assert (min(given) <= 0.1, max(given) >= 0.8) == (True, True), axis


def test_a_model_that_is_too_kind_is_corrected() -> None:
    pairs = [(0.6, 0.1), (0.8, 0.5), (1.0, 0.9)]
    fit = fit_axis("naturalness", pairs)
    assert fit.error_before == pytest.approx(0.3)
    assert fit.error_after == pytest.approx(0.0, abs=1e-4)
    assert correct_score(0.8, fit) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("pairs", [[(0.5, 0.2), (0.5, 0.8)], [(0.1, 0.9), (0.9, 0.1)]])
def test_a_model_that_cannot_tell_good_from_bad_comes_to_the_mean(pairs: list[tuple[float, float]]) -> None:
    fit = fit_axis("naturalness", pairs)
    assert fit.slope == 0.0
    assert {correct_score(score, fit) for score in (0.0, 0.3, 1.0)} == {0.5}


def test_what_is_not_an_answer_is_left_out_of_the_calibration() -> None:
    replies = [marks(5)] * 19 + ["いい感じです"]
    scoring = asyncio.run(calibrate_model(Ledger(ScriptedModel({"director.score": replies})), "judge"))
    assert (scoring.method, scoring.model, scoring.anchors) == ("model", "judge", 19)
    assert [one.axis for one in scoring.calibration] == list(AXES)


def test_every_row_has_the_models_score_or_none() -> None:
    run = next(one for one in arm(Arm.A) if not any(row.fault for row in one.rows))
    replies = [marks(10), "{}", *[marks(0)] * len(run.rows)]
    even = [Calibration(axis=axis, slope=1.0, intercept=0.0, error_before=0, error_after=0) for axis in AXES]
    garden = plan().gardens[run.key.scenario]
    found = asyncio.run(score_rows(run.rows, garden, Ledger(ScriptedModel({"director.score": replies})), even))
    assert [row.quality.overall if row.quality else None for row in found[:3]] == [pytest.approx(1.0), None, 0.0]
