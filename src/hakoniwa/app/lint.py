"""Lint for texts: whether a scenario can be played, and what its author may have overlooked, each with its place."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from hakoniwa.actor.character import Character
from hakoniwa.app import scenario_at, sheets_of
from hakoniwa.app.user_files import UserFiles
from hakoniwa.errors import HakoniwaError, ScenarioError, UnknownName
from hakoniwa.messages import say, tell
from hakoniwa.pack import LANGUAGES, pack, verb_of
from hakoniwa.pictures.catalogue import pictures
from hakoniwa.play.solve import Solution, SolverBudget, goals_in, solve
from hakoniwa.problems import explain_error
from hakoniwa.stage.document import Document, Key
from hakoniwa.stage.goal import Desire, Goal
from hakoniwa.stage.scenario import Scenario, scenario_in
from hakoniwa.stage.world import UnplacedProp, rooms
from hakoniwa.turn import Value

FindSheet = Callable[[str], Document]  # the file of a sheet, by the name a scenario gives it


@dataclass(frozen=True)
class Oversight:
    """One warning: where it is, and a message of the catalogue with what it speaks of."""

    file: str
    line: int
    key: str
    details: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CastSheet:
    """A member of the cast with the file they come from."""

    who: str
    character: Character
    document: Document

    def warn(self, at: Key, key: str, **details: str) -> Oversight:
        return Oversight(self.document.file, self.document.line(at), key, {"who": self.who, **details})


def oversights(scenario: Scenario, document: Document, find: FindSheet) -> Iterator[Oversight]:
    """What is suspicious about a scenario together with its cast."""
    sheets = [_cast_sheet(who, find(role.sheet)) for who, role in scenario.cast.items()]
    yield from _same_names(sheets, document)
    yield from _missing_answers(sheets)
    known = KnownNames(scenario)
    for sheet in sheets:
        for place, desire in enumerate(sheet.character.desires):
            for key, details in known.strange(desire.goal):
                yield sheet.warn(("desires", place), key, desire=desire.name, **details)
    yield from _scenario_oversights(scenario, known, document)
    yield from _needs(scenario, known, document)
    yield from _unknown_pictures(scenario, document)


def solved_goals(name: str, budget: SolverBudget) -> Iterator[Solution]:
    """What is to be said of every goal of a scenario, one after the other."""
    scenario, beside = scenario_at(name)
    return (solve(scenario, one, budget) for one in goals_in(scenario, sheets_of(scenario, beside)))


def sheet_oversights(character: Character, document: Document) -> Iterator[Oversight]:
    """What is suspicious about a sheet by itself."""
    if not character.phrasebook.model_fields_set:
        yield Oversight(document.file, 1, "no-phrasebook", {"who": character.display_name})


def _cast_sheet(who: str, document: Document) -> CastSheet:
    return CastSheet(who, document.to(Character), document)


def _same_names(sheets: list[CastSheet], document: Document) -> Iterator[Oversight]:
    seen: dict[str, str] = {}
    for sheet in sheets:
        for name in (sheet.character.display_name, *sheet.character.display_names):
            if seen.setdefault(name, sheet.who) != sheet.who:
                details = {"one": seen[name], "other": sheet.who, "name": name}
                yield Oversight(document.file, document.line(("cast", sheet.who)), "same-name", details)
        yield from sheet_oversights(sheet.character, sheet.document)


def _missing_answers(sheets: list[CastSheet]) -> Iterator[Oversight]:
    """Questions that the one who is asked has no answer of their own to."""
    for sheet in sheets:
        for topic, subject in sheet.character.phrasebook.topics.items():
            for other in sheets:
                if other.who == sheet.who or (subject.to and other.who not in subject.to):
                    continue
                if topic not in set(_answer_topics(other.character)):
                    yield sheet.warn(("phrasebook", "topics", topic), "no-answer", topic=topic, other=other.who)


def _answer_topics(character: Character) -> Iterator[str]:
    """The topics of a phrasebook's answers; a key may go on with a thing, a mood or an addressee."""
    for key in character.phrasebook.answer:
        yield key.split("@")[0].split(">")[0].split(" ")[0]


def _scenario_oversights(scenario: Scenario, known: "KnownNames", document: Document) -> Iterator[Oversight]:
    for at, who, desire in _desires_of(scenario):
        for key, details in known.strange(desire.goal):
            more = {"who": who, "desire": desire.name, **details}
            yield Oversight(document.file, document.line(at), key, more)
    for at, goal in _goals_of(scenario):
        for key, details in known.strange(goal):
            yield Oversight(document.file, document.line(at), key.replace("unknown", "goal"), details)


def _goals_of(scenario: Scenario) -> Iterator[tuple[Key, Goal]]:
    """What opens acts and ends the garden."""
    if scenario.goal:
        yield ("goal",), scenario.goal
    yield from ((("endings", place), one) for place, one in enumerate(scenario.endings))
    yield from ((("acts", place, "opens"), one.opens) for place, one in enumerate(scenario.acts))


def _needs(scenario: Scenario, known: "KnownNames", document: Document) -> Iterator[Oversight]:
    """Affordances that need the state of a thing nobody will ever meet."""
    for name, prop in scenario.world.props.items():
        for place, one in enumerate(prop.affordances):
            for other in one.needs_elsewhere or {}:
                if other not in {*known.things, "weather"}:
                    at = document.line(("world", "props", name, "affordances", place))
                    yield Oversight(document.file, at, "unknown-need", {"what": name, "thing": other})


def _unknown_pictures(scenario: Scenario, document: Document) -> Iterator[Oversight]:
    """Things that want a picture of a name that none has."""
    for name, prop in scenario.world.props.items():
        if prop.picture and prop.picture not in pictures():
            at = document.line(("world", "props", name, "picture"))
            near = ", ".join(get_close_matches(prop.picture, pictures(), n=3, cutoff=0.5)) or "–"
            yield Oversight(document.file, at, "unknown-picture", {"what": name, "picture": prop.picture, "near": near})


def _desires_of(scenario: Scenario) -> Iterator[tuple[Key, str, Desire]]:
    for who, role in scenario.cast.items():
        for place, desire in enumerate(role.desires):
            yield ("cast", who, "desires", place), who, desire
    for place, urge in enumerate(scenario.opening.urges):
        yield ("opening", "urges", place), "opening", urge
    for section, happenings in (("acts", scenario.acts), ("incidents", scenario.incidents)):
        for number, incident in enumerate(happenings):
            for place, urge in enumerate(incident.urges):
                yield (section, number, "urges", place), incident.id, urge


class KnownNames:
    """Every name and verb that a scenario can ever speak of."""

    def __init__(self, scenario: Scenario) -> None:
        world = scenario.world
        self.things = {name for name, prop in world.props.items()} | set(_makeable_things(world.props.values()))
        for incident in scenario.happenings:
            for operation in incident.delta:
                steps = operation.path.split("/")
                if operation.op == "add" and steps[1] == "props" and len(steps) == 3:
                    self.things |= {
                        steps[2],
                        *_makeable_things([UnplacedProp.model_validate(_without_place(operation.value))]),
                    }
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


def _makeable_things(things: Iterable[UnplacedProp]) -> Iterator[str]:
    """Everything that can come into being by what these things afford, at any remove."""
    for thing in things:
        for one in thing.affordances:
            made = {**one.makes, **(one.after.makes if one.after else {})}
            yield from made
            yield from _makeable_things(made.values())


def _without_place(value: object) -> dict[str, object]:
    fields = set(UnplacedProp.model_fields)
    return {name: part for name, part in value.items() if name in fields} if isinstance(value, dict) else {}


class Flaw(Value):
    """What is wrong, or only looks wrong, and where: in the text itself, or in a sheet that it names."""

    grade: Literal["error", "warning"]
    file: str
    line: int
    column: int
    key: str
    message: str


def lint(text: str, file: str, shelf: UserFiles, language: str) -> list[Flaw]:
    """Everything there is to say about a scenario; after an error nothing more can be said."""
    try:
        document = Document(text, file)
        scenario = scenario_in(document)
        missing = list(_missing_sheets(scenario, document, shelf, text, language))
        found = [] if missing else list(oversights(scenario, document, shelf.sheet))
    except ScenarioError as error:
        return [_error(error, file, text, language)]
    return missing or [_warning(one, text if one.file == file else "", language) for one in found]


def _missing_sheets(
    scenario: Scenario, document: Document, shelf: UserFiles, text: str, language: str
) -> Iterator[Flaw]:
    """Sheets that are nowhere."""
    for who, role in scenario.cast.items():
        try:
            shelf.sheet_path(role.sheet)
        except UnknownName as error:
            line = document.line(("cast", who, "sheet"))
            yield _flaw("error", document.file, line, text, "sheet", error.key, tell(error, language))


def _error(error: HakoniwaError, file: str, text: str, language: str) -> Flaw:
    details = error.details
    where, line = str(details.get("file", file)), int(details.get("line", 1))
    key = str(details.get("key", "")).rpartition(".")[2]
    return _flaw("error", where, line, text if where == file else "", key, error.key, explain_error(error, language))


def _warning(one: Oversight, text: str, language: str) -> Flaw:
    message = say(f"lint.{one.key}", language, **one.details)
    return _flaw("warning", one.file, one.line, text, "", f"lint.{one.key}", message)


def _flaw(
    grade: Literal["error", "warning"], file: str, line: int, text: str, word: str, key: str, message: str
) -> Flaw:
    return Flaw(grade=grade, file=file, line=line, column=_column(text, line, word), key=key, message=message)


def _column(text: str, line: int, word: str) -> int:
    """Where in a line a word stands; where the line begins, if it does not."""
    lines = text.splitlines()
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    found = written.find(word) if word else -1
    return (found if found >= 0 else len(written) - len(written.lstrip())) + 1
