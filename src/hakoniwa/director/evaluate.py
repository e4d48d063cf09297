"""Directors: Minimal looks with its checks alone, Hybrid also asks a model; the stricter of the two wins."""

from collections.abc import Mapping
from typing import Protocol

from hakoniwa.director import checks as package
from hakoniwa.director.check import STRICTNESS, CheckInput, checks, words
from hakoniwa.errors import ModelError
from hakoniwa.turn import Evaluation, Finding, FiveAxes, Status

checks.load(package)

RETRY_OVERALL, RETRY_AXIS, WARN_OVERALL = 0.4, 0.3, 0.6


class Director(Protocol):
    """Judges a line before the GM judges its acts."""

    async def evaluate(self, line: CheckInput) -> Evaluation: ...


class Critic(Protocol):
    """Scores a line on five axes; raises ModelError when it cannot."""

    async def score(self, line: CheckInput) -> FiveAxes: ...


class DirectorMinimal(Director):
    """Static checks only."""

    async def evaluate(self, line: CheckInput) -> Evaluation:
        return run_checks(line)


class DirectorHybrid(Director):
    """Static checks first; unless they want a retake, a model's score too. If the model fails, the checks stand."""

    def __init__(self, critic: Critic) -> None:
        self.critic = critic

    async def evaluate(self, line: CheckInput) -> Evaluation:
        found = run_checks(line)
        if found.status == Status.RETRY:
            return found
        try:
            axes = await self.critic.score(line)
        except ModelError as error:
            return found.with_field("note", error.key)
        scored = status_of(axes)
        if STRICTNESS[scored] <= STRICTNESS[found.status]:
            return found.with_field("score", axes)
        known = words(line.language)
        why = {"reason": known.reasons["score.low"], "suggestion": known.suggestions["score.low"]}
        more = {"status": scored, "action": _action(scored), "next_instruction": known.suggestions["score.low"]}
        return found.with_fields({"score": axes, **why, **more})


def run_checks(line: CheckInput) -> Evaluation:
    """Every check's opinion, the strictest first."""
    opinions = {name: checks[name].look(line) for name in checks}
    faults = sorted((one for one in opinions.values() if one), key=lambda one: -STRICTNESS[one.status])
    status = faults[0].status if faults else Status.PASS
    known = words(line.language)
    suggestion = _fault_in_words(known.suggestions, faults[0]) if faults else None
    return Evaluation(
        status=status,
        reason="; ".join(_fault_in_words(known.reasons, one) for one in faults),
        suggestion=suggestion or "",
        action=_action(status),
        next_instruction=suggestion,
        checks_passed=tuple(name for name, one in opinions.items() if one is None),
        checks_failed=tuple(name for name, one in opinions.items() if one is not None),
        findings=tuple(faults),
    )


def _action(status: Status) -> str:
    return "INTERVENE" if status in (Status.RETRY, Status.MODIFY) else "NOOP"


def _fault_in_words(sentences: Mapping[str, str], fault: Finding) -> str:
    """A fault in words. A rule without a sentence is told by its name: no garden stops for want of one."""
    return sentences.get(fault.rule, fault.rule).format(form=fault.form, other=fault.other)


def status_of(axes: FiveAxes) -> Status:
    """What a score asks for."""
    weak = min(axes.character_consistency, axes.relationship_quality) < RETRY_AXIS
    if axes.overall < RETRY_OVERALL or weak:
        return Status.RETRY
    return Status.WARN if axes.overall < WARN_OVERALL else Status.PASS
