"""Servers as a process runs them: everything they need comes from the settings."""

from functools import partial

from fastapi import FastAPI

from hakoniwa.app import journal_of
from hakoniwa.app.autonomy import worker_of
from hakoniwa.app.token import token_of
from hakoniwa.service.app import find_ledger, gm_app, hakoniwa_app, second_reader
from hakoniwa.service.guard import LOOPBACK
from hakoniwa.settings import Settings, config_file, load


def gm() -> FastAPI:
    """The referee alone."""
    settings, _ = load({})
    second = second_reader(settings, partial(find_ledger, settings))
    return gm_app(journal_of(settings), hosts=_hosts(settings), token=settings.token or None, second=second)


def hakoniwa(work: bool = True) -> FastAPI:
    """Everything there is; unless told otherwise, it looks after those who live by themselves."""
    settings, _ = load({})
    journal = journal_of(settings)
    hire = partial(worker_of, journal, settings) if work else None
    return hakoniwa_app(
        journal, settings, token_of(settings), hosts=_hosts(settings), hire=hire, config=config_file()
    )


async def serve_mcp() -> None:
    """Everything there is, for one client of MCP at standard input and output."""
    app = hakoniwa(work=False)
    async with app.router.lifespan_context(app):
        await app.state.mcp.serve_stdio()


def _hosts(settings: Settings) -> tuple[str, ...]:
    more = [host.strip() for host in settings.hosts.split(",") if host.strip()]
    return (*LOOPBACK, *more)
