"""/undo, /fork, /branches: going back, and going another way."""

from hakoniwa.cli.branch import tree
from hakoniwa.cli.live.command import LiveCommand, commands, needed, number
from hakoniwa.cli.live.show import Show
from hakoniwa.stage.names import nfkc


@commands.add("undo")
class Undo(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        count = number(show, "undo", rest, default=1)
        turn = await show.session.undo(count)
        show.pace.pause()
        show.printer.rewind(show.session.rows)
        show.tell("play.undone", count=count, turn=turn)
        show.printer.recap(show.session.rows, turns=1)
        show.tell("play.now-paused")


@commands.add("fork")
class Fork(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        await show.session.fork(nfkc(needed(show, "fork", rest)))
        show.tell("play.forked", branch=show.session.branch)


@commands.add("branches")
class Branches(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        for line in tree(show.session.journal, show.session.garden.id, show.terminal, here=show.session.branch):
            show.printer.line(line)
