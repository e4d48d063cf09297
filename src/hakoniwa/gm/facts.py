"""Explaining: what a denial says, what could be done instead, and the fact cards that go into the next prompt."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from hakoniwa.gm.act import Act, Denial
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.stall import STUCK, WARNING
from hakoniwa.pack import pack
from hakoniwa.stage.patch import apply, pointer
from hakoniwa.stage.world import WorldState, holder, in_sight, story_name, thing, things_here
from hakoniwa.turn import PHYSICAL, DeniedReason, Explanation, Ruling

MAX_CARDS, MAX_CARD, BRIEF = 3, 200, 32


def reason_in_words(world: WorldState, denial: Denial) -> str:
    """The denial as a clause in the world's language."""
    text = (
        pack(world.language)
        .denied[denial.rule]
        .format(
            what=story_name(world, denial.what or ""),
            other=story_name(world, denial.other or ""),
            where=denial.where or "",
            holder=story_name(world, denial.holder or ""),
        )
    )
    return text if len(text) <= MAX_CARD - 16 else text[: MAX_CARD - 17] + "…"


def explain(world: WorldState, who: str, denial: Denial, act: Act | None, written: str | None) -> Explanation:
    """The rule, the thing as written and as resolved, where it really is, and what could be done instead."""
    resolved = denial.what if denial.what and thing(world, denial.what) is not None else None
    prop = thing(world, resolved) if resolved else None
    hidden = denial.rule == "state.hidden"
    why = reason_in_words(world, denial)
    return Explanation(
        rule=denial.rule,
        reason=denial.reason,
        written=written,
        resolved=resolved,
        where=denial.where or (prop.location if prop and not hidden else None),
        held_by=denial.holder or (holder(world, resolved) if resolved else None),
        why=why,
        told=pack(world.language).phrases["but"].format(why=why),
        instead=tuple(one.tag for one in _legal_alternatives(world, who, act, denial)),
    )


def _legal_alternatives(world: WorldState, who: str, act: Act | None, denial: Denial) -> list[Act]:
    """Up to three legal acts, those on the same things first."""
    if who not in world.characters:
        return []
    near = {name for name in (denial.what, denial.other, act.target if act else None) if name}
    related = possible_acts(world, who, about=near, limit=2)
    rest = possible_acts(world, who, limit=5)
    unique = dict.fromkeys(one for one in chain(related, rest) if act is None or one != act)
    return list(islice(unique, 3))


def cards(ruling: Ruling, world: WorldState, who: str, touched: Sequence[str] = ()) -> tuple[str, ...]:
    """At most three facts, in this order: the denial, a stall, what has changed, what is here."""
    phrases, facts = pack(world.language).phrases, list[str]()
    if not ruling.allowed:
        facts.append(phrases["fact"].format(why=_why(ruling, world)))
    if ruling.stall_score > WARNING:
        facts.append(phrases["stall"])
    if ruling.stall_score > STUCK and who in world.characters:
        facts += islice(_topic(world, who, touched), 1)
    if ruling.told:
        facts.append(f"FACT: {ruling.told[-1][: MAX_CARD - 6]}")
    if who in world.characters and len(facts) < MAX_CARDS:
        facts += _scene(ruling, world, who)
    return tuple(facts[:MAX_CARDS])


def _why(ruling: Ruling, world: WorldState) -> str:
    """The reason in words; a ruling that carries no explanation is worded by its reason alone."""
    if ruling.explanation:
        return ruling.explanation.why
    targets = [one.target for one in ruling.parsed.action_intents if one.intent in PHYSICAL and one.target]
    reason = ruling.denied_reason or DeniedReason.INVALID_STATE
    return pack(world.language).phrases[f"reason.{reason}"].format(what=targets[0] if targets else "")


def _topic(world: WorldState, who: str, touched: Sequence[str]) -> Iterator[str]:
    """Something here that nobody has touched yet."""
    room = world.characters[who].location
    for name in things_here(world, room):
        if name not in touched and in_sight(world, who, name):
            yield pack(world.language).phrases["topic"].format(where=room, what=name)


def _scene(ruling: Ruling, world: WorldState, who: str) -> Iterator[str]:
    """What is here is told at the start, after a move, and to someone who grasped at nothing."""
    if any(one.path == pointer("characters", who, "location") for one in ruling.world_delta):
        return _what_is_here(apply(world, ruling.world_delta), who)
    wanted = world.time.turn == 0 or ruling.denied_reason == DeniedReason.MISSING_OBJECT
    return _what_is_here(world, who) if wanted else iter(())


def _what_is_here(world: WorldState, who: str) -> Iterator[str]:
    phrases, room = pack(world.language).phrases, world.characters[who].location
    shown, length = list[str](), 0
    for name in (name for name in things_here(world, room) if in_sight(world, who, name)):
        length += len(name) + 1
        if shown and length > BRIEF:
            shown.append(phrases["more"])
            break
        shown.append(name)
    if shown:
        yield phrases["scene-here"].format(where=room, things=phrases["list"].join(shown))


def generate_fact_cards(gm_response: Ruling, world_state: WorldState | Mapping[str, Any]) -> list[str]:
    """The fact cards of a response, for whoever keeps the world as plain JSON."""
    if not isinstance(world_state, WorldState):
        world_state = WorldState.model_validate(world_state, extra="ignore")
    return list(cards(gm_response, world_state, who=""))


def should_inject(gm_response: Ruling) -> tuple[bool, bool]:
    """(inject the world, inject the GM's feedback): after a change; after a denial, a stall or a broken form."""
    feedback = (
        not gm_response.allowed
        or gm_response.stall_score > WARNING
        or gm_response.parsed.speech is None
        or gm_response.format_break is not None
    )
    return bool(gm_response.world_delta), feedback
