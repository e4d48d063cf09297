"""Help and settings: complete in both languages."""

import json
from typing import Any

import pytest

from hakoniwa.cli import COMMANDS, parser
from hakoniwa.cli.guide import guide
from hakoniwa.messages import LANGUAGES
from hakoniwa.settings import Settings
from tests.cli.conftest import Run


def leaves(command: Any, path: list[str]) -> list[tuple[Any, list[str]]]:
    inner = getattr(command, "commands", {})
    below = [leaf for name, one in inner.items() for leaf in leaves(one, [*path, name])]
    return [(command, path), *below]


EVERY = [leaf for name in COMMANDS for leaf in leaves(parser(name), ["hakoniwa", name])]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_option_is_explained(lang: str) -> None:
    for command, path in EVERY:
        told = guide(command, path, lang)
        options = [name for one in command.params for name in one.opts if one.param_type_name == "option"]
        assert [name for name in options if name not in told] == [], path


@pytest.mark.parametrize(("lang", "usage"), [("ja", "使い方: "), ("en", "Usage: ")])
def test_help_is_in_the_users_language(run: Run, lang: str, usage: str) -> None:
    for argv in ([], ["--help"], ["play", "--help"], ["gm"], ["gm", "step", "-h"]):
        ended = run(*argv, "--lang", lang)
        assert ended.code == 0
        assert usage in ended.out
    assert [name for name in COMMANDS if f"\n  {name} " not in run("--help", "--lang", lang).out] == []


@pytest.mark.parametrize(
    ("variables", "about"),
    [
        ({"LANG": "ja_JP.UTF-8"}, "箱庭"),
        ({"LANG": "en_GB.UTF-8"}, "miniature garden"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "miniature garden"),
        ({"LANG": "ja_JP.UTF-8", "HAKONIWA_LANG": "en"}, "miniature garden"),
    ],
)
def test_the_language_follows_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], about: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "HAKONIWA_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert about in run("--help").out


def test_settings_say_where_they_come_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_SEED", "7")
    shown = {one["name"]: one for one in json.loads(run("config", "show", "--origin", "--json").out)}
    assert list(shown) == list(Settings.model_fields)
    assert (shown["seed"]["value"], shown["seed"]["origin"]) == ("7", "environment")
    assert (shown["speed"]["value"], shown["speed"]["origin"]) == ("1.2", "default")
    lines = run("config", "show", "--origin", "--lang", "ja").out.splitlines()
    seed = next(line for line in lines if line.startswith("seed = 7"))
    assert seed.endswith("[環境変数] 新しい箱庭の乱数の種。空なら、箱庭ごとに新しく決める。")
    assert next(line for line in lines if line.startswith("lang = ja")).find("[コマンドライン]") > 0
    assert "[" not in run("config", "show").out


@pytest.mark.parametrize("password", ["secret", "a:secret", "a/secret", "secret/b", "a@secret", "secret?b", "a#secret"])
@pytest.mark.parametrize("query", ["", "?password=secret", "?secret", "#secret"])
def test_a_password_is_not_shown(password: str, query: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_JOURNAL", f"postgresql://me:{password}@host/db{query}")
    monkeypatch.setenv("HAKONIWA_BASE_URL", f"me:{password}@host/v1{query}")
    for out in (run("config", "show").out, run("config", "show", "--json").out):
        assert "base_url" in out
        assert "secret" not in out
    plain = not set(password) & set("?#")
    assert ("postgresql://***@host/db" in run("config", "show").out) is plain


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:a/secret@127.0.0.1:1/db", "postgresql://me:a@secret@127.0.0.1:1/db",
        "postgresql://me:a@b:secret@127.0.0.1:1/db", "postgresql://127.0.0.1:1/db?user=me&password=secret",
    ],
)  # fmt: skip
def test_a_journal_that_is_not_there_is_named_without_a_password(url: str, run: Run) -> None:
    ended = run("gardens", "--journal", url)
    assert ended.code == 4
    assert "secret" not in ended.out + ended.err


def test_the_settings_file_is_named(run: Run, tmp_path: Any) -> None:
    assert run("config", "path").out == f"{tmp_path}/config/hakoniwa/config.toml\n"


def test_help_comes_even_where_the_settings_are_wrong(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_SPEED", "fast")
    assert run("play", "--help").code == 0


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out.startswith("hakoniwa ")
