"""/pause, /run, /step, /speed, /thoughts, /quit, /undo, /fork, /branches, /save: how the show goes on."""

from pathlib import Path

from hakoniwa.atomic_write import write_atomically
from hakoniwa.cli.branch import tree
from hakoniwa.cli.export import format_of, render_garden
from hakoniwa.cli.live.command import LiveCommand, commands, number_argument, required_argument, usage
from hakoniwa.cli.live.show import LiveShow
from hakoniwa.errors import UsageError
from hakoniwa.play.loop import resume
from hakoniwa.stage.names import nfkc

SLOWEST = 60.0


@commands.add("pause")
class PauseCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        show.pace.pause()
        show.tell("play.now-paused")


@commands.add("run")
class RunCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await resume(show.session)
        show.pace.run()
        show.tell("play.now-running")


@commands.add("step")
class StepCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        steps = number_argument(show, "step", rest, default=1)
        await resume(show.session)
        show.pace.pause()
        show.pace.steps = steps


@commands.add("speed")
class SpeedCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        try:
            seconds = float(nfkc(rest))
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds <= SLOWEST:
            raise UsageError("play.bad-number", found=rest, usage=usage(show, "speed"))
        show.pace.seconds = seconds
        show.tell("play.now-speed", speed=f"{seconds:g}")


@commands.add("thoughts")
class ThoughtsCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        show.printer.thoughts = not show.printer.thoughts
        show.tell("play.thoughts-on" if show.printer.thoughts else "play.thoughts-off")


@commands.add("quit")
class QuitCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        show.closing = "user"


@commands.add("undo")
class UndoCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        count = number_argument(show, "undo", rest, default=1)
        turn = await show.session.undo(count)
        show.pace.pause()
        show.printer.rewind(show.session.rows)
        show.tell("play.undone", count=count, turn=turn)
        show.printer.recap(show.session.rows, turns=1)
        show.tell("play.now-paused")


@commands.add("fork")
class ForkCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        await show.session.fork(nfkc(required_argument(show, "fork", rest)))
        show.tell("play.forked", branch=show.session.branch)


@commands.add("branches")
class BranchesCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        for line in tree(show.session.journal, show.session.garden.id, show.terminal, here=show.session.branch):
            show.printer.line(line)


@commands.add("save")
class SaveCommand(LiveCommand):
    async def run(self, show: LiveShow, rest: str) -> None:
        path = Path(required_argument(show, "save", rest)).expanduser()
        if form := format_of(path):
            write_atomically(path, render_garden(show.session, form, show.terminal.lang).encode())
            show.tell("play.wrote", path=path)
        else:
            await show.session.backup(path)
            show.tell("play.backed-up", path=path)
