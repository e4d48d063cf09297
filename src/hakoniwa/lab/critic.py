"""The five axes by a model: it is first tried on dialogues whose scores are written down, and corrected by them."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean, linear_regression

from pydantic import TypeAdapter

from hakoniwa.director.critic import AXES, BEFORE, ScoredLine, ask_scores
from hakoniwa.errors import ModelError
from hakoniwa.journal import GardenRecord
from hakoniwa.lab.conditions import ledger_for
from hakoniwa.lab.results import Calibration, ModelSpec, Scoring, TurnRow
from hakoniwa.llm import ChatModel
from hakoniwa.llm.ledger import Ledger
from hakoniwa.messages import read_yaml
from hakoniwa.settings import Settings
from hakoniwa.turn import FiveAxes, Value

log = logging.getLogger("hakoniwa.lab")


class Anchor(Value):
    """A dialogue with the scores its last line deserves."""

    language: str
    who: str
    persona: str
    things: tuple[str, ...] = ()
    before: tuple[str, ...]
    line: str
    scores: FiveAxes


@cache
def anchors() -> tuple[Anchor, ...]:
    """The dialogues that every scoring model is tried on."""
    return TypeAdapter(tuple[Anchor, ...]).validate_python(read_yaml("hakoniwa.lab", "anchors.yaml"))


def calibrate_critic(critic: ModelSpec, settings: Settings) -> Scoring:
    """How a model scores the anchors, and what its scores have to be corrected by."""
    return asyncio.run(calibrate_model(ledger_for(critic, 0, settings), critic.id))


async def calibrate_model(model: Ledger, name: str) -> Scoring:
    """The same for a model that is at hand."""
    marks = [await _try_scores(model, one.language, _scored_line(one)) for one in anchors()]
    await model.aclose()
    told = [(mark, one.scores) for mark, one in zip(marks, anchors(), strict=True) if mark is not None]
    fits = tuple(fit_axis(axis, [(getattr(a, axis), getattr(b, axis)) for a, b in told]) for axis in AXES)
    return Scoring(method="model", model=name, calibration=fits, anchors=len(told))


def _scored_line(anchor: Anchor) -> ScoredLine:
    return ScoredLine(**{name: getattr(anchor, name) for name in ScoredLine.model_fields})


def fit_axis(axis: str, pairs: Sequence[tuple[float, float]]) -> Calibration:
    """The straight line that takes a model's scores nearest to the written ones; it never turns them upside down."""
    if not pairs:
        return Calibration(axis=axis, slope=1.0, intercept=0.0, error_before=1.0, error_after=1.0)
    given, right = [one for one, _ in pairs], [one for _, one in pairs]
    slope = max(0.0, linear_regression(given, right).slope) if len(set(given)) > 1 else 0.0
    intercept = round(fmean(right) - slope * fmean(given), 6)
    fit = Calibration(axis=axis, slope=round(slope, 6), intercept=intercept, error_before=0.0, error_after=0.0)
    before, after = _mean_error(given, right), _mean_error([correct_score(one, fit) for one in given], right)
    return fit.with_fields({"error_before": before, "error_after": after})


def _mean_error(given: Sequence[float], right: Sequence[float]) -> float:
    return round(fmean(abs(a - b) for a, b in zip(given, right, strict=True)), 6)


def correct_score(score: float, fit: Calibration) -> float:
    return round(min(1.0, max(0.0, fit.slope * score + fit.intercept)), 4)


async def score_rows(
    rows: Sequence[TurnRow], garden: GardenRecord, model: Ledger, calibration: Sequence[Calibration]
) -> tuple[TurnRow, ...]:
    """The rows of a run with a model's scores; where it gives none that can be used, there is none."""
    fits = {one.axis: one for one in calibration}
    language = garden.scenario.get("language", "ja")
    found = []
    for place, row in enumerate(rows):
        marks = None if row.fault else await _try_scores(model, language, _row_line(rows, place, garden))
        found.append(row.with_field("quality", _correct_scores(marks, fits)))
    await model.aclose()
    return tuple(found)


def _row_line(rows: Sequence[TurnRow], place: int, garden: GardenRecord) -> ScoredLine:
    """A line with what came before it, who says it, and what is there."""
    row, earlier = rows[place], rows[max(0, place - BEFORE) : place]
    return ScoredLine(
        who=row.speaker,
        persona=garden.sheets[row.speaker].get("persona", "").strip(),
        things=tuple(garden.scenario["world"].get("props", {})),
        before=tuple(f"{one.speaker} {one.text}" for one in earlier if not one.fault),
        line=row.text,
    )


def _correct_scores(marks: FiveAxes | None, fits: Mapping[str, Calibration]) -> FiveAxes | None:
    if marks is None:
        return None
    return FiveAxes(**{axis: correct_score(getattr(marks, axis), fits[axis]) for axis in AXES})


async def _try_scores(model: ChatModel, language: str, shown: ScoredLine) -> FiveAxes | None:
    """What a model makes of one line; None if it does not say."""
    try:
        return await ask_scores(model, language, shown)
    except ModelError as error:
        log.warning("a line has no score: %s", error.key)
        return None
