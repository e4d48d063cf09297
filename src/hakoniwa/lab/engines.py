"""Engines: where runs are played: in this process, in a pool of processes, on a Dask cluster. The runs are the same."""

import importlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from shlex import quote
from threading import Thread
from typing import Protocol

from hakoniwa.errors import UsageError
from hakoniwa.lab.run import RunJob, play_run

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
