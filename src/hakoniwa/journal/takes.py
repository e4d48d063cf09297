"""Takes: what was played or said anew. The line before is kept as a branch of its own, and can be gone back to."""

import re

from hakoniwa.errors import UnknownName
from hakoniwa.journal import Branch, Journal
from hakoniwa.turn import Value

TAKE = re.compile(r"(?P<of>.+)-take-(?P<turn>\d{1,9})-(?P<number>\d{1,9})")


class TakeOf(Value):
    """Which turn of which branch a branch is an earlier take of."""

    branch: str
    turn: int
    number: int


def take_of(name: str) -> TakeOf | None:
    """What a branch is a take of, by its name; None for one that is none."""
    found = TAKE.fullmatch(name)
    return TakeOf(branch=found["of"], turn=int(found["turn"]), number=int(found["number"])) if found else None


def takes_of(journal: Journal, garden: str, branch: str) -> list[tuple[TakeOf, Branch]]:
    """The takes of a branch, in the order in which they were kept."""
    found = [(of, one) for one in journal.branches(garden) if (of := take_of(one.name)) and of.branch == branch]
    return sorted(found, key=lambda pair: (pair[0].turn, pair[0].number))


def keep_take(journal: Journal, garden: str, branch: str, turn: int, of: str | None = None) -> Branch:
    """Keep the line as it is as a take of a turn; the take it is already, if it is one.

    `of` is what the take is one of, where that is not the branch: words in private are no take of a garden's turn."""
    head = next(one.head for one in journal.branches(garden) if one.name == branch)
    known = next((one for _, one in takes_of(journal, garden, of or branch) if one.head == head), None)
    return known or begin_take(journal, garden, branch, turn, head, of)


def begin_take(
    journal: Journal, garden: str, branch: str, turn: int, at: int | None, of: str | None = None
) -> Branch:
    """One more take of a turn, which goes on from a row."""
    name = of or branch
    number = max((one.number for one, _ in takes_of(journal, garden, name) if one.turn == turn), default=0) + 1
    return journal.fork(garden, branch, f"{name}-take-{turn}-{number}", at)


def go_back(journal: Journal, garden: str, branch: str, take: str, turn: int, of: str | None = None) -> None:
    """Have a branch go on from a take of it; where it stands now is kept as another."""
    found = {one.name: one for _, one in takes_of(journal, garden, of or branch)}
    if take not in found:
        raise UnknownName("unknown.branch", name=take, known=", ".join(found))
    keep_take(journal, garden, branch, turn, of)
    journal.move_head(garden, branch, found[take].head)
