"""Clauses: the one form in which every language hands what it has read to the interpreter."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hakoniwa.pack import Part

# What a noun names, by the word lists of its language alone: certainly a thing, a part of one, so much of one, a living
# being, a place, the surroundings or the body, nothing one can handle at all; `plain` is a common noun in no list that
# looks like that of a thing, `likely` one that may name a thing and may not, "" is any other.
Sort = Literal[
    "thing", "plain", "likely", "part", "lid", "measure", "person", "animal", "place", "ambient", "abstract", ""
]
Doer = Literal["self", "other", "thing"]
# How plain text puts what its speaker does: it tells of them by name, or names the act as an order does (take the cup),
# or as one that may be meant for another as well (箱を開けて).
Telling = Literal["told", "ordered", "asked", ""]


class Role(NamedTuple):
    """A noun phrase with its part in the clause; `whole` is what it belongs to: the lid of the *box*, *箱*の蓋."""

    text: str
    part: Part
    sort: Sort = ""
    whole: str = ""
    head: str = ""
    whole_sort: Sort = ""
    # It means what is on top of the thing: 箱の上に.
    on_top: bool = False
    # It cannot be there by what is said of it: no cup, 酒のない.
    denied: bool = False
    # No article or the like stands before it: in capital letters, with care.
    bare: bool = False


@dataclass(slots=True)
class Clause:
    """One predicate with its roles: whose act it is, whether it is really done, and what it leaves behind."""

    text: str
    verb: str | None = None
    lemma: str = ""
    # The lemma in its usual spelling, where that differs.
    spelled: str = ""
    # The verb by itself, whatever an idiom makes of it: pull in pulls out.
    plain: str | None = None
    roles: list[Role] = field(default_factory=list)
    # What becomes of the object: open, closed, on, off, away, out, up, down, free.
    results: tuple[str, ...] = ()
    doer: Doer = "self"
    real: bool = True
    # Somebody the world does not know who comes in.
    stranger: str | None = None
    # Words in it that the reader could not place, and that may change what it says.
    unplaced: bool = False
    # Its verb is not in the lexicon, and what it means is taken from the phrases around it.
    guessed: bool = False
    # It lists further things for the verb of the clause before it.
    more: bool = False
    # The thing that does it, where no person does.
    subject: str = ""

    def is_any(self, listed: frozenset[str]) -> bool:
        """Whether its verb is in a list."""
        return self.lemma in listed or self.spelled in listed

    def parts(self, *parts: Part) -> list[Role]:
        return [one for one in self.roles if one.part in parts]
