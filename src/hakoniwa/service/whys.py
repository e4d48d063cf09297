"""Why a turn went as it did: what was written and read, what the rules said to each act, and the calls behind it."""

from collections.abc import Iterator, Sequence

from hakoniwa.director.next_speaker import Operation, operation_of
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.facts import reason_in_words
from hakoniwa.gm.trace import AnswerKind, TracedAnswer, trace_judgement
from hakoniwa.journal import CallRow
from hakoniwa.llm import Call
from hakoniwa.play.plain_words import (
    changes_told,
    chosen_because,
    chosen_desire,
    facts_told,
    policy_told,
    read_told,
)
from hakoniwa.play.standing import GardenState, turn_of
from hakoniwa.play.timeline import Timeline
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ActionIntent, DeniedReason, PatchOp, Turn, Value

ABOUT = {"claim": "claims", "repetition": "repetition"}


class RefereeAnswer(Value):
    """One question of the referee's and its answer; `rule`, `reason` and `why` are those of a denial."""

    question: str
    answer: AnswerKind
    rule: str | None = None
    reason: DeniedReason | None = None
    why: str | None = None


class RefereeQuestions(Value):
    """Everything that was asked about one matter, in its order: an act, a claim, or whether it is always the same.

    `rule` and `reason` are those that stood against it, if any did; nothing was asked after that."""

    about: str
    words: str
    allowed: bool
    rule: str | None = None
    reason: DeniedReason | None = None
    questions: tuple[RefereeAnswer, ...] = ()


class CallView(Call):
    """A call to a model: what was asked, as it was sent, what came and what it took; `undone` if it came to nothing.

    Its `usage` says how much of the prompt the server still had, where it does."""

    recorded_at: str
    undone: bool


class GardenWhy(Value):
    """A turn with all that stands behind it; `operation` is how the next speaker was found, and `changes` are
    everything that happened to the world in it.

    What ends in `_told` says the same in people's words; `chosen_because` is why no stronger desire was `chosen`."""

    seq: int
    origin: str
    witnesses: tuple[str, ...]
    turn: Turn
    operation: Operation
    policy_told: str | None
    asked: tuple[RefereeQuestions, ...]
    read_told: tuple[str, ...]
    changes: tuple[PatchOp, ...]
    changes_told: tuple[str, ...]
    facts_told: tuple[str, ...]
    chosen: str | None
    chosen_because: str | None
    state_hash: str | None
    calls: tuple[CallView, ...]


def garden_why(reel: Timeline, number: int, language: str) -> GardenWhy:
    """What stands behind a turn of this line."""
    with reel.lock:
        place = reel.turn_at(number)
        standing, rows = reel.after(place), reel.rows[place : reel.until(number)]
    row = rows[0]
    turn, world = turn_of(row.event), standing.world
    changes = tuple(operation for one in rows for operation in one.event.world_delta)
    return GardenWhy(
        seq=row.seq,
        origin=row.event.origin,
        witnesses=row.event.witnesses,
        turn=turn,
        operation=operation_of(turn, reel.scenario.speakers),
        policy_told=policy_told(reel.scenario.speakers, language),
        asked=tuple(_referee_questions(standing, turn, reel.scenario.implicit_take)),
        read_told=read_told(world, turn.take.ruling.parsed.action_intents, language),
        changes=changes,
        changes_told=changes_told(world, changes, language),
        facts_told=facts_told(turn.take.ruling.fact_cards),
        chosen=chosen_desire(turn),
        chosen_because=chosen_because(turn, language),
        state_hash=rows[-1].event.state_hash,
        calls=_calls(reel.journal.calls(reel.garden.id, reel.branch, number, prompts=True)),
    )


def _referee_questions(standing: GardenState, turn: Turn, implicit_take: bool) -> Iterator[RefereeQuestions]:
    """What the referee asked about a turn: it is judged once more in the world as it was, and noted this time."""
    world, parsed = standing.world, turn.take.ruling.parsed
    for matter in trace_judgement(world, turn.speaker, parsed, standing.history, implicit_take):
        denial = matter.denial
        yield RefereeQuestions(
            about=_tag(matter.intent, matter.acts) if matter.intent else ABOUT[matter.about],
            words=_words(world, matter.intent, matter.acts) if matter.intent else matter.words,
            allowed=denial is None,
            rule=denial.rule if denial else None,
            reason=denial.reason if denial else None,
            questions=tuple(_referee_answer(world, one) for one in matter.replies),
        )


def _referee_answer(world: WorldState, reply: TracedAnswer) -> RefereeAnswer:
    if reply.denial is None:
        return RefereeAnswer(question=reply.question, answer=reply.answer)
    return RefereeAnswer(
        question=reply.question,
        answer=reply.answer,
        rule=reply.denial.rule,
        reason=reply.denial.reason,
        why=reason_in_words(world, reply.denial),
    )


def _tag(intent: ActionIntent, acts: Sequence[Act]) -> str:
    return " ".join(act.tag for act in acts) or f"({intent.verb or intent.intent}: {intent.target or ''})"


def _words(world: WorldState, intent: ActionIntent, acts: Sequence[Act]) -> str:
    return " ".join(stage_direction(world, act, world.language) for act in acts) or _own_words(intent)


def _own_words(intent: ActionIntent) -> str:
    """How the performer put it; a bare tag says nothing more."""
    return "" if intent.detail in (None, intent.verb, intent.intent) else str(intent.detail)


def _calls(rows: Sequence[CallRow]) -> tuple[CallView, ...]:
    known = set(Call.model_fields)
    made = ({name: value for name, value in row.call.items() if name in known} for row in rows)
    pairs = zip(rows, made, strict=True)
    return tuple(
        CallView.model_validate({**call, "recorded_at": row.recorded_at, "undone": row.undone}) for row, call in pairs
    )
