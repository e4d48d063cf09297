"""/v1/gardens/{id}: taking part in a garden. Turns, words, acts, things, incidents, and who speaks."""

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field, model_validator

from hakoniwa.app.voice import speak
from hakoniwa.play.cue import goes_on, muted, nominated, pinned, unmuted
from hakoniwa.play.loop import resume
from hakoniwa.play.meddle import dropped, rung
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.service.deeds import MOST_TURNS, PLAYED, Done, done, performed
from hakoniwa.service.fields import Id, Label, OnLine, Text
from hakoniwa.service.pace import SLOWEST, Pace
from hakoniwa.service.performing import Played
from hakoniwa.service.stages import Stages
from hakoniwa.service.strict import posts, strict_router
from hakoniwa.turn import Event

GardenAt = Annotated[Id, Path(alias="id")]
Turns = Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)]


class Going(OnLine):
    """How a garden is to play by itself: so many `turns` or until something stops it, `speed` seconds apart."""

    turns: Turns | None = None
    speed: Annotated[float, Field(ge=0, le=SLOWEST, strict=True)] | None = None


class Spoken(OnLine):
    """What the user says as a voice: to everybody where the camera is, or in a whisper `to` one of the people."""

    text: Text
    to: Id | None = None


class Acted(OnLine):
    """What the user does as one of the people: in words as a character would, or the tag of a possible act."""

    who: Id
    text: Text


class Dropped(OnLine):
    """A thing to bring in: into a room, in or on another thing, or where the camera is."""

    name: Label
    place: Label | None = None


class Rung(OnLine):
    """An incident of the scenario to bring about."""

    incident: Label


class Cued(OnLine):
    """Who is to speak next, to keep silent or not any more, or to have every turn; `unpin` needs nobody."""

    cue: Literal["next", "mute", "unmute", "pin", "unpin"]
    who: Id | None = None

    @model_validator(mode="after")
    def _of_somebody(self) -> "Cued":
        if self.who is None and self.cue != "unpin":
            raise ValueError("who is needed")
        return self


CUES: dict[str, Callable[[Session, str], Event]] = {
    "next": nominated,
    "mute": muted,
    "unmute": unmuted,
    "pin": pinned,
    "unpin": lambda session, _: pinned(session, None),
}


def staging_routes(stages: Stages) -> APIRouter:
    router = strict_router("/v1/gardens/{id}", "gardens")

    @router.post(
        "/turn", operation_id="play_turn", response_model=Played, response_class=JSONResponse,
        responses={**PLAYED, **posts(502)},
    )  # fmt: skip
    async def turn(id: GardenAt, line: OnLine, request: Request) -> Response:
        """The next turn. It comes piece by piece; closing the connection stops it, and nothing of it has happened."""
        return await performed(await stages.at(id, line.branch), request)

    @router.post(
        "/continue", operation_id="continue_turn", response_model=Played, response_class=JSONResponse,
        responses={**PLAYED, **posts(502)},
    )  # fmt: skip
    async def go_on(id: GardenAt, line: OnLine, request: Request) -> Response:
        """Another turn of whoever had the last one, in which they go on from what they said."""
        stage = await stages.at(id, line.branch)
        return await performed(stage, request, lambda session: session.commit([goes_on(session)]))

    @router.post("/run", operation_id="run_garden", responses=posts(429))
    async def run(id: GardenAt, wanted: Going) -> Pace:
        """Have the garden play by itself, or at another pace."""
        stage = await stages.at(id, wanted.branch)
        stages.run(stage, wanted.turns, wanted.speed)
        return stage.pace

    @router.post("/pause", operation_id="pause_garden", responses=posts())
    async def pause(id: GardenAt, line: OnLine) -> Pace:
        """Have it play no more turns after the one that is being played."""
        stage = await stages.at(id, line.branch)
        stage.pause()
        return stage.pace

    @router.post("/stop", operation_id="stop_garden", responses=posts())
    async def stop(id: GardenAt, line: OnLine) -> Pace:
        """Have it play no more, and whoever is speaking be silent; nothing of what they began has happened."""
        stage = await stages.at(id, line.branch)
        await stage.stop()
        return stage.pace

    @router.post("/say", operation_id="say_in_garden", responses=posts())
    async def say(id: GardenAt, said: Spoken) -> Done:
        """Say something as a voice."""

        async def spoken(session: Session) -> object:
            return await speak(session, said.text, session.member(said.to) if said.to else None)

        return await done(await stages.at(id, said.branch), spoken)

    @router.post("/act", operation_id="act_in_garden", responses=posts())
    async def act(id: GardenAt, acted: Acted) -> Done:
        """A turn as one of the people, which is judged like any other."""

        async def played(session: Session) -> object:
            who = session.member(acted.who)
            await resume(session)
            return await user_turn(session, who, acted.text)

        return await done(await stages.at(id, acted.branch), played)

    @router.post("/prop", operation_id="drop_prop", responses=posts())
    async def prop(id: GardenAt, wanted: Dropped) -> Done:
        """Bring a thing into the world."""
        return await written(id, wanted, lambda session: dropped(session.world, wanted.name, wanted.place))

    @router.post("/incident", operation_id="ring_incident", responses=posts())
    async def incident(id: GardenAt, wanted: Rung) -> Done:
        """Bring an incident about."""
        return await written(id, wanted, lambda session: rung(session, wanted.incident))

    @router.post("/cue", operation_id="cue", responses=posts())
    async def cue(id: GardenAt, wanted: Cued) -> Done:
        """Say who speaks."""
        return await written(id, wanted, lambda session: _cue(session, wanted))

    async def written(id: str, line: OnLine, event: Callable[[Session], Event]) -> Done:
        return await done(await stages.at(id, line.branch), lambda session: session.commit([event(session)]))

    return router


def _cue(session: Session, wanted: Cued) -> Event:
    return CUES[wanted.cue](session, session.member(wanted.who)) if wanted.who else pinned(session, None)
