"""/v1/chats/{id}/autonomy and /v1/chats/{id}/events: a persona between exchanges, and what happens as it happens."""

import asyncio
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Header, Query, Response
from pydantic import AwareDatetime, Field, model_validator

from hakoniwa.app.autonomy import policy_of
from hakoniwa.app.chats import chat_at, line_of
from hakoniwa.autonomy.inspect import (
    AutonomyStatus,
    DeliberationRecord,
    Digest,
    autonomy_status,
    away_since,
    build_digest,
    recent_deliberations,
)
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.chat.autonomy_rows import ControlAct
from hakoniwa.chat.clock import Clock
from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN
from hakoniwa.service.chat_events import EVENTS, ChatFeed, ChatWatcher
from hakoniwa.service.requests import (
    LARGEST,
    LINES,
    STREAM,
    BranchRequest,
    ChatId,
    OnBranch,
    get_responses,
    post_responses,
    strict_router,
)
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.service.streams import EventStream, EventStreams
from hakoniwa.service.worker_supervisor import WorkerState, WorkerSupervisor
from hakoniwa.turn import Value

MOST_CONSIDERED = 100
MOST_NOTE = 400
NO_WORKER = {"hindrance": "no-worker", "next_heartbeat": None}
A_DAY, A_YEAR = timedelta(days=1), timedelta(days=366)
STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "What happens, as it happens", "content": {STREAM: {"schema": EVENTS.described()}}}
}

Seconds = Annotated[float, Field(gt=0, le=A_YEAR.total_seconds(), strict=True)]


class PauseRequest(BranchRequest):
    """How long to rest: `until` some time by the chat's clock, for so many `seconds`, or until told to go on."""

    until: AwareDatetime | None = None
    seconds: Seconds | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "PauseRequest":
        if self.until and self.seconds:
            raise ValueError("until or seconds, not both")
        return self


class TriggerRequest(BranchRequest):
    """A reason to think about what to do, in a few words."""

    note: Annotated[str, Field(max_length=MOST_NOTE, pattern=LINES)] = ""


class ClockRequest(BranchRequest):
    """How the chat's clock is moved: first back to the world's time, if so, then on by so many seconds."""

    reset: bool = False
    advance: Annotated[float, Field(ge=0, le=A_YEAR.total_seconds(), strict=True)] = 0


class ClockTime(Value):
    """What time it is in the chat, and by how many seconds that is ahead of the world's."""

    now: datetime
    clock_ahead: float


class AutonomyView(AutonomyStatus):
    """How things stand, and whether this server looks after those who live by themselves."""

    care: WorkerState


class LogAndClock(NamedTuple):
    """What a persona did by itself, and the time by which it lives."""

    doings: AutonomyLog
    clock: Clock


def autonomy_routes(residents: OpenGhosts, caretaker: WorkerSupervisor, tails: EventStreams) -> APIRouter:
    router, journal = strict_router("/v1/chats/{id}", "autonomy"), residents.journal
    manners = policy_of(residents.settings)

    async def lived(id: str, branch: str) -> LogAndClock:
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), branch)
        return LogAndClock(await resident.doings(), resident.clock)

    def status_of(life: LogAndClock) -> AutonomyView:
        now = autonomy_status(life.doings.follow(), manners, life.clock)
        prevented = NO_WORKER if now.on and caretaker.care == "impossible" else {}
        return AutonomyView(**{**dict(now), **prevented, "care": caretaker.care})

    async def controlled(id: str, branch: str, act: ControlAct, pause: PauseRequest | None = None) -> AutonomyView:
        life = await lived(id, branch)

        def done() -> AutonomyView:
            now = life.clock.now()
            life.doings.control(act, now, _pause_end(pause, now) if pause else None)
            return status_of(life)

        return await asyncio.to_thread(done)

    @router.get("/autonomy", operation_id="read_autonomy", responses=get_responses())
    async def status(id: ChatId, branch: OnBranch = MAIN) -> AutonomyView:
        """Whether the persona lives by itself, what it is doing, what is waiting, and what stands against it."""
        return await asyncio.to_thread(status_of, await lived(id, branch))

    @router.post("/autonomy/start", operation_id="start_autonomy", responses=post_responses())
    async def start(id: ChatId, line: BranchRequest) -> AutonomyView:
        """Let the persona live by itself; refused where nothing can carry that out."""
        await lived(id, line.branch)
        await caretaker.ready()
        return await controlled(id, line.branch, "start")

    @router.post("/autonomy/stop", operation_id="stop_autonomy", responses=post_responses())
    async def stop(id: ChatId, line: BranchRequest) -> AutonomyView:
        """Let it only answer again."""
        return await controlled(id, line.branch, "stop")

    @router.post("/autonomy/pause", operation_id="pause_autonomy", responses=post_responses())
    async def pause(id: ChatId, wanted: PauseRequest) -> AutonomyView:
        """Have it rest."""
        return await controlled(id, wanted.branch, "pause", wanted)

    @router.post("/autonomy/resume", operation_id="resume_autonomy", responses=post_responses())
    async def resume(id: ChatId, line: BranchRequest) -> AutonomyView:
        """Have it go on."""
        return await controlled(id, line.branch, "resume")

    @router.post("/autonomy/trigger", operation_id="trigger_autonomy", responses=post_responses())
    async def trigger(id: ChatId, wanted: TriggerRequest) -> AutonomyView:
        """Have it think about what to do as soon as it may."""
        life = await lived(id, wanted.branch)
        await asyncio.to_thread(lambda: life.doings.prompt(life.clock.now(), wanted.note))
        return await asyncio.to_thread(status_of, life)

    @router.get("/autonomy/why", operation_id="explain_autonomy", responses=get_responses())
    async def why(
        id: ChatId, limit: Annotated[int, Query(ge=1, le=MOST_CONSIDERED)] = 20, branch: OnBranch = MAIN
    ) -> list[DeliberationRecord]:
        """What was decided lately, newest first: why, and what came of it, or why nothing did."""
        return await asyncio.to_thread(recent_deliberations, (await lived(id, branch)).doings, limit)

    @router.get("/autonomy/digest", operation_id="digest_autonomy", responses=get_responses())
    async def told(id: ChatId, since: AwareDatetime | None = None, branch: OnBranch = MAIN) -> Digest:
        """What was done since some time; without one, since the user last said something."""
        life = await lived(id, branch)
        now = await asyncio.to_thread(life.clock.now)
        return await asyncio.to_thread(build_digest, life.doings, since or away_since(life.doings, now - A_DAY), now)

    @router.get("/autonomy/clock", operation_id="read_clock", responses=get_responses())
    async def clock(id: ChatId, branch: OnBranch = MAIN) -> ClockTime:
        """What time it is in the chat."""
        return await asyncio.to_thread(_time, await lived(id, branch))

    @router.post("/autonomy/clock", operation_id="move_clock", responses=post_responses())
    async def move(id: ChatId, wanted: ClockRequest) -> ClockTime:
        """Move the chat's clock on, or back to the world's time."""
        life = await lived(id, wanted.branch)
        await asyncio.to_thread(_move_clock, life, wanted)
        return await asyncio.to_thread(_time, life)

    @router.get(
        "/events",
        operation_id="watch_chat",
        response_class=Response,
        responses={**STREAM_RESPONSES, **get_responses(429)},
    )
    async def events(
        id: ChatId,
        branch: OnBranch = MAIN,
        after: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
        last_event_id: Annotated[str | None, Header(max_length=MOST_NOTE)] = None,
    ) -> EventStream:
        """What happens from now on, or after the event whose id was seen last."""
        await lived(id, branch)
        line = line_of(await asyncio.to_thread(chat_at, journal, id), branch)
        seen = last_event_id if last_event_id is not None else None if after is None else str(after)
        return tails.open(ChatWatcher(ChatFeed(journal, line)), seen)

    return router


def _pause_end(pause: PauseRequest, now: datetime) -> datetime | None:
    if pause.until is not None and pause.until <= now:
        raise UsageError("autonomy.not-to-come", found=pause.until.isoformat())
    return pause.until or (now + timedelta(seconds=pause.seconds) if pause.seconds else None)


def _move_clock(life: LogAndClock, wanted: ClockRequest) -> None:
    if wanted.reset:
        life.clock.reset()
    if wanted.advance:
        life.clock.advance(timedelta(seconds=wanted.advance))


def _time(life: LogAndClock) -> ClockTime:
    ahead = life.doings.memories.moment(life.doings.garden, life.doings.branch).clock_ahead
    return ClockTime(now=life.clock.now(), clock_ahead=ahead.total_seconds())
