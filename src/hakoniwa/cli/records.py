"""`hakoniwa label`, `find` and `delete`: gardens and chats as their user keeps them."""

import sys
from contextlib import closing
from typing import Annotated

import typer

from hakoniwa.app import journal_of
from hakoniwa.app.labels import RecordLabel, label_of, relabel
from hakoniwa.app.records import FoundLine, RecordContents, delete_record, find_lines, record_contents
from hakoniwa.cli.jsonl import validate_request
from hakoniwa.cli.options import JournalOption, JsonOption, command
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal

app = typer.Typer()
RecordArgument = Annotated[str, typer.Argument(metavar="ID", help="cli.label.id")]


@command(app)
def label(
    terminal: Terminal,
    id: RecordArgument,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="cli.label.title")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="cli.label.tag")] = None,
    archive: Annotated[bool | None, typer.Option("--archive/--unarchive", help="cli.label.archive")] = None,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Call a garden or a chat something, tag it, or put it away."""
    with closing(journal_of(terminal.settings(journal=journal))) as book:
        before = label_of(book.garden(id).settings)
        told = {"title": title, "tags": None if tags is None else [one for one in tags if one], "archived": archive}
        changes = {name: one for name, one in told.items() if one is not None}
        kept = relabel(book, id, validate_request(RecordLabel, {**before.model_dump(), **changes}))
    terminal.show(kept, [_label_line(terminal, id, kept)], as_data=as_data)


def _label_line(terminal: Terminal, id: str, kept: RecordLabel) -> str:
    tags = " ".join(f"#{printable(one)}" for one in kept.tags)
    away = terminal.say("label.archived") if kept.archived else ""
    return "  ".join(filter(None, (id, printable(kept.title), tags, away)))


@command(app)
def find(
    terminal: Terminal,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="cli.find.words")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="cli.memory.limit")] = 12,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Where something was said, in any garden or chat."""
    with closing(journal_of(terminal.settings(journal=journal))) as book:
        found = find_lines(book, words, limit)
    lines = [_found_line(terminal, one) for one in found] or [terminal.say("find.none")]
    terminal.show(found, lines, as_data=as_data)


def _found_line(terminal: Terminal, one: FoundLine) -> str:
    return terminal.say(
        "find.line", title=printable(one.title), id=one.id, turn=one.turn, excerpt=printable(one.excerpt)
    )


@command(app)
def delete(
    terminal: Terminal,
    id: RecordArgument,
    yes: Annotated[bool, typer.Option("--yes", help="cli.delete.yes")] = False,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Delete a garden or a chat for good, having said what goes along."""
    with closing(journal_of(terminal.settings(journal=journal))) as book:
        contents = record_contents(book, id)
        if not yes and not _confirm_deletion(terminal, contents):
            terminal.print(terminal.say("memory.kept"))
            return
        gone = delete_record(book, id)
    terminal.show(gone, [terminal.say("delete.done", id=id)], as_data=as_data)


def _confirm_deletion(terminal: Terminal, gone: RecordContents) -> bool:
    """Say what goes along, and ask."""
    told = gone.model_dump(include={"id", "rows", "branches", "memories"})
    terminal.complain(terminal.say("delete.goes", **told))
    if gone.chats:
        terminal.complain(terminal.say("delete.chats", chats=", ".join(gone.chats)))
    terminal.complain(terminal.say("delete.sure"))
    return sys.stdin.readline().strip().casefold() in ("y", "yes", "はい")
