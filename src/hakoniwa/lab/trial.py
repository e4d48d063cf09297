"""Trial: one run at play, turn by turn, each measured. The arm decides only what `conditions` says."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

from hakoniwa.actor.mind import Decision, MindState, decide
from hakoniwa.actor.view import CharacterView
from hakoniwa.director.critic import ModelCritic
from hakoniwa.director.direct import DirectedTurn, DirectorInput, check_input, rule_with_choice
from hakoniwa.director.evaluate import DirectorHybrid, run_checks
from hakoniwa.errors import ModelError
from hakoniwa.gm.history import History
from hakoniwa.gm.stall import moves_world
from hakoniwa.gm.step import GMStep
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.lab.absent_words import absent_words
from hakoniwa.lab.axes import LINES, LineContext, five_axes
from hakoniwa.lab.conditions import character_session_turn, following_events, gm_session_turn, tick
from hakoniwa.lab.results import Arm, TurnRow, TurnTiming, Variant
from hakoniwa.llm import Call, ChatModel
from hakoniwa.play.order import next_by_policy
from hakoniwa.play.record_calls import record_calls
from hakoniwa.play.session import Mind, Session, surroundings
from hakoniwa.play.standing import changes_world, event_of
from hakoniwa.play.turn import (
    Part,
    TurnPolicy,
    build_turn,
    director_input,
    never,
    play_turn,
    update_mind,
    witnesses,
)
from hakoniwa.turn import PHYSICAL, Event, Performance, Thought, Turn

RETAKE = "actor.retake"


@dataclass(frozen=True)
class MeasuredTurn:
    """Everything there is to know about a turn once it has been played."""

    frame: DirectorInput
    text: str
    thought: Thought
    first: GMStep
    cut: DirectedTurn
    view: CharacterView
    arm: Arm
    before: LineContext


def measure_turn(seen: MeasuredTurn, calls: Sequence[Call], changed: bool, incident: str | None) -> TurnRow:
    """The row of a turn with a reply."""
    ruling, take = seen.first.ruling, seen.cut.take
    line = check_input(seen.frame, seen.text, seen.first.ruling.parsed)
    findings = {one.check for one in run_checks(line).findings}
    retaken = sum(call.purpose == RETAKE for call in calls)
    return TurnRow(
        turn=seen.frame.turn,
        speaker=seen.frame.who,
        text=seen.text,
        thought=seen.thought.text,
        denied_reason=ruling.denied_reason,
        rule=ruling.explanation.rule if ruling.explanation else None,
        blocked=ruling.explanation.written if ruling.explanation else None,
        acted=any(one.intent in PHYSICAL for one in ruling.parsed.action_intents),
        effective=ruling.allowed and moves_world(ruling.world_delta),
        stall_score=ruling.stall_score,
        kept=take.performance.text,
        kept_denied=take.ruling.denied_reason,
        changed=changed,
        retakes=retaken if seen.arm == Arm.D else None,
        gave_up=(retaken > 0 and not take.ruling.allowed) if seen.arm == Arm.D else None,
        silent_correction=take.silent_correction if retaken else None,
        absent_words=absent_words(seen.text, seen.frame.world, seen.frame.who),
        addressing_error="addressing" in findings,
        tone_error="tone" in findings,
        leak="leak" in findings,
        format_break=ruling.format_break,
        quality=five_axes(line, findings, seen.before),
        facts=tuple(seen.view.facts),
        incident=incident,
        extra_calls=retaken,
        **costs(calls),
    )


def fault_row(turn: int, view: CharacterView, fault: str, calls: Sequence[Call]) -> TurnRow:
    """The row of a turn in which the model failed."""
    return TurnRow(turn=turn, speaker=view.who, fault=fault, facts=tuple(view.facts), **costs(calls))


def costs(calls: Sequence[Call]) -> dict[str, Any]:
    """What the calls of a turn came to; tokens only where the server counted them in every call."""
    asked = [(call.purpose, [(one.role, one.content) for one in call.messages]) for call in calls]
    return {
        "prompt_hash": hashlib.sha256(repr(asked).encode()).hexdigest()[:16] if asked else "",
        "calls": len(calls),
        "prompt_tokens": _sum([call.usage.prompt for call in calls]),
        "completion_tokens": _sum([call.usage.completion for call in calls]),
    }


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if known and len(known) == len(counts) else None


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
    def of(
        cls, arm: Arm, variant: Variant, garden: GardenRecord, mind: Mind, journal: Journal,
        critic: ChatModel | None = None,
    ) -> "Trial":  # fmt: skip
        """A garden in one arm; a critic scores what is played in it."""
        journal.create(garden)
        book = Session(journal, garden, mind)
        if critic is not None:
            book.director = DirectorHybrid(ModelCritic(critic, partial(surroundings, book)))
        return cls(arm, variant, book, book if arm == Arm.D else _character_session(garden, mind))

    async def open(self) -> None:
        await self.book.open()
        await self.house.open()  # where it is the book, it is open

    async def aclose(self) -> None:
        if self.house is not self.book:
            self.house.close()
        await self.book.aclose()


def _character_session(garden: GardenRecord, mind: Mind) -> Session:
    journal = MemoryJournal()
    journal.create(garden)
    return Session(journal, garden, mind)


async def play_slot(trial: Trial) -> None:
    """One turn, or the failure of the model to give one; either way one more row."""
    speaker, began = trial.book.speaker(), perf_counter()
    arm = ArmPolicy(trial, trial.house.view(speaker), _line_context(trial))
    try:
        await play_turn(trial.book, speaker, arm)
        await arm.commit_house()
    except ModelError as error:
        await _pass_over(trial, arm.view, error, began)
        return
    trial.rows.append(measure_turn(arm.measured(), _calls(trial), _has_changed(trial), _incident(trial)))
    trial.timings.append(_timing(trial, began, arm.referee))


@dataclass
class ArmPolicy(TurnPolicy):
    """A turn as an arm has it: seen and learnt from in the house, judged in shadow, and written into both books."""

    trial: Trial
    view: CharacterView
    before: LineContext
    referee: float = 0.0  # seconds
    written: str = ""
    first: GMStep = field(init=False)  # the judge, in shadow, on what the model wrote
    shot: DirectorInput = field(init=False)
    part: Part = field(init=False)
    cut: DirectedTurn = field(init=False)
    mind: MindState = field(init=False)

    async def perform(self, session: Session, speaker: str) -> Part:
        await record_calls(session, speaker)
        decision = decide(self.view, self.trial.house.standing.minds[speaker])
        thought = await session.mind.think(self.view, decision)
        performance, state = await session.mind.perform(self.view, decision, thought)
        again = partial(session.mind.retake, self.view, decision, thought) if self.trial.arm == Arm.D else never
        text = self._judge(session, thought, performance)
        learn = partial(self._learn, replace(decision, state=state))
        self.part = Part(speaker, thought, performance.with_field("text", text), again, learn)
        return self.part

    def _judge(self, session: Session, thought: Thought, performance: Performance) -> str:
        """Rule on what the model wrote; the words with the chosen act in them."""
        self.written, self.shot = performance.text, _director_input(self.trial, self.view.who, thought)
        asked = perf_counter()
        text, self.first, _ = rule_with_choice(self.shot, performance.text)
        self.referee = perf_counter() - asked
        return text

    def frame(self, session: Session, part: Part) -> DirectorInput:
        """In arm D with the chosen act; in the others it is in the words, and what was written stands."""
        return self.shot if self.trial.arm == Arm.D else replace(self.shot, chosen=None)

    def _learn(self, decision: Decision, cut: DirectedTurn) -> MindState:
        known = cut if self.trial.house is self.trial.book else self._in_house(cut)
        return update_mind(self.trial.house, self.view, decision, known)

    def _in_house(self, cut: DirectedTurn) -> DirectedTurn:
        return character_session_turn(cut, self.trial.house.world, self.view.who, self.trial.arm.inject)

    def build_turn(self, session: Session, part: Part, cut: DirectedTurn) -> Turn:
        self.cut, self.mind = cut, part.learn(cut)
        kept = gm_session_turn(cut, session.world, part.who, self.trial.arm)
        return build_turn(session, part.who, part.thought, kept, self.mind)

    def events(self, session: Session, turn: Turn) -> Iterator[Event]:
        return arm_events(session, turn, self.trial.arm)

    async def commit_house(self) -> None:
        """The turn as those in the house take it, where that is not the book."""
        house = self.trial.house
        self.trial.history.add(self.cut.step.past)
        if house is not self.trial.book:
            turn = build_turn(house, self.part.who, self.part.thought, self._in_house(self.cut), self.mind)
            await house.commit(list(arm_events(house, turn, Arm.A)))

    def measured(self) -> MeasuredTurn:
        return MeasuredTurn(
            self.shot, self.written, self.part.thought, self.first, self.cut, self.view, self.trial.arm, self.before
        )


def arm_events(session: Session, turn: Turn, arm: Arm) -> Iterator[Event]:
    """A turn and what an arm lets follow from it."""
    event = event_of(turn, witnesses(session, turn), f"actor:{turn.speaker}")
    yield event
    yield from following_events(session, turn, event, arm)


def _director_input(trial: Trial, speaker: str, thought: Thought) -> DirectorInput:
    """The shot as this arm takes it."""
    return replace(
        director_input(trial.book, speaker, thought.chosen),
        history=trial.history,
        on_block="replace" if trial.variant.sanitizer == "on" else None,
        inject=trial.arm.inject,
        profile=trial.variant.stall,
    )


async def _pass_over(trial: Trial, view: CharacterView, error: ModelError, began: float) -> None:
    """The model failed: the turn is counted, and the next one is whose it is by rule."""
    number = trial.book.world.time.turn + 1
    following = next_by_policy(trial.book, view.who)["next_id"]
    payload: dict[str, Any] = {"speaker": view.who, "fault": error.key, "details": error.details, "next": following}
    fault = Event(kind="fault", turn=number, origin="gm", payload=payload)
    for session in {id(one): one for one in (trial.house, trial.book)}.values():
        await session.commit([fault, tick(number)])
    trial.rows.append(fault_row(number, view, error.key, _calls(trial)))
    trial.timings.append(_timing(trial, began, 0.0))


def _line_context(trial: Trial) -> LineContext:
    """The world and the latest lines that a reply meets."""
    latest = [turn.take.ruling.parsed.speech or "" for turn in trial.book.standing.turns[-LINES:]]
    return LineContext(trial.book.world, latest or [trial.book.scenario.opening.text])


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


def _has_changed(trial: Trial) -> bool:
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
