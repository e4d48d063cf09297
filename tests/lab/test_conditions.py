"""The four arms are what they are said to be: both factors act, and nothing else differs."""

import pytest

from hakoniwa.lab.results import Arm, RunResult
from tests.lab.bench import arm, prompts, runs, world_after
from tests.lab.proof import flaws

LISTED, MEANT, FACT = "いまできる行動の例", "つもり:", "FACT:"


def test_both_factors_act_and_the_arms_differ_as_expected() -> None:
    assert flaws(runs(), world_after) == []


@pytest.mark.parametrize("only", list(Arm))
def test_four_times_the_same_arm_does_not_pass_for_an_experiment(only: Arm) -> None:
    copies = [run.with_field("key", run.key.with_field("arm", label)) for run in arm(only) for label in Arm]
    assert flaws(copies, lambda run: world_after(_original(run, only))) != []


def _original(run: RunResult, only: Arm) -> RunResult:
    return next(one for one in arm(only) if one.key == run.key.with_field("arm", only))


@pytest.mark.parametrize(("same", "differ"), [(Arm.A, Arm.B), (Arm.C, Arm.D)])
def test_a_switch_that_is_never_used_is_noticed(same: Arm, differ: Arm) -> None:
    """As when the flag for Inject was read by nobody."""
    void = [_relabelled(run, same) if run.key.arm == differ else run for run in runs()]
    assert flaws(void, lambda run: world_after(_original(run, run.key.arm))) != []


def _relabelled(run: RunResult, same: Arm) -> RunResult:
    twin = next(one for one in arm(same) if one.key.pair == run.key.pair)
    return run.with_fields({"rows": twin.rows, "metrics": twin.metrics})


def test_without_inject_a_prompt_has_the_opening_scene_and_no_help() -> None:
    for run in [*arm(Arm.A), *arm(Arm.C)]:
        asked = [prompts(run, row.turn) for row in run.rows if row.fault is None]
        assert not [one for one in asked if LISTED in one or MEANT in one or FACT in one]


def test_with_inject_a_prompt_lists_possible_acts_and_what_is_meant() -> None:
    for run in [*arm(Arm.B), *arm(Arm.D)]:
        asked = [prompts(run, row.turn) for row in run.rows if row.fault is None]
        assert [one for one in asked if LISTED not in one] == []
        assert any(MEANT in one for one in asked)


def test_an_observing_gm_feeds_nothing_back() -> None:
    pairs = zip(arm(Arm.A), arm(Arm.C), strict=True)
    assert all([row.prompt_hash for row in a.rows] == [row.prompt_hash for row in c.rows] for a, c in pairs)


def test_only_the_full_arm_sees_the_world_as_it_is_now() -> None:
    scenes = {
        one: {_scene(prompts(run, row.turn)) for run in arm(one) for row in run.rows if not row.fault} for one in Arm
    }
    assert len(scenes[Arm.D]) > len(scenes[Arm.B]) >= len(scenes[Arm.A]) == len(scenes[Arm.C])


def _scene(prompt: str) -> str:
    return prompt.partition("<scene_state")[2].partition("</scene_state>")[0]


def test_only_directors_facts_reach_the_prompt_where_there_is_no_gm() -> None:
    facts = [fact for run in arm(Arm.B) for row in run.rows for fact in row.facts]
    assert facts
    assert not [fact for fact in facts if "どこにもない" in fact or "停滞" in fact]


def test_the_judge_works_in_shadow_in_every_arm() -> None:
    for one in Arm:
        assert sum(sum(run.metrics.denials.values()) for run in arm(one)) > 0


def test_only_the_full_arm_has_retakes_and_elsewhere_they_are_undefined_rather_than_none() -> None:
    for one in (Arm.A, Arm.B, Arm.C):
        assert {(row.retakes, row.gave_up) for run in arm(one) for row in run.rows} == {(None, None)}
    assert sum(row.retakes or 0 for run in arm(Arm.D) for row in run.rows) > 0


def test_incidents_come_only_where_the_gm_may_bring_them() -> None:
    brought = {one: [row.incident for run in arm(one) for row in run.rows if row.incident] for one in Arm}
    assert [one for one in Arm if brought[one]] == [Arm.D]


def test_what_the_model_wrote_is_what_is_measured() -> None:
    """Nothing is sanitized or retaken away from the first reply."""
    for run in runs():
        for row in run.rows:
            if row.fault is None and not row.retakes:
                assert row.kept == row.text


def test_the_built_in_mind_reads_no_prompt_so_inject_alone_changes_nothing() -> None:
    a, b = ([run.rows for run in arm(one, "builtin")] for one in (Arm.A, Arm.B))
    assert [[row.text for row in rows] for rows in a] == [[row.text for row in rows] for rows in b]
    assert any(run.metrics.world_changes for run in arm(Arm.C, "builtin"))
