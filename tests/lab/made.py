"""Made-up results with a known shape, so that a report can be checked against what was put in."""

import numpy as np

from hakoniwa.lab.results import (
    Arm,
    Hashes,
    Metrics,
    ModelSpec,
    Results,
    RunKey,
    RunResult,
    Scoring,
    Spec,
    TurnRow,
)
from hakoniwa.turn import DeniedReason

SCENARIOS = ("kitchen_morning", "violation_induced", "stall_induced")
ERRS = {Arm.A: 0.4, Arm.B: 0.2, Arm.C: 0.4, Arm.D: 0.1}
HOSTILE = '</p><script>alert("x")</script>「グラスを取る」&amp;'


def made(
    seeds: int = 20, kind: str = "clumsy", arms: tuple[Arm, ...] = tuple(Arm), scoring: Scoring | None = None,
    scenarios: tuple[str, ...] = SCENARIOS, errs: dict[Arm, float] = ERRS,
) -> Results:  # fmt: skip
    """An experiment in which facts help, the GM helps a little more, and arm C says what arm A says."""
    spec = Spec(
        name="made", profile="full", scenarios=scenarios, seeds=tuple(range(seeds)), arms=arms,
        models=(ModelSpec(id=kind, kind=kind),),
    )  # fmt: skip
    keys = [
        RunKey(scenario=scenario, seed=seed, arm=arm, model=kind)
        for scenario in scenarios for seed in range(seeds) for arm in arms
    ]  # fmt: skip
    return Results(
        hakoniwa="0.1.0",
        spec=spec,
        hashes=Hashes(
            scenarios=dict.fromkeys(scenarios, "0" * 16), prompts="1" * 16, code="2" * 16, models={kind: "3" * 16}
        ),
        scoring=scoring or Scoring(),
        runs=tuple(_run(key, errs) for key in keys),
    )


def _run(key: RunKey, errs: dict[Arm, float]) -> RunResult:
    like = Arm.A if key.arm is Arm.C else key.arm
    random = np.random.default_rng([key.seed, SCENARIOS.index(key.scenario), ord(like)])
    dice = random.random((10, 2))
    rows = tuple(_row(at, key.arm, bool(err < errs[key.arm]), float(score)) for at, (err, score) in enumerate(dice, 1))
    return RunResult(key=key, garden=key.id, rows=rows, metrics=_metrics(key.arm, rows))


def _row(turn: int, arm: Arm, errs: bool, score: float) -> TurnRow:
    retaken = arm is Arm.D and errs
    said = HOSTILE if errs else f"（マグカップを取る）「{turn}杯目」"
    return TurnRow(
        turn=turn, speaker="やな" if turn % 2 else "あゆ", text=said,
        denied_reason=DeniedReason.MISSING_OBJECT if errs else None, rule="get.nowhere" if errs else None,
        blocked="グラス" if errs else None, acted=True, effective=not errs, stall_score=score,
        kept="「お茶でいいか」" if retaken else said,
        kept_denied=None if retaken or not errs else DeniedReason.MISSING_OBJECT,
        changed=arm.gm and not errs, retakes=int(retaken) if arm is Arm.D else None,
        gave_up=False if arm is Arm.D else None, silent_correction=retaken if arm is Arm.D else None,
        absent_words=("グラス",) if errs and turn % 3 else (),
        facts=("FACT: グラスはここにはない。",) if arm.inject else (), prompt_hash="4" * 16, calls=2 + retaken,
        extra_calls=int(retaken),
    )  # fmt: skip


def _metrics(arm: Arm, rows: tuple[TurnRow, ...]) -> Metrics:
    turns = len(rows)
    denied = sum(row.denied_reason is not None for row in rows)
    words = sum(bool(row.absent_words) for row in rows)
    kept = sum(row.kept_denied is not None for row in rows)
    retakes = sum(row.retakes or 0 for row in rows)
    in_d = arm is Arm.D
    return Metrics(
        turns=turns,
        impossible_acts=denied / turns, absent_things=denied / turns, absent_by_words=words / turns,
        impossible_kept=kept / turns, retakes=retakes / turns if in_d else None,
        retake_success=1.0 if in_d and retakes else None, give_ups=0.0 if in_d else None,
        silent_corrections=1.0 if in_d and retakes else None, extra_calls=retakes / turns,
        stall_rate=sum(row.stall_score > 0.5 for row in rows) / turns,
        stall_mean=sum(row.stall_score for row in rows) / turns,
        effective_acts=sum(row.effective for row in rows) / turns,
        world_changes=sum(row.changed for row in rows) / turns,
        addressing_errors=0.0, tone_errors=0.0, omniscience=0.0, format_breaks=0.0, quality=0.6 + 0.02 * arm.inject,
        calls=2 + retakes / turns, faults=0.0,
        denials={DeniedReason.MISSING_OBJECT: denied} if denied else {},
        agreement=(words, denied - words, 0, turns - denied),
    )  # fmt: skip
