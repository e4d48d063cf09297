"""Explaining: what a denial says, what could be done instead, and the fact cards that go into the next prompt."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from hakoniwa.gm.act import Act, Denial
from hakoniwa.gm.options import likely, possible_acts, vary_order
from hakoniwa.gm.stall import STUCK, WARNING, moves_world
from hakoniwa.messages import states_in_words
from hakoniwa.pack import pack
from hakoniwa.stage.claims import place_of, stands
from hakoniwa.stage.patch import apply, pointer
from hakoniwa.stage.world import WorldState, holder, in_sight, story_name, thing, things_here
from hakoniwa.turn import PHYSICAL, DeniedReason, Explanation, Fact, Ruling

MAX_CARDS, MAX_CARD, BRIEF = 3, 200, 32
ELSEWHERE = ("elsewhere.thing", "elsewhere.thing.alive", "elsewhere.person", "contradicts.presence")
SHUT_AWAY = ("state.enclosed", "owned.carried")
CONSIDERED = 16  # acts among which those are looked for that could be done instead


def reason_in_words(world: WorldState, denial: Denial) -> str:
    """The denial as a clause in the world's language."""
    known, prop = pack(world.language).denied, thing(world, denial.what) if denial.what else None
    lives = denial.what in world.characters or (prop is not None and prop.alive)
    alive = known.get(f"{denial.rule}.alive") if lives else None
    names = {"what": denial.what or "", "other": denial.other or ""}
    text = pack(world.language).explained(
        alive or known[denial.rule],
        [blank for blank, name in names.items() if name in world.characters],
        **{blank: story_name(world, name) for blank, name in names.items()},
        where=denial.where or "",
        holder=story_name(world, denial.holder or ""),
        state="".join(states_in_words([denial.state], world.language)) if denial.state else "",
    )
    return text if len(text) <= MAX_CARD - 16 else text[: MAX_CARD - 17] + "…"


def explain(
    world: WorldState, who: str, denial: Denial, act: Act | None, written: str | None, tried: str | None = None
) -> Explanation:
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
        instead=tuple(one.tag for one in _legal_alternatives(world, who, act, denial, tried)),
    )


def for_those_present(ruling: Ruling, world: WorldState, who: str, believed: WorldState | None = None) -> Ruling:
    """A ruling as it is told in a garden: a denial says no more than its character can know; its `why` stays whole."""
    known = ruling.explanation
    if known is None or _may_know(known, world, who, believed):
        return ruling
    language = pack(world.language)
    why = language.explained(language.phrases["not-found"], what=known.written or known.resolved or "")
    cards = tuple(_without_place(card, known, world, why) for card in ruling.fact_cards)
    told = known.with_field("told", language.phrases["but"].format(why=why))
    return ruling.with_fields({"explanation": told, "fact_cards": cards})


def reason_as_told(explanation: Explanation, world: WorldState) -> str:
    """The reason that the story gives for a denial, as a clause."""
    before, after = pack(world.language).phrases["but"].split("{why}")
    return explanation.told.removeprefix(before).removesuffix(after)


def _may_know(known: Explanation, world: WorldState, who: str, believed: WorldState | None) -> bool:
    """Whether what a denial tells can be seen from where somebody is, or is what they believe."""
    if who not in world.characters or known.rule not in (*ELSEWHERE, *SHUT_AWAY):
        return True
    found = [name for _, (_, name) in world.index.names.find(known.written or "")]
    name = known.resolved or (found[0] if found else "")
    shut = known.rule in SHUT_AWAY
    place = place_of(world, name) if shut else Fact(subject=name, relation="at", object=known.where)
    return believed is not None and place is not None and stands(place, believed) is True


def _without_place(card: str, known: Explanation, world: WorldState, why: str) -> str:
    """A fact card of a denial with a reason in place of the one that tells where things are."""
    whole = pack(world.language).phrases["fact"].format(why=known.why)
    return pack(world.language).phrases["fact"].format(why=why) if card == whole else card


def _legal_alternatives(world: WorldState, who: str, act: Act | None, denial: Denial, tried: str | None) -> list[Act]:
    """Up to three legal acts that somebody might want: those on the same things first, then the same on others."""
    if who not in world.characters:
        return []
    near = {name for name in (denial.what, denial.other, act.target if act else None) if name}
    related = likely(world, possible_acts(world, who, about=near, limit=CONSIDERED))
    others = likely(world, possible_acts(world, who, limit=CONSIDERED))
    ranked = sorted(vary_order(others), key=lambda one: one.verb.id != tried)
    found = dict.fromkeys(one for one in chain(islice(related, 2), ranked) if act is None or one != act)
    return list(islice(found or possible_acts(world, who), 3))


def cards(ruling: Ruling, world: WorldState, who: str, touched: Sequence[str] = ()) -> tuple[str, ...]:
    """At most three facts, in this order: the denial, a stall, what has changed, what is here."""
    phrases, facts = pack(world.language).phrases, list[str]()
    if not ruling.allowed:
        facts.append(phrases["fact"].format(why=_why(ruling, world)))
    if ruling.stall_score > WARNING:
        facts.append(phrases["stall"])
    if ruling.stall_score > STUCK and who in world.characters:
        facts += islice(_topic(_after(ruling, world), who, touched), 1)
    if ruling.told:
        facts.append(f"FACT: {ruling.told[-1][: MAX_CARD - 6]}")
    if who in world.characters and len(facts) < MAX_CARDS:
        facts += _scene(ruling, world, who)
    return tuple(facts[:MAX_CARDS])


def unread_card(ruling: Ruling, done: Sequence[Act], world: WorldState) -> str | None:
    """A fact card that names what came to nothing for want of being understood; None if there is no such thing."""
    known, parsed = pack(world.language), ruling.parsed
    touched = {act.target for act in done}
    unsure = [one for one in parsed.action_intents if one.is_act and not one.sure and one.target not in touched]
    guessed = [known.act(one.verb or "", what=one.target or "", other=one.destination or "") for one in unsure]
    told = known.phrases["list"].join(known.phrases["unread"].format(text=one) for one in (*parsed.unread, *guessed))
    return known.phrases["unread-card"].format(text=told)[:MAX_CARD] if told else None


def _why(ruling: Ruling, world: WorldState) -> str:
    """The reason in words; a ruling that carries no explanation is worded by its reason alone."""
    if ruling.explanation:
        return ruling.explanation.why
    targets = [one.target for one in ruling.parsed.action_intents if one.intent in PHYSICAL and one.target]
    reason = ruling.denied_reason or DeniedReason.INVALID_STATE
    known = pack(world.language)
    return known.explained(known.phrases[f"reason.{reason}"], what=targets[0] if targets else "")


def _topic(world: WorldState, who: str, touched: Sequence[str]) -> Iterator[str]:
    """Something here that nobody has touched yet."""
    room = world.characters[who].location
    for name in things_here(world, room):
        if name not in touched and in_sight(world, who, name):
            yield pack(world.language).phrases["topic"].format(where=room, what=name)


def _scene(ruling: Ruling, world: WorldState, who: str) -> Iterator[str]:
    """What is here once the turn is done: told at the start, after a move, and to someone who grasped at nothing."""
    moved = any(one.path == pointer("characters", who, "location") for one in ruling.world_delta)
    if moved or world.time.turn == 0 or ruling.denied_reason == DeniedReason.MISSING_OBJECT:
        yield from _what_is_here(_after(ruling, world), who)


def _after(ruling: Ruling, world: WorldState) -> WorldState:
    """The world that a turn leaves, as far as it can be looked at."""
    return apply(world, ruling.world_delta) if moves_world(ruling.world_delta) else world


def _what_is_here(world: WorldState, who: str) -> Iterator[str]:
    """The things in sight, and what lives."""
    phrases, room = pack(world.language).phrases, world.characters[who].location
    seen = [name for name in things_here(world, room) if in_sight(world, who, name)]
    living = [name for name in seen if world.props[name].alive]
    things = _briefly([name for name in seen if name not in living], phrases)
    animals = _briefly(living, phrases)
    if things:
        too = phrases["here-too"].format(things=animals) if animals else ""
        yield phrases["scene-here"].format(where=room, things=things) + too
    elif animals:
        yield phrases["scene-alive"].format(where=room, things=animals)


def _briefly(names: Iterable[str], phrases: Mapping[str, str]) -> str:
    """As many names as a card has room for."""
    shown, length = list[str](), 0
    for name in names:
        length += len(name) + 1
        if shown and length > BRIEF:
            shown.append(phrases["more"])
            break
        shown.append(name)
    return phrases["list"].join(shown)


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
