"""Account: every call to a model goes into the journal, and what a crash kept from being used is used again."""

from collections.abc import Awaitable, Callable
from typing import Any

from hakoniwa.llm import Call
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.session import Session


def keep_account(session: Session, speaker: str) -> None:
    """Let the mind of a session write down what it asks and hears for the turn that begins."""
    ledger = getattr(session.mind, "model", None)
    if not isinstance(ledger, Ledger):
        return
    ledger.scope = f"{session.world.time.turn + 1}/{speaker}"
    ledger.language = session.scenario.language
    # The head that this process has just written has no reply waiting for it: the journal need not be asked.
    ledger.record, ledger.reuse = _recorder(session, speaker), None if session.unasked else _finder(session)
    session.unasked = False


def _recorder(session: Session, speaker: str) -> Callable[[str, Call], Awaitable[None]]:
    place = (session.garden.id, session.branch, session.head, session.world.time.turn + 1)

    async def record(key: str, call: Call) -> None:
        await session.in_journal(session.journal.record_call, *place, key, call.model_dump(mode="json"), speaker)

    return record


def _finder(session: Session) -> Callable[[str], Awaitable[Call | None]]:
    place = (session.garden.id, session.branch, session.head)

    async def reuse(key: str) -> Call | None:
        found: dict[str, Any] | None = await session.in_journal(session.journal.recorded_call, *place, key)
        return None if found is None else Call.model_validate(found)

    return reuse
