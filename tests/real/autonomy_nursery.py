"""Workers that look after personas and can be killed at any point of what these do by themselves.

`python -m tests.real.autonomy_nursery` is told what to do line by line, as the nursery of the jobs is. A worker has the
whole line: the journal, dbos, the heart, every home as the settings make it, and a model behind a socket.
"""

import asyncio
import importlib
import inspect
import logging
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

from hakoniwa.app import OPENAI, ledger_of, model_of
from hakoniwa.app.autonomy import ChatContexts, jobs_url
from hakoniwa.autonomy.flow import AutonomyFlow
from hakoniwa.autonomy.schedule import FLOW, Scheduler
from hakoniwa.capabilities.capability import Capability, capabilities, make_result
from hakoniwa.capabilities.means import CapabilityMeans
from hakoniwa.jobs import Flow, FlowContext, FlowStep
from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.journal import Row
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult
from hakoniwa.settings import Settings
from hakoniwa.turn import Event
from tests.autonomy.cottage import Cottage, Puppet, later
from tests.jobs.nursery import Diary, main
from tests.real.prompter import NAME

STEPS = ("decide", "intend", "act", "record", "speak", "remember", "end")
ROWS = ("claim", "decision", "intent", "activity", "result", "chat", "end")  # what one deed leaves in the journal
WRITTEN = "written"
SLOWLY = 30.0  # seconds a slow deed takes, in which its worker is killed

Reached = Callable[[str, str, str], None]


def settings_for(url: str, home: Path, model: str) -> Settings:
    """A journal and a model there; nothing happens by itself but what is asked for, and nothing is too much."""
    return Settings(
        home=home, journal=url, model=NAME, base_url=model, embedder="none", quiet_hours="",
        heartbeat_minutes=10_080, actions_per_day=0, messages_per_day=0,
    )  # fmt: skip


def let_leave_keepsakes(diary: Diary) -> None:
    """Let personas leave something in a diary for good: if that is done twice, it is there twice."""

    @capabilities.add("keepsake")
    class Keepsake(Capability):
        name: ClassVar = "keepsake"
        action_types: ClassVar = frozenset({"leave_keepsake"})
        idempotent: ClassVar = False

        def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
            return (ActionOffer("leave_keepsake", "leave a keepsake"),)

        async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
            diary.write("keepsake", order.payload["what"])
            await asyncio.sleep(SLOWLY if order.payload["how"] == "slowly" else 0)
            return make_result(self.name, "success", "置いた", {"what": order.payload["what"]})


class Watched(FlowContext):
    """A line whose every step tells when it has begun, when it is done, and when that is kept."""

    def __init__(self, line: FlowContext, reached: Reached) -> None:
        self._line, self._reached = line, reached

    @property
    def key(self) -> str:
        return self._line.key

    async def do(self, step: FlowStep, given: Any = None, part: str = "") -> Any:
        found = await self._line.do(replace(step, work=self._watched(step)), given, part)
        self._reached(self.key, step.name, "kept")
        return found

    def _watched(self, step: FlowStep) -> Callable[[str, Any], Any]:
        def in_a_thread(key: str, given: Any) -> Any:
            self._reached(self.key, step.name, "begun")
            found = step.work(key, given)
            self._reached(self.key, step.name, "done")
            return found

        async def on_the_loop(key: str, given: Any) -> Any:
            self._reached(self.key, step.name, "begun")
            found = await step.work(key, given)
            self._reached(self.key, step.name, "done")
            return found

        return on_the_loop if inspect.iscoroutinefunction(step.work) else in_a_thread


class WatchedJournal(SqlJournal):
    """A journal that tells of every row once it is written, in the transaction that it is written in."""

    def __init__(self, url: str, reached: Reached) -> None:
        super().__init__(url)
        self._reached = reached

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        rows = super().append(garden, branch, events, after)
        for event in events:
            self._reached(event.payload["key"], WRITTEN, event.kind.removeprefix("autonomy."))
        return rows


def worker(url: str, diary: str, fatal: list[str], pulse: float, model: str) -> None:
    """Work until killed: by somebody, or at the `fatal` point, which is a trigger's key and where in its flow."""
    book = Diary(Path(diary))
    logging.disable()

    def reached(key: str, what: str, point: str) -> None:
        if point == "begun":
            book.write(key, what)
        if fatal and fatal[0] in key and fatal[1:] == [what, point]:
            os.kill(os.getpid(), signal.SIGKILL)

    let_leave_keepsakes(book)
    settings = settings_for(url, book.path.parent, model)
    chats = ChatContexts(WatchedJournal(url, reached), settings, lambda: ledger_of(settings, model_of(settings)))
    life = AutonomyFlow(chats)
    jobs = DbosJobs(
        jobs_url(settings), [Flow(FLOW, lambda line, order: life.live(Watched(line, reached), order))], pulse
    )
    jobs.run()
    Scheduler(chats, jobs, pulse).start()
    book.write("ready")
    signal.pause()


def live_once() -> None:
    """Have somebody do something, so that what is made when it is first needed is there before anybody is born."""
    cottage = Cottage({"chat-mina": Puppet(deliberate=[later(2, "湯のみを見にいく")])})
    cottage.home("chat-mina", "main").doings.control("start", cottage.time)
    cottage.pass_time(timedelta(minutes=30), timedelta(minutes=30))
    importlib.import_module(OPENAI).OpenAIChat(NAME, "http://127.0.0.1:9/v1")


if __name__ == "__main__":
    live_once()
    main(worker)
