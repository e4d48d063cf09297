"""Experiments: what the lab keeps in a folder of the home, one of them running at a time in a process of its own."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Annotated, Literal

import yaml
from pydantic import Field

from hakoniwa.app.autonomy import FindModel
from hakoniwa.app.user_files import is_name
from hakoniwa.errors import HakoniwaError, ScenarioError, UnknownName, UsageError
from hakoniwa.lab.experiment import Charter, Experiment, experiment_progress, read_charter
from hakoniwa.lab.report import MARKDOWN, PAGE, TURNS, write_report
from hakoniwa.lab.results import RESULTS, SPEC, Arm, Profile
from hakoniwa.lab.run import Pool
from hakoniwa.lab.spec import read_plan
from hakoniwa.own_files import write_atomically
from hakoniwa.service.requests import Label, NewId
from hakoniwa.service.work_threads import FILE_WORK
from hakoniwa.settings import Settings
from hakoniwa.stage import scenario as scenarios
from hakoniwa.turn import Value

SPEC_FILE, LOG_FILE = "spec.yaml", "log"


def launch(folder: Path, settings: Settings) -> subprocess.Popen[bytes]:
    """Start playing what is missing of an experiment. Its input stays open: where it ends, so has this process."""
    command = [sys.executable, "-m", __spec__.name, str(folder)]
    with (folder / LOG_FILE).open("ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
    assert process.stdin is not None
    process.stdin.write(settings.model_dump_json().encode() + b"\n")
    process.stdin.flush()
    return process


def experiment_in(folder: Path, settings: Settings) -> Experiment:
    """The experiment that a folder is for."""
    return Experiment(folder, read_plan(folder / SPEC_FILE), settings)


def main() -> None:
    """Play what is missing, then write the report; stop where the server is gone that it was begun by."""
    folder, settings = Path(sys.argv[1]), Settings.model_validate_json(sys.stdin.readline())
    Thread(target=_stop_with_server, daemon=True).start()
    results = experiment_in(folder, settings).run(Pool(), lambda _: None)
    write_report(results, folder, settings.lang)


def _stop_with_server() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)  # as the server would have it stop


if __name__ == "__main__":
    main()


LAB = "lab"
MOST_KEPT, MOST_LISTED, MOST_RUNS = 500, 200, 240
PATIENCE = 5.0  # seconds for a process to end by itself

ExperimentState = Literal["running", "stopped", "done"]
ExperimentFile = Literal["results", "turns", "markdown"]
FILES: dict[ExperimentFile, tuple[str, str]] = {
    "results": (RESULTS, "application/json"),
    "turns": (TURNS, "text/csv"),
    "markdown": (MARKDOWN, "text/markdown"),
}


class NewExperiment(Value):
    """A small experiment to begin: everything it is made of has an end."""

    name: NewId
    scenarios: Annotated[tuple[Label, ...], Field(min_length=1, max_length=8)] = ("kitchen_morning",)
    seeds: Annotated[int, Field(ge=1, le=20, strict=True)] = 3
    arms: Annotated[tuple[Arm, ...], Field(min_length=1, max_length=4)] = tuple(Arm)
    model: Literal["builtin", "clumsy", "server"] = "clumsy"
    turns: Annotated[int, Field(ge=1, le=30, strict=True)] = 10

    def written(self) -> str:
        """The same as a spec file, which a command can take up too."""
        runs = len(set(self.scenarios)) * self.seeds * len(set(self.arms))
        if runs > MOST_RUNS:
            raise UsageError("experiment.too-many", runs=runs, limit=MOST_RUNS)
        for name in self.scenarios:
            if name not in scenarios.shipped_scenarios():
                raise UnknownName("unknown.scenario", name=name, known=", ".join(scenarios.shipped_scenarios()))
        spec = {
            "name": self.name, "profile": "dev", "scenarios": list(dict.fromkeys(self.scenarios)), "seeds": self.seeds,
            "arms": sorted({str(arm) for arm in self.arms}), "models": [{"kind": self.model}], "turns": self.turns,
        }  # fmt: skip
        return yaml.safe_dump(spec, allow_unicode=True, sort_keys=False)


class ExperimentSummary(Value):
    """One experiment in a list: what it is made of, and how far it is. `left` is a guess in seconds."""

    name: str
    state: ExperimentState
    done: int
    total: int
    crashed: int
    left: float | None
    profile: Profile
    models: tuple[str, ...]
    scenarios: tuple[str, ...]
    seeds: int
    arms: tuple[Arm, ...]
    reported: bool


class Experiments:
    """All experiments of this home, and the one that was begun here."""

    def __init__(self, settings: Settings, find_model: FindModel) -> None:
        self.folder, self._settings, self._find_model = settings.home / LAB, settings, find_model
        self._running: tuple[str, subprocess.Popen[bytes]] | None = None
        self._door = asyncio.Lock()

    def every(self) -> list[ExperimentSummary]:
        """What there is, the newest first; folders that cannot be read are passed over."""
        return [found for path in self._folders()[:MOST_LISTED] if (found := self._readable(path))]

    def summary(self, name: str) -> ExperimentSummary:
        folder = self.at(name)
        return self._summary(folder, _charter(folder))

    async def begin(self, asked: NewExperiment, language: str) -> ExperimentSummary:
        """Begin an experiment under a name that is not taken; its report will open in a language."""
        text = asked.written()
        async with self._door:
            self._may_begin()
            if asked.model == "server" and await asyncio.to_thread(self._find_model) is None:
                raise UsageError("experiment.no-model")
            return await FILE_WORK.run(self._begin, asked.name, text, language)

    async def go_on(self, name: str, language: str) -> ExperimentSummary:
        """Take up one that was stopped; one that is done, or runs, stays as it is."""
        async with self._door:
            found = await FILE_WORK.run(self.summary, name)
            if found.state != "stopped":
                return found
            self._may_begin()
            return await FILE_WORK.run(self._go_on, name, language)

    async def stop(self, name: str) -> ExperimentSummary:
        """Stop one that was begun here; what it has finished is kept."""
        async with self._door:
            found = await FILE_WORK.run(self.summary, name)
            if self._at_work() == name:
                await FILE_WORK.run(self._end)
                return await FILE_WORK.run(self.summary, name)
            if found.state == "running":
                raise UsageError("experiment.elsewhere", name=name)
            return found

    async def close(self) -> None:
        await FILE_WORK.run(self._end)

    def file(self, name: str, file: str) -> bytes:
        """What is in a file of a report, as soon as there is one."""
        path = self.at(name) / file
        if not path.is_file():
            raise UnknownName("experiment.no-report", name=name)
        return path.read_bytes()

    def at(self, name: str) -> Path:
        """The folder of an experiment."""
        path = self.folder / name
        if not is_name(name) or not (path / SPEC).is_file():
            known = ", ".join(one.name for one in self._folders()[:MOST_LISTED])
            raise UnknownName("unknown.experiment", name=name, known=known)
        return path

    def _folders(self) -> list[Path]:
        found = (path.parent for path in self.folder.glob(f"*/{SPEC}") if is_name(path.parent.name))
        return sorted(found, key=lambda path: ((path / SPEC).stat().st_mtime, path.name), reverse=True)

    def _readable(self, folder: Path) -> ExperimentSummary | None:
        try:
            return self._summary(folder, _charter(folder))
        except ScenarioError:
            return None

    def _summary(self, folder: Path, charter: Charter) -> ExperimentSummary:
        spec, progress = charter.spec, experiment_progress(folder, charter)
        return ExperimentSummary(
            name=folder.name,
            state="running" if self._at_work() == folder.name else progress.state,  # it is yet to write the report
            done=progress.done,
            total=progress.total,
            crashed=progress.crashed,
            left=progress.left,
            profile=spec.profile,
            models=tuple(one.id for one in spec.models),
            scenarios=spec.scenarios,
            seeds=len(spec.seeds),
            arms=spec.arms,
            reported=(folder / PAGE).is_file() and (folder / RESULTS).is_file(),
        )

    def _at_work(self) -> str | None:
        """The experiment that runs here."""
        return self._running[0] if self._running and self._running[1].poll() is None else None

    def _may_begin(self) -> None:
        if busy := self._at_work():
            raise UsageError("experiment.busy", name=busy)

    def _begin(self, name: str, text: str, language: str) -> ExperimentSummary:
        folder = self.folder / name
        if not is_name(name):
            raise UsageError("shelf.bad-name", name=name)
        if (folder / SPEC).is_file():  # without it something went wrong half-way, and the name is free
            raise UsageError("experiment.exists", name=name)
        if len(self._folders()) >= MOST_KEPT:
            raise UsageError("experiment.full", limit=MOST_KEPT)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / SPEC_FILE, text.encode())
        return self._go_on(name, language)

    def _go_on(self, name: str, language: str) -> ExperimentSummary:
        """Start the process; what was begun by a command, or with other code, only a command can take up."""
        folder, settings = self.folder / name, self._settings.with_field("lang", language)
        try:
            experiment_in(folder, settings)
        except HakoniwaError as error:  # its words may name files of this machine
            raise UsageError("experiment.not-here", name=name, why=error.key) from None
        self._running = (name, launch(folder, settings))
        return self.summary(name)

    def _end(self) -> None:
        """Ask the process to end, and end it if it does not."""
        if self._running is None or self._running[1].poll() is not None:
            return
        process = self._running[1]
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _charter(folder: Path) -> Charter:
    """What a folder is for; complaints call it by its name alone."""
    try:
        return read_charter(folder)
    except ScenarioError:
        raise ScenarioError("experiment.not-readable", name=folder.name) from None
