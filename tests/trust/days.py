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
from tests.trust.promise import ROOT, SEED, Mutant, Promise, Tries, Try

EXACT = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
GROWTH = 1024  # bytes a turn, or a megabyte in a thousand
# Bytes for what has a limit and is not full after some hundred turns: the newest rows and turns, whose minds still
# fill with what was said, the checkpoints of the last 512 rows, and what of a transcript still fits into a prompt.
# After a day nothing is left to fill, so a growth of some kilobytes a turn shows there only.
FILLING = 8 << 20
# What a process has of the machine follows late and in large steps: an allocator keeps what it had to have once, and
# the tables in which every piece of memory is traced are megabytes themselves.
HELD, HELD_AT_FIRST = 8 << 20, 24 << 20
SLOWER, MORE_FILES = 1.2, 4
PARTS = 5  # a half has as many parts, and each has its p95


def check(count: int, seed: int) -> Tries:
    """Play one garden for so many turns, of which the first half is there to get warm; a day has another before it."""
    whole = count >= DAY
    turns = 2 * DAY if whole else count
    samples = _lived(turns, seed)
    wrong = [*_more(samples, 0 if whole else FILLING), *_larger(samples, HELD if whole else HELD_AT_FIRST)]
    if whole and not wrong and any(_slower(samples)):  # others use this machine too: it has to show twice
        wrong += _slower(_lived(turns, seed))
    for number in range(count):
        yield Try("with a model" if seed % 2 else "built in", wrong if not number else ())


def _lived(turns: int, seed: int) -> list[Sample]:
    words = [sys.executable, "-m", "tests.trust.daylong", str(turns), str(seed)]
    ended = subprocess.run(words, cwd=ROOT, env={**os.environ, **EXACT}, stdout=subprocess.PIPE, text=True, check=True)
    return [Sample(*one) for one in json.loads(ended.stdout)]


def _more(samples: Sequence[Sample], filling: int) -> Iterator[str]:
    """What there is more of in the end than there may be."""
    early, late = _halves(samples)
    turns, grown = _grown(samples, lambda one: one.used)
    if grown > GROWTH * turns + filling:
        yield f"{grown / turns / 1024:.2f} KB more in use with every turn"
    if late[-1].files > early[-1].files + MORE_FILES:
        yield f"{early[-1].files} files were open, and {late[-1].files} are"


def _larger(samples: Sequence[Sample], held: int) -> Iterator[str]:
    """Whether the process has more of the machine than what it uses can explain."""
    turns, grown = _grown(samples, lambda one: one.resident)
    if grown > GROWTH * turns + held:
        yield f"the process has grown by {grown / 1024 / 1024:.1f} MB in {turns:.0f} turns"


def _slower(samples: Sequence[Sample]) -> Iterator[str]:
    """Whether turns take longer in the end."""
    early, late = _halves(samples)
    undisturbed = late[: len(late) - often(len(samples))]  # caches are emptied before it is weighed, and fill anew
    before, now = _p95(early[len(early) // 2 :]), _p95(undisturbed[-len(early) // 2 :])
    if now > SLOWER * before:
        yield f"turns take {now / before:.2f} times as long"


def _halves(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]]:
    return samples[: len(samples) // 2], samples[len(samples) // 2 :]


def _grown(samples: Sequence[Sample], weight: Callable[[Sample], int]) -> tuple[float, float]:
    """In how many turns of the second half something has grown by how much."""
    _, late = _halves(samples)
    some = often(len(samples))
    began, ended = late[:some], late[-some:]
    turns = statistics.fmean(one.turn for one in ended) - statistics.fmean(one.turn for one in began)
    return turns, statistics.fmean(map(weight, ended)) - statistics.fmean(map(weight, began))


def _p95(samples: Sequence[Sample]) -> float:
    """The usual p95 of some parts, so that one bad moment of the machine does not count."""
    size = max(1, len(samples) // PARTS)
    parts = [samples[start : start + size] for start in range(0, len(samples), size)]
    return statistics.median(_quantile([took for one in part for took in one.took]) for part in parts)


def _quantile(took: Sequence[float]) -> float:
    return sorted(took)[int(0.95 * len(took))]


def _elsewhere(name: str, within: int, seed: int, shows: str) -> Mutant:
    return Mutant(name, lambda patch: patch.setenv(daylong.MUTANT, name), within, seed, shows)


MORE, UNSEEN, OPEN, SHOWN = daylong.MUTANTS  # what weighs and what takes long is only to be seen once a garden is warm
SHORT = 200

PROMISE = Promise(
    name="days",
    says="A garden runs for days: memory, turns and open files stay as they were.",
    check=check,
    short=SHORT,
    long=10 * DAY,
    share=DAY,
    mutants=(
        _elsewhere(OPEN, 40, 2, "files were open"),
        _elsewhere(UNSEEN, 100, 2, "the process has grown"),
        _elsewhere(MORE, DAY, SEED, "more in use"),
        _elsewhere(SHOWN, DAY, SEED, "times as long"),
    ),
)
