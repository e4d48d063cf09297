"""`hakoniwa logs` and `calls`: what is written down beside the play, and what a model was asked, said and cost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from textwrap import indent
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from hakoniwa.app import journal_of
from hakoniwa.chat.autonomy_rows import ActivityRow
from hakoniwa.cli.autonomy import open_autonomy, reason_text
from hakoniwa.cli.journal import latest_garden
from hakoniwa.cli.options import BranchOption, ChatOption, JournalOption, JsonOption, command
from hakoniwa.cli.screen import cells, printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director.next_speaker import operation_of
from hakoniwa.director.sanitize import metrics
from hakoniwa.errors import JournalBroken
from hakoniwa.gm.stall import NOTICE
from hakoniwa.journal import MAIN, CallRow, GardenRecord
from hakoniwa.llm import Call
from hakoniwa.play.plain_words import policy_told
from hakoniwa.play.standing import turn_of
from hakoniwa.stage.scenario import Speakers
from hakoniwa.turn import Turn

app, logs = typer.Typer(), typer.Typer()
app.add_typer(logs, name="logs")

GardenOption = Annotated[str | None, typer.Option("--garden", metavar="ID", help="cli.logs.garden")]
LogEntry = dict[str, Any]


@command(logs)
def sanitizer(
    terminal: Terminal,
    garden: GardenOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """The log of the sanitizer and its four figures."""
    place, turns = played_garden(terminal, garden, branch, journal)
    found = entries(turns, lambda turn: {"sanitizer": turn.take.sanitized.model_dump(mode="json")})
    lines = _none_or(terminal, place, _sanitizer_lines(terminal, found))
    terminal.show({"entries": found, "metrics": metrics(found)}, lines, as_data=as_data)


@command(logs)
def operation(
    terminal: Terminal,
    garden: GardenOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """The log of who speaks next, and why."""
    place, turns = played_garden(terminal, garden, branch, journal)
    speakers = Speakers.model_validate(place.scenario.get("speakers", {}) if place else {})
    found = entries(turns, lambda turn: operation_of(turn, speakers).model_dump())
    told = [*filter(None, [policy_told(speakers, terminal.lang)]), *(_decision_line(terminal, one) for one in found)]
    lines = _none_or(terminal, place, told)
    terminal.show({"entries": found}, lines, as_data=as_data)


@command(logs)
def stall(
    terminal: Terminal,
    garden: GardenOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """The stall score of every turn that has one worth noting."""
    place, turns = played_garden(terminal, garden, branch, journal)
    scored = entries(turns, lambda turn: {"stall_score": turn.take.ruling.stall_score})
    found = [one for one in scored if one["stall_score"] >= NOTICE]
    told = [terminal.say("logs.stall", **message_values(one)) for one in found]
    lines = _none_or(terminal, place, told or [terminal.say("logs.no-stall", score=NOTICE)])
    terminal.show({"entries": found}, lines, as_data=as_data)


@command(logs)
def autonomy(
    terminal: Terminal,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What a persona that lives by itself did not decide, do or say, and why."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        newest_first = [one for _, one in life.doings.follow().of(ActivityRow) if one.warning]
    seen = newest_first[::-1]
    data = {"entries": [one.model_dump(mode="json", exclude_none=True) for one in seen]}
    lines = [_warning_line(terminal, life.name, one) for one in seen]
    terminal.show(data, lines or [terminal.say("logs.no-warning")], as_data=as_data)


def played_garden(
    terminal: Terminal, garden: str | None, branch: str, journal: str | None
) -> tuple[GardenRecord | None, list[Turn]]:
    """A garden, or the one played last, and its turns; None where there is no garden yet."""
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        name = garden or latest_garden(source)
        found = source.garden(name) if name else None
        rows = source.lineage(found.id, branch) if found else []
    return found, [turn_of(row.event) for row in rows if row.event.kind == "turn"]


def entries(turns: list[Turn], about: Callable[[Turn], LogEntry]) -> list[LogEntry]:
    """The log entry of every turn."""
    return [{"turn": turn.number, "speaker": turn.speaker, **about(turn)} for turn in turns]


def message_values(entry: LogEntry) -> LogEntry:
    """The values of an entry as its message names them."""
    return {**entry, "who": entry["speaker"]}


def _none_or(terminal: Terminal, garden: GardenRecord | None, lines: Iterable[str]) -> Iterable[str]:
    return lines if garden else [terminal.say("gardens.none")]


def _warning_line(terminal: Terminal, who: str, one: ActivityRow) -> str:
    told = reason_text(terminal, str(one.warning))
    return terminal.say("logs.warning", at=f"{one.at:%Y-%m-%d %H:%M}", who=who, reason=told)


def _decision_line(terminal: Terminal, entry: LogEntry) -> str:
    by = terminal.say(f"play.by.{entry['reason']}")
    following = entry["matched_id"] or terminal.say("play.why.nobody")
    key = "logs.nominated" if entry["extracted_raw"] else "logs.next"
    return printable(terminal.say(key, **message_values({**entry, "following": following, "by": by})))


def _sanitizer_lines(terminal: Terminal, found: Sequence[LogEntry]) -> Iterator[str]:
    """The turns in which something was blocked, and the figures."""
    yield from (_blocked_line(terminal, one) for one in found if one["sanitizer"]["triggered"])
    figures = metrics(found)
    props = ", ".join(f"{prop} {count}" for prop, count in figures["blocked_props_topN"])
    yield terminal.say("logs.rate", rate=f"{figures['action_sanitized_rate']:.1%}")
    yield terminal.say("logs.props", props=props or terminal.say("cli.none"))
    yield terminal.say("logs.removed", count=figures["action_removed_count"])
    yield terminal.say("logs.replaced", count=figures["action_replaced_count"])


def _blocked_line(terminal: Terminal, entry: LogEntry) -> str:
    what = entry["sanitizer"]
    shown = what["replacement"] or terminal.say("logs.nothing")
    told = {"action": what["original_action"], "shown": shown, "props": ", ".join(what["blocked_props"])}
    return printable(terminal.say("logs.entry", turn=entry["turn"], who=entry["speaker"], **told))


# --- calls -----------------------------------------------------------------------------------------------------------

COLUMNS = ("turn", "speaker", "purpose", "model", "prompt", "cached", "completion", "first", "total", "tries", "notes")
WORDS = frozenset({"speaker", "purpose", "model", "notes"})
UNKNOWN = "-"
RULE = 72

RecordedCall = tuple[CallRow, Call]


@command(app)
def calls(
    terminal: Terminal,
    garden: Annotated[str | None, typer.Argument(metavar="GARDEN", help="cli.calls.garden")] = None,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", min=0, help="cli.calls.turn")] = None,
    purpose: Annotated[str | None, typer.Option("--purpose", metavar="P", help="cli.calls.purpose")] = None,
    full: Annotated[bool, typer.Option("--full", help="cli.calls.full")] = False,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """A table of calls with totals, or every prompt and reply."""
    with closing(journal_of(terminal.settings(journal=journal))) as source:
        name = garden or latest_garden(source)
        rows = source.calls(name, branch, turn, prompts=full) if name else []
    found = [(row, call) for row in rows if serves(call := parse_call(row), purpose)]
    data = {"calls": [call_data(*one, full) for one in found], "totals": totals(found)}
    lines = call_lines(terminal, found, full) if found else [terminal.say("calls.none" if name else "gardens.none")]
    terminal.show(data, lines, as_data=as_data)


def parse_call(row: CallRow) -> Call:
    try:
        return Call.model_validate(row.call, extra="ignore")
    except ValidationError as error:
        raise JournalBroken("journal.broken", path=row.garden, problem=f"call {row.id} cannot be read") from error


def serves(call: Call, purpose: str | None) -> bool:
    """Whether a call is for this purpose: `actor` covers `actor.think`."""
    return purpose is None or f"{call.purpose}.".startswith(f"{purpose}.")


def call_data(row: CallRow, call: Call, full: bool) -> dict[str, Any]:
    """A call for programs, in the words of the code."""
    said = call.model_dump(mode="json", exclude=None if full else {"messages", "reply"})
    return {**row.model_dump(mode="json", exclude={"call"}), **said}


def totals(found: Sequence[RecordedCall]) -> dict[str, Any]:
    """What the calls came to; tokens that no server counted are not in it."""
    made = [call for _, call in found]
    shared = [call.usage for call in made if call.usage.cached is not None and call.usage.prompt]
    counted = sum(usage.prompt or 0 for usage in shared)
    cached = sum(usage.cached or 0 for usage in shared)
    return {
        "calls": len(made),
        "faults": sum(call.fault is not None for call in made),
        "tries": sum(call.tries for call in made),
        "prompt": sum(call.usage.prompt or 0 for call in made),
        "cached": cached,
        "cached_share": round(cached / counted, 4) if counted else None,
        "completion": sum(call.usage.completion or 0 for call in made),
        "total_ms": round(sum(call.total_ms for call in made), 1),
    }


def table(terminal: Terminal, found: Sequence[RecordedCall]) -> Iterator[str]:
    """One line a call, under a head; words to the left, numbers to the right."""
    rows = [
        {name: terminal.say(f"calls.column.{name}") for name in COLUMNS},
        *(row_of(terminal, *one) for one in found),
    ]
    widths = {name: max(cells(row[name]) for row in rows) for name in COLUMNS}
    for row in rows:
        yield "  ".join(_align(name, row[name], widths[name]) for name in COLUMNS).rstrip()


def _align(name: str, text: str, width: int) -> str:
    gap = " " * (width - cells(text))
    return text + gap if name in WORDS else gap + text


def row_of(terminal: Terminal, row: CallRow, call: Call) -> dict[str, str]:
    """A call in the columns of the table."""
    figures = {
        "turn": row.turn,
        "prompt": call.usage.prompt,
        "cached": call.usage.cached,
        "completion": call.usage.completion,
        "first": None if call.first_ms is None else round(call.first_ms),
        "total": round(call.total_ms),
        "tries": call.tries,
    }
    words = {"speaker": row.speaker, "purpose": call.purpose, "model": call.model, "notes": notes(terminal, row, call)}
    shown = {name: UNKNOWN if value is None else f"{value}" for name, value in figures.items()}
    return {**shown, **{name: printable(word or UNKNOWN).replace("\n", " ") for name, word in words.items()}}


def notes(terminal: Terminal, row: CallRow, call: Call) -> str:
    """What went wrong with a call, and whether its turn was taken back."""
    undone = terminal.say("calls.undone") if row.undone else None
    return ", ".join(note for note in (call.fault, call.warning, undone) if note)


def pages(terminal: Terminal, found: Sequence[RecordedCall]) -> Iterator[str]:
    """Every call with its whole prompt and reply."""
    for row, call in found:
        figures = row_of(terminal, row, call)
        yield _title_rule(terminal.say("calls.page", **figures))
        yield terminal.say("calls.figures", **figures)
        for message in call.messages:
            yield f"[{message.role}]"
            yield _indent_text(message.content)
        yield terminal.say("calls.reply")
        yield _indent_text(call.reply)
        yield ""


def _indent_text(text: str) -> str:
    """Text set apart, so that nothing in it can pass for a line of ours."""
    return indent(printable(text), "  ")


def _title_rule(title: str) -> str:
    return f"── {title} " + "─" * max(RULE - cells(title), 2)


def call_lines(terminal: Terminal, found: Sequence[RecordedCall], full: bool) -> Iterator[str]:
    """The calls one line or one page each, and what they came to."""
    yield from pages(terminal, found) if full else table(terminal, found)
    sums = totals(found)
    share = UNKNOWN if sums["cached_share"] is None else f"{sums['cached_share']:.0%}"
    yield terminal.say("calls.totals", **{**sums, "share": share, "seconds": f"{sums['total_ms'] / 1000:.1f}"})
