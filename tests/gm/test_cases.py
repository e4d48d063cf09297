"""The referee against cases of its own: natural stage directions in many settings, and what a reader would say."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.gm.history import History
from hakoniwa.gm.step import Step, rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState

Case = dict[str, Any]
FILES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
CASES: list[Case] = [json.loads(line) for path in FILES for line in path.read_text(encoding="utf-8").splitlines()]
KINDS = (
    "read", "intent", "answer", "nonact", "idiom", "compound", "alias", "part", "give", "container", "door", "missing",
    "elsewhere", "notowned", "state", "scope", "ambiguous", "rate", "contra", "nearmiss",
)  # fmt: skip


def play(case: Case) -> tuple[Step, WorldState]:
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


def intents_lacking(step: Step, wanted: list[list[Any]]) -> list[list[Any]]:
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


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_referee_agrees(case: Case) -> None:
    step, world = play(case)
    ruling, expect = step.ruling, case["expect"]
    parsed = ruling.parsed

    assert ruling.allowed is expect["allowed"], (ruling.denied_reason, ruling.explanation)
    assert ruling.allowed or ruling.denied_reason in expect["reasons"]
    assert ruling.allowed or ruling.world_delta == ()
    assert intents_lacking(step, expect.get("intents", [])) == []
    assert not {one.intent for one in parsed.action_intents} & {*expect.get("intents_absent", [])}
    if "speech" in expect:
        assert bare(parsed.speech) == bare(expect["speech"])
    if "thought" in expect:
        assert bare(parsed.thought, "()") == bare(expect["thought"], "()")
    if expect.get("no_material_change"):
        assert [one.path for one in ruling.world_delta if not one.path.startswith("/events")] == []
    assert changes_lacking(world, expect.get("after", {})) == {}


def test_the_cases_are_many_fair_and_of_every_kind() -> None:
    """Half of them are allowed: to deny what can be done is as bad as to let pass what cannot."""
    names = [case["id"] for case in CASES]

    assert len(names) == len({*names})
    assert {name.split("-")[1] for name in names} == {*KINDS}
    assert len(FILES) >= 12
    assert 0.5 <= sum(case["expect"]["allowed"] for case in CASES) / len(CASES) <= 0.7
