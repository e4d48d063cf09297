"""direct: one performance through sanitizer, checks and referee, with up to two retakes before the story sees it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from hakoniwa.actor.character import Character
from hakoniwa.director.check import Line
from hakoniwa.director.evaluate import Director
from hakoniwa.director.facts import facts_about
from hakoniwa.director.sanitize import ActionSanitizer, OnBlock
from hakoniwa.director.words import words
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.gm.act import Act, shown
from hakoniwa.gm.history import History
from hakoniwa.gm.options import possible_acts, various
from hakoniwa.gm.step import Step, rule_on
from hakoniwa.pack import pack
from hakoniwa.stage.world import WorldState, in_sight, present, things_here
from hakoniwa.turn import Evaluation, InjectionDecision, Performance, Retake, Ruling, Sanitized, Status, Take

MAX_RETAKES = 2
LISTED, SEARCHED = 8, 200


@dataclass(frozen=True)
class Shot:
    """Everything the Director needs to know about the turn being played."""

    world: WorldState
    who: str
    character: Character
    history: History
    turn: int
    said: Sequence[str] = ()
    implicit_take: bool = False
    on_block: OnBlock = "replace"
    inject: bool = True

    @property
    def room(self) -> str:
        return self.world.characters[self.who].location


@dataclass(frozen=True)
class Cut:
    """What is kept of a shot: the take that stands, the step it leads to, and how it came about."""

    take: Take
    step: Step
    facts: tuple[str, ...] = ()
    denied: tuple[Act, ...] = ()


@dataclass(frozen=True)
class _Try:
    """One performance looked at from all sides."""

    performance: Performance
    sanitized: Sanitized
    evaluation: Evaluation
    step: Step
    raw_step: Step | None
    facts: tuple[str, ...]
    injection: InjectionDecision

    @property
    def acceptable(self) -> bool:
        return self.step.ruling.allowed and self.evaluation.status != Status.RETRY

    @property
    def empty(self) -> bool:
        parsed = self.step.ruling.parsed
        return parsed.speech is None and not parsed.action_intents


Again = Callable[[str], Awaitable[Performance | None]]


async def direct(shot: Shot, first: Performance, director: Director, again: Again) -> Cut:
    """Try a performance, ask for it again while it fails and the actor is willing, and keep what is best.

    An actor who never says or does anything has failed.
    """
    tries = [await _tried(shot, first, director)]
    while not tries[-1].acceptable and len(tries) <= MAX_RETAKES:
        try:
            performance = await again(guidance(shot, tries[-1].step.ruling, tries[-1].evaluation))
        except ModelError:
            break  # what there is, is shown: a turn is not lost for want of a better one
        if performance is None:
            break
        tries.append(await _tried(shot, performance, director))
    if len(tries) > MAX_RETAKES and all(one.empty for one in tries):
        raise ModelMisbehaved("model.says-nothing", who=shot.who)
    return _cut(tries)


async def _tried(shot: Shot, performance: Performance, director: Director) -> _Try:
    """Sanitize, check, judge. Only what survives the sanitizer is judged; the raw reply gets a shadow verdict."""
    result = ActionSanitizer(shot.on_block).sanitize(performance.text, scene_items(shot.world, shot.who))
    sanitized = Sanitized.model_validate(result.as_log(shot.turn, shot.who)["sanitizer"])
    shown_as = performance.model_copy(update={"text": result.sanitized_text})
    step = _judged(shot, shown_as)
    changed = result.sanitized_text != performance.text
    line = Line(
        shot.who, shot.character, result.sanitized_text, step.ruling.parsed, shot.world.language,
        [one for one in present(shot.world, shot.room) if one != shot.who], shot.said,
    )  # fmt: skip
    facts, injection = facts_about(
        replace(line, text=performance.text), result.blocked_props, shot.room, shot.inject
    )
    return _Try(
        performance=shown_as,
        sanitized=sanitized,
        evaluation=await director.evaluate(line),
        step=step,
        raw_step=_judged(shot, performance) if changed else None,
        facts=tuple(f"FACT: {one.text}" for one in facts),
        injection=injection,
    )


def _judged(shot: Shot, performance: Performance) -> Step:
    return rule_on(
        shot.world, shot.who, performance.text, shot.history,
        turn=shot.turn, implicit_take=shot.implicit_take, profile="repetition",
    )  # fmt: skip


def scene_items(world: WorldState, who: str) -> list[str]:
    """What a stage direction may name: everything in sight, held or brought in, by all its names; what it can make."""
    here = [name for name in things_here(world, world.characters[who].location) if in_sight(world, who, name)]
    things = [world.props[name] for name in here]
    spelled = [form for one in things for form in (*one.aliases, *one.parts)]
    made = [name for one in things for way in one.affordances for name in (*way.makes, *(way.after or way).makes)]
    return list(dict.fromkeys([*here, *world.characters[who].holding, *spelled, *made]))


def guidance(shot: Shot, ruling: Ruling, evaluation: Evaluation) -> str:
    """The card that goes with a retake: what was wrong, what is here, in hand, where one can go, what can be done."""
    known = words(shot.world.language).guidance
    why = ruling.explanation.why if ruling.explanation else evaluation.reason
    here = [name for name in things_here(shot.world, shot.room) if in_sight(shot.world, shot.who, name)]
    location = shot.world.locations.get(shot.room)
    possible = various(possible_acts(shot.world, shot.who, limit=SEARCHED))[:LISTED]
    acts = [shown(shot.world, one, shot.world.language) for one in possible]
    lines = [known["title"].format(why=why)]
    for key, names in (
        ("here", here[:12]), ("holding", shot.world.characters[shot.who].holding),
        ("exits", list(location.exits) if location else []), ("acts", acts),
    ):  # fmt: skip
        joined = pack(shot.world.language).phrases["list"].join(names)
        lines.append(known[key].format(names=joined or known["none"]))
    return "\n".join(lines)


def _cut(tries: Sequence[_Try]) -> Cut:
    """The best take stands, the later of two that are alike; the others are kept as retakes."""
    place, kept = max(enumerate(tries), key=lambda pair: (pair[1].acceptable, pair[1].step.ruling.allowed, pair[0]))
    others = [*tries[:place], *tries[place + 1 :]]
    take = Take(
        performance=kept.performance,
        ruling=kept.step.ruling,
        sanitized=kept.sanitized,
        evaluation=kept.evaluation,
        injection=kept.injection,
        retakes=tuple(_retake(one) for one in others),
        shadow=(kept.raw_step or kept.step).ruling.denied_reason,
        gave_up=not kept.step.ruling.allowed,
        silent_correction=_silent(others, kept),
    )
    carried = kept.facts if kept.step.ruling.allowed else (*kept.step.ruling.fact_cards[:1], *kept.facts)
    denied = tuple(act for one in tries if not one.step.ruling.allowed for act in one.step.acts)
    return Cut(take, kept.step, tuple(dict.fromkeys(carried))[:3], denied)


def _retake(one: _Try) -> Retake:
    ruling = one.step.ruling
    return Retake(text=one.performance.text, denied_reason=ruling.denied_reason, reason=one.evaluation.reason)


def _silent(others: Sequence[_Try], kept: _Try) -> bool | None:
    """Whether a denied act was simply done differently, with no apology; None where nothing was denied."""
    denied = [one for one in others if not one.step.ruling.allowed]
    if not denied:
        return None
    speech = (kept.step.ruling.parsed.speech or "").casefold()
    apologies = pack("ja").words["apologies"] | pack("en").words["apologies"]
    changed = _done(denied[0]) != _done(kept)
    return kept.step.ruling.allowed and changed and not any(one in speech for one in apologies)


def _done(one: _Try) -> set[tuple[str | None, str | None, str | None]]:
    """What somebody tried to do, whether or not it could be done."""
    return {(act.verb, act.target, act.destination) for act in one.step.ruling.parsed.action_intents if act.verb}
