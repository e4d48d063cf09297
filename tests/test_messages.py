"""The catalogue: both languages say the same things, everything the code says is in it, and nothing in it is idle."""

import ast
import re
import string
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hakoniwa import errors
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.lab.run import Cluster
from hakoniwa.memory.embedding import ginza
from hakoniwa.messages import LANGUAGES, catalogue, states_in_words, tell, typed_program
from hakoniwa.settings import Settings
from hakoniwa.stage.scenario import find, load, shipped_scenarios

SOURCE = Path(errors.__file__).parent
ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, errors.HakoniwaError)}
SPEAKS = {"say", "tell"}
TYPED_PROGRAM = typed_program  # the real one: a test hears of a program of no place


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    """Everything the code is made of, and the file it stands in."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
    return [(path, node) for path, tree in trees.items() for node in ast.walk(tree)]


def placeholders(message: str) -> set[str]:
    """What a message must be given; the name of the program it knows by itself."""
    return {name for _, name, _, _ in string.Formatter().parse(message) if name} - {"hakoniwa"}


def raised() -> Iterator[tuple[str, set[str] | None]]:
    """Every key an error is made with, and the details it is given where they can be read off."""
    for _, node in nodes():
        if isinstance(node, ast.Call) and _name(node.func) in ERRORS and _is_text(node.args[:1]):
            names = {one.arg for one in node.keywords if one.arg}
            yield ast.literal_eval(node.args[0]), names if len(names) == len(node.keywords) else None
        pair = node.elts if isinstance(node, ast.Tuple) and len(node.elts) == 2 else []
        if pair and _name(pair[0]) in ERRORS and _is_text(pair[1:]):
            yield ast.literal_eval(pair[1]), None


def _is_text(nodes: list[ast.expr]) -> bool:
    return bool(nodes) and isinstance(nodes[0], ast.Constant) and isinstance(nodes[0].value, str)


def _name(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def said() -> Iterator[str]:
    """Every key the terminal door says as it stands."""
    for node in (node for path, node in nodes() if "cli" in path.parts):
        if isinstance(node, ast.Call) and _name(node.func) in SPEAKS and node.args:
            first = node.args[0]
            options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            yield from (ast.literal_eval(one) for one in options if _is_text([one]))


def composed() -> Iterator[re.Pattern[str]]:
    """What keys that are put together look like: `cli.{name}.help`."""
    for joined in (node for _, node in nodes() if isinstance(node, ast.JoinedStr)):
        parts = [re.escape(str(one.value)) if isinstance(one, ast.Constant) else ".+" for one in joined.values]
        if re.match(r"[a-z]+\\\.", parts[0]):
            yield re.compile("".join(parts))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("work", "part"),
    [
        (lambda: next(Cluster("tcp://127.0.0.1:1").played([])), "distributed"),
        (lambda: SqlJournal("postgresql://127.0.0.1:1/nowhere"), "'psycopg[binary]'"),
        (lambda: ginza._folder(), "ja-ginza"),
    ],
    ids=["cluster", "postgres", "offline"],
)
def test_a_missing_part_is_named_with_the_environment_to_install_it_into(
    work: Callable[[], Any], part: str, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for missing in ("distributed", "psycopg", "ja_ginza"):
        monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(ginza, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "executable", "/my place/python")
    with pytest.raises(errors.HakoniwaError) as raised:
        work()
    assert f"'/my place/python' -m pip install {part}" in tell(raised.value, lang)


def test_both_languages_have_the_same_messages() -> None:
    assert list(catalogue("ja")) == list(catalogue("en"))


def test_both_languages_speak_of_the_same_things() -> None:
    there = {lang: {key: placeholders(message) for key, message in catalogue(lang).items()} for lang in LANGUAGES}
    assert there["ja"] == there["en"]


def test_there_are_errors_to_look_at() -> None:
    assert ("unknown.scenario", {"known", "name"}) in list(raised())
    assert len({key for key, _ in raised()}) > 40


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_error_can_be_told(lang: str) -> None:
    told = {key: catalogue(lang).get(f"error.{key}") for key, _ in raised()}
    assert [key for key, message in told.items() if message is None] == []
    wanting = [key for key, given in raised() if given is not None and not placeholders(told[key] or "") <= given]
    assert wanting == []


def test_everything_that_is_said_is_in_the_catalogue() -> None:
    assert sorted(key for key in set(said()) if key not in catalogue("ja")) == []


def test_nothing_in_the_catalogue_is_idle() -> None:
    literals = (node.value for _, node in nodes() if isinstance(node, ast.Constant))
    constants = {one for one in literals if isinstance(one, str)}
    used = constants | {f"error.{key}" for key, _ in raised()} | {f"error.{key}" for key in constants}
    patterns = [one for one in composed() if not one.pattern.startswith("error")]
    idle = [key for key in catalogue("ja") if key not in used and not any(one.fullmatch(key) for one in patterns)]
    assert idle == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_setting_is_described(lang: str) -> None:
    assert [name for name in Settings.model_fields if f"setting.{name}" not in catalogue(lang)] == []


def test_japanese_is_japanese() -> None:
    latin = re.compile(r"^[\x00-\x7f…│─└‥—]*$")
    plain = {"play.prompt", *(key for key in catalogue("ja") if key.startswith("play.usage."))}
    said_in_latin = {key for key, text in catalogue("ja").items() if latin.match(text)}
    assert said_in_latin <= plain | {"lint.ok", "chat.join"}


def states_in(node: Any) -> Iterator[str]:
    """Every state that a scenario speaks of, in things, in what they become, and in what happens to them."""
    if isinstance(node, dict):
        for key in ("state", "needs", "becomes"):
            yield from node.get(key) or ()
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from states_in(child)


@pytest.mark.parametrize("name", shipped_scenarios())
def test_every_state_of_a_shipped_scenario_has_words_in_its_language(name: str) -> None:
    scenario = load(find(name))
    states = sorted({*states_in(scenario.model_dump(mode="json"))})
    assert scenario.language == "en" or not [one for one in states_in_words(states, "ja") if one.isascii()]


def no_bare_commands(message: str) -> list[str]:
    return re.findall(r"(?<![{\w/\[.])hakoniwa (?:[a-z]+|--help)", message)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_command_that_is_told_of_is_one_that_works_here(lang: str) -> None:
    assert {key: found for key, one in catalogue(lang).items() if (found := no_bare_commands(one))} == {}


@pytest.mark.parametrize(
    ("started", "on_path", "typed"),
    [
        (".venv/bin/hakoniwa", "", ".venv/bin/hakoniwa"),
        (".venv/bin/hakoniwa", ".venv/bin", "hakoniwa"),
        (".venv/bin/hakoniwa", "elsewhere", ".venv/bin/hakoniwa"),
        ("my place/hakoniwa", "", "'my place/hakoniwa'"),
        ("linked/hakoniwa", "linked", "hakoniwa"),
        ("pytest", "elsewhere", "hakoniwa"),
    ],
)
def test_the_program_is_told_of_as_it_is_typed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: str, on_path: str, typed: str
) -> None:
    for folder in (".venv/bin", "elsewhere", "my place", "linked"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (".venv/bin/hakoniwa", "elsewhere/hakoniwa", "my place/hakoniwa"):
        (tmp_path / name).touch(mode=0o755)
    (tmp_path / "linked/hakoniwa").symlink_to(tmp_path / ".venv/bin/hakoniwa")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [started])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / on_path) if on_path else "")
    assert TYPED_PROGRAM.__wrapped__() == typed
