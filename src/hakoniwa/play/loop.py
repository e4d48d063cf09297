"""The loop: turn after turn until a named reason ends it."""

from collections.abc import AsyncIterator
from contextlib import suppress

from hakoniwa.errors import ModelError, ModelSpent
from hakoniwa.llm import Call
from hakoniwa.play.order import next_by_policy
from hakoniwa.play.session import Session
from hakoniwa.play.turn import TurnPolicy, play_turn
from hakoniwa.turn import Event, Performance, Thought, Turn

MAX_FAULTS = 3


async def play(session: Session, turns: int | None = None) -> AsyncIterator[Turn]:
    """Play turns as they come; ends by the garden's goal, because nobody can go on, or after `turns`."""
    await session.open()
    played = 0
    while session.standing.ended is None and (turns is None or played < turns):
        turn = await next_turn(session)
        if turn is not None:
            played += 1
            yield turn


async def next_turn(session: Session) -> Turn | None:
    """The next turn, or None where the model failed and the turn was passed over."""
    speaker = session.speaker()
    try:
        turn = await play_turn(session, speaker)
    except ModelError as error:
        await _pass_over(session, speaker, error)
        return None
    if turn.next_speaker is None:
        await end(session, "none")
    return turn


async def _pass_over(session: Session, speaker: str, error: ModelError) -> None:
    """Scheduling always goes on by rule; a model that keeps failing ends the garden."""
    following = next_by_policy(session, speaker)["next_id"]
    payload = {"speaker": speaker, "fault": error.key, "details": error.details, "next": following}
    await session.commit([Event(kind="fault", turn=session.world.time.turn, origin="gm", payload=payload)])
    if isinstance(error, ModelSpent):
        await end(session, "budget")
    elif session.standing.faults_row >= MAX_FAULTS:
        await end(session, "model")


async def end(session: Session, reason: str) -> None:
    """End the garden for a named reason."""
    event = Event(
        kind="end", turn=session.world.time.turn, origin="gm", witnesses=session.everyone(), payload={"reason": reason}
    )
    await session.commit([event])


async def resume(session: Session) -> None:
    """Go on in a garden that had ended."""
    if session.standing.ended is not None:
        await session.commit([Event(kind="resume", turn=session.world.time.turn, origin="user")])


# --- a turn that is only tried ----------------------------------------------------------------------------------------


async def rehearse(session: Session, speaker: str) -> tuple[Performance | None, Thought | None, list[Call]]:
    """A turn up to its first performance, of which nothing is kept but the calls in the journal."""
    before = len(session.journal.calls(session.garden.id, session.branch))
    performance = thought = None
    with suppress(ModelError):  # what there was of it is in the calls
        part = await TurnPolicy().perform(session, speaker)
        performance, thought = part.performance, part.thought
    rows = session.journal.calls(session.garden.id, session.branch, prompts=True)[before:]
    return performance, thought, [Call.model_validate(row.call) for row in rows]


def lines_before(session: Session) -> list[str]:
    """Every line that has been said, and the examples of the sheets."""
    said = [turn.take.ruling.parsed.speech or "" for turn in session.turns()]
    examples = [line for one in session.cast.values() for line in one.examples]
    return [one for one in (session.scenario.opening.text, *said, *examples) if one]
