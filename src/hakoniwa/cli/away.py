"""What a persona did by itself, as it is told in the terminal: in its own words where it found some."""

from collections.abc import Iterator
from datetime import datetime

from rich.text import Text

from hakoniwa.cli.recollection import short
from hakoniwa.cli.terminal import Terminal
from hakoniwa.cli.wrap import printable
from hakoniwa.ghost.action import OnEnd
from hakoniwa.ghost.autonomy.digest import Deed, Digest
from hakoniwa.ghost.generated import Generated, unsealed
from hakoniwa.ghost.reply import told_time
from hakoniwa.messages import catalogue

FEW = 3
TELLING = ("query", "task_instruction", "note", "act", "text")  # what of an order says what it is about
LONGEST = 60


def page(terminal: Terminal, name: str, made: Digest) -> Iterator[Text]:
    """A while in one page: what the persona told, and what it told nothing of."""
    span = [told_time(one, terminal.lang) for one in (made.since, made.until)]
    yield Text(terminal.say("autonomy.digest.title", name=name, since=span[0], until=span[1]), "bold")
    spoken = [one for one in made.deeds if one.message is not None]
    unspoken = [one for one in made.deeds if one.message is None]
    for one in spoken:
        assert one.message is not None
        yield message(terminal, name, one.message, one.delivery_mode, one.at, dated=True)
        yield Text(f"  {deed(terminal, one)}", "dim")
    if unspoken:
        yield Text(terminal.say("autonomy.digest.unspoken"))
        yield from (Text(f"  {hour(terminal, one.at, dated=True)}　{deed(terminal, one)}", "dim") for one in unspoken)
    if not made.deeds:
        yield Text(terminal.say("autonomy.digest.nothing"))
    if made.considered:
        yield Text(terminal.say("autonomy.digest.considered", count=made.considered, left=made.left), "dim")


def greeting(terminal: Terminal, made: Digest) -> Iterator[str]:
    """The same in a few words, for somebody who has the persona's messages before their eyes."""
    if not made.deeds:
        return
    unspoken = [one for one in made.deeds if one.message is None]
    yield terminal.say("autonomy.away.some", count=len(made.deeds), told=len(made.deeds) - len(unspoken))
    yield from (f"  {hour(terminal, one.at)}　{deed(terminal, one)}" for one in unspoken[-FEW:])
    yield terminal.say("autonomy.away.more")


def message(
    terminal: Terminal, name: str, said: Generated, mode: OnEnd | None, at: datetime, *, dated: bool = False
) -> Text:
    """Something the persona said of its own accord: always in its name; a notice is told apart by its colour."""
    notice = mode == "notify"
    return Text.assemble(
        (f"{hour(terminal, at, dated=dated)}　", "dim"),
        (f"{name} ", "bold yellow" if notice else "bold cyan"),
        (terminal.say("autonomy.notice") if notice else "", "yellow"),
        printable(unsealed(said)),
    )


def deed(terminal: Terminal, one: Deed) -> str:
    """What was done, about what, and how it ended."""
    telling = [one.asked.get(name) for name in TELLING]
    asked = next((text for text in telling if isinstance(text, str) and text.strip()), "")
    about = terminal.say("autonomy.about", text=short(Generated(asked), LONGEST)) if asked else ""
    ended = terminal.say(f"autonomy.result.{one.result_status}")
    return terminal.say("autonomy.deed", action=action(terminal, one.action_type), about=about, ended=ended)


def action(terminal: Terminal, action_type: str) -> str:
    """A kind of action in words; a tool of somebody else's goes by its own name."""
    family, _, tool = action_type.partition(":")
    if f"autonomy.action.{family}" not in catalogue(terminal.lang):
        return printable(action_type)
    return terminal.say(f"autonomy.action.{family}", tool=printable(tool))


def hour(terminal: Terminal, at: datetime, *, dated: bool = False) -> str:
    return told_time(at, terminal.lang) if dated else f"{at.astimezone():%H:%M}"
