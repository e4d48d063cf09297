"""Applications: routes, a guard before them, and an OpenAPI description that is complete."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hakoniwa import __version__
from hakoniwa.app import ledger_of, model_of
from hakoniwa.app.autonomy import FindModel
from hakoniwa.app.connection import SettingsInForce
from hakoniwa.app.user_files import UserFiles
from hakoniwa.app.user_personas import UserPersonas
from hakoniwa.gm.request import GMStepRequest
from hakoniwa.journal import Journal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.memory.store import Memories
from hakoniwa.service import answering, chat_events, garden_events
from hakoniwa.service.answering import AnswerTasks
from hakoniwa.service.experiments import Experiments
from hakoniwa.service.gm_sessions import GMSessions, SecondReader
from hakoniwa.service.guard import LOOPBACK, OPEN_PATHS, AccessKey, Guard, GuardedApp
from hakoniwa.service.live_gardens import LiveGardens
from hakoniwa.service.mcp_door import McpDoor, McpRoute
from hakoniwa.service.page import BUILT, page_routes
from hakoniwa.service.requests import STREAM, Problem, problem, refusal
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.service.routes.autonomy import autonomy_routes
from hakoniwa.service.routes.cards import card_routes
from hakoniwa.service.routes.chats import chat_routes
from hakoniwa.service.routes.gardens import garden_routes
from hakoniwa.service.routes.gm import PATH, GMRoute, gm_description
from hakoniwa.service.routes.health import Readiness, health_routes
from hakoniwa.service.routes.imports import import_routes
from hakoniwa.service.routes.lab import lab_routes
from hakoniwa.service.routes.leaks import leak_routes
from hakoniwa.service.routes.memory import memory_routes
from hakoniwa.service.routes.models import TaskModel, model_routes
from hakoniwa.service.routes.personas import persona_routes
from hakoniwa.service.routes.pictures import picture_routes
from hakoniwa.service.routes.records import record_routes
from hakoniwa.service.routes.retaking import retaking_routes
from hakoniwa.service.routes.rewinding import rewinding_routes
from hakoniwa.service.routes.scenarios import scenario_routes
from hakoniwa.service.routes.servers import server_routes
from hakoniwa.service.routes.staging import staging_routes
from hakoniwa.service.streams import REFERENCE, EventStreams, reference
from hakoniwa.service.work_threads import give_journal_threads
from hakoniwa.service.worker_supervisor import BackgroundWorker, WorkerSupervisor
from hakoniwa.settings import Settings
from hakoniwa.turn import Ruling

STREAMS: dict[str, Mapping[Any, str]] = {
    "AnswerEvents": answering.NAMES,
    "TurnEvents": garden_events.TURN_NAMES,
    "ChatEvents": chat_events.NAMES,
    "GardenEvents": garden_events.NAMES,
}


def event_schemas(paths: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schemas of all events, with all they speak of, and of each stream what an event of that name says; none
    for an application that has no streams."""
    answers = (
        one for operations in paths.values() for operation in operations.values() for one in _streams_told(operation)
    )
    return _schemas() if STREAM in answers else {}


def _streams_told(operation: Mapping[str, Any]) -> Iterator[str]:
    return (kind for answer in operation["responses"].values() for kind in answer.get("content", ()))


def _schemas() -> dict[str, Any]:
    kinds = dict.fromkeys(kind for names in STREAMS.values() for kind in names)
    _, schemas = models_json_schema([(kind, "serialization") for kind in kinds], ref_template=REFERENCE)
    return {**schemas["$defs"], **{name: _by_name(names) for name, names in STREAMS.items()}}


def _by_name(names: Mapping[Any, str]) -> dict[str, Any]:
    told = {name: reference(kind) for kind, name in names.items()}
    return {"type": "object", "properties": told, "required": list(told)}


def find_ledger(settings: Settings) -> Ledger | None:
    return ledger_of(settings, model_of(settings))


def second_reader(settings: Settings, find_model: FindModel) -> SecondReader | None:
    """Who is asked what was meant in a step of the GM, if anybody is to be."""
    wanted = settings.gm_second_reading
    return None if wanted == "off" else SecondReader(find_model, wanted == "denied")


AsyncAction = Callable[[], Awaitable[None]]


def gm_app(
    journal: Journal, hosts: Collection[str] = LOOPBACK, token: str | None = None, second: SecondReader | None = None
) -> FastAPI:
    """The referee alone, over HTTP."""
    sessions = GMSessions(journal, second)
    return _build_app("Hakoniwa GM", sessions, hosts, AccessKey(token) if token else None, sessions.close)


def hakoniwa_app(
    journal: Journal,
    settings: Settings,
    token: str,
    hosts: Collection[str] = LOOPBACK,
    find_model: FindModel | None = None,
    hire: Callable[[], BackgroundWorker] | None = None,
    page: Path = BUILT,
    config: Path | None = None,
) -> FastAPI:
    """Everything there is, over HTTP: the referee, chats, what is remembered, and lives between exchanges, which
    whoever is hired looks after. No caller goes without the token; the page that asks for it is there for anyone."""
    if not token:
        raise ValueError("a server that anyone may talk to is not to be had")
    force = SettingsInForce(settings, config)
    found = find_model or (lambda: find_ledger(force.settings))
    sessions, answers = GMSessions(journal, second_reader(settings, found)), AnswerTasks()
    stages = LiveGardens(journal, settings, found)
    residents = OpenGhosts(stages)
    caretaker, tails = WorkerSupervisor(Memories(journal), hire), EventStreams()
    watchers, shelf = EventStreams(), UserFiles(settings.home)

    async def renew() -> None:
        """Have everybody look for the model anew."""
        await residents.close()
        await stages.close()

    experiments, tasks = Experiments(settings, residents.find_model), TaskModel(residents)
    door = McpDoor(lambda *asked: app(*asked), token, settings.lang, settings.mcp_memory)
    closing = (
        door.close, experiments.close, caretaker.close, answers.close, tasks.close, stages.close, residents.close,
        sessions.close,
    )  # fmt: skip
    key = AccessKey(token)
    app = _build_app(
        "Hakoniwa", sessions, hosts, key, *closing, opening=caretaker.open, page=page_routes(page, key), door=door
    )
    for router in (
        chat_routes(residents, answers), retaking_routes(residents, answers), memory_routes(residents),
        autonomy_routes(residents, caretaker, tails),
        garden_routes(stages, watchers, shelf), staging_routes(stages), rewinding_routes(stages),
        scenario_routes(shelf), card_routes(shelf), import_routes(residents, shelf), record_routes(residents),
        persona_routes(UserPersonas(settings.home)), server_routes(force, renew), lab_routes(experiments),
        model_routes(residents, answers, stages, tasks), picture_routes(),
    ):  # fmt: skip
        app.router.routes.extend(router.routes)  # to include a router would build every route a second time
    app.state.mcp = door
    app.state.farewell = partial(_end_streams, tails, watchers)
    return app


def _end_streams(tails: EventStreams, watchers: EventStreams) -> None:
    """Let everybody go who only watches."""
    tails.end()
    watchers.end()


def _build_app(
    title: str,
    sessions: GMSessions,
    hosts: Collection[str],
    key: AccessKey | None,
    *closing: AsyncAction,
    opening: AsyncAction | None = None,
    page: Sequence[Route] = (),
    door: McpDoor | None = None,
) -> FastAPI:
    """An application with the referee's route, a page, and what is to be done at its beginning and at its end."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        give_journal_threads()
        if opening is not None:
            await opening()
        yield
        for close in closing:
            await close()

    def gate(routes: ASGIApp) -> ASGIApp:
        inner = GMRoute(routes, sessions)
        opened = OPEN_PATHS.union(route.path for route in page)
        return Guard(McpRoute(inner, door) if door else inner, hosts, key, opened)

    app = GuardedApp(gate, title=title, version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.router.routes.extend((*health_routes(Readiness(sessions.journal)).routes, *leak_routes().routes, *page))
    app.add_exception_handler(HTTPException, _error_response)
    app.add_exception_handler(Exception, _unexpected_error)
    app.openapi = cache(lambda: build_openapi(app))  # type: ignore[method-assign]
    return app


async def _error_response(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = refusal(error, request)
    told.headers.update(error.headers or {})
    return told


async def _unexpected_error(request: Request, _: Exception) -> Response:
    return problem(500, request)


def build_openapi(app: FastAPI) -> dict[str, Any]:
    """OpenAPI with the models that routes read and write by hand."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    models: list[tuple[Any, Any]] = [
        (GMStepRequest, "validation"), (Ruling, "serialization"), (Problem, "serialization"),
    ]  # fmt: skip
    _, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components |= {name: _allow_extras(schema) for name, schema in schemas["$defs"].items()}
    events = event_schemas(document["paths"])
    components |= {name: schema for name, schema in events.items() if name not in components}
    document["paths"][PATH] = gm_description()
    return document


def _allow_extras(schema: Any) -> Any:
    """A schema that lets unknown fields pass, as this door does."""
    if isinstance(schema, dict):
        return {
            key: _allow_extras(value)
            for key, value in schema.items()
            if not (key == "additionalProperties" and value is False)
        }
    return [_allow_extras(one) for one in schema] if isinstance(schema, list) else schema
