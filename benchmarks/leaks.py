"""The leak meter on planted lines: how many of 500 leaks it finds, and how often it cries wolf on 500 other lines.

The lines were written before the meter (benchmarks/cases/leaks/README.md)."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from hakoniwa.gm.leak_request import LeakRequest, PastReply, leaks_of
from hakoniwa.stage.scenario import Scenario, find
from hakoniwa.stage.scenario import load as load_scenario

CASES = Path(__file__).parent / "cases" / "leaks"
FULL, SMALLEST = 1_000, 6


@cache
def load(path: Path) -> Scenario:
    return load_scenario(path)


def cases(most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case with the name of its scenario."""
    for path in sorted(CASES.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from ((path.stem, json.loads(line)) for line in islice(lines, most))


def request(scenario: str, case: dict[str, Any]) -> LeakRequest:
    """A case as it would be asked over HTTP."""
    known = load(find(scenario))
    knows = {who: role.knows for who, role in known.cast.items()}
    for who, more in case.get("knows", {}).items():
        own = knows[who]
        knows[who] = more if isinstance(more, str) or isinstance(own, str) else (*own, *more)
    history = [PastReply(speaker=who, raw_output=tag) for who, tag in case.get("played", ())]
    return LeakRequest(
        line=case["line"], speaker=case["speaker"], world_state=known.world, knows=knows, history=tuple(history)
    )


def main(most: int) -> None:
    counts, found = Counter[str](), Counter[str]()
    for scenario, case in cases(most):
        alarm = bool(leaks_of(request(scenario, case)).leaks)
        kinds = ["leak" if case["leak"] else "clean"]
        kinds += [f"{kinds[0]}, {case['how']}", *([f"clean, {case['why']}"] if not case["leak"] else [])]
        counts.update(kinds)
        found.update(kinds if alarm else [])
    for kind in sorted(counts):
        share = 100 * found[kind] / counts[kind]
        print(f"  {kind:<22} {found[kind]:>4} alarms on {counts[kind]:>4} lines: {share:.1f} %")


if __name__ == "__main__":
    main(FULL)
