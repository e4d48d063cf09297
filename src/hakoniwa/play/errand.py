"""Errand: one act of a character in a garden, out of turn, for whoever lives there and thinks elsewhere.

It comes before the referee as a user's own act does, and passes like any turn. Beside it stands an event of its own
with the errand's key, which nobody in the garden perceives: an errand whose key is there is not run again, on whatever
line it was run and whether or not it was taken back since. What is denied, or cannot be read as anything, is no part of
the story: then that event alone is written, with the ruling."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from itertools import zip_longest

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.director.direct import DirectedTurn, direct
from hakoniwa.errors import JournalError, JournalMovedOn, UsageError
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.pieces import take_apart
from hakoniwa.gm.step import rule_on
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.follow import rows_after
from hakoniwa.play.between import follow_up_events
from hakoniwa.play.session import Session
from hakoniwa.play.standing import event_of, turn_of
from hakoniwa.play.turn import build_turn, director_input, witnesses
from hakoniwa.stage.world import story_name
from hakoniwa.turn import Event, Performance, Ruling, Thought, Turn, Value

ERRAND = "errand"
TRIES = 3
SEARCHED, AT_HAND = 400, 12


class GardenResidence(Value):
    """Where somebody lives: as whom, in which garden, on which of its lines."""

    garden: str
    who: str
    branch: str = MAIN


async def run_errand(journal: Journal, at: GardenResidence, text: str, key: str) -> Ruling:
    """What the referee says to the act, and said if it has been tried before; an error where others keep acting."""
    for _ in range(TRIES):
        try:
            return await _try_errand(journal, at, text, key)
        except JournalMovedOn:
            continue
    raise JournalError("errand.busy", garden=at.garden)


async def _try_errand(journal: Journal, at: GardenResidence, text: str, key: str) -> Ruling:
    with closing(await asyncio.to_thread(_open_session, journal, at)) as session:
        # Looked for once the head is known: whoever runs the same errand from now on is in the way of the commit.
        known: Ruling | None = await session.in_journal(find_ruling, journal, at.garden, key)
        if known is not None:
            return known
        await session.open()
        who = _free_to_act(session, at.who)
        act = _as_act(session, who, text)
        cut = await _direct_act(session, who, act)
        ruling = _ruling(session, who, act, cut)
        events = (
            _story_events(session, who, cut, key) if _is_story(ruling) else [_denied_event(session, who, ruling, key)]
        )
        await session.commit(list(events))
        return ruling


def acts_at_hand(journal: Journal, at: GardenResidence) -> list[str]:
    """Some acts that are possible where somebody is, in words: of every kind one before a second of any."""
    with closing(_open_session(journal, at)) as session:
        try:
            who = _free_to_act(session, at.who)
        except UsageError:
            return []
        kinds: dict[str, list[Act]] = {}
        for act in possible_acts(session.world, who, limit=SEARCHED):
            kinds.setdefault(act.verb.id, []).append(act)
        spread = [act for some in zip_longest(*kinds.values()) for act in some if act is not None]
        return [stage_direction(session.world, act, session.scenario.language) for act in spread[:AT_HAND]]


def find_ruling(journal: Journal, garden: str, key: str) -> Ruling | None:
    """What was said to the errand of that key; None if there was none."""
    turn: Event | None = None
    for row in rows_after(journal, garden, 0):
        event = row.event
        turn = event if event.kind == "turn" else turn
        if event.kind == ERRAND and event.payload.get("key") == key:
            if untold := event.payload.get("ruling"):
                return Ruling.model_validate(untold)
            assert turn is not None, "an errand that is part of the story follows its turn"
            return turn_of(turn).take.ruling
    return None


def _open_session(journal: Journal, at: GardenResidence) -> Session:
    return Session(journal, journal.garden(at.garden), BuiltinMind(), at.branch)


def _free_to_act(session: Session, name: str) -> str:
    who = session.member(name)
    if session.standing.ended is not None:
        raise UsageError("errand.ended", garden=session.garden.id)
    if who in session.standing.muted:
        raise UsageError("play.muted", who=story_name(session.world, who))
    return who


async def _direct_act(session: Session, who: str, text: str) -> DirectedTurn:
    async def once(_: str) -> Performance | None:
        return None

    return await direct(director_input(session, who), Performance(text=text), session.director, once)


def _as_act(session: Session, who: str, text: str) -> str:
    """Words in which nothing is marked as act or speech are an act: speech is not what an errand is for."""
    pieces = take_apart(text, session.world, who).pieces
    return text if any(piece.kind != "bare" for piece in pieces) else f"({' '.join(text.split())})"


def _ruling(session: Session, who: str, text: str, cut: DirectedTurn) -> Ruling:
    """The referee's word on what was wanted, even where the Director would have put a gesture in its place."""
    if cut.take.shadow is None:
        return cut.take.ruling
    return rule_on(
        session.world, who, text, session.standing.history,
        turn=session.world.time.turn + 1, implicit_take=session.scenario.implicit_take, profile="repetition",
    ).ruling  # fmt: skip


def _is_story(ruling: Ruling) -> bool:
    return ruling.allowed and bool(ruling.parsed.action_intents or ruling.parsed.speech)


def _denied_event(session: Session, who: str, ruling: Ruling, key: str) -> Event:
    payload = {"key": key, "who": who, "ruling": ruling.model_dump(mode="json", exclude_defaults=True)}
    return Event(kind=ERRAND, turn=session.world.time.turn, origin=f"ghost:{who}", payload=payload)


def _story_events(session: Session, who: str, cut: DirectedTurn, key: str) -> Iterator[Event]:
    """The turn with all that follows from it, and then the errand's own event."""
    turn = _errand_turn(session, who, cut)
    event = event_of(turn, witnesses(session, turn), f"ghost:{who}")
    yield event
    yield from follow_up_events(session, turn, event)
    yield Event(kind=ERRAND, turn=turn.number, origin=f"ghost:{who}", payload={"key": key, "who": who})


def _errand_turn(session: Session, who: str, cut: DirectedTurn) -> Turn:
    """A turn after which it is still the turn of whoever would have been next."""
    turn = build_turn(session, who, Thought(text=""), cut, session.standing.minds[who])
    return turn.model_copy(update={"next_speaker": session.speaker(), "next_reason": "kept", "next_tag": ""})
