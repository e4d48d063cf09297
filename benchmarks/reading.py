"""How well prose is read: turns in worlds of their own, with what a careful reader says of them, by language and style.

Misjudged: allowed or denied wrongly, denied for another reason, or with another change. An act that the reader is not
sure of counts as allowed. The sets of the second part were written by people who did not know the reader; their first
runs are on record in docs/adr/0037, and what they showed has been mended since."""

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.referee import cpu
from hakoniwa.gm.sessions import SessionCache
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Ruling

PROSE, CASES = Path(__file__).parent / "prose", Path(__file__).parent / "cases"
FULL, SMALLEST = 1_000, 3  # turns of a world


class Judged(NamedTuple):
    """One turn of the set with the referee's answer."""

    language: str
    case: dict[str, Any]
    ruling: Ruling
    after: dict[str, Any]


def judged(most: int, worlds: Path = PROSE) -> Iterator[Judged]:
    """Every turn of every world in a folder, each by itself."""
    for language, world, case in _turns(most, worlds):
        ruling = rule_on(world, case["speaker"], case["reply"]).ruling
        yield Judged(language, case, ruling, apply(world, ruling.world_delta).model_dump(mode="json"))


def _turns(most: int, worlds: Path = PROSE) -> Iterator[tuple[str, WorldState, dict[str, Any]]]:
    for path in sorted(worlds.rglob("*.json")):
        setting = json.loads(path.read_text(encoding="utf-8"))
        world = WorldState.model_validate(setting["world"], extra="ignore")
        yield from ((setting["language"], world, case) for case in setting["cases"][:most])


def judged_sessions(most: int) -> Iterator[Judged]:
    """The last turn of every session that was written without knowing the reader."""
    for path in sorted(CASES.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for line in islice(lines, most):
                yield _last_turn(json.loads(line))


def _last_turn(case: dict[str, Any]) -> Judged:
    sessions, expect = SessionCache(), case["expect"]
    for step in case["steps"]:
        if "world_state" in step:
            world = WorldState.model_validate(step["world_state"], extra="ignore")
        ruling = sessions.answer(step)
        world = apply(world, ruling.world_delta)
    wanted = {**expect, "style": case["style"], "unchanged": expect.get("no_material_change", False)}
    return Judged(case["lang"], wanted, ruling, world.model_dump(mode="json"))


def fault(one: Judged) -> str | None:
    """What the referee got wrong about a turn."""
    case, ruling = one.case, one.ruling
    if ruling.allowed != case["allowed"]:
        return "false denial" if case["allowed"] else "false allowance"
    if not ruling.allowed:
        return None if ruling.denied_reason in case["reasons"] else "wrong reason"
    moved = any(not change.path.startswith("/events") for change in ruling.world_delta)
    same = all(_holds(one.after, path, value) for path, value in case.get("after", {}).items())
    return None if same and not (case.get("unchanged") and moved) else "wrong change"


def _holds(world: Any, path: str, wanted: Any) -> bool:
    """Whether a value of the world is the wanted one, or a list has what it should and lacks what it should not."""
    for part in path.split("/")[1:]:
        world = world.get(part) if isinstance(world, dict) else None
    if not isinstance(wanted, dict):
        return bool(world == wanted)
    held = world or []
    return ("contains" not in wanted or wanted["contains"] in held) and wanted.get("excludes") not in held


def costs(most: int) -> dict[str, list[float]]:
    """CPU milliseconds of a step on every turn, from the cheapest on, by language."""
    found: dict[str, list[float]] = {}
    for language, world, case in _turns(most):
        cost = cpu(lambda world=world, case=case: rule_on(world, case["speaker"], case["reply"]))
        found.setdefault(language, []).append(cost / 1e3)
    return {language: sorted(values) for language, values in found.items()}


def main(most: int) -> None:
    _count(judged(most))
    for language, values in sorted(costs(most).items()):
        rare = values[len(values) * 19 // 20]
        print(f"  {language}: a step costs {statistics.median(values):.2f} ms CPU, {rare:.2f} or more in one of twenty")
    print("  written without knowing the reader:")
    _count(chain(judged_sessions(most), judged(most, CASES)))


def _count(rulings: Iterable[Judged]) -> None:
    faults, turns, doubtful = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[str]()
    for one in rulings:
        kinds = [(one.language, "all"), (one.language, one.case["style"])]
        turns.update([*kinds, (one.language, str(one.case["allowed"]))])
        if wrong := fault(one):
            faults.update([*kinds, (one.language, wrong)])
        doubtful[one.language] += bool(one.ruling.parsed.unread) or any(
            not act.sure for act in one.ruling.parsed.action_intents
        )
    for language in sorted({language for language, _ in turns}):
        _print(language, faults, turns, doubtful)


Counts = Counter[tuple[str, str]]


def _print(language: str, faults: Counts, turns: Counts, doubtful: Counter[str]) -> None:
    of = turns[language, "all"]
    print(f"  {language}: {100 * faults[language, 'all'] / of:.1f} % of {of} turns misjudged")
    for wrong in ("false denial", "false allowance", "wrong reason", "wrong change"):
        print(f"    {wrong:<16} {faults[language, wrong]:>3}")
    print(f"    {'unread or unsure':<16} {100 * doubtful[language] / of:.0f} % of turns")
    for (lang, style), number in sorted(turns.items()):
        if lang == language and style not in ("all", "True", "False"):
            print(f"    in style {style:<8} {faults[lang, style]:>3} of {number}")


if __name__ == "__main__":
    main(FULL)
