"""Errand: one act of a character in a garden, out of turn, for whoever lives there and thinks elsewhere.

It comes before the referee as a user's own act does, and passes like any turn. Beside it stands an event of its own
with the errand's key, which nobody in the garden perceives: an errand whose key is there is not run again, on whatever
line it was run and whether or not it was taken back since. What is denied, or cannot be read as anything, is no part of
the story: then that event alone is written, with the ruling."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.director.direct import DirectedTurn
from hakoniwa.errors import JournalError, JournalMovedOn, UsageError
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.pieces import take_apart
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.follow import rows_after
from hakoniwa.persona.records import WorldItem
from hakoniwa.persona.world_model import world_items_of
from hakoniwa.play.session import Session
from hakoniwa.play.standing import turn_of
from hakoniwa.play.turn import GivenWords, Part, play_turn, turn_events
from hakoniwa.stage.world import story_name
from hakoniwa.turn import Event, Ruling, Turn, Value

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
        errand = Errand(_as_act(session, who, text), key=key)
        return (await play_turn(session, who, errand)).take.ruling


@dataclass(frozen=True)
class OutOfTurn(GivenWords):
    """A turn of somebody whose turn it is not."""

    def build_turn(self, session: Session, part: Part, cut: DirectedTurn) -> Turn:
        """A turn after which it is still the turn of whoever would have been next."""
        turn = super().build_turn(session, part, cut)
        return turn.with_fields({"next_speaker": session.speaker(), "next_reason": "kept", "next_tag": ""})


@dataclass(frozen=True)
class Errand(OutOfTurn):
    """A turn out of turn, with an event of its own beside it; where it is no part of the story, that event alone."""

    key: str = ""

    def events(self, session: Session, turn: Turn) -> Iterator[Event]:
        origin, payload = f"ghost:{turn.speaker}", {"key": self.key, "who": turn.speaker}
        ruling = turn.take.ruling
        if _is_story(ruling):
            yield from turn_events(session, turn, origin)
            yield Event(kind=ERRAND, turn=turn.number, origin=origin, payload=payload)
        else:
            told = {"ruling": ruling.model_dump(mode="json", exclude_defaults=True)}
            yield Event(kind=ERRAND, turn=session.world.time.turn, origin=origin, payload=payload | told)


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


def believed_at_home(journal: Journal, at: GardenResidence, now: datetime) -> Sequence[WorldItem]:
    """What somebody takes the garden they live in to be."""
    with closing(_open_session(journal, at)) as session:
        return world_items_of(session.standing.beliefs[session.member(at.who)], now)


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


def _as_act(session: Session, who: str, text: str) -> str:
    """Words in which nothing is marked as act or speech are an act: speech is not what an errand is for."""
    pieces = take_apart(text, session.world, who).pieces
    return text if any(piece.kind != "bare" for piece in pieces) else f"({' '.join(text.split())})"


def _is_story(ruling: Ruling) -> bool:
    return ruling.allowed and bool(ruling.parsed.action_intents or ruling.parsed.speech)
