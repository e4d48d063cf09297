"""What a line gives away, as another engine asks for it: who knew what at the start, and what has happened since."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hakoniwa.gm.leaks import Leak, leaks
from hakoniwa.gm.request import MAX_REPLY
from hakoniwa.gm.step import rule_on
from hakoniwa.gm.telling import facts_in
from hakoniwa.stage.belief import Belief, first_belief, hear, perceive, with_deeds, witness
from hakoniwa.stage.claims import Claim, deed_facts
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import Name, WorldState, people_in, problems
from hakoniwa.turn import Fact, Value

MAX_HISTORY, MAX_TOLD, MAX_COMMON = 256, 256, 32
Line = Annotated[str, Field(max_length=MAX_REPLY)]


class PastReply(Value):
    """One earlier reply: who was where heard and saw it."""

    speaker: Name
    raw_output: Line


class LeakRequest(Value):
    """A line, its speaker, and the world that `history` began in.

    `knows` says what somebody knows at the start (by default `here`: what they see), `told` what they were told;
    `common` are texts that everybody may know."""

    line: Line
    speaker: Name
    world_state: WorldState
    knows: dict[Name, Literal["all", "here"] | tuple[Name, ...]] = {}
    told: dict[Name, Annotated[tuple[Fact, ...], Field(max_length=MAX_TOLD)]] = {}
    history: tuple[PastReply, ...] = Field(default=(), max_length=MAX_HISTORY)
    common: tuple[Line, ...] = Field(default=(), max_length=MAX_COMMON)

    @model_validator(mode="after")
    def _makes_sense(self) -> "LeakRequest":
        for who in (self.speaker, *self.knows, *self.told, *(one.speaker for one in self.history)):
            if who not in self.world_state.characters:
                raise ValueError(f"{who!r} is not in world_state.characters")
        if found := problems(self.world_state):
            raise ValueError(f"world_state: {found[0]}")
        return self


class LeakReport(Value):
    """What a line says that its speaker cannot know."""

    leaks: tuple[Leak, ...]


def leaks_of(asked: LeakRequest) -> LeakReport:
    """The leaks in a line, after everything that was done and said before it."""
    world, beliefs = asked.world_state, _first_beliefs(asked)
    for number, past in enumerate(asked.history, start=1):
        world = _play(past, number, world, beliefs)
    return LeakReport(leaks=leaks(asked.line, asked.speaker, world, beliefs, asked.common))


def _first_beliefs(asked: LeakRequest) -> dict[str, Belief]:
    beliefs = {}
    for who in asked.world_state.characters:
        beliefs[who] = first_belief(asked.world_state, who, asked.knows.get(who, "here"))
        for fact in asked.told.get(who, ()):
            beliefs[who] = hear(beliefs[who], Claim(fact=fact, source="", turn=0))
    return beliefs


def _play(past: PastReply, number: int, world: WorldState, beliefs: dict[str, Belief]) -> WorldState:
    """The world after a reply, which those where it begins and ends have witnessed."""
    step, who = rule_on(world, past.speaker, past.raw_output), past.speaker
    after = apply(world, step.ruling.world_delta)
    rooms = {world.characters[who].location, after.characters[who].location}
    seen = deed_facts(who, [(act.verb.id, act.target) for act in step.acts] if step.ruling.allowed else [], number)
    told = [one.fact for one in facts_in(step.ruling.parsed.speech or "", world, who)]
    for other in dict.fromkeys(one for room in sorted(rooms) for one in people_in(world, room)):
        belief = with_deeds(witness(beliefs[other], step.ruling.world_delta, world, after), seen)
        for fact in told if other != who else ():
            belief = hear(belief, Claim(fact=fact, source=who, turn=number))
        beliefs[other] = perceive(belief, after, other) if other == who else belief
    return after
