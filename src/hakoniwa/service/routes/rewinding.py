"""/v1/gardens/{id}: going back in a garden. Turns taken back, played anew or put in other words, and other lines."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from hakoniwa.journal import Branch
from hakoniwa.journal.takes import go_back
from hakoniwa.play.session import Session
from hakoniwa.play.turn import GivenWords, play_turn
from hakoniwa.service.garden_events import (
    MOST_TURNS,
    TURN_RESPONSES,
    ChangeResult,
    PlayedTurn,
    apply_change,
    turn_response,
)
from hakoniwa.service.live_gardens import LiveGarden, LiveGardens
from hakoniwa.service.requests import BranchRequest, Id, NewId, Text, post_responses, strict_router
from hakoniwa.service.takes import choice_event, take_back, turn_at
from hakoniwa.turn import Turn

GardenAt = Annotated[Id, Path(alias="id")]
TurnNumber = Annotated[int, Field(ge=0, le=MOST_TURNS, strict=True)]


class UndoRequest(BranchRequest):
    """How many turns are to be taken back."""

    turns: Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)] = 1


class ForkRequest(BranchRequest):
    """Another line of play, from the end of a turn on, or from now."""

    name: NewId
    turn: TurnNumber | None = None


class EditRequest(BranchRequest):
    """Other words for a turn, in the form in which a character performs; without a number, for the last one."""

    text: Text
    turn: Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)] | None = None


class ChooseRequest(BranchRequest):
    """An earlier take to go on from, by the name of its branch."""

    take: Id


def rewinding_routes(stages: LiveGardens) -> APIRouter:
    router, journal = strict_router("/v1/gardens/{id}", "gardens"), stages.journal

    @router.post("/undo", operation_id="undo_turns", responses=post_responses())
    async def undo(id: GardenAt, wanted: UndoRequest) -> ChangeResult:
        """Take turns back; they stay in the journal. Whoever is speaking is stopped, and so is the play."""
        stage = await stages.at(id, wanted.branch)
        await stage.stop()
        await stage.change(lambda session: session.undo(wanted.turns))
        return ChangeResult(seq=stage.reel.head, turn=stage.reel.standing.world.time.turn)

    @router.post(
        "/regenerate", operation_id="regenerate_turn", response_model=PlayedTurn, response_class=JSONResponse,
        responses={**TURN_RESPONSES, **post_responses(502)},
    )  # fmt: skip
    async def regenerate(id: GardenAt, line: BranchRequest, request: Request) -> Response:
        """The last turn anew; the one before is kept as a take."""
        stage = await stages.at(id, line.branch)
        await stage.stop()
        return await turn_response(stage, request, take_back)

    @router.post("/edit", operation_id="edit_turn", responses=post_responses())
    async def edit(id: GardenAt, wanted: EditRequest) -> ChangeResult:
        """A turn in other words, judged anew. The line as it was, with all that came after, is kept as a take."""
        stage = await stages.at(id, wanted.branch)
        await stage.stop()
        return await rewrite_turn(stage, wanted)

    @router.post("/choose", operation_id="choose_take", responses=post_responses())
    async def choose(id: GardenAt, wanted: ChooseRequest) -> ChangeResult:
        """Go on from an earlier take; the line as it is now is kept as another."""
        stage = await stages.at(id, wanted.branch)
        await stage.stop()
        await stage.rewrite(lambda turn: go_back(journal, id, wanted.branch, wanted.take, turn))
        return await apply_change(stage, lambda session: session.commit([choice_event(session, wanted.take)]))

    @router.post("/fork", operation_id="fork_garden", status_code=201, responses=post_responses())
    async def fork(id: GardenAt, wanted: ForkRequest) -> Branch:
        """Begin another line of play; this one stays as it is."""
        reel = (await stages.at(id, wanted.branch)).reel
        places = len(reel.rows) if wanted.turn is None else reel.until(wanted.turn)
        seq = reel.rows.seqs[places - 1] if places else None
        return await asyncio.to_thread(journal.fork, id, wanted.branch, wanted.name, seq)

    return router


async def rewrite_turn(stage: LiveGarden, wanted: EditRequest) -> ChangeResult:
    """Take a turn back, and have the one who had it say and do something else; what they thought stays."""
    was: Turn | None = None

    async def taken_back(session: Session) -> None:
        nonlocal was
        was = turn_at(session, wanted.turn)
        await take_back(session, was.number)

    async def played(session: Session) -> object:
        assert was is not None, "nothing is played before what it takes the place of is taken back"
        return await play_turn(session, was.speaker, GivenWords(wanted.text, was.thought))

    return await apply_change(stage, played, taken_back)
