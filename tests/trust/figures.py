"""The figures of docs/how-it-is-tested.md, from what was done."""

import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.trust.ledger import Sum
from tests.trust.promise import ROOT, Promise

PAGE = ROOT / "docs" / "how-it-is-tested.md"
BEGIN, END = "<!-- figures: written by make trust -->", "<!-- end of figures -->"
HEAD = ("| Promise | Tries | of | Broken | Seeds | Code | Processor |", "|---|---:|---:|---:|---|---|---:|")


def table(known: Mapping[str, Promise], found: Mapping[str, Sum]) -> Iterator[str]:
    """A line for every promise that was tried; the long form asks for so many tries of each seed."""
    yield from HEAD
    for name, promise in known.items():
        if one := found.get(name):
            seeds = ", ".join(map(str, sorted(one.seeds)))
            wanted = f"{promise.long * len(one.seeds):,}" if promise.long else "all"
            cells = (name, f"{one.tries:,}", wanted, len(one.breaches), seeds, one.commit, f"{one.cpu / 60:.1f} min")
            yield f"| {' | '.join(map(str, cells))} |"


def details(known: Mapping[str, Promise], found: Mapping[str, Sum]) -> Iterator[str]:
    """What the tries of every promise were, and how to have them again."""
    for name in known:
        if one := found.get(name):
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(one.kinds.items()))
            yield f"- **{name}**: {kinds}. Again: {again(name, min(one.seeds))}."


def mutants(known: Mapping[str, Promise]) -> Iterator[str]:
    """What was broken on purpose, promise by promise."""
    for name, promise in known.items():
        yield f"- **{name}**: {'; '.join(mutant.name for mutant in promise.mutants)}."


def again(name: str, seed: int) -> str:
    return f'`make trust ARGS="--only {name} --seed {seed}"`'


def write_page(known: Mapping[str, Promise], found: Mapping[str, Sum], page: Path = PAGE) -> None:
    """Put the figures in their place on the page; the rest of it stays as it is."""
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(head + "\n".join([BEGIN, *_figures(known, found), END]) + tail, encoding="utf-8")


def _figures(known: Mapping[str, Promise], found: Mapping[str, Sum]) -> Iterator[str]:
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    count = sum(len(promise.mutants) for promise in known.values())
    made = f"{datetime.now(UTC):%Y-%m-%d}, {machine}; each promise on the code of its row."
    yield from ("", f'{made} `make trust ARGS="--seed N"` adds another seed to them.', "")
    yield from table(known, found)
    yield from ("", "What was tried, and the command that tries the same again on the same code:", "")
    yield from details(known, found)
    yield from ("", f"What was broken on purpose, {count} times in all, and is seen by `make trust`:", "")
    yield from mutants(known)
    yield ""
