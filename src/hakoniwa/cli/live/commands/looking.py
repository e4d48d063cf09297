"""/look, /who, /map: the garden in words."""

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from hakoniwa.cli.live.command import LiveCommand, commands
from hakoniwa.cli.live.names import people, split_name
from hakoniwa.cli.live.show import Show
from hakoniwa.messages import states_in_words
from hakoniwa.stage.scene import LastSeen, Scene, SeenThing, look
from hakoniwa.stage.world import Condition, called, enclosing, holder, present, rooms, things_here

NAMED = 8


@commands.add("look")
class Look(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        who = split_name(show.session, rest)[0] if rest else _onlooker(show)
        scene = look(show.session.world, who, show.session.standing.beliefs.get(who))
        show.printer.title(show.say("play.look.title", who=called(show.session.world, who)))
        show.printer.line("  " + show.joined([scene.location, scene.time, scene.weather]))
        if scene.description:
            show.printer.line(f"  {scene.description}")
        show.printer.table(_scene(show, scene))

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        return people(show.session)


@commands.add("who")
class Who(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        rows = {called(show.session.world, who): _person(show, who) for who in show.session.world.characters}
        show.printer.table(rows)


@commands.add("map")
class Map(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        for room in rooms(show.session.world):
            for line in _room(show, room):
                show.printer.line(line, indent=4)


def _onlooker(show: Show) -> str:
    """Through whose eyes the camera sees: whoever spoke last, or someone who is where it is."""
    world, turns = show.session.world, show.session.standing.turns
    here = present(world, world.location.current) or list(world.characters)
    return turns[-1].speaker if turns and turns[-1].speaker in here else here[0]


def _scene(show: Show, scene: Scene) -> dict[str, str]:
    others = [_person_here(show, one.name) for one in scene.people if one.name != scene.viewer]
    own = [one.name for one in scene.things if one.held_by == scene.viewer]
    things = [_thing(show, one) for one in scene.things if one.held_by is None]
    rows = {"people": others, "own": own, "things": things, "exits": list(scene.exits)}
    nothing = show.say("play.look.nothing")
    told = {name: show.listed(found) or nothing for name, found in rows.items()}
    if scene.last_seen:
        told["remembered"] = "\n".join(_memories(show, scene.last_seen))
    return {show.say(f"play.look.{name}"): text for name, text in told.items()}


def _person_here(show: Show, who: str) -> str:
    world = show.session.world
    held = world.characters[who].holding
    notes = [show.say("play.look.holding", things=show.listed(held))] if held else []
    return show.noted(called(world, who), notes)


def _thing(show: Show, one: SeenThing) -> str:
    return show.noted(one.name, [*states_in_words(one.state, show.terminal.lang), *([one.place] if one.place else [])])


def _memories(show: Show, last_seen: Iterable[LastSeen]) -> Iterator[str]:
    """What is remembered, place by place; of many things in one place the first few are named."""
    places: dict[tuple[str, bool], list[str]] = {}
    for one in last_seen:
        places.setdefault((one.where, one.gone), []).append(one.name)
    for (where, gone), names in places.items():
        more = [show.say("cli.and-more", count=len(names) - NAMED)] if len(names) > NAMED else []
        things = show.listed([*names[:NAMED], *more])
        yield show.say("play.look.gone" if gone else "play.look.last-seen", where=where, things=things)


def _person(show: Show, who: str) -> str:
    world, sheet = show.session.world, show.session.cast.get(who)
    figure, mind = world.characters[who], show.session.standing.minds.get(who)
    full = sheet.display_name if sheet and sheet.display_name != called(world, who) else ""
    held = show.say("play.look.holding", things=show.listed(figure.holding)) if figure.holding else ""
    mood = show.say(f"mood.{mind.mood.label}") if mind else ""
    return show.joined([full, figure.location, figure.posture or "", held, show.listed(figure.status), mood])


def _room(show: Show, room: str) -> Iterator[Text]:
    """A room with what can be seen in it: not what is hidden or shut away."""
    world = show.session.world
    location = world.locations.get(room)
    ways = [show.noted(way, [one.via] if one.via else []) for way, one in location.exits.items()] if location else []
    here = Text(room, "bold reverse" if room == world.location.current else "bold")
    yield Text.assemble(here, "  → " + show.listed(ways) if ways else "")
    if persons := present(world, room):
        yield Text.assemble("    ", (show.listed(_person_here(show, who) for who in persons), "cyan"))
    if things := [_with_state(show, name) for name in things_here(world, room) if _in_view(show, name)]:
        yield Text.assemble("    ", (show.listed(things), "dim"))


def _in_view(show: Show, name: str) -> bool:
    world = show.session.world
    return not (world.props[name].is_(Condition.HIDDEN) or enclosing(world, name) or holder(world, name))


def _with_state(show: Show, name: str) -> str:
    return show.noted(name, states_in_words(show.session.world.props[name].state, show.terminal.lang))
