"""Opens the journal, chooses the garden, and plays it until there is a reason to end."""

import asyncio
import importlib
import sys
from contextlib import AbstractAsyncContextManager, aclosing, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hakoniwa.app import (
    director_of,
    journal_of,
    mind_of,
    model_of,
    resumed_session,
    scenario_at,
    sheets_of,
)
from hakoniwa.app.gardens import player_of, record_with
from hakoniwa.app.user_personas import UserPersonas
from hakoniwa.cli.complaint import error_in_words, nearest_name
from hakoniwa.cli.journal import latest_garden
from hakoniwa.cli.live.arguments import people
from hakoniwa.cli.live.commands import COMMANDS, answer_question
from hakoniwa.cli.live.input_queue import InputQueue, InputSignal, listen_to_pipe
from hakoniwa.cli.live.show import FINAL, LiveShow, Overheard, ShowPace, has_ended, offer_more
from hakoniwa.cli.play import PlayOptions, show_title
from hakoniwa.cli.printer import JsonPrinter, PlayPrinter, state_line
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import HakoniwaError, JournalError, JournalMovedOn, UnknownName, UsageError
from hakoniwa.journal import MAIN, Branch, GardenRecord, Journal
from hakoniwa.llm.find import ServerSearch
from hakoniwa.play.loop import next_turn, play, resume
from hakoniwa.play.session import Mind, Session
from hakoniwa.play.user_acts import speak
from hakoniwa.settings import Settings
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.scenario import Scenario

RECAP, A_MOMENT = 3, 0.05
PROMPT, GHOSTS = "hakoniwa.cli.live.prompt", "hakoniwa.app.chats"


@dataclass(frozen=True)
class ChosenGarden:
    """A garden to play, who plays in it, and how it came to be chosen.

    `before` is the garden that was not taken up again.
    """

    session: Session
    how: Literal["new", "resumed", "after-end", "after-change"]
    found: ServerSearch
    before: str | None = None


def choose_garden(journal: Journal, settings: Settings, wanted: PlayOptions, overheard: Overheard) -> ChosenGarden:
    """The garden the command line asks for."""
    found = model_of(settings)
    mind = mind_of(settings, found, overheard.hear)
    if wanted.garden is not None and not wanted.new:
        return ChosenGarden(_resume_named(journal, wanted, wanted.garden, mind), "resumed", found)
    if wanted.new or wanted.seed is not None:
        return ChosenGarden(_start_new(journal, settings, wanted, mind), "new", found)
    scenario, beside = scenario_at(wanted.scenario)
    newest = latest_garden(journal, scenario.id)
    if newest is None or wanted.me is not None:
        return ChosenGarden(_start_new(journal, settings, wanted, mind), "new", found)
    last = journal.garden(newest)
    if _has_changed(last, scenario, beside):
        return ChosenGarden(_start_new(journal, settings, wanted, mind), "after-change", found, last.id)
    session = resumed_session(journal, last.id, wanted.branch or newest_branch(journal.branches(last.id)).name, mind)
    if session.standing.ended is None:
        return ChosenGarden(session, "resumed", found)
    session.close()
    return ChosenGarden(_start_new(journal, settings, wanted, mind), "after-end", found, last.id)


def _resume_named(journal: Journal, wanted: PlayOptions, name: str, mind: Mind) -> Session:
    garden = journal.garden(name)
    if wanted.seed not in (None, garden.seed):
        raise UsageError("play.seed-fixed", garden=name, found=garden.seed)
    if wanted.scenario_named and scenario_at(wanted.scenario)[0].id != garden.scenario["id"]:
        raise UsageError("play.scenario-fixed", garden=name, found=garden.scenario["id"])
    return resumed_session(journal, name, wanted.branch or newest_branch(journal.branches(name)).name, mind)


def _start_new(journal: Journal, settings: Settings, wanted: PlayOptions, mind: Mind) -> Session:
    if wanted.branch not in (None, MAIN):
        raise UnknownName("unknown.branch", name=wanted.branch, known=MAIN)
    scenario, beside = scenario_at(wanted.scenario)
    me = UserPersonas(settings.home).find(wanted.me) if wanted.me else None
    garden = record_with(scenario, sheets_of(scenario, beside), me, settings.seed, wanted.garden)
    journal.create(garden)
    return Session(journal, garden, mind)


def newest_branch(branches: list[Branch]) -> Branch:
    """The branch that was played last; one that was forked off and not played yet comes before its parent."""
    return max(branches, key=lambda one: (one.head or 0, one.parent is not None))


def _has_changed(garden: GardenRecord, scenario: Scenario, beside: Path) -> bool:
    """Whether the files the garden was made from say something else today."""
    today = record_with(scenario, sheets_of(scenario, beside), player_of(garden), garden.seed, garden.id)
    return (garden.scenario, garden.sheets) != (today.scenario, today.sheets)


# --- the loop ---------------------------------------------------------------------------------------------------------


def perform(terminal: Terminal, settings: Settings, wanted: PlayOptions) -> None:
    """Play the garden the command line asks for."""
    with closing(journal_of(settings)) as journal:
        overheard = Overheard()
        choice = choose_garden(journal, settings, wanted, overheard)
        asyncio.run(_play_choice(terminal, settings, wanted, choice, overheard))


async def _play_choice(
    terminal: Terminal, settings: Settings, wanted: PlayOptions, choice: ChosenGarden, overheard: Overheard
) -> None:
    async with aclosing(choice.session) as session:
        if wanted.json:
            await _play_unwatched(terminal, session, wanted.turns)
        else:
            await _play_session(terminal, settings, wanted, choice, overheard)


async def _play_unwatched(terminal: Terminal, session: Session, turns: int | None) -> None:
    """Turn after turn without a pause, one JSON object an event."""
    printer = JsonPrinter(terminal)
    printer.rewind(session.rows)

    def follow() -> None:
        printer.follow(session.rows.after(printer.seen))

    await resume(session)
    await session.open()
    follow()
    async for _ in play(session, session.scenario.turns if turns is None else turns):
        follow()
    follow()  # a turn that was passed over, and an end, are no turns
    if session.standing.ended is None:
        printer.end(session.world.time.turn, "turns")


async def _play_session(
    terminal: Terminal, settings: Settings, wanted: PlayOptions, choice: ChosenGarden, overheard: Overheard
) -> None:
    session = choice.session
    if session.mind.reminisces:
        session.ghosts = importlib.import_module(GHOSTS).ghosts_of(session, settings)
    session.director = director_of(settings, session)
    pace = ShowPace(settings.speed, wanted.turns, most_alone=settings.turns_alone if choice.found.model else 0)
    show = LiveShow(session, terminal, PlayPrinter(terminal, session, wanted.thoughts), pace, overheard)
    interactive = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    _greet(show, choice, wanted, interactive=interactive)
    await _resume_play(show, wanted, interactive=interactive)
    ear = InputQueue()
    async with _input_source(show, ear, interactive=interactive):
        await session.open()
        show.follow()
        await _go_on(show, ear, wanted, interactive=interactive)
    _say_goodbye(show, wanted)


async def _resume_play(show: LiveShow, wanted: PlayOptions, *, interactive: bool) -> None:
    """Go on in a garden that was interrupted; one whose story is over waits until more of it is asked for."""
    if not has_ended(show.session) or wanted.turns is not None:
        await resume(show.session)
    elif interactive:
        _rest(show, wanted)


def _rest(show: LiveShow, wanted: PlayOptions) -> None:
    """The story is over, and its user still there."""
    show.pace.pause()
    offer_more(show, wanted)
    show.tell("play.continue")


def _input_source(show: LiveShow, ear: InputQueue, *, interactive: bool) -> AbstractAsyncContextManager[None]:
    """Where typed lines come from: a prompt, which only a terminal needs, or a pipe, or nowhere."""
    if interactive:
        prompt: AbstractAsyncContextManager[None] = importlib.import_module(PROMPT).prompting(show, ear)
        return prompt
    if sys.stdin is None:
        ear.hear(InputSignal.CLOSED)
    else:
        listen_to_pipe(ear, sys.stdin)
    return nullcontext()


def _greet(show: LiveShow, choice: ChosenGarden, wanted: PlayOptions, *, interactive: bool) -> None:
    """Who is here, who plays them, and whether this is a new garden."""
    session = show.session
    if wanted.garden is not None and not wanted.new:
        show_title(session.scenario.title, session.scenario.description)
    show.tell("play.here", names=show.listed(people(session)))
    _introduce(show, choice.found)
    if choice.before is not None:
        show.tell("play.after-end" if choice.how == "after-end" else "play.after-change", garden=choice.before)
    if choice.how == "resumed":
        show.tell("play.resumed", garden=session.garden.id, branch=session.branch, turn=session.world.time.turn)
    else:
        show.tell("play.new", garden=session.garden.id, seed=session.garden.seed)
    if interactive:
        show.tell("play.hint")
    if choice.how == "resumed":
        show.printer.recap(session.rows, RECAP)
    show.printer.rewind(session.rows)


def _introduce(show: LiveShow, found: ServerSearch) -> None:
    """Who plays everyone; and which servers that somebody has named do not answer."""
    for one in found.servers:
        if one.trouble is not None and one.origin != "usual":
            show.tell("play.no-answer", origin=one.origin, url=one.shown)
    if found.server is None or found.model is None:
        show.tell("play.no-model" if found.servers else "play.builtin")
        return
    room = show.say("play.context", tokens=found.model.context) if found.model.context else ""
    server = found.server.title or show.say("play.openai")
    show.tell("play.model", model=printable(found.model.name), server=server, url=found.server.shown, context=room)


async def _go_on(show: LiveShow, ear: InputQueue, wanted: PlayOptions, *, interactive: bool) -> None:
    """Turns and typed lines, one after the other, until there is a reason to end."""
    while (reason := _end_reason(show, interactive=interactive)) is None:
        heard = await ear.listen(_listen_seconds(show, ear, interactive=interactive))
        if heard is InputSignal.CLOSED:
            _handle_closed_input(show, interactive=interactive)
        elif heard is InputSignal.INTERRUPTED:
            _handle_interrupt(show)
        elif heard is not None:
            show.pace.alone = 0
            await _handle_line(show, str(heard).strip())
        elif show.question is None and (not show.pace.paused or show.pace.steps):
            await _advance(show, ear)
            _after_turn(show, wanted, interactive=interactive)
    show.closing = reason


def _end_reason(show: LiveShow, *, interactive: bool) -> str | None:
    if show.closing:
        return show.closing
    if show.pace.turns is not None and show.pace.turns <= 0:
        return "turns"
    stays = interactive and show.pace.turns is None
    return None if stays else show.session.standing.ended


def _listen_seconds(show: LiveShow, ear: InputQueue, *, interactive: bool) -> float | None:
    """How long to listen before the next turn: a moment at least; the steps of a script come before its next line."""
    wait = None if show.question else show.pace.wait()
    if ear.closed or (show.pace.steps and not interactive):
        return 0.0
    return wait if wait is None else max(wait, A_MOMENT)


def _handle_closed_input(show: LiveShow, *, interactive: bool) -> None:
    """Nobody will type anything any more: leave, or play to the end of the scenario without a pause."""
    show.question = None
    if interactive or (show.pace.paused and not show.pace.steps):
        show.closing = "user"
        return
    show.pace.seconds = show.pace.due = 0.0
    if show.pace.turns is None:
        show.pace.turns = show.session.scenario.turns


def _handle_interrupt(show: LiveShow) -> None:
    """Once to pause, twice to leave."""
    if show.pace.paused:
        show.closing = "user"
    else:
        show.pace.pause()
        show.tell("play.interrupt")


async def _advance(show: LiveShow, ear: InputQueue) -> None:
    """The next turn; an interrupt stops whoever is speaking, unless the turn is written already."""
    before = show.session.head
    turn = asyncio.ensure_future(_turn(show))
    with ear.interrupting(turn.cancel) as interrupts:
        await asyncio.wait([turn])
    show.overheard.silent()
    if interrupts:
        show.follow()
        show.pace.pause()
        show.tell("play.stopped" if show.session.head == before else "play.interrupt")
    if turn.cancelled():
        return
    turn.result()
    if show.pace.forsaken:
        show.pace.pause()
        show.tell("play.alone", count=show.pace.alone)


def _after_turn(show: LiveShow, wanted: PlayOptions, *, interactive: bool) -> None:
    """An end with somebody at the prompt: the garden rests, and they say what is next."""
    if not (show.session.standing.ended and interactive and show.pace.turns is None):
        return
    show.printer.title(show.say(f"play.end.{show.session.standing.ended}"))
    if has_ended(show.session):
        _rest(show, wanted)
    else:
        show.pace.pause()
        show.tell("play.continue")


async def _turn(show: LiveShow) -> None:
    """The next turn that somebody plays; why others miss theirs is shown at once."""
    turn = None
    while turn is None and show.session.standing.ended is None:
        show.overheard.begin(show.session)
        try:
            turn = await next_turn(show.session)
        except JournalMovedOn:  # an errand of somebody who lives here: it comes first, and the turn is played anew
            await show.session.follow()
        show.follow()
    if turn is not None:
        show.pace.turned()


async def _handle_line(show: LiveShow, line: str) -> None:
    """What was typed: a command, or words for everyone who can hear them."""
    try:
        if line.startswith(("/", "／")):
            show.question = None
            await _command(show, line[1:])
        elif line and show.question:
            await answer_question(show, show.question, line)
        elif line:
            await _speak(show, line)
    except JournalError as error:
        if error.key not in ("journal.exists", "journal.branch-exists", "journal.cannot-open"):
            raise
        show.printer.alarm(error_in_words(error, show.terminal.lang))
    except HakoniwaError as error:
        show.printer.alarm(error_in_words(error, show.terminal.lang))
    except OSError as error:
        show.printer.alarm(show.say("error.files.cannot-use", path=error.filename or "", problem=error.strerror or ""))


async def _command(show: LiveShow, line: str) -> None:
    """A command, also as an IME writes it: with wide letters and a wide space."""
    typed, *rest = line.split(maxsplit=1) or [""]
    name = nfkc(typed)
    if name not in COMMANDS:
        raise UnknownName("unknown.command", name=name, nearest=nearest_name(name, sorted(COMMANDS)))
    await COMMANDS[name].run(show, "".join(rest).strip())


async def _speak(show: LiveShow, text: str) -> None:
    (said,) = await speak(show.session, text)
    show.follow()
    if urges := said.event.payload.get("urges"):
        show.tell("play.heard", acts=show.listed(str(one["name"]) for one in urges))


def _say_goodbye(show: LiveShow, wanted: PlayOptions) -> None:
    """Why it ends, how things stand, and how to come back."""
    reason = show.closing or "user"
    session = show.session
    show.printer.line()
    show.printer.title(show.say(f"play.end.{reason}", count=show.pace.played))
    show.printer.aside(state_line(session.world))
    if reason in FINAL:
        offer_more(show, wanted)
    branch = [] if session.branch == MAIN else ["--branch", session.branch]
    show.tell("play.saved", command=show.terminal.command("play", "--garden", session.garden.id, *branch))
