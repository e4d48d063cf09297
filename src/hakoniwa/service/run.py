"""Servers as a process runs them: everything they need comes from the settings."""

from fastapi import FastAPI

from hakoniwa.app import journal_of
from hakoniwa.app.token import token_of
from hakoniwa.service.app import gm_app, hakoniwa_app
from hakoniwa.service.guard import LOOPBACK
from hakoniwa.settings import Settings, load


def gm() -> FastAPI:
    """The referee alone."""
    settings, _ = load({})
    return gm_app(journal_of(settings), hosts=_hosts(settings), token=settings.token or None)


def hakoniwa() -> FastAPI:
    """Everything there is."""
    settings, _ = load({})
    return hakoniwa_app(journal_of(settings), settings, token_of(settings), hosts=_hosts(settings))


def _hosts(settings: Settings) -> tuple[str, ...]:
    more = [host.strip() for host in settings.hosts.split(",") if host.strip()]
    return (*LOOPBACK, *more)
