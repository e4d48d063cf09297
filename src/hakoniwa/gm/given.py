"""Acts that come as data, in the form in which the reader hands over its own, and the words that go with them."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from pydantic import Discriminator, Field, Tag

from hakoniwa.gm.act import Act
from hakoniwa.gm.checks import drunk_or_eaten
from hakoniwa.gm.judge import TurnJudge
from hakoniwa.gm.pieces import narrowed
from hakoniwa.gm.read import led_by
from hakoniwa.gm.second import tag_of
from hakoniwa.pack import verb_of
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PHYSICAL, SPEECH, ActionIntent, IntentKind, ParsedOutput

MAX_GIVEN, MAX_TAG = 16, 300
NOTHING_READ = ParsedOutput()

GivenAct = Annotated[
    Annotated[str, Field(max_length=MAX_TAG), Tag("tag")] | Annotated[ActionIntent, Tag("act")],
    Discriminator(lambda given: "tag" if isinstance(given, str) else "act"),
]


def given_acts(acts: Sequence[str | ActionIntent], world: WorldState) -> tuple[ActionIntent, ...]:
    """The acts as intents; a ValueError names the first that no verb of this world fits."""
    return tuple(_tagged(one, world) if isinstance(one, str) else _whole(one, world) for one in acts)


def with_given(parsed: ParsedOutput, acts: Sequence[ActionIntent]) -> ParsedOutput:
    """A reply of which only the speech was read, with acts that were given beside it."""
    said = [one for one in parsed.action_intents if one.intent in SPEECH]
    return parsed.with_fields({"action_intents": (*acts, *said), "directions": (), "unread": ()})


class HeldWords(NamedTuple):
    """The words of a turn held against the acts that came as data.

    `parsed`: all that is to be judged; `unworded`: the given acts that no word tells of; `drift`: what the words may
    tell of besides, of which nothing is done."""

    parsed: ParsedOutput
    unworded: tuple[ActionIntent, ...]
    drift: tuple[str, ...]


def hold_words(
    parsed: ParsedOutput, given: Sequence[ActionIntent], world: WorldState, who: str, implicit_take: bool = False
) -> HeldWords:
    """What is done in a turn: the acts that came as data, and what its words surely tell besides.

    Of the given acts only the first can be denied: one that an earlier act made impossible is left out, with all
    after it. What the words tell about the same things is how the acts are done, and no act more."""
    trial = TurnJudge(world, who)
    done, denied = _as_far_as_possible(trial, given, implicit_take)
    told = [one for one in parsed.action_intents if one.intent in PHYSICAL]
    rest = [one for one in parsed.action_intents if one.intent not in PHYSICAL]
    meant = {_named(one, world) for one in done}
    more = [] if denied else [one for one in told if _named(one, world) not in meant]
    sure = [one for one in more if one.sure]
    worded = {_deed(one, world) for one in told}
    return HeldWords(
        parsed.with_fields({"action_intents": (*done, *sure, *rest), "unread": ()}),
        tuple(one for one in done if _deed(one, world) not in worded),
        (*(tag_of(one) for one in more if not one.sure), *parsed.unread),
    )


def _as_far_as_possible(
    trial: TurnJudge, given: Sequence[ActionIntent], implicit_take: bool
) -> tuple[list[ActionIntent], bool]:
    """The given acts up to the first that cannot be done, and whether that is the very first one, which stays."""
    done: list[ActionIntent] = []
    for act in given:
        if trial.attempt(act, implicit_take):
            return (done, False) if done else ([act], True)
        done.append(act)
    return done, False


def _named(act: ActionIntent, world: WorldState) -> str | None:
    """What an act is about, by the name that the world has for it."""
    known = world.index.names.find(act.target) if act.target else []
    return known[0][1][1] if known else act.target


def _deed(act: ActionIntent, world: WorldState) -> Act:
    return Act(verb_of(act.verb or act.intent), _named(act, world))


def _tagged(tag: str, world: WorldState) -> ActionIntent:
    """(GET: 鍵), or GET: 鍵 without its brackets."""
    narrow = narrowed(tag.strip())
    inner = tag.strip()[1:-1] if narrow.startswith("(") and narrow.endswith(")") else tag.strip()
    led = led_by(f"({inner})", NOTHING_READ, world)
    if led is None:
        raise ValueError(f"acts: {tag[:80]!r} is no act")
    return led.action_intents[0]


def _whole(act: ActionIntent, world: WorldState) -> ActionIntent:
    """An intent with the verb it means; what is said or felt needs none."""
    if any(len(text) > MAX_TAG for text in (act.verb, act.target, act.destination, act.instrument, act.source) if text):
        raise ValueError(f"acts: a name has at most {MAX_TAG} characters")
    if act.intent not in PHYSICAL:
        return act
    name = act.verb or (act.intent != IntentKind.USE and _usual(act, world)) or act.detail or "USE"
    verb = verb_of(name)
    if verb.intent != act.intent or led_by(f"({name}: -)", NOTHING_READ, world) is None:
        raise ValueError(f"acts: {name[:80]!r} is no verb of {act.intent.value}")
    return act.with_fields({"verb": verb.id, "detail": act.detail or verb.id})


def _usual(act: ActionIntent, world: WorldState) -> str:
    """The verb of an intent that names none: GET, PUT and MOVE are their own."""
    if act.intent != IntentKind.EAT_DRINK:
        return act.intent.value
    meant = (name for _, (kind, name) in world.index.names.find(act.target or "") if kind == "prop")
    prop = next((world.props[name] for name in meant if name in world.props), None)
    return "DRINK" if prop is not None and drunk_or_eaten(prop) == "drink" else "EAT"
