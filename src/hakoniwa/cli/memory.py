"""`hakoniwa memory`: what a persona remembers, why, and how to make it forget."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import zip_longest
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter

from hakoniwa.app import journal_of, ledger_of, model_of
from hakoniwa.app.autonomy import spool_of
from hakoniwa.app.chats import chats, ghost_of, persona_by_name, time_of
from hakoniwa.app.memory_inspection import (
    EventTrace,
    InnerLife,
    RecallComparison,
    compare,
    inner_life,
    load_events,
    search,
    substitute_persona,
    trace,
)
from hakoniwa.app.memory_inspection import forget as purge
from hakoniwa.chat.reply import mood_label
from hakoniwa.cli.options import BaseUrlOption, BranchOption, JournalOption, JsonOption, ModelOption, command
from hakoniwa.cli.screen import cells, printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import MAIN, Journal
from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Recall
from hakoniwa.memory.store import ForgetResult
from hakoniwa.messages import format_time
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.interest import AttentionTarget, InterestState
from hakoniwa.persona.records import Memory, Vad
from hakoniwa.settings import Settings

app = typer.Typer()
CANDIDATES = TypeAdapter(tuple[Candidate, ...])
SHORT = 72
INTERNAL = frozenset({"event_source", "state_kind", "action_type", "capability"})

OfOption = Annotated[str | None, typer.Option("--of", metavar="ID", help="cli.memory.of")]
WhoOption = Annotated[str | None, typer.Option("--who", metavar="NAME", help="cli.memory.who")]


@command(app, "search")
def search_(
    terminal: Terminal,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="cli.memory.words")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="cli.memory.limit")] = 12,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What there is about something."""
    with open_memory(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = asyncio.run(search(ghost, words, time_of(ghost), limit))
    lines = [entry(terminal, one) for one in found] or [terminal.say("chat.memory-none")]
    terminal.show(CANDIDATES.dump_python(tuple(found), mode="json"), lines, as_data=as_data)


@command(app)
def show(
    terminal: Terminal,
    event: Annotated[int | None, typer.Argument(metavar="EVENT", min=1, help="cli.memory.event")] = None,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What a persona holds to be so, or one event and all that hangs on it."""
    with open_memory(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = inner_life(ghost, time_of(ghost)) if event is None else trace(ghost, event)
    lines = life_lines(terminal, found) if isinstance(found, InnerLife) else trace_lines(terminal, found)
    terminal.show(found, lines, as_data=as_data)


@command(app)
def stats(
    terminal: Terminal,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """How much is remembered."""
    with open_memory(terminal.settings(journal=journal), of, who, branch) as ghost:
        found = ghost.memories.stats(ghost.scope).model_dump(mode="json")
    lines = (terminal.say(f"memory.stats.{name}", count=count_text(value)) for name, value in found.items())
    terminal.show(found, lines, as_data=as_data)


@command(app)
def forget(
    terminal: Terminal,
    events: Annotated[list[int], typer.Argument(metavar="EVENT...", min=1, help="cli.memory.events")],
    yes: Annotated[bool, typer.Option("--yes", help="cli.memory.yes")] = False,
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Purge events, for good, and say what was removed."""
    settings = terminal.settings(journal=journal)
    with open_memory(settings, of, who, branch) as ghost:
        if not yes and not _confirm(terminal, load_events(ghost, events)):
            terminal.print(terminal.say("memory.kept"))
            return
        gone = purge(ghost, events, spool_of(settings))
    terminal.show(gone, forgotten_lines(terminal, gone), as_data=as_data)


@command(app, "compare")
def compare_(
    terminal: Terminal,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="cli.memory.text")],
    persona: Annotated[list[str], typer.Option("--persona", metavar="NAME", help="cli.memory.persona")],
    of: OfOption = None,
    who: WhoOption = None,
    branch: BranchOption = MAIN,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """One input, two personas: what each would call to mind, side by side."""
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    if not 1 <= len(persona) <= 2:
        raise UsageError("memory.two-personas")
    found = model_of(settings)
    with closing(journal_of(settings)) as source:
        ghost = _ghost(source, settings, of, who, branch)
        sides = [substitute_persona(ghost, *persona_by_name(source, settings, one)) for one in persona]
        one, other = sides if len(sides) == 2 else (ghost, *sides)
        made = asyncio.run(compare(one, other, text, time_of(one), ledger_of(settings, found)))
        names = (one.persona.name, other.persona.name)
    data = {"overlap": made.overlap, **made.model_dump(mode="json")}
    terminal.show(data, side_by_side(terminal, made, names), as_data=as_data)


# --- which memory ---


@contextmanager
def open_memory(settings: Settings, of: str | None, who: str | None, branch: str) -> Iterator[Ghost]:
    """The memory a command is about; without a name, that of the chat talked in last."""
    with closing(journal_of(settings)) as journal:
        yield _ghost(journal, settings, of, who, branch)


def _ghost(journal: Journal, settings: Settings, of: str | None, who: str | None, branch: str) -> Ghost:
    name = of or next((one.id for one in reversed(chats(journal))), None)
    if name is None:
        raise UnknownName("unknown.no-chat")
    return ghost_of(journal, settings, journal.garden(name), branch, who)


def _confirm(terminal: Terminal, events: Mapping[int, Memory]) -> bool:
    """Whether the user means it, with the events before their eyes; where nobody can be asked, --yes is needed."""
    for seq, one in events.items():
        terminal.complain(event_line(terminal, seq, one.at, shorten(one.text)))
    if not sys.stdin.isatty():
        raise UsageError("memory.needs-yes")
    return input(terminal.say("memory.really", count=len(events))).strip().casefold() in ("y", "yes", "はい")


# --- in words --------------------------------------------------------------------------------------------------------


def entry(terminal: Terminal, one: Candidate) -> str:
    kind = terminal.say(f"memory.type.{one.type}")
    return terminal.say(
        "memory.entry", kind=kind, id=one.key, when=format_time(one.at, terminal.lang), text=shorten(one.text)
    )


def attention_targets(interest: InterestState) -> list[AttentionTarget]:
    """What has somebody's attention, without what only the machinery minds."""
    return [one for one in interest.attention_targets if one.type not in INTERNAL]


def life_lines(terminal: Terminal, life: InnerLife) -> Iterator[str]:
    yield from mood_lines(terminal, life.persona.name, life.felt, attention_targets(life.interest))
    for id, state in life.states.items():
        yield terminal.say(
            "memory.state", id=id, kind=terminal.say(f"memory.kind.{state.kind}"), text=shorten(state.body_text)
        )
    for liking in life.preferences.values():
        yield terminal.say(
            "memory.liking",
            subject=printable(liking.subject),
            polarity=terminal.say(f"memory.polarity.{liking.polarity}"),
            status=terminal.say(f"memory.status.{liking.status}"),
        )


def mood_lines(terminal: Terminal, name: str, vad: Vad, interests: Sequence[AttentionTarget]) -> Iterator[str]:
    """How a persona feels, and what it minds."""
    mood = terminal.say(f"mood.{mood_label(vad)}")
    yield terminal.say("chat.mood", name=name, mood=mood, **signed_axes(vad))
    for one in interests:
        yield terminal.say("chat.interest", type=one.type, value=printable(one.value), weight=f"{one.weight:.2f}")


def signed_axes(vad: Vad) -> dict[str, str]:
    return {axis: f"{value:+.2f}" for axis, value in vad.model_dump().items()}


def event_line(terminal: Terminal, seq: int, at: datetime, text: str) -> str:
    return terminal.say("memory.event", id=seq, when=format_time(at, terminal.lang), text=text)


def forgotten_lines(terminal: Terminal, gone: ForgetResult) -> Iterator[str]:
    """What was removed, and whether anything may be left of it."""
    counts = {name: count for name, count in gone.model_dump(exclude={"traces"}).items() if count}
    removed = [terminal.say(f"memory.gone.{name}", count=count) for name, count in counts.items()]
    yield terminal.say("memory.forgotten", what=terminal.say("memory.list").join(removed))
    if gone.traces:
        yield terminal.say("memory.traces")


def trace_lines(terminal: Terminal, found: EventTrace) -> Iterator[str]:
    memory = found.memory
    yield event_line(terminal, memory.seq, memory.at, printable(unseal(memory.text)))
    if memory.entities:
        yield terminal.say(
            "memory.about", names=terminal.say("memory.list").join(printable(one.name) for one in memory.entities)
        )
    if found.affect:
        words = shorten(found.affect.text) if found.affect.text is not None else ""
        yield terminal.say("memory.felt", **signed_axes(found.affect.vad), text=words)
    for link in found.links:
        other = link.target if link.source == memory.seq else link.source
        yield terminal.say("memory.link", kind=terminal.say(f"memory.linked.{link.kind}"), id=other)
    for one in found.revisions:
        yield terminal.say("memory.revision", id=one.id, kind=one.kind, reason=printable(one.reason))


def side_by_side(terminal: Terminal, made: RecallComparison, names: tuple[str, str]) -> Iterator[str]:
    """The two selections in two columns, and how much they share."""
    columns = [_column(terminal, name, side) for name, side in zip(names, (made.one, made.other), strict=True)]
    for left, right in zip_longest(*columns, fillvalue=""):
        yield f"{left}{' ' * (SHORT - cells(left))} │ {right}".rstrip()
    yield terminal.say("memory.overlap", share=f"{made.overlap:.0%}", by=terminal.say(f"chat.by.{made.one.by}"))


def _column(terminal: Terminal, name: str, side: Recall) -> list[str]:
    dropped = [terminal.say(f"error.{side.dropped}")] if side.dropped else []
    return [_cut_line(line) for line in (name, *dropped, *(entry(terminal, one) for one in side.chosen))]


def _cut_line(line: str) -> str:
    while cells(line) > SHORT:
        line = line[:-1]
    return line


def shorten(text: Generated, limit: int = 120) -> str:
    line = " ".join(printable(unseal(text)).split())
    return line if len(line) <= limit else f"{line[:limit]}…"


def count_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "0"
    return str(value)
