"""direct: one performance through sanitizer, checks and referee, with up to two retakes before the story sees it."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from hakoniwa.actor.character import Character
from hakoniwa.director.check import Line
from hakoniwa.director.evaluate import Director
from hakoniwa.director.facts import facts_about
from hakoniwa.director.next_speaker import nominations
from hakoniwa.director.sanitize import ActionSanitizer, OnBlock
from hakoniwa.director.words import words
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.gm.act import Act, shown
from hakoniwa.gm.history import History
from hakoniwa.gm.options import possible_acts, various
from hakoniwa.gm.read import led_by, read
from hakoniwa.gm.stall import Profile
from hakoniwa.gm.step import Step, rule
from hakoniwa.pack import pack, verb_of
from hakoniwa.stage.world import WorldState, present, sight
from hakoniwa.turn import (
    Evaluation,
    InjectionDecision,
    ParsedOutput,
    Performance,
    Retake,
    Ruling,
    Sanitized,
    Status,
    Take,
)  # fmt: skip

log = logging.getLogger("hakoniwa.director")

MAX_RETAKES = 2
LISTED, SEARCHED = 8, 200
QUOTED = {"ja": "「{}」", "en": '"{}"'}


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
    on_block: OnBlock | None = "replace"  # None: what is not there is noticed, and left in
    inject: bool = True
    profile: Profile = "repetition"
    chosen: str | None = None  # the tag of the act that was decided on before it was played

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
    plain: bool = False  # whether the Director has cut it down to the chosen act and what was said

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

    An actor who never says or does anything has failed. What was chosen is done, if it can be done at all.
    """
    tries, asked = await _takes(shot, first, director), 0
    while not tries[-1].acceptable and asked < MAX_RETAKES and not _in_vain(shot, tries[-1]):
        try:
            performance = await again(guidance(shot, tries[-1].step.ruling, tries[-1].evaluation))
        except ModelError:
            break  # what there is, is shown: a turn is not lost for want of a better one
        if performance is None:
            break
        tries += await _takes(shot, performance, director)
        asked += 1
    if asked == MAX_RETAKES and all(one.empty for one in tries):
        raise ModelMisbehaved("model.says-nothing", who=shot.who)
    if shot.chosen and not any(one.step.ruling.allowed for one in tries) and not _in_vain(shot, tries[-1]):
        tries.append(await _plain(shot, shot.chosen, tries[-1], director))
    return _cut(tries)


async def _takes(shot: Shot, performance: Performance, director: Director) -> list[_Try]:
    """A performance; where an act was chosen and what was done besides cannot be, also without that."""
    one = await _tried(shot, performance, director)
    if shot.chosen is None or one.step.ruling.allowed:
        return [one]
    plain = await _plain(shot, f"{shot.chosen} {_words(one, shot.world.language)}".strip(), one, director)
    return [one, plain] if plain.step.ruling.allowed else [one]


async def _tried(shot: Shot, performance: Performance, director: Director) -> _Try:
    """Sanitize, check, judge. Only what survives the sanitizer is judged; the raw reply gets a shadow verdict."""
    result = ActionSanitizer(shot.on_block or "replace").sanitize(performance.text, scene_items(shot.world, shot.who))
    entry = result.as_log(shot.turn, shot.who)
    sanitized = Sanitized.model_validate(entry["sanitizer"]) if shot.on_block else Sanitized()
    if sanitized.triggered:
        log.info("turn=%(turn)s speaker=%(speaker)s sanitizer=%(sanitizer)s", entry)
    text, step = judged(shot, result.sanitized_text if shot.on_block else performance.text)
    changed = shot.on_block is not None and result.sanitized_text != performance.text
    line = Line(
        shot.who, shot.character, text, step.ruling.parsed, shot.world.language,
        [one for one in present(shot.world, shot.room) if one != shot.who], shot.said,
    )  # fmt: skip
    facts, injection = facts_about(
        replace(line, text=performance.text), result.blocked_props, shot.room, shot.inject
    )
    return _Try(
        performance=performance.with_field("text", text),
        sanitized=sanitized,
        evaluation=await director.evaluate(line),
        step=step,
        raw_step=judged(shot, performance.text)[1] if changed else None,
        facts=tuple(f"FACT: {one.text}" for one in facts),
        injection=injection,
    )


def _judged(shot: Shot, text: str) -> Step:
    return _ruled(shot, _read(shot, text))


def _read(shot: Shot, text: str) -> ParsedOutput:
    return read(text, shot.world, shot.who, shot.history)


def _ruled(shot: Shot, parsed: ParsedOutput) -> Step:
    return rule(shot.world, shot.who, parsed, shot.history, shot.turn, shot.implicit_take, shot.profile)


# --- where an act was chosen before it was played --------------------------------------------------------------------


def judged(shot: Shot, text: str) -> tuple[str, Step]:
    """The text with the chosen act in it, as the actor put it or before what they wrote, and its ruling."""
    parsed = _read(shot, text)
    if shot.chosen is None:
        return text, _ruled(shot, parsed)
    led = f"{shot.chosen} {text}".strip()
    if behind := led_by(shot.chosen, parsed, shot.world):
        return led, _ruled(shot, behind)
    step = _ruled(shot, parsed)
    return (text, step) if _is_in(step, shot.chosen) else (led, _judged(shot, led))


def _is_in(step: Step, chosen: str) -> bool:
    """Whether an act is in a reply; what follows on a denial is only read, not judged."""
    intents = step.ruling.parsed.action_intents
    only_read = [Act(verb_of(one.verb), one.target, one.destination) for one in intents if one.verb]
    return chosen in {act.tag for act in (*step.acts, *only_read)}


def _in_vain(shot: Shot, one: _Try) -> bool:
    """Whether it is the chosen act itself that cannot be done: then that is the story, and no retake helps."""
    if shot.chosen is None or one.step.ruling.allowed:
        return False
    return not _judged(shot, shot.chosen).ruling.allowed


async def _plain(shot: Shot, text: str, one: _Try, director: Director) -> _Try:
    """A take cut down to this, which hides nothing of what the actor wrote."""
    return replace(await _tried(shot, Performance(text=text), director), raw_step=one.raw_step or one.step, plain=True)


def _words(one: _Try, language: str) -> str:
    """What was said, and who was named as the next to speak."""
    speech = one.step.ruling.parsed.speech
    return " ".join([*([QUOTED[language].format(speech)] if speech else []), *nominations(one.performance.text)[-1:]])


# --- cards and cuts --------------------------------------------------------------------------------------------------


def scene_items(world: WorldState, who: str) -> tuple[str, ...]:
    """What a stage direction may name: everything in sight, held or brought in, by all its names; what it can make."""
    notes, key = world.index.notes, ("scene_items", who)
    if key not in notes:
        notes[key] = _nameable(world, who)
    items: tuple[str, ...] = notes[key]
    return items


def _nameable(world: WorldState, who: str) -> tuple[str, ...]:
    here = sight(world, who)
    things = [world.props[name] for name in here]
    spelled = [form for one in things for form in (*one.aliases, *one.parts)]
    made = [name for one in things for way in one.affordances for name in (*way.makes, *(way.after or way).makes)]
    return tuple(dict.fromkeys([*here, *world.characters[who].holding, *spelled, *made]))


def guidance(shot: Shot, ruling: Ruling, evaluation: Evaluation) -> str:
    """The card that goes with a retake: what was wrong, what is here, in hand, where one can go, what can be done."""
    known = words(shot.world.language).guidance
    why = ruling.explanation.why if ruling.explanation else evaluation.reason
    here = sight(shot.world, shot.who)
    location = shot.world.locations.get(shot.room)
    lines = [known["title"].format(why=why)]
    for key, names in (
        ("here", here[:12]), ("holding", shot.world.characters[shot.who].holding),
        ("exits", list(location.exits) if location else []), *([] if shot.chosen else [("acts", _possible(shot))]),
    ):  # fmt: skip
        joined = pack(shot.world.language).phrases["list"].join(names)
        lines.append(known[key].format(names=joined or known["none"]))
    return "\n".join(lines)


def _possible(shot: Shot) -> list[str]:
    """A few acts that can be done, in words."""
    possible = various(possible_acts(shot.world, shot.who, limit=SEARCHED))[:LISTED]
    return [shown(shot.world, one, shot.world.language) for one in possible]


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
    done = kept.step.acts if kept.step.ruling.allowed else ()
    denied = tuple(act for one in tries if not one.step.ruling.allowed for act in one.step.acts if act not in done)
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
    own = kept.step.ruling.allowed and not kept.plain
    return own and changed and not any(one in speech for one in apologies)


def _done(one: _Try) -> set[tuple[str | None, str | None, str | None]]:
    """What somebody tried to do, whether or not it could be done."""
    return {(act.verb, act.target, act.destination) for act in one.step.ruling.parsed.action_intents if act.verb}
