"""/v1/gardens: gardens to look at, on any line of play and at any turn."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from pydantic import Field

from hakoniwa.app import resumed_session
from hakoniwa.app.garden_file import FileContents, GardenWriter
from hakoniwa.app.gardens import GardenListItem, garden_at, new_garden, summaries, summary
from hakoniwa.app.user_files import UserFiles
from hakoniwa.app.user_personas import UserPersonas
from hakoniwa.errors import UnknownName
from hakoniwa.gm.act import stage_direction
from hakoniwa.gm.options import possible_acts
from hakoniwa.journal import MAIN, Branch, Journal, summary_of
from hakoniwa.journal.follow import row_at
from hakoniwa.journal.takes import TakeOf, take_of
from hakoniwa.play.export import to_html, to_jsonl, to_markdown
from hakoniwa.play.highlights import Highlight
from hakoniwa.service.garden_events import EVENTS, GardenWatcher
from hakoniwa.service.lines import ScriptPage, script_page
from hakoniwa.service.live_gardens import LiveGarden, LiveGardens
from hakoniwa.service.minds import MindView, RelationView, mind_view, relation_views
from hakoniwa.service.page import download
from hakoniwa.service.requests import (
    LARGEST,
    MAX_QUERY,
    PLAIN,
    STREAM,
    Id,
    Label,
    NewId,
    OnBranch,
    get_responses,
    language_of,
    post_responses,
    strict_router,
)
from hakoniwa.service.streams import EventStream, EventStreams
from hakoniwa.service.views import BranchComparison, GardenView, PossibleAct, compare_branches, garden_view, listed_act
from hakoniwa.service.whys import GardenWhy, garden_why
from hakoniwa.service.work_threads import LONG_WORK
from hakoniwa.turn import Value

MOST_GARDENS, MOST_ROWS, MOST_ACTS, SEARCHED = 200, 500, 200, 1_000
DEFAULT_SCENARIO = "kitchen_morning"
FORMS = {
    "md": "text/markdown", "html": "text/html", "jsonl": "application/jsonl", "hakoniwa": "application/octet-stream",
}  # fmt: skip
STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "What happens, as it happens", "content": {STREAM: {"schema": EVENTS.described()}}}
}
EXPORT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A file to keep",
        "content": {kind: {"schema": {"type": "string"}} for kind in FORMS.values()},
    }
}

GardenAt = Annotated[Id, Path(alias="id")]
TurnNumber = Annotated[int | None, Query(ge=0, le=LARGEST)]
RowNumber = Annotated[int | None, Query(ge=0, le=LARGEST)]


class NewGarden(Value):
    """A garden to begin, from a scenario that comes with Hakoniwa or is the user's own; `me` is the persona of the user
    who is one of its people."""

    scenario: Label = DEFAULT_SCENARIO
    name: NewId | None = None
    seed: Annotated[int, Field(ge=0, le=LARGEST, strict=True)] | None = None
    me: Label | None = None


class PossibleActs(Value):
    """What somebody can do now; `total` counts what was found, of which no more are listed than was asked for."""

    who: str
    total: int
    acts: tuple[PossibleAct, ...]


class BranchView(Value):
    """A line of play: where it was forked off, how far it has come, and whether it is an earlier take of a turn."""

    name: str
    parent: str | None
    forked_at: int
    head: int | None
    turn: int
    at: str | None
    take: TakeOf | None
    running: bool


def garden_routes(stages: LiveGardens, watchers: EventStreams, shelf: UserFiles) -> APIRouter:
    router, journal = strict_router("/v1/gardens", "gardens"), stages.journal
    personas = UserPersonas(stages.settings.home)

    @router.get("", operation_id="list_gardens", responses=get_responses())
    async def every(
        limit: Annotated[int, Query(ge=1, le=MOST_GARDENS)] = 50, archived: bool = False
    ) -> list[GardenListItem]:
        """Gardens, or with `archived` those that were put away, the one that was played last first."""
        found = await asyncio.to_thread(summaries, journal, limit, archived)
        return [one.with_field("running", tuple(stages.running(one.id))) for one in found]

    @router.post("", operation_id="new_garden", status_code=201, responses=post_responses())
    async def begin(asked: NewGarden) -> GardenListItem:
        """Begin a garden, up to its opening words."""
        seed = stages.settings.seed if asked.seed is None else asked.seed
        me = await asyncio.to_thread(personas.find, asked.me) if asked.me else None
        garden = await asyncio.to_thread(new_garden, journal, shelf, asked.scenario, seed, asked.name, me)
        await (await stages.at(garden.id, MAIN)).change(lambda session: session.open())
        branches = await asyncio.to_thread(journal.branches, garden.id)
        return await asyncio.to_thread(summary, journal, summary_of(garden, branches))

    @router.get("/{id}", operation_id="read_garden", responses=get_responses())
    async def read(id: GardenAt, request: Request, branch: OnBranch = MAIN, turn: TurnNumber = None) -> GardenView:
        """A garden as it is, or as it was at the end of a turn."""
        return await asyncio.to_thread(garden_view, await stages.at(id, branch), turn, language_of(request))

    @router.get("/{id}/script", operation_id="read_script", responses=get_responses())
    async def script(
        id: GardenAt,
        branch: OnBranch = MAIN,
        before: RowNumber = None,
        after: RowNumber = None,
        turn: TurnNumber = None,
        limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 100,
    ) -> ScriptPage:
        """The script, page by page from the newest, or from a row or a turn."""
        stage = await stages.at(id, branch)
        marks = await stage.marks.at_hand()
        return await asyncio.to_thread(script_page, stage.reel, marks, limit, before, after, turn)

    @router.get("/{id}/highlights", operation_id="read_highlights", responses=get_responses())
    async def highlights(id: GardenAt, branch: OnBranch = MAIN) -> list[Highlight]:
        """The moments of the story that are worth showing, in its order."""
        return await (await stages.at(id, branch)).marks.newest()

    @router.get("/{id}/acts", operation_id="list_acts", responses=get_responses())
    async def acts(
        id: GardenAt,
        who: Annotated[Id, Query()],
        q: Annotated[str, Query(max_length=MAX_QUERY, pattern=PLAIN)] = "",
        limit: Annotated[int, Query(ge=1, le=MOST_ACTS)] = 50,
        branch: OnBranch = MAIN,
    ) -> PossibleActs:
        """What somebody can do now; with `q`, only what has it in its words."""
        return await asyncio.to_thread(_possible_acts, await stages.at(id, branch), who, q, limit)

    @router.get("/{id}/branches", operation_id="list_branches", responses=get_responses())
    async def branches(id: GardenAt) -> list[BranchView]:
        """Every line of play, by name."""
        await asyncio.to_thread(garden_at, journal, id)
        found = await asyncio.to_thread(journal.branches, id)
        return await asyncio.to_thread(_branches, journal, id, found, stages.running(id))

    @router.get("/{id}/compare", operation_id="compare_branches", responses=get_responses())
    async def compare(id: GardenAt, one: Annotated[Id, Query()], other: Annotated[Id, Query()]) -> BranchComparison:
        """Where two lines of play part, and how their worlds differ now."""
        here, there = await stages.at(id, one), await stages.at(id, other)
        return await LONG_WORK.run(compare_branches, here.reel, there.reel)

    @router.get("/{id}/why/{turn}", operation_id="explain_turn", responses=get_responses())
    async def why(
        id: GardenAt, turn: Annotated[int, Path(ge=1, le=LARGEST)], request: Request, branch: OnBranch = MAIN
    ) -> GardenWhy:
        """What stands behind a turn."""
        return await asyncio.to_thread(garden_why, (await stages.at(id, branch)).reel, turn, language_of(request))

    @router.get("/{id}/minds/{who}", operation_id="read_mind", responses=get_responses())
    async def mind(
        id: GardenAt, who: Annotated[Id, Path()], request: Request, branch: OnBranch = MAIN, turn: TurnNumber = None
    ) -> MindView:
        """What somebody believes, wants and feels, now or at the end of a turn."""
        return await asyncio.to_thread(mind_view, (await stages.at(id, branch)).reel, who, turn, language_of(request))

    @router.get("/{id}/relations", operation_id="read_relations", responses=get_responses())
    async def relations(id: GardenAt, branch: OnBranch = MAIN, turn: TurnNumber = None) -> list[RelationView]:
        """What everybody feels for everybody else, now or at the end of a turn, and what moved it."""
        return await asyncio.to_thread(relation_views, (await stages.at(id, branch)).reel, turn)

    @router.get(
        "/{id}/export",
        operation_id="export_garden",
        response_class=Response,
        responses={**EXPORT_RESPONSES, **get_responses()},
    )
    async def export(
        id: GardenAt,
        request: Request,
        format: Literal["md", "html", "jsonl", "hakoniwa"] = "md",
        branch: OnBranch = MAIN,
    ) -> Response:
        """A garden as a script to read, as data to keep, or with all its branches as a file to hand on."""
        await asyncio.to_thread(garden_at, journal, id)
        text = await LONG_WORK.run(_export_garden, journal, id, branch, format, language_of(request))
        return download(text, f"{id}.{format}", FORMS[format])

    @router.get("/{id}/sharing", operation_id="list_shared", responses=get_responses())
    async def sharing(id: GardenAt) -> FileContents:
        """What would go along in a garden file, and what would stay at home."""
        garden = await asyncio.to_thread(garden_at, journal, id)
        return await LONG_WORK.run(lambda: GardenWriter(journal, garden).contents)

    @router.get(
        "/{id}/events",
        operation_id="watch_garden",
        response_class=Response,
        responses={**STREAM_RESPONSES, **get_responses(429)},
    )
    async def events(
        id: GardenAt,
        request: Request,
        branch: OnBranch = MAIN,
        after: RowNumber = None,
        last_event_id: Annotated[str | None, Header(max_length=MAX_QUERY)] = None,
    ) -> EventStream:
        """What happens from now on, or after the row that was seen last."""
        seen = last_event_id if last_event_id is not None else None if after is None else str(after)
        return watchers.open(GardenWatcher(await stages.at(id, branch), language_of(request)), seen)

    return router


def _possible_acts(stage: LiveGarden, who: str, about: str, limit: int) -> PossibleActs:
    """What is possible, looking at things last, as there is always much to look at."""
    reel = stage.reel
    world, language = reel.at(None).world, reel.scenario.language
    if who not in world.characters:
        raise UnknownName("unknown.character", name=who, known=", ".join(world.characters))
    acts = sorted(possible_acts(world, who, limit=SEARCHED), key=lambda act: act.verb.id == "INSPECT")
    told = ((act, stage_direction(world, act, language)) for act in acts)
    found = [(act, words) for act, words in told if about.casefold() in words.casefold()]
    return PossibleActs(who=who, total=len(found), acts=tuple(listed_act(*one) for one in found[:limit]))


def _branches(journal: Journal, garden: str, found: list[Branch], running: list[str]) -> list[BranchView]:
    rows = {one.name: row_at(journal, garden, one.head) for one in found}
    return [
        BranchView(
            name=one.name, parent=one.parent, forked_at=one.turn, head=one.head,
            turn=row.event.turn if (row := rows[one.name]) else 0, at=row.recorded_at if row else None,
            take=take_of(one.name), running=one.name in running,
        )
        for one in found
    ]  # fmt: skip


def _export_garden(journal: Journal, id: str, branch: str, form: str, language: str) -> str | bytes:
    if form == "hakoniwa":
        return GardenWriter(journal, garden_at(journal, id)).archive()
    session = resumed_session(journal, id, branch)
    try:
        match form:
            case "html":
                return to_html(session, language)
            case "jsonl":
                return to_jsonl(session)
        return to_markdown(session, language)
    finally:
        session.close()
