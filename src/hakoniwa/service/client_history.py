"""A client's history held against the journal: where in it the client is, and whether it asks for something again."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from hakoniwa.chat.lineage import CHAT
from hakoniwa.journal import MAIN, Branch, Journal, Row
from hakoniwa.journal.follow import rows_back
from hakoniwa.journal.takes import take_of
from hakoniwa.play.session import Session
from hakoniwa.play.user_acts import speak
from hakoniwa.service.takes import take_back

REACH = 200  # exchanges of a line that a history is held against
MOST_LINES = 20


class ClientPlace(NamedTuple):
    """Where a history stands in a chat: at the end of a branch, or where that had only got to the row `after`;
    `again`: the newest exchange is asked for once more."""

    branch: str
    after: int | None = None
    again: bool = False


def place_in_chat(journal: Journal, garden: str, earlier: Sequence[str], said: str) -> ClientPlace:
    """The place that has most of the history before it, on the newest line that has it; the end of the main line
    for a history that the journal knows nothing of."""
    lines = [one for one in journal.branches(garden) if take_of(one.name) is None]
    newest = sorted(lines, key=lambda one: (one.name == MAIN, one.head or 0))[-MOST_LINES:]
    found = [_best_place(_exchanges(journal, garden, one), one.name, earlier, said) for one in newest]
    return max(found, key=lambda one: one[0])[1] if found else ClientPlace(MAIN)


def _exchanges(journal: Journal, garden: str, branch: Branch) -> list[Row]:
    """What the user said lately on a line, oldest first."""
    line = rows_back(journal, garden, branch.head)
    said = (row for row in line if row.event.kind == CHAT and row.event.payload.get("user_text"))
    return list(islice(said, REACH))[::-1]


def _best_place(
    rows: Sequence[Row], branch: str, earlier: Sequence[str], said: str
) -> tuple[tuple[int, bool, int], ClientPlace]:
    """The best place on one line, with how good it is: how much of the history it has, whether it is at the end."""
    texts = [row.event.payload["user_text"] for row in rows]
    again = bool(texts) and texts[-1] == said

    def shared(upto: int) -> int:
        pairs = zip(reversed(earlier), reversed(texts[:upto]), strict=False)
        return next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(earlier), upto))

    def place(upto: int) -> ClientPlace:
        if again and upto == len(texts) - 1:
            return ClientPlace(branch, again=True)
        return ClientPlace(branch, None if upto == len(texts) or not shared(upto) else rows[upto - 1].seq)

    def rank(upto: int) -> tuple[int, bool, int]:
        at_the_end = upto == len(texts) - again if not earlier else upto >= len(texts) - again
        return shared(upto), at_the_end, upto

    best = max(range(len(texts) + 1), key=rank)
    return rank(best), place(best)


async def enter_garden(session: Session, said: str) -> None:
    """Have a voice heard in a garden; if it was the last to be heard, and one turn came of it, take that turn back."""
    turns = 0
    for row in reversed(session.rows):
        turns += row.event.kind == "turn"
        if row.event.kind == "user":
            if row.event.payload.get("text") != said or turns > 1:
                break
            if turns:
                await take_back(session)
            return
    await speak(session, said)
