"""Solving: what can be reached, what never can, and what loses it."""

from typing import Any

import pytest

from benchmarks.solve import PLANTS, judged, plays
from hakoniwa.actor.character import Character
from hakoniwa.play.solve import USUAL, Solution, SolverBudget, goals_in, solve
from hakoniwa.stage.scenario import Scenario

WORLD: dict[str, Any] = {
    "version": "0.2",
    "time": {"label": "朝", "clock": "07:00"},
    "meta": {"weather": "晴れ"},
    "location": {"current": "部屋"},
    "locations": {"部屋": {"exits": ["庭"]}, "庭": {"exits": ["部屋"]}},
    "characters": {"楓": {"location": "部屋"}, "蓬": {"location": "庭"}},
    "props": {
        "箱": {
            "location": "部屋",
            "fixed": True,
            "container": True,
            "state": ["locked"],
            "affordances": ["開ける(要:鍵)"],
        },
        "手紙": {"inside": "箱"},
        "鍵": {"location": "庭", "affordances": [{"verb": "捨てる", "consumes": True}]},
    },
}


def scenario_with(world: dict[str, Any] | None = None, **scenario: Any) -> tuple[Scenario, dict[str, Character]]:
    cast = {who: {"sheet": "stranger"} for who in WORLD["characters"]}
    found = Scenario.model_validate({"id": "s", "title": "s", "world": world or WORLD, "cast": cast, **scenario})
    return found, {who: Character(display_name=who, persona="-") for who in cast}


def solved(world: dict[str, Any] | None = None, budget: SolverBudget = USUAL, **scenario: Any) -> Solution:
    """What is to be said of the first goal of a scenario."""
    found, sheets = scenario_with(world, **scenario)
    return solve(found, goals_in(found, sheets)[0], budget)


def with_props(**props: Any) -> dict[str, Any]:
    return {**WORLD, "props": {**WORLD["props"], **props}}


@pytest.mark.parametrize("seed", range(len(PLANTS)), ids=lambda seed: PLANTS[seed].__name__)
def test_what_was_planted_is_found(seed: int) -> None:
    result = judged(seed)
    assert result.verdict != "undecided"
    assert result.right
    assert result.named is not False


def test_the_way_is_the_shortest_and_a_thrown_away_key_a_dead_end() -> None:
    found = solved(endings=[{"id": "read", "who": "楓", "holding": "手紙"}])
    assert found.way == (
        "/as 楓 (MOVE: 庭)",
        "/as 楓 (GET: 鍵)",
        "/as 楓 (MOVE: 部屋)",
        "/as 楓 (OPEN: 箱)",
        "/as 楓 (GET: 手紙)",
    )
    assert {one.deed for one in found.dead_ends} == {"/as 楓 (DISCARD: 鍵)"}


def test_an_ending_that_waits_for_an_act_is_reached_through_it() -> None:
    acts = [{"id": "one", "title": "一"}, {"id": "two", "title": "二", "opens": {"holding": "鍵"}}]
    found = solved(acts=acts, endings=[{"id": "back", "at": "部屋", "who": "蓬", "when": {"after": "two"}}])
    assert found.way == ("/as 蓬 (GET: 鍵)", "/as 蓬 (MOVE: 部屋)")


def test_what_only_an_incident_brings_is_reached_by_it() -> None:
    post = {
        "id": "post",
        "text": "速達。",
        "delta": [{"op": "add", "path": "/props/文", "value": {"location": "部屋"}}],
    }
    found = solved(incidents=[post], endings=[{"id": "got", "holding": "文"}])
    assert found.way == ("/ring post", "/as 楓 (GET: 文)")


def test_what_stands_in_the_way_for_good_is_named() -> None:
    world = with_props(鍵={"inside": "箱"})
    found = solved(world, endings=[{"id": "read", "holding": "手紙"}])
    assert (found.verdict, found.missing[0], found.missing[-1]) == ("unreachable", "hold", "鍵")


def test_with_too_little_patience_nothing_is_said() -> None:
    assert solved(budget=SolverBudget(2, 2), endings=[{"id": "read", "holding": "手紙"}]).verdict == "undecided"


def test_a_way_that_leads_nowhere_does_not_pass_for_one() -> None:
    scenario, _ = scenario_with(endings=[{"id": "read", "holding": "手紙"}])
    lie = Solution(kind="ending", name="read", people=("楓",), verdict="reachable", way=("/as 楓 (OPEN: 箱)",))
    assert not plays(scenario, lie)
