"""/save: the garden as a script, or the whole journal in a file."""

from pathlib import Path

from hakoniwa.cli.export import exported, format_of
from hakoniwa.cli.live.command import LiveCommand, commands, needed
from hakoniwa.cli.live.show import Show
from hakoniwa.whole import write_whole


@commands.add("save")
class Save(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        path = Path(needed(show, "save", rest)).expanduser()
        if form := format_of(path):
            write_whole(path, exported(show.session, form, show.terminal.lang).encode())
            show.tell("play.wrote", path=path)
        else:
            await show.session.backup(path)
            show.tell("play.backed-up", path=path)
