"""Chat: one persona and one user. In the journal it is a garden without a stage, whose events are exchanges."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import datetime
from random import Random
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.errors import HakoniwaError, UsageError
from hakoniwa.ghost.account import Desk, keep_account
from hakoniwa.ghost.generated import Generated, joined, unsealed
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.memory import Memory, Remembered, Source
from hakoniwa.ghost.mood import felt
from hakoniwa.ghost.recall import Recall, recall
from hakoniwa.ghost.reply import NAMED, Occasion, Respondent
from hakoniwa.ghost.store import Memories
from hakoniwa.journal import Garden, Journal, Row
from hakoniwa.llm import ChatModel
from hakoniwa.turn import Event

CHAT = "chat"  # the kind of garden, and of its events
STEP = 8  # exchanges: the conversation in a prompt is cut by so many at once, so that most turns only add to it
LONGEST = 8_000
STOPPED = "model.stopped"

Now = Callable[[], datetime]


class Chat:
    """A conversation on one line of play: it can be taken back and forked like any garden, and memory follows."""

    def __init__(
        self, journal: Journal, garden: Garden, ghost: Ghost, respondent: Respondent, model: ChatModel | None, now: Now
    ) -> None:
        self.journal, self.garden, self.ghost = journal, garden, ghost
        self.respondent, self.model, self.now = respondent, model, now
        self.sheet = Character.model_validate(garden.sheets[ghost.who])
        self.recalled: Recall | None = None
        self.head = _head(journal, garden.id, ghost.branch)
        self._account(self.turn)

    @property
    def turn(self) -> int:
        """The number of the newest exchange."""
        return self.head.event.turn if self.head else 0

    async def say(self, text: str) -> AsyncGenerator[Generated]:
        """The answer to what the user says, piece by piece; once it ends, it is in the journal and in memory."""
        heard = checked(text)
        now = self.now()
        self.recalled = None
        self._account(self.turn + 1)
        pieces: list[Generated] = []
        fault: str | None = STOPPED  # unless it comes to its end, or fails by itself
        try:
            after = self.head.seq if self.head else None
            self.recalled = await recall(self.ghost, heard, now, self.model, reply_to=after)
            occasion = await asyncio.to_thread(self._occasion, heard, now, self.recalled)
            async with aclosing(self.respondent.answer(occasion)) as answer:
                async for piece in answer:
                    pieces.append(piece)
                    yield piece
            fault = None
        except HakoniwaError as error:
            fault = error.key
            raise
        finally:
            await asyncio.shield(asyncio.to_thread(self._keep, heard, pieces, fault))
            self._account(self.turn)

    def _account(self, turn: int) -> None:
        """Have the journal keep what the model is asked from here on: for an exchange, or for what follows one."""
        after = self.head.seq if self.head else None
        desk = Desk(self.journal, self.garden.id, self.ghost.branch, after, turn, self.ghost.who)
        keep_account(self.model, desk, self.ghost.persona.language)

    def _occasion(self, heard: str, now: datetime, recalled: Recall) -> Occasion:
        """Everything the answer is made from."""
        inner = self.ghost.inner
        return Occasion(
            persona=self.ghost.persona,
            sheet=self.sheet,
            heard=heard,
            now=now,
            history=self.history(),
            memories=recalled.snippets,
            mood=felt(inner.mood, now),
            likings=inner.confirmed_preferences,
            interests=[one.value for one in inner.interest.attention_targets if one.type in NAMED],
            dice=Random(f"{self.garden.seed}/{self.turn}"),
        )

    def history(self) -> list[Memory]:
        """What was said lately, oldest first: eight exchanges at least, sixteen at most."""
        shown = self.turn - max(0, self.turn // STEP - 1) * STEP
        found = self.ghost.memories.recent(self.ghost.scope, shown, (Source.CHAT, Source.AUTONOMY_MESSAGE))
        return found[::-1]

    def _keep(self, heard: str, pieces: list[Generated], fault: str | None) -> None:
        """Write an exchange down, however it ended: what the user said is never lost."""
        payload: dict[str, Any] = {
            "source": Source.CHAT.value,
            "at": self.now().isoformat(),
            "user_text": heard,
            "assistant_text": unsealed(joined(pieces)) if pieces else None,
            "reply_to": self.head.seq if self.head else None,
            "run": self.recalled.run if self.recalled else None,
        }
        if fault:
            payload["fault"] = fault
        event = Event(kind=CHAT, turn=self.turn + 1, origin="user", witnesses=(self.ghost.who,), payload=payload)
        after = self.head.seq if self.head else None
        self.head = self.journal.append(self.garden.id, self.ghost.branch, [event], after)[-1]
        self.ghost.memories.take_in(self.garden.id, [(self.head, remembered(self.head))])
        self.ghost.refresh(self.head.seq)

    def undo(self) -> None:
        """Take the newest exchange back; it stays in the journal, and is no longer remembered on this line."""
        if self.head is None:
            raise UsageError("chat.cannot-undo")
        self.journal.move_head(self.garden.id, self.ghost.branch, self.head.parent)
        self.head = _head(self.journal, self.garden.id, self.ghost.branch)
        self.ghost.refresh(self.head.seq if self.head else None)


def catch_up(memories: Memories, journal: Journal, garden: str, branch: str) -> int | None:
    """Take in what was written and not yet remembered when somebody stopped; the head, which is remembered now."""
    head = _head(journal, garden, branch)
    if head is None:
        return None
    if memories.untaken(garden, [head]):
        rows = memories.untaken(garden, journal.lineage(garden, branch))
        memories.take_in(garden, [(row, remembered(row)) for row in rows])
    return head.seq


def checked(text: str) -> str:
    """What the user says, if it is something and not a book."""
    if not text.strip():
        raise UsageError("chat.nothing-said")
    if len(text) > LONGEST:
        raise UsageError("chat.too-long", found=len(text), limit=LONGEST)
    return text.strip()


def remembered(row: Row) -> Mapping[str, Remembered]:
    """An exchange as its witnesses remember it; one without words is none."""
    payload = row.event.payload
    if row.event.kind != CHAT or payload.get("forgotten"):
        return {}
    heard, said = payload.get("user_text"), payload.get("assistant_text")
    lines = [one for one in (heard, said) if one]
    source = Source(payload["source"])
    memory = Remembered(
        source=source,
        text=Generated("\n".join(lines)),
        user_text=heard,
        assistant_text=None if said is None else Generated(said),
        at=datetime.fromisoformat(payload.get("at") or row.recorded_at),
        reply_to=payload.get("reply_to"),
    )
    return dict.fromkeys(row.event.witnesses, memory) if lines else {}


def _head(journal: Journal, garden: str, branch: str) -> Row | None:
    head = next((one.head for one in journal.branches(garden) if one.name == branch), None)
    return journal.since(head - 1, 1, garden)[0] if head is not None else None
