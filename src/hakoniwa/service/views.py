"""A garden as it is shown: rooms, people and things at one turn, its play, and two branches side by side."""

from collections.abc import Iterator
from typing import Any, Literal

from hakoniwa.app.user_files import UserFiles, has_portrait
from hakoniwa.gm.act import Act
from hakoniwa.gm.incident import ready
from hakoniwa.journal.follow import shared_places
from hakoniwa.messages import states_in_words
from hakoniwa.pictures.catalogue import Picture
from hakoniwa.pictures.faces import BodyPose, Expression, expression_of
from hakoniwa.pictures.find import picture_of
from hakoniwa.pictures.sky import Falls, Light, falls_in, is_outdoors, light_at
from hakoniwa.play.draft import Draft
from hakoniwa.play.standing import GardenState, turn_of
from hakoniwa.play.timeline import Timeline
from hakoniwa.service.live_gardens import LiveGarden, Pace
from hakoniwa.stage.patch import touched_names
from hakoniwa.stage.world import PLACES, Condition, Figure, Prop, WorldState, holder, is_door, rooms, story_name
from hakoniwa.turn import Value

POSES: dict[BodyPose, tuple[str, ...]] = {
    "lying": ("横にな", "寝", "眠", "lying", "lies", "asleep", "sleeping"),
    "sitting": ("座", "腰掛け", "腰かけ", "腰を下ろ", "正座", "sitting", "sits", "seated"),
}


class ExitView(Value):
    """A way out of a room, and the door it goes through if there is one."""

    to: str
    via: str | None


class Room(Value):
    name: str
    description: str
    outdoors: bool
    exits: tuple[ExitView, ...]


class MoodView(Value):
    """A mood in numbers from -1 to 1, the word for it, and the expression of a face that shows it."""

    valence: float
    arousal: float
    dominance: float
    label: str
    expression: Expression


class Person(Value):
    """One of the cast; `who` names them in requests, `name` is what the story calls them.

    `portrait` is the sheet that has a picture of them, `look` the face that is drawn otherwise."""

    who: str
    name: str
    display_name: str
    location: str
    posture: str | None
    pose: BodyPose
    holding: tuple[str, ...]
    status: tuple[str, ...]
    mood: MoodView
    look: str
    portrait: str | None


class Thing(Value):
    """A thing and where it is; `words` tell its states in the language that was asked for.

    `open` and `running` are null where it is neither so nor the opposite, `picture` where it looks like nothing known.
    """

    name: str
    location: str
    inside: str | None
    on: str | None
    held_by: str | None
    carried_by: str | None
    worn_by: str | None
    owner: str | None
    state: tuple[str, ...]
    words: tuple[str, ...]
    fixed: bool
    container: bool
    door: bool
    hidden: bool
    open: bool | None
    locked: bool
    running: bool | None
    picture: Picture | None
    description: str


class PossibleAct(Value):
    """An act that is possible now: as a tag, to be sent back, and in words."""

    tag: str
    words: str
    verb: str
    target: str | None
    destination: str | None


def listed_act(act: Act, words: str) -> PossibleAct:
    return PossibleAct(tag=act.tag, words=words, verb=act.verb.id, target=act.target, destination=act.destination)


class TimeAndWeather(Value):
    """The time of day, the clock if there is one, the weather and how tense things are; how light it is, and what falls
    from the sky, as they are drawn."""

    label: str
    clock: str | None
    weather: str
    tension: str
    light: Light
    falls: Falls | None


class IncidentView(Value):
    """An incident of the scenario: whether it has come before, and whether it could come now."""

    id: str
    title: str
    text: str
    rung: bool
    ready: bool


class Saying(Value):
    """The words of a turn, and to whom they were if to somebody."""

    who: str
    to: str | None
    words: str


class GardenView(Value):
    """A garden on one line of play, as it was at the end of a turn or is now; `pace`, `speaking` and `model` are now's.

    `room` is where the camera is, `changed` the people and things that this turn did something to,
    `said` what was spoken in it."""

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
    sky: TimeAndWeather
    rooms: tuple[Room, ...]
    people: tuple[Person, ...]
    things: tuple[Thing, ...]
    changed: tuple[str, ...]
    said: Saying | None
    incidents: tuple[IncidentView, ...]
    next_speaker: str
    cued: str | None
    pinned: str | None
    muted: tuple[str, ...]
    ended: str | None
    next_scenario: str | None
    stall: float
    model: str | None
    pace: Pace
    speaking: Draft


def garden_view(stage: LiveGarden, turn: int | None, language: str) -> GardenView:
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
        sky=time_and_weather(world),
        rooms=tuple(_rooms(world)),
        people=tuple(_people(reel, standing, UserFiles(stage.settings.home))),
        things=tuple(_things(world, language)),
        changed=_changed_names(reel, world.time.turn),
        said=_words_of_turn(reel, world.time.turn),
        incidents=tuple(_incidents(reel, standing)),
        next_speaker=next_speaker(reel, standing),
        cued=standing.cued,
        pinned=standing.pinned,
        muted=standing.muted,
        ended=standing.ended,
        next_scenario=standing.next_scenario,
        stall=standing.stall,
        model=stage.model,
        pace=stage.pace,
        speaking=stage.draft,
    )


def next_speaker(reel: Timeline, standing: GardenState) -> str:
    """Whose turn it is."""
    order = [who for who in reel.cast if who not in standing.muted] or list(reel.cast)
    first = reel.scenario.speakers.first or order[0]
    chosen = standing.pinned or standing.cued or standing.next_speaker or first
    return chosen if chosen in order else order[0]


def time_and_weather(world: WorldState) -> TimeAndWeather:
    time, meta = world.time, world.meta
    return TimeAndWeather(
        label=time.label, clock=time.clock, weather=meta.weather, tension=meta.tension,
        light=light_at(time.clock, time.label), falls=falls_in(meta.weather),
    )  # fmt: skip


def _changed_names(reel: Timeline, turn: int) -> tuple[str, ...]:
    with reel.lock:
        rows = reel.rows[reel.until(turn - 1) if turn else 0 : reel.until(turn)]
    names = [
        name for row in rows for kind in ("characters", "props") for name in touched_names(row.event.world_delta, kind)
    ]
    return tuple(dict.fromkeys(names))


def _words_of_turn(reel: Timeline, number: int) -> Saying | None:
    """What was said in a turn."""
    with reel.lock:
        rows = reel.rows[reel.until(number - 1) if number else 0 : reel.until(number)]
    turn = next((turn_of(row.event) for row in rows if row.event.kind == "turn"), None)
    words = turn.take.ruling.parsed.speech if turn else None
    if turn is None or not words:
        return None
    return Saying(who=turn.speaker, to=turn.take.performance.to or turn.take.ruling.parsed.addressee, words=words)


def _rooms(world: WorldState) -> Iterator[Room]:
    for name in rooms(world):
        location = world.locations.get(name)
        ways = tuple(ExitView(to=to, via=way.via) for to, way in location.exits.items()) if location else ()
        told = location.description if location else ""
        yield Room(name=name, description=told, outdoors=is_outdoors(name), exits=ways)


def _people(reel: Timeline, standing: GardenState, shelf: UserFiles) -> Iterator[Person]:
    for who, figure in standing.world.characters.items():
        yield Person(
            who=who,
            name=story_name(standing.world, who),
            display_name=reel.cast[who].display_name,
            location=figure.location,
            posture=figure.posture,
            pose=pose_of(figure),
            holding=figure.holding,
            status=figure.status,
            mood=feeling(standing, who),
            look=reel.cast[who].look.code,
            portrait=sheet if has_portrait(shelf, sheet := reel.scenario.cast[who].sheet) else None,
        )


def feeling(standing: GardenState, who: str) -> MoodView:
    mood = standing.minds[who].mood
    return MoodView(
        valence=mood.valence, arousal=mood.arousal, dominance=mood.dominance, label=mood.label,
        expression=expression_of(mood.valence, mood.arousal, mood.dominance),
    )  # fmt: skip


def pose_of(figure: Figure) -> BodyPose:
    """How a body is drawn; whatever else a posture says is done standing."""
    told = (figure.posture or "").casefold()
    return next((pose for pose, words in POSES.items() if any(word in told for word in words)), "standing")


def _things(world: WorldState, language: str) -> Iterator[Thing]:
    for name, prop in world.props.items():
        yield Thing(
            name=name,
            location=prop.location,
            inside=prop.inside,
            on=prop.on,
            held_by=holder(world, name),
            carried_by=prop.carried_by,
            worn_by=prop.worn_by,
            owner=prop.owner,
            state=prop.state,
            words=tuple(states_in_words(prop.state, language)),
            fixed=prop.fixed,
            container=prop.container,
            door=is_door(world, name),
            hidden=prop.is_(Condition.HIDDEN),
            open=_is_either(prop, Condition.OPEN, Condition.BARRED),
            locked=prop.is_(Condition.LOCKED),
            running=_is_either(prop, Condition.ON, Condition.OFF),
            picture=picture_of(name, prop.aliases, prop.picture),
            description=prop.description,
        )


def _is_either(prop: Prop, so: frozenset[str], opposite: frozenset[str]) -> bool | None:
    return True if prop.is_(so) else False if prop.is_(opposite) else None


def _incidents(reel: Timeline, standing: GardenState) -> Iterator[IncidentView]:
    for one in reel.scenario.happenings:
        comes = ready(one, standing.world, standing.rung)
        yield IncidentView(id=one.id, title=one.title, text=one.text, rung=one.id in standing.rung, ready=comes)


FIELDS: dict[str, tuple[str, ...]] = {
    "characters": ("location", "posture", "holding", "status"),
    "props": ("location", *PLACES, "state"),
}
DifferenceKind = Literal["person", "thing", "sky"]
SORTS: dict[str, DifferenceKind] = {"characters": "person", "props": "thing"}
FieldValue = str | tuple[str, ...] | None


class Difference(Value):
    """Something that is one way here and another there; what is not in a world at all is null there."""

    sort: DifferenceKind
    name: str
    field: str
    one: FieldValue
    other: FieldValue


class BranchSide(Value):
    """How far a branch has come since they parted."""

    branch: str
    turn: int
    rows: int
    ended: str | None


class BranchComparison(Value):
    """Two branches: the last row and turn that both have, how far each has come, and how they differ now."""

    seq: int | None
    turn: int
    one: BranchSide
    other: BranchSide
    differences: tuple[Difference, ...]


def compare_branches(one: Timeline, other: Timeline) -> BranchComparison:
    """Where two lines of the same garden part, and what came of it."""
    shared = shared_places(one.rows.seqs, other.rows.seqs)
    return BranchComparison(
        seq=one.rows.seqs[shared - 1] if shared else None,
        turn=one.index.turns[shared - 1] if shared else 0,
        one=_side(one, shared),
        other=_side(other, shared),
        differences=tuple(_differences(one.standing.world, other.standing.world)),
    )


def _side(reel: Timeline, shared: int) -> BranchSide:
    standing = reel.standing
    return BranchSide(
        branch=reel.branch, turn=standing.world.time.turn, rows=len(reel.rows) - shared, ended=standing.ended
    )


def _differences(one: WorldState, other: WorldState) -> Iterator[Difference]:
    for table, fields in FIELDS.items():
        mine, theirs = getattr(one, table), getattr(other, table)
        for name in dict.fromkeys([*mine, *theirs]):
            if mine.get(name) is not theirs.get(name):
                yield from _field_differences(SORTS[table], name, fields, mine.get(name), theirs.get(name))
    pairs = {"label": (one.time.label, other.time.label), "clock": (one.time.clock, other.time.clock)}
    pairs |= {"weather": (one.meta.weather, other.meta.weather), "tension": (one.meta.tension, other.meta.tension)}
    for field, (here, there) in pairs.items():
        if here != there:
            yield Difference(sort="sky", name="", field=field, one=here, other=there)


def _field_differences(
    sort: DifferenceKind, name: str, fields: tuple[str, ...], here: Any, there: Any
) -> Iterator[Difference]:
    for field in fields:
        mine, theirs = getattr(here, field, None), getattr(there, field, None)
        if mine != theirs:
            yield Difference(sort=sort, name=name, field=field, one=mine, other=theirs)
