"""The referee against cases of its own: natural stage directions in many settings, and what a reader would say."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from hakoniwa.gm.history import History
from hakoniwa.gm.step import GMStep, rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState

Case = dict[str, Any]
FILES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
CASES: list[Case] = [json.loads(line) for path in FILES for line in path.read_text(encoding="utf-8").splitlines()]
KINDS = (
    "read", "intent", "answer", "nonact", "idiom", "compound", "alias", "part", "give", "container", "door", "missing",
    "elsewhere", "notowned", "state", "scope", "ambiguous", "rate", "contra", "nearmiss",
)  # fmt: skip


def play(case: Case) -> tuple[GMStep, WorldState]:
    """The answer to the last step, and the world it leaves."""
    history, world, step = History(), None, None
    for request in case["steps"]:
        if "world_state" in request:
            world = WorldState.model_validate(request["world_state"], extra="ignore")
        assert world is not None
        step = rule_on(world, request["speaker"], request["raw_output"], history, turn=request["turn_number"])
        history.add(step.past)
        world = apply(world, step.ruling.world_delta)
    assert step is not None
    assert world is not None
    return step, world


def bare(text: str | None, around: str = "") -> str:
    """A text as the cases compare it: NFKC, no blanks, no quotation marks."""
    return re.sub(r"[\s「」『』\"“”]", "", unicodedata.normalize("NFKC", text or "")).strip(around)


def at(document: Any, pointer: str) -> Any:
    """What a JSON pointer leads to; None where nothing is."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document.get(key) if isinstance(document, dict) else document[int(key)]
        if document is None:
            return None
    return document


def matches(found: Any, expected: Any) -> bool:
    """Whether a value is the expected one, or a list holds what it should and lacks what it should not."""
    if not isinstance(expected, dict):
        return bool(found == expected)
    held = found or []
    return ("contains" not in expected or expected["contains"] in held) and expected.get("excludes") not in held


def intents_lacking(step: GMStep, wanted: list[list[Any]]) -> list[list[Any]]:
    """The expected intents that are not there, by the name as written or as resolved."""
    written = {note.resolved: note.written for note in step.ruling.resolution}
    found = [(one.intent, {one.target, written.get(one.target)}) for one in step.ruling.parsed.action_intents]
    return [
        [intent, target]
        for intent, target in wanted
        if not any(
            intent == kind and (target is None or names & {*([target] if isinstance(target, str) else target)})
            for kind, names in found
        )
    ]


def changes_lacking(world: WorldState, wanted: dict[str, Any]) -> dict[str, Any]:
    """What is in the world instead of what was expected there."""
    after = world.model_dump(mode="json")
    return {path: at(after, path) for path, value in wanted.items() if not matches(at(after, path), value)}


def disagreements(case: Case) -> list[str]:
    """Every point in which the referee says something else than the case."""
    step, world = play(case)
    ruling, expect = step.ruling, case["expect"]
    parsed, material = ruling.parsed, [one.path for one in ruling.world_delta if not one.path.startswith("/events")]
    checks = {
        "allowed": ruling.allowed is expect["allowed"],
        "reason": ruling.allowed or ruling.denied_reason in expect.get("reasons", []),
        "denied without a delta": ruling.allowed or ruling.world_delta == (),
        "intents": not intents_lacking(step, expect.get("intents", [])),
        "absent intents": not {one.intent for one in parsed.action_intents} & {*expect.get("intents_absent", [])},
        "speech": "speech" not in expect or bare(parsed.speech) == bare(expect["speech"]),
        "thought": "thought" not in expect or bare(parsed.thought, "()") == bare(expect["thought"], "()"),
        "no material change": not (expect.get("no_material_change") and material),
        "change": not changes_lacking(world, expect.get("after", {})),
    }
    return [name for name, holds in checks.items() if not holds]


def test_the_referee_agrees() -> None:
    found = {case["id"]: disagreements(case) for case in CASES}

    assert {name: points for name, points in found.items() if points} == {}


def test_the_cases_are_many_fair_and_of_every_kind() -> None:
    """Half of them are allowed: to deny what can be done is as bad as to let pass what cannot."""
    names = [case["id"] for case in CASES]

    assert len(names) == len({*names})
    assert {name.split("-")[1] for name in names} == {*KINDS}
    assert len(FILES) >= 12
    assert 0.5 <= sum(case["expect"]["allowed"] for case in CASES) / len(CASES) <= 0.7
