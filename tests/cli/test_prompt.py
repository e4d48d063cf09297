"""The prompt: what Tab offers, and the line at the bottom."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from hakoniwa.app import new_session
from hakoniwa.cli.live import play_loop
from hakoniwa.cli.live.input_queue import InputQueue, InputSignal
from hakoniwa.cli.live.play_loop import commands
from hakoniwa.cli.live.prompt import Completions, prompt_with, toolbar
from hakoniwa.cli.live.show import LiveShow, ShowPace
from hakoniwa.cli.printer import PlayPrinter
from hakoniwa.cli.terminal import Terminal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.loop import next_turn

PATIENCE = 60.0
BY_HAND = 0.3  # seconds between two keys


@pytest.fixture
def show(box: Path) -> Iterator[LiveShow]:
    session = new_session(MemoryJournal(), str(box), seed=0)
    terminal = Terminal("ja")
    yield LiveShow(session, terminal, PlayPrinter(terminal, session), ShowPace(1.2))
    session.close()


def offered(show: LiveShow, typed: str) -> list[str]:
    return [one.text for one in Completions(show).get_completions(Document(typed), CompleteEvent())]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/un", ["undo ", "unmute ", "unpin "]),
        ("/s", ["save ", "speed ", "step "]),
        ("/as ", ["楓", "蓬"]),
        ("/as 楓 ", []),
        ("/act 楓 窓", ["OPEN: 窓", "INSPECT: 窓"]),
        ("/ring ", ["風"]),
        ("/drop 鈴 ", ["部屋", "庭", "窓", "箱"]),
        ("/nothing ", []),
        ("やあ", []),
    ],
)
def test_tab_offers_what_fits(show: LiveShow, typed: str, expected: list[str]) -> None:
    assert offered(show, typed) == expected


async def typed(*parts: str, by_hand: bool) -> str:
    """The line a prompt hands on when these keys are pressed: by hand each is over and done with before the next."""
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        prompt = prompt_with("> ")
        assert (prompt.app.ttimeoutlen or 0) + (prompt.app.timeoutlen or 0) < BY_HAND
        line, keys, pressed = asyncio.ensure_future(prompt.prompt_async()), prompt.app.key_processor, asyncio.Event()
        keys.after_key_press += lambda _: pressed.set()
        async with asyncio.timeout(PATIENCE):
            for part in parts:
                pressed.clear()
                keyboard.send_text(part)
                while by_hand and (not pressed.is_set() or keys.key_buffer):  # what has come may begin a longer key
                    await asyncio.sleep(0.01)
            return await line


@pytest.mark.parametrize("by_hand", [False, True])
def test_escape_before_a_command_leaves_it_one(by_hand: bool) -> None:
    assert asyncio.run(typed("\x1b", "/who", "\r", by_hand=by_hand)) == "/who"


def test_escape_swallows_nothing_and_alt_is_still_alt() -> None:
    assert asyncio.run(typed("\x1b", "dance", "\r", by_hand=True)) == "dance"
    assert asyncio.run(typed("open the window", "\x1bb", "big ", "\r", by_hand=True)) == "open the big window"
    assert asyncio.run(typed("tea", "\x1b[D", "!", "\r", by_hand=True)) == "te!a"


def test_every_command_can_be_reached_by_tab(show: LiveShow) -> None:
    assert offered(show, "/") == [f"{name} " for name in commands]


def test_the_bottom_line_tells_how_things_stand(show: LiveShow) -> None:
    assert toolbar(show) == " 1.2秒ごと │ 朝 │ 部屋"
    show.pace.pause()
    assert toolbar(show) == " 停止中 │ 朝 │ 部屋"


def test_a_pace_waits_steps_and_stops() -> None:
    pace = ShowPace(seconds=500.0, turns=3)
    assert pace.wait() == 0.0
    pace.turned()
    assert 400.0 < (pace.wait() or 0.0) <= 500.0
    pace.pause()
    assert pace.wait() is None
    pace.steps = 2
    assert pace.wait() == 0.0
    pace.turned()
    pace.turned()
    assert (pace.wait(), pace.turns, pace.played) == (None, 0, 3)


async def interrupted(show: LiveShow, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """One turn with an interrupt before it thinks, or when it is written and about to end."""
    ear = InputQueue()

    async def turn(show: LiveShow) -> None:
        if when == "before":
            ear.hear(InputSignal.INTERRUPTED)
            await asyncio.sleep(0)
        await next_turn(show.session)
        ear.hear(InputSignal.INTERRUPTED)

    monkeypatch.setattr(play_loop, "_turn", turn)
    await show.session.open()
    await play_loop._advance(show, ear)


@pytest.mark.parametrize(("when", "said"), [("before", "このターンは取りやめました"), ("written", "停止しました")])
def test_an_interrupt_is_never_lost(
    show: LiveShow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], when: str, said: str
) -> None:
    asyncio.run(interrupted(show, monkeypatch, when))

    assert show.pace.paused
    assert said in capsys.readouterr().out
