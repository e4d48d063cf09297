"""Oversights: what loads and plays, but hardly as its author meant it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hakoniwa.actor.character import Character
from hakoniwa.pack import LANGUAGES, pack, verb_of
from hakoniwa.stage.document import Document, Key
from hakoniwa.stage.goal import Desire, Goal
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import Made, rooms

FindSheet = Callable[[str], Document]  # the file of a sheet, by the name a scenario gives it


@dataclass(frozen=True)
class Oversight:
    """One warning: where it is, and a message of the catalogue with what it speaks of."""

    file: str
    line: int
    key: str
    details: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """A member of the cast with the file they come from."""

    who: str
    character: Character
    document: Document

    def warn(self, at: Key, key: str, **details: str) -> Oversight:
        return Oversight(self.document.file, self.document.line(at), key, {"who": self.who, **details})


def oversights(scenario: Scenario, document: Document, find: FindSheet) -> Iterator[Oversight]:
    """What is suspicious about a scenario together with its cast."""
    sheets = [_sheet(who, find(role.sheet)) for who, role in scenario.cast.items()]
    yield from _same_names(sheets, document)
    yield from _unanswered(sheets)
    known = Known(scenario)
    for sheet in sheets:
        for place, desire in enumerate(sheet.character.desires):
            for key, details in known.strange(desire.goal):
                yield sheet.warn(("desires", place), key, desire=desire.name, **details)
    yield from _in_scenario(scenario, known, document)


def sheet_oversights(character: Character, document: Document) -> Iterator[Oversight]:
    """What is suspicious about a sheet by itself."""
    if not character.phrasebook.model_fields_set:
        yield Oversight(document.file, 1, "no-phrasebook", {"who": character.display_name})


def _sheet(who: str, document: Document) -> Sheet:
    return Sheet(who, document.to(Character), document)


def _same_names(sheets: list[Sheet], document: Document) -> Iterator[Oversight]:
    seen: dict[str, str] = {}
    for sheet in sheets:
        name = sheet.character.display_name
        if name in seen:
            details = {"one": seen[name], "other": sheet.who, "name": name}
            yield Oversight(document.file, document.line(("cast", sheet.who)), "same-name", details)
        seen.setdefault(name, sheet.who)
        yield from sheet_oversights(sheet.character, sheet.document)


def _unanswered(sheets: list[Sheet]) -> Iterator[Oversight]:
    """Questions that the one who is asked has no answer of their own to."""
    for sheet in sheets:
        for topic, subject in sheet.character.phrasebook.topics.items():
            for other in sheets:
                if other.who == sheet.who or (subject.to and other.who not in subject.to):
                    continue
                if topic not in set(_answered(other.character)):
                    yield sheet.warn(("phrasebook", "topics", topic), "no-answer", topic=topic, other=other.who)


def _answered(character: Character) -> Iterator[str]:
    """The topics of a phrasebook's answers; a key may go on with a thing, a mood or an addressee."""
    for key in character.phrasebook.answer:
        yield key.split("@")[0].split(">")[0].split(" ")[0]


def _in_scenario(scenario: Scenario, known: "Known", document: Document) -> Iterator[Oversight]:
    for at, who, desire in _desires_of(scenario):
        for key, details in known.strange(desire.goal):
            more = {"who": who, "desire": desire.name, **details}
            yield Oversight(document.file, document.line(at), key, more)
    if scenario.goal:
        for key, details in known.strange(scenario.goal):
            yield Oversight(document.file, document.line(("goal",)), key.replace("unknown", "goal"), details)


def _desires_of(scenario: Scenario) -> Iterator[tuple[Key, str, Desire]]:
    for who, role in scenario.cast.items():
        for place, desire in enumerate(role.desires):
            yield ("cast", who, "desires", place), who, desire
    for place, urge in enumerate(scenario.opening.urges):
        yield ("opening", "urges", place), "opening", urge
    for number, incident in enumerate(scenario.incidents):
        for place, urge in enumerate(incident.urges):
            yield ("incidents", number, "urges", place), incident.id, urge


class Known:
    """Every name and verb that a scenario can ever speak of."""

    def __init__(self, scenario: Scenario) -> None:
        world = scenario.world
        self.things = {name for name, prop in world.props.items()} | set(_made(world.props.values()))
        for incident in scenario.incidents:
            for operation in incident.delta:
                steps = operation.path.split("/")
                if operation.op == "add" and steps[1] == "props" and len(steps) == 3:
                    self.things |= {steps[2], *_made([Made.model_validate(_without_place(operation.value))])}
        self.places = set(rooms(world))
        self.people = set(world.characters)
        self.verbs = {verb for language in LANGUAGES for verb in pack(language).verbs}
        self.verbs |= {verb_of(one.verb).id for prop in world.props.values() for one in prop.affordances}

    def strange(self, goal: Goal) -> Iterator[tuple[str, dict[str, str]]]:
        """The verbs and things of a goal that nobody will ever meet."""
        if goal.did and verb_of(goal.did.verb).id not in self.verbs:
            yield "unknown-verb", {"verb": goal.did.verb}
        anything = self.things | self.places | self.people
        named = [*goal.state, *([goal.holding] if goal.holding else []), *([goal.seen] if goal.seen else [])]
        named += [*goal.placed, *goal.placed.values(), *([goal.at] if goal.at else [])]
        if goal.did:
            named += [*goal.did.destination, *(goal.did.target if not anything & set(goal.did.target) else ())]
        for name in named:
            if name not in anything:
                yield "unknown-thing", {"thing": name}


def _made(things: Iterable[Made]) -> Iterator[str]:
    """Everything that can come into being by what these things afford, at any remove."""
    for thing in things:
        for one in thing.affordances:
            made = {**one.makes, **(one.after.makes if one.after else {})}
            yield from made
            yield from _made(made.values())


def _without_place(value: object) -> dict[str, object]:
    fields = set(Made.model_fields)
    return {name: part for name, part in value.items() if name in fields} if isinstance(value, dict) else {}
