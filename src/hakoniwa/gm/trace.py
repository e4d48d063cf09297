"""Tracing: each question that the referee put about a turn, in its order, and what the answer was.

Nothing is noted while a turn is judged. Whoever wants to know has it judged once more, in the world as it was."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hakoniwa.gm.act import Act, Denial, intents
from hakoniwa.gm.contradict import QUESTIONS, claims_in
from hakoniwa.gm.history import History, signature
from hakoniwa.gm.judge import TurnJudge, repetition_denial
from hakoniwa.gm.resolve import Meant, instrument, source
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PHYSICAL, ActionIntent, DeniedReason, ParsedOutput

QUESTION_OF_REASON = {
    DeniedReason.OUT_OF_SCOPE: "in-scope",
    DeniedReason.MISSING_OBJECT: "exists",
    DeniedReason.WRONG_LOCATION: "here",
}
AnswerKind = Literal["passed", "not_applicable", "denied"]


@dataclass(frozen=True, slots=True)
class TracedAnswer:
    """The answer to one question; a denial says by which rule."""

    question: str
    answer: AnswerKind
    denial: Denial | None = None


@dataclass(frozen=True, slots=True)
class TracedItem:
    """One thing that was asked about: an act as it was read and meant, a claim, or whether it is always the same."""

    about: Literal["act", "claim", "repetition"]
    intent: ActionIntent | None
    acts: tuple[Act, ...]
    words: str
    replies: tuple[TracedAnswer, ...]
    denial: Denial | None


def trace_judgement(
    world: WorldState, who: str, parsed: ParsedOutput, history: History | None = None, implicit_take: bool = False
) -> Iterator[TracedItem]:
    """What is asked when a performance is judged; nothing after the first denial, as nothing is judged after it."""
    trial = TracingJudge(world, who)
    for intent in parsed.action_intents:
        if intent.intent in PHYSICAL:
            yield (matter := trial.matter(intent, implicit_take))
            if matter.denial:
                return
    for matter in _claims(world, who, parsed):
        yield matter
        if matter.denial:
            return
    yield _repetition(history, who, parsed.action_intents, trial.acts)


class TracingJudge(TurnJudge):
    """A trial that notes what it asks."""

    def __init__(self, world: WorldState, who: str) -> None:
        super().__init__(world, who)
        self._replies: list[TracedAnswer] = []

    def matter(self, intent: ActionIntent, implicit_take: bool) -> TracedItem:
        """Try what an intent means, and tell all that was asked about it."""
        self._replies, before = [], len(self.acts)
        denial = self.attempt(intent, implicit_take)
        return TracedItem("act", intent, tuple(self.acts[before:]), intent.detail or "", tuple(self._replies), denial)

    def _meant(self, state: WorldState, intent: ActionIntent) -> Meant:
        meant = super()._meant(state, intent)
        tool, origin = instrument(state, self.who, intent), source(state, self.who, intent)
        own = meant.denial if meant.denial not in (tool, origin) else None
        self._note_meaning(own)
        if own is None or tool or origin:
            self._note("instrument", tool, applies=intent.instrument is not None)
            self._note("source", origin, applies=intent.source is not None)
        return meant

    def _note_meaning(self, denial: Denial | None) -> None:
        """To find out what is meant is also to find out that there is no such thing, or no such place."""
        found_out = QUESTION_OF_REASON.get(denial.reason) if denial else None
        self._note("meant", None if found_out else denial)
        if found_out:
            self._note(found_out, denial)

    def _denial(self, state: WorldState, act: Act) -> Denial | None:
        for question in intents[act.verb.intent].questions(state, act):
            denial = question.ask(state, self.who, act)
            self._note(question.name, denial, applies=question.applies(act))
            if denial:
                return denial
        return None

    def _too_much(self) -> Denial | None:
        denial = super()._too_much()
        self._note("size", denial)
        return denial

    def _note(self, question: str, denial: Denial | None, *, applies: bool = True) -> None:
        self._replies.append(_reply(question, denial, applies=applies))


def _claims(world: WorldState, who: str, parsed: ParsedOutput) -> Iterator[TracedItem]:
    """What is plainly asserted, clause by clause; where nothing is, there is nothing to ask."""
    found = list(claims_in(parsed))
    if not found:
        replies = tuple(_reply(question, None, applies=False) for question, _ in QUESTIONS)
        yield TracedItem("claim", None, (), parsed.speech or "", replies, None)
    for clause, claims in found:
        answers = list[TracedAnswer]()
        for question, ask in QUESTIONS:
            answers.append(_reply(question, ask(clause, world, who, claims)))
            if answers[-1].denial:
                break
        yield TracedItem("claim", None, (), clause, tuple(answers), answers[-1].denial)


def _repetition(history: History | None, who: str, wanted: Sequence[ActionIntent], acts: Sequence[Act]) -> TracedItem:
    denial = repetition_denial(history, who, wanted, acts)
    reply = _reply("repetition", denial, applies=bool(history and signature(wanted, acts)))
    return TracedItem("repetition", None, (), "", (reply,), denial)


def _reply(question: str, denial: Denial | None, *, applies: bool = True) -> TracedAnswer:
    return TracedAnswer(question, "denied" if denial else "passed" if applies else "not_applicable", denial)
