"""Workers that can be killed: forked from a process that has everything imported, so that each is there at once.

`python -m tests.jobs.nursery` is told what to do line by line, and is over when its input is. The dead stay unburied
until then, so that no number of theirs is given to a stranger who would be killed in their place.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from hakoniwa.jobs import Flow, FlowContext, FlowStep, StepOutcome
from hakoniwa.jobs.dbos import DbosJobs
from tests.jobs.contract import looking

ROOT = Path(__file__).parents[2]
STEPS = ("gather", "act", "publish", "follow")
ONCE = "act"
AT_ONCE = 4
POINTS = ("begun", "done", "kept")
WAKE = "wake up"


class Entry(NamedTuple):
    """What was done, by which process, its processor time and the clock then, and how long others kept it waiting."""

    words: list[str]
    writer: int
    busy: float
    at: float
    queued: float


def queued() -> float:
    """The seconds in which threads of this process were ready while others had the processor, as far as is known."""
    nanoseconds = 0
    for path in Path("/proc/self/task").glob("*/schedstat"):
        with suppress(OSError):  # a thread that has just ended
            nanoseconds += int(path.read_text().split()[1])
    return nanoseconds / 1e9


class Diary:
    """What steps do to the world: lines that are there as soon as they are written, whatever becomes of the writer."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, *words: str) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        entry = [words, os.getpid(), time.process_time(), time.time(), queued()]
        os.write(file, (json.dumps(entry) + "\n").encode())
        os.close(file)

    def entries(self) -> list[Entry]:
        return [Entry(*json.loads(line)) for line in self.path.read_text().splitlines()] if self.path.exists() else []

    def count(self, *words: str) -> int:
        return len(self.found(*words))

    def found(self, *words: str) -> list[Entry]:
        return [entry for entry in self.entries() if entry.words == list(words)]


def autonomy(diary: Diary, reached: Callable[[str, str, str], None]) -> Flow:
    """Steps of every kind, each of which writes into the diary; `reached` is told of every point on the way."""

    def work(name: str) -> Callable[[str, Any], Any]:
        def sync(key: str, given: Any) -> Any:
            flow = key.split("/")[0]
            reached(flow, name, "begun")
            diary.write(flow, name)
            reached(flow, name, "done")
            return f"{given}>{name}"

        async def waiting(key: str, given: Any) -> Any:
            await asyncio.sleep(0.01)
            return sync(key, given)

        return sync if name == "publish" else waiting

    async def run(line: FlowContext, order: Any) -> Any:
        found = order["from"]
        for name in STEPS:
            found = await line.do(FlowStep(name, work(name), once=name == ONCE), found)
            found = "unknown" if found is StepOutcome.UNKNOWN else found
            reached(line.key, name, "kept")
        diary.write(line.key, "end", found)
        return found

    return Flow("autonomy", run, AT_ONCE)


def slow(diary: Diary) -> Flow:
    """A flow that is in its step for as long as a diary does not say that it may wake up, if it is to wait for that."""

    async def wait(key: str, given: Any) -> str:
        diary.write(key, "begins")
        while given and not diary.count(WAKE):
            await asyncio.sleep(0.01)
        diary.write(key, "ends")
        return "slept"

    async def run(line: FlowContext, order: Any) -> Any:
        before = await line.do(FlowStep("before", wait), False)
        slept = await line.do(FlowStep("sleep", wait, once=order.get("once", False)), order["waits"])
        return [before, "unknown" if slept is StepOutcome.UNKNOWN else slept]

    return Flow("slow", run)


def worker(url: str, diary: str, fatal: list[str], pulse: float) -> None:
    def reached(*point: str) -> None:
        if list(point) == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    book = Diary(Path(diary))
    jobs = DbosJobs(url, [autonomy(book, reached), slow(book)], pulse)
    jobs.run()
    book.write("ready")
    with looking(jobs, pulse):
        signal.pause()


class Nursery:
    """The other end: has workers born and killed, and knows which of them have died."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def bear(self, url: str, diary: Diary, fatal: tuple[str, ...] = (), pulse: float = 0.05, *more: str) -> int:
        return self._ask("bear", url, str(diary.path), list(fatal), pulse, *more)

    def alive(self, worker: int) -> bool:
        return bool(self._ask("alive", worker))

    def kill(self, worker: int, how: signal.Signals = signal.SIGKILL) -> None:
        self._ask("kill", worker, how)

    def kill_all(self) -> None:
        self._ask("kill_all")

    def _ask(self, *what: Any) -> int:
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(what), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


@contextmanager
def nursery(module: str = "tests.jobs.nursery") -> Iterator[Nursery]:
    command = [sys.executable, "-m", module]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Nursery(process)


class Cradle:
    """This end: the parent of all workers."""

    def __init__(self, work: Callable[..., None]) -> None:
        self._work = work
        self._born: list[int] = []

    def bear(self, *how: Any) -> int:
        child = os.fork()
        if not child:
            os.close(0)
            try:
                self._work(*how)
            finally:
                os._exit(1)
        self._born.append(child)
        return child

    def alive(self, child: int) -> int:
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def kill(self, child: int, how: int = signal.SIGKILL) -> int:
        assert child in self._born
        os.kill(child, how)
        return 0

    def kill_all(self) -> int:
        for child in self._born:
            self.kill(child)
        for child in self._born:
            os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        return 0


def main(work: Callable[..., None] = worker) -> None:
    cradle = Cradle(work)
    try:
        for line in sys.stdin:
            what, *how = json.loads(line)
            print(int(getattr(cradle, what)(*how)), flush=True)
    finally:
        cradle.kill_all()


if __name__ == "__main__":
    main()
