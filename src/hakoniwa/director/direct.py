"""direct: one performance through sanitizer, checks and referee, with up to two retakes before the story sees it."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from hakoniwa.actor.character import Character
from hakoniwa.director.check import CheckInput, words
from hakoniwa.director.evaluate import Director
from hakoniwa.director.facts import facts_about
from hakoniwa.director.next_speaker import nominations
from hakoniwa.director.sanitize import ActionSanitizer, OnBlock
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.facts import for_those_present, reason_as_told
from hakoniwa.gm.given import given_acts, hold_words
from hakoniwa.gm.history import History
from hakoniwa.gm.leaks import leaks
from hakoniwa.gm.options import likely, possible_acts, vary_order
from hakoniwa.gm.read import made_sure, read
from hakoniwa.gm.second import AskSecond, SecondReading, answers_for, tag_of
from hakoniwa.gm.stall import Profile
from hakoniwa.gm.step import GMStep, rule
from hakoniwa.pack import pack
from hakoniwa.stage.belief import Belief, believed_world
from hakoniwa.stage.world import WorldState, people_in, sight, worn_by_status
from hakoniwa.turn import (
    Evaluation,
    InjectionDecision,
    ParsedOutput,
    Performance,
    Retake,
    SanitizerReport,
    Status,
    Take,
)  # fmt: skip

log = logging.getLogger("hakoniwa.director")

MAX_RETAKES = 2
LISTED, SEARCHED = 8, 200
QUOTED_LINE = 120
QUOTED = {"ja": "「{}」", "en": '"{}"'}
SILENCE = {"ja": "（……）", "en": "(…)"}


@dataclass(frozen=True)
class DirectorInput:
    """Everything the Director needs to know about the turn being played."""

    world: WorldState
    who: str
    character: Character
    history: History
    turn: int
    said: Sequence[str] = ()
    heard: Sequence[str] = ()
    implicit_take: bool = False
    on_block: OnBlock | None = "replace"  # None: what is not there is noticed, and left in
    inject: bool = True
    profile: Profile = "repetition"
    chosen: tuple[str, ...] | None = None  # the tags of the acts that came as data; None where none could
    told: str = ""  # what the actor was asked, in which no line and no act stands
    spare: Callable[[], str] = str  # a line to say where the actor finds none; empty where there is none
    ask_second: AskSecond | None = None  # who says what was meant where the reader is not sure
    answers: SecondReading | None = None  # what was said to that
    confirmed: bool = False  # who wrote it has said that what it is read as was meant
    beliefs: Mapping[str, Belief] = field(default_factory=dict)  # everybody's
    common: Sequence[str] = ()  # texts that everybody may know
    leak_status: Status = Status.PASS

    @property
    def room(self) -> str:
        return self.world.characters[self.who].location


@dataclass(frozen=True)
class DirectedTurn:
    """What is kept of a shot: the take that stands, the step it leads to, and how it came about."""

    take: Take
    step: GMStep
    facts: tuple[str, ...] = ()
    denied: tuple[Act, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One performance looked at from all sides."""

    performance: Performance
    sanitized: SanitizerReport
    evaluation: Evaluation
    step: GMStep
    raw_step: GMStep | None
    facts: tuple[str, ...]
    injection: InjectionDecision
    plain: bool = False  # whether the Director has cut it down to the chosen acts and what was said
    drift: tuple[str, ...] = ()

    @property
    def acceptable(self) -> bool:
        return self.step.ruling.allowed and self.evaluation.status != Status.RETRY

    @property
    def empty(self) -> bool:
        parsed = self.step.ruling.parsed
        return parsed.speech is None and not parsed.action_intents


RetakeRequest = Callable[[str], Awaitable[Performance | None]]


async def direct(shot: DirectorInput, first: Performance, director: Director, again: RetakeRequest) -> DirectedTurn:
    """Try a performance, ask for it again while it fails and the actor is willing, and keep what is best.

    An actor who never says or does anything has failed. What was chosen is done, if it can be done at all, and with a
    spare line or with no words rather than with words that cannot be used.
    """
    tries, asked = await _make_attempts(shot, first, director), 0
    while not tries[-1].acceptable and asked < _most_retakes(shot) and not _is_in_vain(shot, tries[-1]):
        card = guidance(shot, tries[-1])
        try:
            performance = await again(card)
        except ModelError:
            break  # what there is, is shown: a turn is not lost for want of a better one
        if performance is None:
            break
        warned = replace(shot, told=f"{shot.told}\n{card}" if shot.told else "")
        tries += await _make_attempts(warned, performance, director)
        asked += 1
    if shot.chosen is None and asked == MAX_RETAKES and all(one.empty for one in tries):
        raise ModelMisbehaved("model.says-nothing", who=shot.who)
    if shot.chosen is not None and not any(one.acceptable for one in tries) and not _is_in_vain(shot, tries[-1]):
        tries += await _attempts_without_actor(shot, tries[-1], director)
    return _pick_take(tries)


async def _attempts_without_actor(shot: DirectorInput, failed: Attempt, director: Director) -> list[Attempt]:
    """The chosen acts with a spare line; without words where there is none, or where it has just been said."""
    line = shot.spare()
    spoken = await _plain_attempt(shot, QUOTED[shot.world.language].format(line), failed, director) if line else None
    return [spoken if spoken and spoken.acceptable else await _plain_attempt(shot, "", failed, director)]


def _most_retakes(shot: DirectorInput) -> int:
    """Where the acts are known, only the words are at stake."""
    return MAX_RETAKES if shot.chosen is None else 1


async def _make_attempts(shot: DirectorInput, performance: Performance, director: Director) -> list[Attempt]:
    """A performance; where acts came as data and what was done besides cannot be, also without that."""
    one = await _make_attempt(shot, performance, director)
    if shot.chosen is None or one.step.ruling.allowed:
        return [one]
    plain = await _plain_attempt(shot, _spoken_words(one, shot.world.language), one, director)
    return [one, plain] if plain.step.ruling.allowed else [one]


async def _make_attempt(shot: DirectorInput, performance: Performance, director: Director) -> Attempt:
    """Sanitize, check, judge. Only what survives the sanitizer is judged; the raw reply gets a shadow verdict."""
    sanitizer, items = ActionSanitizer(shot.on_block or "replace"), scene_items(shot.world, shot.who)
    result = sanitizer.sanitize(performance.text, items, makeable(shot.world, shot.who))
    entry = result.as_log(shot.turn, shot.who)
    sanitized = SanitizerReport.model_validate(entry["sanitizer"]) if shot.on_block else SanitizerReport()
    if sanitized.triggered:
        log.info("turn=%(turn)s speaker=%(speaker)s sanitizer=%(sanitizer)s", entry)
    shot = await _with_answers(shot, result.sanitized_text if shot.on_block else performance.text)
    text, step, drift = rule_with_choice(shot, result.sanitized_text if shot.on_block else performance.text)
    changed = shot.on_block is not None and result.sanitized_text != performance.text
    line = check_input(shot, text, step.ruling.parsed)
    facts, injection = facts_about(replace(line, text=performance.text), result.blocked_props, shot.room, shot.inject)
    return Attempt(
        performance=performance.with_field("text", text),
        sanitized=sanitized,
        evaluation=await director.evaluate(line),
        step=step,
        raw_step=rule_with_choice(shot, performance.text).step if changed else None,
        facts=tuple(f"FACT: {one.text}" for one in facts),
        injection=injection,
        drift=drift,
    )


def check_input(shot: DirectorInput, text: str, parsed: ParsedOutput) -> CheckInput:
    """A reply in front of the checks."""
    company = [one for one in people_in(shot.world, shot.room) if one != shot.who]
    found = leaks(parsed.speech, shot.who, shot.world, shot.beliefs, shot.common) if parsed.speech else ()
    return CheckInput(
        shot.who, shot.character, text, parsed, shot.world.language, company, shot.said, found, shot.leak_status,
        shot.told, shot.heard,
    )  # fmt: skip


async def _with_answers(shot: DirectorInput, text: str) -> DirectorInput:
    """The input with a second reading of what is doubted in a text; what was chosen needs none."""
    if shot.ask_second is None or shot.chosen is not None:
        return shot
    reading = partial(read, text, shot.world, shot.who, shot.history)
    return replace(shot, answers=await answers_for(reading, shot.ask_second))


def _rule_text(shot: DirectorInput, text: str) -> GMStep:
    return _rule_parsed(shot, _parse_text(shot, text))


def _parse_text(shot: DirectorInput, text: str) -> ParsedOutput:
    parsed = read(text, shot.world, shot.who, shot.history, shot.answers)
    return made_sure(parsed) if shot.confirmed else parsed


def _rule_parsed(shot: DirectorInput, parsed: ParsedOutput) -> GMStep:
    step = rule(shot.world, shot.who, parsed, shot.history, shot.turn, shot.implicit_take, shot.profile)
    if step.ruling.allowed or shot.who not in shot.beliefs:
        return step
    believed = believed_world(shot.beliefs[shot.who], shot.world)
    return replace(step, ruling=for_those_present(step.ruling, shot.world, shot.who, believed))


# --- where acts came as data ------------------------------------------------------------------------------------------


class RuledText(NamedTuple):
    """A text with every act in it, its ruling, and what it tells of that is not done."""

    text: str
    step: GMStep
    drift: tuple[str, ...] = ()


def rule_with_choice(shot: DirectorInput, text: str) -> RuledText:
    """The ruling on a text with the acts that came as data; those that no word tells of stand before it as tags."""
    parsed = _parse_text(shot, text)
    if shot.chosen is None:
        return RuledText(text, _rule_parsed(shot, parsed))
    held = hold_words(parsed, given_acts(shot.chosen, shot.world), shot.world, shot.who, shot.implicit_take)
    led = " ".join([*map(tag_of, held.unworded), text]).strip()
    if not led:
        line, language = shot.spare(), shot.world.language
        led = QUOTED[language].format(line) if line else SILENCE[language]
        return RuledText(led, _rule_text(shot, led))
    return RuledText(led, _rule_parsed(shot, held.parsed), held.drift)


def _is_in_vain(shot: DirectorInput, one: Attempt) -> bool:
    """Whether it is the chosen act itself that cannot be done: then that is the story, and no retake helps."""
    if not shot.chosen or one.step.ruling.allowed:
        return False
    return not _rule_text(shot, shot.chosen[0]).ruling.allowed


async def _plain_attempt(shot: DirectorInput, text: str, one: Attempt, director: Director) -> Attempt:
    """A take cut down to this, which hides nothing of what the actor wrote."""
    return replace(
        await _make_attempt(shot, Performance(text=text), director), raw_step=one.raw_step or one.step, plain=True
    )


def _spoken_words(one: Attempt, language: str) -> str:
    """What was said, and who was named as the next to speak."""
    speech = one.step.ruling.parsed.speech
    return " ".join([*([QUOTED[language].format(speech)] if speech else []), *nominations(one.performance.text)[-1:]])


# --- cards and cuts --------------------------------------------------------------------------------------------------


def scene_items(world: WorldState, who: str) -> tuple[str, ...]:
    """What a stage direction may name: everything in sight, held or brought in, by all its names."""
    notes, key = world.index.notes, ("scene_items", who)
    if key not in notes:
        notes[key] = _nameable_items(world, who)
    items: tuple[str, ...] = notes[key]
    return items


def _nameable_items(world: WorldState, who: str) -> tuple[str, ...]:
    here = sight(world, who)
    things = [world.props[name] for name in here]
    spelled = [form for one in things for form in (*one.aliases, *one.parts)]
    worn = worn_by_status(world, who)
    return tuple(dict.fromkeys([*here, *world.characters[who].holding, *spelled, *worn]))


def makeable(world: WorldState, who: str) -> tuple[str, ...]:
    """What things in sight can make: it may be named where it is being made."""
    ways = [way for name in sight(world, who) for way in world.props[name].affordances]
    return tuple(dict.fromkeys(name for way in ways for name in (*way.makes, *(way.after or way).makes)))


def guidance(shot: DirectorInput, failed: Attempt) -> str:
    """The card that goes with a retake: the line and what is wrong with it; and where that is not its words alone, what
    is here, in hand, where one can go, what can be done."""
    known = words(shot.world.language).guidance
    ruling, evaluation = failed.step.ruling, failed.evaluation
    if ruling.allowed:
        line = " ".join((ruling.parsed.speech or failed.performance.text).split())[:QUOTED_LINE]
        return known["line"].format(line=line, why=evaluation.reason, wanted=evaluation.suggestion)
    why = reason_as_told(ruling.explanation, shot.world) if ruling.explanation else evaluation.reason
    here = sight(shot.world, shot.who)
    location = shot.world.locations.get(shot.room)
    lines = [known["title"].format(why=why)]
    for key, names in (
        ("here", here[:12]), ("holding", shot.world.characters[shot.who].holding),
        ("exits", list(location.exits) if location else []),
        *([] if shot.chosen is not None else [("acts", _possible_in_words(shot))]),
    ):  # fmt: skip
        joined = pack(shot.world.language).phrases["list"].join(names)
        lines.append(known[key].format(names=joined or known["none"]))
    return "\n".join(lines)


def _possible_in_words(shot: DirectorInput) -> list[str]:
    """A few acts that can be done, in words."""
    possible = vary_order(likely(shot.world, possible_acts(shot.world, shot.who, limit=SEARCHED)))[:LISTED]
    return [stage_direction(shot.world, one, shot.world.language) for one in possible]


def _pick_take(tries: Sequence[Attempt]) -> DirectedTurn:
    """The best take stands, the later of two that are alike; the others are kept as retakes."""
    place, kept = max(enumerate(tries), key=lambda pair: (pair[1].acceptable, pair[1].step.ruling.allowed, pair[0]))
    others = [*tries[:place], *tries[place + 1 :]]
    take = Take(
        performance=kept.performance,
        ruling=kept.step.ruling,
        sanitized=kept.sanitized,
        evaluation=kept.evaluation,
        injection=kept.injection,
        retakes=tuple(_build_retake(one) for one in others),
        shadow=(kept.raw_step or kept.step).ruling.denied_reason,
        gave_up=not kept.step.ruling.allowed,
        silent_correction=_silent_correction(others, kept),
        drift=kept.drift,
    )
    carried = kept.facts if kept.step.ruling.allowed else (*kept.step.ruling.fact_cards[:1], *kept.facts)
    done = kept.step.acts if kept.step.ruling.allowed else ()
    denied = tuple(act for one in tries if not one.step.ruling.allowed for act in one.step.acts if act not in done)
    return DirectedTurn(take, kept.step, tuple(dict.fromkeys(carried))[:3], denied)


def _build_retake(one: Attempt) -> Retake:
    ruling = one.step.ruling
    return Retake(text=one.performance.text, denied_reason=ruling.denied_reason, reason=one.evaluation.reason)


def _silent_correction(others: Sequence[Attempt], kept: Attempt) -> bool | None:
    """Whether a denied act was simply done differently, with no apology; None where nothing was denied."""
    denied = [one for one in others if not one.step.ruling.allowed]
    if not denied:
        return None
    speech = (kept.step.ruling.parsed.speech or "").casefold()
    apologies = pack("ja").words["apologies"] | pack("en").words["apologies"]
    changed = _wanted_acts(denied[0]) != _wanted_acts(kept)
    own = kept.step.ruling.allowed and not kept.plain
    return own and changed and not any(one in speech for one in apologies)


def _wanted_acts(one: Attempt) -> set[tuple[str | None, str | None, str | None]]:
    """What somebody tried to do, whether or not it could be done."""
    return {(act.verb, act.target, act.destination) for act in one.step.ruling.parsed.action_intents if act.is_act}
