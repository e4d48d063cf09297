"""What has happened in a garden as rows of plain values, and as a frame."""

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from shlex import quote
from typing import Any, Literal

from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.play.session import Session
from hakoniwa.stage.world import PLACES

Kind = Literal["turns", "acts", "beliefs", "relations", "calls"]
Row = dict[str, Any]
FRAMES = ("pandas", "polars")


def records_of(session: Session, kind: Kind) -> Iterator[Row]:
    """One kind of rows."""
    if kind not in KINDS:
        raise UnknownName("library.no-kind", name=kind, known=", ".join(KINDS))
    return KINDS[kind](session)


def frame_of(rows: Sequence[Row]) -> Any:
    """Rows as a frame of whichever library is installed."""
    for name in FRAMES:
        if find_spec(name):
            return importlib.import_module(name).DataFrame(rows)
    raise UsageError("library.no-frames", python=quote(sys.executable))


def _turns(session: Session) -> Iterator[Row]:
    for turn in session.turns():
        ruling, wish = turn.take.ruling, next(iter(turn.thought.desires), None)
        yield {
            "turn": turn.number, "speaker": turn.speaker, "text": turn.take.performance.text,
            "speech": ruling.parsed.speech, "to": ruling.parsed.addressee, "desire": wish and wish.desire,
            "means": turn.thought.means, "allowed": ruling.allowed, "denied_reason": ruling.denied_reason,
            "changed": bool(ruling.world_delta), "stall_score": ruling.stall_score,
            "retakes": len(turn.take.retakes), "gave_up": turn.take.gave_up, "next_speaker": turn.next_speaker,
        }  # fmt: skip


def _acts(session: Session) -> Iterator[Row]:
    for turn in session.turns():
        for act in turn.take.ruling.parsed.action_intents:
            yield {
                "turn": turn.number, "speaker": turn.speaker, "intent": act.intent.value, "verb": act.verb,
                "target": act.target, "destination": act.destination, "sure": act.sure,
                "allowed": turn.take.ruling.allowed,
            }  # fmt: skip


def _beliefs(session: Session) -> Iterator[Row]:
    """Where everybody takes every thing to be, and whether it is there; then what they were told."""
    for who, belief in session.standing.beliefs.items():
        for name, memory in belief.props.items():
            real = session.world.props.get(name)
            place = {field: getattr(memory.prop, field) for field in ("location", *PLACES)}
            holds = real is not None and all(getattr(real, field) == spot for field, spot in place.items())
            yield {"who": who, "thing": name, **place, "turn": memory.turn, "source": who, "true": holds}
        for claim in belief.claims:
            fact, told = claim.fact, (claim.fact.relation, claim.fact.object or "")
            yield {
                "who": who, "thing": fact.subject, "told": " ".join(told).strip(), "turn": claim.turn,
                "source": claim.source, "true": False if claim.false else None,
            }  # fmt: skip


def _relations(session: Session) -> Iterator[Row]:
    for who in session.cast:
        for other in session.cast:
            if who != other:
                bond = session.standing.hearsay.feeling(who, other).bond
                yield {"who": who, "other": other, **bond.model_dump()}


def _calls(session: Session) -> Iterator[Row]:
    for row in session.journal.calls(session.garden.id, session.branch):
        call = row.call
        usage = call.get("usage", {})
        yield {
            "turn": row.turn, "speaker": row.speaker, "purpose": call.get("purpose"), "model": call.get("model"),
            "prompt_tokens": usage.get("prompt"), "completion_tokens": usage.get("completion"),
            "first_ms": call.get("first_ms"), "total_ms": call.get("total_ms"), "fault": call.get("fault"),
        }  # fmt: skip


KINDS: dict[str, Callable[[Session], Iterator[Row]]] = {
    "turns": _turns, "acts": _acts, "beliefs": _beliefs, "relations": _relations, "calls": _calls,
}  # fmt: skip
