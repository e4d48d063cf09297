"""A garden as it is shown: its rooms, people and things at one turn, and how its play stands."""

from collections.abc import Iterator

from hakoniwa.gm.incident import ready
from hakoniwa.messages import states_in_words
from hakoniwa.play.standing import Standing
from hakoniwa.service.pace import Draft, Pace
from hakoniwa.service.reel import Reel
from hakoniwa.service.stage import Stage
from hakoniwa.stage.patch import touched
from hakoniwa.stage.world import Condition, WorldState, called, holder, is_door, rooms
from hakoniwa.turn import Value


class Way(Value):
    """A way out of a room, and the door it goes through if there is one."""

    to: str
    via: str | None


class Room(Value):
    name: str
    description: str
    exits: tuple[Way, ...]


class Feeling(Value):
    """A mood in numbers from -1 to 1, and the word for it."""

    valence: float
    arousal: float
    dominance: float
    label: str


class Person(Value):
    """One of the cast; `who` names them in requests, `name` is what the story calls them."""

    who: str
    name: str
    display_name: str
    location: str
    posture: str | None
    holding: tuple[str, ...]
    status: tuple[str, ...]
    mood: Feeling


class Thing(Value):
    """A thing and where it is; `words` tell its states in the language that was asked for."""

    name: str
    location: str
    inside: str | None
    on: str | None
    held_by: str | None
    owner: str | None
    state: tuple[str, ...]
    words: tuple[str, ...]
    fixed: bool
    container: bool
    door: bool
    hidden: bool
    description: str


class Sky(Value):
    """The time of day, the clock if there is one, the weather and how tense things are."""

    label: str
    clock: str | None
    weather: str
    tension: str


class Brewing(Value):
    """An incident of the scenario: whether it has come before, and whether it could come now."""

    id: str
    title: str
    text: str
    rung: bool
    ready: bool


class GardenView(Value):
    """A garden on one line of play, as it was at the end of a turn or is now; `pace`, `speaking` and `model` are now's.

    `room` is where the camera is, `changed` the people and things that this turn did something to."""

    id: str
    branch: str
    scenario: str
    title: str
    description: str
    language: str
    seed: int
    turn: int
    newest: int
    head: int | None
    room: str
    sky: Sky
    rooms: tuple[Room, ...]
    people: tuple[Person, ...]
    things: tuple[Thing, ...]
    changed: tuple[str, ...]
    incidents: tuple[Brewing, ...]
    next_speaker: str
    cued: str | None
    pinned: str | None
    muted: tuple[str, ...]
    ended: str | None
    stall: float
    model: str | None
    pace: Pace
    speaking: Draft


def garden_view(stage: Stage, turn: int | None, language: str) -> GardenView:
    """All there is to be seen of a garden."""
    reel = stage.reel
    with reel.lock:
        standing, head, newest = reel.at(turn), reel.head, reel.standing.world.time.turn
    world, scenario = standing.world, reel.scenario
    return GardenView(
        id=reel.garden.id,
        branch=reel.branch,
        scenario=scenario.id,
        title=scenario.title,
        description=scenario.description,
        language=scenario.language,
        seed=reel.garden.seed,
        turn=world.time.turn,
        newest=newest,
        head=head,
        room=world.location.current,
        sky=sky_of(world),
        rooms=tuple(_rooms(world)),
        people=tuple(_people(reel, standing)),
        things=tuple(_things(world, language)),
        changed=_changed(reel, world.time.turn),
        incidents=tuple(_incidents(reel, standing)),
        next_speaker=next_speaker(reel, standing),
        cued=standing.cued,
        pinned=standing.pinned,
        muted=standing.muted,
        ended=standing.ended,
        stall=standing.stall,
        model=stage.model,
        pace=stage.pace,
        speaking=stage.draft,
    )


def next_speaker(reel: Reel, standing: Standing) -> str:
    """Whose turn it is."""
    order = [who for who in reel.cast if who not in standing.muted] or list(reel.cast)
    first = reel.scenario.speakers.first or order[0]
    chosen = standing.pinned or standing.cued or standing.next_speaker or first
    return chosen if chosen in order else order[0]


def sky_of(world: WorldState) -> Sky:
    time, meta = world.time, world.meta
    return Sky(label=time.label, clock=time.clock, weather=meta.weather, tension=meta.tension)


def _changed(reel: Reel, turn: int) -> tuple[str, ...]:
    with reel.lock:
        rows = reel.rows[reel.until(turn - 1) if turn else 0 : reel.until(turn)]
    names = [name for row in rows for kind in ("characters", "props") for name in touched(row.event.world_delta, kind)]
    return tuple(dict.fromkeys(names))


def _rooms(world: WorldState) -> Iterator[Room]:
    for name in rooms(world):
        location = world.locations.get(name)
        ways = tuple(Way(to=to, via=way.via) for to, way in location.exits.items()) if location else ()
        yield Room(name=name, description=location.description if location else "", exits=ways)


def _people(reel: Reel, standing: Standing) -> Iterator[Person]:
    for who, figure in standing.world.characters.items():
        yield Person(
            who=who,
            name=called(standing.world, who),
            display_name=reel.cast[who].display_name,
            location=figure.location,
            posture=figure.posture,
            holding=figure.holding,
            status=figure.status,
            mood=feeling(standing, who),
        )


def feeling(standing: Standing, who: str) -> Feeling:
    mood = standing.minds[who].mood
    return Feeling(valence=mood.valence, arousal=mood.arousal, dominance=mood.dominance, label=mood.label)


def _things(world: WorldState, language: str) -> Iterator[Thing]:
    for name, prop in world.props.items():
        yield Thing(
            name=name,
            location=prop.location,
            inside=prop.inside,
            on=prop.on,
            held_by=holder(world, name),
            owner=prop.owner,
            state=prop.state,
            words=tuple(states_in_words(prop.state, language)),
            fixed=prop.fixed,
            container=prop.container,
            door=is_door(world, name),
            hidden=prop.is_(Condition.HIDDEN),
            description=prop.description,
        )


def _incidents(reel: Reel, standing: Standing) -> Iterator[Brewing]:
    for one in reel.scenario.incidents:
        comes = ready(one, standing.world, standing.rung)
        yield Brewing(id=one.id, title=one.title, text=one.text, rung=one.id in standing.rung, ready=comes)
