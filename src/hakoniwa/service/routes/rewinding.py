"""/v1/gardens/{id}: going back in a garden. Turns taken back, played anew or put in other words, and other lines."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from hakoniwa.journal import Branch
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.service.deeds import MOST_TURNS, PLAYED, Done, done, performed
from hakoniwa.service.fields import Id, NewId, OnLine, Text
from hakoniwa.service.performing import Played
from hakoniwa.service.stage import Stage
from hakoniwa.service.stages import Stages
from hakoniwa.service.strict import posts, strict_router
from hakoniwa.service.takes import chosen, go_back, take_back, turn_at
from hakoniwa.turn import Turn

GardenAt = Annotated[Id, Path(alias="id")]
TurnNumber = Annotated[int, Field(ge=0, le=MOST_TURNS, strict=True)]


class Undone(OnLine):
    """How many turns are to be taken back."""

    turns: Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)] = 1


class Forked(OnLine):
    """Another line of play, from the end of a turn on, or from now."""

    name: NewId
    turn: TurnNumber | None = None


class Edited(OnLine):
    """Other words for a turn, in the form in which a character performs; without a number, for the last one."""

    text: Text
    turn: Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)] | None = None


class Chosen(OnLine):
    """An earlier take to go on from, by the name of its branch."""

    take: Id


def rewinding_routes(stages: Stages) -> APIRouter:
    router, journal = strict_router("/v1/gardens/{id}", "gardens"), stages.journal

    @router.post("/undo", operation_id="undo_turns", responses=posts())
    async def undo(id: GardenAt, wanted: Undone) -> Done:
        """Take turns back; they stay in the journal. Whoever is speaking is stopped, and so is the play."""
        stage = await stages.at(id, wanted.branch)
        await stage.stop()
        await stage.change(lambda session: session.undo(wanted.turns))
        return Done(seq=stage.reel.head, turn=stage.reel.standing.world.time.turn)

    @router.post(
        "/regenerate", operation_id="regenerate_turn", response_model=Played, response_class=JSONResponse,
        responses={**PLAYED, **posts(502)},
    )  # fmt: skip
    async def regenerate(id: GardenAt, line: OnLine, request: Request) -> Response:
        """The last turn anew; the one before is kept as a take."""
        stage = await stages.at(id, line.branch)
        await stage.stop()
        return await performed(stage, request, take_back)

    @router.post("/edit", operation_id="edit_turn", responses=posts())
    async def edit(id: GardenAt, wanted: Edited) -> Done:
        """A turn in other words, judged anew. The line as it was, with all that came after, is kept as a take."""
        stage = await stages.at(id, wanted.branch)
        await stage.stop()
        return await rewritten(stage, wanted)

    @router.post("/choose", operation_id="choose_take", responses=posts())
    async def choose(id: GardenAt, wanted: Chosen) -> Done:
        """Go on from an earlier take; the line as it is now is kept as another."""
        stage = await stages.at(id, wanted.branch)
        await stage.stop()
        await stage.rewrite(lambda turn: go_back(journal, id, wanted.branch, wanted.take, turn))
        return await done(stage, lambda session: session.commit([chosen(session, wanted.take)]))

    @router.post("/fork", operation_id="fork_garden", status_code=201, responses=posts())
    async def fork(id: GardenAt, wanted: Forked) -> Branch:
        """Begin another line of play; this one stays as it is."""
        reel = (await stages.at(id, wanted.branch)).reel
        places = len(reel.rows) if wanted.turn is None else reel.until(wanted.turn)
        seq = reel.rows.seqs[places - 1] if places else None
        return await asyncio.to_thread(journal.fork, id, wanted.branch, wanted.name, seq)

    return router


async def rewritten(stage: Stage, wanted: Edited) -> Done:
    """Take a turn back, and have the one who had it say and do something else; what they thought stays."""
    was: Turn | None = None

    async def taken_back(session: Session) -> None:
        nonlocal was
        was = turn_at(session, wanted.turn)
        await take_back(session, was.number)

    async def played(session: Session) -> object:
        assert was is not None, "nothing is played before what it takes the place of is taken back"
        return await user_turn(session, was.speaker, wanted.text, was.thought)

    return await done(stage, played, taken_back)
