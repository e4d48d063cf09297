"""`hakoniwa lab`: its commands, their words in both languages, and the codes they end with."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hakoniwa.cli import run as run_command
from hakoniwa.lab.results import RESULTS, Results

SPEC = "name: tiny\nscenarios: [stall_induced]\nmodels: [builtin]\nseeds: 1\nturns: 2\n"
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def lab(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*words: object, lang: str = "en") -> tuple[int, str, str]:
        code = run_command(["--lang", lang, "lab", *map(str, words)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


@pytest.fixture
def folder(lab: Command, spec: Path, tmp_path: Path) -> Path:
    """An experiment that has been run."""
    assert lab("run", spec, "--out", tmp_path / "out", "--workers", 1)[0] == 0
    return tmp_path / "out"


def test_a_run_says_what_it_does_and_how_to_watch_it(lab: Command, spec: Path, tmp_path: Path) -> None:
    code, out, _ = lab("run", spec, "--out", tmp_path / "x", "--workers", 1)
    assert code == 0
    assert "tiny (full): 4 runs — scenarios stall_induced, seeds 1, arms ABCD, models builtin" in out
    assert "hakoniwa replay stall_induced-builtin-001-A --journal sqlite:///" in out


def test_called_again_it_goes_on_from_what_is_there(lab: Command, spec: Path, folder: Path) -> None:
    code, out, _ = lab("run", spec, "--out", folder, "--workers", 1)
    assert (code, "4 of 4 runs are there already." in out) == (0, True)


def test_a_spec_can_be_checked_without_playing(lab: Command, spec: Path, tmp_path: Path) -> None:
    code, out, _ = lab("run", spec, "--check", "--json")
    assert (code, json.loads(out)["runs"]) == (0, 4)
    spec.write_text(SPEC.replace("models", "modles"), encoding="utf-8")
    code, _, err = lab("run", spec, "--check", lang="ja")
    assert code == 3
    assert "modles" in err
    assert "models" in err.replace("modles", "")


def test_status_is_told_in_words_and_as_data(lab: Command, folder: Path) -> None:
    assert lab("status", folder, lang="ja")[1] == "tiny（full）: 4回のうち4回、異常終了0回、完了\n"
    told = json.loads(lab("status", folder, "--json")[1])
    assert (told["done"], told["total"], told["state"]) == (4, 4, "done")


def test_the_gate_ends_with_a_code_of_its_own(lab: Command, folder: Path) -> None:
    assert lab("gate", folder) == (0, "The gate is open: nothing stands against these results.\n", "")
    results = Results.model_validate_json((folder / RESULTS).read_bytes())
    worse = [run.with_field("metrics", run.metrics.with_field("give_ups", 0.2)) for run in results.runs]
    (folder / RESULTS).write_text(results.with_field("runs", tuple(worse)).model_dump_json(), encoding="utf-8")
    code, out, _ = lab("gate", folder, lang="ja")
    assert code == 7
    assert "builtin/D: あきらめが0.2です。0.1未満でなければなりません。" in out
    assert {one["metric"] for one in json.loads(lab("gate", folder, "--json")[1])} == {"give_ups"}


def test_a_baseline_is_kept_and_held_against_later_results(lab: Command, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "baseline.json"
    assert lab("gate", folder, "--write-baseline", kept)[0] == 0
    assert lab("gate", folder, "--baseline", kept)[0] == 0
    better = json.loads(kept.read_text(encoding="utf-8"))
    better["groups"]["builtin/D"]["quality"] = 0.99
    kept.write_text(json.dumps(better), encoding="utf-8")
    code, out, _ = lab("gate", folder, "--baseline", kept)
    assert (code, "has fallen behind the baseline" in out) == (7, True)


def test_a_report_is_written(lab: Command, folder: Path, tmp_path: Path) -> None:
    code, out, _ = lab("report", folder, "--out", tmp_path / "report")
    assert code == 0
    assert Path(out.removeprefix("Written: ").strip()).is_file()


@pytest.mark.parametrize("command", ["status", "gate", "report"])
def test_a_folder_that_holds_no_experiment_is_said_to_be_none(lab: Command, tmp_path: Path, command: str) -> None:
    code, _, err = lab(command, tmp_path)
    assert code == 3
    assert "There is no such file" in err


def test_a_cluster_and_processes_at_once_make_no_sense(lab: Command, spec: Path) -> None:
    code, _, err = lab("run", spec, "--cluster", "tcp://127.0.0.1:1", "--workers", 2)
    assert (code, "not both" in err) == (2, True)
