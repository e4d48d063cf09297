"""measured: one turn as a row of the results. Everything is taken from the first reply, in every arm alike."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hakoniwa.actor.view import View
from hakoniwa.director.check import Line
from hakoniwa.director.direct import Cut, Shot
from hakoniwa.director.evaluate import checked
from hakoniwa.gm.stall import moves_world
from hakoniwa.gm.step import Step
from hakoniwa.lab.axes import Before, five_axes
from hakoniwa.lab.results import Arm, TurnRow
from hakoniwa.lab.words import absent_words
from hakoniwa.llm import Call
from hakoniwa.stage.world import present
from hakoniwa.turn import PHYSICAL, Thought

RETAKE = "actor.retake"


@dataclass(frozen=True)
class Seen:
    """Everything there is to know about a turn once it has been played."""

    frame: Shot
    text: str
    thought: Thought
    first: Step
    cut: Cut
    view: View
    arm: Arm
    before: Before


def measured(seen: Seen, calls: Sequence[Call], changed: bool, incident: str | None) -> TurnRow:
    """The row of a turn with a reply."""
    ruling, take = seen.first.ruling, seen.cut.take
    line = _line(seen)
    findings = {one.check for one in checked(line).findings}
    retaken = sum(call.purpose == RETAKE for call in calls)
    return TurnRow(
        turn=seen.frame.turn,
        speaker=seen.frame.who,
        text=seen.text,
        thought=seen.thought.text,
        denied_reason=ruling.denied_reason,
        rule=ruling.explanation.rule if ruling.explanation else None,
        blocked=ruling.explanation.written if ruling.explanation else None,
        acted=any(one.intent in PHYSICAL for one in ruling.parsed.action_intents),
        effective=ruling.allowed and moves_world(ruling.world_delta),
        stall_score=ruling.stall_score,
        kept=take.performance.text,
        kept_denied=take.ruling.denied_reason,
        changed=changed,
        retakes=retaken if seen.arm == Arm.D else None,
        gave_up=(retaken > 0 and not take.ruling.allowed) if seen.arm == Arm.D else None,
        silent_correction=take.silent_correction if retaken else None,
        absent_words=absent_words(seen.text, seen.frame.world, seen.frame.who),
        addressing_error="addressing" in findings,
        tone_error="tone" in findings,
        format_break=ruling.format_break,
        quality=five_axes(line, findings, seen.before),
        facts=tuple(seen.view.facts),
        incident=incident,
        extra_calls=retaken,
        **costs(calls),
    )


def fault_row(turn: int, view: View, fault: str, calls: Sequence[Call]) -> TurnRow:
    """The row of a turn in which the model failed."""
    return TurnRow(turn=turn, speaker=view.who, fault=fault, facts=tuple(view.facts), **costs(calls))


def _line(seen: Seen) -> Line:
    """The first reply in front of the checks."""
    frame = seen.frame
    company = [one for one in present(frame.world, frame.room) if one != frame.who]
    parsed = seen.first.ruling.parsed
    return Line(frame.who, frame.character, seen.text, parsed, frame.world.language, company, frame.said)


def costs(calls: Sequence[Call]) -> dict[str, Any]:
    """What the calls of a turn came to; tokens only where the server counted them in every call."""
    asked = [(call.purpose, [(one.role, one.content) for one in call.messages]) for call in calls]
    return {
        "prompt_hash": hashlib.sha256(repr(asked).encode()).hexdigest()[:16] if asked else "",
        "calls": len(calls),
        "prompt_tokens": _sum([call.usage.prompt for call in calls]),
        "completion_tokens": _sum([call.usage.completion for call in calls]),
    }


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if known and len(known) == len(counts) else None
