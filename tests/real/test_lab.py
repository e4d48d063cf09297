"""The lab with the real thing: a real small model, and a Dask cluster of two workers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster

from hakoniwa.lab.experiment import Experiment, read_timings
from hakoniwa.lab.report import write_report
from hakoniwa.lab.results import RESULTS, Results
from hakoniwa.lab.run import Cluster, Engine, InProcess
from hakoniwa.lab.spec import read_plan
from hakoniwa.settings import Settings
from tests.real.gemma import NAME

SMALL = "name: small\nscenarios: [stall_induced]\nmodels: [builtin, clumsy]\nseeds: 2\nturns: 3\n"
DEV = """\
name: gemma
profile: dev
scenarios: [hermit]
models: [{{kind: server, name: {name}, base_url: "{url}"}}]
turns: 1
"""


def run(folder: Path, text: str, engine: Engine) -> Results:
    spec = folder / "spec.yaml"
    spec.write_text(text, encoding="utf-8")
    return Experiment(folder / "out", read_plan(spec), Settings()).run(engine, lambda _: None)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two workers, each a process of its own."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield made.scheduler_address


@pytest.mark.long
def test_a_cluster_of_two_workers_gives_the_same_results(cluster: str, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("here", "there")]
    for folder, engine in zip(folders, (InProcess(), Cluster(cluster)), strict=True):
        folder.mkdir()
        run(folder, SMALL, engine)
    here, there = ((folder / "out" / RESULTS).read_bytes() for folder in folders)
    assert here == there


@pytest.mark.long
def test_a_real_model_plays_the_dev_profile_from_spec_to_report(
    model_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("THINK_TOKENS", "PERFORM_TOKENS"):
        monkeypatch.setattr(f"hakoniwa.actor.language.{name}", 16)
    results = run(tmp_path, DEV.format(name=NAME, url=model_server), InProcess())
    (played,) = results.runs
    assert played.crash is None
    assert len(played.rows) == 1
    assert all(row.prompt_hash for row in played.rows)
    spoken = [row for row in played.rows if row.fault is None]
    assert all(row.prompt_tokens and row.calls >= 2 for row in spoken)
    assert read_timings(tmp_path / "out").runs[0].turns[0].total > 0
    assert write_report(results, tmp_path / "report").is_file()
