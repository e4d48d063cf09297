"""Applications: routes, a guard before them, and an OpenAPI description that is complete."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
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
from hakoniwa.app.shelf import Shelf
from hakoniwa.ghost.store import Memories
from hakoniwa.gm.request import GMStepRequest
from hakoniwa.journal import Journal
from hakoniwa.service.answering import Answers
from hakoniwa.service.caretaker import Caretaker, Working
from hakoniwa.service.experiments import Experiments
from hakoniwa.service.gm_sessions import GMSessions
from hakoniwa.service.guard import LOOPBACK, OPEN, Gated, Guard
from hakoniwa.service.happenings import event_schemas
from hakoniwa.service.key import Key
from hakoniwa.service.page import BUILT, page_routes
from hakoniwa.service.problem import Problem, problem
from hakoniwa.service.refusal import refusal
from hakoniwa.service.residents import FindModel, Residents
from hakoniwa.service.routes.autonomy import autonomy_routes
from hakoniwa.service.routes.cards import card_routes
from hakoniwa.service.routes.chats import chat_routes
from hakoniwa.service.routes.gardens import garden_routes
from hakoniwa.service.routes.gm import PATH, GMDoor, gm_description
from hakoniwa.service.routes.health import health_routes
from hakoniwa.service.routes.lab import lab_routes
from hakoniwa.service.routes.memory import memory_routes
from hakoniwa.service.routes.models import model_routes
from hakoniwa.service.routes.rewinding import rewinding_routes
from hakoniwa.service.routes.scenarios import scenario_routes
from hakoniwa.service.routes.staging import staging_routes
from hakoniwa.service.stages import Stages
from hakoniwa.service.tail import Tails
from hakoniwa.service.watch import Watchers
from hakoniwa.service.wishes import language_of
from hakoniwa.settings import Settings
from hakoniwa.turn import Ruling

Deed = Callable[[], Awaitable[None]]


def gm_app(journal: Journal, hosts: Collection[str] = LOOPBACK, token: str | None = None) -> FastAPI:
    """The referee alone, over HTTP."""
    sessions = GMSessions(journal)
    return _app("Hakoniwa GM", sessions, hosts, Key(token) if token else None, sessions.close)


def hakoniwa_app(
    journal: Journal,
    settings: Settings,
    token: str,
    hosts: Collection[str] = LOOPBACK,
    find_model: FindModel | None = None,
    hire: Callable[[], Working] | None = None,
    page: Path = BUILT,
) -> FastAPI:
    """Everything there is, over HTTP: the referee, chats, what is remembered, and lives between exchanges, which
    whoever is hired looks after. No caller goes without the token; the page that asks for it is there for anyone."""
    if not token:
        raise ValueError("a server that anyone may talk to is not to be had")
    sessions, answers = GMSessions(journal), Answers()
    residents = Residents(journal, settings, find_model or (lambda: ledger_of(settings, model_of(settings))))
    caretaker, tails = Caretaker(Memories(journal), hire), Tails(journal)
    stages, watchers, shelf = Stages(journal, settings, residents.find_model), Watchers(), Shelf(settings.home)
    experiments = Experiments(settings, residents.find_model)
    closing = (experiments.close, caretaker.close, answers.close, stages.close, residents.close, sessions.close)
    key = Key(token)
    app = _app("Hakoniwa", sessions, hosts, key, *closing, opening=caretaker.open, page=page_routes(page, key))
    for router in (
        chat_routes(residents, answers), memory_routes(residents), autonomy_routes(residents, caretaker, tails),
        garden_routes(stages, watchers, shelf), staging_routes(stages), rewinding_routes(stages),
        scenario_routes(shelf), card_routes(shelf), model_routes(settings), lab_routes(experiments),
    ):  # fmt: skip
        app.router.routes.extend(router.routes)  # to include a router would build every route a second time
    app.state.farewell = partial(_farewell, tails, watchers)
    return app


def _farewell(tails: Tails, watchers: Watchers) -> None:
    """Let everybody go who only watches."""
    tails.end()
    watchers.end()


def _app(
    title: str,
    sessions: GMSessions,
    hosts: Collection[str],
    key: Key | None,
    *closing: Deed,
    opening: Deed | None = None,
    page: Sequence[Route] = (),
) -> FastAPI:
    """An application with the referee's route, a page, and what is to be done at its beginning and at its end."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if opening is not None:
            await opening()
        yield
        for close in closing:
            await close()

    def gate(routes: ASGIApp) -> ASGIApp:
        return Guard(GMDoor(routes, sessions), hosts, key, OPEN.union(route.path for route in page))

    app = Gated(gate, title=title, version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.router.routes.extend((*health_routes().routes, *page))
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(Exception, _unforeseen)
    app.openapi = cache(lambda: described(app))  # type: ignore[method-assign]
    return app


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = refusal(error, request)
    told.headers.update(error.headers or {})
    return told


async def _unforeseen(request: Request, _: Exception) -> Response:
    return problem(500, language_of(request))


def described(app: FastAPI) -> dict[str, Any]:
    """OpenAPI with the models that routes read and write by hand."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    models: list[tuple[Any, Any]] = [
        (GMStepRequest, "validation"), (Ruling, "serialization"), (Problem, "serialization"),
    ]  # fmt: skip
    _, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components |= {name: _open(schema) for name, schema in schemas["$defs"].items()}
    events = event_schemas(document["paths"])
    components |= {name: schema for name, schema in events.items() if name not in components}
    document["paths"][PATH] = gm_description()
    return document


def _open(schema: Any) -> Any:
    """A schema that lets unknown fields pass, as this door does."""
    if isinstance(schema, dict):
        return {
            key: _open(value) for key, value in schema.items() if not (key == "additionalProperties" and value is False)
        }
    return [_open(one) for one in schema] if isinstance(schema, list) else schema
