"""Account: what the mind of a garden asks and hears goes into its journal."""

from hakoniwa.ghost.account import Desk
from hakoniwa.ghost.account import keep_account as keep
from hakoniwa.play.session import Session


def keep_account(session: Session, speaker: str) -> None:
    """Let the mind of a session write down what it asks and hears for the turn that begins."""
    turn = session.world.time.turn + 1
    desk = Desk(session.journal, session.garden.id, session.branch, session.head, turn, speaker)
    # The head that this process has just written has no reply waiting for it: the journal need not be asked.
    model = getattr(session.mind, "model", None)
    keep(model, desk, session.scenario.language, session.in_journal, reuse=not session.unasked)
    session.unasked = False
