"""/as, /act, /next, /mute, /unmute, /pin, /unpin, /drop, /ring: taking part in a garden."""

from collections.abc import Callable, Sequence

from rich.text import Text

from hakoniwa.cli.live.command import LiveCommand, act_of, commands, people, required_argument, split_name
from hakoniwa.cli.live.show import LiveShow
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.incident import ready
from hakoniwa.gm.options import possible_acts
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.play.user_acts import drop_prop, mute, nominate, pin, ring_incident, unmute
from hakoniwa.stage.scenario import Incident
from hakoniwa.stage.world import rooms, story_name
from hakoniwa.turn import Event

SHOWN, SEARCHED = 20, 400


@commands.add("as")
class AsCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        who, words = split_name(show.session, required_argument(show, "as", rest))
        await user_turn(show.session, who, required_argument(show, "as", words))
        show.pace.turned()
        show.follow()

    def complete(self, show: LiveShow, rest: str) -> Sequence[str]:
        return people(show.session) if " " not in rest else ()


@commands.add("act")
class ActCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        who, wish = split_name(show.session, required_argument(show, "act", rest))
        if wish.isdecimal():
            await _perform(show, who, _listed_act(show, who, int(wish)))
        elif ":" in wish or "：" in wish:
            act = act_of(wish)
            await _perform(show, who, act) if act else _list_acts(show, who, wish)
        else:
            _list_acts(show, who, wish)

    def complete(self, show: LiveShow, rest: str) -> Sequence[str]:
        if " " not in rest:
            return people(show.session)
        try:
            who, _ = split_name(show.session, rest)
        except UnknownName:
            return ()
        return [act.tag.strip("()") for act in possible_acts(show.session.world, who, limit=SEARCHED)]


async def _perform(show: LiveShow, who: str, act: Act) -> None:
    await user_turn(show.session, who, act.tag)
    show.pace.turned()
    show.follow()


def _listed_act(show: LiveShow, who: str, number: int) -> Act:
    """The act of that number in the list shown last."""
    acts = show.offered.get(who, [])
    if not 0 < number <= len(acts):
        raise UsageError("play.no-such-act", number=number, who=story_name(show.session.world, who))
    return acts[number - 1]


def _list_acts(show: LiveShow, who: str, about: str) -> None:
    """List what somebody can do now, in words, numbered for the next command."""
    world, name = show.session.world, story_name(show.session.world, who)
    language = show.session.scenario.language
    acts = sorted(possible_acts(world, who, limit=SEARCHED), key=lambda act: act.verb.id == "INSPECT")
    found = [act for act in acts if about.casefold() in stage_direction(world, act, language).casefold()]
    show.offered[who] = found[:SHOWN]
    if not found:
        show.tell("play.acts-none", who=name)
        return
    show.printer.title(show.say("play.acts-about" if about else "play.acts", who=name, about=about))
    for number, act in enumerate(found[:SHOWN], start=1):
        show.printer.line(Text.assemble((f"{number:4} ", "bold"), stage_direction(world, act, language)))
    if len(found) > SHOWN:
        show.tell("play.acts-more", count=len(found) - SHOWN, who=name)


class CueCommand(LiveCommand):
    """A command about one of the people."""

    def complete(self, show: LiveShow, rest: str) -> Sequence[str]:
        return people(show.session)


@commands.add("next")
class NextCommand(CueCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await _cue(show, "next", rest, nominate)


@commands.add("mute")
class MuteCommand(CueCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await _cue(show, "mute", rest, mute)


@commands.add("unmute")
class UnmuteCommand(CueCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await _cue(show, "unmute", rest, unmute)


@commands.add("pin")
class PinCommand(CueCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await _cue(show, "pin", rest, pin)


@commands.add("unpin")
class UnpinCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await show.session.commit([pin(show.session, None)])
        show.tell("play.cue.unpin")


async def _cue(show: LiveShow, name: str, rest: str, event: Callable[[Session, str], Event]) -> None:
    who, _ = split_name(show.session, required_argument(show, name, rest))
    await show.session.commit([event(show.session, who)])
    show.tell(f"play.cue.{name}", who=story_name(show.session.world, who))


@commands.add("drop")
class DropCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        name, place = _split(show, required_argument(show, "drop", rest))
        await show.session.commit([drop_prop(show.session.world, name, place)])
        show.follow()

    def complete(self, show: LiveShow, rest: str) -> Sequence[str]:
        world = show.session.world
        return [*rooms(world), *sorted(world.props)] if " " in rest else ()


@commands.add("ring")
class RingCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        if rest:
            await show.session.commit([ring_incident(show.session, rest)])
            show.follow()
        elif not show.session.scenario.incidents:
            show.tell("play.incidents-none")
        else:
            show.printer.title(show.say("play.incidents"))
            rows = {one.title or one.id: _incident_line(show, one) for one in show.session.scenario.incidents}
            show.printer.table(rows)

    def complete(self, show: LiveShow, rest: str) -> Sequence[str]:
        return [one.title or one.id for one in show.session.scenario.incidents]


def _split(show: LiveShow, rest: str) -> tuple[str, str | None]:
    """What to drop and where; a name of several words is one name unless it ends with a known place."""
    names = show.session.world.index.names
    gaps = [place for place, char in enumerate(rest) if char.isspace()]
    for gap in gaps:
        if names.find(rest[gap:].strip()):
            return rest[:gap].strip(), rest[gap:].strip()
    if gaps and show.session.scenario.language == "ja":
        return rest[: gaps[0]], rest[gaps[0] :].strip()
    return rest, None


def _incident_line(show: LiveShow, incident: Incident) -> str:
    standing = show.session.standing
    if incident.id in standing.rung:
        return f"{incident.text} [{show.say('play.rung-before')}]"
    waits = "" if ready(incident, standing.world, standing.rung) else f" [{show.say('play.not-now')}]"
    return incident.text + waits
