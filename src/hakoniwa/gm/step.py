"""One GM step: read, judge, rule. A pure function of the world, the reply and what the session remembers."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakoniwa.gm.act import Act
from hakoniwa.gm.change import note
from hakoniwa.gm.facts import cards, explain
from hakoniwa.gm.given import with_given
from hakoniwa.gm.history import MAX_SPEECH, History, PastTurn, signature
from hakoniwa.gm.judge import Verdict, judge
from hakoniwa.gm.read import names_in_sight, read
from hakoniwa.gm.second import SecondReading, doubt_about, tag_of
from hakoniwa.gm.stall import Profile, moves_world, stall_score
from hakoniwa.pack import pack
from hakoniwa.stage.patch import MAX_OPERATIONS, touched_names
from hakoniwa.stage.world import WorldState, story_name
from hakoniwa.turn import ActionIntent, Explanation, IntentKind, ParsedOutput, PatchOp, Process, Ruling

MAX_RECONSIDERED = 3


@dataclass(frozen=True)
class GMStep:
    """A ruling with what only the caller of this module needs: the acts, what they set going, what to remember."""

    ruling: Ruling
    acts: tuple[Act, ...]
    processes: tuple[Process, ...]
    past: PastTurn


def rule_on(
    world: WorldState,
    who: str,
    reply: str,
    history: History | None = None,
    turn: int | None = None,
    implicit_take: bool = False,
    profile: Profile = "seed",
    acts: Sequence[ActionIntent] | None = None,
    second: SecondReading | None = None,
    second_of_denials: bool = False,
) -> GMStep:
    """The GM's answer to one reply of one character; of a reply that comes with its acts, only the speech is read.

    `second` says what was meant where the reader is not sure, and with `second_of_denials` also whether an act that is
    denied was meant at all."""
    number = world.time.turn if turn is None else turn
    known = (history or History()).until(who, number)
    parsed = read(reply, world, who, known, second if acts is None else None)
    if acts is not None:
        parsed = with_given(parsed, acts)
    elif second is not None and second_of_denials:
        parsed = _meant_at_all(world, who, parsed, second, implicit_take)
    return rule(world, who, parsed, known, number, implicit_take, profile)


def _meant_at_all(
    world: WorldState, who: str, parsed: ParsedOutput, second: SecondReading, implicit_take: bool
) -> ParsedOutput:
    """A reply without the denied acts that a second reading does not find in it."""
    for _ in range(MAX_RECONSIDERED):
        act = judge(world, who, parsed, implicit_take=implicit_take).denied_act
        if act is None:
            break
        doubt = doubt_about(" ".join(parsed.directions), [tag_of(act)], names_in_sight(world, who))
        if second.choose(doubt) is not None:
            break
        parsed = parsed.with_field("action_intents", tuple(one for one in parsed.action_intents if one is not act))
    return parsed


def rule(
    world: WorldState,
    who: str,
    parsed: ParsedOutput,
    known: History,
    number: int,
    implicit_take: bool = False,
    profile: Profile = "seed",
) -> GMStep:
    """The answer to a reply that has been read."""
    verdict = judge(world, who, parsed, known, implicit_take)
    delta = () if verdict.denial else _delta(world, who, parsed, verdict)
    past = _past_turn(parsed, verdict, delta, who, number)
    ruling = Ruling(
        parsed=_resolve_names(parsed, verdict),
        allowed=verdict.denial is None,
        denied_reason=verdict.denial.reason if verdict.denial else None,
        world_delta=delta,
        stall_score=stall_score(known.before(past), past, profile),
        resolution=verdict.resolution,
        explanation=_explain_denial(world, who, verdict),
        told=() if verdict.denial else verdict.told,
        format_break=parsed.format_break,
    )
    ruling = ruling.with_field("fact_cards", cards(ruling, world, who, sorted(known.touched())))
    return GMStep(ruling, verdict.acts, verdict.processes if ruling.allowed else (), past)


def _resolve_names(parsed: ParsedOutput, verdict: Verdict) -> ParsedOutput:
    """The intents with the names the world uses for their targets."""
    names = {note.written: note.resolved for note in verdict.resolution if note.resolved}
    intents = tuple(
        one.with_fields(
            {
                "target": names.get(one.target or "", one.target),
                "destination": names.get(one.destination or "", one.destination),
            }
        )
        for one in parsed.action_intents
    )
    return parsed.with_field("action_intents", intents)


def _question_notes(world: WorldState, who: str, parsed: ParsedOutput) -> tuple[PatchOp, ...]:
    """A question is an event of the world, though it moves nothing in it."""
    language = pack(world.language)
    asks = [one for one in parsed.action_intents if one.intent == IntentKind.ASK]
    names = [story_name(world, one.target) if one.target else language.phrases["nobody"] for one in asks]
    return tuple(
        note(language.narrate("ASK", who=story_name(world, who), other=other, what=one.detail or ""))
        for one, other in zip(asks, names, strict=True)
    )


def _delta(world: WorldState, who: str, parsed: ParsedOutput, verdict: Verdict) -> tuple[PatchOp, ...]:
    """What the turn does; in a world that has no list of events or no things yet, the first of them starts it."""
    delta = (*verdict.world_delta, *_question_notes(world, who, parsed))[:MAX_OPERATIONS]
    for branch in ("events", "props"):
        if branch not in world.model_fields_set:
            delta = _start_branch(delta, branch)
    return delta


def _start_branch(delta: tuple[PatchOp, ...], branch: str) -> tuple[PatchOp, ...]:
    first = next((place for place, one in enumerate(delta) if one.path.startswith(f"/{branch}/")), None)
    if first is None:
        return delta
    (name,) = touched_names([delta[first]], branch)
    value = [delta[first].value] if branch == "events" else {name: delta[first].value}
    return (*delta[:first], PatchOp(op="add", path=f"/{branch}", value=value), *delta[first + 1 :])


def _explain_denial(world: WorldState, who: str, verdict: Verdict) -> Explanation | None:
    if verdict.denial is None:
        return None
    act, wanted = verdict.acts[-1] if verdict.acts else None, verdict.denied_act
    return explain(world, who, verdict.denial, act, _written_name(verdict), wanted.verb if wanted else None)


def _written_name(verdict: Verdict) -> str | None:
    """What a denial speaks of, as it was written: the thing of the act, or the place it was to go to."""
    act, what = verdict.denied_act, verdict.denial.what if verdict.denial else None
    if act is None or act.destination is None:
        return act.target if act else None
    meant = {note.written: note.resolved for note in verdict.resolution}
    return act.destination if what in (act.destination, meant.get(act.destination)) else act.target


def _past_turn(parsed: ParsedOutput, verdict: Verdict, delta: tuple[PatchOp, ...], who: str, turn: int) -> PastTurn:
    asks = [one for one in parsed.action_intents if one.intent == IntentKind.ASK]
    return PastTurn(
        turn=turn,
        speaker=who,
        marks=signature(parsed.action_intents, verdict.acts),
        asked=(asks[-1].target or "*") if asks else None,
        speech=(parsed.speech or "")[:MAX_SPEECH],
        moved=moves_world(delta),
        acted=any(one.intent not in (IntentKind.SAY, IntentKind.EMOTE) for one in parsed.action_intents),
    )
