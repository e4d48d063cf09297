"""The leak meter: finds what a speaker cannot know, and leaves alone what they saw, were told, ask or may know."""

from typing import Any

import pytest

from benchmarks.leaks import cases, request
from hakoniwa.gm.leak_request import LeakRequest, leaks_of
from tests.worlds import tiny

THINGS: dict[str, Any] = {
    "茶筒": {"location": "茶室", "container": True, "state": ["closed"]},
    "鍵": {"inside": "茶筒"},
    "鈴": {"location": "茶室"},
    "石灯籠": {"location": "中庭", "fixed": True},
}


def found(line: str, **more: Any) -> list[tuple[str, str, str | None]]:
    world = tiny(THINGS).model_dump(mode="json", exclude_none=True)
    speaker = next(iter(world["characters"]))
    asked = LeakRequest.model_validate({"line": line, "speaker": speaker, "world_state": world, **more})
    return [(one.fact.subject, one.fact.relation, one.fact.object) for one in leaks_of(asked).leaks]


def people() -> list[str]:
    return list(tiny(THINGS).characters)


@pytest.mark.parametrize(
    ("line", "more", "leak"),
    [
        ("鍵は茶筒の中だよ。", {}, True),
        ("茶筒に鍵がしまってある。", {}, True),
        ("鍵は茶筒の中かな？", {}, False),
        ("鈴は茶室にある。", {}, False),
        ("鍵は中庭にある。", {}, False),  # it is not, and nobody thinks so
        ("石灯籠は中庭にある。", {}, True),
        ("石灯籠は中庭にある。", {"common": ["中庭の石灯籠が見事だ。"]}, False),
    ],
)
def test_only_what_one_cannot_know_is_a_leak(line: str, more: dict[str, Any], leak: bool) -> None:
    assert bool(found(line, **more)) == leak


def test_what_one_knows_or_was_told_is_none() -> None:
    me = people()[0]
    assert found("鍵は茶筒の中だよ。", knows={me: ["鍵", "茶筒"]}) == []
    told = [{"subject": "鍵", "relation": "in", "object": "茶筒"}]
    assert found("鍵は茶筒の中だよ。", told={me: told}) == []
    past = [{"speaker": people()[1], "raw_output": "「鍵は茶筒の中だよ」"}]
    assert found("鍵は茶筒の中だよ。", history=past) == []


def test_what_was_seen_since_counts() -> None:
    me = people()[0]
    assert found("鍵は茶筒の中だよ。", history=[{"speaker": me, "raw_output": "(OPEN: 茶筒)"}]) == []


def test_a_meter_that_knew_the_truth_alone_would_alarm_on_those_who_know() -> None:
    """So that the planted lines tell a meter that works from one that does not."""
    known = [(name, case) for name, case in cases(60) if case.get("why") == "knows"][:20]
    assert not any(leaks_of(request(name, case)).leaks for name, case in known)
    blind = [request(name, case).model_copy(update={"knows": {}, "history": ()}) for name, case in known]
    assert any(leaks_of(one).leaks for one in blind)


def test_most_planted_leaks_are_found() -> None:
    planted = [(name, case) for name, case in cases(30) if case["leak"]]
    hits = sum(bool(leaks_of(request(name, case)).leaks) for name, case in planted)
    assert hits >= 0.95 * len(planted)
