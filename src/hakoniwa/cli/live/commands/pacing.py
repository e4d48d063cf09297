"""/pause, /run, /step, /speed, /thoughts, /quit: how the show goes on."""

from hakoniwa.cli.live.command import LiveCommand, commands, number, usage
from hakoniwa.cli.live.show import Show
from hakoniwa.errors import UsageError
from hakoniwa.play.loop import resume
from hakoniwa.stage.names import nfkc

SLOWEST = 60.0


@commands.add("pause")
class Pause(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        show.pace.pause()
        show.tell("play.now-paused")


@commands.add("run")
class Run(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        await resume(show.session)
        show.pace.run()
        show.tell("play.now-running")


@commands.add("step")
class Step(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        steps = number(show, "step", rest, default=1)
        await resume(show.session)
        show.pace.pause()
        show.pace.steps = steps


@commands.add("speed")
class Speed(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        try:
            seconds = float(nfkc(rest))
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds <= SLOWEST:
            raise UsageError("play.bad-number", found=rest, usage=usage(show, "speed"))
        show.pace.seconds = seconds
        show.tell("play.now-speed", speed=f"{seconds:g}")


@commands.add("thoughts")
class Thoughts(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        show.printer.thoughts = not show.printer.thoughts
        show.tell("play.thoughts-on" if show.printer.thoughts else "play.thoughts-off")


@commands.add("quit")
class Quit(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        show.closing = "user"
