"""Servers as a process runs them: everything they need comes from the settings."""

from fastapi import FastAPI

from hakoniwa.app import journal_of
from hakoniwa.service.app import gm_app
from hakoniwa.service.guard import LOOPBACK
from hakoniwa.settings import load


def gm() -> FastAPI:
    """The referee alone."""
    settings, _ = load({})
    more = [host.strip() for host in settings.hosts.split(",") if host.strip()]
    return gm_app(journal_of(settings), hosts=(*LOOPBACK, *more), token=settings.token or None)
