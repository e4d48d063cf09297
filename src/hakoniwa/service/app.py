"""The GM as a service of its own: one route, a guard before it, and an OpenAPI description that is complete."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.responses import Response

from hakoniwa.gm.request import GMStepRequest
from hakoniwa.journal import Journal
from hakoniwa.service.gm_sessions import GMSessions
from hakoniwa.service.guard import LOOPBACK, Guard
from hakoniwa.service.problem import TITLES, Problem, problem
from hakoniwa.service.routes.gm import PATH, gm_description, gm_route
from hakoniwa.service.routes.health import health_routes
from hakoniwa.turn import Ruling


def gm_app(journal: Journal, hosts: Collection[str] = LOOPBACK, token: str | None = None) -> FastAPI:
    """The referee alone, over HTTP."""
    sessions = GMSessions(journal)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await sessions.close()

    app = FastAPI(title="Hakoniwa GM", version=version("hakoniwa"), lifespan=lifespan, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.router.routes.insert(0, gm_route(sessions))
    app.include_router(health_routes())
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(Exception, _unforeseen)
    app.add_middleware(Guard, hosts=hosts, token=token)
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    return app


async def _told(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = TITLES.get(error.status_code, "Error")
    return problem(error.status_code, title, error.detail, **(error.headers or {}))


async def _unforeseen(_: Request, __: Exception) -> Response:
    return problem(500, TITLES[500])


def described(app: FastAPI) -> dict[str, Any]:
    """OpenAPI with the models that routes read and write by hand."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    models: list[tuple[Any, Any]] = [
        (GMStepRequest, "validation"), (Ruling, "serialization"), (Problem, "serialization"),
    ]  # fmt: skip
    _, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components |= {name: _open(schema) for name, schema in schemas["$defs"].items()}
    document["paths"][PATH] = gm_description()
    return document


def _open(schema: Any) -> Any:
    """A schema that lets unknown fields pass, as this door does."""
    if isinstance(schema, dict):
        return {
            key: _open(value) for key, value in schema.items() if not (key == "additionalProperties" and value is False)
        }
    return [_open(one) for one in schema] if isinstance(schema, list) else schema
