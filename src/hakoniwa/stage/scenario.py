"""Scenarios: a YAML file with a world, a cast, incidents, an opening and a goal."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from hakoniwa.errors import ScenarioError, UnknownName, WorldError
from hakoniwa.stage.document import Document
from hakoniwa.stage.goal import Desire, Goal, Names, Share
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState, problems, rooms
from hakoniwa.turn import PatchOp, Value


class Urge(Desire):
    """A desire raised from outside, in these characters (none named: in everyone who perceives it)."""

    who: Names = ()


class When(Value):
    """When an incident or an ending may come: everything it names must hold. `after`, `before`: acts and incidents that
    must have come, or must not."""

    label: Names = ()
    weather: Names = ()
    after_turn: int = 0
    state: dict[str, str] = {}
    at: str | None = None
    after: Names = ()
    before: Names = ()


class Incident(Value):
    """Something that happens to the garden; its delta makes it real."""

    id: str
    title: str = ""
    text: str
    at: str | None = None
    carries: bool = False
    when: When = When()
    delta: tuple[PatchOp, ...] = ()
    urges: tuple[Urge, ...] = ()
    weight: float = Field(default=1.0, gt=0)
    once: bool = True
    chance: Share = 0.0


class StoryAct(Incident):
    """A chapter of the garden: it opens, as an incident does, once the one before it has and its goal has come true."""

    title: str = Field(min_length=1)
    text: str = ""
    opens: Goal = Goal()


class Opening(Value):
    """The first words, and what they ask of whom."""

    speaker: str = "user"
    text: str = ""
    urges: tuple[Urge, ...] = ()


class Role(Value):
    """One member of the cast: whose sheet, and what they know when the curtain rises. A `player` is the user's own: no
    mind plays them unless it is asked to."""

    sheet: str
    knows: Literal["all", "here"] | tuple[str, ...] = "here"
    desires: tuple[Desire, ...] = ()
    player: bool = False


class Ending(Goal):
    """A goal that ends the garden: when it counts, how it is told, what becomes of everyone, and which scenario goes on
    from here. `who`: whose goal it is (none named: anybody's)."""

    id: str = "goal"
    title: str = ""
    who: Names = ()
    when: When = When()
    told: str = ""
    epilogue: str = ""
    next: str | None = Field(default=None, pattern=r"^[a-z0-9_]{1,64}$")


class Speakers(Value):
    """How it is decided who speaks next, and who begins."""

    policy: Literal["round_robin", "random"] = "round_robin"
    first: str | None = None
    allow_self_nomination: bool = False
    fuzzy_threshold: Share = 0.85


class Scenario(Value):
    """A garden as its author wrote it."""

    id: str = Field(pattern=r"^[a-z0-9_]{1,64}$")
    title: str
    language: Literal["ja", "en"] = "ja"
    description: str = ""
    shelf: Literal["story", "test"] = "story"
    turns: int = Field(default=30, ge=1, le=100_000)
    minutes_per_turn: int = Field(default=1, ge=0, le=1440)
    implicit_take: bool = False
    still_turns: int = Field(default=8, ge=2, le=1000)
    world: WorldState
    cast: dict[str, Role]
    opening: Opening = Opening()
    acts: tuple[StoryAct, ...] = ()
    incidents: tuple[Incident, ...] = ()
    goal: Ending | None = None
    endings: tuple[Ending, ...] = ()
    speakers: Speakers = Speakers()

    @field_validator("opening", mode="before")
    @classmethod
    def _from_plain_text(cls, opening: Any) -> Any:
        return {"text": opening} if isinstance(opening, str) else opening

    @property
    def all_endings(self) -> tuple[Ending, ...]:
        """Every way in which the garden may end; `goal` is the first of them."""
        return (*([self.goal] if self.goal else []), *self.endings)

    @property
    def happenings(self) -> tuple[Incident, ...]:
        """Everything that the GM brings about: the acts in their order, then the deck of incidents."""
        return (*self.acts, *self.incidents)


def shipped_scenarios() -> list[str]:
    """The names of the scenarios that come with Hakoniwa."""
    return sorted(path.name[: -len(".yaml")] for path in _folder().iterdir() if path.name.endswith(".yaml"))


def _folder() -> Path:
    return Path(str(files("hakoniwa").joinpath("scenarios")))


def find(name: str) -> Path:
    """The file of a scenario, by shipped name or by path."""
    path = Path(name) if name.endswith((".yaml", ".yml", ".xml")) or "/" in name else _folder() / f"{name}.yaml"
    if not path.is_file():
        raise UnknownName("unknown.scenario", name=name, known=", ".join(shipped_scenarios()))
    return path


def load(path: Path) -> Scenario:
    """The scenario in a file, checked whole."""
    return scenario_in(Document.read(path))


def scenario_in(document: Document) -> Scenario:
    """The scenario in a document, checked whole."""
    scenario = document.to(Scenario)
    for key, problem in faults(scenario):
        raise ScenarioError(
            "scenario.inconsistent", file=document.file, line=document.line(key), key=".".join(map(str, key)),
            problem=problem,
        )  # fmt: skip
    return scenario


def faults(scenario: Scenario) -> list[tuple[tuple[str | int, ...], str]]:
    """What a schema cannot see: broken invariants, a cast without bodies, incidents that do not apply."""
    found: list[tuple[tuple[str | int, ...], str]] = []
    for problem in problems(scenario.world):
        place, _, _ = problem.partition(":")
        found.append((("world", *place.split(".")), problem))
    for who in scenario.cast:
        if who not in scenario.world.characters:
            found.append((("cast", who), f"no character {who!r} in world.characters"))
    for who in scenario.world.characters:
        if who not in scenario.cast:
            found.append((("world", "characters", who), f"{who!r} has no entry in cast"))
    if not found:
        found += [*_happening_faults(scenario), *_ending_faults(scenario)]
    return found


Faults = Iterator[tuple[tuple[str | int, ...], str]]


def _happening_faults(scenario: Scenario) -> Faults:
    ids: set[str] = set()
    for section, happenings in (("acts", scenario.acts), ("incidents", scenario.incidents)):
        for place, one in enumerate(happenings):
            if one.id in ids:
                yield (section, place, "id"), f"{one.id!r} stands twice"
            ids.add(one.id)
            if one.at and one.at not in rooms(scenario.world):
                yield (section, place, "at"), f"{section}.{place}.at: no room {one.at!r}"
            yield from _when_faults(scenario, one.when, (section, place, "when"))
            if isinstance(one, StoryAct):
                yield from _unwatched_faults(one.opens, (section, place, "opens"))
            try:
                apply(scenario.world, one.delta)
            except WorldError as error:
                yield (section, place, "delta"), str(error)


def _ending_faults(scenario: Scenario) -> Faults:
    ids: set[str] = set()
    for place, one in enumerate(scenario.all_endings, start=-1 if scenario.goal else 0):
        key: tuple[str | int, ...] = ("endings", place) if place >= 0 else ("goal",)
        if one.id in ids:
            yield (*key, "id"), f"{one.id!r} stands twice"
        ids.add(one.id)
        for who in one.who:
            if who not in scenario.cast:
                yield (*key, "who"), f"{who!r} has no entry in cast"
        yield from _when_faults(scenario, one.when, (*key, "when"))
        yield from _unwatched_faults(one, key)


def _unwatched_faults(goal: Goal, key: tuple[str | int, ...]) -> Faults:
    """What the GM, who sees the world and what was done to which thing, cannot see come true."""
    if goal.talked:
        yield (*key, "talked"), "talking opens no act and ends no garden"
    if goal.did and goal.did.destination:
        yield (*key, "did", "destination"), "say where it lies then (placed) or who holds it (holding)"


def _when_faults(scenario: Scenario, when: When, key: tuple[str | int, ...]) -> Faults:
    known = {one.id for one in scenario.happenings}
    for field, names in (("after", when.after), ("before", when.before)):
        yield from (((*key, field), f"no act or incident {name!r}") for name in names if name not in known)
