"""Who plays the characters: a model that is named or found, or the built-in mind; and `play` says which."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hakoniwa import app
from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.turn_prompts import TurnForm
from hakoniwa.cli.live import play_loop
from hakoniwa.errors import ModelUnavailable
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerPlace, ServerSearch
from hakoniwa.llm.ledger import Ledger
from hakoniwa.settings import Settings, load
from tests.cli.conftest import Run

GEMMA = OfferedModel(name="gemma3:4b", context=4096)
HOME = ModelServer(
    url="http://127.0.0.1:1/v1", asked="http://127.0.0.1:1/v1", origin="usual", kind="ollama", models=(GEMMA,)
)
DEAD = HOME.model_copy(update={"trouble": "refused", "models": (), "origin": "OPENAI_BASE_URL"})
FOUND = ServerSearch(servers=(HOME,), server=HOME, model=GEMMA)
Seen = list[tuple[list[ServerPlace], str]]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[ServerSearch], Seen]:
    """What a search comes to; what was searched for comes back."""
    monkeypatch.delenv("HAKONIWA_MODEL")

    def set_up(outcome: ServerSearch) -> Seen:
        seen: Seen = []
        monkeypatch.setattr(app, "search", lambda some, name: seen.append((list(some), name)) or outcome)
        monkeypatch.setattr(play_loop, "mind_of", lambda *_: BuiltinMind())
        return seen

    return set_up


def test_builtin_looks_for_nothing(found: Callable[[ServerSearch], Seen], monkeypatch: pytest.MonkeyPatch) -> None:
    seen = found(FOUND)
    assert app.model_of(load({"model": "builtin"})[0]) == ServerSearch()
    assert seen == []


def test_what_is_found_is_used_and_nothing_found_is_no_error(found: Callable[[ServerSearch], Seen]) -> None:
    found(FOUND)
    assert app.model_of(load({})[0]).model == GEMMA
    found(ServerSearch(servers=(DEAD,)))
    assert app.model_of(load({})[0]).model is None


@pytest.mark.parametrize("flags", [{"model": "gemma3:27b"}, {"base_url": HOME.url}])
def test_what_is_named_must_be_there(found: Callable[[ServerSearch], Seen], flags: dict[str, str]) -> None:
    found(ServerSearch(servers=(DEAD,)))
    with pytest.raises(ModelUnavailable) as error:
        app.model_of(load(flags)[0])
    assert error.value.key == "find.silent"


def test_a_context_that_is_set_is_not_asked_for(found: Callable[[ServerSearch], Seen]) -> None:
    found(FOUND)
    model = app.model_of(load({"context": 2048})[0]).model
    assert model is not None
    assert model.context == 2048


def test_the_key_goes_to_the_address_that_is_set(
    found: Callable[[ServerSearch], Seen], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    seen = found(FOUND)
    app.model_of(load({"base_url": "http://box/v1"})[0])
    app.model_of(load({"base_url": "http://box/v1", "api_key": "sk-own"})[0])
    app.model_of(load({"api_key": "sk-own"})[0])
    assert [[one.key for one in some] for some, _ in seen] == [["sk-env"], ["sk-own"], ["", "", "", ""]]


def test_settings_reach_the_mind() -> None:
    asked: dict[str, Any] = {"acts": "tags", "phases": "two", "scene": "full", "history": 900}
    settings, _ = load({**asked, "tokens_per_hour": 9, "seconds_per_call": 7})
    mind = app.mind_of(settings, FOUND)
    assert isinstance(mind, LanguageMind)
    assert (mind.name, mind.model.context, mind.form) == ("gemma3:4b", 4096, TurnForm(**asked))
    assert isinstance(mind.model, Ledger)
    assert mind.model.budget.hour_tokens == 9
    assert mind.model.model.patience.whole == 7
    assert isinstance(app.mind_of(settings, ServerSearch()), BuiltinMind)


def test_a_model_is_asked_in_two_calls_unless_the_doctor_found_or_somebody_set_otherwise(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    assert app.turn_form(settings, "gemma3:4b") == TurnForm(acts="choose", phases="two")
    app.keep_phases(settings, "gemma3:4b", "two")
    app.keep_phases(settings, "qwen3:8b", "one")
    found = {name: app.turn_form(settings, name).phases for name in ("gemma3:4b", "qwen3:8b", "other")}
    assert found == {"gemma3:4b": "two", "qwen3:8b": "one", "other": "two"}
    assert app.turn_form(settings.with_field("phases", "one"), "gemma3:4b").phases == "one"


@pytest.mark.parametrize("text", ["", "{", '["two"]', '{"gemma3:4b": "three"}'])
def test_what_the_doctor_noted_and_nobody_can_read_counts_for_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / app.PHASES_FILE).write_text(text)
    assert app.turn_form(Settings(home=tmp_path), "gemma3:4b").phases == "two"


def test_play_says_who_plays(found: Callable[[ServerSearch], Seen], run: Run, box: Path) -> None:
    found(FOUND)
    told = run("play", box, "--turns", "0").out
    assert "言語モデル gemma3:4b が全員を受け持ちます（Ollama、http://127.0.0.1:1/v1、4096トークン）。" in told
    assert "組み込みの規則" not in told
    found(ServerSearch(servers=(DEAD,)))
    told = run("play", box, "--turns", "0", "--lang", "en").out
    assert "The server of OPENAI_BASE_URL, http://127.0.0.1:1/v1, cannot be used" in told
    assert "No language model was found, so a built-in mind (not a language model) plays everyone" in told
    assert (
        "A built-in mind (not a language model) plays everyone."
        in run("play", box, "--turns", "0", "--model", "builtin", "--lang", "en").out
    )


def test_a_model_that_is_missing_leaves_no_garden_and_clean_data(
    found: Callable[[ServerSearch], Seen], run: Run, box: Path
) -> None:
    found(ServerSearch(servers=(HOME,)))
    ended = run("play", box, "--json", "--model", "gema3")
    assert (ended.code, ended.out) == (6, "")
    assert "もしかして: gemma3:4b" in ended.err
    assert run("gardens").out == "まだ箱庭はありません。hakoniwa play で始められます。\n"


def test_a_model_does_not_play_on_for_ever_alone(
    found: Callable[[ServerSearch], Seen], run: Run, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAKONIWA_TURNS_ALONE", "2")
    script = "/pause\n/step 9\n/who\n/quit\n"
    found(FOUND)
    assert "2ターンのあいだ声がかからなかったので、停止しました" in run("play", box, typed=script).out
    assert "声がかからなかった" not in run("play", box, "--model", "builtin", typed=script).out


def test_secrets_are_shown_nowhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_API_KEY", "sk-sesame")
    shown = run("config", "show", "--origin")
    assert "api_key = ***" in shown.out
    assert "sesame" not in shown.out + run("config", "show", "--json").out
    monkeypatch.setenv("HAKONIWA_API_KEY", "sk sesame")
    wrong = run("config", "show")
    assert wrong.code == 2
    assert "sesame" not in wrong.err
    assert "sesame" not in repr(load({"api_key": "sesame"})[0])
