"""A garden runs for days: it weighs no more in the evening than at noon, takes no longer over a turn, and leaves no
file open."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

from tests.trust import daylong
from tests.trust.daylong import DAY, Sample, often
from tests.trust.promise import ROOT, Mutant, Patch, Promise, Tries, Try

# Bytes in use are counted and not what a process has of the machine, which follows late and in large steps.
EXACT = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
GROWTH = 1024  # bytes a turn, or a megabyte in a thousand
# Bytes for what has a limit and is not full at noon: the newest rows and turns, whose minds still fill with what was
# said, and what of a transcript still fits into a prompt. After 250 turns there is more of that to come.
FILLING, UNEVEN = 256 * 1024, 450_000
SLOWER, MORE_FILES = 1.2, 4
PARTS = 5  # a half has as many parts, and each has its p95


def check(count: int, seed: int) -> Tries:
    """Play one garden for so many turns, at most a day; the first half is there to get warm."""
    samples = _lived(min(count, DAY), seed)
    half = len(samples) // 2
    wrong = list(_wrong(samples[:half], samples[half:], whole=count >= DAY))
    for number in range(samples[-1].turn):
        yield Try("with a model" if seed % 2 else "built in", wrong if not number else ())


def _lived(turns: int, seed: int) -> list[Sample]:
    words = [sys.executable, "-m", "tests.trust.daylong", str(turns), str(seed)]
    ended = subprocess.run(words, cwd=ROOT, env={**os.environ, **EXACT}, stdout=subprocess.PIPE, text=True, check=True)
    return [Sample(*one) for one in json.loads(ended.stdout)]


def _wrong(early: Sequence[Sample], late: Sequence[Sample], whole: bool) -> Iterator[str]:
    some = often(len(early) + len(late))
    (began, light), (ended, heavy) = _weighed(late[:some]), _weighed(late[-some:])
    turns, grown = ended - began, heavy - light
    if grown > GROWTH * turns + (FILLING if whole else UNEVEN):
        yield f"{grown / turns / 1024:.2f} KB more in use with every turn"
    if late[-1].files > early[-1].files + MORE_FILES:
        yield f"{early[-1].files} files were open, and {late[-1].files} are"
    undisturbed = late[: len(late) - some]  # caches are emptied before it is weighed, and fill anew
    before, now = _p95(early[len(early) // 2 :]), _p95(undisturbed[-len(early) // 2 :])
    if now > SLOWER * before:
        yield f"turns take {now / before:.2f} times as long"


def _weighed(samples: Sequence[Sample]) -> tuple[float, float]:
    """Around which turn these were, and how many bytes were in use then."""
    return statistics.fmean(one.turn for one in samples), statistics.fmean(one.used for one in samples)


def _p95(samples: Sequence[Sample]) -> float:
    """The usual p95 of some parts, so that one bad moment of the machine does not count."""
    size = max(1, len(samples) // PARTS)
    parts = [samples[start : start + size] for start in range(0, len(samples), size)]
    return statistics.median(_quantile([took for one in part for took in one.took]) for part in parts)


def _quantile(took: Sequence[float]) -> float:
    return sorted(took)[int(0.95 * len(took))]


def _elsewhere(name: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setenv(daylong.MUTANT, name)


PROMISE = Promise(
    name="days",
    says="A garden runs for days: memory, turns and open files stay as they were.",
    check=check,
    short=500,
    long=10 * DAY,
    share=DAY,
    mutants=tuple(
        Mutant(name, _elsewhere(name), turns, seed=2)
        for name, turns in zip(daylong.MUTANTS, (140, 100, 40), strict=True)
    ),
)
