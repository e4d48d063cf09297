"""/v1/servers and /v1/settings: who speaks for the characters, what the doctor finds, how this installation is set."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from hakoniwa.app.connection import Address, Connection, Key, SettingsInForce, shown_address
from hakoniwa.app.doctor import choose, describe_finding, diagnose, quick_findings, remedy
from hakoniwa.errors import UsageError
from hakoniwa.llm import Sampling
from hakoniwa.llm.bench import ProbeFinding
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerSearch
from hakoniwa.messages import say
from hakoniwa.service.requests import get_responses, language_of, post_responses, strict_router
from hakoniwa.settings import BUILTIN, Settings, list_settings
from hakoniwa.turn import Value


class ServerView(Value):
    """A place where a model server was looked for: what is there, or the trouble; `origin` says who named it."""

    url: str
    kind: str
    title: str
    origin: str
    trouble: str | None
    models: tuple[OfferedModel, ...]


class FindingView(Value):
    """One thing the doctor found, and what to do about it; nothing where nothing is to be done."""

    about: str
    grade: Literal["ok", "info", "warn", "problem"]
    key: str
    told: str
    fix: str


class ServersView(Value):
    """Servers and models; `using` is the model that speaks, or `builtin`; `playable`: no problem was found."""

    using: str
    server: str | None
    playable: bool
    servers: tuple[ServerView, ...]
    findings: tuple[FindingView, ...]


class EmptyRequest(Value):
    """A request that needs to say nothing."""


class SettingView(Value):
    """A setting with its value; of a secret only whether there is one."""

    name: str
    value: str
    description: str


class ConnectionView(Value):
    """The connection in force, and of the key only whether there is one. `fixed` are the settings that the environment
    says, and `kept` is whether a change can be written down."""

    base_url: str
    has_key: bool
    model: str
    sampling: Sampling
    tokens_per_hour: int
    tokens_per_session: int
    fixed: tuple[str, ...]
    kept: bool


class ServerVisit(Value):
    """An address to look at, and the key to show there; without one, the key that is kept for this address."""

    base_url: Annotated[Address, Field(min_length=1)]
    api_key: Key | None = Field(default=None, repr=False)


def server_routes(force: SettingsInForce, renew: Callable[[], Awaitable[None]]) -> APIRouter:
    router, examining = strict_router("/v1", "servers"), asyncio.Lock()

    @router.get("/servers", operation_id="list_servers", responses=get_responses())
    async def every(request: Request) -> ServersView:
        """Which servers and models there are, and which of them would speak; nobody is talked to for that."""
        return await asyncio.to_thread(_find_servers, force.settings, language_of(request))

    @router.post("/servers/examine", operation_id="examine_model", responses=post_responses())
    async def examine(_: EmptyRequest, request: Request) -> ServersView:
        """Try the model that would speak: what it can do, what it cannot, what to do about that. This takes a while."""
        if examining.locked():
            raise UsageError("models.examining")
        async with examining:
            return await asyncio.to_thread(_examine_server, force.settings, language_of(request))

    @router.post("/servers/visit", operation_id="visit_server", responses=post_responses())
    async def visit(wanted: ServerVisit) -> ServerView:
        """What is at an address: its kind and its models, or the trouble there."""
        return _server(await asyncio.to_thread(force.visit, wanted.base_url, wanted.api_key))

    @router.get("/connection", operation_id="read_connection", responses=get_responses())
    async def connection() -> ConnectionView:
        """Which model is to speak, and how."""
        return _connection(force)

    @router.post("/connection", operation_id="connect_model", responses=post_responses())
    async def connect(wanted: Connection) -> ConnectionView:
        """Have another model speak from now on, by the configuration file. The key is not shown again."""
        await asyncio.to_thread(force.connect, wanted)
        await renew()
        return _connection(force)

    @router.get("/settings", operation_id="read_settings", responses=get_responses())
    async def read(request: Request) -> list[SettingView]:
        """Every setting in force."""
        language = language_of(request)
        return [
            SettingView(name=one.name, value=one.value, description=say(f"setting.{one.name}", language))
            for one in list_settings(force.settings, dict.fromkeys(Settings.model_fields, ""))
        ]

    return router


def _connection(force: SettingsInForce) -> ConnectionView:
    known = force.settings
    return ConnectionView(
        base_url=shown_address(known), has_key=bool(known.api_key), model=known.model, sampling=known.sampling,
        tokens_per_hour=known.tokens_per_hour, tokens_per_session=known.tokens_per_session, fixed=force.fixed,
        kept=force.file is not None,
    )  # fmt: skip


def _server(one: ModelServer) -> ServerView:
    return ServerView(
        url=one.shown, kind=one.kind, title=one.title, origin=one.origin, trouble=one.trouble, models=one.models
    )


def _find_servers(settings: Settings, language: str) -> ServersView:
    """Where play is to do without a model, none is looked for."""
    if settings.model == BUILTIN:
        return ServersView(using=BUILTIN, server=None, playable=True, servers=(), findings=())
    chosen = choose(settings)
    return _view(chosen, quick_findings(chosen, settings), language)


def _examine_server(settings: Settings, language: str) -> ServersView:
    if settings.model == BUILTIN:
        return _find_servers(settings, language)
    chosen = choose(settings)
    return _view(chosen, diagnose(chosen, settings, language=language), language)


def _view(chosen: ServerSearch, findings: Iterable[ProbeFinding], language: str) -> ServersView:
    known = list(findings)
    return ServersView(
        using=chosen.model.name if chosen.model else BUILTIN,
        server=chosen.server.shown if chosen.server else None,
        playable=all(one.grade != "problem" for one in known),
        servers=tuple(_server(one) for one in chosen.servers),
        findings=tuple(
            FindingView(
                about=one.about, grade=one.grade, key=one.key, told=describe_finding(one, language),
                fix=remedy(one, chosen.server, chosen.model, language),
            )
            for one in known
        ),
    )  # fmt: skip
