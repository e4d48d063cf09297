"""The docs say what is there: every setting, intent, reason, event, command, field and word; their examples work."""

import ast
import asyncio
import contextlib
import io
import re
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import hakoniwa
from benchmarks.__main__ import names
from hakoniwa import cli
from hakoniwa.actor import character
from hakoniwa.app import new_session
from hakoniwa.cli.complaint import INTERRUPTED
from hakoniwa.errors import HakoniwaError
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.messages import catalogue
from hakoniwa.play.loop import play
from hakoniwa.service.app import gm_app
from hakoniwa.settings import PREFIX, TABLES, Settings, config_file, load
from hakoniwa.stage import goal, scenario, world
from hakoniwa.turn import DeniedReason, Event, IntentKind
from tests.reached import Symbol, graph, modules, reached

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hakoniwa"
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
DECISIONS = sorted((DOCS / "adr").glob("*.md"))
READMES = (ROOT / "README.md", ROOT / "README.ja.md")

BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")

WORDS = (
    "Stage", "WorldState", "Scene", "Figure", "Character", "Prop", "Affordance", "Actor", "Intention", "ActionIntent",
    "GM", "Ruling", "world_delta", "denied_reason", "fact_cards", "stall_score", "Incident", "Director", "Ghost",
    "Persona", "Capability", "ActionDecision", "ActionResult", "Spoken", "Event", "Session", "internal_id",
    "display_name", "short_name",
)  # fmt: skip
SHARED = (
    "turn", "registry", "settings", "stage/world", "stage/scene", "stage/belief", "stage/goal", "stage/scenario",
    "gm/act", "gm/judge", "gm/history", "gm/step", "actor/character", "actor/mind", "actor/view", "actor/builtin",
    "journal/__init__", "play/session", "play/standing",
)  # fmt: skip
FOR_TESTS = {
    ("hakoniwa.gm.second", "GivenAnswers"),
    ("hakoniwa.gm.stall", "recovery_share"),
    ("hakoniwa.lab.experiment", "read_timings"),
    ("hakoniwa.stage.patch", "apply_unchecked"),
}  # asked for by no seed
WRITTEN_BY_HAND: tuple[type[BaseModel], ...] = (
    scenario.Scenario, scenario.Incident, scenario.When, scenario.Urge, scenario.Opening, scenario.Role,
    scenario.Ending, scenario.Speakers, goal.Desire, goal.Goal, goal.Deed, world.WorldState, world.Time, world.Meta,
    world.Camera, world.Location, world.Exit, world.Figure, world.Prop, world.Affordance, world.LaterEffect,
    character.Character, character.Personality, character.SpeechStyle, character.Topic, character.Phrasebook,
)  # fmt: skip


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str | None = None) -> list[str]:
    """The code blocks of a page, without the indentation of a list they stand in."""
    found = BLOCK.findall(text_of(page))
    return [textwrap.dedent(code) for _, spoken, code in found if language in (None, spoken)]


def prose(page: Path) -> str:
    return BLOCK.sub("", text_of(page))


def headings(page: Path) -> list[tuple[int, str]]:
    return [(len(marks), title) for marks, title in HEADING.findall(prose(page))]


def rows(text: str) -> Iterator[list[str]]:
    """The rows of all tables, without their heads."""
    lines = text.splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|") and before.startswith("|") and not line.startswith("|--"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


# --- settings, errors, commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_a_row_with_its_variable_and_its_default(name: str) -> None:
    row = next(row for row in rows(text_of(DOCS / "settings.md")) if row[0] == f"`{name}`")
    default = Settings.model_fields[name].default
    assert row[1] == ("—" if name in TABLES else f"`{PREFIX}{name.upper()}`")
    assert default in ("", None) or "Undefined" in repr(default) or f"`{default}`" in row[2]


def test_the_configuration_file_of_the_docs_is_one() -> None:
    (example,) = blocks(DOCS / "settings.md", "toml")
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(example, encoding="utf-8")
    _, origins = load({})
    assert {name for name, origin in origins.items() if origin == "file"} == set(tomllib.loads(example))


@pytest.mark.parametrize("example", blocks(DOCS / "autonomy.md", "toml"))
def test_what_the_docs_allow_can_be_allowed(example: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(example, encoding="utf-8")
    _, origins = load({})
    assert {name for name, origin in origins.items() if origin == "file"} == set(tomllib.loads(example))


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.__name__)
def test_every_field_of_a_table_is_described(table: type[BaseModel]) -> None:
    told = [row[0] for row in rows(text_of(DOCS / "autonomy.md") + text_of(DOCS / "models.md"))]
    assert [name for name in table.model_fields if f"`{name}`" not in told] == []


def errors(kind: type[HakoniwaError] = HakoniwaError) -> Iterator[type[HakoniwaError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == HakoniwaError.__module__:
            yield from errors(child)


def test_every_error_stands_beside_its_exit_code() -> None:
    told = {row[0]: quoted(row[2]) for row in rows(text_of(DOCS / "settings.md")) if row[0].isdecimal()}
    assert {name: int(code) for code, names in told.items() for name in names} == {
        error.__name__: error.exit_code for error in errors()
    }
    assert {"0", str(INTERRUPTED)} <= set(told)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command there is, with its parser: `gm step` is one, `gm` is none."""
    for name in cli.COMMANDS:
        command = cli.parser(name)
        inner = getattr(command, "commands", None)
        if inner is None:
            yield name, command
        else:
            yield from ((f"{name} {sub}", found) for sub, found in inner.items())


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in commands()])
def test_every_command_is_described_with_its_options(name: str, command: Any) -> None:
    page = text_of(DOCS / "settings.md")
    _, found, rest = page.partition(f"### `hakoniwa {name}")
    assert found, f"no heading for hakoniwa {name}"
    section = re.split(r"^##", rest, maxsplit=1, flags=re.MULTILINE)[0]
    options = [one.opts[-1] for one in command.params if one.param_type_name == "option" and one.name != "help"]
    assert [option for option in options if f"`{option}" not in section] == []


def test_no_command_is_described_that_does_not_exist() -> None:
    described = [title for _, title in headings(DOCS / "settings.md") if title.startswith("`hakoniwa")]
    assert {" ".join(word for word in title.strip("`").split()[1:] if word.islower()) for title in described} == {
        name for name, _ in commands()
    }


def test_every_route_is_described() -> None:
    paths = gm_app(MemoryJournal()).openapi()["paths"]
    routes = [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]
    assert "POST /v1/gm/step" in routes
    assert [route for route in routes if f"`{route}`" not in text_of(DOCS / "settings.md")] == []


@pytest.mark.parametrize("page", [DOCS / "settings.md", *READMES], ids=named)
def test_every_command_of_the_prompt_is_described(page: Path) -> None:
    typed = [key.rsplit(".", 1)[1] for key in catalogue("en") if key.startswith("play.usage.")]
    assert "undo" in typed
    essential = {"as", "act", "drop", "ring", "why", "undo", "fork", "save", "quit"}
    wanted = typed if page.parent == DOCS else sorted(essential)
    assert [name for name in wanted if not re.search(rf"`/{name}\b", text_of(page))] == []


# --- words -----------------------------------------------------------------------------------------------------------


def glossary() -> dict[str, str]:
    """Every word of the glossary with its Japanese."""
    table = [row for row in rows(text_of(DOCS / "glossary.md")) if len(row) >= 3]
    return {word: row[1] for row in table for word in (quoted(row[0]) or [row[0]])}


def classes(module: str) -> list[str]:
    tree = ast.parse(text_of(SOURCE / f"{module}.py"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def test_the_glossary_has_the_words_we_agreed_on_in_both_languages() -> None:
    words = glossary()
    assert [word for word in WORDS if word not in words] == []
    assert [word for word, japanese in words.items() if not JAPANESE.search(japanese)] == []


@pytest.mark.parametrize("module", SHARED)
def test_every_class_that_others_speak_of_has_its_word(module: str) -> None:
    assert classes(module)
    assert [name for name in classes(module) if name not in glossary()] == []


def test_a_word_that_looks_like_code_is_in_the_code_or_planned() -> None:
    source = "\n".join(text_of(path) for path in sorted(SOURCE.rglob("*.py")))
    built = [row for row in rows(text_of(DOCS / "glossary.md")) if "planned" not in "".join(row)]
    words = [word for row in built for word in quoted(row[0])]
    known = set(re.findall(r"\w+", source))
    assert [word for word in words if word not in known and not re.search(rf"\b{re.escape(word)}\b", source)] == []


@pytest.mark.parametrize("part", hakoniwa.__all__)
def test_every_part_that_stands_alone_has_its_word(part: str) -> None:
    assert part in glossary()


@pytest.mark.parametrize("kind", [*IntentKind, *DeniedReason])
def test_every_intent_and_reason_is_in_the_glossary(kind: str) -> None:
    assert kind in glossary()


def test_reasons_stand_in_their_order() -> None:
    listed = [word for row in rows(text_of(DOCS / "glossary.md")) for word in quoted(row[0])]
    assert [word for word in listed if word in list(DeniedReason)] == list(DeniedReason)


@cache
def event_kinds() -> set[str]:
    """The kinds of event that the code makes."""
    nodes = [node for path in SOURCE.rglob("*.py") for node in ast.walk(ast.parse(text_of(path)))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    made = [call for call in calls if call.func.id == Event.__name__]
    kinds = [one.value for call in made for one in call.keywords if one.arg == "kind"]
    return {str(kind.value) for kind in kinds if isinstance(kind, ast.Constant)}


def test_every_kind_of_event_is_in_the_glossary() -> None:
    assert "turn" in event_kinds()
    assert event_kinds() <= set(glossary())


# --- scenarios -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", WRITTEN_BY_HAND, ids=lambda model: model.__name__)
def test_every_field_of_a_scenario_or_sheet_is_described(model: type[BaseModel]) -> None:
    told = quoted(prose(DOCS / "scenarios.md"))
    assert [name for name in model.model_fields if name not in told and f'"{name}"' not in told] == []


def test_every_kind_of_desire_is_named() -> None:
    assert [kind for kind in get_args(goal.DesireKind) if kind not in prose(DOCS / "scenarios.md")] == []


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The files of the example, as somebody would copy them from the page."""
    for code in blocks(DOCS / "scenarios.md", "yaml"):
        if title := re.match(r"# (\w+\.yaml)\n", code):
            (tmp_path / title[1]).write_text(code, encoding="utf-8")
    return tmp_path / "lighthouse.yaml"


@pytest.mark.parametrize("seed", range(3))
def test_the_example_plays_to_its_end(example: Path, seed: int) -> None:
    async def played() -> str | None:
        session = new_session(MemoryJournal(), str(example), seed)
        with contextlib.closing(session):
            async for _ in play(session, session.scenario.turns):
                pass
            return session.standing.ended

    assert asyncio.run(played()) == "goal"


def test_the_example_passes_lint(example: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["lint", str(example), "--lang", "en"]) == 0
    assert "warning" not in capfd.readouterr().out.casefold()


# --- the two READMEs -------------------------------------------------------------------------------------------------


def test_both_readmes_have_the_same_shape() -> None:
    english, japanese = ([level for level, _ in headings(page)] for page in READMES)
    assert english == japanese
    assert len(list(rows(text_of(READMES[0])))) == len(list(rows(text_of(READMES[1]))))


def test_both_readmes_have_the_same_code_and_begin_with_play_and_test() -> None:
    english, japanese = (blocks(page) for page in READMES)
    assert english == japanese
    assert [one.strip() for one in english[:2]] == ["make play", "make test"]


@pytest.mark.parametrize("page", READMES, ids=named)
def test_a_readme_names_every_scenario(page: Path) -> None:
    assert [name for name in scenario.shipped_scenarios() if f"`{name}`" not in text_of(page)] == []


def test_the_snippets_print_what_the_readme_says() -> None:
    referee, library = (_printed(code) for code in blocks(READMES[0], "python"))
    assert referee in blocks(READMES[0], "text")
    assert library.splitlines()[-1] == "MISSING_OBJECT"


def test_the_snippets_of_the_library_run_as_they_are() -> None:
    for code in blocks(DOCS / "library.md", "python"):
        if "run_experiment" not in code:  # takes minutes; the notebook has a smaller one
            _printed(code)


def _printed(code: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), {})
    return printed.getvalue()


def test_the_paths_of_the_layout_exist() -> None:
    (layout,) = (one for one in blocks(READMES[0], "text") if one.startswith("src/"))
    paths = [line.split()[0] for line in layout.splitlines()]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    packages = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages <= {Path(path).name for path in paths}


# --- every page ------------------------------------------------------------------------------------------------------


def slug(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose(page)):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        found = (page.parent / path).resolve() if path else page
        if not found.exists() or (anchor and anchor not in [slug(title) for _, title in headings(found)]):
            broken.append(target)
    assert broken == []


def test_the_figures_are_those_of_every_benchmark() -> None:
    assert [title for level, title in headings(DOCS / "figures.md") if level == 2] == names()


@pytest.mark.parametrize("page", DECISIONS, ids=named)
def test_a_decision_fits_on_a_screen_and_has_its_parts(page: Path) -> None:
    (_, title), *parts = headings(page)
    assert re.match(rf"{int(page.name[:4])}\. ", title)
    assert parts == [(2, "Context"), (2, "Decision"), (2, "Consequences")]
    assert re.search(r"^Status: (accepted|accepted, not built yet|superseded by .+)$", text_of(page), re.MULTILINE)
    assert len(text_of(page).splitlines()) <= 40


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_the_tour_follows_the_code() -> None:
    code = text_of(SOURCE / "play" / "turn.py")
    lines = [line for block in blocks(DOCS / "tour.md", "python") for line in block.splitlines()]
    places = [code.find(line.strip()) for line in lines]
    assert [line for line, place in zip(lines, places, strict=True) if place < 0] == []
    assert places == sorted(places)
    functions = [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    titles = " ".join(title for _, title in headings(DOCS / "tour.md"))
    assert [name for name in functions if f"`{name}`" not in titles] == []


def requirements() -> list[list[str]]:
    return [row for row in rows(text_of(DOCS / "seeds.md")) if len(row) == 4]


def test_what_the_seeds_page_calls_done_is_there() -> None:
    done = [row for row in requirements() if row[3] == "done"]
    assert done
    homes = {1: (SOURCE, ROOT), 2: (ROOT / "tests",)}  # the page has its sources beside the package
    missing = [
        (row[0], path)
        for row in done
        for column, among in homes.items()
        for path in quoted(row[column]) or ["nothing named"]
        if not any((home / path.partition(":")[0]).exists() for home in among)
    ]
    assert missing == []


def symbols(status: str) -> set[Symbol]:
    """What the rows of a status name as `module:symbol`."""
    paths = [path for row in requirements() if row[3] == status for path in quoted(row[1]) if ":" in path]
    return {(module_of(path.partition(":")[0]), path.partition(":")[2]) for path in paths}


def module_of(path: str) -> str:
    return f"hakoniwa.{path.removesuffix('.py').rstrip('/').replace('/', '.')}".removesuffix(".__init__")


def modules_done() -> set[str]:
    """Every module that a row calls done names, or that is in a folder it names."""
    paths = [path.partition(":")[0] for row in requirements() if row[3] == "done" for path in quoted(row[1])]
    named = {module_of(path) for path in paths if path.endswith((".py", "/"))}
    return {name for name in modules() if name in named or name.rpartition(".")[0] in named}


def test_the_walk_reaches_commands_routes_and_flows_and_no_stand_in_of_tests() -> None:
    used = {("gm.step", "rule"), ("service.whys", "garden_why"), ("cli.live.play_loop", "perform")}
    flows = {("autonomy.flow", "AutonomyFlow.speak"), ("gm.intents.put", "Put"), ("gm.stall", "calculate_stall_score")}
    assert {(f"hakoniwa.{home}", name) for home, name in used | flows} <= reached()
    assert ("hakoniwa.llm.scripted", "ScriptedModel") not in reached()


def test_an_entry_point_reaches_everything_that_the_seeds_page_calls_done() -> None:
    assert len(modules_done()) > 50
    assert sorted(name for name in modules_done() if (name, "") not in reached()) == []
    assert sorted(symbols("done") - reached()) == []


def test_what_nothing_reaches_in_those_modules_is_called_missing() -> None:
    """So nobody can call a row done whose code stands in a module with other things that are reached."""
    unreached = {
        (name, one.name)
        for name in modules_done()
        for one in modules()[name].definitions()
        if not one.name.startswith("_") and (name, one.name) not in reached()
    }
    assert sorted(unreached - symbols("missing") - FOR_TESTS) == []


def test_what_the_seeds_page_calls_missing_exists_and_is_not_reached() -> None:
    assert [one for one in sorted(symbols("missing")) if one in reached() or one not in graph()] == []


def test_the_seeds_page_knows_done_and_missing_and_covers_all_five() -> None:
    assert {row[3] for row in requirements()} <= {"done", "missing"}
    sections = [title for level, title in headings(DOCS / "seeds.md") if level == 2]
    assert [title[:8] for title in sections] == [f"Seed 00{number}" for number in range(5)]
