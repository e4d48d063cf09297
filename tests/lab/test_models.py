"""Who plays: every kind of model, in every arm and with every further factor."""

from pathlib import Path

import pytest
import yaml

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.gm.stall import WARNING
from hakoniwa.lab.conditions import UnaidedMind, mind_for
from hakoniwa.lab.results import Arm, ModelSpec, RunKey, RunResult, Variant
from hakoniwa.lab.run import RunFile, RunJob, play_run
from hakoniwa.lab.spec import Plan, SpecFile, garden_for, keys_of, plan_of
from hakoniwa.settings import Settings


def played(plan: Plan) -> list[RunResult]:
    jobs = [
        RunJob(spec=plan.spec, key=key, garden=garden_for(key, plan.gardens), settings=Settings())
        for key in keys_of(plan.spec)
    ]
    return [RunFile.model_validate_json(play_run(job)).run for job in jobs]


def plan(beside: Path = Path(), **written: object) -> Plan:
    return plan_of(SpecFile.model_validate({"name": "x", "models": ["clumsy"], "seeds": 1, **written}), beside)


@pytest.mark.parametrize(
    ("kind", "arm", "mind"),
    [
        ("builtin", Arm.A, BuiltinMind),
        ("builtin", Arm.D, BuiltinMind),
        ("clumsy", Arm.A, UnaidedMind),
        ("clumsy", Arm.B, LanguageMind),
        ("clumsy", Arm.C, UnaidedMind),
        ("clumsy", Arm.D, LanguageMind),
    ],
)
def test_only_a_mind_with_a_prompt_can_be_helped(kind: str, arm: Arm, mind: type) -> None:
    model = ModelSpec.model_validate({"id": kind, "kind": kind})
    assert type(mind_for(model, RunKey(scenario="x", seed=1, arm=arm, model=kind), Settings())) is mind


@pytest.mark.parametrize("scenario", ["tea_room", "hermit", "three_voices", "mansion"])
def test_any_scenario_can_be_played_in_every_arm(scenario: str) -> None:
    runs = played(plan(scenarios=[scenario], turns=5))
    assert [(run.crash, len(run.rows)) for run in runs] == [(None, 5)] * 4
    assert len({run.rows[0].prompt_hash for run in runs}) == 2  # with Inject and without


def test_every_further_factor_makes_a_difference() -> None:
    factors = {
        "acts": ["free", "choose"],
        "mind": ["two_pass", "one_pass"],
        "sanitizer": ["off", "on"],
        "stall": ["repetition", "seed"],
        "director": ["minimal", "hybrid"],
    }
    plain = plan(scenarios=["violation_induced"], arms=["D"])
    before = played(plain)[0]
    for factor, (_, other) in factors.items():
        (run,) = played(plan(scenarios=["violation_induced"], arms=["D"], factors={factor: [other]}))
        assert run.key.variant == Variant.model_validate({factor: other})
        assert run.crash is None
        assert run.rows != before.rows, factor


def test_with_acts_to_choose_the_chosen_act_is_judged_in_every_arm() -> None:
    runs = played(plan(scenarios=["kitchen_morning"], factors={"acts": ["choose"]}, turns=6))
    assert all(any(row.acted for row in run.rows) for run in runs)


def test_a_cassette_is_played_in_every_arm(tmp_path: Path) -> None:
    lines = [
        {"purpose": "actor.think", "reply": "引き戸が気になる。"},
        {"purpose": "actor.perform", "reply": "（引き戸を閉める）「寒いね」"},
        {"purpose": "actor.retake", "reply": "（首をかしげる）「まあいいか」"},
    ]
    (tmp_path / "said.yaml").write_text(yaml.safe_dump(lines, allow_unicode=True), encoding="utf-8")
    model = {"kind": "recorded", "cassette": "said.yaml"}
    runs = {run.key.arm: run for run in played(plan(tmp_path, scenarios=["kitchen_morning"], models=[model], turns=3))}
    assert {run.key.model for run in runs.values()} == {"said"}
    denied = {arm: [row.denied_reason for row in run.rows] for arm, run in runs.items()}
    assert denied[Arm.A] == denied[Arm.B] == [None, None, None]  # the door is as it was
    assert denied[Arm.C] == denied[Arm.D] == [None, "INVALID_STATE", "INVALID_STATE"]  # it is closed
    assert [row.kept_denied for row in runs[Arm.D].rows] == [None, None, None]


@pytest.mark.parametrize(("model", "seeds"), [("builtin", 2), ("clumsy", 5)])
def test_the_scenario_that_is_to_stall_stalls_more_than_a_morning_in_the_kitchen(model: str, seeds: int) -> None:
    stalled = {}
    for scenario in ("stall_induced", "kitchen_morning"):  # both for as many turns: none of the first ones can stall
        runs = played(plan(scenarios=[scenario], models=[model], arms=["A"], seeds=seeds, turns=8))
        stalled[scenario] = sum(row.stall_score > WARNING for run in runs for row in run.rows)
    assert stalled["stall_induced"] > stalled["kitchen_morning"]
