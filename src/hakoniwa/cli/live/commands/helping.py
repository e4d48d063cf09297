"""/help: what can be typed."""

from hakoniwa.cli.live.command import LiveCommand, commands, usage
from hakoniwa.cli.live.show import Show

ORDER = (
    "as", "act", "drop", "ring", "look", "who", "map", "why", "next", "mute", "unmute", "pin", "unpin", "thoughts",
    "pause", "run", "step", "speed", "undo", "fork", "branches", "save", "help", "quit",
)  # fmt: skip


@commands.add("help")
class Help(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        show.printer.title(show.say("play.commands"))
        show.printer.line(f"  {show.say('play.help.say')}")
        rows = {usage(show, name): show.say(f"play.help.{name}") for name in ORDER}
        show.printer.table(rows)
