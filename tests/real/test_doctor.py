"""The doctor on real sockets: each planted misconfiguration is named with what to do; of a healthy server, none."""

import json
import socket
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from hakoniwa.app.doctor import choose, diagnose
from hakoniwa.cli import run
from hakoniwa.cli.doctor import finding_text, remedy
from hakoniwa.llm.bench import ProbeFinding
from hakoniwa.llm.find import ServerSearch
from hakoniwa.llm.probe import BRISK, STREAM_NOTICED
from hakoniwa.settings import load
from tests.page.served import free_port
from tests.real.gemma import gemma
from tests.real.planted import Habits, planted

PATIENCE = 120.0
KINDS = ("ollama", "lmstudio", "llamacpp", "vllm", "openai")


@pytest.fixture(autouse=True)
def only_what_is_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server of the machine the tests run on, and nothing that this machine is blamed for when it is busy."""
    monkeypatch.setattr("hakoniwa.llm.find.USUAL", {})
    for name in ("find.PATIENCE", "bench.PATIENCE", "probe.STREAM_SECONDS", "probe.STREAM_NOTICED"):
        monkeypatch.setattr(f"hakoniwa.llm.{name}", PATIENCE)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OLLAMA_HOST", "HAKONIWA_MODEL"):
        monkeypatch.delenv(name, raising=False)


@dataclass(frozen=True)
class Case:
    """A misconfiguration: the server's, or the user's; what is said of it, and words of the line that mends it."""

    key: str
    habits: Habits = field(default_factory=Habits)
    flags: dict[str, str] = field(default_factory=dict)
    path: str = "/v1"
    fix: str = ""
    ja: str = ""
    en: str = ""
    besides: tuple[str, ...] = ()
    brisk: float = BRISK  # seconds that a turn may take
    noticed: float = PATIENCE  # seconds that words may take which come all at once


CASES = {
    "the address lacks /v1": Case(
        "reach.no-v1", path="", fix="--base-url {root}/v1", ja="/v1 が抜けて", en="lacks /v1"
    ),
    "no key where one is asked for": Case(
        "reach.key", Habits(key="sesame"), fix="HAKONIWA_API_KEY", ja="APIキーを求めて", en="asks for an API key"
    ),
    "the wrong key": Case(
        "reach.key-refused", Habits(key="sesame"), {"api_key": "open"},
        fix="HAKONIWA_API_KEY", ja="受けつけません", en="not accept",
    ),
    "a login page": Case(
        "reach.web-page", Habits(login=True), fix="--base-url http", ja="ログイン画面", en="a login page"
    ),
    "another server's address": Case(
        "reach.not-found", Habits(prefix="/elsewhere"), fix="--base-url http", ja="404", en="404"
    ),
    "a model's name misspelt": Case(
        "model.nearest", flags={"model": "gema-3-4b"}, fix="--model gemma-3-4b-it",
        ja="もしかして: gemma-3-4b-it", en="Did you mean: gemma-3-4b-it",
    ),
    "no model at all": Case(
        "model.none", Habits(kind="ollama", models=()), fix="ollama pull gemma3:4b",
        ja="モデルがありません", en="no model",
    ),
    "a context far too small": Case(
        "context.small", Habits(context=1024), fix="-c 8192", ja="1024トークンしか", en="Only 1024"
    ),
    "Ollama's default context": Case(
        "context.short", Habits(kind="ollama", context=4096), fix="OLLAMA_CONTEXT_LENGTH=8192 ollama serve",
        ja="4096トークンです", en="4096 tokens",
    ),
    "an older Ollama that cuts long prompts": Case(
        "front.cut", Habits(kind="ollama", context=2048, tells_context=False, refuses_long=False),
        fix="OLLAMA_CONTEXT_LENGTH=8192 ollama serve", ja="黙って切り捨てられます", en="silently cut off",
        besides=("context.short",),
    ),
    "long prompts cut at the front": Case(
        "front.cut", Habits(kind="openai", context=2048, refuses_long=False), fix="8192",
        ja="黙って切り捨てられます", en="silently cut off",
    ),
    "long prompts cut, nothing counted": Case(
        "front.lost", Habits(kind="openai", context=2048, refuses_long=False, counts=False), fix="8192",
        ja="先頭が届いていません", en="does not arrive", besides=("usage.missing",),
    ),
    "a schema that is ignored": Case(
        "schema.ignored", Habits(obeys_schema=False), fix="acts = free|acts at free",
        ja="形を守りません", en="ignores the form",
    ),
    "a stream that comes all at once": Case(
        "stream.buffered", Habits(streams=False, token_seconds=0.02), fix="proxy_buffering off",
        ja="一度に届きます", en="all at once", noticed=STREAM_NOTICED,
    ),
    "a model that only thinks": Case(
        "thinking.silent", Habits(thinks=True), fix="--reasoning-budget 0", ja="何も話しません", en="said nothing"
    ),
    "an answer in English": Case(
        "language.other", Habits(greeting="The leaves are swaying."), fix="Gemma 3",
        ja="別の言語", en="another language",
    ),
    "a base model": Case(
        "chat.echo", Habits(greeting="こんにちは。今日の庭のようすを、日本語の短い一文で教えてください。"),
        fix="instruct", ja="繰り返します", en="repeats",
    ),
    "no prompt cache": Case(
        "cache.off", Habits(caches=False), fix="--swa-full", ja="読み直しています", en="all over again"
    ),
    "no prompt cache, by the clock": Case(
        "cache.off", Habits(kind="vllm", caches=False, counts_cache=False, reading_seconds=0.0002),
        fix="--enable-prefix-caching", ja="読み直しています", en="all over again",
    ),
    "turns that are refused": Case(
        "roles.refused", Habits(takes_turns=False), fix="--jinja",
        ja="交互に並べると断られます", en="refuses user and model",
    ),
    "a template without a system role": Case(
        "system.refused", Habits(takes_system=False), fix="system", ja="受け取りません", en="takes no system message"
    ),
    "a model that cannot play": Case(
        "form.broken", Habits(plays=False), fix="4B", ja="3回中0回", en="0 of 3"
    ),
    "a limit that is ignored": Case(
        "limit.ignored", Habits(obeys_limit=False), fix="max_tokens", ja="守りません", en="ignores max_tokens"
    ),
    "tokens that are not counted": Case(
        "usage.missing", Habits(counts=False), fix="include_usage", ja="トークンの数が付きません", en="do not tell"
    ),
    "a model that is very slow": Case(
        "speed.slow", Habits(token_seconds=0.02), fix="-ngl 99", ja="遅い", en="Slow", brisk=3.0
    ),
}  # fmt: skip


def diagnosis(url: str, **flags: str) -> tuple[ServerSearch, list[ProbeFinding]]:
    settings, _ = load({"base_url": url, **flags})
    chosen = choose(settings)
    return chosen, list(diagnose(chosen, settings))


def wrong(findings: list[ProbeFinding]) -> list[ProbeFinding]:
    return [one for one in findings if one.grade in ("warn", "problem")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_healthy_server_gives_no_cause_for_concern(kind: str) -> None:
    with planted(Habits(kind=kind)) as root:
        _, findings = diagnosis(f"{root}/v1")
    assert wrong(findings) == []
    assert [one.about for one in findings] == [
        "reach", "model", "chat", "thinking", "language", "roles", "system", "schema", "stream", "limit", "usage",
        "speed", "context", "front", "cache", "embeddings", "form",
    ]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_misconfiguration_is_named_with_what_to_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    monkeypatch.setattr("hakoniwa.llm.probe.BRISK", case.brisk)
    monkeypatch.setattr("hakoniwa.llm.probe.STREAM_NOTICED", case.noticed)
    with planted(case.habits) as root:
        chosen, findings = diagnosis(root + case.path, **case.flags)
    assert [one.key for one in wrong(findings)] == [*case.besides, case.key]
    finding = wrong(findings)[-1]
    for lang, words in (("ja", case.ja), ("en", case.en)):
        assert words in finding_text(finding, lang)
        fix = remedy(finding, chosen.server, chosen.model, lang)
        assert "\n" not in fix
        assert any(one in fix for one in case.fix.format(root=root).split("|"))


def test_a_wrong_port_is_named_and_so_is_a_server_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = f"http://127.0.0.1:{free_port()}/v1"
    chosen, (finding,) = diagnosis(closed)
    assert finding.key == "reach.refused"
    assert "--base-url" in remedy(finding, chosen.server, None, "en")
    with planted(Habits()) as root:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{root}/v1")
        chosen, (finding,) = diagnosis(closed)
        for lang in ("ja", "en"):
            assert f"--base-url {root}/v1" in remedy(finding, chosen.server, None, lang)


def test_the_schema_is_needed_where_acts_are_chosen() -> None:
    with planted(Habits(obeys_schema=False)) as root:
        _, findings = diagnosis(f"{root}/v1", acts="choose")
    assert [(one.key, one.grade) for one in wrong(findings)] == [("schema.ignored", "problem")]


def test_japanese_is_only_missed_by_those_who_play_in_it() -> None:
    with planted(Habits(greeting="The leaves are moving in the wind.")) as root:
        settings, _ = load({"base_url": f"{root}/v1"})
        graded = {lang: next(one.grade for one in diagnose(choose(settings), settings, language=lang)
                             if one.about == "language") for lang in ("ja", "en")}  # fmt: skip
    assert graded == {"ja": "problem", "en": "warn"}


def test_a_slow_server_on_this_machine_is_a_matter_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hakoniwa.llm.probe.BRISK", 0.0)
    with planted(Habits()) as root:
        _, findings = diagnosis(f"{root}/v1")
    (finding,) = [one for one in findings if one.about == "threads"]
    assert "--threads" in finding_text(finding, "en")


def test_a_cache_is_seen_by_the_clock_where_it_is_not_counted() -> None:
    with planted(Habits(counts_cache=False, reading_seconds=0.0002)) as root:
        _, findings = diagnosis(f"{root}/v1")
    assert wrong(findings) == []
    assert "cache.timed" in [one.key for one in findings]


@pytest.mark.pace
def test_nobody_at_home_is_found_out_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hakoniwa.llm.find.USUAL", {kind: free_port() for kind in KINDS})

    def looked() -> float:
        started = time.monotonic()
        chosen = choose(load({})[0])
        assert [one.trouble for one in chosen.servers] == ["refused"] * len(KINDS)
        return time.monotonic() - started

    assert min(looked() for _ in range(5)) < 0.5


def test_what_is_no_model_server_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with planted(Habits(login=True)) as login, planted(Habits(kind="ollama")) as root:
        ports = {"llamacpp": int(login.rsplit(":")[-1]), "ollama": int(root.rsplit(":")[-1]), "vllm": free_port()}
        monkeypatch.setattr("hakoniwa.llm.find.USUAL", ports)
        chosen = choose(load({})[0])
    assert [one.trouble for one in chosen.servers] == ["web-page", None, "refused"]
    assert chosen.server is not None
    assert (chosen.server.kind, chosen.server.url) == ("ollama", f"{root}/v1")


def test_a_port_that_keeps_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hakoniwa.llm.find.PATIENCE", 0.5)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        _, (finding,) = diagnosis(f"http://127.0.0.1:{sock.getsockname()[1]}/v1")
    assert finding.key == "reach.timeout"


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(words)
    return code, *capsys.readouterr()


@pytest.mark.parametrize(("lang", "verdict"), [("ja", "遊べます。"), ("en", "Ready to play.")])
def test_the_command_ends_well_with_a_server_that_is(
    lang: str, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with planted(Habits(kind="ollama")) as root:
        code, out, err = command(capsys, "doctor", "--base-url", f"{root}/v1", "--lang", lang)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == verdict
    assert f"{root}/v1" in out


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_command_says_how_to_play_all_the_same(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    with planted(Habits(thinks=True)) as root:
        code, out, _ = command(capsys, "doctor", "--base-url", f"{root}/v1", "--lang", lang)
    assert code == 6
    assert "hakoniwa play --model builtin" in out.splitlines()[-1]


def test_data_is_data_and_keeps_the_key_to_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAKONIWA_API_KEY", "sesame-street")
    with planted(Habits(key="sesame-street")) as root:
        code, out, err = command(capsys, "doctor", "--base-url", f"{root}/v1", "--json")
    data: dict[str, Any] = json.loads(out)
    assert (code, data["playable"], data["model"]) == (0, True, "gemma-3-4b-it")
    assert {"about", "grade", "key", "told", "fix"} <= set(data["findings"][0])
    assert "sesame" not in out + err


@pytest.mark.long
def test_a_real_model_is_tried_from_end_to_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bench.PATIENCE", "probe.STREAM_SECONDS", "probe.LENGTH_SECONDS"):
        monkeypatch.setattr(f"hakoniwa.llm.{name}", PATIENCE)  # others may be using this machine
    for name, less in {"TALK_TOKENS": 12, "SHORT": 8}.items():
        monkeypatch.setattr(f"hakoniwa.llm.probe.{name}", less)
    with gemma(context=768) as url:
        code, out, _ = command(capsys, "doctor", "--base-url", url, "--json", "--lang", "ja")
    data: dict[str, Any] = json.loads(out)
    found = {one["about"]: one for one in data["findings"]}
    assert (code, data["playable"]) == (6, False)
    assert found["context"]["key"] == "context.small"
    assert (found["context"]["details"]["tokens"], "-c 8192" in found["context"]["fix"]) == (768, True)
    fine = ("reach", "model", "roles", "schema", "stream", "limit", "usage", "cache")
    assert [about for about in fine if found[about]["grade"] != "ok"] == []
    assert found["cache"]["details"]["percent"] > 80
