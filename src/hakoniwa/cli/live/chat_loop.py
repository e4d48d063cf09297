"""A conversation with one persona in the terminal, line by line, and what the persona says of its own accord."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, closing, suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from prompt_toolkit.patch_stdout import patch_stdout
from rich.text import Text

from hakoniwa.app import journal_of, model_of
from hakoniwa.app.autonomy import autonomy_log_of
from hakoniwa.app.chats import chat_of, choose_chat
from hakoniwa.app.memory_inspection import search
from hakoniwa.app.user_files import UserFiles
from hakoniwa.app.user_personas import UserPersonas
from hakoniwa.autonomy.inspect import Digest, away_since, build_digest
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.chat.autonomy_rows import ControlAct, MessageRow
from hakoniwa.chat.chat import Chat
from hakoniwa.cli.autonomy import future_time, greeting, message, page, read_span
from hakoniwa.cli.complaint import error_in_words, nearest_name
from hakoniwa.cli.live.input_queue import on_interrupt
from hakoniwa.cli.live.prompt import prompt_with, read_line
from hakoniwa.cli.memory import attention_targets, mood_lines, shorten
from hakoniwa.cli.screen import Screen, printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, JournalError, UnknownName, UsageError
from hakoniwa.llm.ledger import Ledger
from hakoniwa.memory.embedding.filling import BATCH, EmbeddingProgress
from hakoniwa.memory.work import embed, work_off
from hakoniwa.messages import format_time
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.mood import feeling_at
from hakoniwa.settings import Settings

LISTENS = 1.0  # seconds between looks whether the persona has said something
A_DAY = timedelta(days=1)


class AutonomyFeed:
    """The doings of one persona, put before the user once each."""

    def __init__(
        self,
        terminal: Terminal,
        name: str,
        doings: AutonomyLog,
        now: Callable[[], datetime],
        show: Callable[[Text], None],
    ) -> None:
        self.terminal, self.name, self.doings, self.now, self.show = terminal, name, doings, now, show
        self.newest = next((seq for seq, _ in doings.of(MessageRow)), 0)

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
        new = list(takewhile(lambda pair: pair[0] > self.newest, self.doings.follow().of(MessageRow)))
        for self.newest, said in reversed(new):
            self.tell(said)

    def said(self, seq: int) -> MessageRow | None:
        """What the persona said of its own accord in a row, if it did."""
        what = self.doings.read(seq)
        return what if isinstance(what, MessageRow) else None

    def tell(self, said: MessageRow) -> None:
        self.show(message(self.terminal, self.name, said.assistant_text, said.delivery_mode, said.at))

    def _digest(self) -> Digest:
        now = self.now()
        return build_digest(self.doings.follow(), away_since(self.doings, now - A_DAY), now)

    # --- commands ---

    async def away(self, _: str) -> None:
        """What was done since the user last said something, in full."""
        for line in page(self.terminal, self.name, await asyncio.to_thread(self._digest)):
            self.show(line)

    async def pause(self, words: str) -> None:
        """Have the persona rest, for a while, until some time, or until told to go on."""
        now, length = self.now(), read_span(words)
        await self._control("pause", now + length if length else future_time(words, now) if words else None)

    async def resume(self, _: str) -> None:
        await self._control("resume")

    async def _control(self, act: ControlAct, until: datetime | None = None) -> None:
        await asyncio.to_thread(self.doings.control, act, self.now(), until)
        self.show(Text(self.terminal.say(f"autonomy.{act}d", name=self.name, chat=self.doings.garden), "dim"))


RECAP, REFRESH, LONGEST = 3, 0.5, 160


def talk(
    terminal: Terminal,
    settings: Settings,
    persona: str | None,
    name: str | None,
    branch: str,
    call_me: str | None,
    home: str | None,
    me: str | None,
    *,
    new: bool,
) -> None:
    """Talk until the user leaves."""
    with closing(journal_of(settings)) as journal:
        found = model_of(settings)
        who = UserPersonas(settings.home).find(me) if me else None
        own = UserFiles(settings.home).folder
        garden = choose_chat(journal, persona, name, call_me, home, who, own, new=new, language=terminal.lang)
        chat = chat_of(journal, settings, found, garden, branch)
        parlour = ChatLoop(terminal, chat, autonomy_log_of(journal, garden, branch))
        parlour.greet(found.model.name if found.model else None)
        asyncio.run(parlour.go_on())


class ChatLoop:
    """The user on one side of the table, a persona on the other."""

    def __init__(self, terminal: Terminal, chat: Chat, doings: AutonomyLog) -> None:
        self.terminal, self.chat = terminal, chat
        self.console = Screen()
        self.name = chat.ghost.persona.name
        self.unasked = AutonomyFeed(terminal, self.name, doings, chat.now, partial(self.console.print, soft_wrap=True))
        self.over = False
        self.embedded: EmbeddingProgress | None = None
        self.interactive = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "why": self.why, "memory": self.memory, "mood": self.mood, "away": self.unasked.away,
            "pause": self.unasked.pause, "resume": self.unasked.resume, "again": self.again, "more": self.more,
            "take": self.take,
            "edit": self.edit, "rewrite": self.rewrite, "undo": self.undo, "help": self.help,
            "quit": self.quit,
        }  # fmt: skip

    def greet(self, model: str | None) -> None:
        """Who is here, who speaks for them, what was said last, and what was done since."""
        self.tell("chat.model" if model else "chat.builtin", name=self.name, model=printable(model or ""))
        known = self.chat.exchanges
        self.tell("chat.resumed" if known else "chat.new", chat=self.chat.garden.id, turn=known)
        if self.chat.line.private:
            self.tell("chat.private", name=self.name, garden=self.chat.line.garden)
        if self.interactive:
            self.tell("chat.hint")
        self._recap(max(RECAP, 1 + self.unasked.greet()))

    def _recap(self, count: int) -> None:
        """What was said last, by either side or of the persona's own accord."""
        for one in self.chat.history()[-count:]:
            if one.user_text:
                self.console.print(Text(f"> {printable(one.user_text)}", "dim"), soft_wrap=True)
            if said := self.unasked.said(one.seq):
                self.unasked.tell(said)
            elif one.assistant_text is not None:
                self._line(unseal(one.assistant_text))

    async def go_on(self) -> None:
        """Lines and answers by turns; while the user types, what was lived through is worked into memory."""
        lines = self._typed() if self.interactive else self._piped()
        async with aclosing(lines):
            async for line in lines:
                await self._obey(line.strip())
                if self.over:
                    break
        self.tell("chat.saved", command=self.terminal.command("chat", "--chat", self.chat.garden.id))
        if isinstance(self.chat.model, Ledger):
            await self.chat.model.aclose()

    async def _typed(self) -> AsyncGenerator[str]:
        prompt = prompt_with("> ", bottom_toolbar=self._toolbar, refresh_interval=REFRESH)
        while True:
            behind = [asyncio.create_task(self._work()), asyncio.create_task(self.unasked.listen())]
            try:
                with patch_stdout(raw=True):
                    line = await read_line(prompt)
            except (EOFError, KeyboardInterrupt):
                return
            finally:
                for task in behind:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task
            yield line

    async def _piped(self) -> AsyncGenerator[str]:
        while line := await asyncio.to_thread(sys.stdin.readline):
            yield line
            await self._work()
            await asyncio.to_thread(self.unasked.hear)

    async def _work(self) -> None:
        """What serves the next answer, then everything queued; a model that is away is not waited for."""
        await self.chat.recall_ahead()
        while await work_off(self.chat.ghost, self.chat.model, self.chat.now()):
            pass
        await embed(self.chat.ghost, self._note)
        self.embedded = None

    def _note(self, progress: EmbeddingProgress) -> None:
        self.embedded = progress

    def _toolbar(self) -> str | None:
        """How far memory has been embedded, while that takes a while."""
        progress = self.embedded
        if progress is None or progress.whole <= BATCH:
            return None
        return self.terminal.say("chat.embedding", done=progress.done, whole=progress.whole)

    async def _obey(self, line: str) -> None:
        try:
            await asyncio.to_thread(self.chat.catch_up)
            if line.startswith(("/", "／")):
                await self._command(line[1:])
            elif line:
                await self._say(self.chat.say(line))
        except JournalError:
            raise
        except HakoniwaError as error:
            self.console.print(Text(printable(error_in_words(error, self.terminal.lang)), "red"), soft_wrap=True)

    async def _say(self, answer: AsyncGenerator[Generated]) -> None:
        """Show an answer as it comes; Ctrl-C stops it."""
        answering = asyncio.ensure_future(self._answer(answer))
        with on_interrupt(answering.cancel):
            await asyncio.wait([answering])
        if answering.cancelled():
            self.tell("chat.stopped")
            return
        answering.result()

    async def _answer(self, answer: AsyncGenerator[Generated]) -> None:
        self.console.print(Text(f"{self.name} ", "bold cyan"), end="")
        try:
            async with aclosing(answer) as pieces:
                async for piece in pieces:
                    self.console.print(Text(printable(unseal(piece))), end="", soft_wrap=True)
        finally:
            self.console.print()

    def _line(self, text: str) -> None:
        self.console.print(Text.assemble((f"{self.name} ", "bold cyan"), printable(text)), soft_wrap=True)

    def tell(self, key: str, /, **details: object) -> None:
        self.console.print(Text(self.terminal.say(key, **details), "dim"), soft_wrap=True)

    # --- commands ---

    async def _command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        if name not in self.commands:
            raise UnknownName("unknown.command", name=name, nearest=nearest_name(name, self.commands))
        await self.commands[name](rest.strip())

    async def help(self, _: str) -> None:
        for name in self.commands:
            self.tell(f"chat.help.{name}")

    async def quit(self, _: str) -> None:
        self.over = True

    async def undo(self, _: str) -> None:
        await asyncio.to_thread(self.chat.undo)
        self.tell("chat.undone", turn=self.chat.exchanges)

    async def again(self, _: str) -> None:
        await self._say(self.chat.retake())

    async def more(self, _: str) -> None:
        await self._say(self.chat.go_on())

    async def take(self, number: str) -> None:
        """Choose one of the ways in which the newest exchange went, and show them all."""
        if number.isdecimal():
            await asyncio.to_thread(self.chat.choose, int(number))
        for one in await asyncio.to_thread(self.chat.takes):
            text = printable(unseal(one.text)) if one.text is not None else ""
            self.tell("chat.take-chosen" if one.current else "chat.take", number=one.number, text=text)

    async def edit(self, words: str) -> None:
        """Put what the user said last in other words, and have it answered."""
        await asyncio.to_thread(self.chat.edit, self._newest(), words)
        await self._say(self.chat.retake())

    async def rewrite(self, words: str) -> None:
        """Put the last answer in other words."""
        await asyncio.to_thread(self.chat.edit, self._newest(), None, words)
        self.tell("chat.rewritten")

    def _newest(self) -> int:
        if self.chat.newest is None:
            raise UsageError("chat.cannot-retake")
        return self.chat.newest.seq

    async def mood(self, _: str) -> None:
        inner = self.chat.ghost.inner
        vad, interests = feeling_at(inner.mood, self.chat.now()), attention_targets(inner.interest)[:8]
        for line in mood_lines(self.terminal, self.name, vad, interests):
            self.console.print(Text(line, "dim"), soft_wrap=True)

    async def why(self, _: str) -> None:
        """What was called to mind for the last answer, and why."""
        recalled = self.chat.recalled
        if recalled is None:
            self.tell("chat.why-nothing")
            return
        self.tell("chat.why", by=self.terminal.say(f"chat.by.{recalled.by}"), count=len(recalled.snippets),
                  candidates=len(recalled.candidates))  # fmt: skip
        if recalled.dropped:
            self.tell(f"error.{recalled.dropped}")
        for at, text in recalled.snippets:
            self._tell_memory(at, text)

    async def memory(self, words: str) -> None:
        """What there is about something."""
        found = await search(self.chat.ghost, words, self.chat.now(), 8)
        if not found:
            self.tell("chat.memory-none")
        for one in found:
            self._tell_memory(one.at, one.text)

    def _tell_memory(self, at: datetime, text: Generated) -> None:
        self.tell("chat.memory", when=format_time(at, self.terminal.lang), text=shorten(text, LONGEST))
