"""`hakoniwa logs`: what is written down beside the play, turn by turn."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Annotated, Any

import typer

from hakoniwa.app import journal_of
from hakoniwa.chat.autonomy_rows import ActivityRow
from hakoniwa.cli.autonomy import open_autonomy
from hakoniwa.cli.autonomy_view import reason_text
from hakoniwa.cli.printer import as_json
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director.next_speaker import operation_of
from hakoniwa.director.sanitize import metrics
from hakoniwa.gm.stall import NOTICE
from hakoniwa.journal import MAIN, Journal
from hakoniwa.play.standing import turn_of
from hakoniwa.turn import Turn

app = typer.Typer(add_completion=False)


GardenOption = Annotated[str | None, typer.Option("--garden", metavar="ID", help="cli.logs.garden")]
ChatOption = Annotated[str | None, typer.Option("--chat", metavar="ID", help="cli.autonomy.chat")]
BranchOption = Annotated[str, typer.Option("--branch", metavar="NAME", help="cli.branch-of")]
JsonOption = Annotated[bool, typer.Option("--json", help="cli.json")]
JournalOption = Annotated[str | None, typer.Option("--journal", metavar="URL", help="cli.journal")]
LogEntry = dict[str, Any]


@app.callback()
def logs() -> None:
    """What is written down beside the play."""


@app.command()
def sanitizer(
    context: typer.Context,
    garden: GardenOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """The log of the sanitizer and its four figures."""
    terminal: Terminal = context.obj
    turns = turns_of(terminal, garden, branch, journal)
    found = entries(turns or (), lambda turn: {"sanitizer": turn.take.sanitized.model_dump(mode="json")})
    if as_data:
        terminal.print(as_json({"entries": found, "metrics": metrics(found)}))
    else:
        _print(terminal, turns, _report(terminal, found))


@app.command()
def operation(
    context: typer.Context,
    garden: GardenOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """The log of who speaks next, and why."""
    terminal: Terminal = context.obj
    turns = turns_of(terminal, garden, branch, journal)
    found = entries(turns or (), lambda turn: operation_of(turn).model_dump())
    if as_data:
        terminal.print(as_json({"entries": found}))
    else:
        _print(terminal, turns, (_decision(terminal, one) for one in found))


@app.command()
def stall(
    context: typer.Context,
    garden: GardenOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """The stall score of every turn that has one worth noting."""
    terminal: Terminal = context.obj
    turns = turns_of(terminal, garden, branch, journal)
    scored = entries(turns or (), lambda turn: {"stall_score": turn.take.ruling.stall_score})
    found = [one for one in scored if one["stall_score"] >= NOTICE]
    if as_data:
        terminal.print(as_json({"entries": found}))
    else:
        lines = [terminal.say("logs.stall", **message_values(one)) for one in found]
        _print(terminal, turns, lines or [terminal.say("logs.no-stall", score=NOTICE)])


@app.command()
def autonomy(
    context: typer.Context,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What a persona that lives by itself did not decide, do or say, and why."""
    terminal: Terminal = context.obj
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        newest_first = [one for _, one in life.doings.follow().of(ActivityRow) if one.warning]
    seen = newest_first[::-1]
    if as_data:
        terminal.print(as_json({"entries": [one.model_dump(mode="json", exclude_none=True) for one in seen]}))
        return
    for one in seen:
        told = reason_text(terminal, str(one.warning))
        terminal.print(terminal.say("logs.warning", at=f"{one.at:%Y-%m-%d %H:%M}", who=life.name, reason=told))
    if not seen:
        terminal.print(terminal.say("logs.no-warning"))


def turns_of(terminal: Terminal, garden: str | None, branch: str, journal: str | None) -> list[Turn] | None:
    """The turns of a garden, or of the one played last; None where there is no garden yet."""
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        name = source.garden(garden).id if garden else latest_garden(source)
        rows = source.lineage(name, branch) if name else []
    return [turn_of(row.event) for row in rows if row.event.kind == "turn"] if name else None


def entries(turns: Iterable[Turn], about: Callable[[Turn], LogEntry]) -> list[LogEntry]:
    """The log entry of every turn."""
    return [{"turn": turn.number, "speaker": turn.speaker, **about(turn)} for turn in turns]


def _print(terminal: Terminal, turns: list[Turn] | None, lines: Iterable[str]) -> None:
    for line in [terminal.say("gardens.none")] if turns is None else lines:
        terminal.print(line)


def latest_garden(journal: Journal) -> str | None:
    """The garden that was played last."""
    last = max((one for one in journal.plates() if one.scenario), key=lambda one: one.newest, default=None)
    return last.id if last else None


def message_values(entry: LogEntry) -> LogEntry:
    """The values of an entry as its message names them."""
    return {**entry, "who": entry["speaker"]}


def _decision(terminal: Terminal, entry: LogEntry) -> str:
    by = terminal.say(f"play.by.{entry['reason']}")
    following = entry["matched_id"] or terminal.say("play.why.nobody")
    key = "logs.nominated" if entry["extracted_raw"] else "logs.next"
    return printable(terminal.say(key, **message_values({**entry, "following": following, "by": by})))


def _report(terminal: Terminal, found: Sequence[LogEntry]) -> list[str]:
    """The turns in which something was blocked, and the figures."""
    figures = metrics(found)
    lines = [_entry(terminal, one) for one in found if one["sanitizer"]["triggered"]]
    props = ", ".join(f"{prop} {count}" for prop, count in figures["blocked_props_topN"])
    return [
        *lines,
        terminal.say("logs.rate", rate=f"{figures['action_sanitized_rate']:.1%}"),
        terminal.say("logs.props", props=props or terminal.say("cli.none")),
        terminal.say("logs.removed", count=figures["action_removed_count"]),
        terminal.say("logs.replaced", count=figures["action_replaced_count"]),
    ]


def _entry(terminal: Terminal, entry: LogEntry) -> str:
    what = entry["sanitizer"]
    shown = what["replacement"] or terminal.say("logs.nothing")
    line = terminal.say(
        "logs.entry",
        turn=entry["turn"], who=entry["speaker"], action=what["original_action"], shown=shown,
        props=", ".join(what["blocked_props"]),
    )  # fmt: skip
    return printable(line)
