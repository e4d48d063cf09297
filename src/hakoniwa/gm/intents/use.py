"""USE: every other verb. Affordances are data; doors, locks and switches know their own states."""

from collections.abc import Iterator, Sequence

from hakoniwa.gm.act import Act, Denial, Effect, HoldCheck, Intent, Question, intents, narrate_act
from hakoniwa.gm.change import appear, keep_on, note, set_state, take_hold, vanish
from hakoniwa.gm.checks import (
    EXISTS,
    HERE,
    IN_REACH,
    affordance_denial,
    affordance_for,
    affordances_for,
    hands_full,
    holds,
    no_hold_needed,
    not_at_hand,
    not_here,
    others_claim,
)
from hakoniwa.pack import Verb, pack, verb_of
from hakoniwa.stage.patch import pointer
from hakoniwa.stage.world import (
    Affordance,
    Condition,
    Prop,
    WorldState,
    in_place,
    is_door,
    next_states,
    story_name,
    thing,
)
from hakoniwa.turn import DeniedReason as Why
from hakoniwa.turn import PatchOp, Process

POSTURES = frozenset({"SIT", "LIE", "STAND"})
ALWAYS = frozenset({"INSPECT", "POINT", "TOUCH", "KNOCK", "HUG", "CALL", "LEAN"})
AS_WORN = frozenset(
    {"REMOVE", "ADJUST", "SHIFT", "TILT", "PUSH", "CLEAN"}
)  # what is worn is pushed up and set straight
NOTHING_SPECIAL = Affordance(verb="USE")
HOLDS: dict[str, HoldCheck] = {"sight": no_hold_needed, "voice": no_hold_needed, "touch": others_claim}
SWITCHES = {
    "OPEN": (Condition.OPEN, "open", "開"),
    "CLOSE": (Condition.CLOSED, "closed", "閉"),
    "LOCK": (Condition.LOCKED, "locked", "施錠"),
    "UNLOCK": (Condition.CLOSED, "closed", "閉"),
    "TURN_ON": (Condition.ON, "on", "点灯"),
    "TURN_OFF": (Condition.OFF, "off", "消灯"),
}
BREWING = ("on", "brewing")  # what becomes of a machine that is off when something is brewed with it


@intents.add("USE")
class Use(Intent):
    def hold(self, verb: Verb) -> HoldCheck:
        return HOLDS.get(verb.manner, not_at_hand)

    def unfit(self, world: WorldState, who: str, name: str, verb: str) -> Denial | None:
        return (
            _not_afforded(world, who, name, verb)
            or _wrong_state(world, who, name, verb)
            or _wrong_dress(world, who, name, verb)
        )

    def questions(self, world: WorldState, act: Act) -> Sequence[Question]:
        if act.target is None:
            return WITH_NOTHING
        return WITH_SOMEBODY if act.target in world.characters else WITH_SOMETHING

    def effect(self, world: WorldState, who: str, act: Act) -> Effect:
        if act.target is None or act.target in world.characters:
            told = narrate_act(world, who, act)
            return Effect((*_posture(world, who, act.verb.id), note(told)), told)
        return affordance_effect(
            world, who, act, affordance_for(world, who, act.target, act.verb.id) or NOTHING_SPECIAL
        )


def _needs_name(_: WorldState, __: str, act: Act) -> Denial | None:
    """What is done with the body, the eyes or the voice alone needs no thing."""
    no_hold_needed = act.verb.id in POSTURES or act.verb.manner in ("sight", "voice")
    return None if no_hold_needed else Denial("ambiguous.no-object", Why.AMBIGUOUS_ACTION)


def _out_of_earshot(world: WorldState, who: str, act: Act) -> Denial | None:
    return not_here(world, who, act.target or "") if act.verb.manner != "voice" else None


def _not_a_tool(_: WorldState, __: str, act: Act) -> Denial | None:
    """People are no tools."""
    return Denial("state.no-affordance", Why.INVALID_STATE, act.target) if act.verb.manner == "hand" else None


def _hold_denial(world: WorldState, who: str, act: Act) -> Denial | None:
    return HOLDS.get(act.verb.manner, not_at_hand)(world, who, act.target or "")


WITH_NOTHING = (Question("named", _needs_name),)
WITH_SOMEBODY = (
    Question("here", _out_of_earshot, lambda act: act.verb.manner != "voice"),
    Question("afforded", _not_a_tool, lambda act: act.verb.manner == "hand"),
)
WITH_SOMETHING = (
    EXISTS,
    HERE,
    Question("at-hand", _hold_denial, lambda act: act.verb.manner not in ("sight", "voice")),
    IN_REACH,
    Question(
        "afforded", lambda world, who, act: _not_afforded(world, who, act.target or "", act.verb.id),
        lambda act: act.verb.id not in ALWAYS,
    ),
    Question(
        "state", lambda world, who, act: _wrong_state(world, who, act.target or "", act.verb.id),
        lambda act: act.verb.id in SWITCHES,
    ),
    Question(
        "worn", lambda world, who, act: _wrong_dress(world, who, act.target or "", act.verb.id),
        lambda act: act.verb.id in ("WEAR", "REMOVE"),
    ),
)  # fmt: skip


def _not_afforded(world: WorldState, who: str, name: str, verb: str) -> Denial | None:
    if verb in ALWAYS:
        return None
    prop = thing(world, name)
    if prop is None or not prop.affordances or (verb in POSTURES and prop.fixed):
        return None
    if (verb == "UNLOCK" and keys_of(prop)) or (verb == "OPEN" and prop.is_(Condition.LOCKED)):
        return None
    if verb in ("LOCK", "UNLOCK") and affordances_for(world, name, verb):
        return None
    if (verb in AS_WORN and prop.worn_by == who) or (verb == "WEAR" and prop.wearable):
        return None
    return affordance_denial(world, who, name, verb)


def keys_of(prop: Prop) -> list[str]:
    """The keys that some affordance of a thing names."""
    locks = [one for one in prop.affordances if verb_of(one.verb).id in ("OPEN", "LOCK", "UNLOCK")]
    return list(dict.fromkeys(key for one in locks for key in one.requires))


def _wrong_state(world: WorldState, who: str, name: str, verb: str) -> Denial | None:
    """Doors, lids, locks and switches: OPEN needs closed, CLOSE open, LOCK closed, UNLOCK locked and the key."""
    prop = thing(world, name) if verb in SWITCHES else None
    if prop is None:
        return None
    if verb in ("LOCK", "UNLOCK"):
        return _wrong_lock(world, who, name, prop, verb)
    if prop.is_(SWITCHES[verb][0]):
        return Denial("state.already", Why.INVALID_STATE, name, state=SWITCHES[verb][1])
    if prop.is_(Condition.LOCKED):
        with_key = verb == "OPEN" and any(
            holds(world, who, key) for one in prop.affordances if verb_of(one.verb).id == "OPEN" for key in one.requires
        )
        return None if with_key or verb in ("TURN_ON", "TURN_OFF") else Denial("state.locked", Why.INVALID_STATE, name)
    return None


def _wrong_dress(world: WorldState, who: str, name: str, verb: str) -> Denial | None:
    """What is worn is not put on again, and it comes off into a free hand."""
    prop = thing(world, name) if verb in ("WEAR", "REMOVE") else None
    if prop is None or prop.worn_by != who:
        return None
    return Denial("state.already-worn", Why.INVALID_STATE, name) if verb == "WEAR" else hands_full(world, who)


def _wrong_lock(world: WorldState, who: str, name: str, prop: Prop, verb: str) -> Denial | None:
    keys = keys_of(prop)
    if not keys:
        return Denial("state.no-lock", Why.INVALID_STATE, name)
    if prop.is_(Condition.LOCKED) == (verb == "LOCK"):
        return Denial("state.already", Why.INVALID_STATE, name, state="locked" if verb == "LOCK" else "unlocked")
    if verb == "LOCK" and prop.is_(Condition.OPEN):
        return Denial("state.not-closed", Why.INVALID_STATE, name)
    if not any(holds(world, who, key) for key in keys):
        return Denial("state.requires", Why.INVALID_STATE, name, keys[0])
    return None


def affordance_effect(world: WorldState, who: str, act: Act, affordance: Affordance) -> Effect:
    """What an affordance does when it is carried out."""
    name = act.target or ""
    told = (
        affordance.told.format(who=story_name(world, who), what=name)
        if affordance.told
        else narrate_act(world, who, act)
    )
    delta = (
        *_new_state(world, name, act.verb.id, affordance),
        *(op for new, made in affordance.makes.items() for op in appear(world, new, made, _room(world, who))),
        *_posture(world, who, act.verb.id, affordance.posture),
        *_status(world, who, affordance.status),
        *(_reveal_hidden(world, name) if act.verb.id == "INSPECT" else ()),
        *(() if affordance.consumes else _dressed(world, who, name, act.verb.id)),
        *(vanish(world, name) if affordance.consumes else ()),
        note(told),
    )
    return Effect(delta, told, tuple(_processes(world, name, affordance)))


def _room(world: WorldState, who: str) -> str:
    return world.characters[who].location


def _new_state(world: WorldState, name: str, verb: str, affordance: Affordance) -> Iterator[PatchOp]:
    prop = world.props.get(name)
    if prop is None:
        return
    if affordance.becomes:
        yield from set_state(world, name, next_states(prop.state, affordance.becomes, affordance.needs))
    elif verb in SWITCHES and _speaks_of(world, name, prop, verb):
        _, english, japanese = SWITCHES[verb]
        word = japanese if prop.is_(Condition.JAPANESE) else english
        yield from set_state(world, name, next_states(prop.state, [word]))
    elif verb == "BREW" and prop.is_(Condition.OFF):
        yield from set_state(world, name, next_states(prop.state, BREWING))


def _dressed(world: WorldState, who: str, name: str, verb: str) -> Iterator[PatchOp]:
    """What is put on is worn; what is taken off is in the hand, and can be put on again."""
    prop = thing(world, name)
    if verb == "WEAR" and prop is not None and world.version != "0.1" and not (prop.fixed or is_door(world, name)):
        yield from keep_on(world, who, name, "worn_by")
    elif verb == "REMOVE" and prop is not None and prop.worn_by == who:
        yield from take_hold(world, who, name)
        if not prop.wearable and not affordances_for(world, name, "WEAR"):
            yield PatchOp(op="add", path=pointer("props", name, "wearable"), value=True)


def _speaks_of(world: WorldState, name: str, prop: Prop, verb: str) -> bool:
    """Whether opening or switching a thing leaves a trace: a novel held open does not, a lid or a lamp does."""
    if verb in ("TURN_ON", "TURN_OFF"):
        return in_place(world, name, prop)
    openable = Condition.OPEN | Condition.CLOSED | Condition.LOCKED | Condition.UNLOCKED | {"default"}
    return prop.container or prop.fixed or is_door(world, name) or prop.is_(openable)


def _posture(world: WorldState, who: str, verb: str, told: str | None = None) -> Iterator[PatchOp]:
    posture = told or pack(world.language).phrases.get(f"posture.{verb}")
    if posture:
        yield PatchOp(op="add", path=pointer("characters", who, "posture"), value=posture)
    elif verb in POSTURES and world.characters[who].posture:
        yield PatchOp(op="remove", path=pointer("characters", who, "posture"))


def _status(world: WorldState, who: str, words: tuple[str, ...]) -> Iterator[PatchOp]:
    old = world.characters[who].status
    if new := [word for word in words if word not in old]:
        yield PatchOp(op="add", path=pointer("characters", who, "status"), value=[*old, *new])


def _reveal_hidden(world: WorldState, name: str) -> Iterator[PatchOp]:
    """A close look finds what was hidden in or on a thing that is not shut."""
    for child in world.index.contents.get(name, ()):
        prop = world.props[child]
        shut = prop.inside == name and world.props[name].is_(Condition.BARRED)
        if prop.is_(Condition.HIDDEN) and not shut:
            yield from set_state(world, child, [word for word in prop.state if word not in Condition.HIDDEN])


def _processes(world: WorldState, name: str, affordance: Affordance) -> Iterator[Process]:
    if later := affordance.after:
        yield Process(
            prop=name,
            due=world.time.turn + later.turns,
            clears=affordance.becomes,
            becomes=later.becomes,
            makes={new: made.model_dump(mode="json", exclude_unset=True) for new, made in later.makes.items()},
            told=later.told,
        )
