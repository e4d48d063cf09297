"""/v1/chats/{id}/autonomy and /v1/chats/{id}/events: a persona between exchanges, and what happens as it happens."""

import asyncio
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Header, Query, Response
from pydantic import AwareDatetime, Field, model_validator

from hakoniwa.app.autonomy import manners_of
from hakoniwa.errors import UsageError
from hakoniwa.ghost.autonomy.clock import Clock
from hakoniwa.ghost.autonomy.digest import Digest, away_since, digest
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.inspect import Considered, Standing, considered, standing
from hakoniwa.ghost.autonomy.rows import Act
from hakoniwa.journal import MAIN
from hakoniwa.service.caretaker import Care, Caretaker
from hakoniwa.service.fields import LARGEST, LINES, ChatId, OnBranch, OnLine
from hakoniwa.service.residents import Residents
from hakoniwa.service.routes.chats import chat_at
from hakoniwa.service.strict import gets, posts, strict_router
from hakoniwa.service.tail import Tailing, Tails, described_news
from hakoniwa.service.wishes import STREAM
from hakoniwa.turn import Value

MOST_CONSIDERED = 100
MOST_NOTE = 400
NO_WORKER = {"hindrance": "no-worker", "next_heartbeat": None}
A_DAY, A_YEAR = timedelta(days=1), timedelta(days=366)
WATCHED: dict[int | str, dict[str, Any]] = {
    200: {"description": "What happens, as it happens", "content": {STREAM: {"schema": described_news()}}}
}

Seconds = Annotated[float, Field(gt=0, le=A_YEAR.total_seconds(), strict=True)]


class Pause(OnLine):
    """How long to rest: `until` some time by the chat's clock, for so many `seconds`, or until told to go on."""

    until: AwareDatetime | None = None
    seconds: Seconds | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "Pause":
        if self.until and self.seconds:
            raise ValueError("until or seconds, not both")
        return self


class Prompted(OnLine):
    """A reason to think about what to do, in a few words."""

    note: Annotated[str, Field(max_length=MOST_NOTE, pattern=LINES)] = ""


class ClockMove(OnLine):
    """How the chat's clock is moved: first back to the world's time, if so, then on by so many seconds."""

    reset: bool = False
    advance: Annotated[float, Field(ge=0, le=A_YEAR.total_seconds(), strict=True)] = 0


class ClockTime(Value):
    """What time it is in the chat, and by how many seconds that is ahead of the world's."""

    now: datetime
    clock_ahead: float


class LifeStatus(Standing):
    """How things stand, and whether this server looks after those who live by themselves."""

    care: Care


class Life(NamedTuple):
    """What a persona did by itself, and the time by which it lives."""

    doings: Doings
    clock: Clock


def autonomy_routes(residents: Residents, caretaker: Caretaker, tails: Tails) -> APIRouter:
    router, journal = strict_router("/v1/chats/{id}", "autonomy"), residents.journal
    manners = manners_of(residents.settings)

    async def lived(id: str, branch: str) -> Life:
        resident = await residents.at(await asyncio.to_thread(chat_at, journal, id), branch)
        return Life(await resident.doings(), resident.clock)

    def status_of(life: Life) -> LifeStatus:
        now = standing(life.doings.follow(), manners, life.clock)
        prevented = NO_WORKER if now.on and caretaker.care == "impossible" else {}
        return LifeStatus(**{**dict(now), **prevented, "care": caretaker.care})

    async def controlled(id: str, branch: str, act: Act, pause: Pause | None = None) -> LifeStatus:
        life = await lived(id, branch)

        def done() -> LifeStatus:
            now = life.clock.now()
            life.doings.control(act, now, _until(pause, now) if pause else None)
            return status_of(life)

        return await asyncio.to_thread(done)

    @router.get("/autonomy", operation_id="read_autonomy", responses=gets())
    async def status(id: ChatId, branch: OnBranch = MAIN) -> LifeStatus:
        """Whether the persona lives by itself, what it is doing, what is waiting, and what stands against it."""
        return await asyncio.to_thread(status_of, await lived(id, branch))

    @router.post("/autonomy/start", operation_id="start_autonomy", responses=posts())
    async def start(id: ChatId, line: OnLine) -> LifeStatus:
        """Let the persona live by itself; refused where nothing can carry that out."""
        await lived(id, line.branch)
        await caretaker.ready()
        return await controlled(id, line.branch, "start")

    @router.post("/autonomy/stop", operation_id="stop_autonomy", responses=posts())
    async def stop(id: ChatId, line: OnLine) -> LifeStatus:
        """Let it only answer again."""
        return await controlled(id, line.branch, "stop")

    @router.post("/autonomy/pause", operation_id="pause_autonomy", responses=posts())
    async def pause(id: ChatId, wanted: Pause) -> LifeStatus:
        """Have it rest."""
        return await controlled(id, wanted.branch, "pause", wanted)

    @router.post("/autonomy/resume", operation_id="resume_autonomy", responses=posts())
    async def resume(id: ChatId, line: OnLine) -> LifeStatus:
        """Have it go on."""
        return await controlled(id, line.branch, "resume")

    @router.post("/autonomy/trigger", operation_id="trigger_autonomy", responses=posts())
    async def trigger(id: ChatId, wanted: Prompted) -> LifeStatus:
        """Have it think about what to do as soon as it may."""
        life = await lived(id, wanted.branch)
        await asyncio.to_thread(lambda: life.doings.prompt(life.clock.now(), wanted.note))
        return await asyncio.to_thread(status_of, life)

    @router.get("/autonomy/why", operation_id="explain_autonomy", responses=gets())
    async def why(
        id: ChatId, limit: Annotated[int, Query(ge=1, le=MOST_CONSIDERED)] = 20, branch: OnBranch = MAIN
    ) -> list[Considered]:
        """What was decided lately, newest first: why, and what came of it, or why nothing did."""
        return await asyncio.to_thread(considered, (await lived(id, branch)).doings, limit)

    @router.get("/autonomy/digest", operation_id="digest_autonomy", responses=gets())
    async def told(id: ChatId, since: AwareDatetime | None = None, branch: OnBranch = MAIN) -> Digest:
        """What was done since some time; without one, since the user last said something."""
        life = await lived(id, branch)
        now = await asyncio.to_thread(life.clock.now)
        return await asyncio.to_thread(digest, life.doings, since or away_since(life.doings, now - A_DAY), now)

    @router.get("/autonomy/clock", operation_id="read_clock", responses=gets())
    async def clock(id: ChatId, branch: OnBranch = MAIN) -> ClockTime:
        """What time it is in the chat."""
        return await asyncio.to_thread(_time, await lived(id, branch))

    @router.post("/autonomy/clock", operation_id="move_clock", responses=posts())
    async def move(id: ChatId, wanted: ClockMove) -> ClockTime:
        """Move the chat's clock on, or back to the world's time."""
        life = await lived(id, wanted.branch)
        await asyncio.to_thread(_moved, life, wanted)
        return await asyncio.to_thread(_time, life)

    @router.get("/events", operation_id="watch_chat", response_class=Response, responses={**WATCHED, **gets(429)})
    async def events(
        id: ChatId,
        branch: OnBranch = MAIN,
        after: Annotated[int | None, Query(ge=0, le=LARGEST)] = None,
        last_event_id: Annotated[str | None, Header(max_length=MOST_NOTE)] = None,
    ) -> Tailing:
        """What happens from now on, or after the event whose id was seen last."""
        await lived(id, branch)
        seen = last_event_id if last_event_id is not None else None if after is None else str(after)
        return tails.open(id, branch, seen)

    return router


def _until(pause: Pause, now: datetime) -> datetime | None:
    if pause.until is not None and pause.until <= now:
        raise UsageError("autonomy.not-to-come", found=pause.until.isoformat())
    return pause.until or (now + timedelta(seconds=pause.seconds) if pause.seconds else None)


def _moved(life: Life, wanted: ClockMove) -> None:
    if wanted.reset:
        life.clock.reset()
    if wanted.advance:
        life.clock.advance(timedelta(seconds=wanted.advance))


def _time(life: Life) -> ClockTime:
    ahead = life.doings.memories.moment(life.doings.garden, life.doings.branch).clock_ahead
    return ClockTime(now=life.clock.now(), clock_ahead=ahead.total_seconds())
