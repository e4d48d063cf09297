"""A cottage for tests: chats whose personas live by themselves, with a model that says what it is told, a clock that
stands until it is moved, and work that is carried out in memory."""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from time import sleep
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.autonomy.context import AutonomyContext, AutonomyContexts
from hakoniwa.autonomy.flow import AutonomyFlow
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.autonomy.schedule import Scheduler
from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.clock import Clock
from hakoniwa.chat.lineage import CHAT, catch_up
from hakoniwa.chat.reply import BuiltinRespondent
from hakoniwa.errors import ModelMisbehaved
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.store import Memories
from hakoniwa.persona.persona import persona_of
from tests.jobs.in_memory import MemoryJobs

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINA = Character.model_validate(
    {
        "display_name": "ミナ",
        "persona": "ミナ。古道具屋の店主。物の来歴を聞くのが好き。",
        "speech": {"tone": "ゆっくりした話し方。", "address": {"user": "きみ"}},
        "phrasebook": {"answer": {"*": ["そうなんだ。"]}, "greet": {"*": ["いらっしゃい。"]}},
    }
)
SKIP: dict[str, Any] = {
    "decision_outcome": "skip",
    "priority": 10,
    "reason": "今はいい",
    "persona_influence": {"summary": "のんびり", "traits": ["おだやか"], "preferred_direction": "observe"},
    "mood_influence": {"summary": "落ち着いている", "vad": {"v": 0.1, "a": 0.0, "d": 0.0}},
    "confidence": 0.6,
}
DELIVERY = {"on_complete": "chat", "on_fail": "chat", "on_progress": "activity_only", "message_kind": "report"}


def later(hours: float, note: str, **delivery: str) -> dict[str, Any]:
    """A decision to set a reminder, which needs nothing but the chat itself."""
    payload = {"after": hours * 3600, "note": note}
    return doing("schedule_action", payload, **delivery)


def doing(action_type: str, payload: Mapping[str, Any], **delivery: str) -> dict[str, Any]:
    return {
        **SKIP,
        "decision_outcome": "do_action",
        "action_type": action_type,
        "action_payload": dict(payload),
        "console_delivery": {**DELIVERY, **delivery},
    }


PLAIN, NOTHING = AutonomyPolicy(), CapabilityMeans()

Line = str | Exception | Mapping[str, Any]


class Puppet(ChatModel):
    """Says by purpose whatever it is given next, and `otherwise` once nothing is left; counts what it is asked."""

    name = "puppet"
    context = 0

    def __init__(self, **lines: Sequence[Line]) -> None:
        self.lines = {f"ghost.{name}": list(some) for name, some in lines.items()}
        self.otherwise: dict[str, Line] = {
            "ghost.deliberate": SKIP,
            "ghost.autonomy_message_render": "きみに知らせたいことがあってね。うまくいったよ。",
            "ghost.write_plan": "{}",
        }
        self.asked: list[tuple[str, str]] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self.asked.append((purpose, "\n".join(one.content for one in messages)))
        waiting = self.lines.get(purpose)
        line = waiting.pop(0) if waiting else self.otherwise.get(purpose, ModelMisbehaved("model.no-line"))
        if isinstance(line, Exception):
            raise line
        yield line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        yield Usage(finish="stop")

    def count(self, purpose: str) -> int:
        return sum(1 for one, _ in self.asked if one == f"ghost.{purpose}")


class Cottage(AutonomyContexts):
    """Who lives here, by the name of their chat."""

    def __init__(
        self,
        models: Mapping[str, ChatModel | None],
        manners: AutonomyPolicy = PLAIN,
        means: CapabilityMeans = NOTHING,
        sheets: Mapping[str, Character] | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.journal = journal or MemoryJournal()
        self.time = NOON
        self._homes = {
            name: self._furnished(name, model, manners, means, (sheets or {}).get(name, MINA))
            for name, model in models.items()
        }
        self.jobs = MemoryJobs([AutonomyFlow(self).flow()])
        self.heart = Scheduler(self, self.jobs)

    def _furnished(
        self, name: str, model: ChatModel | None, manners: AutonomyPolicy, means: CapabilityMeans, sheet: Character
    ) -> AutonomyContext:
        who = name.removeprefix("chat-")
        if name not in {one.id for one in self.journal.gardens()}:
            sheets = {who: sheet.model_dump(mode="json", exclude_unset=True)}
            self.journal.create(GardenRecord(id=name, scenario={}, sheets=sheets, seed=1, settings={"kind": CHAT}))
        memories = Memories(self.journal)
        head = catch_up(memories, self.journal, name, MAIN)
        ghost = Ghost(memories, name, MAIN, who, persona_of(sheet, "ja"), head=head)
        home = AutonomyContext(
            ghost, AutonomyLog(self.journal, name, MAIN, who), Clock(memories, name, MAIN, lambda: self.time), manners,
            model, means,
        )  # fmt: skip
        home.means = CapabilityMeans(**{**means.__dict__, "remind": home.remind})
        return home

    def homes(self) -> Iterable[AutonomyContext]:
        return list(self._homes.values())

    def home(self, garden: str, branch: str) -> AutonomyContext:
        return self._homes[garden]

    def chat(self, name: str) -> Chat:
        """The other side: the user talks with whoever lives here."""
        home = self._homes[name]
        ghost = Ghost(home.ghost.memories, name, MAIN, home.ghost.who, home.ghost.persona)
        ghost.refresh(catch_up(ghost.memories, self.journal, name, MAIN))
        return Chat(self.journal, self.journal.garden(name), ghost, BuiltinRespondent(), None, lambda: self.time)

    def pass_time(self, by: timedelta, step: timedelta, beat: Callable[[], None] | None = None) -> None:
        """Let time go by in steps; whatever is due is done before it goes on."""
        end = self.time + by
        with closing(self.jobs):
            self.jobs.run()
            while self.time < end:
                self.time += step
                self.settle()
                if beat:
                    beat()

    def settle(self) -> None:
        """Beat until nothing is due and nothing is under way. What ends after a beat may let something else begin."""
        busy = True
        while busy:
            under_way = any(home.doings.follow().claims for home in self.homes())
            busy = bool(self.heart.beat()) or under_way
            sleep(0.002)


class Idle:
    """A worker that does nothing, and notes that it was begun and ended."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def start(self) -> None:
        self.notes.append("start")

    def close(self) -> None:
        self.notes.append("close")
