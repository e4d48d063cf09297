"""Scene: what one character can perceive now, and what they last saw elsewhere. The only view a prompt gets."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from lxml import etree

from hakoniwa.messages import states_in_words
from hakoniwa.pack import pack
from hakoniwa.stage.belief import Belief, counts, would_show
from hakoniwa.stage.claims import fact_in_words, live_claims
from hakoniwa.stage.world import (
    WITH_PEOPLE,
    Affordance,
    Condition,
    Prop,
    WorldState,
    about_person,
    holder,
    in_sight,
    people_in,
    sight,
)
from hakoniwa.turn import Value

HEARD = 6
SceneForm = Literal["compact", "full"]

_UNCARRIED = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]")


class SeenThing(Value):
    """A prop as it looks from here."""

    name: str
    state: tuple[str, ...] = ()
    affordances: tuple[str, ...] = ()
    place: str = ""
    held_by: str | None = None
    bearer: str | None = None


class SeenPerson(Value):
    name: str
    posture: str | None = None
    holding: tuple[str, ...] = ()
    wearing: tuple[str, ...] = ()
    status: tuple[str, ...] = ()


class LastSeen(Value):
    """A thing remembered from another room, or gone from where it was."""

    name: str
    where: str
    turn: int
    gone: bool = False


class HeardFact(Value):
    """Something told, and by whom."""

    source: str
    text: str


class Scene(Value):
    """One character's view: the room, the people, the things, the ways out, memory of the rest, and what was told."""

    viewer: str
    location: str
    description: str
    time: str
    weather: str
    tension: str
    people: tuple[SeenPerson, ...]
    things: tuple[SeenThing, ...]
    exits: tuple[str, ...]
    rules: tuple[str, ...]
    events: tuple[str, ...]
    last_seen: tuple[LastSeen, ...] = ()
    heard: tuple[HeardFact, ...] = ()


def look(
    world: WorldState,
    who: str,
    belief: Belief | None = None,
    events: int = 5,
    witnessed: Sequence[str] | None = None,
) -> Scene:
    """What `who` perceives: the same room, nothing shut away, nothing hidden; `witnessed` are the events they know of,
    where somebody keeps count of that."""
    room = world.characters[who].location
    location = world.locations.get(room)
    clock = f" {world.time.clock}" if world.time.clock else ""
    seen = sight(world, who)
    return Scene(
        viewer=who,
        location=room,
        description=location.description if location else "",
        time=f"{world.time.label}{clock}",
        weather=world.meta.weather,
        tension=world.meta.tension,
        people=tuple(_person(world, name) for name in people_in(world, room)),
        things=_things(world, who, seen),
        exits=tuple(location.exits) if location else (),
        rules=world.rules,
        events=tuple((world.events if witnessed is None else witnessed)[-events:]) if events else (),
        last_seen=tuple(_last_seen(world, who, belief, seen)) if belief else (),
        heard=tuple(_told_lately(world, belief)) if belief and belief.claims else (),
    )


def _person(world: WorldState, name: str) -> SeenPerson:
    figure = world.characters[name]
    worn = tuple(one for one in about_person(world, name) if world.props[one].worn_by and in_sight(world, name, one))
    return SeenPerson(name=name, posture=figure.posture, holding=figure.holding, wearing=worn, status=figure.status)


def _things(world: WorldState, who: str, seen: Sequence[str]) -> tuple[SeenThing, ...]:
    notes, key = world.index.notes, ("things", who)
    if key not in notes:
        notes[key] = tuple([_thing(world, name) for name in seen])
    things: tuple[SeenThing, ...] = notes[key]
    return things


def _thing(world: WorldState, name: str) -> SeenThing:
    prop, language = world.props[name], world.language
    return SeenThing(
        name=name,
        state=prop.state,
        affordances=tuple(dict.fromkeys([_short_form(one, language) for one in prop.affordances])),
        place=place_in_words(world, prop),
        held_by=holder(world, name),
        bearer=prop.bearer,
    )


def _short_form(one: Affordance, language: str) -> str:
    if not one.requires:
        return one.verb
    keys = f"要:{'、'.join(one.requires)}" if language == "ja" else f"needs: {', '.join(one.requires)}"
    return f"{one.verb}({keys})"


def place_in_words(world: WorldState, prop: Prop) -> str:
    """Where a thing is within its room: in or on something, in someone's hand, pocket or bag, or on their body."""
    phrases = pack(world.language).phrases
    if prop.inside:
        return phrases["inside"].format(other=prop.inside)
    if prop.on:
        return phrases["on-top"].format(other=prop.on)
    for field in WITH_PEOPLE:
        if holder := getattr(prop, field):
            return phrases[field.replace("_", "-")].format(holder=holder)
    return ""


def _last_seen(world: WorldState, who: str, belief: Belief, seen: Sequence[str]) -> Iterable[LastSeen]:
    room = world.characters[who].location
    for name, memory in sorted(belief.props.items()):
        if name not in seen and not memory.prop.is_(Condition.HIDDEN):
            gone = would_show(memory, world, room)
            yield LastSeen(name=name, where=memory.prop.location, turn=memory.turn, gone=gone)


def _told_lately(world: WorldState, belief: Belief) -> Iterable[HeardFact]:
    """The latest claims that say more than what was seen."""
    told = [one for one in live_claims(belief.claims) if counts(belief, one)]
    return (HeardFact(source=one.source, text=fact_in_words(one.fact, world)) for one in told[-HEARD:])


def to_xml(scene: Scene) -> str:
    """The scene as `<scene_state>` XML, built from elements so that no name can break out of it."""
    root = etree.Element("scene_state")
    meta = etree.SubElement(root, "meta")
    _text(meta, "location", scene.location)
    _text(meta, "time", scene.time)
    _text(meta, "weather", scene.weather)
    _text(meta, "tension_level", scene.tension)
    actors = etree.SubElement(root, "actors")
    for person in scene.people:
        actor = etree.SubElement(actors, "actor", id=_plain(person.name))
        _text(actor, "name", person.name)
        _text(actor, "posture", person.posture)
        _text(actor, "holding", ", ".join(person.holding))
        _text(actor, "wearing", ", ".join(person.wearing))
        _text(actor, "status", ", ".join(person.status))
    environment = etree.SubElement(root, "environment")
    for number, thing in enumerate(scene.things, start=1):
        _thing_xml(environment, thing, number)
    for memory in scene.last_seen:
        etree.SubElement(environment, "last_seen", name=_plain(memory.name), where=_plain(memory.where))
    _heard_xml(environment, scene)
    exits = etree.SubElement(root, "exits")
    for name in scene.exits:
        _text(exits, "exit", name)
    for tag, item, texts in (("events", "event", scene.events), ("rules", "rule", scene.rules)):
        parent = etree.SubElement(root, tag)
        for text in texts:
            _text(parent, item, text)
    return etree.tostring(root, encoding="unicode", pretty_print=True)


def scene_xml(scene: Scene, form: SceneForm, language: str) -> str:
    """The scene as a prompt shows it."""
    return to_xml(scene) if form == "full" else to_compact_xml(scene, language)


def to_compact_xml(scene: Scene, language: str) -> str:
    """The same in fewer tokens: attributes for elements, and a line for each thing: state and place, affordances."""
    root = etree.Element("scene_state", location=_plain(scene.location), time=_plain(scene.time))
    _set(root, weather=scene.weather, tension_level=scene.tension if scene.tension != "Low" else None)
    for person in scene.people:
        actor = etree.SubElement(root, "actor", id=_plain(person.name))
        _set(
            actor,
            posture=person.posture,
            holding=", ".join(person.holding),
            wearing=", ".join(person.wearing),
            status=", ".join(person.status),
        )
    lines = [_thing_line(one, language) for one in scene.things]
    _text(root, "environment", "".join(f"\n{line}" for line in lines) + "\n" if lines else None)
    _heard_xml(root, scene)
    _text(root, "exits", ", ".join(scene.exits))
    return etree.tostring(root, encoding="unicode").replace("><", ">\n<")


def _heard_xml(parent: etree._Element, scene: Scene) -> None:
    for one in scene.heard:
        etree.SubElement(parent, "told", by=_plain(one.source)).text = _plain(one.text)


def _thing_line(thing: SeenThing, language: str) -> str:
    """A thing in a line: mug (clean, on the table): drink, wash."""
    how = ", ".join([*states_in_words(thing.state, language), *([thing.place] if thing.place else [])])
    about = f"{thing.name} ({how})" if how else thing.name
    return f"{about}: {', '.join(thing.affordances)}" if thing.affordances else about


def _set(element: etree._Element, **values: str | None) -> None:
    for name, value in values.items():
        if value:
            element.set(name, _plain(value))


def _thing_xml(parent: etree._Element, thing: SeenThing, number: int) -> None:
    state = _plain(", ".join(thing.state))
    element = etree.SubElement(parent, "object", id=f"obj_{number:02}", type="prop", state=state)
    _text(element, "name", thing.name)
    _text(element, "place", thing.place)
    _text(element, "affordance", ", ".join(thing.affordances))


def _text(parent: etree._Element, tag: str, text: str | None) -> None:
    if text:
        etree.SubElement(parent, tag).text = _plain(text)


def _plain(text: str) -> str:
    """Only characters that XML can carry."""
    return _UNCARRIED.sub("", text)
