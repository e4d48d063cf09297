"""What users bring along from SillyTavern and take back there; a file is told by what is in it."""

import json
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2s
from typing import Any, Literal, NamedTuple

from hakoniwa.actor.cards.book import ImportNote, card_text, entries_in, lore_in, world_entry
from hakoniwa.actor.cards.macros import STRANGERS, MacroRoles
from hakoniwa.actor.cards.read import json_in
from hakoniwa.actor.cards.sheet import roles_of
from hakoniwa.actor.character import Character
from hakoniwa.actor.lore import MAX_ENTRIES
from hakoniwa.app.chats import chat_garden, language_of, line_of
from hakoniwa.app.garden_file import is_garden_file
from hakoniwa.app.user_files import UserFiles, sheet_at
from hakoniwa.app.user_personas import personas_in
from hakoniwa.chat.lineage import CHAT
from hakoniwa.chat.rewriting import add_takes, kept_takes
from hakoniwa.chat.tavern import is_chat, payloads_of, read_chat, takes_in, tavern_lines
from hakoniwa.errors import CardError, ChatFileError, UsageError
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.follow import branch_head, rows_back
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.work import work_by_rule
from hakoniwa.persona.persona import USER
from hakoniwa.turn import Event

ImportKind = Literal["card", "chat", "lore", "personas", "garden"]
AT_ONCE = 100  # exchanges that are worked into memory before the user is told how far it is


def kind_of(raw: bytes) -> ImportKind:
    """What a file holds; what is nothing else is complained of as a card."""
    if is_garden_file(raw):
        return "garden"
    if is_chat(raw):
        return "chat"
    data = json_in(raw, "-") if raw.lstrip()[:1] == b"{" else None
    if personas_in(data) is not None:
        return "personas"
    return "lore" if _book_in(data) is not None else "card"


# --- chats -----------------------------------------------------------------------------------------------------------


def import_chat(
    journal: Journal, shelf: UserFiles, raw: bytes, file: str, sheet_name: str | None = None,
    call_me: str | None = None,
) -> GardenRecord:  # fmt: skip
    """A chat of SillyTavern as a chat with somebody of a sheet, or nothing of it; memory is made of it afterwards."""
    found = read_chat(raw, file)
    name = sheet_name or _sheet_of(shelf, found.speakers, file)
    sheet, _ = sheet_at(shelf, name)
    names, user = _spoken_names(sheet, found.speakers, file), call_me or found.user
    garden = chat_garden(name, name, sheet, f"{name}-{blake2s(raw, digest_size=4).hexdigest()}", user)
    if any(one.id == garden.id for one in journal.plates()):
        raise UsageError("tavern.known", name=garden.id)
    roles = MacroRoles(sheet.short_name or sheet.display_name, user or STRANGERS[language_of(sheet)])
    payloads = payloads_of(found, names, roles, datetime.now(UTC))
    with journal.database.as_one():
        journal.create(garden)
        _write_exchanges(journal, garden.id, name, payloads, takes_in(payloads[-1], roles))
    return garden


def _sheet_of(shelf: UserFiles, speakers: Sequence[str], file: str) -> str:
    """The sheet of the user's own of whoever speaks most, of those who have one."""
    own = {name: sheet_at(shelf, name)[0] for name, origin in shelf.sheets() if origin == "own"}
    for speaker in speakers:
        for name, sheet in own.items():
            if speaker.casefold() in _names_of(sheet):
                return name
    raise ChatFileError("tavern.whose", file=file, names=", ".join(speakers[:8]))


def _spoken_names(sheet: Character, speakers: Sequence[str], file: str) -> Collection[str]:
    """The names under which somebody speaks in a chat: where there is only one speaker, it is theirs."""
    own = [one for one in speakers if one.casefold() in _names_of(sheet)] or speakers[: len(speakers) == 1]
    if not own:
        raise ChatFileError("tavern.not-in", file=file, name=sheet.display_name, names=", ".join(speakers[:8]) or "-")
    return own


def _names_of(sheet: Character) -> set[str]:
    names = (sheet.display_name, *sheet.display_names, sheet.short_name, *sheet.aliases)
    return {one.casefold() for one in names if one}


def _write_exchanges(
    journal: Journal, garden: str, who: str, payloads: Sequence[dict[str, Any]], takes: Sequence[dict[str, Any]]
) -> None:
    """Write a whole conversation; each exchange replies to the one before, whose numbers follow on each other."""
    events = [
        Event(kind=CHAT, turn=turn, origin="user", witnesses=(who,), payload=payload)
        for turn, payload in enumerate(payloads, start=1)
    ]
    newest = first = journal.append(garden, MAIN, events[:1], None)[-1]
    replies = [
        one.with_field("payload", {**one.payload, "reply_to": first.seq + place})
        for place, one in enumerate(events[1:])
    ]
    if replies:
        newest = journal.append(garden, MAIN, replies, first.seq)[-1]
    add_takes(journal, newest, takes)


class Remembered(NamedTuple):
    """How far memory of a conversation has come: what was worked in just now, and what waits."""

    settled: int
    waiting: int


def remember(ghost: Ghost, now: datetime) -> Remembered:
    """Work the next exchanges into memory, by rule; it can be broken off at any time and goes on where it was."""
    settled = work_by_rule([ghost], now, AT_ONCE)
    return Remembered(settled, ghost.memories.stats(ghost.scope).works.get("queued", 0))


def export_chat(journal: Journal, chat: GardenRecord, branch: str = MAIN) -> Iterator[str]:
    """A chat, or the private words with somebody of a garden, as SillyTavern reads it, line by line."""
    line = line_of(chat, branch)
    rows = [row for row in rows_back(journal, line.garden, branch_head(journal, line.garden, branch)) if line.has(row)]
    (sheet,) = chat.sheets.values()
    user = sheet.get("speech", {}).get("address", {}).get(USER) or "User"
    said = [row for row in reversed(rows) if not row.event.payload.get("forgotten")]
    begun = said[0].event.payload.get("at") or said[0].recorded_at if said else ""
    return tavern_lines(said, kept_takes(journal, line), user, str(sheet["display_name"]), begun)


# --- lorebooks -------------------------------------------------------------------------------------------------------


def import_lore(shelf: UserFiles, raw: bytes, file: str, sheet_name: str) -> tuple[int, list[ImportNote]]:
    """Add the entries of a lorebook to a sheet of the user's own; how many it did not have, and what is to be known."""
    book = _book_in(json_in(raw, file))
    if book is None:
        raise CardError("card.not-a-book", file=file)
    sheet, _ = sheet_at(shelf, sheet_name)
    user = sheet.card.user if sheet.card else ""
    found, notes = lore_in(book, partial(card_text, roles=roles_of(user)))
    new = [one for one in dict.fromkeys(found) if one not in sheet.lore]
    if len(sheet.lore) + len(new) > MAX_ENTRIES:
        raise CardError("card.lore-full", file=file, found=len(sheet.lore) + len(new), limit=MAX_ENTRIES)
    if new:
        shelf.save_sheet(sheet_name, sheet.with_field("lore", (*sheet.lore, *new)))
    return len(new), notes


def _book_in(data: Any) -> dict[str, Any] | None:
    """The lorebook that a file is, as SillyTavern or as version 3 of the cards writes it; None if it is none."""
    if not isinstance(data, dict):
        return None
    held = data.get("data") if data.get("spec") == "lorebook_v3" else data
    return held if isinstance(held, dict) and "entries" in held and entries_in(held) else None


def export_lore(shelf: UserFiles, sheet_name: str) -> bytes:
    """The lore of a sheet as a lorebook file of SillyTavern."""
    sheet, _ = sheet_at(shelf, sheet_name)
    entries = {str(place): world_entry(place, one) for place, one in enumerate(sheet.lore)}
    return json.dumps({"entries": entries}, ensure_ascii=False, indent=2).encode()
