"""WorldState: the whole truth, as JSON. Frozen, validated once, indexed so that a step costs the same in any world."""

import hashlib
import json
import re
import unicodedata
from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from string import Formatter
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, field_validator, model_validator

from hakoniwa.errors import WorldError
from hakoniwa.pack import LANGUAGES, pack
from hakoniwa.stage.names import NameTable
from hakoniwa.turn import Value

MAX_NAME, MAX_CHARACTERS, MAX_PROPS, MAX_LOCATIONS = 64, 64, 2000, 256
MAX_NESTING, MAX_SHORT_FORM = 32, 300
MAX_WORLD = 256 * 1024  # bytes as JSON
ON_THINGS, WITH_PEOPLE = ("inside", "on"), ("held_by", "carried_by", "worn_by")
PLACES = (*ON_THINGS, *WITH_PEOPLE)
_FORBIDDEN_IN_NAMES = ("Cc", "Cf", "Cs", "Zl", "Zp")


def _name(text: str) -> str:
    if not 0 < len(text) <= MAX_NAME:
        raise ValueError(f"a name has 1 to {MAX_NAME} characters")
    if not text.isprintable() and any(unicodedata.category(char) in _FORBIDDEN_IN_NAMES for char in text):
        raise ValueError("a name has no control, bidi or zero-width characters")
    return text


Name = Annotated[str, AfterValidator(_name)]


class Condition:
    """The words for states that the referee itself understands, in the two spellings worlds use."""

    OPEN = frozenset({"open", "開"})
    CLOSED = frozenset({"closed", "閉"})
    LOCKED = frozenset({"locked", "施錠"})
    UNLOCKED = frozenset({"unlocked", "解錠"})
    ON = frozenset({"on", "点灯"})
    OFF = frozenset({"off", "消灯"})
    HIDDEN = frozenset({"hidden", "隠れている"})
    IN_PLACE = OPEN | CLOSED | LOCKED | UNLOCKED | ON | OFF | {"brewing", "default"}
    BARRED = CLOSED | LOCKED
    JAPANESE = frozenset({"開", "閉", "施錠", "解錠", "点灯", "消灯"})
    OPPOSITES = (
        (OPEN, CLOSED, LOCKED, UNLOCKED, frozenset({"default"})),
        (ON, OFF),
        (frozenset({"clean", "きれい"}), frozenset({"dirty", "汚れている"})),
        (frozenset({"full", "満杯"}), frozenset({"empty", "空"})),
        (frozenset({"hot", "熱い"}), frozenset({"cold", "冷たい"})),
        (frozenset({"tidy", "片付いている"}), frozenset({"messy", "散らかっている"})),
    )


def next_states(state: Iterable[str], becomes: Iterable[str], clears: Iterable[str] = ()) -> tuple[str, ...]:
    """The states after `becomes`: their opposites and what is cleared go, everything else stays."""
    old, new = tuple(state), tuple(becomes)
    gone = set(clears)
    for word in new:
        for group in Condition.OPPOSITES:
            if any(word in side for side in group):
                gone.update(*group)
    return tuple(word for word in old if word not in gone and word not in new) + new


def _tellable(*names: str) -> AfterValidator:
    """Refuse a sentence with anything but these plain blanks: no other names, no attributes, no formats."""

    def check(text: str) -> str:
        try:
            blanks = [(name, form, turn) for _, name, form, turn in Formatter().parse(text) if name is not None]
        except ValueError:
            blanks = [("", "", None)]
        if any(name not in names or form or turn for name, form, turn in blanks):
            raise ValueError(f"a sentence may hold {' and '.join(f'{{{name}}}' for name in names)} only")
        return text

    return AfterValidator(check)


class LaterEffect(Value):
    """What an affordance brings about some turns later."""

    turns: int = Field(ge=1, le=1000)
    becomes: tuple[str, ...] = ()
    makes: dict[Name, "UnplacedProp"] = {}
    told: Annotated[str, _tellable("what")] | None = None


_SHORT_FORM = re.compile(r"^(?P<verb>[^(（]+)[(（](?:要|needs|requires)\s*[:：]\s*(?P<keys>[^)）]+)[)）]$")


class Affordance(Value):
    """Something a prop lets you do, as data."""

    verb: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    needs: tuple[str, ...] = ()
    needs_elsewhere: dict[Name, str] | None = None
    requires: tuple[Name, ...] = ()
    becomes: tuple[str, ...] = ()
    consumes: bool = False
    makes: dict[Name, "UnplacedProp"] = {}
    posture: str | None = None
    status: tuple[str, ...] = ()
    after: LaterEffect | None = None
    told: Annotated[str, _tellable("who", "what")] | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, data: Any) -> Any:
        if not isinstance(data, str):
            return _needs_apart(data)
        if len(data) > MAX_SHORT_FORM:
            raise ValueError(f"an affordance in short form has at most {MAX_SHORT_FORM} characters")
        match = _SHORT_FORM.match(data.strip())
        if not match:
            return {"verb": data.strip()}
        keys = [key.strip() for key in re.split(r"[,、，]", match["keys"])]
        return {"verb": match["verb"].strip(), "requires": keys}


def _needs_apart(data: Any) -> Any:
    """`needs` as a mapping, or a mapping among its words, speaks of other things and of the weather."""
    needs = data.get("needs") if isinstance(data, dict) else None
    parts = [needs] if isinstance(needs, dict) else needs if isinstance(needs, list | tuple) else []
    elsewhere = {name: word for part in parts if isinstance(part, dict) for name, word in part.items()}
    own = [part for part in parts if not isinstance(part, dict)]
    return {**data, "needs": own, "needs_elsewhere": elsewhere} if elsewhere else data


Edible = bool | Literal["food", "drink"]


class UnplacedProp(Value):
    """A thing that does not exist yet: a prop without a place."""

    state: tuple[str, ...] = ()
    aliases: tuple[Name, ...] = ()
    affordances: tuple[Affordance, ...] = ()
    fixed: bool = False
    container: bool = False
    edible: Edible | None = None
    alive: bool | None = None
    surface: bool | None = None
    hangs: bool | None = None
    wearable: bool | None = None
    parts: tuple[Name, ...] = ()
    inside: Name | None = None
    on: Name | None = None
    owner: Name | None = None
    description: str = ""
    picture: Name | None = None


class Prop(UnplacedProp):
    """A thing. Picked up it stays in `props`, with `held_by`; put into a pocket or put on, with another field so."""

    location: Name
    held_by: Name | None = None
    carried_by: Name | None = None
    worn_by: Name | None = None

    def is_(self, condition: frozenset[str]) -> bool:
        return not condition.isdisjoint(self.state)

    @property
    def parent(self) -> str | None:
        return self.inside or self.on

    @property
    def bearer(self) -> str | None:
        """Who has the thing about their person without having it in the hand."""
        return self.carried_by or self.worn_by


class Exit(Value):
    """A way into another room, perhaps through a door prop."""

    via: Name | None = None


class Location(Value):
    description: str = ""
    aliases: tuple[Name, ...] = ()
    exits: dict[Name, Exit] = {}

    @field_validator("exits", mode="before")
    @classmethod
    def _from_plain_list(cls, exits: Any) -> Any:
        if isinstance(exits, list | tuple) and all(isinstance(name, str) for name in exits):
            return {name: {} for name in exits}
        if isinstance(exits, dict):
            return {name: {} if way is None else way for name, way in exits.items()}
        return exits


class Figure(Value):
    """A character's body in the world."""

    location: Name
    holding: tuple[Name, ...] = ()
    status: tuple[str, ...] = ()
    posture: str | None = None
    aliases: tuple[Name, ...] = ()
    hands: int = Field(default=2, ge=0, le=1000)


class Time(Value):
    label: str = "朝"
    turn: int = Field(default=0, ge=0)
    clock: str | None = Field(default=None, pattern=r"^\d{1,2}:\d{2}$")


class Meta(Value):
    weather: str = ""
    tension: Literal["Low", "Medium", "High"] = "Low"


class Camera(Value):
    current: Name


@dataclass(frozen=True)
class WorldIndex:
    """What would otherwise be searched for: names, what is in a room, what is in or on a thing, who holds what.

    `notes` is for what others work out from things and people as they are, and goes when one of them changes; `lore` is
    for what they work out from single things, and is handed on for as long as the rooms and the doors are the same."""

    names: NameTable
    here: dict[str, tuple[str, ...]]
    contents: dict[str, tuple[str, ...]]
    holder: dict[str, str]
    doors: dict[str, tuple[str, ...]]
    doors_of: dict[str, tuple[str, ...]]
    lore: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    notes: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def moved(
        self, before: "WorldState", after: "WorldState", props: Sequence[str], figures: Sequence[str]
    ) -> "WorldIndex":
        """The index of `after`, given which props and figures differ from `before`."""
        if not props and not figures:
            return self
        here, contents, names = self.here, self.contents, self.names
        for name in props:
            old, new = before.props.get(name), after.props.get(name)
            if new is not None and (old is None or (new.aliases, new.parts) != (old.aliases, old.parts)):
                names = names.with_prop(name, new.aliases, new.parts)
            here = _refile(here, old.location if old else None, new.location if new else None, name)
            contents = _refile(contents, old.parent if old else None, new.parent if new else None, name)
        for name in (name for who in figures for name in after.characters[who].holding if name not in after.props):
            names = names.with_prop(name, (), ())
        held = _update_holders(self.holder, before, after, props, figures)
        return WorldIndex(names, here, contents, held, self.doors, self.doors_of, self.lore)


def _update_holders(
    holder: dict[str, str], before: "WorldState", after: "WorldState", props: Iterable[str], figures: Iterable[str]
) -> dict[str, str]:
    """Who holds what, once these props and the hands of these figures are as they are in `after`."""
    hands = {name: who for who in figures for name in after.characters[who].holding}
    held = holder | hands
    dropped = [name for who in figures for name in before.characters[who].holding if name not in hands]
    for name in (*props, *dropped):
        prop, who = after.props.get(name), held.get(name)
        if prop is not None and prop.held_by:
            held[name] = prop.held_by
        elif who is not None and name not in after.characters[who].holding:
            del held[name]
    return held


NamesByPlace = dict[str, tuple[str, ...]]


def _refile(shelf: NamesByPlace, old: str | None, new: str | None, name: str) -> NamesByPlace:
    """The shelf with a name taken from one place of it to another; the shelf itself, if it stays where it is."""
    if old == new:
        return shelf
    shelf = dict(shelf)
    if old is not None:
        shelf[old] = tuple([other for other in shelf.get(old, ()) if other != name])
    if new is not None:
        names = list(shelf.get(new, ()))
        insort(names, name)
        shelf[new] = tuple(names)
    return shelf


def _holders(world: "WorldState") -> dict[str, str]:
    return {thing: who for who, figure in world.characters.items() for thing in figure.holding}


class WorldState(Value):
    """The world. Versions 0.1 (another engine's, taken as it is) and 0.2."""

    version: Literal["0.1", "0.2"] = "0.2"
    time: Time = Time()
    meta: Meta = Meta()
    location: Camera
    locations: dict[Name, Location] = {}
    characters: dict[Name, Figure] = Field(max_length=MAX_CHARACTERS)
    props: dict[Name, Prop] = Field(default={}, max_length=MAX_PROPS)
    rules: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    _index: WorldIndex | None = PrivateAttr(default=None)

    @field_validator("locations")
    @classmethod
    def _few_locations(cls, locations: dict[str, Location]) -> dict[str, Location]:
        if len(locations) > MAX_LOCATIONS:
            raise ValueError(f"at most {MAX_LOCATIONS} locations")
        return locations

    @model_validator(mode="before")
    @classmethod
    def _place_nested_props(cls, data: Any) -> Any:
        """A prop inside or on another, or with a person, may leave its location out."""
        if not isinstance(data, dict) or not isinstance(data.get("props"), dict):
            return data
        props, figures = data["props"], data.get("characters")
        if all(not isinstance(prop, dict) or prop.get("location") for prop in props.values()):
            return data
        return {**data, "props": {name: _fill_location(prop, props, figures) for name, prop in props.items()}}

    @property
    def index(self) -> WorldIndex:
        index: WorldIndex | None = self.__pydantic_private__["_index"]  # type: ignore[index]
        if index is None:
            index = self._index = build_index(self)
        return index

    def indexed(self, index: WorldIndex | None) -> Self:
        self.__pydantic_private__["_index"] = index  # type: ignore[index]
        return self

    @property
    def language(self) -> str:
        """The language the world's names are written in."""
        return self.index.names.language

    @property
    def hash(self) -> str:
        """First 16 hex digits of SHA-256 over canonical JSON, `events` and `time.turn` left out."""
        data = self.model_dump(mode="json", exclude_none=True, exclude={"events": True, "time": {"turn"}})
        canonical = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _fill_location(prop: Any, props: dict[str, Any], figures: Any) -> Any:
    """`prop` with the location of what it is in or on, or of who has it."""
    found, seen = prop, 0
    while isinstance(found, dict) and not found.get("location") and seen <= MAX_NESTING:
        seen += 1
        holder = next((found[field] for field in WITH_PEOPLE if found.get(field)), None)
        if holder and isinstance(figures, dict):
            found = figures.get(holder) if isinstance(holder, str) else None
        else:
            parent = found.get("inside") or found.get("on")
            found = props.get(parent) if isinstance(parent, str) else None
    if prop is found or not isinstance(found, dict) or "location" not in found:
        return prop
    return {**prop, "location": found["location"]}


def build_index(world: WorldState) -> WorldIndex:
    """Index a whole world, once."""
    here: dict[str, list[str]] = {}
    contents: dict[str, list[str]] = {}
    doors: dict[str, dict[str, None]] = {}
    for name in sorted(world.props):
        prop = world.props[name]
        here.setdefault(prop.location, []).append(name)
        if prop.parent:
            contents.setdefault(prop.parent, []).append(name)
    for room, location in world.locations.items():
        for target, way in location.exits.items():
            if way.via:
                doors.setdefault(way.via, {}).update({room: None, target: None})
    return WorldIndex(
        names=NameTable.of(
            {name: prop.aliases for name, prop in world.props.items()},
            {name: prop.parts for name, prop in world.props.items() if prop.parts},
            {name: figure.aliases for name, figure in world.characters.items()},
            {name: world.locations[name].aliases if name in world.locations else () for name in rooms(world)},
            [thing for figure in world.characters.values() for thing in figure.holding if thing not in world.props],
        ),
        here={room: tuple(names) for room, names in here.items()},
        contents={thing: tuple(names) for thing, names in contents.items()},
        holder=_holders(world) | {name: prop.held_by for name, prop in world.props.items() if prop.held_by},
        doors={door: tuple(sides) for door, sides in doors.items()},
        doors_of={
            room: tuple(door for door, sides in doors.items() if room in sides and door in world.props)
            for room in world.locations
        },
    )


def rooms(world: WorldState) -> list[str]:
    """Every room there is; in a world without `locations`, every one that is named anywhere."""
    if world.locations:
        return list(world.locations)
    named = [world.location.current, *(f.location for f in world.characters.values())]
    return list(dict.fromkeys([*named, *(prop.location for prop in world.props.values())]))


def thing(world: WorldState, name: str) -> Prop | None:
    """The prop of that name; something merely listed in a hand counts as one."""
    prop = world.props.get(name)
    if prop is None and (who := world.index.holder.get(name)):
        return Prop(location=world.characters[who].location, held_by=who)
    return prop


def story_name(world: WorldState, who: str) -> str:
    """A character's name as a story tells it: the key, or where that is a foreign id the first alias."""
    figure = world.characters.get(who)
    return figure.aliases[0] if figure and figure.aliases and world.language == "ja" and who.isascii() else who


def holder(world: WorldState, name: str) -> str | None:
    return world.index.holder.get(name)


def bearer(world: WorldState, name: str) -> str | None:
    """Who has a thing, or what it is in or on, about their person: in a pocket or a bag, or on the body."""
    prop, steps = world.props.get(name), 0
    while prop is not None and steps <= MAX_NESTING:
        if prop.carried_by or prop.worn_by:
            return prop.carried_by or prop.worn_by
        above = prop.inside or prop.on
        prop, steps = world.props.get(above) if above else None, steps + 1
    return None


def about_person(world: WorldState, who: str) -> list[str]:
    """The things in somebody's pockets and on their body."""
    here = world.index.here.get(world.characters[who].location, ())
    return [name for name in here if world.props[name].bearer == who]


def is_pocketed(world: WorldState, name: str) -> bool:
    """Whether a thing, or what it is in or on, is in somebody's pocket or bag."""
    prop = world.props.get(name)
    if prop is None or prop.parent is None:
        return prop is not None and prop.carried_by is not None
    return any(world.props[one].carried_by for one, _ in _ancestors(world, name))


def worn_by_status(world: WorldState, who: str) -> tuple[str, ...]:
    """What somebody of a 0.1 world, which has no other way to say so, wears by their status: 眼鏡をかけている."""
    if world.version != "0.1" or who not in world.characters:
        return ()
    return worn_in_words(" ".join(world.characters[who].status))


def worn_in_words(text: str) -> tuple[str, ...]:
    """The things to wear that a text speaks of; an English one is a word by itself."""
    folded = text.casefold()
    latin = frozenset(re.findall("[a-z]+", folded))
    known = (word for language in LANGUAGES for word in sorted(pack(language).words["worn"]))
    return tuple(word for word in known if word in latin or (not word.isascii() and word in folded))


def is_door(world: WorldState, name: str) -> bool:
    return name in world.index.doors


def is_at(world: WorldState, name: str, room: str) -> bool:
    """Whether a thing is in this room; a door is in both of its rooms."""
    if room in world.index.doors.get(name, ()):
        return True
    prop = thing(world, name)
    return prop is not None and prop.location == room


def enclosing_container(world: WorldState, name: str) -> str | None:
    """The closed container that keeps this thing out of reach, if there is one."""
    prop = world.props.get(name)
    if prop is None or prop.parent is None:
        return None
    for parent, prop in _ancestors(world, name):
        if prop.inside == parent and world.props[parent].is_(Condition.BARRED):
            return parent
    return None


def _ancestors(world: WorldState, name: str) -> Iterator[tuple[str, Prop]]:
    prop, steps = world.props.get(name), 0
    while prop is not None and prop.parent in world.props and steps <= len(world.props):
        yield prop.parent, prop
        prop, steps = world.props[prop.parent], steps + 1


def carried_with(world: WorldState, name: str) -> Iterator[str]:
    """Everything that is in or on a thing, at any depth: it goes where the thing goes."""
    for child in world.index.contents.get(name, ()):
        yield child
        yield from carried_with(world, child)


def in_place(world: WorldState, name: str, prop: Prop) -> bool:
    """Whether a thing is operated where it stands instead of in the hand."""
    return prop.fixed or prop.container or prop.is_(Condition.IN_PLACE) or is_door(world, name)


def is_concealed(world: WorldState, name: str) -> bool:
    """Whether a thing, or what it is in or on, is hidden."""
    prop = world.props.get(name)
    if prop is None or prop.is_(Condition.HIDDEN):
        return prop is not None
    return prop.parent is not None and any(world.props[one].is_(Condition.HIDDEN) for one, _ in _ancestors(world, name))


def in_sight(world: WorldState, who: str, name: str) -> bool:
    """Whether a character can perceive the thing now: here, not shut away, not hidden, not in another's pocket."""
    prop, room = thing(world, name), world.characters[who].location
    if prop is None or (prop.location != room and room not in world.index.doors.get(name, ())):
        return False
    if prop.is_(Condition.HIDDEN) or prop.carried_by not in (None, who):
        return False
    return prop.parent is None or not _shut_away(world, who, name)


def sight(world: WorldState, who: str) -> tuple[str, ...]:
    """The things a character can perceive now, in the order of their room; noted until something changes."""
    notes, key = world.index.notes, ("sight", who)
    if key not in notes:
        room = world.characters[who].location
        notes[key] = tuple([name for name in things_here(world, room) if in_sight(world, who, name)])
    names: tuple[str, ...] = notes[key]
    return names


def _shut_away(world: WorldState, who: str, name: str) -> bool:
    """Whether something that a thing is in or on is hidden, closed around it, or in another's pocket."""
    for parent, prop in _ancestors(world, name):
        keeper = world.props[parent]
        if keeper.carried_by not in (None, who):
            return True
        if keeper.state and (keeper.is_(Condition.HIDDEN) or (prop.inside == parent and keeper.is_(Condition.BARRED))):
            return True
    return False


def things_here(world: WorldState, room: str) -> Iterator[str]:
    """The names of all props in a room, in a stable order: its own sorted, then doors that stand in the next room."""
    yield from world.index.here.get(room, ())
    for door in world.index.doors_of.get(room, ()):
        if door in world.props and world.props[door].location != room:
            yield door


def people_in(world: WorldState, room: str) -> list[str]:
    """Who is in a room, in the order of the cast."""
    return [name for name, figure in world.characters.items() if figure.location == room]


def problems(world: WorldState, props: Iterable[str] | None = None, figures: Iterable[str] | None = None) -> list[str]:
    """Every broken invariant among these props and figures (default: all), as a message key with its names."""
    found = [
        message
        for name in (world.props if props is None else props)
        for message in (_prop_problems(world, name) if name in world.props else _door_problems(world, name))
    ]
    for who in world.characters if figures is None else figures:
        found += _figure_problems(world, who)
    if props is None:
        found += _room_problems(world)
    elif _nowhere(world, world.location.current):
        found.append(f"location.current: no room {world.location.current!r}")
    return found


def _door_problems(world: WorldState, name: str) -> Iterator[str]:
    if name in world.index.doors:
        yield f"props.{name}: gone, though it is a door of {world.index.doors[name][0]!r}"


def _nowhere(world: WorldState, room: str) -> bool:
    return bool(world.locations) and room not in world.locations


def _prop_problems(world: WorldState, name: str) -> Iterator[str]:
    prop = world.props[name]
    if _nowhere(world, prop.location):
        yield f"props.{name}.location: no room {prop.location!r}"
    if (prop.inside, prop.on, prop.held_by, prop.carried_by, prop.worn_by).count(None) < len(PLACES) - 1:
        yield f"props.{name}: more than one of {', '.join(PLACES)}"
    if prop.bearer is not None:
        yield from _bearer_problems(world, name, prop.bearer)
    if prop.held_by is not None:
        figure = world.characters.get(prop.held_by)
        if figure is None or name not in figure.holding:
            yield f"props.{name}.held_by: {prop.held_by!r} does not hold it"
        elif figure.location != prop.location:
            yield f"props.{name}.location: not where its holder is"
    if prop.parent is not None:
        parent = world.props.get(prop.parent)
        if parent is None:
            yield f"props.{name}: in or on {prop.parent!r}, which does not exist"
        elif parent.location != prop.location:
            yield f"props.{name}.location: not where {prop.parent!r} is"
        elif (above := [one for one, _ in islice(_ancestors(world, name), MAX_NESTING + 1)]) and name in above:
            yield f"props.{name}: inside itself"
        elif len(above) > MAX_NESTING:
            yield f"props.{name}: nested deeper than {MAX_NESTING}"


def _bearer_problems(world: WorldState, name: str, who: str) -> Iterator[str]:
    figure, prop = world.characters.get(who), world.props[name]
    if figure is None:
        yield f"props.{name}: no character {who!r}"
    elif figure.location != prop.location:
        yield f"props.{name}.location: not where its holder is"


def _figure_problems(world: WorldState, who: str) -> Iterator[str]:
    figure = world.characters[who]
    if _nowhere(world, figure.location):
        yield f"characters.{who}.location: no room {figure.location!r}"
    if len(set(figure.holding)) < len(figure.holding):
        yield f"characters.{who}.holding: something stands twice"
    for name in figure.holding:
        if holder(world, name) != who:
            yield f"characters.{who}.holding: {name!r} is in the hand of {holder(world, name)!r}"
        prop = world.props.get(name)
        if prop is not None and world.version != "0.1" and prop.held_by != who:
            yield f"characters.{who}.holding: {name!r} is not held_by {who!r}"


def _room_problems(world: WorldState) -> Iterator[str]:
    if world.locations and world.location.current not in world.locations:
        yield f"location.current: no room {world.location.current!r}"
    for room, location in world.locations.items():
        for target, way in location.exits.items():
            if target not in world.locations:
                yield f"locations.{room}.exits: no room {target!r}"
            if way.via is not None and way.via not in world.props:
                yield f"locations.{room}.exits.{target}.via: no door {way.via!r}"


def check_invariants(world: WorldState) -> WorldState:
    """The world itself, if every invariant holds."""
    if found := problems(world):
        raise WorldError("world.invariant", problem="; ".join(found[:5]))
    return world
