"""The runner: a process of its own that takes delegated tasks one by one and keeps each within its limits.

Two processes look after a task: the runner, and a keeper forked from it for that task. Whatever the command starts
comes back to the keeper when orphaned, and to the runner should the keeper die; the keeper ends everything if the
runner is gone. So whichever of them is killed, nothing of the task lives on."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, NoReturn

from pydantic import TypeAdapter, ValidationError

from hakoniwa.capabilities.agent_delegate import refusal
from hakoniwa.capabilities.capability import one_line, plain
from hakoniwa.capabilities.confine import (
    NOWHERE,
    descendants,
    end_all,
    folder_bytes,
    hold_descendants,
    limit,
    marked_processes,
    resident_bytes,
    restrict,
    sandbox_version,
)
from hakoniwa.capabilities.means import Command, CommandLimits, DelegateMeans
from hakoniwa.capabilities.spool import AgentJob, AgentOutcome, ClaimedJob, Spool

PATH = "/usr/local/bin:/usr/bin:/bin"
MARK = "HAKONIWA_TASK"
STOPS = (signal.SIGTERM, signal.SIGINT)
TICK = 0.1
BEAT = 2.0
GRACE = 30.0  # for the keeper to tidy up, before it is ended itself
IDLE = 0.3
LONGEST_TEXT = 32_768
LONGEST_COMPLAINT = 4_096
MOST_FILES_NAMED = 20
KEPT = 7 * 24 * 3600.0  # seconds for which what a task made is there to be looked at
A_TENTH = 10  # of the time goes into counting what is in its folder, at most


def serve(delegate: DelegateMeans, stopped: Callable[[], bool]) -> None:
    """Take tasks until told to stop."""
    assert delegate.spool is not None, "a runner needs a spool"
    hold_descendants()
    spool = Spool(delegate.spool)
    spool.clear_out(KEPT)
    while not stopped():
        clear_up(spool)
        claim = spool.claim()
        if claim is None:
            time.sleep(IDLE)
        else:
            carry_out(claim, spool, delegate, stopped)


def clear_up(spool: Spool) -> None:
    """Put an end to what a killed runner and its killed keeper left behind. It is not begun again: nobody knows how far
    it came."""
    for id in spool.abandoned():
        for process in marked_processes(f"{MARK}={id}".encode()):
            os.kill(process, signal.SIGKILL)
        spool.end(id, AgentOutcome(fault="lost"))


def carry_out(claim: ClaimedJob, spool: Spool, delegate: DelegateMeans, stopped: Callable[[], bool]) -> None:
    job = claim.job
    try:
        spool.end(job.id, _run(job, spool, delegate, stopped))
    finally:
        os.close(claim.lock)


def _run(job: AgentJob, spool: Spool, delegate: DelegateMeans, stopped: Callable[[], bool]) -> AgentOutcome:
    if fault := refusal(job, delegate):
        return AgentOutcome(fault=fault)
    command = delegate.commands[job.command]
    if not command.unconfined and not sandbox_version():
        return AgentOutcome(fault="no-sandbox")
    try:
        place = spool.directory(job.id)
    except FileExistsError:
        return AgentOutcome(fault="lost")
    report, said = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(report)
        _keep(job, command, delegate.limits, place, spool, said)
    os.close(said)
    words = _listen(report, job.id, spool, stopped, time.monotonic() + delegate.limits.seconds + GRACE)
    end_all()
    try:
        return AgentOutcome.model_validate_json(words)
    except ValidationError:
        return AgentOutcome(fault="lost")


def _listen(report: int, id: str, spool: Spool, stopped: Callable[[], bool], deadline: float) -> bytes:
    """What the keeper reports, to its end; meanwhile the heart beats, and a wish to stop is passed on."""
    words, beaten = bytearray(), 0.0
    with selectors.DefaultSelector() as ready, os.fdopen(report, "rb", buffering=0) as pipe:
        ready.register(pipe, selectors.EVENT_READ)
        while time.monotonic() < deadline:
            if time.monotonic() - beaten > BEAT:
                spool.beat(id)
                beaten = time.monotonic()
            if stopped():
                spool.call_off(id)
            if ready.select(TICK):
                if not (piece := pipe.read(65_536)):
                    break
                words += piece
    return bytes(words)


# --- the keeper -------------------------------------------------------------------------------------------------------


def _keep(job: AgentJob, command: Command, limits: CommandLimits, place: Path, spool: Spool, said: int) -> NoReturn:
    """Look after one task to its end, report, and be gone."""
    runner = os.getppid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def unwanted() -> bool:
        return os.getppid() != runner or spool.called_off(job.id)

    try:
        hold_descendants()
        outcome = _watch_program(job, command, limits, place, unwanted)
        with os.fdopen(said, "wb") as pipe:
            pipe.write(outcome.model_dump_json().encode("utf-8", "replace"))
    finally:
        end_all()
        os._exit(0)  # not back into the runner it was forked from


@dataclass
class _ProgramOutput:
    """What a program has printed so far, kept up to a limit."""

    most: int
    kept: dict[IO[bytes], bytearray] = field(default_factory=dict)
    total: int = 0

    def take(self, pipe: IO[bytes], piece: bytes) -> None:
        self.total += len(piece)
        into = self.kept.setdefault(pipe, bytearray())
        into += piece[: max(0, self.most - len(into))]

    def text(self, pipe: IO[bytes], most: int) -> str:
        return plain(bytes(self.kept.get(pipe, b"")).decode("utf-8", "replace"), most)


@dataclass
class _TaskFolder:
    """The folder of a task, looked into now and then: the longer that takes, the longer until the next time."""

    place: Path
    most: int
    again: float = 0.0

    def due(self) -> bool:
        return time.monotonic() >= self.again

    def too_full(self) -> bool:
        began = time.monotonic()
        found = folder_bytes(self.place, self.most)
        self.again = began + A_TENTH * (time.monotonic() - began)
        return found > self.most


def _watch_program(
    job: AgentJob, command: Command, limits: CommandLimits, place: Path, unwanted: Callable[[], bool]
) -> AgentOutcome:
    started = time.monotonic()
    try:
        program = _start(job, command, limits, place)
    except (OSError, subprocess.SubprocessError) as error:
        return AgentOutcome(fault="no-program" if isinstance(error, OSError) else "no-sandbox")
    assert program.stdout is not None
    assert program.stderr is not None
    heard, folder = _ProgramOutput(limits.output_bytes), _TaskFolder(place, limits.folder_bytes)
    excess = partial(_excess, limits, folder, started + limits.seconds, unwanted)
    fault = _wait_for_end(program, heard, excess)
    end_all()
    fault = fault or ("disk" if folder.too_full() else None)
    code = program.returncode
    return AgentOutcome(
        fault=fault or (None if code == 0 else "exit"),
        exit_code=code,
        seconds=round(time.monotonic() - started, 3),
        raw_output_text=heard.text(program.stdout, LONGEST_TEXT),
        raw_error_text=heard.text(program.stderr, LONGEST_COMPLAINT),
        files=_list_files(place),
    )


def _start(job: AgentJob, command: Command, limits: CommandLimits, place: Path) -> "subprocess.Popen[bytes]":
    """The program, in its own directory, session and bounds; nothing of ours is open in it but its output."""
    dashes = ("--",) if command.dashes else ()
    plain_ones = {"PATH": PATH, "HOME": str(place), "TMPDIR": str(place), "LANG": "C.UTF-8"}

    def bounds() -> None:
        os.umask(0o077)
        limit(limits)
        if not command.unconfined:
            restrict((place, NOWHERE, *command.writable), command.readable)

    return subprocess.Popen(
        [*command.argv, *dashes, job.instruction],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=place,
        env={**plain_ones, **command.environment, MARK: job.id},
        start_new_session=True,
        preexec_fn=bounds,  # safe: the keeper has one thread
    )


def _wait_for_end(
    program: "subprocess.Popen[bytes]", heard: _ProgramOutput, excess: Callable[[], str | None]
) -> str | None:
    """Listen to the program until it ends; or say why it must."""
    with selectors.DefaultSelector() as ready:
        for pipe in (program.stdout, program.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, selectors.EVENT_READ)
        looked = 0.0
        while True:
            over = program.poll() is not None
            _take(ready, heard, 0 if over else TICK)
            if heard.total > heard.most:
                return "output"
            if over:
                return None
            if time.monotonic() - looked >= TICK:
                if fault := excess():
                    return fault
                looked = time.monotonic()


def _take(ready: selectors.BaseSelector, heard: _ProgramOutput, wait: float) -> None:
    """Everything that can be read now; all of what is left, once nobody waits for more."""
    if not ready.get_map():
        time.sleep(wait)
        return
    while events := ready.select(wait):
        for key, _ in events:
            pipe: IO[bytes] = key.fileobj  # type: ignore[assignment]
            piece = pipe.read(65_536)
            if piece:
                heard.take(pipe, piece)
            else:
                ready.unregister(pipe)
        if wait or not ready.get_map() or heard.total > heard.most:
            return


def _excess(limits: CommandLimits, folder: _TaskFolder, deadline: float, unwanted: Callable[[], bool]) -> str | None:
    if unwanted():
        return "cancelled"
    if time.monotonic() > deadline:
        return "timed-out"
    everybody = descendants(os.getpid())
    if len(everybody) > limits.processes:
        return "processes"
    if resident_bytes(everybody) > limits.memory_bytes:
        return "memory"
    return "disk" if folder.due() and folder.too_full() else None


def _list_files(place: Path) -> tuple[str, ...]:
    """Names of what the task made, for whoever looks into its directory; none if it has closed it."""
    with suppress(OSError), os.scandir(place) as entries:
        return tuple(sorted(one_line(entry.name, 100) for entry in entries))[:MOST_FILES_NAMED]
    return ()


# --- the process ------------------------------------------------------------------------------------------------------


def launch(delegate: DelegateMeans) -> "subprocess.Popen[bytes]":
    """A runner of its own, which knows none of this process's secrets; it is told to stop with SIGTERM."""
    runner = subprocess.Popen(
        _runner_command(), stdin=subprocess.PIPE, env=_plain_environment(), start_new_session=True
    )
    assert runner.stdin is not None
    runner.stdin.write(TypeAdapter(DelegateMeans).dump_json(delegate))
    runner.stdin.close()
    return runner


def become_runner(delegate: DelegateMeans) -> NoReturn:
    """Make this process such a runner, which has forgotten all secrets; a wish to stop that comes meanwhile is kept."""
    configuration = os.memfd_create("delegate")
    os.write(configuration, TypeAdapter(DelegateMeans).dump_json(delegate))
    os.lseek(configuration, 0, os.SEEK_SET)
    os.dup2(configuration, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    os.execve(sys.executable, _runner_command(), _plain_environment())


def _runner_command() -> list[str]:
    return [sys.executable, "-m", "hakoniwa.capabilities.runner"]


def _plain_environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}


def main() -> None:
    """`python -m hakoniwa.capabilities.runner`, with the configuration as JSON on its input."""
    delegate = TypeAdapter(DelegateMeans).validate_json(sys.stdin.buffer.read())
    asked_to_stop: list[int] = []
    for number in STOPS:
        signal.signal(number, lambda number, _: asked_to_stop.append(number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    serve(delegate, lambda: bool(asked_to_stop))


if __name__ == "__main__":
    main()
