"""`hakoniwa autonomy`, and what `hakoniwa chat` tells of a life between exchanges."""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.cli.autonomy import reason_text
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelUnavailable
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.memory.store import Memories
from hakoniwa.messages import LANGUAGES, say
from tests.autonomy.cottage import Cottage, Line, Puppet, later
from tests.cli.conftest import Run

CHAT = "chat-mina"
TOLD = "きみに知らせたいことがあってね。うまくいったよ。"
HOUR = timedelta(hours=1)


def journal() -> SqlJournal:
    home = Path(os.environ["HAKONIWA_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    return SqlJournal(f"sqlite:///{home / 'journal.db'}")


def lived(*decisions: Line, voices: tuple[Line, ...] = (), hours: float = 2, ago: timedelta = 3 * HOUR) -> None:
    """A chat in which somebody said something a while ago, and what Mina has decided and said since."""
    with closing(journal()) as kept:
        puppet = Puppet(deliberate=decisions, autonomy_message_render=voices)
        cottage = Cottage({CHAT: puppet}, journal=kept)
        cottage.time = datetime.now(UTC) - ago
        home = cottage.home(CHAT, "main")
        home.doings.control("start", cottage.time)
        asyncio.run(_said(cottage, "行ってきます"))
        cottage.pass_time(hours * HOUR, timedelta(minutes=10))


async def _said(cottage: Cottage, text: str) -> None:
    async for _ in cottage.chat(CHAT).say(text):
        pass


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No vectors, and no hour of the day in which tests would go another way."""
    monkeypatch.setenv("HAKONIWA_EMBEDDER", "none")
    monkeypatch.setenv("HAKONIWA_QUIET_HOURS", "03:00-03:01")


@pytest.fixture
def chat() -> Iterator[str]:
    """A chat in which nothing was said, with a persona that only answers."""
    with closing(journal()) as kept:
        Cottage({CHAT: None}, journal=kept)
        yield CHAT


# --- letting it live -------------------------------------------------------------------------------------------------


def test_without_a_model_it_starts_and_says_clearly_what_is_missing(run: Run, chat: str) -> None:
    ended = run("autonomy", "start")
    assert ended.code == 0
    assert say("autonomy.started", "ja", name="ミナ", chat=chat) in ended.out
    assert say("autonomy.needs-model", "ja") in ended.err
    assert "doctor" in ended.err
    assert json.loads(run("autonomy", "status", "--json").out)["on"] is True


def test_a_model_that_is_named_and_away_is_no_reason_not_to_start(
    run: Run, chat: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise ModelUnavailable("find.silent", url="http://127.0.0.1:1/v1")

    monkeypatch.setattr("hakoniwa.cli.autonomy.model_of", away)
    assert say("autonomy.needs-model", "ja") in run("autonomy", "start").err
    assert json.loads(run("autonomy", "status", "--json").out)["on"] is True


def test_what_was_started_can_be_paused_resumed_and_stopped(run: Run, chat: str) -> None:
    shown: list[tuple[bool, bool, str | None]] = []
    for argv in (["start"], ["pause"], ["resume"], ["pause", "--for", "2h"], ["start"], ["stop"]):
        found = json.loads(run("autonomy", *argv, "--json").out)
        shown.append((found["on"], found["paused"], found["hindrance"]))
    assert shown == [
        (True, False, None), (True, True, "paused"), (True, False, None), (True, True, "paused"), (True, False, None),
        (False, False, "off"),
    ]  # fmt: skip


def test_a_pause_ends_when_it_was_said_to(run: Run, chat: str) -> None:
    run("autonomy", "start")
    found = json.loads(run("autonomy", "pause", "--for", "90m", "--json").out)
    lasts = datetime.fromisoformat(found["paused_until"]) - datetime.fromisoformat(found["now"])
    assert abs(lasts - timedelta(minutes=90)) < timedelta(minutes=1)
    run("autonomy", "clock", "--advance", "2h")
    assert json.loads(run("autonomy", "status", "--json").out)["paused"] is False


HINDRANCES: dict[str, tuple[list[list[str]], dict[str, str]]] = {
    "off": ([], {}),
    "paused": ([["start"], ["pause"]], {}),
    "calm": ([["start"]], {}),
    "quiet": ([["start"]], {"HAKONIWA_QUIET_HOURS": "00:00-23:59", "HAKONIWA_CALM_MINUTES": "0"}),
}


@pytest.mark.parametrize("name", HINDRANCES)
def test_what_stands_against_it_is_told_in_words(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lived(hours=0, ago=timedelta(0))
    run("autonomy", "stop")
    commands, settings = HINDRANCES[name]
    for key, value in settings.items():
        monkeypatch.setenv(key, value)
    for argv in commands:
        run("autonomy", *argv)
    for lang in LANGUAGES:
        assert say(f"autonomy.hindered.{name}", lang) in run("autonomy", "trigger", "--lang", lang).out


def test_while_the_user_talks_that_is_what_stands_against_it(run: Run, chat: str) -> None:
    run("autonomy", "start")
    with closing(journal()) as kept:
        Memories(kept).talking(CHAT, "main", datetime.now(UTC) + HOUR)
    assert say("autonomy.hindered.talking", "ja") in run("autonomy", "status").out


def test_what_was_asked_for_waits_with_its_note(run: Run, chat: str) -> None:
    run("autonomy", "start")
    assert say("autonomy.triggered", "ja", name="ミナ", chat=chat) in run("autonomy", "trigger", "--note", "天気").out
    assert "これから考えること: 頼まれたこと「天気」" in run("autonomy", "status").out


def test_of_many_plans_the_next_few_are_shown(run: Run) -> None:
    lived(*(later(30 + number, f"{number}番") for number in range(7)), hours=4)
    told = run("autonomy", "status").out
    assert [f"{number}番" in told for number in range(7)] == [True] * 5 + [False] * 2
    assert "ほか2件" in told


def test_the_clock_can_be_moved_on_and_back(run: Run, chat: str) -> None:
    assert "実際の時刻どおり" in run("autonomy", "clock").out
    assert "実際より1日と2時間進んでいます" in run("autonomy", "clock", "--advance", "26h").out
    assert json.loads(run("autonomy", "clock", "--json").out)["clock_ahead"] == 26 * 3600
    assert "実際の時刻どおり" in run("autonomy", "clock", "--reset").out


def test_a_chat_lives_by_its_own_clock(run: Run) -> None:
    lived(hours=0, ago=timedelta(0))
    run("autonomy", "clock", "--advance", "1d")
    run("chat", typed="ただいま\n")
    now = datetime.now(UTC)
    with closing(journal()) as kept:
        spoken = [row.event.payload["at"] for row in kept.lineage(CHAT, "main") if row.event.kind == "chat"]
    assert abs(datetime.fromisoformat(spoken[-1]) - now - timedelta(days=1)) < timedelta(minutes=5)


MISTAKES: list[tuple[list[str], int, str, Mapping[str, str]]] = [
    (["pause", "--for", "soon"], 2, "autonomy.bad-span", {"found": "soon"}),
    (["pause", "--for", "0h"], 2, "autonomy.bad-span", {"found": "0h"}),
    (["pause", "--for", "99999d"], 2, "autonomy.bad-span", {"found": "99999d"}),
    (["pause", "--until", "25:00"], 2, "autonomy.bad-time", {"found": "25:00"}),
    (["pause", "--until", "2020-01-01"], 2, "autonomy.not-to-come", {"found": "2020-01-01"}),
    (["pause", "--until", "18:00", "--for", "2h"], 2, "autonomy.until-or-for", {}),
    (["clock", "--advance", "-2h"], 2, "autonomy.bad-span", {"found": "-2h"}),
    (["digest", "--since", "neulich"], 2, "autonomy.bad-time", {"found": "neulich"}),
    (["trigger", "--note", "あ" * 401], 2, "autonomy.long-note", {"found": "401", "limit": "400"}),
    (["status", "--chat", "nowhere"], 3, "unknown.chat", {"name": "nowhere", "known": CHAT}),
    (["start", "--branch", "nowhere"], 3, "unknown.branch", {"name": "nowhere", "known": "main"}),
]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("argv", "code", "key", "details"), MISTAKES, ids=lambda one: str(one)[:40])
def test_what_cannot_be_is_told_and_changes_nothing(
    run: Run, chat: str, argv: list[str], code: int, key: str, details: Mapping[str, str], lang: str
) -> None:
    ended = run("autonomy", *argv, "--lang", lang)
    assert ended.code == code
    assert say(f"error.{key}", lang, **details) in ended.err
    with closing(journal()) as kept:
        assert kept.lineage(CHAT, "main") == []


def test_without_a_chat_there_is_nobody_to_live(run: Run) -> None:
    assert run("autonomy", "status").code == 3


# --- what it did -----------------------------------------------------------------------------------------------------


def test_a_digest_has_the_personas_words_and_what_it_said_nothing_of(run: Run) -> None:
    lived(later(30, "店番のこと"), later(30, "時計のこと", on_complete="activity_only"))
    lines = run("autonomy", "digest").out.splitlines()
    assert lines[0].startswith("ミナがしていたこと（")
    assert lines[1].endswith(f"ミナ {TOLD}")
    assert lines[2] == "  覚え書き「店番のこと」：うまくいきました"
    assert lines[3] == say("autonomy.digest.unspoken", "ja")
    assert lines[4].endswith("覚え書き「時計のこと」：うまくいきました")
    assert lines[5].startswith("何をするか考えたのは")
    assert len(lines) == 6


def test_a_digest_reaches_back_as_far_as_asked(run: Run) -> None:
    lived(later(30, "店番のこと"))
    assert TOLD in run("autonomy", "digest", "--since", "1d").out
    assert "何もしていません。" in run("autonomy", "digest", "--since", "1m").out
    found = json.loads(run("autonomy", "digest", "--json").out)
    assert [(one["message"], one["delivery_mode"]) for one in found["deeds"]] == [(TOLD, "chat")]


def test_why_tells_what_set_it_off_what_was_decided_and_what_came_of_it(run: Run) -> None:
    lived(later(30, "店番のこと"), hours=0.3)
    told = run("autonomy", "why").out.splitlines()
    assert told[0].startswith("■ ")
    assert "きっかけ: 話したこと" in told[0]
    assert "覚え書き" in told[1].removeprefix("  できること: ").split("、")
    assert told[2:] == [
        "  結論: する（覚え書き、確かさ 60%）",
        "  理由: 今はいい",
        "  人柄: のんびり（おだやか、見守りたい）",
        "  気分: 落ち着いている（快 +0.10、高ぶり +0.00、自信 +0.00）",
        "  結果: うまくいきました",
        f"  伝えた言葉: {TOLD}",
    ]


UNTOLD: dict[str, tuple[dict[str, Any], tuple[Line, ...], str]] = {
    "as it had decided": (later(30, "あ", on_complete="silent"), (), "言わないでおくと決めていました。"),
    "a voice that failed": (later(30, "あ"), ("# 報告", "# 報告"), "話し言葉になっていなかった"),
    "a server that is away": (
        later(30, "あ"), (ModelUnavailable("model.refused", server="http://127.0.0.1:1/v1"),) * 2,
        "言語モデルから使える答えが得られませんでした（model.refused）。",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNTOLD)
def test_why_nothing_was_said_is_told_in_words(run: Run, name: str) -> None:
    decision, voices, words = UNTOLD[name]
    lived(decision, voices=voices, hours=0.3)
    (line,) = (one for one in run("autonomy", "why").out.splitlines() if "伝えなかったわけ" in one)
    assert words in line


def test_a_voice_that_failed_is_in_the_log_of_autonomy(run: Run) -> None:
    decision, voices, words = UNTOLD["a voice that failed"]
    lived(decision, voices=voices, hours=0.3)
    (line,) = run("logs", "autonomy").out.splitlines()
    assert words in line
    (entry,) = json.loads(run("logs", "autonomy", "--json").out)["entries"]
    assert (entry["phase"], bool(entry["warning"])) == ("voice", True)


def test_an_untroubled_life_has_an_empty_log(run: Run, chat: str) -> None:
    assert run("logs", "autonomy").out == say("logs.no-warning", "ja") + "\n"


def test_why_nothing_was_done_is_told_in_words(run: Run) -> None:
    lived(later(30, "店番のこと"), later(30, "店番のこと"), ModelUnavailable("model.refused", server="x"), hours=1.8)
    dropped = [one for one in run("autonomy", "why").out.splitlines() if "取りやめ" in one]
    assert dropped == [
        f"  取りやめ: {say('autonomy.unsaid.lately-done', 'ja')}",
        f"  取りやめ: {say('autonomy.unsaid.model', 'ja', key='model.refused')}",
    ]


def test_before_anything_was_thought_about_there_is_no_why(run: Run, chat: str) -> None:
    assert say("autonomy.why.none", "ja") in run("autonomy", "why").out
    assert json.loads(run("autonomy", "why", "--json").out) == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "key",
    ["autonomy.no-model", "autonomy.forgotten", "autonomy.under-way", "autonomy.lately-done", "autonomy.messages-spent",
     "autonomy.flow-failed", "ghost.voice-echo", "ghost.bad-decision", "model.stalled", "model.wrong-language"],
)  # fmt: skip
def test_every_reason_has_words(key: str, lang: str) -> None:
    told = reason_text(Terminal(lang), key)
    assert told
    assert "{" not in told


# --- in a talk -------------------------------------------------------------------------------------------------------


def test_a_talk_begins_with_what_was_done_and_tells_no_message_twice(run: Run) -> None:
    lived(later(30, "店番のこと"), later(30, "時計のこと", on_complete="activity_only"))
    out = run("chat").out
    assert say("autonomy.away.some", "ja", count=2, told=1) in out
    assert "覚え書き「時計のこと」：うまくいきました" in out
    assert "店番のこと" not in out
    assert out.count(TOLD) == 1
    assert out.index("> 行ってきます") < out.index(TOLD)


def test_every_message_since_is_shown_even_if_there_are_many(run: Run) -> None:
    lived(*(later(30, f"{number}番") for number in range(5)), voices=[f"{number}回目だよ。" for number in range(5)])
    out = run("chat").out
    assert [out.count(f"ミナ {number}回目だよ。") for number in range(5)] == [1] * 5
    assert "> 行ってきます" in out


def test_a_notice_is_told_apart_and_still_the_personas(run: Run) -> None:
    lived(later(30, "店番のこと", on_complete="notify"))
    assert f"ミナ （お知らせ）{TOLD}" in run("chat").out


def test_once_something_was_said_it_is_no_longer_told(run: Run) -> None:
    lived(later(30, "店番のこと"))
    run("chat", typed="ただいま\n")
    assert "件のことをしていました" not in run("chat").out


COMMANDS = {
    "/away": "  覚え書き「店番のこと」：うまくいきました",
    "/pause": "ミナを休ませました",
    "/pause 2h": "ミナを休ませました",
    "/pause 2026-99-99": "時刻として読めません",
    "/resume": "ミナの休みを終えました",
    "/help": "/away　話していないあいだに何をしたか",
}


def test_a_talk_has_commands_for_it(run: Run) -> None:
    lived(later(30, "店番のこと"))
    ended = run("chat", typed="".join(f"{command}\n" for command in COMMANDS))
    assert ended.code == 0
    left = ended.out
    for command, words in COMMANDS.items():
        before, found, left = left.partition(words)
        assert found, f"{command}: {before}"


def test_what_is_said_meanwhile_is_shown_once_and_the_talk_goes_on_after_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(hours=0, ago=timedelta(hours=3))
    happened: list[int] = []

    async def worked(*_: Any) -> int:
        """While the user thinks about the next line, the persona does something by itself in another process."""
        if not happened:
            happened.append(1)
            await asyncio.to_thread(lived_on)
        return 0

    def lived_on() -> None:
        with closing(journal()) as kept:
            cottage = Cottage({CHAT: Puppet(deliberate=[later(30, "店番のこと")])}, journal=kept)
            cottage.time = datetime.now(UTC)
            cottage.pass_time(timedelta(minutes=40), timedelta(minutes=10))

    monkeypatch.setattr("hakoniwa.cli.live.chat_loop.work_off", worked)
    out = run("chat", typed="ただいま\n/undo\nなにしてた？\n").out
    assert out.count(TOLD) == 1
    assert out.index("ミナ そうなんだ。") < out.index(TOLD)
    assert out.rindex("ミナ そうなんだ。") > out.index(TOLD)
    assert "いまは2往復目まで" in out
