"""The prompt at the bottom of the screen, and its keys; it stays there while the play scrolls by above it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle

from hakoniwa.cli.live.commands import COMMANDS
from hakoniwa.cli.live.input_queue import InputQueue, InputSignal, on_interrupt
from hakoniwa.cli.live.show import LiveShow
from hakoniwa.cli.printer import state_line
from hakoniwa.stage.world import story_name

TOGETHER = 0.05  # seconds within which a terminal sends what belongs to one key, as with Alt or an arrow


def prompt_with(message: str, **options: Any) -> PromptSession[str]:
    """A prompt for lines of which some are commands."""
    prompt: PromptSession[str] = PromptSession(message, key_bindings=_slash_bindings(), **options)
    prompt.app.ttimeoutlen = prompt.app.timeoutlen = TOGETHER
    return prompt


async def read_line(prompt: PromptSession[str], **options: Any) -> str:
    """The next line as text that can be recorded: the prompt hands on bytes that are no UTF-8 as lone surrogates."""
    line = await prompt.prompt_async(**options)
    return line.encode("utf-8", "replace").decode("utf-8")


def _slash_bindings() -> KeyBindings:
    """A slash is one even right after Escape, which elsewhere asks for completions."""
    keys = KeyBindings()

    @keys.add("escape", "/")
    def insert(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("/")

    return keys


REFRESH, HEARD = 0.5, 60


class Completions(Completer):
    """Commands, names and acts, as far as they can be guessed."""

    def __init__(self, show: LiveShow) -> None:
        self.show = show

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        if not text.startswith("/"):
            return
        name, gap, rest = text[1:].partition(" ")
        if not gap:
            fitting = (one for one in sorted(COMMANDS) if one.startswith(name))
            yield from (Completion(f"{one} ", -len(name), display=f"/{one}") for one in fitting)
            return
        if name in COMMANDS:
            word = rest.rpartition(" ")[2]
            for one in COMMANDS[name].complete(self.show, rest):
                if word in one:
                    yield Completion(one, -len(word))


@asynccontextmanager
async def prompting(show: LiveShow, ear: InputQueue) -> AsyncIterator[None]:
    """Keep a prompt at the bottom and hand on what is typed."""
    prompt = prompt_with(
        show.say("play.prompt"),
        completer=Completions(show),
        complete_while_typing=False,
        complete_style=CompleteStyle.MULTI_COLUMN,
        bottom_toolbar=lambda: toolbar(show),
        refresh_interval=REFRESH,
        reserve_space_for_menu=4,
        erase_when_done=True,
    )
    # Ctrl-C comes as a signal, and not as a key, while something is printed.
    with patch_stdout(raw=True), on_interrupt(lambda: ear.hear(InputSignal.INTERRUPTED)):
        task = asyncio.create_task(_converse(prompt, ear))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _converse(prompt: PromptSession[str], ear: InputQueue) -> None:
    while True:
        try:
            ear.hear(await read_line(prompt, handle_sigint=False))
        except KeyboardInterrupt:
            ear.hear(InputSignal.INTERRUPTED)
        except EOFError:
            ear.hear(InputSignal.CLOSED)
            return


def speaking_line(show: LiveShow) -> str:
    """Who is at it, in which phase and take, for how long, and the words as far as they have come."""
    draft = show.overheard.draft
    who, key = story_name(show.session.world, draft.who or ""), f"play.phase.{draft.phase or 'think'}"
    state = show.say(key, who=who, seconds=show.overheard.seconds, take=draft.take)
    return f"{state} │ {' '.join(draft.text.split())[-HEARD:]}" if draft.text else state


def toolbar(show: LiveShow) -> str:
    """The state of the garden in one line: pace, time, place, weather, who holds what."""
    pace, session = show.pace, show.session
    if session.standing.ended:
        state = show.say("play.ended")
    elif show.overheard.draft.who:
        return f" {speaking_line(show)}"
    elif pace.paused:
        state = show.say("play.paused")
    else:
        state = show.say("play.running", speed=f"{pace.seconds:g}")
    return f" {state} │ {state_line(session.world)}"
