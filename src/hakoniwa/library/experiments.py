"""Experiments from Python: the lab's own, from a spec that is a file or a mapping."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hakoniwa.lab.experiment import Experiment, OnProgress
from hakoniwa.lab.results import Results
from hakoniwa.lab.run import InProcess, Pool
from hakoniwa.lab.spec import SpecFile, plan_of, read_plan
from hakoniwa.library.plain_errors import plain_errors
from hakoniwa.library.records import frame_of
from hakoniwa.settings import Settings


@plain_errors()
def run_experiment(
    spec: str | Path | Mapping[str, Any],
    folder: str | Path,
    *,
    workers: int | None = None,
    watch: OnProgress = lambda _: None,
    settings: Settings | None = None,
) -> Results:
    """Play every run that is not in the folder yet, here or in as many processes as `workers` says."""
    plan = plan_of(SpecFile.model_validate(spec), Path()) if isinstance(spec, Mapping) else read_plan(Path(spec))
    experiment = Experiment(Path(folder), plan, settings or Settings())
    with ThreadPoolExecutor(1) as apart:  # a run has an event loop of its own, and a notebook is in one already
        return apart.submit(experiment.run, Pool(workers) if workers else InProcess(), watch).result()


def runs_frame(results: Results) -> Any:
    """A frame with a row a run: what it was, and every measure of it."""
    rows = [
        {
            "scenario": run.key.scenario, "seed": run.key.seed, "arm": run.key.arm.value, "model": run.key.model,
            **run.key.variant.model_dump(), **run.metrics.model_dump(exclude={"denials", "agreement"}),
        }
        for run in results.runs
    ]  # fmt: skip
    return frame_of(rows)
