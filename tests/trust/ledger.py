"""What of the long form is done: a line a share, so that a run can be broken off and taken up, and runs with other
seeds add to it. A promise's figures are those of the code on which it was tried last."""

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.trust.promise import ROOT, Promise

SHARES = ROOT / "build" / "trust" / "shares.jsonl"
TESTED = ("src", "tests", "pyproject.toml", "requirements.lock")


@dataclass(frozen=True)
class Share:
    """A piece of work: so many tries of a promise, from a seed of its own."""

    commit: str
    promise: str
    seed: int
    number: int
    count: int

    @property
    def own_seed(self) -> int:
        return self.seed * 1_000 + self.number

    @property
    def again(self) -> str:
        """The command that does this very piece once more."""
        return f"python -m tests.trust.share {self.promise} {self.count} {self.own_seed}"


@dataclass(frozen=True)
class Done:
    """A share, and what came of it."""

    share: Share
    done: int
    cpu: float
    kinds: dict[str, int] = field(default_factory=dict)
    breaches: list[str] = field(default_factory=list)


def commit() -> str:
    """What is tested: the last commit that changed it, and a mark of its own for changes that are in none."""
    named = _git("log", "-1", "--format=%h", "--", *TESTED).strip() or "no-commit"
    changed = _git("status", "--porcelain", "--", *TESTED) and _git("diff", "HEAD", "--", *TESTED) + _git(
        "status", "--porcelain", "--", *TESTED
    )
    return f"{named}+{hashlib.sha256(changed.encode()).hexdigest()[:6]}" if changed else named


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout


def shares(all_promises: Iterable[Promise], commit: str, seed: int) -> list[Share]:
    """The whole long form, in rounds: every promise's first share, then every second one."""
    wanted = [share for promise in all_promises for share in _of(promise, commit, seed)]
    return sorted(wanted, key=lambda one: (one.number, one.promise))


def _of(promise: Promise, commit: str, seed: int) -> Iterator[Share]:
    left, number = promise.long, 0
    while left > 0 or not number:
        yield Share(commit, promise.name, seed, number, min(promise.share, max(left, 0)))
        left, number = left - promise.share, number + 1


def read(path: Path = SHARES) -> list[Done]:
    if not path.is_file():
        return []
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Done(**{**line, "share": Share(**line["share"])}) for line in lines]


def keep(done: Done, path: Path = SHARES) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(done), ensure_ascii=False) + "\n")


@dataclass
class Sum:
    """What all shares of a promise come to."""

    tries: int = 0
    cpu: float = 0.0
    commit: str = ""
    seeds: set[int] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    breaches: list[str] = field(default_factory=list)


def summed(found: Iterable[Done]) -> dict[str, Sum]:
    """What all shares of every promise come to that were done on the code of its last one."""
    sums: dict[str, Sum] = {}
    for one in found:
        if (before := sums.get(one.share.promise)) is None or before.commit != one.share.commit:
            sums[one.share.promise] = Sum(commit=one.share.commit)
        total = sums[one.share.promise]
        total.tries += one.done
        total.cpu += one.cpu
        total.seeds.add(one.share.seed)
        total.kinds.update(one.kinds)
        total.breaches += one.breaches
    return sums
