"""Acts in canonical form, what they do, and why they cannot be done."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hakoniwa.pack import Verb, pack, verb_of
from hakoniwa.registry import Registry
from hakoniwa.stage.world import Prop, WorldState, is_door, story_name, thing
from hakoniwa.turn import DeniedReason, PatchOp, Process

HISSING = ("s", "sh", "ch", "x", "z", "o")
_OBJECTS = r"[:：]\s*(?P<what>.+?)\s*(?:(?:->|→)\s*(?P<other>.+?)\s*)?"
_TAG = re.compile(rf"^[(（]?\s*(?P<verb>[^:：()（）]+?)\s*(?:{_OBJECTS})?[)）]?$")


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


def act_of(tag: str) -> Act | None:
    """The act a tag stands for, with or without its brackets: (PUT: 本 -> 棚)."""
    found = _TAG.match(tag.strip())
    return Act(verb_of(found["verb"]), found["what"], found["other"]) if found else None


@dataclass(frozen=True, slots=True)
class Denial:
    """Why an act cannot be: the rule, its reason, and what it speaks of."""

    rule: str
    reason: DeniedReason
    what: str | None = None
    other: str | None = None
    where: str | None = None
    holder: str | None = None
    state: str | None = None


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
    return pack(language).act(_form(world, act), _people(world, act), **_names(world, act))


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
    known, people = pack(world.language), _people(world, act)
    return known.narrate(_form(world, act), people, who=story_name(world, who), **_names(world, act))


def _names(world: WorldState, act: Act) -> dict[str, str]:
    return {"what": story_name(world, act.target or ""), "other": story_name(world, act.destination or "")}


def _people(world: WorldState, act: Act) -> list[str]:
    """The blanks of a sentence that somebody's name fills."""
    filled = {"what": act.target, "other": act.destination}
    return [blank for blank, name in filled.items() if name in world.characters]


def _form(world: WorldState, act: Act) -> str:
    """Which sentence tells an act: taking, putting and cooking are told by what the thing and the place are."""
    prop = thing(world, act.target) if act.target else None
    if prop is None:
        return act.verb.id
    if act.verb.id == "GET" and prop.bearer:
        return "REMOVE" if prop.worn_by else "PRODUCE"
    if act.verb.id == "PUT" and act.destination is not None:
        return _laid(world, act, act.destination)
    if prop.alive and act.verb.id in ("GET", "PUT"):
        return f"{act.verb.id}_ALIVE"
    return "TOAST_WITH" if act.verb.id == "TOAST" and _makes(prop, act.verb) else act.verb.id


def _makes(prop: Prop, verb: Verb) -> bool:
    """Whether something else comes of a verb on a thing: with a toaster one toasts."""
    return any(way.makes or (way.after and way.after.makes) for way in prop.affordances if verb_of(way.verb) == verb)


def _laid(world: WorldState, act: Act, where: str) -> str:
    place = thing(world, where)
    if place is not None and place.container and not act.on_top and not is_door(world, where):
        return "PUT_IN"
    return "HANG_ON" if place is not None and place.hangs else "PUT_ON"
