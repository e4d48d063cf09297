"""Runs from beginning to end, the engines that play them, and the journal in which each is a garden to open."""

import asyncio
import importlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from pathlib import Path
from shlex import quote
from threading import Thread
from time import perf_counter
from typing import Protocol

from hakoniwa.errors import UsageError
from hakoniwa.journal import MAIN, CallRow, GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.lab.conditions import ledger_for, mind_for
from hakoniwa.lab.critic import score_rows
from hakoniwa.lab.metrics import metrics_of
from hakoniwa.lab.results import Calibration, RunKey, RunResult, RunTiming, Spec, TurnRow
from hakoniwa.lab.spec import garden_for
from hakoniwa.lab.trial import Trial, play_slot
from hakoniwa.llm import ChatModel
from hakoniwa.play.session import Mind
from hakoniwa.settings import Settings
from hakoniwa.stage.scenario import Scenario
from hakoniwa.turn import Event, Value


class RunJob(Value):
    """Everything a run needs; no file is read but a cassette."""

    spec: Spec
    key: RunKey
    garden: GardenRecord
    settings: Settings
    calibration: tuple[Calibration, ...] = ()


class RunFile(Value):
    """A run file: the run as the results have it, and apart from that its journal and its times."""

    run: RunResult
    timing: RunTiming
    events: tuple[tuple[int, Event], ...] = ()  # with the number of each row, to which the calls refer
    calls: tuple[CallRow, ...] = ()


def play_run(job: RunJob) -> str:
    """The run file of a job, as JSON."""
    return asyncio.run(_play(job)).model_dump_json()


async def _play(job: RunJob) -> RunFile:
    began = perf_counter()
    journal = MemoryJournal()
    model = next(one for one in job.spec.models if one.id == job.key.model)
    mind = mind_for(model, job.key, job.settings)
    trial = Trial.of(job.key.arm, job.key.variant, job.garden, mind, journal, _critic(job, mind))
    crash = await _play_turns(trial, job.spec.turns or Scenario.model_validate(job.garden.scenario).turns)
    rows = await _rows(trial, job)
    return RunFile(
        run=RunResult(key=job.key, garden=job.garden.id, rows=rows, metrics=metrics_of(rows), crash=crash),
        timing=RunTiming(run=job.key.id, seconds=round(perf_counter() - began, 3), turns=tuple(trial.timings)),
        events=tuple((row.seq, row.event) for row in journal.lineage(job.garden.id, trial.book.branch)),
        calls=tuple(journal.calls(job.garden.id, trial.book.branch, prompts=True)),
    )


def _critic(job: RunJob, mind: Mind) -> ChatModel | None:
    """The model that judges beside the checks: the critic of the experiment, or else the one that plays."""
    if job.key.variant.director == "minimal":
        return None
    return ledger_for(job.spec.critic, job.key.seed, job.settings) if job.spec.critic else getattr(mind, "model", None)


async def _rows(trial: Trial, job: RunJob) -> tuple[TurnRow, ...]:
    """The rows with the five axes by formula, or all by the model that scores."""
    if job.spec.critic is None:
        return tuple(trial.rows)
    critic = ledger_for(job.spec.critic, job.key.seed, job.settings)
    return await score_rows(trial.rows, job.garden, critic, job.calibration)


async def _play_turns(trial: Trial, turns: int) -> str | None:
    """Play all turns; what ended it before that, if something did."""
    try:
        await trial.open()
        for _ in range(turns):
            await play_slot(trial)
    except Exception as error:  # a crash is a result of the experiment, and the gate stops it
        return f"{type(error).__name__}: {error}"
    finally:
        await trial.aclose()
    return None


class LabJournal:
    """A journal beside the run files; what is in it follows from them."""

    def __init__(self, path: Path, gardens: Mapping[str, GardenRecord]) -> None:
        self.gardens = gardens
        self._journal = open_journal(f"sqlite:///{path}")
        self._filled = {one.id: _has_rows(self._journal, one.id) for one in self._journal.gardens()}

    def keep(self, played: RunFile) -> None:
        """Put a run's garden there, unless it is; one that a kill left empty is filled."""
        id = played.run.garden
        if self._filled.get(id):
            return
        if id not in self._filled:
            self._journal.create(garden_for(played.run.key, self.gardens))
        rows = self._journal.append(id, MAIN, [event for _, event in played.events], None)
        places = {old: row.seq for (old, _), row in zip(played.events, rows, strict=True)}
        for one in played.calls:
            after = places[one.after] if one.after is not None else None
            self._journal.record_call(id, MAIN, after, one.turn, str(one.id), one.call, one.speaker)
        self._filled[id] = True

    def close(self) -> None:
        self._journal.close()


def _has_rows(journal: Journal, garden: str) -> bool:
    return any(branch.head is not None for branch in journal.branches(garden))


# --- engines ----------------------------------------------------------------------------------------------------------


DISTRIBUTED = "distributed"


class Engine(Protocol):
    """Plays jobs and hands out their run files, as JSON, in whatever order they are done."""

    def played(self, jobs: Sequence[RunJob]) -> Iterator[str]: ...


class InProcess(Engine):
    """One run after the other, here."""

    def played(self, jobs: Sequence[RunJob]) -> Iterator[str]:
        return map(play_run, jobs)


class Pool(Engine):
    """As many processes as there are processors; none of them outlives the one that started it."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def played(self, jobs: Sequence[RunJob]) -> Iterator[str]:
        apart = multiprocessing.get_context("spawn")  # a fork would share threads and open databases
        pool = ProcessPoolExecutor(min(self.workers, len(jobs)) or 1, apart, initializer=leave_with_parent)
        try:
            for done in as_completed([pool.submit(play_run, job) for job in jobs]):
                yield done.result()
        except BrokenProcessPool:
            raise UsageError("lab.worker-died") from None
        except (KeyboardInterrupt, GeneratorExit):
            for worker in multiprocessing.active_children():
                worker.terminate()  # what is not finished is played again; nobody waits for it
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class Cluster(Engine):
    """A Dask cluster at an address; its workers need the same Hakoniwa installed."""

    def __init__(self, address: str) -> None:
        self.address = address

    def played(self, jobs: Sequence[RunJob]) -> Iterator[str]:
        try:
            dask = importlib.import_module(DISTRIBUTED)
        except ModuleNotFoundError:
            raise UsageError("lab.no-dask", python=quote(sys.executable)) from None
        try:
            client = dask.Client(self.address, timeout="10s")
        except (OSError, ValueError) as error:
            raise UsageError("lab.no-cluster", address=self.address, problem=str(error)) from None
        with client:
            running = client.map(play_run, list(jobs), pure=False)
            for _, result in dask.as_completed(running, with_results=True):
                yield result


def leave_with_parent() -> None:
    """Let a worker end when its parent does, however that came about: a killed parent closes no queue."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever interrupts means the one that leads
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_leave_after, args=(parent.sentinel,), daemon=True).start()


def _leave_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
