"""Account: every call to a model goes into the journal, and what a crash kept from being used is used again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from hakoniwa.journal import Journal
from hakoniwa.llm import Call, ChatModel
from hakoniwa.llm.ledger import Ledger

Run = Callable[..., Awaitable[Any]]


class CallSite(NamedTuple):
    """Where calls are written down: whose they are, at which head they are asked, and for which turn."""

    journal: Journal
    garden: str
    branch: str
    head: int | None
    turn: int
    speaker: str
    purges: int | None = None  # how many there had been, where what is in the prompts may be forgotten


def record_calls(
    model: ChatModel | None, desk: CallSite, language: str, run: Run = asyncio.to_thread, *, reuse: bool = True
) -> None:
    """Let a model write down what it is asked and says from here on; `run` does it, off the event loop."""
    if not isinstance(model, Ledger):
        return
    model.scope = f"{desk.turn}/{desk.speaker}"
    model.language = language
    model.record, model.reuse = _recorder(desk, run), _finder(desk, run) if reuse else None


def _recorder(desk: CallSite, run: Run) -> Callable[[str, Call], Awaitable[None]]:
    async def record(key: str, call: Call) -> None:
        place = (desk.garden, desk.branch, desk.head, desk.turn)
        await run(desk.journal.record_call, *place, key, call.model_dump(mode="json"), desk.speaker, desk.purges)

    return record


def _finder(desk: CallSite, run: Run) -> Callable[[str], Awaitable[Call | None]]:
    async def reuse(key: str) -> Call | None:
        found: dict[str, Any] | None = await run(desk.journal.recorded_call, desk.garden, desk.branch, desk.head, key)
        return None if found is None else Call.model_validate(found)

    return reuse
