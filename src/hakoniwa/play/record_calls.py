"""What the mind of a garden asks and hears goes into its journal."""

from hakoniwa.chat.calls import CallSite
from hakoniwa.chat.calls import record_calls as keep
from hakoniwa.llm import Call
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.session import Session


async def record_calls(session: Session, speaker: str) -> None:
    """Let the mind of a session write down what it asks and hears for the turn that begins."""
    turn = session.world.time.turn + 1
    desk = CallSite(session.journal, session.garden.id, session.branch, session.head, turn, speaker)
    model = getattr(session.mind, "model", None)
    # The head that this process has just written has no reply waiting for it: the journal need not be asked.
    if isinstance(model, Ledger) and not session.unasked and (call := await session.in_journal(_pending_call, desk)):
        model.go_on_from(call)
    keep(model, desk, session.scenario.language, session.in_journal, reuse=not session.unasked)
    session.asked()


def _pending_call(desk: CallSite) -> Call | None:
    """The call to go on from: the first one whose reply waits at this head to be used, or else the newest."""
    for turn in (desk.turn, desk.turn - 1):
        rows = desk.journal.calls(desk.garden, desk.branch, turn)
        waiting = [row for row in rows if row.after == desk.head]
        if rows:
            return Call.model_validate((waiting or rows[-1:])[0].call)
    return None
