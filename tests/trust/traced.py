"""System calls of processes as the kernel sees them: whether what was sent had been synced before, and whether a copy
had been before its journal was touched.

The journal is made to say, in a file that nobody reads, when it begins to write and what it has written."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import CDLL, c_ulong
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hakoniwa.journal import Row
from hakoniwa.journal.database import Database
from hakoniwa.journal.sql import SqlJournal

CALLS = "write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync"
OPTIONS = ("-f", "-y", "-s", "65536", "-e", f"trace={CALLS}", "-e", "raw=pwrite64", "-e", "signal=none")
FILES = ("-f", "-y", "-s", "0", "-e", "trace=write,pwrite64,fsync,fdatasync,/^rename", "-e", "signal=none")
LET_WATCH, ANYBODY = 0x59616D61, c_ulong(-1)  # as the kernel calls it, where only parents may watch
BEGIN, END = "mark begin", "mark end"
MARK = re.compile(rf'"(?:({BEGIN})|{END} ([\d ]+))"')
SENT = re.compile(r"(?<!\\)\\nid: (\d+)\\n")
CALL = re.compile(
    r"(?P<thread>\d+) +(?:<\.\.\. )?(?P<name>\w+)(?:\(| resumed>)(?P<file>0x[0-9a-f]+|\d+)?(?:<(?P<path>[^>]*)>)?"
)


FILE_CALL = re.compile(r"\d+ +(?P<name>\w+)\((?:\d+<(?P<path>[^>]*)>)?")
QUOTED = re.compile(r'"([^"]*)"')


class Sent(NamedTuple):
    """A row on its way to somebody, and whether the log had been synced since it was written there."""

    seq: int
    synced: bool


class Writing:
    """A thread that writes to the journal: where in the trace its log was safe, once everything written was synced."""

    def __init__(self) -> None:
        self._unsynced: set[int] = set()
        self._syncing: tuple[int, str] | None = None
        self.safe: int | None = None

    def writes(self, file: int) -> None:
        self._unsynced.add(file)

    def syncs(self, file: int, path: str) -> None:
        self._syncing = file, path

    def has_synced(self, place: int) -> None:
        """A sync counts once it has come back, and only for the log, if something was written there before."""
        if self._syncing:
            file, path = self._syncing
            if path.endswith("-wal") and file in self._unsynced:
                self._unsynced.remove(file)
                self.safe = place


class Trace:
    """System calls in their order: where rows were sent, and where they had been synced.

    Which rows a thread has written it says only afterwards, when another process may have sent them already."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._writing: dict[str, Writing] = {}
        self._synced: dict[int, int] = {}
        self._sent: list[tuple[int, int]] = []
        for place, line in enumerate(lines):
            if call := CALL.match(line):
                self._see(place, line, **call.groupdict())

    def sent(self) -> list[Sent]:
        """Every row that was sent."""
        return [Sent(seq, self._synced.get(seq, place) < place) for place, seq in self._sent]

    def _see(self, place: int, line: str, thread: str, name: str, file: str | None, path: str | None) -> None:
        writing = self._writing.get(thread)
        if name in ("fsync", "fdatasync"):
            if writing and file and path:
                writing.syncs(int(file), path)
            if writing and line.endswith(" = 0\n"):
                writing.has_synced(place)
        elif name == "pwrite64":
            if writing and file:
                writing.writes(int(file, 16))
        elif mark := MARK.search(line):
            self._marked(thread, mark)
        else:
            self._sent += [(place, int(seq)) for seq in SENT.findall(line)]

    def _marked(self, thread: str, mark: re.Match[str]) -> None:
        if mark[1]:
            self._writing[thread] = Writing()
        elif (safe := self._writing.pop(thread).safe) is not None:
            self._synced |= dict.fromkeys(map(int, mark[2].split()), safe)


def mark_writes() -> None:
    """Have the journal of this process say what it does, for good: rows count as written once they are committed."""
    append_honestly, as_one_honestly = SqlJournal.append, Database.as_one
    nowhere, whole = os.open(os.devnull, os.O_WRONLY), threading.local()

    def begin() -> None:
        os.write(nowhere, BEGIN.encode())

    def end(rows: Sequence[Row]) -> None:
        if rows:
            os.write(nowhere, f"{END} {' '.join(str(row.seq) for row in rows)}".encode())

    def append(self: SqlJournal, *what: Any) -> list[Row]:
        if (within := getattr(whole, "rows", None)) is not None:
            within += (rows := append_honestly(self, *what))
            return rows
        begin()
        rows = append_honestly(self, *what)
        end(rows)
        return rows

    @contextmanager
    def as_one(self: Database) -> Iterator[None]:
        if getattr(whole, "rows", None) is not None:
            with as_one_honestly(self):
                yield
            return
        whole.rows = rows = []
        begin()
        try:
            with as_one_honestly(self):
                yield
        finally:
            whole.rows = None
        end(rows)

    SqlJournal.append, Database.as_one = append, as_one  # type: ignore[method-assign]


def be_watched() -> None:
    """Let this process be watched by any other of the same user, where only parents may."""
    CDLL(None).prctl(LET_WATCH, ANYBODY, 0, 0, 0)


@cache
def strace() -> str | None:
    """The program that watches, if it is there and may."""
    found = shutil.which("strace")
    may = found and subprocess.run([found, "-o", os.devnull, "true"], capture_output=True, check=False).returncode == 0
    return found if may else None


@contextmanager
def traced(processes: Sequence[int], to: Path, options: Sequence[str] = OPTIONS) -> Iterator[None]:
    """Watch processes, which have to end before this does; nothing is watched where nobody can."""
    program = strace()
    if program is None:
        yield
        return
    watched = [word for one in processes for word in ("-p", str(one))]
    with subprocess.Popen([program, *options, "-o", str(to), *watched], stderr=subprocess.PIPE, text=True) as watcher:
        assert watcher.stderr
        for _ in processes:
            assert "attached" in watcher.stderr.readline()
        yield
        watcher.stderr.read()


def sent_in(trace: Path) -> list[Sent]:
    with trace.open(encoding="latin-1") as lines:
        return Trace(lines).sent()


def copied_late(trace: Path, journal: Path, copy: Path) -> list[str]:
    """What of a copy, by a trace of FILES, was not on the disk yet when something was first written to its journal."""
    unsynced, named = set[str](), set[str]()
    for line in trace.read_text(encoding="latin-1").splitlines():
        call = FILE_CALL.match(line)
        name, path = (call["name"], call["path"] or "") if call else ("", "")
        if name.startswith("rename"):
            old, new = QUOTED.findall(line)
            unsynced |= {str(Path(new).parent), *([new] if old in unsynced else [])}
            named.add(new)
        elif name in ("fsync", "fdatasync") and line.endswith(" = 0"):
            unsynced.discard(path)
        elif path in (str(journal), f"{journal}-wal"):
            late = [*({str(copy)} - named), *sorted(unsynced & {str(copy), str(copy.parent)})]
            return [f"the journal was written to before {one} was on the disk" for one in late]
        elif name:
            unsynced.add(path)
    return ["nothing was written to the journal"]
