"""What Hakoniwa promises, each as one thing that can be tried any number of times.

A module of this folder that has a `PROMISE` is found by itself. `make test` tries a promise in its short form and
then with every mutant in, which must show; `make trust` tries it in shares until its long form is full."""

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
SEED = 20261116  # of the short form


class Try(NamedTuple):
    """One try: of what kind it was, and every breach of the promise in a line."""

    kind: str
    breaches: Sequence[str] = ()


Tries = Iterator[Try]
Check = Callable[[int, int], Tries]  # how many tries, from which seed


@dataclass
class Tally:
    """What came of some tries: how many there were, of what kinds, and what was broken."""

    done: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    breaches: list[str] = field(default_factory=list)


def said(tries: Iterable[Try], words: str) -> Iterator[str]:
    """The breaches that have some words in them."""
    return (breach for one in tries for breach in one.breaches if words in breach)


def tallied(tries: Iterable[Try]) -> Tally:
    tally = Tally()
    for one in tries:
        tally.done += 1
        tally.kinds[one.kind] += 1
        tally.breaches += one.breaches
    return tally


class Patch(Protocol):
    """pytest's monkeypatch, as far as a mutant needs it."""

    def setattr(self, target: Any, name: str, value: Any) -> None: ...
    def setenv(self, name: str, value: str) -> None: ...


@dataclass(frozen=True)
class Mutant:
    """A deliberate breach: what it breaks, how it gets in, and after how many tries at most, from which seed, it must
    have shown, by which words. Without it, the same tries must not say them."""

    name: str
    put_in: Callable[[Patch], None]
    within: int
    seed: int = 1
    shows: str = ""


@dataclass(frozen=True)
class Promise:
    """A promise: `short` and `long` are how many tries make test and make trust are worth; 0 means that there is a
    list of all cases. `share` is how many tries are one piece of the long form's work. `prepare` finds out what has to
    be known of the code as it is, before a mutant is put in."""

    name: str
    says: str
    check: Check
    short: int
    long: int
    share: int
    mutants: tuple[Mutant, ...]
    prepare: Callable[[], object] = tuple


def promises() -> dict[str, Promise]:
    """Every promise of this folder by name."""
    modules = sorted(path.stem for path in FOLDER.glob("*.py") if "PROMISE = " in path.read_text(encoding="utf-8"))
    found = [importlib.import_module(f"tests.trust.{name}").PROMISE for name in modules if name != Path(__file__).stem]
    return {one.name: one for one in found}
