"""Acts in canonical form, what they do, and why they cannot be done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hakoniwa.pack import Verb, pack
from hakoniwa.registry import Registry
from hakoniwa.stage.world import WorldState, is_door, story_name, thing
from hakoniwa.turn import DeniedReason, PatchOp, Process

HISSING = ("s", "sh", "ch", "x", "z", "o")


class Act(NamedTuple):
    """One physical act with the world's own names."""

    verb: Verb
    target: str | None = None
    destination: str | None = None
    on_top: bool = False

    @property
    def tag(self) -> str:
        """The act as a tag: (PUT: 本 -> 棚)."""
        if self.target is None:
            return f"({self.verb.id})"
        arrow = f" -> {self.destination}" if self.destination else ""
        return f"({self.verb.id}: {self.target}{arrow})"


@dataclass(frozen=True, slots=True)
class Denial:
    """Why an act cannot be: the rule, its reason, and what it speaks of."""

    rule: str
    reason: DeniedReason
    what: str | None = None
    other: str | None = None
    where: str | None = None
    holder: str | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What an allowed act does: operations on the world, how it is told, what it sets going."""

    delta: tuple[PatchOp, ...] = ()
    told: str = ""
    processes: tuple[Process, ...] = field(default=())


HoldCheck = Callable[[WorldState, str, str], Denial | None]
DenialCheck = Callable[[WorldState, str, Act], Denial | None]


def _always(_: Act) -> bool:
    return True


class Question(NamedTuple):
    """One question that the referee puts about an act; `applies` tells acts of which there is nothing to ask."""

    name: str
    ask: DenialCheck
    applies: Callable[[Act], bool] = _always


def first_denial(questions: Sequence[Question], world: WorldState, who: str, act: Act) -> Denial | None:
    """The first answer that stands against an act; nothing is asked after it."""
    for _, ask, _ in questions:
        if denial := ask(world, who, act):
            return denial
    return None


class Intent(Protocol):
    """One of the physical intents: when it is denied, and what it does.

    What is asked about an act are its `questions`, in this order, and `deny` is the first of them that is answered so.
    For an act on a thing that is here and in reach, `deny` comes down to `hold` (what one must have of the thing: the
    leave to touch it, or the thing in the hand) and `unfit` (what the thing is, and the state it is in).
    """

    def hold(self, verb: Verb) -> HoldCheck: ...

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None: ...

    def questions(self, world: WorldState, act: Act) -> Sequence[Question]: ...

    def deny(self, world: WorldState, who: str, act: Act) -> Denial | None:
        return first_denial(self.questions(world, act), world, who, act)

    def effect(self, world: WorldState, who: str, act: Act) -> Effect: ...


intents: Registry[Intent] = Registry("intent")


def stage_direction(world: WorldState, act: Act, language: str) -> str:
    """The act as a stage direction in a language."""
    names = {"what": story_name(world, act.target or ""), "other": story_name(world, act.destination or "")}
    return pack(language).act(_form(world, act), **names)


def script_direction(world: WorldState, act: Act) -> str:
    """The act as a script tells it of whoever does it: goes to the kitchen."""
    words = stage_direction(world, act, world.language)
    return third_person(words) if world.language == "en" else words


def third_person(words: str) -> str:
    """An English phrase that begins with a bare verb, said of somebody."""
    verb, gap, rest = words.partition(" ")
    if verb.endswith(HISSING):
        verb += "es"
    elif verb.endswith("y") and verb[-2:-1] not in "aeiou":
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return verb + gap + rest


def narrate_act(world: WorldState, who: str, act: Act) -> str:
    """The act as the GM tells it once it is done, in the world's language."""
    names = {"what": story_name(world, act.target or ""), "other": story_name(world, act.destination or "")}
    return pack(world.language).narrate(_form(world, act), who=story_name(world, who), **names)


def _form(world: WorldState, act: Act) -> str:
    if act.verb.id != "PUT" or act.destination is None:
        return act.verb.id
    place = thing(world, act.destination)
    within = place is not None and place.container and not act.on_top and not is_door(world, act.destination)
    return "PUT_IN" if within else "PUT_ON"
