"""direct: one performance through sanitizer, checks and referee, with up to two retakes before the story sees it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from hakoniwa.actor.character import Character
from hakoniwa.director.check import Line
from hakoniwa.director.evaluate import Director
from hakoniwa.director.facts import get_facts_for_injection
from hakoniwa.director.sanitize import ActionSanitizer, OnBlock
from hakoniwa.director.words import words
from hakoniwa.gm.act import shown
from hakoniwa.gm.history import History
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import Step, rule_on
from hakoniwa.pack import pack
from hakoniwa.stage.world import WorldState, in_sight, present, things_here
from hakoniwa.turn import Evaluation, Performance, Retake, Ruling, Sanitized, Status, Take

MAX_RETAKES = 2
LISTED = 8


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


@dataclass(frozen=True)
class _Try:
    """One performance looked at from all sides."""

    performance: Performance
    sanitized: Sanitized
    evaluation: Evaluation
    step: Step
    raw_step: Step | None = None
    facts: tuple[str, ...] = field(default=())

    @property
    def acceptable(self) -> bool:
        return self.step.ruling.allowed and self.evaluation.status != Status.RETRY


Again = Callable[[str], Awaitable[Performance | None]]


async def direct(shot: Shot, first: Performance, director: Director, again: Again) -> Cut:
    """Try a performance, ask for it again while it fails and the actor is willing, and keep what is best."""
    tries = [await _tried(shot, first, director)]
    while not tries[-1].acceptable and len(tries) <= MAX_RETAKES:
        performance = await again(guidance(shot, tries[-1].step.ruling, tries[-1].evaluation))
        if performance is None:
            break
        tries.append(await _tried(shot, performance, director))
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
    facts, _ = get_facts_for_injection(
        replace(line, text=performance.text), scene_items(shot.world, shot.who), shot.room, shot.inject
    )
    return _Try(
        performance=shown_as,
        sanitized=sanitized,
        evaluation=await director.evaluate(line),
        step=step,
        raw_step=_judged(shot, performance) if changed else None,
        facts=tuple(f"FACT: {one.text}" for one in facts),
    )


def _judged(shot: Shot, performance: Performance) -> Step:
    return rule_on(
        shot.world, shot.who, performance.text, shot.history,
        turn=shot.turn, implicit_take=shot.implicit_take, profile="repetition",
    )  # fmt: skip


def scene_items(world: WorldState, who: str) -> list[str]:
    """What a stage direction may use: everything in sight, held or brought in, by all of its names."""
    here = [name for name in things_here(world, world.characters[who].location) if in_sight(world, who, name)]
    names = [*here, *world.characters[who].holding]
    aliases = [alias for name in here for alias in world.props[name].aliases]
    parts = [part for name in here for part in world.props[name].parts]
    return list(dict.fromkeys([*names, *aliases, *parts]))


def guidance(shot: Shot, ruling: Ruling, evaluation: Evaluation) -> str:
    """The card that goes with a retake: what was wrong, what is here, in hand, where one can go, what can be done."""
    known = words(shot.world.language).guidance
    why = ruling.explanation.why if ruling.explanation else evaluation.reason
    here = [name for name in things_here(shot.world, shot.room) if in_sight(shot.world, shot.who, name)]
    location = shot.world.locations.get(shot.room)
    acts = [shown(shot.world, one, shot.world.language) for one in islice(possible_acts(shot.world, shot.who), LISTED)]
    lines = [known["title"].format(why=why)]
    for key, names in (
        ("here", here[:12]), ("holding", shot.world.characters[shot.who].holding),
        ("exits", list(location.exits) if location else []), ("acts", acts),
    ):  # fmt: skip
        joined = pack(shot.world.language).phrases["list"].join(names)
        lines.append(known[key].format(names=joined or known["none"]))
    return "\n".join(lines)


def _cut(tries: Sequence[_Try]) -> Cut:
    """The last take stands; those before it are kept as retakes."""
    last = tries[-1]
    retakes = tuple(
        Retake(text=one.performance.text, denied_reason=one.step.ruling.denied_reason, reason=one.evaluation.reason)
        for one in tries[:-1]
    )
    take = Take(
        performance=last.performance,
        ruling=last.step.ruling,
        sanitized=last.sanitized,
        evaluation=last.evaluation,
        retakes=retakes,
        shadow=(last.raw_step or last.step).ruling.denied_reason,
        gave_up=not last.step.ruling.allowed,
        silent_correction=_silent(tries) if retakes else None,
    )
    carried = last.facts if last.step.ruling.allowed else (*last.step.ruling.fact_cards[:1], *last.facts)
    return Cut(take, last.step, tuple(dict.fromkeys(carried))[:3])


def _silent(tries: Sequence[_Try]) -> bool:
    """Whether a denied act was simply done differently, with no apology."""
    before = {act.tag for act in tries[0].step.acts}
    after = {act.tag for act in tries[-1].step.acts}
    speech = tries[-1].step.ruling.parsed.speech or ""
    apologies = pack("ja").words["apologies"] | pack("en").words["apologies"]
    return tries[-1].step.ruling.allowed and before != after and not any(one in speech for one in apologies)

