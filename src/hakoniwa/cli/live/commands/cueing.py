"""/next, /mute, /unmute, /pin, /unpin: who speaks."""

from collections.abc import Callable, Sequence

from hakoniwa.cli.live.command import LiveCommand, commands, needed
from hakoniwa.cli.live.names import people, split_name
from hakoniwa.cli.live.show import Show
from hakoniwa.play.cue import muted, nominated, pinned, unmuted
from hakoniwa.play.session import Session
from hakoniwa.stage.world import called
from hakoniwa.turn import Event


class Cue(LiveCommand):
    """A command about one of the people."""

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        return people(show.session)


@commands.add("next")
class Next(Cue):
    async def run(self, show: Show, rest: str) -> None:
        await _cue(show, "next", rest, nominated)


@commands.add("mute")
class Mute(Cue):
    async def run(self, show: Show, rest: str) -> None:
        await _cue(show, "mute", rest, muted)


@commands.add("unmute")
class Unmute(Cue):
    async def run(self, show: Show, rest: str) -> None:
        await _cue(show, "unmute", rest, unmuted)


@commands.add("pin")
class Pin(Cue):
    async def run(self, show: Show, rest: str) -> None:
        await _cue(show, "pin", rest, pinned)


@commands.add("unpin")
class Unpin(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        await show.session.commit([pinned(show.session, None)])
        show.tell("play.cue.unpin")


async def _cue(show: Show, name: str, rest: str, event: Callable[[Session, str], Event]) -> None:
    who, _ = split_name(show.session, needed(show, name, rest))
    await show.session.commit([event(show.session, who)])
    show.tell(f"play.cue.{name}", who=called(show.session.world, who))
