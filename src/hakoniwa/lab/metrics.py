"""What every measure is and how it is calculated: the rows of a run in numbers, by `metrics.yaml`."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from typing import Literal

import yaml
from pydantic import TypeAdapter

from hakoniwa.gm.stall import RECOVERY, WARNING
from hakoniwa.lab.results import Metrics, TurnRow
from hakoniwa.messages import LOADER
from hakoniwa.turn import DeniedReason, FiveAxes, Value


class BilingualText(Value):
    """The same in both languages."""

    ja: str
    en: str


class Metric(Value):
    """One measure of a run: the field of `Metrics` of the same name."""

    key: str
    better: Literal["less", "more", "neither"]
    unit: Literal["share", "per_turn", "score"]
    label: BilingualText
    meaning: BilingualText
    formula: str
    primary: bool = False  # whether it is one of the few the experiment is about
    gated: bool = False  # whether `lab gate` compares it with a baseline


def _read_metrics() -> tuple[Metric, ...]:
    text = (resources.files("hakoniwa.lab") / "metrics.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Metric, ...]).validate_python(yaml.load(text, Loader=LOADER))


METRICS = _read_metrics()
BY_KEY = {one.key: one for one in METRICS}


ABSENT = frozenset({DeniedReason.MISSING_OBJECT, DeniedReason.WRONG_LOCATION})
DIGITS = 6


def metrics_of(rows: Sequence[TurnRow]) -> Metrics:
    """Every measure of one run."""
    replies = [row for row in rows if row.fault is None]
    share = _sharer(replies)
    retaken = [row for row in replies if row.retakes]
    return Metrics(
        turns=len(replies),
        impossible_acts=share(lambda row: row.denied_reason is not None),
        absent_things=share(uses_absent),
        absent_by_words=share(lambda row: bool(row.absent_words)),
        impossible_kept=share(lambda row: row.kept_denied is not None),
        retakes=mean(row.retakes for row in replies),
        retake_success=mean(row.kept_denied is None for row in retaken),
        give_ups=mean(row.gave_up for row in replies),
        silent_corrections=mean(row.silent_correction for row in retaken),
        extra_calls=mean(row.extra_calls for row in replies),
        stall_rate=share(lambda row: row.stall_score > WARNING),
        stall_mean=mean(row.stall_score for row in replies),
        stall_recovery=_recovery(replies),
        effective_acts=share(lambda row: row.effective),
        world_changes=share(lambda row: row.changed),
        addressing_errors=share(lambda row: row.addressing_error),
        tone_errors=share(lambda row: row.tone_error),
        format_breaks=share(lambda row: row.format_break is not None),
        quality=mean(row.quality.overall for row in replies if row.quality),
        **{axis: mean(getattr(row.quality, axis) for row in replies if row.quality) for axis in FiveAxes.model_fields},
        calls=mean(row.calls for row in replies),
        prompt_tokens=mean(row.prompt_tokens for row in replies),
        completion_tokens=mean(row.completion_tokens for row in replies),
        faults=mean(row.fault is not None for row in rows),
        denials=_denials(replies),
        agreement=_agreement(replies),
    )


def uses_absent(row: TurnRow) -> bool:
    """Whether the judge says that the thing used is nowhere, or not here."""
    return row.denied_reason in ABSENT


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what there is; of nothing there is none."""
    known = [one for one in values if one is not None]
    return round(sum(known) / len(known), DIGITS) if known else None


def _sharer(replies: Sequence[TurnRow]) -> Callable[[Callable[[TurnRow], bool]], float | None]:
    return lambda holds: mean(holds(row) for row in replies)


def _denials(replies: Sequence[TurnRow]) -> dict[DeniedReason, int]:
    counted = Counter(row.denied_reason for row in replies)
    return {reason: counted[reason] for reason in DeniedReason if counted[reason]}


def _agreement(replies: Sequence[TurnRow]) -> tuple[int, int, int, int]:
    """Judge and words on whether a thing is used that is not here: both, judge only, words only, neither."""
    counted = Counter((uses_absent(row), bool(row.absent_words)) for row in replies)
    return counted[True, True], counted[True, False], counted[False, True], counted[False, False]


def _recovery(replies: Sequence[TurnRow]) -> float | None:
    """The share of stalls after whose first turn, with three more to come, something is done that counts."""
    stalled = [row.stall_score > WARNING for row in replies]
    onsets = [place for place, now in enumerate(stalled) if now and not (place and stalled[place - 1])]
    seen = [place for place in onsets if place + RECOVERY < len(replies)]
    return mean(any(row.effective for row in replies[place + 1 : place + 1 + RECOVERY]) for place in seen)
