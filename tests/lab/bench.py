"""A small experiment on the bench: what the lab's tests are made of."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hakoniwa.journal import MAIN
from hakoniwa.lab.results import Arm, Results, RunKey, RunResult, Spec
from hakoniwa.lab.run import RunFile, RunJob, play_run
from hakoniwa.lab.spec import Plan, SpecFile, garden_for, keys_of, plan_of
from hakoniwa.settings import Settings
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import WorldState

SEEDS = 3
SCENARIOS = ("violation_induced", "stall_induced")


@cache
def plan(model: str = "clumsy", scenarios: Sequence[str] = SCENARIOS, seeds: int = SEEDS) -> Plan:
    written = {"name": "bench", "models": [model], "scenarios": list(scenarios), "seeds": seeds}
    return plan_of(SpecFile.model_validate(written), Path())


def spec(model: str = "clumsy") -> Spec:
    return plan(model).spec


@cache
def played(key: RunKey, model: str = "clumsy") -> RunFile:
    """One run, played once for all tests."""
    design = plan(model)
    garden = garden_for(key, design.gardens)
    return RunFile.model_validate_json(play_run(RunJob(spec=design.spec, key=key, garden=garden, settings=Settings())))


def runs(model: str = "clumsy") -> list[RunResult]:
    return [played(key, model).run for key in keys_of(spec(model))]


def arm(of: Arm, model: str = "clumsy") -> list[RunResult]:
    return [run for run in runs(model) if run.key.arm == of]


def results(model: str = "clumsy") -> Results:
    """Results of these runs; their hashes are nobody's concern here."""
    made = {"scenarios": {}, "prompts": "", "code": "", "models": {}}
    return Results.model_validate({"hakoniwa": "0", "spec": spec(model), "hashes": made, "runs": runs(model)})


def world_after(run: RunResult, model: str = "clumsy") -> tuple[WorldState, WorldState]:
    """The world a run opened with, and the one it left; but for the number of the turn."""
    opening = Scenario.model_validate(plan(model).gardens[run.key.scenario].scenario).world
    world = opening
    for _, event in played(run.key, model).events:
        world = apply(world, event.world_delta)
    return opening, world.with_field("time", world.time.with_field("turn", 0))


def prompts(run: RunResult, turn: int, purpose: str = "actor.perform") -> str:
    """What the model was asked in a turn."""
    calls = [one for one in played(run.key).calls if (one.turn, one.branch) == (turn, MAIN)]
    wanted = next(one for one in calls if one.call["purpose"] == purpose)
    return "\n".join(message["content"] for message in wanted.call["messages"])
