"""The lab over HTTP: experiments to begin, to watch, to stop and to read, and never another file."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.lab.experiment import Charter, experiment_progress, lock_folder, read_charter
from hakoniwa.lab.report import write_report
from hakoniwa.lab.results import Arm, ExperimentProgress, Results
from hakoniwa.service import experiments
from hakoniwa.settings import Settings
from hakoniwa.stage import scenario as scenarios
from tests.lab.made import HOSTILE, made
from tests.service.door import PATIENCE, WholeDoor, refused

SMALL = {"name": "small", "scenarios": ["kitchen_morning"], "seeds": 1, "arms": ["A", "D"], "turns": 2}


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments whose process does nothing, for as long as it may."""
    waiting = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(experiments, "launch", lambda *_: subprocess.Popen(waiting))


def kept(home: Path, name: str, results: Results, done: int) -> Path:
    """An experiment of which some runs are done, as a process leaves it behind."""
    folder = home / "lab" / name
    (folder / "runs").mkdir(parents=True)
    charter = Charter(spec=results.spec, hashes=results.hashes, scoring=results.scoring)
    (folder / "spec.json").write_text(charter.model_dump_json(), encoding="utf-8")
    for run in results.runs[:done]:
        (folder / "runs" / f"{run.key.id}.json").touch()
    return folder


def finished(home: Path, name: str) -> Path:
    results = made(seeds=3, scenarios=("kitchen_morning",))
    folder = kept(home, name, results, len(results.runs))
    write_report(results, folder)
    return folder


def test_an_experiment_is_begun_played_and_reported(door: WholeDoor, tmp_path: Path) -> None:
    begun = door.post("/v1/lab", SMALL)
    assert (begun["state"], begun["total"], begun["arms"]) == ("running", 2, ["A", "D"])
    ended = next(found for _ in range(20) if (found := door.sooner_or_later(lambda: _settled(door, "small"))))
    log = (tmp_path / "lab" / "small" / experiments.LOG_FILE).read_text(encoding="utf-8")
    assert ended["summary"] == {**begun, "state": "done", "done": 2, "left": 0.0, "reported": True}, log
    (panel,) = ended["panels"]
    assert panel["title"] == "The clumsy scripted model"
    assert {one["arm"] for one in panel["measures"][0]["arms"]} == {"A", "D"}
    assert any("only 1 pairs" in line for line in panel["caveats"])
    assert '<html lang="en">' in door.send(b"", "/v1/lab/small/report", "GET").text
    rows = Results.model_validate_json(door.send(b"", "/v1/lab/small/files?which=results", "GET").content).runs[0].rows
    assert len(rows) == 2


def _settled(door: WholeDoor, name: str) -> Any:
    found = door.get(f"/v1/lab/{name}")
    return found if found["summary"]["state"] != "running" else None


def test_what_is_done_is_told_in_the_readers_language(door: WholeDoor, tmp_path: Path) -> None:
    finished(tmp_path, "first")
    ja, en = (door.get("/v1/lab/first", **{"accept-language": language}) for language in ("ja", "en"))
    assert ja["panels"][0]["title"] == "不器用な台本モデル"
    assert [one["key"] for one in ja["panels"][0]["measures"]] == [one["key"] for one in en["panels"][0]["measures"]]
    assert ja["panels"][0]["lead"] != en["panels"][0]["lead"]
    acts = en["panels"][0]["measures"][0]
    assert (acts["key"], acts["hint"]) == ("impossible_acts", "lower is better")
    assert acts["arms"][0]["low"] < acts["arms"][0]["mean"] < acts["arms"][0]["high"]


def test_the_newest_comes_first_and_what_cannot_be_read_not_at_all(door: WholeDoor, tmp_path: Path) -> None:
    for age, name in enumerate(("new", "old")):
        folder = finished(tmp_path, name)
        os.utime(folder / "spec.json", (time.time() - age * 100,) * 2)
    (tmp_path / "lab" / "broken").mkdir()
    (tmp_path / "lab" / "broken" / "spec.json").write_text("{", encoding="utf-8")
    assert [one["name"] for one in door.get("/v1/lab")] == ["new", "old"]
    told = refused(door.send(b"", "/v1/lab/broken", "GET"), 422)
    assert str(tmp_path) not in told["detail"]


def test_nothing_is_there_before_something_was_begun(open_door: WholeDoor) -> None:
    assert open_door.get("/v1/lab") == []
    assert refused(open_door.send(b"", "/v1/lab/none", "GET"), 404)["key"] == "unknown.experiment"


@pytest.mark.usefixtures("idle")
def test_one_runs_at_a_time_and_can_be_stopped_and_taken_up(door: WholeDoor, tmp_path: Path) -> None:
    door.post("/v1/lab", SMALL)
    again = json.dumps({**SMALL, "name": "other"}).encode()
    assert refused(door.send(again, "/v1/lab"), 409)["key"] == "experiment.busy"
    assert not (tmp_path / "lab" / "other").exists()
    assert door.post("/v1/lab/small/stop", {})["state"] == "stopped"
    assert door.post("/v1/lab/small/stop", {})["state"] == "stopped"
    assert door.post("/v1/lab/small/resume", {})["state"] == "running"
    assert door.post("/v1/lab/small/resume", {})["state"] == "running"


def test_a_server_that_ends_leaves_no_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"

    def launch(*_: Any) -> subprocess.Popen[bytes]:
        begun.append(subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE))
        assert begun[0].stdout is not None
        begun[0].stdout.readline()
        return begun[0]

    monkeypatch.setattr(experiments, "launch", launch)
    monkeypatch.setattr(experiments, "PATIENCE", 0.1)
    with WholeDoor(home=tmp_path) as door:
        door.post("/v1/lab", SMALL)
    assert begun[0].poll() is not None


def test_how_far_it_is_shows_in_its_folder(door: WholeDoor, tmp_path: Path) -> None:
    results = made(seeds=3, scenarios=("kitchen_morning",))
    folder = kept(tmp_path, "one", results, 3)
    with (folder / "progress.jsonl").open("a", encoding="utf-8") as file:
        file.write(ExperimentProgress(done=3, total=12, left=7.5).model_dump_json() + '\n{"done": 4, "tot')
    stopped = door.get("/v1/lab/one")["summary"]
    with lock_folder(folder):
        running = door.get("/v1/lab/one")["summary"]
    assert (stopped["state"], stopped["done"], stopped["total"], stopped["left"]) == ("stopped", 3, 12, None)
    assert running == {**stopped, "state": "running", "left": 7.5}


def test_what_was_begun_elsewhere_is_neither_stopped_nor_taken_up(door: WholeDoor, tmp_path: Path) -> None:
    with lock_folder(kept(tmp_path, "theirs", made(seeds=3), 3)):
        assert refused(door.send(b"{}", "/v1/lab/theirs/stop"), 409)["key"] == "experiment.elsewhere"
    kept(tmp_path, "gone", made(seeds=3), 3)
    told = refused(door.send(b"{}", "/v1/lab/gone/resume"), 409)
    assert told["key"] == "experiment.not-here"
    assert str(tmp_path) not in told["detail"]


BEYOND: dict[str, tuple[dict[str, Any], int]] = {
    "too many seeds": ({"seeds": 21}, 422),
    "too many turns": ({"turns": 31}, 422),
    "no arm": ({"arms": []}, 422),
    "an arm there is not": ({"arms": ["E"]}, 422),
    "too many runs": ({"scenarios": scenarios.shipped_scenarios()[:4], "seeds": 20, "arms": list(Arm)}, 422),
    "a scenario there is not": ({"scenarios": ["nowhere"]}, 404),
    "a file": ({"scenarios": ["/etc/passwd"]}, 404),
    "a model on the internet": ({"model": "https://evil.example"}, 422),
    "something unknown": ({"cassette": "/etc/passwd"}, 422),
    "a model that is not there": ({"model": "server"}, 409),
    "a name that leads elsewhere": ({"name": "../up"}, 422),
    "a name no disk has": ({"name": "con"}, 422),
}


@pytest.mark.parametrize("case", BEYOND)
@pytest.mark.usefixtures("idle")
def test_what_goes_beyond_is_refused_and_leaves_nothing(open_door: WholeDoor, house: Path, case: str) -> None:
    more, status = BEYOND[case]
    refused(open_door.send(json.dumps({**SMALL, **more}).encode(), "/v1/lab"), status)
    assert not list(house.glob("lab/*"))


@pytest.mark.usefixtures("idle")
def test_a_name_is_taken_once(door: WholeDoor, tmp_path: Path) -> None:
    finished(tmp_path, "small")
    assert refused(door.send(json.dumps(SMALL).encode(), "/v1/lab"), 409)["key"] == "experiment.exists"


@pytest.fixture(scope="module")
def beside(house: Path) -> None:
    """Something that looks like an experiment, and is where no experiment may be."""
    folder = kept(house, "inside", made(seeds=1), 0)
    for file in ("report.html", "results.json"):
        (folder / file).write_text("secret", encoding="utf-8")
    folder.rename(house / "outside")


@pytest.mark.parametrize("name", ["..%2foutside", "%2e%2e", "..%5coutside", "outside%00", "con"])
@pytest.mark.parametrize("what", ["", "/report", "/files"])
def test_a_name_that_leads_elsewhere_is_none(open_door: WholeDoor, beside: None, name: str, what: str) -> None:
    assert open_door.send(b"", f"/v1/lab/{name}{what}", "GET").status_code in (404, 422)


def test_a_report_is_sealed(door: WholeDoor, tmp_path: Path) -> None:
    folder = finished(tmp_path, "first")
    response = door.send(b"", "/v1/lab/first/report", "GET")
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox allow-popups" in policy
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert HOSTILE not in response.text
    (folder / "report.html").unlink()
    assert refused(door.send(b"", "/v1/lab/first/report", "GET"), 404)["key"] == "experiment.no-report"


KINDS = {"results": "application/json", "turns": "text/csv", "markdown": "text/markdown"}


@pytest.mark.parametrize(("which", "kind"), KINDS.items())
def test_files_are_there_to_keep(door: WholeDoor, tmp_path: Path, which: str, kind: str) -> None:
    finished(tmp_path, "first")
    response = door.send(b"", f"/v1/lab/first/files?which={which}", "GET")
    assert response.headers["content-type"].startswith(kind)
    assert response.headers["content-disposition"].startswith("attachment")
    assert response.content


def test_keys_do_not_stand_on_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    real = subprocess.Popen

    def watched(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        seen.append(command)
        return real([sys.executable, "-c", "import sys; sys.exit('k3y' not in sys.stdin.readline())"], **options)

    monkeypatch.setattr(subprocess, "Popen", watched)
    process = experiments.launch(tmp_path, Settings(home=tmp_path, api_key="k3y"))
    assert process.wait(PATIENCE) == 0
    assert "k3y" not in " ".join(seen[0])


def test_an_experiment_ends_with_the_server_that_began_it(tmp_path: Path) -> None:
    spec = {"name": "long", "models": [{"kind": "clumsy"}], "scenarios": ["kitchen_morning"], "seeds": 200, "turns": 30}
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / experiments.SPEC_FILE).write_text(json.dumps(spec), encoding="utf-8")
    experiments.experiment_in(folder, Settings(home=tmp_path))
    process = experiments.launch(folder, Settings(home=tmp_path))
    assert process.stdin is not None
    process.stdin.close()  # as the end of the server does, however it ends
    assert process.wait(PATIENCE) == -signal.SIGTERM
    assert experiment_progress(folder, read_charter(folder)).state == "stopped"


def test_a_name_whose_beginning_failed_can_be_used_again(
    door: WholeDoor, tmp_path: Path, idle: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(experiments, "write_atomically", full)
        refusal = door.send(json.dumps(SMALL).encode(), "/v1/lab")
        assert (refusal.status_code, refusal.json()["key"]) == (503, "journal.full")
    assert door.send(json.dumps(SMALL).encode(), "/v1/lab").status_code == 201
