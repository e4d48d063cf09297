"""Gardens and chats as their user keeps them: what they are called, put away, found by what was said, and deleted."""

from collections.abc import Iterator
from typing import Literal

from hakoniwa.app.chats import PRIVATE, chats
from hakoniwa.app.gardens import played_gardens
from hakoniwa.app.labels import label_of
from hakoniwa.chat.lineage import CHAT
from hakoniwa.errors import UnknownName
from hakoniwa.journal import GardenSummary, Journal, Row
from hakoniwa.journal.takes import take_of
from hakoniwa.memory.store import Memories
from hakoniwa.turn import Value

LONGEST_EXCERPT = 160
LOOKED_AT = 500  # rows that are looked at for one search


class RecordContents(Value):
    """What goes along when a garden or a chat is deleted: its rows on all branches, and the chats with its people."""

    id: str
    kind: Literal["garden", "chat"]
    rows: int
    branches: int
    memories: int
    chats: tuple[str, ...] = ()


class FoundLine(Value):
    """Where something was said: in which garden or chat, on which branch, and the words around it."""

    id: str
    kind: Literal["garden", "chat"]
    title: str
    branch: str
    turn: int
    seq: int
    excerpt: str


def record_contents(journal: Journal, id: str) -> RecordContents:
    """What would be gone with a garden or a chat."""
    summary = _summary_of(journal, id)
    kind: Literal["garden", "chat"] = "garden" if summary.scenario else "chat"
    along = tuple(one.id for one in chats(journal) if one.settings.get(PRIVATE, {}).get("garden") == id)
    branches = [one for one in summary.branches if take_of(one.name) is None]
    rows = {seq for one in summary.branches for seq in journal.line(id, one.name)}
    return RecordContents(
        id=id, kind=kind, rows=len(rows), branches=len(branches), memories=Memories(journal).held_of(id), chats=along
    )


def _summary_of(journal: Journal, id: str) -> GardenSummary:
    known = {one.id: one for one in journal.plates()}
    if id not in known:
        raise UnknownName("unknown.garden", name=id, known=", ".join(known))
    return known[id]


def delete_record(journal: Journal, id: str) -> RecordContents:
    """Remove a garden or a chat for good, with the chats that are part of it; what went."""
    gone = record_contents(journal, id)
    memories = Memories(journal)
    for one in (*gone.chats, id):
        memories.delete_garden(one)
    return gone


# --- finding ----------------------------------------------------------------------------------------------------------


def find_lines(journal: Journal, text: str, limit: int) -> list[FoundLine]:
    """Where these words were said, in any garden or chat, the newest first; what was taken back is not found."""
    known = {one.id: one for one in (*played_gardens(journal), *chats(journal))}
    places: dict[str, dict[int, str]] = {}
    found: list[FoundLine] = []
    for row in journal.search(text, LOOKED_AT):
        said = next((one for one in _said_in(row) if text.casefold() in one.casefold()), None)
        if said is None or row.garden not in known or len(found) >= limit:
            continue
        if row.garden not in places:
            places[row.garden] = _branches_of_rows(journal, known[row.garden])
        if branch := places[row.garden].get(row.seq):
            found.append(_found_line(row, known[row.garden], branch, _excerpt(said, text)))
    return found


def _said_in(row: Row) -> Iterator[str]:
    """What was said or told in a row, as its readers see it."""
    payload = row.event.payload
    take = payload.get("take", {})
    told = (payload.get("user_text"), payload.get("assistant_text"), payload.get("text"),
            take.get("performance", {}).get("text") if isinstance(take, dict) else None)  # fmt: skip
    yield from (one for one in told if isinstance(one, str))


def _branches_of_rows(journal: Journal, summary: GardenSummary) -> dict[int, str]:
    """The rows that stand, by the branch they are first met on."""
    found: dict[int, str] = {}
    for branch in sorted(summary.branches, key=lambda one: one.parent is not None):
        if take_of(branch.name) is None:
            for seq in journal.line(summary.id, branch.name):
                found.setdefault(seq, branch.name)
    return found


def _found_line(row: Row, summary: GardenSummary, branch: str, excerpt: str) -> FoundLine:
    is_chat = summary.settings.get("kind") == CHAT
    title = label_of(summary.settings).title or summary.title or summary.id
    return FoundLine(
        id=summary.id, kind="chat" if is_chat else "garden", title=title, branch=branch, turn=row.event.turn,
        seq=row.seq, excerpt=excerpt,
    )  # fmt: skip


def _excerpt(said: str, text: str) -> str:
    """The words around what was found, on one line."""
    at = said.casefold().find(text.casefold())
    start = max(0, at - LONGEST_EXCERPT // 3)
    line = " ".join(said[start : start + LONGEST_EXCERPT].split())
    return ("…" if start else "") + line + ("…" if len(said) > start + LONGEST_EXCERPT else "")
