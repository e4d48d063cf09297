"""What there is to see in a garden of the built-in mind: walking, carrying, scenes, talk, repetition, silence.

Shares of turns: `moves` walk, `carrying` only pick up or put down, `talk` asks or answers, `empty` has nothing in it.
`one_turn` are scenes (turns in one room, one after the other) that last one turn; `again` are lines and gestures that
were there before in the very same words. A garden that reached its end goes on. Targets: moves 15, carrying 12,
one_turn 12, talk 35 or more (where anybody can be asked), again 3, empty 0."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.loop import next_turn, resume
from hakoniwa.play.session import Session
from hakoniwa.stage.scenario import shipped_scenarios
from hakoniwa.turn import IntentKind, Turn

TALK = {IntentKind.ASK, IntentKind.ANSWER}


class Size(NamedTuple):
    turns: int
    seeds: Sequence[int]


FULL, SMALLEST = Size(300, range(11, 21)), Size(4, [11])


class Life(NamedTuple):
    """What was seen in some turns."""

    moves: float
    carrying: float
    one_turn: float
    talk: float
    again: float
    empty: float


async def played(session: Session, turns: int) -> list[tuple[str, Turn]]:
    """That many turns, each with the room in which it is told."""
    await session.open()
    seen: list[tuple[str, Turn]] = []
    while len(seen) < turns:
        await resume(session)
        if turn := await next_turn(session):
            seen.append((session.standing.scene[0], turn))
    return seen


def life_of(seen: Sequence[tuple[str, Turn]]) -> Life:
    """The shares of what was seen."""
    turns = [turn for _, turn in seen]
    scenes = [len(list(scene)) for _, scene in groupby(room for room, _ in seen)]
    said = [words for turn in turns if (words := _words(turn))]
    return Life(
        moves=_share(any(verb == "MOVE" for verb, _ in turn.deeds) for turn in turns),
        carrying=_share(map(_carries, turns)),
        one_turn=_share(length == 1 for length in scenes),
        talk=_share(map(_talks, turns)),
        again=1 - len(set(said)) / len(said) if said else 0.0,
        empty=_share(map(_is_empty, turns)),
    )


def _share(claims: Iterator[bool]) -> float:
    known = list(claims)
    return sum(known) / len(known)


def _carries(turn: Turn) -> bool:
    """Whether things are picked up or put down, and nothing else is done but perhaps walking."""
    verbs = {verb for verb, _ in turn.deeds}
    return bool(verbs & {"GET", "PUT"}) and verbs <= {"GET", "PUT", "MOVE"}


def _talks(turn: Turn) -> bool:
    return any(one.intent in TALK for one in turn.take.ruling.parsed.action_intents)


def _words(turn: Turn) -> str:
    """What is said; where nothing is, the gesture."""
    parsed = turn.take.ruling.parsed
    return parsed.speech or " ".join(one for one in parsed.directions if not turn.deeds and one.strip("…. "))


def _is_empty(turn: Turn) -> bool:
    parsed = turn.take.ruling.parsed
    return not (turn.deeds or parsed.speech or any(one.strip("…. ") for one in parsed.directions))


def main(size: Size) -> None:
    print(
        f"  {'':<20}{''.join(f'{name:>10}' for name in Life._fields)}   (%, mean and worst of {len(size.seeds)} seeds)"
    )
    for name in shipped_scenarios():
        lives = [life_of(asyncio.run(_garden(name, seed, size.turns))) for seed in size.seeds]
        print(f"  {name:<20}{''.join(_cell(field, [getattr(one, field) for one in lives]) for field in Life._fields)}")


def _cell(field: str, shares: Sequence[float]) -> str:
    worst = min(shares) if field == "talk" else max(shares)
    return f"{100 * sum(shares) / len(shares):6.1f}{100 * worst:4.0f}"


async def _garden(name: str, seed: int, turns: int) -> list[tuple[str, Turn]]:
    session = new_session(MemoryJournal(), name, seed)
    try:
        return await played(session, turns)
    finally:
        session.close()
