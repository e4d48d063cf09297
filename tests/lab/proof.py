"""Whether both factors of an experiment act: the proof that its arms are what they are said to be."""

from collections.abc import Callable, Sequence

from hakoniwa.lab.metrics import mean
from hakoniwa.lab.results import Arm, RunResult
from hakoniwa.stage.world import WorldState

Worlds = Callable[[RunResult], tuple[WorldState, WorldState]]


def flaws(runs: Sequence[RunResult], worlds: Worlds) -> list[str]:
    """What speaks against it; empty if nothing does."""
    by_arm = {arm: [run for run in runs if run.key.arm == arm] for arm in Arm}
    found = {
        "Inject changes no prompt (A, B)": _first_prompts(by_arm[Arm.A]) == _first_prompts(by_arm[Arm.B]),
        "Inject changes no prompt (C, D)": _first_prompts(by_arm[Arm.C]) == _first_prompts(by_arm[Arm.D]),
        "the GM changes no world (C)": not _moved(by_arm[Arm.C], worlds),
        "the GM changes no world (D)": not _moved(by_arm[Arm.D], worlds),
        "a world moves without the GM": bool(_moved([*by_arm[Arm.A], *by_arm[Arm.B]], worlds)),
        "Inject does not lessen impossible acts": not _mean(by_arm, "impossible_acts", Arm.B, Arm.A) > 0.1,
        "both do not lessen impossible acts": not _mean(by_arm, "impossible_acts", Arm.D, Arm.C) > 0.1,
        "retakes do not lessen what stands": not _mean(by_arm, "impossible_kept", Arm.D, Arm.B) > 0.1,
        "without the GM nothing is counted": not mean(run.metrics.impossible_acts for run in by_arm[Arm.A]),
    }
    return [name for name, wrong in found.items() if wrong]


def _first_prompts(runs: Sequence[RunResult]) -> list[str]:
    return [run.rows[0].prompt_hash for run in runs]


def _moved(runs: Sequence[RunResult], worlds: Worlds) -> list[RunResult]:
    return [run for run in runs for opening, left in [worlds(run)] if opening != left]


def _mean(by_arm: dict[Arm, list[RunResult]], metric: str, less: Arm, more: Arm) -> float:
    """By how much one arm has less of something than another."""
    values = {arm: mean(getattr(run.metrics, metric) for run in by_arm[arm]) or 0.0 for arm in (less, more)}
    return values[more] - values[less]
