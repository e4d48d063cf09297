"""Why a turn went as it did: what was written and read, what the rules said to each act, and the calls behind it."""

from collections.abc import Iterator, Sequence

from hakoniwa.errors import UnknownName
from hakoniwa.gm.act import Act, Denial, shown
from hakoniwa.gm.contradict import contradiction
from hakoniwa.gm.judge import Trial, third_time
from hakoniwa.journal import CallRow, Row
from hakoniwa.llm import Call
from hakoniwa.play.standing import Standing, turn_of
from hakoniwa.service.reel import Reel
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PHYSICAL, ActionIntent, DeniedReason, PatchOp, Turn, Value


class Asked(Value):
    """One question to the rules: about an act, about what is claimed, or whether it is always the same.

    `rule` and `reason` are those that stood against it, if any did."""

    about: str
    words: str
    allowed: bool
    rule: str | None = None
    reason: DeniedReason | None = None


class Asking(Call):
    """A call to a model: what was asked, as it was sent, what came and what it took; `undone` if it came to nothing.

    Its `usage` says how much of the prompt the server still had, where it does."""

    recorded_at: str
    undone: bool


class GardenWhy(Value):
    """A turn with all that stands behind it; `changes` are everything that happened to the world in it."""

    seq: int
    origin: str
    witnesses: tuple[str, ...]
    turn: Turn
    asked: tuple[Asked, ...]
    changes: tuple[PatchOp, ...]
    state_hash: str | None
    calls: tuple[Asking, ...]


def garden_why(reel: Reel, number: int) -> GardenWhy:
    """What stands behind a turn of this line."""
    with reel.lock:
        place, row = _turn_at(reel, number)
        standing = reel.after(place)
        rows = [one for one in reel.rows[place:] if one.event.turn == number]
    turn = turn_of(row.event)
    return GardenWhy(
        seq=row.seq,
        origin=row.event.origin,
        witnesses=row.event.witnesses,
        turn=turn,
        asked=tuple(_asked(standing, turn, reel.scenario.implicit_take)),
        changes=tuple(operation for one in rows for operation in one.event.world_delta),
        state_hash=rows[-1].event.state_hash,
        calls=_calls(reel.journal.calls(reel.garden.id, reel.branch, number, prompts=True)),
    )


def _turn_at(reel: Reel, number: int) -> tuple[int, Row]:
    for place, row in enumerate(reel.rows):
        if row.event.kind == "turn" and row.event.turn == number:
            return place, row
    last = reel.rows[-1].event.turn if reel.rows else 0
    raise UnknownName("garden.no-turn", wanted=number, last=last)


def _asked(standing: Standing, turn: Turn, implicit_take: bool) -> Iterator[Asked]:
    """What the referee asked about a turn, in its order; it asks no further than the first that stands against it."""
    parsed, trial = turn.take.ruling.parsed, Trial(standing.world, turn.speaker)
    for intent in parsed.action_intents:
        if intent.intent not in PHYSICAL:
            continue
        tried = len(trial.acts)
        denial = trial.attempt(intent, implicit_take)
        yield _about(_tag(intent, trial.acts[tried:]), _words(standing.world, intent, trial.acts[tried:]), denial)
        if denial is not None:
            return
    denial = contradiction(parsed, standing.world, turn.speaker)
    yield _about("claims", parsed.speech or "", denial)
    if denial is None:
        yield _about("repetition", "", third_time(standing.history, turn.speaker, parsed.action_intents, trial.acts))


def _about(about: str, words: str, denial: Denial | None) -> Asked:
    if denial is None:
        return Asked(about=about, words=words, allowed=True)
    return Asked(about=about, words=words, allowed=False, rule=denial.rule, reason=denial.reason)


def _tag(intent: ActionIntent, acts: Sequence[Act]) -> str:
    return " ".join(act.tag for act in acts) or f"({intent.verb or intent.intent}: {intent.target or ''})"


def _words(world: WorldState, intent: ActionIntent, acts: Sequence[Act]) -> str:
    return " ".join(shown(world, act, world.language) for act in acts) or intent.detail or ""


def _calls(rows: Sequence[CallRow]) -> tuple[Asking, ...]:
    known = set(Call.model_fields)
    made = ({name: value for name, value in row.call.items() if name in known} for row in rows)
    pairs = zip(rows, made, strict=True)
    return tuple(
        Asking.model_validate({**call, "recorded_at": row.recorded_at, "undone": row.undone}) for row, call in pairs
    )
