"""What is done to a garden over HTTP, and how it is answered: a turn as it comes, or what is new in the script."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hakoniwa.play.session import Session
from hakoniwa.service.lines import Line, lines_of
from hakoniwa.service.performing import Performed, Performing, described_turn, in_one_piece
from hakoniwa.service.stage import Deed, Stage
from hakoniwa.service.wishes import STREAM, language_of, wants_json
from hakoniwa.turn import Value

MOST_TURNS = 100_000
PLAYED: dict[int | str, dict[str, Any]] = {
    200: {"description": "The turn as it comes, or in one piece", "content": {STREAM: {"schema": described_turn()}}}
}


class Done(Value):
    """Where the line stands after what was done, and what the script has of it; nothing was if it was taken back."""

    seq: int | None
    turn: int
    lines: tuple[Line, ...] = ()


async def performed(stage: Stage, request: Request, before: Deed[object] | None = None) -> Response:
    """The next turn, perhaps after something that makes it another one."""
    performing = Performing(stage, stage.turn(before), language_of(request))
    await performing.begun()
    return await in_one_piece(performing, request) if wants_json(request) else Performed(performing)


async def done(stage: Stage, deed: Deed[object], first: Deed[object] | None = None) -> Done:
    """Do something, perhaps after something that it needs, and tell what is new in the script."""
    before = 0

    async def noted(session: Session) -> object:
        nonlocal before
        before = session.head or 0
        return await deed(session)

    await stage.change(noted, first)
    return await asyncio.to_thread(_since, stage, before)


def _since(stage: Stage, seq: int) -> Done:
    reel = stage.reel
    with reel.lock:
        start = reel.rows.upto(seq)
        lines = tuple(one for row, entries in reel.entries(start, len(reel.rows)) for one in lines_of(row, entries))
        return Done(seq=reel.head, turn=reel.standing.world.time.turn, lines=lines)
