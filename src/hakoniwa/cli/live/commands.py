"""Commands of the prompt: taking part in a garden, the pace it goes at, and help. `COMMANDS` names them all."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.text import Text

from hakoniwa.cli.journal import format_of, render_garden, tree
from hakoniwa.cli.live.arguments import number_argument, people, required_argument, split_name, usage
from hakoniwa.cli.live.looking import explain_turn, show_map, show_people, show_view
from hakoniwa.cli.live.show import LiveShow, OpenQuestion
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.gm.act import Act, act_of, stage_direction
from hakoniwa.gm.incident import ready
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.typed import TypedLine
from hakoniwa.own_files import write_atomically
from hakoniwa.play.loop import resume
from hakoniwa.play.plain_words import reading_told
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.play.user_acts import drop_prop, mute, nominate, pin, read_line, ring_incident, unmute
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.scenario import Incident
from hakoniwa.stage.world import rooms, story_name
from hakoniwa.turn import Event

SHOWN, SEARCHED = 20, 400
SLOWEST = 60.0
YES, SAID, NO = ("y", "yes", "はい", "する"), ("s", "say", "言う"), ("n", "no", "いいえ", "やめる")


def complete_nothing(*_: object) -> Sequence[str]:
    return ()


def complete_name(show: LiveShow, _: str) -> Sequence[str]:
    return people(show.session)


@dataclass(frozen=True)
class LiveCommand:
    """What a command does with what was typed after its name, and what the last word of that could become."""

    run: Callable[[LiveShow, str], Awaitable[None]]
    complete: Callable[[LiveShow, str], Sequence[str]] = complete_nothing


# --- taking part -----------------------------------------------------------------------------------------------------


async def speak_as(show: LiveShow, rest: str) -> None:
    who, words = split_name(show.session, required_argument(show, "as", rest))
    await _take_line(show, who, required_argument(show, "as", words))


async def _take_line(show: LiveShow, who: str, text: str) -> None:
    """A line as somebody: played, or where it can be read in two ways, asked about."""
    line = read_line(show.session, who, text)
    if line.otherwise is None:
        await _perform(show, who, line.reply)
    else:
        show.question = OpenQuestion(who, line)
        _ask(show, line)


def _ask(show: LiveShow, line: TypedLine) -> None:
    """Show both readings of a line, and how to choose."""
    read = show.listed(reading_told(show.session.world, line, show.terminal.lang))
    show.printer.title(show.say("play.unsure"))
    show.printer.table({
        "y": show.say("play.meant-done", line=line.reply, read=read),
        "s": show.say("play.meant-said", line=line.otherwise),
        "n": show.say("play.meant-neither"),
    })  # fmt: skip


async def answer_question(show: LiveShow, asked: OpenQuestion, reply: str) -> None:
    """Play the reading that was chosen, or none; other words are the line put better."""
    show.question, line = None, asked.line
    answer = nfkc(reply).casefold()
    if answer in YES:
        await _perform(show, asked.who, line.reply, confirmed=True)
    elif answer in SAID and line.otherwise:
        await _perform(show, asked.who, line.otherwise)
    elif answer in NO:
        show.tell("play.meant-nothing")
    else:
        await _take_line(show, asked.who, reply)


def _complete_as(show: LiveShow, rest: str) -> Sequence[str]:
    return people(show.session) if " " not in rest else ()


async def act(show: LiveShow, rest: str) -> None:
    who, wish = split_name(show.session, required_argument(show, "act", rest))
    if wish.isdecimal():
        await _perform(show, who, _listed_act(show, who, int(wish)).tag)
    elif ":" in wish or "：" in wish:
        act = act_of(wish)
        await _perform(show, who, act.tag) if act else _list_acts(show, who, wish)
    elif wish and (line := read_line(show.session, who, wish)).kind in ("done", "both"):
        await _perform(show, who, line.reply)
    else:
        _list_acts(show, who, wish)


def _complete_act(show: LiveShow, rest: str) -> Sequence[str]:
    if " " not in rest:
        return people(show.session)
    try:
        who, _ = split_name(show.session, rest)
    except UnknownName:
        return ()
    return [act.tag.strip("()") for act in possible_acts(show.session.world, who, limit=SEARCHED)]


async def _perform(show: LiveShow, who: str, text: str, *, confirmed: bool = False) -> None:
    """A turn in the user's words; where it cannot be done, what could be is offered by number."""
    turn = await user_turn(show.session, who, text, confirmed=confirmed)
    show.pace.turned()
    show.follow()
    why = turn.take.ruling.explanation
    if why and (acts := [act for tag in why.instead if (act := act_of(tag))]):
        show.offered[who] = acts
        show.printer.title(show.say("play.acts-instead", who=story_name(show.session.world, who)))
        _number_acts(show, acts)


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
    _number_acts(show, found[:SHOWN])
    if len(found) > SHOWN:
        show.tell("play.acts-more", count=len(found) - SHOWN, who=name)


def _number_acts(show: LiveShow, acts: Sequence[Act]) -> None:
    for number, act in enumerate(acts, start=1):
        words = stage_direction(show.session.world, act, show.session.scenario.language)
        show.printer.line(Text.assemble((f"{number:4} ", "bold"), words))


async def unpin_camera(show: LiveShow, _: str) -> None:
    await show.session.commit([pin(show.session, None)])
    show.tell("play.cue.unpin")


async def _cue(show: LiveShow, rest: str, name: str, event: Callable[[Session, str], Event]) -> None:
    who, _ = split_name(show.session, required_argument(show, name, rest))
    await show.session.commit([event(show.session, who)])
    show.tell(f"play.cue.{name}", who=story_name(show.session.world, who))


def _cue_command(name: str, event: Callable[[Session, str], Event]) -> LiveCommand:
    """A command about one of the people."""
    return LiveCommand(partial(_cue, name=name, event=event), complete_name)


async def drop(show: LiveShow, rest: str) -> None:
    name, place = _split(show, required_argument(show, "drop", rest))
    await show.session.commit([drop_prop(show.session.world, name, place)])
    show.follow()


def _complete_drop(show: LiveShow, rest: str) -> Sequence[str]:
    world = show.session.world
    return [*rooms(world), *sorted(world.props)] if " " in rest else ()


async def ring(show: LiveShow, rest: str) -> None:
    if rest:
        await show.session.commit([ring_incident(show.session, rest)])
        show.follow()
    elif not show.session.scenario.incidents:
        show.tell("play.incidents-none")
    else:
        show.printer.title(show.say("play.incidents"))
        rows = {one.title or one.id: _incident_line(show, one) for one in show.session.scenario.incidents}
        show.printer.table(rows)


def _complete_ring(show: LiveShow, _: str) -> Sequence[str]:
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


# --- pace and branches -----------------------------------------------------------------------------------------------


async def pause(show: LiveShow, _: str) -> None:
    show.pace.pause()
    show.tell("play.now-paused")


async def run_on(show: LiveShow, _: str) -> None:
    await resume(show.session)
    show.pace.run()
    show.tell("play.now-running")


async def step(show: LiveShow, rest: str) -> None:
    steps = number_argument(show, "step", rest, default=1)
    await resume(show.session)
    show.pace.pause()
    show.pace.steps = steps


async def set_speed(show: LiveShow, rest: str) -> None:
    try:
        seconds = float(nfkc(rest))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= SLOWEST:
        raise UsageError("play.bad-number", found=rest, usage=usage(show, "speed"))
    show.pace.seconds = seconds
    show.tell("play.now-speed", speed=f"{seconds:g}")


async def toggle_thoughts(show: LiveShow, _: str) -> None:
    show.printer.thoughts = not show.printer.thoughts
    show.tell("play.thoughts-on" if show.printer.thoughts else "play.thoughts-off")


async def quit_show(show: LiveShow, _: str) -> None:
    show.closing = "user"


async def undo(show: LiveShow, rest: str) -> None:
    count = number_argument(show, "undo", rest, default=1)
    turn = await show.session.undo(count)
    show.pace.pause()
    show.printer.rewind(show.session.rows)
    show.tell("play.undone", count=count, turn=turn)
    show.printer.recap(show.session.rows, turns=1)
    show.tell("play.now-paused")


async def fork(show: LiveShow, rest: str) -> None:
    await show.session.fork(nfkc(required_argument(show, "fork", rest)))
    show.tell("play.forked", branch=show.session.branch)


async def list_branches(show: LiveShow, _: str) -> None:
    for line in tree(show.session.journal, show.session.garden.id, show.terminal, here=show.session.branch):
        show.printer.line(line)


async def save(show: LiveShow, rest: str) -> None:
    path = Path(required_argument(show, "save", rest)).expanduser()
    if form := format_of(path):
        write_atomically(path, render_garden(show.session, form, show.terminal.lang).encode())
        show.tell("play.wrote", path=path)
    else:
        await show.session.backup(path)
        show.tell("play.backed-up", path=path)


async def show_help(show: LiveShow, _: str) -> None:
    show.printer.title(show.say("play.commands"))
    show.printer.line(f"  {show.say('play.help.say')}")
    show.printer.table({usage(show, name): show.say(f"play.help.{name}") for name in COMMANDS})


COMMANDS = {  # in the order of /help
    "as": LiveCommand(speak_as, _complete_as),
    "act": LiveCommand(act, _complete_act),
    "drop": LiveCommand(drop, _complete_drop),
    "ring": LiveCommand(ring, _complete_ring),
    "look": LiveCommand(show_view, complete_name),
    "who": LiveCommand(show_people),
    "map": LiveCommand(show_map),
    "why": LiveCommand(explain_turn),
    "next": _cue_command("next", nominate),
    "mute": _cue_command("mute", mute),
    "unmute": _cue_command("unmute", unmute),
    "pin": _cue_command("pin", pin),
    "unpin": LiveCommand(unpin_camera),
    "thoughts": LiveCommand(toggle_thoughts),
    "pause": LiveCommand(pause),
    "run": LiveCommand(run_on),
    "step": LiveCommand(step),
    "speed": LiveCommand(set_speed),
    "undo": LiveCommand(undo),
    "fork": LiveCommand(fork),
    "branches": LiveCommand(list_branches),
    "save": LiveCommand(save),
    "help": LiveCommand(show_help),
    "quit": LiveCommand(quit_show),
}
