"""What a persona says and does of its own accord, beside the talk with it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import takewhile

from rich.text import Text

from hakoniwa.cli.away import greeting, message, page
from hakoniwa.cli.spans import coming, read_span
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import JournalError
from hakoniwa.ghost.autonomy.digest import Digest, away_since, digest
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.rows import Act, Said

LISTENS = 1.0  # seconds between looks whether the persona has said something
A_DAY = timedelta(days=1)


class Unasked:
    """The doings of one persona, put before the user once each."""

    def __init__(
        self,
        terminal: Terminal,
        name: str,
        doings: Doings,
        now: Callable[[], datetime],
        show: Callable[[Text], None],
    ) -> None:
        self.terminal, self.name, self.doings, self.now, self.show = terminal, name, doings, now, show
        self.newest = next((seq for seq, _ in doings.of(Said)), 0)

    def greet(self) -> int:
        """Tell in short what was done since the user last said something; how often the persona spoke of it."""
        since = self._digest()
        for line in greeting(self.terminal, since):
            self.show(Text(line, "dim"))
        return sum(1 for one in since.deeds if one.message is not None)

    async def listen(self) -> None:
        """Show what the persona says while the user has the word, whichever process made it say so."""
        while True:
            with suppress(JournalError):  # busy just now: it is there to be read a moment later
                await asyncio.to_thread(self.hear)
            await asyncio.sleep(LISTENS)

    def hear(self) -> None:
        """Show what was said and not yet shown."""
        new = list(takewhile(lambda pair: pair[0] > self.newest, self.doings.follow().of(Said)))
        for self.newest, said in reversed(new):
            self.tell(said)

    def said(self, seq: int) -> Said | None:
        """What the persona said of its own accord in a row, if it did."""
        what = self.doings.read(seq)
        return what if isinstance(what, Said) else None

    def tell(self, said: Said) -> None:
        self.show(message(self.terminal, self.name, said.assistant_text, said.delivery_mode, said.at))

    def _digest(self) -> Digest:
        now = self.now()
        return digest(self.doings.follow(), away_since(self.doings, now - A_DAY), now)

    # --- commands ---

    async def away(self, _: str) -> None:
        """What was done since the user last said something, in full."""
        for line in page(self.terminal, self.name, await asyncio.to_thread(self._digest)):
            self.show(line)

    async def pause(self, words: str) -> None:
        """Have the persona rest, for a while, until some time, or until told to go on."""
        now, length = self.now(), read_span(words)
        await self._control("pause", now + length if length else coming(words, now) if words else None)

    async def resume(self, _: str) -> None:
        await self._control("resume")

    async def _control(self, act: Act, until: datetime | None = None) -> None:
        await asyncio.to_thread(self.doings.control, act, self.now(), until)
        self.show(Text(self.terminal.say(f"autonomy.{act}d", name=self.name, chat=self.doings.garden), "dim"))
