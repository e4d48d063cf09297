"""Explaining: what a denial says, and the fact cards that go into the next prompt."""

from collections.abc import Sequence
from itertools import chain, islice

from hakoniwa.gm.act import Act, Denial
from hakoniwa.gm.options import possible_acts
from hakoniwa.pack import pack
from hakoniwa.stage.world import WorldState, called, holder, in_sight, thing, things_here
from hakoniwa.turn import DeniedReason, Explanation

MAX_CARDS, MAX_CARD = 3, 200


def reason_in_words(world: WorldState, denial: Denial) -> str:
    """The denial as a clause in the world's language."""
    return pack(world.language).denied[denial.rule].format(
        what=called(world, denial.what or ""),
        other=called(world, denial.other or ""),
        where=denial.where or "",
        holder=called(world, denial.holder or ""),
    )


def explain(world: WorldState, who: str, denial: Denial, act: Act | None, written: str | None) -> Explanation:
    """The rule, the thing as written and as resolved, where it really is, and what could be done instead."""
    resolved = denial.what if denial.what and thing(world, denial.what) is not None else None
    prop = thing(world, resolved) if resolved else None
    hidden = denial.rule == "state.hidden"
    return Explanation(
        rule=denial.rule,
        reason=denial.reason,
        written=written,
        resolved=resolved,
        where=denial.where or (prop.location if prop and not hidden else None),
        held_by=denial.holder or (holder(world, resolved) if resolved else None),
        told=pack(world.language).phrases["but"].format(why=_capped(reason_in_words(world, denial))),
        instead=tuple(one.tag for one in _instead(world, who, act, denial)),
    )


def _capped(text: str) -> str:
    return text if len(text) <= MAX_CARD - 16 else text[: MAX_CARD - 17] + "…"


def _instead(world: WorldState, who: str, act: Act | None, denial: Denial) -> list[Act]:
    """Up to three legal acts, those on the same things first."""
    if who not in world.characters:
        return []
    near = {name for name in (denial.what, denial.other, act.target if act else None) if name}
    related = possible_acts(world, who, about=near, limit=2)
    rest = possible_acts(world, who, limit=12)
    unique = dict.fromkeys(one for one in chain(related, rest) if act is None or one != act)
    return list(islice(unique, 3))


def cards(world: WorldState, who: str, denial: Denial | None, told: Sequence[str]) -> tuple[str, ...]:
    """At most three facts: the denial, what has just changed, what is here."""
    phrases = pack(world.language).phrases
    facts = [phrases["fact"].format(why=_capped(reason_in_words(world, denial)))] if denial else []
    facts += [f"FACT: {_capped(told[-1])}"] if told else []
    unsettled = denial is not None and denial.reason == DeniedReason.MISSING_OBJECT
    if who in world.characters and (world.time.turn == 0 or unsettled):
        facts += _what_is_here(world, who)
    return tuple(facts[:MAX_CARDS])


def _what_is_here(world: WorldState, who: str) -> list[str]:
    phrases, room = pack(world.language).phrases, world.characters[who].location
    shown, length = [], 0
    for name in things_here(world, room):
        length += len(name) + 1
        if length > 32:
            shown.append(phrases["more"])
            break
        if in_sight(world, who, name):
            shown.append(name)
    if not shown:
        return []
    return [phrases["scene-here"].format(where=room, things=phrases["list"].join(shown))]
