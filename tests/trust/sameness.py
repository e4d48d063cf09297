"""The same seed and the same replies make the same garden: under any hash seed, in SQLite and in PostgreSQL, whenever
and beside whatever else it is played."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence

from tests.trust import replays
from tests.trust.postgres import new_database
from tests.trust.promise import ROOT, Mutant, Patch, Promise, Tries, Try
from tests.trust.replays import Spec

FAR_AWAY = "HAK-9:30"  # where clocks are nine and a half hours ahead


def check(count: int, seed: int) -> Tries:
    """Play gardens twice: in SQLite, and in PostgreSQL under another hash seed, elsewhere and later."""
    wanted = replays.specs(count, seed)
    other_seed = random.Random(seed).randrange(1, 2**32)
    runs = [_begun(wanted, 0), _begun(wanted, other_seed, new_database())]
    for spec, one, other in zip(wanted, *map(_ended, runs), strict=True):
        breach = f"{spec}: another garden under hash seed {other_seed} in PostgreSQL than under 0 in SQLite"
        yield Try("a model" if spec.model else "built in", [breach] if one != other else [])


def _begun(wanted: Sequence[Spec], hash_seed: int, *url: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.trust.replays", *url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "TZ": FAR_AWAY if url else "UTC"},
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(wanted))
    process.stdin.close()
    return process


def _ended(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    said = process.stdout.read()
    assert process.wait() == 0
    found: list[str] = json.loads(said)
    return found


def _elsewhere(name: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setenv(replays.MUTANT, name)


PROMISE = Promise(
    name="sameness",
    says="The same seed and the same replies make the same garden, under any hash seed, in SQLite and in PostgreSQL.",
    check=check,
    short=6,
    long=300,
    share=60,
    mutants=tuple(Mutant(name, _elsewhere(name), 2) for name in replays.MUTANTS),
)
