"""`hakoniwa doctor` on the terminal: what it prints, in which language, and how it ends; nothing here has a network."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from hakoniwa.actor.turn_prompts import Phases
from hakoniwa.app import doctor, found_phases
from hakoniwa.cli.doctor import finding_text, remedy
from hakoniwa.llm.bench import ProbeBench, ProbeFinding
from hakoniwa.llm.find import TITLES, Kind, ModelServer, OfferedModel, ServerPlace, ServerSearch, Trouble
from hakoniwa.messages import LANGUAGES, catalogue
from hakoniwa.settings import Settings
from tests.cli.conftest import Run

FINE = ProbeFinding(about="chat", grade="ok", key="chat.ok", details={"seconds": 0.8})
SHORT = ProbeFinding(
    about="context", grade="warn", key="context.short", details={"tokens": 4096, "good": 8192}, fix="context"
)
SILENT = ProbeFinding(about="thinking", grade="problem", key="thinking.silent", details={"tokens": 60}, fix="thinking")
PLAYS = ProbeFinding(about="form", grade="ok", key="form.ok", details={"played": 3, "of": 3, "phases": "one"})
Plant = Callable[..., list[ProbeBench]]


def at(
    url: str, kind: Kind = "ollama", trouble: Trouble | None = None, origin: str = "usual", *names: str
) -> ModelServer:
    models = tuple(OfferedModel(name=name, context=4096) for name in names)
    return ModelServer(url=url, asked=url, origin=origin, kind=kind, trouble=trouble, models=models, key="sesame")


HOME = at("http://127.0.0.1:11434/v1", "ollama", None, "usual", "gemma3:4b", "gemma3:12b")
AWAY = at("http://box:8080/v1", "llamacpp", None, "base_url", "gemma-3-27b-it")
DEAD = at("http://gone:1/v1", "openai", "refused", "OPENAI_BASE_URL")


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Servers and findings to be met; the benches they were looked for on come back."""
    monkeypatch.delenv("HAKONIWA_MODEL")

    def set_up(*servers: ModelServer, findings: tuple[ProbeFinding, ...] = ()) -> list[ProbeBench]:
        benches: list[ProbeBench] = []

        def visited(some: list[ServerPlace]) -> list[ModelServer]:
            known = {one.url: one for one in servers}
            return [known[one.url] for one in some if one.url in known]

        def examined(bench: ProbeBench, began: Callable[[str], None]) -> Iterator[ProbeFinding]:
            benches.append(bench)
            began("talk")
            yield from findings

        monkeypatch.setattr(doctor, "visit_all", visited)
        monkeypatch.setattr(doctor, "run_probes", examined)
        monkeypatch.setattr(doctor, "play_form", lambda *_: PLAYS)
        return benches

    return set_up


def test_a_healthy_server_is_all_well(run: Run, plant: Plant) -> None:
    benches = plant(HOME, findings=(FINE,))
    ended = run("doctor")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[:2] == [
        "見つかったサーバー",
        "  Ollama  http://127.0.0.1:11434/v1  gemma3:4b（4096トークン）、gemma3:12b（4096トークン）",
    ]
    assert "  ○ 応答           0.8秒で答えました。" in lines
    assert lines[-1] == "遊べます。"
    assert [(one.model.name, len(one.code), one.choose) for one in benches] == [("gemma3:4b", 5, True)]


@pytest.mark.parametrize(
    ("finding", "code", "verdict"),
    [(SHORT, 0, "Ready to play; warnings: 1."), (SILENT, 6, "To play with a model, problems to solve: 1.")],
)
def test_the_verdict_counts_and_the_code_says_whether_to_play(
    run: Run, plant: Plant, finding: ProbeFinding, code: int, verdict: str
) -> None:
    plant(HOME, findings=(FINE, finding))
    ended = run("doctor", "--lang", "en")
    assert ended.code == code
    assert ended.out.splitlines()[-1].startswith(verdict)


def test_a_finding_is_followed_by_one_line_on_what_to_do(run: Run, plant: Plant) -> None:
    plant(HOME, findings=(SHORT,))
    lines = run("doctor", "--lang", "en").out.splitlines()
    place = next(number for number, line in enumerate(lines) if "4096 tokens. That will do" in line)
    assert lines[place].startswith("  ! Context        ")
    assert lines[place + 1].strip() == "→ Start it again: OLLAMA_CONTEXT_LENGTH=8192 ollama serve"


def test_nothing_found_is_not_playable_and_says_how_to_begin(run: Run, plant: Plant) -> None:
    plant()
    ended = run("doctor")
    assert ended.code == 6
    assert "ollama pull gemma3:4b" in ended.out
    assert "hakoniwa play --model builtin" in ended.out


def test_the_named_server_is_tried_and_the_others_are_listed(
    run: Run, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", DEAD.url)
    benches = plant(HOME, AWAY, DEAD, findings=(FINE,))
    ended = run("doctor", "--base-url", AWAY.url)
    assert [one.server.url for one in benches] == [AWAY.url]
    assert HOME.url in ended.out
    assert "環境変数 OPENAI_BASE_URL: http://gone:1/v1 では何も動いていません" in ended.out


def test_a_named_model_is_looked_for_on_every_server(run: Run, plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", AWAY.url)
    benches = plant(HOME, AWAY, findings=(FINE,))
    assert run("doctor", "--model", "gemma3:12b").code == 0
    assert [(one.server.url, one.model.name) for one in benches] == [(HOME.url, "gemma3:12b")]
    assert run("doctor").code == 0
    assert benches[1].server.url == AWAY.url


def test_a_misspelt_model_is_not_tried(run: Run, plant: Plant) -> None:
    benches = plant(HOME)
    ended = run("doctor", "--model", "gema3:4b")
    assert (ended.code, benches) == (6, [])
    assert "もしかして: gemma3:4b" in ended.out
    assert "→ --model gemma3:4b と書く" in ended.out


def test_a_setting_that_rules_models_out_is_mentioned(run: Run, plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    benches = plant(HOME, findings=(FINE,))
    assert "model = builtin" not in run("doctor").out
    monkeypatch.setenv("HAKONIWA_MODEL", "builtin")
    assert "model = builtin" in run("doctor").out
    assert benches[1].model.name == "gemma3:4b"


def test_data_is_one_object_without_a_key_in_it(run: Run, plant: Plant) -> None:
    plant(HOME, findings=(FINE, SILENT))
    ended = run("doctor", "--json")
    data: dict[str, Any] = json.loads(ended.out)
    assert (ended.code, data["playable"], data["server"], data["model"]) == (6, False, HOME.url, "gemma3:4b")
    assert [(one["key"], one["grade"]) for one in data["findings"]][-2:] == [
        ("chat.ok", "ok"), ("thinking.silent", "problem"),
    ]  # fmt: skip
    assert data["findings"][-1]["fix"] == "考え込まないモデルに替える（たとえば ollama pull gemma3:4b）"
    assert "sesame" not in ended.out


def test_what_a_server_says_cannot_move_the_cursor(run: Run, plant: Plant) -> None:
    evil = at("http://127.0.0.1:1234/v1", "lmstudio", None, "usual", "\x1b[2Jgemma\u202e")
    refused = ProbeFinding(
        about="chat", grade="problem", key="chat.failed", details={"problem": "\x1b]0;x\x07"}, fix="chat"
    )
    plant(evil, findings=(refused,))
    out = run("doctor").out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", [*TITLES, "openai"])
def test_every_remedy_can_be_told_for_every_kind_of_server(kind: Kind, lang: str) -> None:
    details = {"right": "http://x/v1", "nearest": "gemma", "wanted": "gemma", "tokens": 1, "good": 2}
    model = OfferedModel(name="gemma")
    for fix in {key.split(".")[2] for key in catalogue(lang) if key.startswith("doctor.fix.")}:
        finding = ProbeFinding(about="chat", grade="warn", key="chat.empty", details=details, fix=fix)
        line = remedy(finding, HOME.model_copy(update={"kind": kind}), model, lang)
        assert line
        assert "\n" not in line


@pytest.mark.parametrize(
    ("came", "set_to", "tried", "kept"),
    [
        ({"two": (3, 900.0), "one": (3, 90.0)}, "auto", ["two"], "two"),
        ({"two": (1, 90.0), "one": (3, 900.0)}, "auto", ["two", "one"], "one"),
        ({"two": (2, 90.0), "one": (1, 9.0)}, "auto", ["two", "one"], "two"),
        ({"two": (2, 900.0), "one": (2, 90.0)}, "auto", ["two", "one"], "one"),
        ({"two": (0, 0.0), "one": (0, 0.0)}, "auto", ["two", "one"], None),  # it tells nothing
        ({"one": (3, 9.0), "two": (1, 90.0)}, "two", ["two"], None),  # what somebody has set is theirs
    ],
)
def test_two_calls_are_tried_before_one_and_what_plays_best_is_noted(
    came: dict[Phases, tuple[int, float]], set_to: Literal["auto", "two"], tried: list[Phases], kept: Phases | None,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    asked: list[Phases] = []

    async def played(_: ServerSearch, settings: Settings, language: str) -> tuple[int, float]:
        assert settings.phases != "auto"
        asked.append(settings.phases)
        return came[settings.phases]

    monkeypatch.setattr(doctor, "_play_prompts", played)
    settings = Settings(home=tmp_path, phases=set_to)
    doctor.play_form(ServerSearch(servers=(HOME,), server=HOME, model=HOME.models[0]), settings, "ja")
    assert asked == tried
    assert found_phases(settings) == ({HOME.models[0].name: kept} if kept else {})


def test_a_fault_is_told_in_the_users_words() -> None:
    finding = ProbeFinding(about="roles", grade="problem", key="unanswered", details={"problem": "timeout"}, fix="slow")
    assert finding_text(finding, "ja") == "答えが得られませんでした: 時間切れです"
    assert finding_text(finding, "en") == "No answer came: it took too long"
