"""Promises: deeds that somebody gave their word for, before a witness, until they are kept, broken or forgotten."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from hakoniwa.stage.relations import Promise
from hakoniwa.turn import SPEECH, ActionIntent, Fact, SpeechVerb, Take, Turn

PROMISE_HOLDS, MAX_PROMISES = 40, 32

Outcome = Literal["kept", "broke", "forgot"]


class SettledPromise(NamedTuple):
    """A promise that is over, and how it ended."""

    promise: Promise
    outcome: Outcome


def speech_acts(take: Take) -> Iterator[ActionIntent]:
    """The speech acts of a take."""
    return (one for one in take.ruling.parsed.action_intents if one.intent in SPEECH and one.verb)


def addressees(intent: ActionIntent, others: Sequence[str]) -> Sequence[str]:
    """Whom a speech act is meant for among those who hear it."""
    return [one for one in others if one == intent.target] or others[:1]


def add_promises(promises: tuple[Promise, ...], turn: Turn, others: Sequence[str]) -> tuple[Promise, ...]:
    """The promises with those that a turn makes to one of these others; the same again is the same promise."""
    made = (
        Promise(who=turn.speaker, to=other, deed=intent.about, turn=turn.number)
        for intent in speech_acts(turn.take)
        if intent.verb == SpeechVerb.PROMISE and isinstance(intent.about, Fact) and intent.about.relation == "did"
        for other in addressees(intent, others)
    )
    known = {(one.who, one.to, one.deed): one for one in promises}
    return tuple((known | {(one.who, one.to, one.deed): one for one in made}).values())[-MAX_PROMISES:]


def settle_promises(
    promises: Sequence[Promise], turn: Turn, language: str
) -> tuple[tuple[Promise, ...], list[SettledPromise]]:
    """The promises that are still open after a turn, and what has become of the others. What was never meant to be done
    is forgotten in the end, what was meant and let go is broken."""
    done = {f"{verb} {target}" for verb, target in turn.deeds} if turn.take.ruling.allowed else set()
    still_open, settled = [], list[SettledPromise]()
    for one in promises:
        own = one.who == turn.speaker
        meant = one.meant or (own and _is_meant(turn.mind, one.desire_name(language)))
        if own and one.deed.object in done:
            settled.append(SettledPromise(one, "kept"))
        elif turn.number - one.turn > PROMISE_HOLDS:
            settled.append(SettledPromise(one, "broke" if meant else "forgot"))
        else:
            still_open.append(one.with_field("meant", meant))
    return tuple(still_open), settled


def _is_meant(mind: Mapping[str, Any], desire: str) -> bool:
    """Whether a desire is what somebody intends, or has tried and put off."""
    return mind.get("intention") == desire or desire in mind.get("struggles", {})
