"""What people ask of a memory: what there is about something, what came of an event, what it would tell another."""

import copy
from collections.abc import Sequence
from datetime import datetime

from hakoniwa.ghost.candidate import Candidate
from hakoniwa.ghost.focus import focus_of, ordered
from hakoniwa.ghost.gather import gather
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.inner import Inner
from hakoniwa.ghost.memory import Affect, Link, Memory, Revision, Source, State
from hakoniwa.ghost.mood import felt
from hakoniwa.ghost.persona import Persona
from hakoniwa.ghost.plan import plan_for
from hakoniwa.ghost.recall import Recall, lately, recall
from hakoniwa.llm import ChatModel
from hakoniwa.turn import Value

LINKS = 40


class Trace(Value):
    """One event and everything that hangs on it."""

    memory: Memory
    affect: Affect | None = None
    links: tuple[Link, ...] = ()
    revisions: tuple[Revision, ...] = ()


class Comparison(Value):
    """What the same words bring to the minds of two personas."""

    one: Recall
    other: Recall

    @property
    def overlap(self) -> float:
        """How much of what either called to mind came to both: 1 for all of it, 0 for nothing."""
        mine, theirs = ({item.id for item in side.chosen} for side in (self.one, self.other))
        return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def now_of(ghost: Ghost, now: datetime) -> datetime:
    """What time it is for a Ghost: in a garden that is when it last lived through something."""
    newest = ghost.memories.recent(ghost.scope, 1)
    return newest[0].at if newest and newest[0].source is Source.GARDEN else now


async def search(ghost: Ghost, words: str, now: datetime, limit: int = 12) -> Sequence[Candidate]:
    """What memory has about something, the most fitting first."""
    interest = lately(ghost.inner.interest, now)
    hint = focus_of(ghost.inner.confirmed_preferences, interest, felt(ghost.inner.mood, now))
    gathered = await gather(ghost, plan_for(words, now, hint, ghost.persona.language, limit), now, None)
    return ordered(gathered.candidates, interest, hint)[:limit]


def trace(ghost: Ghost, seq: int) -> Trace | None:
    """An event with how it felt, what it is linked to, and every change it is evidence for."""
    memory = ghost.memories.load(ghost.scope, [seq]).get(seq)
    if memory is None:
        return None
    return Trace(
        memory=memory,
        affect=ghost.memories.affects_of(ghost.scope, [seq]).get(seq),
        links=tuple(ghost.memories.linked(ghost.scope, [seq], LINKS)),
        revisions=tuple(one for one in ghost.memories.revisions(ghost.scope) if seq in one.evidence),
    )


def held(ghost: Ghost) -> dict[int, State]:
    """The states a persona holds, newest first."""
    return dict(sorted(ghost.inner.states.items(), key=lambda pair: pair[1].last_confirmed_at, reverse=True))


async def compare(
    ghost: Ghost, persona: Persona, inner: Inner, heard: str, now: datetime, model: ChatModel | None
) -> Comparison:
    """The same words, over the same memory, heard by its own persona and by another one."""
    other = in_place(ghost, persona, inner)
    return Comparison(
        one=await recall(ghost, heard, now, model, keep=False), other=await recall(other, heard, now, model, keep=False)
    )


def in_place(ghost: Ghost, persona: Persona, inner: Inner) -> Ghost:
    """Somebody else with this Ghost's memory, only to see what they would make of it."""
    other = copy.copy(ghost)
    other.persona, other.inner = persona, inner
    return other
