"""/drop, /ring: things and incidents from outside."""

from collections.abc import Sequence

from hakoniwa.cli.live.command import LiveCommand, commands, needed
from hakoniwa.cli.live.show import Show
from hakoniwa.gm.incident import ready
from hakoniwa.play.meddle import dropped, rung
from hakoniwa.stage.scenario import Incident
from hakoniwa.stage.world import rooms


@commands.add("drop")
class Drop(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        name, place = _split(show, needed(show, "drop", rest))
        await show.session.commit([dropped(show.session.world, name, place)])
        show.follow()

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        world = show.session.world
        return [*rooms(world), *sorted(world.props)] if " " in rest else ()


@commands.add("ring")
class Ring(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        if rest:
            await show.session.commit([rung(show.session, rest)])
            show.follow()
        elif not show.session.scenario.incidents:
            show.tell("play.incidents-none")
        else:
            show.printer.title(show.say("play.incidents"))
            rows = {one.title or one.id: _described(show, one) for one in show.session.scenario.incidents}
            show.printer.table(rows)

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        return [one.title or one.id for one in show.session.scenario.incidents]


def _split(show: Show, rest: str) -> tuple[str, str | None]:
    """What to drop and where; a name of several words is one name unless it ends with a known place."""
    names = show.session.world.index.names
    gaps = [place for place, char in enumerate(rest) if char.isspace()]
    for gap in gaps:
        if names.find(rest[gap:].strip()):
            return rest[:gap].strip(), rest[gap:].strip()
    if gaps and show.session.scenario.language == "ja":
        return rest[: gaps[0]], rest[gaps[0] :].strip()
    return rest, None


def _described(show: Show, incident: Incident) -> str:
    standing = show.session.standing
    if incident.id in standing.rung:
        return f"{incident.text} [{show.say('play.rung-before')}]"
    waits = "" if ready(incident, standing.world, standing.rung) else f" [{show.say('play.not-now')}]"
    return incident.text + waits
