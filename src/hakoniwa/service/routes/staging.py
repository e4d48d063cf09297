"""/v1/gardens/{id}: taking part in a garden. Turns, words, acts, things, incidents, and who speaks."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field, model_validator

from hakoniwa.gm.act import act_of, stage_direction
from hakoniwa.gm.typed import TypedLine
from hakoniwa.play.loop import resume
from hakoniwa.play.plain_words import reading_told
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.play.user_acts import drop_prop, goes_on, mute, nominate, pin, read_line, ring_incident, speak, unmute
from hakoniwa.service.garden_events import (
    MOST_TURNS,
    TURN_RESPONSES,
    ChangeResult,
    PlayedTurn,
    apply_change,
    turn_response,
)
from hakoniwa.service.live_gardens import SLOWEST, LiveGardens, Pace
from hakoniwa.service.requests import BranchRequest, Id, Label, Text, post_responses, strict_router
from hakoniwa.service.views import PossibleAct, listed_act
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import DeniedReason, Event, Turn, Value

GardenAt = Annotated[Id, Path(alias="id")]
Turns = Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)]


class RunRequest(BranchRequest):
    """How a garden is to play by itself: so many `turns` or until something stops it, `speed` seconds apart."""

    turns: Turns | None = None
    speed: Annotated[float, Field(ge=0, le=SLOWEST, strict=True)] | None = None


class SpeakRequest(BranchRequest):
    """What the user says as a voice: to everybody where the camera is, or in a whisper `to` one of the people."""

    text: Text
    to: Id | None = None


class ActRequest(BranchRequest):
    """What the user says and does as one of the people, or the tag of a possible act.

    A line that can be read in two ways is not played before it comes again: with `confirm`, or in other words."""

    who: Id
    text: Text
    confirm: bool = False


class LineReading(Value):
    """A line that can be read in two ways: as `done`, with what it is `read` as in words, or as `said`."""

    done: str
    said: str
    read: tuple[str, ...]
    unread: tuple[str, ...]


class ActDenial(Value):
    """Why an act cannot be done, and what could be done instead."""

    reason: DeniedReason
    why: str
    instead: tuple[PossibleAct, ...]


class ActResult(ChangeResult):
    """What came of a line: a turn, and its `denial` if it cannot be done; or a question, and nothing has happened."""

    question: LineReading | None = None
    denial: ActDenial | None = None


class DropRequest(BranchRequest):
    """A thing to bring in: into a room, in or on another thing, or where the camera is."""

    name: Label
    place: Label | None = None


class RingRequest(BranchRequest):
    """An incident of the scenario to bring about."""

    incident: Label


class CueRequest(BranchRequest):
    """Who is to speak next, to keep silent or not any more, or to have every turn; `unpin` needs nobody."""

    cue: Literal["next", "mute", "unmute", "pin", "unpin"]
    who: Id | None = None

    @model_validator(mode="after")
    def _of_somebody(self) -> "CueRequest":
        if self.who is None and self.cue != "unpin":
            raise ValueError("who is needed")
        return self


CUES: dict[str, Callable[[Session, str], Event]] = {
    "next": nominate,
    "mute": mute,
    "unmute": unmute,
    "pin": pin,
    "unpin": lambda session, _: pin(session, None),
}


def staging_routes(stages: LiveGardens) -> APIRouter:
    router = strict_router("/v1/gardens/{id}", "gardens")

    @router.post(
        "/turn", operation_id="play_turn", response_model=PlayedTurn, response_class=JSONResponse,
        responses={**TURN_RESPONSES, **post_responses(502)},
    )  # fmt: skip
    async def turn(id: GardenAt, line: BranchRequest, request: Request) -> Response:
        """The next turn. It comes piece by piece; closing the connection stops it, and nothing of it has happened."""
        return await turn_response(await stages.at(id, line.branch), request)

    @router.post(
        "/continue", operation_id="continue_turn", response_model=PlayedTurn, response_class=JSONResponse,
        responses={**TURN_RESPONSES, **post_responses(502)},
    )  # fmt: skip
    async def go_on(id: GardenAt, line: BranchRequest, request: Request) -> Response:
        """Another turn of whoever had the last one, in which they go on from what they said."""
        stage = await stages.at(id, line.branch)
        return await turn_response(stage, request, lambda session: session.commit([goes_on(session)]))

    @router.post("/run", operation_id="run_garden", responses=post_responses(429))
    async def run(id: GardenAt, wanted: RunRequest) -> Pace:
        """Have the garden play by itself, or at another pace."""
        stage = await stages.at(id, wanted.branch)
        stages.run(stage, wanted.turns, wanted.speed)
        return stage.pace

    @router.post("/pause", operation_id="pause_garden", responses=post_responses())
    async def pause(id: GardenAt, line: BranchRequest) -> Pace:
        """Have it play no more turns after the one that is being played."""
        stage = await stages.at(id, line.branch)
        stage.pause()
        return stage.pace

    @router.post("/stop", operation_id="stop_garden", responses=post_responses())
    async def stop(id: GardenAt, line: BranchRequest) -> Pace:
        """Have it play no more, and whoever is speaking be silent; nothing of what they began has happened."""
        stage = await stages.at(id, line.branch)
        await stage.stop()
        return stage.pace

    @router.post("/say", operation_id="say_in_garden", responses=post_responses())
    async def say(id: GardenAt, said: SpeakRequest) -> ChangeResult:
        """Say something as a voice."""

        async def spoken(session: Session) -> object:
            return await speak(session, said.text, session.member(said.to) if said.to else None)

        return await apply_change(await stages.at(id, said.branch), spoken)

    @router.post("/act", operation_id="act_in_garden", responses=post_responses())
    async def act(id: GardenAt, acted: ActRequest) -> ActResult:
        """A turn as one of the people, which is judged like any other, and is not put in other words."""
        question: LineReading | None = None
        denial: ActDenial | None = None

        async def played(session: Session) -> object:
            nonlocal question, denial
            who, world = session.member(acted.who), session.world
            line = read_line(session, who, acted.text)
            if line.otherwise is not None and not acted.confirm:
                question = _both_readings(line, world)
                return question
            await resume(session)
            turn = await user_turn(session, who, line.reply, confirmed=acted.confirm)
            denial = _denial(turn, world)
            return turn

        result = await apply_change(await stages.at(id, acted.branch), played)
        return ActResult(**dict(result), question=question, denial=denial)

    @router.post("/prop", operation_id="drop_prop", responses=post_responses())
    async def prop(id: GardenAt, wanted: DropRequest) -> ChangeResult:
        """Bring a thing into the world."""
        return await written(id, wanted, lambda session: drop_prop(session.world, wanted.name, wanted.place))

    @router.post("/incident", operation_id="ring_incident", responses=post_responses())
    async def incident(id: GardenAt, wanted: RingRequest) -> ChangeResult:
        """Bring an incident about."""
        return await written(id, wanted, lambda session: ring_incident(session, wanted.incident))

    @router.post("/cue", operation_id="cue", responses=post_responses())
    async def cue(id: GardenAt, wanted: CueRequest) -> ChangeResult:
        """Say who speaks."""
        return await written(id, wanted, lambda session: _cue(session, wanted))

    async def written(id: str, line: BranchRequest, event: Callable[[Session], Event]) -> ChangeResult:
        return await apply_change(await stages.at(id, line.branch), lambda session: session.commit([event(session)]))

    return router


def _both_readings(line: TypedLine, world: WorldState) -> LineReading:
    read = reading_told(world, line, world.language)
    return LineReading(done=line.reply, said=line.otherwise or "", read=read, unread=line.parsed.unread)


def _denial(turn: Turn, world: WorldState) -> ActDenial | None:
    """What a user is told of a turn that could not be done."""
    ruling = turn.take.ruling
    if ruling.explanation is None:
        return None
    acts = [act for tag in ruling.explanation.instead if (act := act_of(tag))]
    instead = tuple(listed_act(act, stage_direction(world, act, world.language)) for act in acts)
    return ActDenial(reason=ruling.explanation.reason, why=ruling.explanation.told, instead=instead)


def _cue(session: Session, wanted: CueRequest) -> Event:
    return CUES[wanted.cue](session, session.member(wanted.who)) if wanted.who else pin(session, None)
