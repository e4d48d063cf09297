"""The keys of a prompt: Escape, pressed by hand, is a key of its own and does not swallow what is typed next."""

from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

TOGETHER = 0.05  # seconds within which a terminal sends what belongs to one key, as with Alt or an arrow


def prompt_with(message: str, **options: Any) -> PromptSession[str]:
    """A prompt for lines of which some are commands."""
    prompt: PromptSession[str] = PromptSession(message, key_bindings=_slashes(), **options)
    prompt.app.ttimeoutlen = prompt.app.timeoutlen = TOGETHER
    return prompt


async def typed(prompt: PromptSession[str], **options: Any) -> str:
    """The next line as text that can be recorded: the prompt hands on bytes that are no UTF-8 as lone surrogates."""
    line = await prompt.prompt_async(**options)
    return line.encode("utf-8", "replace").decode("utf-8")


def _slashes() -> KeyBindings:
    """A slash is one even right after Escape, which elsewhere asks for completions."""
    keys = KeyBindings()

    @keys.add("escape", "/")
    def insert(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("/")

    return keys
