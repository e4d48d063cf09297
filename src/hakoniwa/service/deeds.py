"""What is done to a garden over HTTP, and how it is answered: a turn as it comes, or what is new in the script."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from hakoniwa.play.session import Session
from hakoniwa.service.lines import ScriptLine, lines_of
from hakoniwa.service.live_gardens import LiveGarden, SessionAction
from hakoniwa.service.performing import TurnStream, TurnTask, described_turn, in_one_piece
from hakoniwa.service.requests import STREAM, language_of, wants_json
from hakoniwa.turn import Value

MOST_TURNS = 100_000
TURN_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The turn as it comes, or in one piece", "content": {STREAM: {"schema": described_turn()}}}
}


class ChangeResult(Value):
    """Where the line stands after what was done, and what the script has of it; nothing was if it was taken back."""

    seq: int | None
    turn: int
    lines: tuple[ScriptLine, ...] = ()


async def turn_response(stage: LiveGarden, request: Request, before: SessionAction[object] | None = None) -> Response:
    """The next turn, perhaps after something that makes it another one."""
    performing = TurnTask(stage, stage.turn(before), language_of(request))
    await performing.begun()
    return await in_one_piece(performing, request) if wants_json(request) else TurnStream(performing)


async def apply_change(
    stage: LiveGarden, deed: SessionAction[object], first: SessionAction[object] | None = None
) -> ChangeResult:
    """Do something, perhaps after something that it needs, and tell what is new in the script."""
    before = 0

    async def noted(session: Session) -> object:
        nonlocal before
        before = session.head or 0
        return await deed(session)

    await stage.change(noted, first)
    return await asyncio.to_thread(_result_since, stage, before)


def _result_since(stage: LiveGarden, seq: int) -> ChangeResult:
    reel = stage.reel
    with reel.lock:
        start = reel.rows.upto(seq)
        lines = tuple(one for row, entries in reel.entries(start, len(reel.rows)) for one in lines_of(row, entries))
        return ChangeResult(seq=reel.head, turn=reel.standing.world.time.turn, lines=lines)
