"""Acts that a caller gives as data, in the form in which the reader hands over its own."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from hakoniwa.gm.checks import drunk_or_eaten
from hakoniwa.gm.pieces import narrowed
from hakoniwa.gm.read import led_by
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
