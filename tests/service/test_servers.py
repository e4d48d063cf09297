"""Models and settings over HTTP: what the doctor finds, what would speak, and no secret of anybody's."""

from typing import Any

import pytest

from hakoniwa.app import doctor
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.bench import ProbeFinding
from hakoniwa.llm.find import ModelServer, OfferedModel
from hakoniwa.settings import Settings
from tests.service.plot import Plot

OLLAMA = ModelServer(
    url="http://me:secret@127.0.0.1:11434/v1", asked="http://127.0.0.1:11434/v1", origin="usual", kind="ollama",
    models=(OfferedModel(name="gemma3:4b", context=8192),), key="k3y",
)  # fmt: skip
NOTHING = ModelServer(
    url="http://127.0.0.1:1234/v1", asked="http://127.0.0.1:1234/v1", origin="usual", trouble="refused"
)


def door(**settings: Any) -> Plot:
    return Plot(MemoryJournal(), lambda: None, **settings)


def found(monkeypatch: pytest.MonkeyPatch, *servers: ModelServer) -> None:
    monkeypatch.setattr(doctor, "visit_all", lambda _: servers)


def test_servers_and_models_are_listed_with_the_one_that_would_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, NOTHING, OLLAMA)
    with door(model="auto") as opened:
        told = opened.get("/v1/servers")
    assert (told["using"], told["server"], told["playable"]) == ("gemma3:4b", "http://***@127.0.0.1:11434/v1", True)
    assert [(one["kind"], one["trouble"], len(one["models"])) for one in told["servers"]] == [
        ("openai", "refused", 0), ("ollama", None, 1),
    ]  # fmt: skip
    assert [one["grade"] for one in told["findings"]] == ["warn", "ok"]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_problem_comes_with_what_to_do(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    found(monkeypatch)
    with door(model="auto") as opened:
        told = opened.get("/v1/servers", **{"accept-language": language})
    (finding,) = told["findings"]
    assert (told["using"], told["playable"], finding["key"]) == ("builtin", False, "reach.nothing")
    assert finding["told"]
    assert finding["fix"]


def test_the_model_is_tried_when_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, OLLAMA)
    slow = ProbeFinding(about="speed", grade="warn", key="chat.ok", details={"seconds": "3"})
    plays = ProbeFinding(about="form", grade="ok", key="form.ok", details={"played": 3, "of": 3, "phases": "one"})
    monkeypatch.setattr(doctor, "run_probes", lambda *_: [slow])
    monkeypatch.setattr(doctor, "play_form", lambda *_: plays)
    with door(model="auto") as opened:
        told = opened.post("/v1/servers/examine", {})
    assert [one["key"] for one in told["findings"]][-2:] == ["chat.ok", "form.ok"]


def test_without_a_model_none_is_looked_for() -> None:
    with door() as opened:
        assert opened.get("/v1/servers") == {
            "using": "builtin", "server": None, "playable": True, "servers": [], "findings": [],
        }  # fmt: skip
        assert opened.post("/v1/servers/examine", {})["using"] == "builtin"


def test_settings_are_shown_and_secrets_are_not() -> None:
    with door(token="hidden-token", api_key="hidden-key", journal="postgresql://me:hidden-word@host/db") as opened:
        response = opened.send(b"", "/v1/settings", "GET", **{"accept-language": "ja"})
    told = {one["name"]: one for one in response.json()}
    assert set(told) == set(Settings.model_fields)
    assert "hidden" not in response.text
    assert (told["token"]["value"], told["journal"]["value"]) == ("***", "postgresql://***@host/db")
    assert told["speed"]["value"] == "1.2"
    assert told["speed"]["description"]
