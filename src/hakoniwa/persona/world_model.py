"""World model: what a persona has observed, how often and how surely. In a garden it is the character's belief."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from hakoniwa.persona.generated import Generated
from hakoniwa.persona.records import EntityType, Label, Revision, Share, WorldItem
from hakoniwa.persona.write_plan import WorldUpdate
from hakoniwa.stage.belief import Belief
from hakoniwa.stage.world import PLACES, Figure, Prop
from hakoniwa.turn import Value

KEYS = {EntityType.TOOL: "prop", EntityType.PLACE: "room"}  # as a garden calls them
FRESH = timedelta(days=7)
SURE, PLAIN = 0.80, 0.93
IN_SIGHT, REMEMBERED = 0.95, 0.70  # of what one sees, and of what one saw in a room one is not in


class Observation(Value):
    """Something as it was observed once."""

    key: Label
    view: Generated | None = None
    item_class: Literal["fact", "inferred", "unknown"] = "unknown"
    entity: dict[str, Any] = {}
    relation: dict[str, Any] = {}
    location: dict[str, Any] = {}
    affordance: dict[str, Any] = {}
    confidence: Share = 0.5


def observe_item(item: WorldItem | None, observation: Observation, now: datetime) -> WorldItem:
    """The entry after one more look: the same again makes it surer; a difference less sure, and counts from one."""
    mark = fingerprint(observation)
    if item is None:
        return _entry(observation, mark, 1, observation.confidence, now)
    if item.fingerprint == mark:
        surer = 0.8 * item.confidence + 0.2 * observation.confidence + 0.05
        return _entry(observation, mark, item.observation_count + 1, surer, now)
    return _entry(observation, mark, 1, 0.6 * item.confidence + 0.4 * observation.confidence - 0.15, now)


def fingerprint(observation: Observation) -> str:
    """The same for the same content, whatever order it is given in, and whatever words the persona has for it."""
    content = observation.model_dump(mode="json", exclude={"confidence", "view"})
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def is_promotable(item: WorldItem, now: datetime) -> bool:
    """Whether an entry has earned to become a state: a fact, sure, fresh, and seen twice or quite plain."""
    return (
        item.item_class == "fact"
        and item.active
        and item.confidence >= SURE
        and now - item.seen_at <= FRESH
        and (item.observation_count >= 2 or item.confidence >= PLAIN)
    )


def _entry(observation: Observation, mark: str, count: int, confidence: float, now: datetime) -> WorldItem:
    return WorldItem(
        **observation.model_dump(exclude={"confidence"}),
        fingerprint=mark,
        observation_count=count,
        confidence=max(0.0, min(1.0, confidence)),
        seen_at=now,
    )


# --- what the persona thinks of people, things and places ---------------------------------------------------------


def world_revisions(
    updates: Iterable[WorldUpdate], held: Mapping[int, WorldItem], evidence: tuple[int, ...], now: datetime
) -> tuple[Revision, ...]:
    """What updates make of the entries there are: of each key there is one."""
    known = {one.key: (item, one) for item, one in held.items()}
    return tuple(_world_revision(known, update, evidence, now) for update in updates)


def world_key(type: EntityType, name: str) -> str:
    """The key of an entry, by which what is believed of a thing and what is thought of it are of the same thing."""
    return f"{KEYS.get(type, type)}:{name}"[:80]


def _world_revision(
    known: Mapping[str, tuple[int, WorldItem]], update: WorldUpdate, evidence: tuple[int, ...], now: datetime
) -> Revision:
    item, before = known.get(world_key(update.type, update.name)) or (0, None)
    observation = Observation(
        key=world_key(update.type, update.name),
        view=update.view,
        item_class=update.item_class,
        entity={"name": update.name, "type": update.type},
        relation={"taken_for": update.taken_for},
        confidence=update.confidence,
    )
    after = observe_item(before, observation, now)
    return revise_world_item(item, before, after, "thought", evidence, now)


def revise_world_item(
    item: int, before: WorldItem | None, after: WorldItem, reason: str, evidence: tuple[int, ...], now: datetime
) -> Revision:
    return Revision(
        item=item,
        kind="world_model_item",
        before=None if before is None else before.model_dump(mode="json"),
        after=after.model_dump(mode="json"),
        reason=reason,
        evidence=evidence,
        at=now,
    )


def joined_world(believed: Iterable[WorldItem], thought: Iterable[WorldItem]) -> tuple[WorldItem, ...]:
    """What is believed and what is thought of it, one entry a thing: where it is as believed, what it is as thought."""
    joined = {one.key: one for one in believed}
    for one in thought:
        known = joined.get(one.key)
        joined[one.key] = one if known is None else known.model_copy(
            update={"view": one.view, "relation": {**known.relation, **one.relation}}
        )  # fmt: skip
    return tuple(one for one in joined.values() if one.active)


# --- a garden: belief is the world model ------------------------------------------------------------------------------


def world_items_of(belief: Belief, now: datetime) -> tuple[WorldItem, ...]:
    """Everything a character takes to be so: a fact in the room they are in, elsewhere what they infer from before."""
    return tuple(observe_item(None, one, now) for one in _observations(belief))


def _observations(belief: Belief) -> Iterator[Observation]:
    own = belief.people.get(belief.who)
    here = own.location if own else None
    for name, memory in sorted(belief.props.items()):
        yield _prop_observation(name, memory.prop, memory.prop.location == here)
    for name, figure in sorted(belief.people.items()):
        if name != belief.who:
            yield _person_observation(name, figure, figure.location == here)
    for room in belief.rooms:
        yield Observation(key=f"room:{room}", item_class="fact", entity={"name": room}, confidence=IN_SIGHT)


def _prop_observation(name: str, prop: Prop, in_sight: bool) -> Observation:
    places = {"room": prop.location, **{field: getattr(prop, field) for field in PLACES}}
    return Observation(
        key=f"prop:{name}",
        item_class="fact" if in_sight else "inferred",
        entity={"name": name, "state": list(prop.state)},
        relation={"owner": prop.owner} if prop.owner else {},
        location={name: place for name, place in places.items() if place is not None},
        affordance={"verbs": [one.verb for one in prop.affordances]} if prop.affordances else {},
        confidence=IN_SIGHT if in_sight else REMEMBERED,
    )


def _person_observation(name: str, figure: Figure, in_sight: bool) -> Observation:
    return Observation(
        key=f"person:{name}",
        item_class="fact" if in_sight else "inferred",
        entity={"name": name, "status": list(figure.status), "posture": figure.posture},
        relation={"holding": list(figure.holding)} if figure.holding else {},
        location={"room": figure.location},
        confidence=IN_SIGHT if in_sight else REMEMBERED,
    )
