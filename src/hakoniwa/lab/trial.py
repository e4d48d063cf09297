"""Trial: one run at play, turn by turn. The same line in every arm; the arm decides only what `conditions` says."""

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from hakoniwa.actor.mind import Decision, MindState, decide
from hakoniwa.actor.view import View
from hakoniwa.director.direct import Cut, Shot, direct, judged
from hakoniwa.errors import ModelError
from hakoniwa.gm.history import History
from hakoniwa.journal import Garden, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.lab.axes import LINES, Before
from hakoniwa.lab.conditions import afterwards, as_written, in_the_book, tick
from hakoniwa.lab.measure import Seen, fault_row, measured
from hakoniwa.lab.results import Arm, TurnRow, TurnTiming, Variant
from hakoniwa.llm import Call
from hakoniwa.play.account import keep_account
from hakoniwa.play.order import in_order
from hakoniwa.play.session import Mind, Session
from hakoniwa.play.standing import changes_world, event_of
from hakoniwa.play.turn import remembered, shot, told, witnesses
from hakoniwa.turn import Event, Performance, Thought


@dataclass
class Trial:
    """A garden in one arm: the GM's book, the characters' house, and what the judge remembers."""

    arm: Arm
    variant: Variant
    book: Session
    house: Session
    history: History = field(default_factory=History)
    rows: list[TurnRow] = field(default_factory=list)
    timings: list[TurnTiming] = field(default_factory=list)

    @classmethod
    def of(cls, arm: Arm, variant: Variant, garden: Garden, mind: Mind, journal: Journal) -> "Trial":
        journal.create(garden)
        book = Session(journal, garden, mind)
        return cls(arm, variant, book, book if arm == Arm.D else _apart(garden, mind))

    async def open(self) -> None:
        await self.book.open()
        await self.house.open()  # where it is the book, it is open

    async def aclose(self) -> None:
        if self.house is not self.book:
            self.house.close()
        await self.book.aclose()


def _apart(garden: Garden, mind: Mind) -> Session:
    journal = MemoryJournal()
    journal.create(garden)
    return Session(journal, garden, mind)


async def play_slot(trial: Trial) -> None:
    """One turn, or the failure of the model to give one; either way one more row."""
    speaker, began = trial.book.speaker(), perf_counter()
    await keep_account(trial.book, speaker)
    view = trial.house.view(speaker)
    decision = decide(view, trial.house.standing.minds[speaker])
    try:
        await _played(trial, view, decision, began)
    except ModelError as error:
        await _passed_over(trial, view, error, began)


async def _played(trial: Trial, view: View, decision: Decision, began: float) -> None:
    mind = trial.book.mind
    thought = await mind.think(view, decision)
    performance, state = await mind.perform(view, decision, thought)
    frame = _frame(trial, view.who, thought)
    asked = perf_counter()
    text, first = judged(frame, performance.text)  # the judge, in shadow, on what the model wrote
    referee = perf_counter() - asked
    before = _before(trial)
    cut = await _cut(trial, frame, view, decision, thought, performance.with_field("text", text))
    await _commit(trial, view, replace(decision, state=state), thought, cut)
    seen = Seen(frame, performance.text, thought, first, cut, view, trial.arm, before)
    trial.rows.append(measured(seen, _calls(trial), _changed(trial), _incident(trial)))
    trial.timings.append(_timing(trial, began, referee))


def _frame(trial: Trial, speaker: str, thought: Thought) -> Shot:
    """The shot as this arm takes it."""
    return replace(
        shot(trial.book, speaker, thought.chosen),
        history=trial.history,
        on_block="replace" if trial.variant.sanitizer == "on" else None,
        inject=trial.arm.inject,
        profile=trial.variant.stall,
    )


async def _cut(
    trial: Trial, frame: Shot, view: View, decision: Decision, thought: Thought, performance: Performance
) -> Cut:
    """What stands: in arm D after guidance and retakes, in the others what was written."""

    async def again(guidance: str) -> Performance | None:
        if trial.arm != Arm.D:
            return None
        return await trial.book.mind.retake(view, decision, thought, guidance)

    framed = frame if trial.arm == Arm.D else replace(frame, chosen=None)  # the text has the chosen act in it
    return await direct(framed, performance, trial.book.director, again)


async def _commit(trial: Trial, view: View, decision: Decision, thought: Thought, cut: Cut) -> None:
    """Into the book, and into the house where that is another."""
    book, house, who = trial.book, trial.house, view.who
    written = as_written(cut, house.world, who, trial.arm.inject)
    mind = remembered(house, view, decision, cut if house is book else written)
    if house is not book:
        await _enter(house, thought, who, written, mind, Arm.A)
    trial.history.add(cut.step.past)
    await _enter(book, thought, who, in_the_book(cut, book.world, who, trial.arm), mind, trial.arm)


async def _enter(session: Session, thought: Thought, who: str, cut: Cut, mind: MindState, arm: Arm) -> None:
    turn = told(session, who, thought, cut, mind)
    event = event_of(turn, witnesses(session, turn), f"actor:{who}")
    await session.commit([event, *afterwards(session, turn, event, arm)])


async def _passed_over(trial: Trial, view: View, error: ModelError, began: float) -> None:
    """The model failed: the turn is counted, and the next one is whose it is by rule."""
    number = trial.book.world.time.turn + 1
    following = in_order(trial.book, view.who)["next_id"]
    payload: dict[str, Any] = {"speaker": view.who, "fault": error.key, "details": error.details, "next": following}
    fault = Event(kind="fault", turn=number, origin="gm", payload=payload)
    for session in {id(one): one for one in (trial.house, trial.book)}.values():
        await session.commit([fault, tick(number)])
    trial.rows.append(fault_row(number, view, error.key, _calls(trial)))
    trial.timings.append(_timing(trial, began, 0.0))


def _before(trial: Trial) -> Before:
    """The world and the latest lines that a reply meets."""
    latest = [turn.take.ruling.parsed.speech or "" for turn in trial.book.standing.turns[-LINES:]]
    return Before(trial.book.world, latest or [trial.book.scenario.opening.text])


# --- what there is to see of a turn that has just been played --------------------------------------------------------


def _calls(trial: Trial) -> list[Call]:
    """What the model was asked for the newest turn."""
    rows = trial.book.journal.calls(trial.book.garden.id, trial.book.branch, trial.book.world.time.turn, prompts=True)
    return [Call.model_validate(row.call) for row in rows]


def _newest(trial: Trial, kind: str) -> Event | None:
    """The event of a kind that came with the newest turn."""
    turn = trial.book.world.time.turn
    events = (row.event for row in reversed(trial.book.rows))
    return next((one for one in events if (one.kind, one.turn) == (kind, turn)), None)


def _changed(trial: Trial) -> bool:
    event = _newest(trial, "turn")
    return event is not None and changes_world(event)


def _incident(trial: Trial) -> str | None:
    event = _newest(trial, "incident")
    return event.payload["id"] if event else None


def _timing(trial: Trial, began: float, referee: float) -> TurnTiming:
    calls = _calls(trial)
    spent = {
        purpose: round(sum(call.total_ms for call in calls if call.purpose == f"actor.{purpose}"), 1) or None
        for purpose in ("think", "perform", "retake")
    }
    first = calls[0].first_ms if calls else None
    total = round((perf_counter() - began) * 1000, 1)
    return TurnTiming(
        turn=trial.book.world.time.turn, total=total, first_token=first, referee=round(referee * 1000, 3), **spent
    )
