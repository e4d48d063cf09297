"""The journal as a play script: headings, speech, stage directions, and what the GM tells. A pure view of the rows."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from hakoniwa.gm.act import Act, narrate_act, script_direction
from hakoniwa.journal import Row
from hakoniwa.pack import pack, verb_of
from hakoniwa.play.standing import story_place, turn_of
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState, story_name
from hakoniwa.turn import PHYSICAL, Event, IntentKind, Turn, Value

Kind = Literal["scene", "opening", "speech", "direction", "told", "denied", "incident", "process", "user", "end"]
UNNAMED = "……"
_BARE_TAG = re.compile(r"[A-Z][A-Z_]+")
_TAG_VERB = re.compile(r"[(（*]\s*(?:([^:：()（）\n]{1,40}?)\s*[:：]|([A-Z][A-Z_]+)\s*[)）*])")


class ScriptEntry(Value):
    """One entry of a script.

    `direction` leads in speech or a denial; `name` is empty where it has just been given; `cut` marks a heading that
    only changes the place, under the same sky.
    """

    kind: Kind
    turn: int
    text: str = ""
    speaker: str | None = None
    name: str = ""
    direction: str = ""
    time: str = ""
    clock: str = ""
    weather: str = ""
    cut: bool = False


class ScriptReader:
    """Reads one event after the other, and knows where the world and the scene stand.

    Whoever begins in the middle, at a turn or at the opening, says in which `room` the story was."""

    def __init__(self, opening: WorldState, room: str = "") -> None:
        self.world = opening
        self.scene = ScriptEntry(kind="scene", turn=0, text=room) if room else None

    def read(self, event: Event) -> list[ScriptEntry]:
        entries = entries_of(event, self.world, self.scene)
        self.scene = next((one for one in reversed(entries) if one.kind == "scene"), self.scene)
        self.world = apply(self.world, event.world_delta)
        return entries


def script_of(opening: WorldState, rows: Iterable[Row]) -> list[ScriptEntry]:
    """The whole of a garden so far, as a play script."""
    script = ScriptReader(opening)
    return [entry for row in rows for entry in script.read(row.event)]


def entries_of(event: Event, world: WorldState, scene: ScriptEntry | None = None) -> list[ScriptEntry]:
    """One event on the world it found, under the last scene heading; clocks, undos and the like leave no entry."""
    match event.kind:
        case "turn":
            turn = turn_of(event)
            place = story_place(scene.text if scene else "", world, apply(world, event.world_delta), turn.speaker)
            return list(_turn_entries(turn, world, place, scene))
        case "opening":
            return [*_heading(world, world.location.current, event.turn, scene), *_voice("opening", event, world)]
        case "user":
            return _voice("user", event, world)
        case "incident" | "process" | "end":
            return _plain_entry(event.kind, event)
        case "prop":
            return _plain_entry("incident", event)
    return []


def _heading(world: WorldState, room: str, turn: int, scene: ScriptEntry | None) -> list[ScriptEntry]:
    """A heading where the place, the time of day or the weather is not the one the reader knows."""
    time, clock, weather = world.time.label, world.time.clock or "", world.meta.weather
    same_sky = scene is not None and (scene.time, scene.weather) == (time, weather)
    if scene and same_sky and scene.text == room:
        return []
    return [ScriptEntry(kind="scene", turn=turn, text=room, time=time, clock=clock, weather=weather, cut=same_sky)]


def _voice(kind: Literal["opening", "user"], event: Event, world: WorldState) -> list[ScriptEntry]:
    """Words that are no character's turn: they belong to one of the cast, or to a voice without a name."""
    speaker, text = event.payload.get("speaker", "user"), event.payload.get("text", "")
    name = story_name(world, speaker) if speaker in world.characters else ""
    return [ScriptEntry(kind=kind, turn=event.turn, text=text, speaker=speaker, name=name)] if text else []


def _plain_entry(kind: Literal["incident", "process", "end"], event: Event) -> list[ScriptEntry]:
    text = event.payload.get("text") or ""
    return [ScriptEntry(kind=kind, turn=event.turn, text=text)] if text or kind == "end" else []


def _turn_entries(turn: Turn, world: WorldState, place: str, scene: ScriptEntry | None) -> Iterator[ScriptEntry]:
    yield from _heading(world, place, turn.number, scene)
    ruling = turn.take.ruling
    directions, sentences = _done_directions(turn, world) if ruling.allowed else (_gestures(turn), [])
    name, lead = story_name(world, turn.speaker), _join_directions(directions, world)
    if ruling.parsed.speech:
        yield _entry("speech", turn, ruling.parsed.speech, name=name, direction=lead)
    elif lead:
        yield _entry("direction", turn, lead, name=name)
    for sentence in sentences:
        yield _entry("told", turn, sentence)
    if ruling.explanation:
        named = "" if ruling.parsed.speech or lead else name
        attempt = _join_directions(_attempts(turn, world), world)
        yield _entry("denied", turn, ruling.explanation.told, name=named, direction=attempt)


def _entry(kind: Kind, turn: Turn, text: str, name: str = "", direction: str = "") -> ScriptEntry:
    return ScriptEntry(kind=kind, turn=turn.number, text=text, speaker=turn.speaker, name=name, direction=direction)


def _join_directions(directions: list[str], world: WorldState) -> str:
    return pack(world.language).phrases["list"].join(directions)


# --- stage directions: the performer's own words where there are any, else the act behind a tag in plain words --------


def _done_directions(turn: Turn, world: WorldState) -> tuple[list[str], list[str]]:
    """What was done as stage directions (who drinks it has taken it), and what the GM says beyond them."""
    acts: list[Act] = []
    sentences: list[str] = []
    for act, told in zip(_done_acts(turn), turn.take.ruling.told, strict=True):
        plain = narrate_act(world, turn.speaker, act)
        if told.startswith(plain) and not _is_worded(turn, act):
            acts = [*(one for one in acts if not _leads_to(one, act)), act]
        if more := told.removeprefix(plain).strip():
            sentences.append(more)
    return [*_own_words(turn), *(_direction(act, world) for act in acts)], sentences


def _leads_to(one: Act, act: Act) -> bool:
    """Whether an act goes without saying before another: taking what is used, the rooms on the way, a hand set free."""
    match one.verb.id:
        case "GET":
            return one.target == act.target
        case "MOVE":
            return act.verb.id == "MOVE"
        case "PUT":
            return one.destination is None and act.verb.id != "PUT"
    return False


def _attempts(turn: Turn, world: WorldState) -> list[str]:
    """The acts as they were wanted, whether or not there is such a thing."""
    gestures = _gestures(turn)
    return [
        *(one for one in _own_words(turn) if one not in gestures),
        *(_direction(act, world) for act in _wanted_acts(turn) if not _is_worded(turn, act)),
    ]


def _own_words(turn: Turn) -> list[str]:
    return [one for one in turn.take.ruling.parsed.directions if not _BARE_TAG.fullmatch(one)]


def _gestures(turn: Turn) -> list[str]:
    """The directions in which nothing is done to the world."""
    emotes = [one.detail for one in turn.take.ruling.parsed.action_intents if one.intent == IntentKind.EMOTE]
    return [one for one in _own_words(turn) if one in emotes]


def _is_worded(turn: Turn, act: Act) -> bool:
    """Whether the performer's own words already tell of an act: it came from them, not from a tag."""
    tagged = [verb_of(tag[1] or tag[2]).id for tag in _TAG_VERB.finditer(turn.take.performance.text)]
    return act.verb.id not in tagged and len(_own_words(turn)) > len(_gestures(turn))


def _done_acts(turn: Turn) -> list[Act]:
    """The acts that were done; where to, only the reading knows."""
    places = {one.target: one.destination for one in _wanted_acts(turn) if one.destination}
    return [Act(verb_of(verb), target, places.get(target)) for verb, target in turn.deeds]


def _wanted_acts(turn: Turn) -> list[Act]:
    intents = [one for one in turn.take.ruling.parsed.action_intents if one.intent in PHYSICAL]
    return [Act(verb_of(one.verb or one.intent), one.target, one.destination) for one in intents]


def _direction(act: Act, world: WorldState) -> str:
    return script_direction(world, Act(act.verb, act.target or UNNAMED, act.destination))
