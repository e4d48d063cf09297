"""A garden that nobody watches: turn after turn without a pause, one JSON object an event."""

import asyncio
from contextlib import aclosing, closing

from hakoniwa.app import journal_of
from hakoniwa.cli.live.choose_garden import choose_garden
from hakoniwa.cli.play import PlayOptions
from hakoniwa.cli.printer import JsonPrinter
from hakoniwa.cli.terminal import Terminal
from hakoniwa.play.loop import play, resume
from hakoniwa.play.session import Session
from hakoniwa.settings import Settings


def perform(terminal: Terminal, settings: Settings, wanted: PlayOptions) -> None:
    """Play the garden the command line asks for, as data."""
    with closing(journal_of(settings)) as journal:
        asyncio.run(_play_and_close(terminal, choose_garden(journal, settings, wanted).session, wanted.turns))


async def _play_and_close(terminal: Terminal, opened: Session, turns: int | None) -> None:
    async with aclosing(opened) as session:
        await _play(terminal, session, turns)


async def _play(terminal: Terminal, session: Session, turns: int | None) -> None:
    printer = JsonPrinter(terminal)
    printer.rewind(session.rows)

    def follow() -> None:
        printer.follow(session.rows.after(printer.seen))

    await resume(session)
    await session.open()
    follow()
    async for _ in play(session, session.scenario.turns if turns is None else turns):
        follow()
    follow()  # a turn that was passed over, and an end, are no turns
    if session.standing.ended is None:
        printer.end(session.world.time.turn, "turns")
