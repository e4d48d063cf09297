"""/v1/memory: what somebody remembers, why it came to mind, and how to make them forget."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from hakoniwa.app.autonomy import spool_of
from hakoniwa.app.chats import persona_by_name, time_of
from hakoniwa.app.memory_inspection import (
    EventTrace,
    InnerLife,
    compare,
    inner_life,
    runs_of,
    search,
    substitute_persona,
    trace,
)
from hakoniwa.app.memory_inspection import forget as purge
from hakoniwa.app.user_files import UserFiles, sheet_at
from hakoniwa.journal import MAIN
from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Recall
from hakoniwa.memory.store import ForgetResult, MemoryStats, RetrievalRun
from hakoniwa.service.requests import (
    LARGEST,
    MAX_FORGOTTEN,
    MAX_QUERY,
    PLAIN,
    BranchRequest,
    GardenId,
    Label,
    OnBranch,
    Seq,
    Text,
    Who,
    get_responses,
    post_responses,
    strict_router,
)
from hakoniwa.service.residents import OpenGhost, OpenGhosts
from hakoniwa.turn import Value

MOST_FOUND, MOST_RUNS = 100, 100

Number = Annotated[int, Path(ge=1, le=LARGEST)]
Words = Annotated[str, Query(min_length=1, max_length=MAX_QUERY, pattern=PLAIN)]


class ForgetRequest(BranchRequest):
    """Events to purge, for good."""

    events: tuple[Seq, ...] = Field(min_length=1, max_length=MAX_FORGOTTEN)


class CompareRequest(BranchRequest):
    """Something to be heard by two: whose memory it is, and the persona of any sheet."""

    text: Text
    persona: Label


class MindComparison(Value):
    """What the same words bring to two minds; `overlap` is 1 where that is the same, and 0 where nothing is."""

    overlap: float
    names: tuple[str, str]
    one: Recall
    other: Recall


def memory_routes(residents: OpenGhosts) -> APIRouter:
    router, shelf = strict_router("/v1/memory/{garden}/{who}", "memory"), UserFiles(residents.settings.home)

    async def at(garden: str, who: str, branch: str) -> OpenGhost:
        return await residents.at(await asyncio.to_thread(residents.journal.garden, garden), branch, who)

    async def seen(garden: str, who: str, branch: str) -> Ghost:
        return await (await at(garden, who, branch)).seen()

    @router.get("/search", operation_id="search_memory", responses=get_responses())
    async def find(
        garden: GardenId, who: Who, q: Words, limit: Annotated[int, Query(ge=1, le=MOST_FOUND)] = 12,
        branch: OnBranch = MAIN,
    ) -> list[Candidate]:  # fmt: skip
        """What there is about something, the most fitting first."""
        ghost = await seen(garden, who, branch)
        return list(await search(ghost, q, await asyncio.to_thread(time_of, ghost), limit))

    @router.get("/events/{seq}", operation_id="read_event", responses=get_responses())
    async def event(garden: GardenId, who: Who, seq: Number, branch: OnBranch = MAIN) -> EventTrace:
        """One event, and all that hangs on it."""
        return await asyncio.to_thread(trace, await seen(garden, who, branch), seq)

    @router.get("/inner", operation_id="read_inner_life", responses=get_responses())
    async def inner(garden: GardenId, who: Who, branch: OnBranch = MAIN) -> InnerLife:
        """What a persona holds to be so, likes and is after, its mood and what has its attention."""
        ghost = await seen(garden, who, branch)
        return await asyncio.to_thread(lambda: inner_life(ghost, time_of(ghost)))

    @router.get("/stats", operation_id="count_memory", responses=get_responses())
    async def stats(garden: GardenId, who: Who, branch: OnBranch = MAIN) -> MemoryStats:
        """How much is remembered."""
        ghost = await seen(garden, who, branch)
        return await asyncio.to_thread(ghost.memories.stats, ghost.scope)

    @router.get("/runs", operation_id="read_runs", responses=get_responses())
    async def runs(
        garden: GardenId, who: Who, limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 20, branch: OnBranch = MAIN
    ) -> list[RetrievalRun]:
        """What was called to mind lately: the plan, what was considered, what was chosen and why; newest first."""
        ghost = await seen(garden, who, branch)
        return await asyncio.to_thread(runs_of, ghost, limit)

    @router.post("/forget", operation_id="forget", responses=post_responses())
    async def forget(garden: GardenId, who: Who, wanted: ForgetRequest) -> ForgetResult:
        """Purge events for good, with what came of them alone; says what was removed."""
        home = (await seen(garden, who, wanted.branch)).garden
        async with residents.all_alone(home):
            ghost, spool = await seen(garden, who, wanted.branch), spool_of(residents.settings)
            return await asyncio.to_thread(purge, ghost, wanted.events, spool)

    @router.post("/compare", operation_id="compare_personas", responses=post_responses(502))
    async def side_by_side(garden: GardenId, who: Who, asked: CompareRequest) -> MindComparison:
        """What the same words, over the same memory, bring to the mind of its own persona and of another."""
        resident = await at(garden, who, asked.branch)
        sheet, _ = await asyncio.to_thread(sheet_at, shelf, asked.persona)
        other = await asyncio.to_thread(persona_by_name, residents.journal, residents.settings, asked.persona, sheet)
        ghost, model = await resident.seen(), await resident.model()
        now = await asyncio.to_thread(time_of, ghost)
        made = await compare(ghost, substitute_persona(ghost, *other), asked.text, now, model)
        return MindComparison(
            overlap=made.overlap, names=(ghost.persona.name, other[0].name), one=made.one, other=made.other
        )

    return router
