"""Chat: one persona and one user. In the journal it is a garden without a stage, whose events are exchanges."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.actor.lore import Lorebook, recall_lore
from hakoniwa.chat.calls import CallSite, record_calls
from hakoniwa.chat.lineage import CHAT, ME, MESSAGES, STOPPED, ChatLine, catch_up, head_of, newest_exchange
from hakoniwa.chat.reply import NAMED, ReplyContext, Respondent, Surroundings
from hakoniwa.chat.rewriting import (
    REPEATS,
    ExchangeTake,
    beginning_of,
    choose_take,
    exchange_at,
    first_of,
    kept_takes,
    replace_exchange,
    take_back,
)
from hakoniwa.errors import HakoniwaError, JournalMovedOn, UsageError
from hakoniwa.journal import GardenRecord, Journal, Row
from hakoniwa.journal.follow import Advanced, Follower
from hakoniwa.llm import ChatModel
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Chooser, Recall, recall
from hakoniwa.memory.select import selection_size
from hakoniwa.memory.sources import LATELY
from hakoniwa.messages import format_time, say
from hakoniwa.persona.generated import Generated, join_texts, unseal
from hakoniwa.persona.mood import feeling_at
from hakoniwa.persona.persona import persona_of
from hakoniwa.persona.records import Memory, MemorySource, Vad
from hakoniwa.turn import Event

STEP = 8  # exchanges: the conversation in a prompt is cut by so many at once, so that most turns only add to it
LONGEST = 8_000
MOST_LORE, LORE_TOKENS = 8, 800  # pieces of lore in one prompt, and about how many tokens they may take
ALONE = "autonomy"  # the origin of what a persona does by itself
LONGEST_TALK = timedelta(minutes=10)  # nobody is believed to be talking for longer, should the process be killed

Now = Callable[[], datetime]


class Chat:
    """A conversation on one line of play: it can be taken back and forked like any garden, and memory follows."""

    def __init__(
        self, journal: Journal, garden: GardenRecord, ghost: Ghost, respondent: Respondent,
        model: ChatModel | None, now: Now, chooser: Chooser = "rule",
    ) -> None:  # fmt: skip
        self.journal, self.garden, self.ghost = journal, garden, ghost
        self.respondent, self.model, self.now = respondent, model, now
        self.chooser = chooser  # who chooses what comes to mind for a reply
        self.sheet = Character.model_validate(garden.sheets[ghost.who])
        self.persona = persona_of(self.sheet, ghost.persona.language)
        self._lorebook: Lorebook | None = None  # made ready when it is first asked for
        self.recalled: Recall | None = None
        self.heard = ""  # what is being answered, or was answered last
        self.head = head_of(journal, ghost.garden, ghost.branch)
        self._account(self.turn)

    @property
    def turn(self) -> int:
        """The number of the newest exchange."""
        return self.head.event.turn if self.head else 0

    @property
    def line(self) -> ChatLine:
        """Where the conversation is written."""
        return ChatLine(self.ghost.garden, self.ghost.branch, self.ghost.who)

    def say(self, text: str) -> AsyncGenerator[Generated]:
        """The answer to what the user says, piece by piece; once it ends, it is in the journal and in memory."""
        self.heard = check_text(text)
        return self._answer(self.heard)

    def retake(self) -> AsyncGenerator[Generated]:
        """Another answer to what the user said last; the one before is kept as a take."""
        newest = self._answered()
        return self._answer(self.heard, newest)

    def go_on(self) -> AsyncGenerator[Generated]:
        """The last answer, and more of it; as it was, it is kept as a take."""
        newest = self._answered()
        return self._answer(self.heard, newest, newest.event.payload["assistant_text"] or "")

    def _answered(self) -> Row:
        """The newest exchange, if the user said something in it; that is what is being answered from now on."""
        newest = self.newest
        if newest is None or not newest.event.payload.get("user_text"):
            raise UsageError("chat.cannot-retake")
        self.heard = newest.event.payload["user_text"]
        return newest

    async def _answer(self, heard: str, instead: Row | None = None, begun: str = "") -> AsyncGenerator[Generated]:
        """The answer to some words, from where it was begun, in the place of an exchange if there was one."""
        now = self.now()
        if instead is not None:
            await asyncio.to_thread(self._rewrite, take_back, instead)
        self.recalled = None
        await asyncio.to_thread(self._talking, True)
        self._account(self.turn + 1)
        pieces = [Generated(one) for one in (begun, say("chat.join", self.persona.language)) if begun]
        fault: str | None = STOPPED  # unless it comes to its end, or fails by itself
        try:
            for piece in pieces:
                yield piece
            after = self.head.seq if self.head else None
            history = await asyncio.to_thread(self.history)
            model = self.model if self.chooser == "model" else None
            self.recalled = await self._recall(self.ghost, heard, now, after, history, model)
            occasion = replace(self._occasion(heard, now, history, self.recalled), begun=begun)
            async with aclosing(self.respondent.answer(occasion)) as answer:
                async for piece in answer:
                    pieces.append(piece)
                    yield piece
            if (note := await self.carried_out(join_texts(pieces))) is not None:
                pieces.append(note)
                yield note
            fault = None
        except HakoniwaError as error:
            fault = error.key
            raise
        finally:
            await asyncio.shield(self._over(heard, pieces, fault, instead))
            self._account(self.turn)

    async def recall_ahead(self) -> Recall | None:
        """What the model would call to mind of the newest exchange: the next reply finds it on record.

        What is on record already, or was waited for, is not asked again."""
        chosen = await asyncio.to_thread(self._not_yet_chosen) if self.chooser == "rule" and self.model else None
        if chosen is None:
            return None
        row, history, ghost = chosen
        return await self._recall(ghost, row.event.payload["user_text"], self.now(), row.seq, history, self.model)

    def _not_yet_chosen(self) -> tuple[Row, list[Memory], Ghost] | None:
        """The newest exchange, what the next prompt shows, and the Ghost as it is now; None where there is a choice."""
        newest, ghost = self.newest, copy(self.ghost)
        if newest is None or not newest.event.payload.get("user_text"):
            return None
        own = newest.event.payload.get("run") or 0
        if any(one.by == "model" and one.id > own for one in ghost.memories.runs(ghost.scope, LATELY)):
            return None
        return newest, self.history(), ghost

    async def _recall(
        self, ghost: Ghost, heard: str, now: datetime, after: int | None, history: Sequence[Memory],
        model: ChatModel | None,
    ) -> Recall:  # fmt: skip
        """What comes to mind beside what the prompt shows anyway; a phrasebook looks at none of that."""
        in_view = {one.seq for one in history} if self.model else set()
        limit = selection_size(self.model.context if self.model else None)
        return await recall(ghost, heard, now, model, after, limit, in_view=in_view)

    async def _over(self, heard: str, pieces: list[Generated], fault: str | None, instead: Row | None) -> None:
        try:
            await self.keep(self._payload(heard, pieces, fault, instead))
        finally:
            await asyncio.to_thread(self._talking, False)

    async def carried_out(self, said: Generated) -> Generated | None:
        """What the referee remarks on what the persona says it does; outside of a garden there is nobody to judge."""
        return None

    def _talking(self, begins: bool) -> None:
        """Let whoever looks after the persona's own doings know, in whatever process, that it is spoken with."""
        until = datetime.now(UTC) + LONGEST_TALK if begins else None
        self.ghost.memories.talking(self.garden.id, self.ghost.branch, until)

    def _account(self, turn: int) -> None:
        """Have the journal keep what the model is asked from here on: for an exchange, or for what follows one."""
        after = self.head.seq if self.head else None
        ghost = self.ghost
        desk = CallSite(self.journal, ghost.garden, ghost.branch, after, turn, ghost.who, ghost.purges)
        record_calls(self.model, desk, ghost.persona.language)

    def _occasion(self, heard: str, now: datetime, history: Sequence[Memory], recalled: Recall) -> ReplyContext:
        """Everything the answer is made from."""
        inner, me = self.ghost.inner, self.garden.settings.get(ME, {})
        return ReplyContext(
            persona=self.persona,
            sheet=self.sheet,
            heard=heard,
            now=self.in_words(now),
            history=history,
            memories=[(self.in_words(at), text) for at, text in recalled.snippets],
            mood=self.mood(now),
            likings=inner.confirmed_preferences,
            interests=[one.value for one in inner.interest.attention_targets if one.type in NAMED],
            dice=Random(f"{self.garden.seed}/{self.exchanges}"),
            around=self.surroundings(heard, history),
            lore=self.lore(heard, history),
            user=me if me.get("description") else {},
        )

    @property
    def exchanges(self) -> int:
        """How many exchanges there have been."""
        return self.turn

    def in_words(self, at: datetime) -> str:
        """A moment as the persona tells it."""
        return format_time(at, self.persona.language)

    def mood(self, now: datetime) -> Vad:
        return feeling_at(self.ghost.inner.mood, now)

    def surroundings(self, heard: str, history: Sequence[Memory]) -> Surroundings | None:
        """Where the persona is: outside of any garden, nowhere."""
        return None

    def lore(self, heard: str, history: Sequence[Memory]) -> list[str]:
        """What the words of the two bring to mind of the persona's lore."""
        if not self.sheet.lore:
            return []
        if self._lorebook is None:
            self._lorebook = Lorebook(self.sheet.lore)
        said = [text for one in history for text in (one.user_text, _words_of(one))]
        return recall_lore(self._lorebook, [*filter(None, said), heard], self.sheet.lore_scan, MOST_LORE, LORE_TOKENS)

    def history(self) -> list[Memory]:
        """What was said lately, oldest first: eight exchanges at least, sixteen at most."""
        shown = self.exchanges - max(0, self.exchanges // STEP - 1) * STEP
        found = self.ghost.memories.recent(self.ghost.scope, shown, (MemorySource.CHAT, MemorySource.AUTONOMY_MESSAGE))
        return found[::-1]

    def _payload(self, heard: str, pieces: list[Generated], fault: str | None, instead: Row | None) -> dict[str, Any]:
        """An exchange as it is written down, however it ended: what the user said is never lost."""
        payload: dict[str, Any] = {
            "source": MemorySource.CHAT.value,
            "at": self.now().isoformat(),
            "user_text": heard,
            "assistant_text": unseal(join_texts(pieces)) if pieces else None,
            "reply_to": self.head.seq if self.head else None,
            "run": self.recalled.run if self.recalled else None,
        }
        if fault:
            payload["fault"] = fault
        if instead is not None:
            payload[REPEATS] = first_of(instead)
        return payload

    async def keep(self, payload: Mapping[str, Any]) -> None:
        """Write an exchange down, and remember it."""
        await asyncio.to_thread(self._append, payload)
        await asyncio.to_thread(self._remember)

    def _append(self, payload: Mapping[str, Any]) -> None:
        """Write an exchange after the newest one; what the persona did by itself meanwhile may stand in between."""
        while True:
            event = Event(
                kind=CHAT, turn=self.turn + 1, origin="user", witnesses=(self.ghost.who,), payload=dict(payload)
            )
            after = self.head.seq if self.head else None
            try:
                self.head = self.journal.append(self.ghost.garden, self.ghost.branch, [event], after)[-1]
            except JournalMovedOn:
                if not self._only_alone():
                    raise
            else:
                return

    def _only_alone(self) -> bool:
        """Whether nobody but the persona by itself has written here since; then the line goes on from there."""
        reader = Follower(self.journal, self.ghost.garden, self.ghost.branch, self.head.seq if self.head else None)
        match reader.look():
            case Advanced(rows) if all(row.event.origin == ALONE for row in rows):
                self.head = rows[-1] if rows else self.head
                return True
        return False

    # --- what was said, said otherwise ---

    @property
    def newest(self) -> Row | None:
        """The newest exchange."""
        return newest_exchange(self.journal, self.line, self.head)

    def undo(self) -> None:
        """Take the newest exchange back; it stays in the journal, and is no longer remembered on this line."""
        newest = self.newest
        if newest is None:
            raise UsageError("chat.cannot-undo")
        self._rewrite(lambda journal, line, row: journal.move_head(line.garden, line.branch, beginning_of(row)), newest)

    def takes(self) -> list[ExchangeTake]:
        """Every way in which the newest exchange went."""
        return kept_takes(self.journal, self.line)

    def choose(self, number: int) -> None:
        """Go on from another take of the newest exchange; only what was said in that one is remembered."""
        self._rewrite(choose_take, number)

    def edit(self, seq: int, user_text: str | None = None, assistant_text: str | None = None) -> None:
        """Put other words in an exchange; all that came after stands, and only the new words are remembered."""
        row = exchange_at(self.journal, self.line, seq)
        said = {"user_text": user_text, "assistant_text": assistant_text}
        changes = {name: check_text(text) for name, text in said.items() if text is not None}
        stale = {MESSAGES} if assistant_text is None else {MESSAGES, "fault"}
        kept = {key: one for key, one in row.event.payload.items() if key not in stale}
        self._rewrite(replace_exchange, row, {**kept, **changes})

    def delete(self, seq: int) -> None:
        """Take one exchange out of the conversation and of memory; all that came after stands."""
        row = exchange_at(self.journal, self.line, seq)
        self._rewrite(replace_exchange, row, None)

    def _rewrite(self, deed: Callable[..., None], *details: Any) -> None:
        """Change where the line goes, and go on from there."""
        deed(self.journal, self.line, *details)
        self.catch_up()

    def catch_up(self) -> None:
        """Go on from where the line is now: somebody else may have written or taken back something."""
        self.head = head_of(self.journal, self.ghost.garden, self.ghost.branch)
        self._remember()

    def _remember(self) -> None:
        self.ghost.refresh(catch_up(self.ghost.memories, self.journal, self.ghost.garden, self.ghost.branch))


def _words_of(memory: Memory) -> str | None:
    return None if memory.assistant_text is None else unseal(memory.assistant_text)


def check_text(text: str) -> str:
    """What the user says, if it is something and not a book."""
    if not text.strip():
        raise UsageError("chat.nothing-said")
    if len(text) > LONGEST:
        raise UsageError("chat.too-long", found=len(text), limit=LONGEST)
    return text.strip()
