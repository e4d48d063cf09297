"""What a persona says is on the disk before anybody hears of it, as the kernel sees it: the log is synced, then sent.

One strace watches `hakoniwa serve` and the process that writes the messages, so that all they do has one order."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import NamedTuple

import httpx
import pytest

from hakoniwa.app.chats import new_chat
from hakoniwa.journal.open import open_journal
from tests.jobs.contract import until
from tests.jobs.nursery import ROOT
from tests.real.test_serve import PATIENCE, SERVE

MESSAGES, CARELESS = 1000, 20
CHAT = "chat-yana"
CALLS = "write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync"
# Its child is the server. Told to, it writes messages, and tells the trace before each; the last ones without syncs.
WRITER = """
import os, subprocess, sys
from datetime import UTC, datetime
import hakoniwa.sqlite
from hakoniwa.ghost.autonomy.doings import Doings
from hakoniwa.ghost.autonomy.rows import Said
from hakoniwa.ghost.generated import Generated
from hakoniwa.journal.open import open_journal

url, chat, count, careless, *serve = sys.argv[1:]
about = {"message_kind": "report", "delivery_mode": "chat", "action_type": "x", "capability": "x",
         "decision_id": 1, "intent_id": 1, "result_id": 1}

def write(numbers):
    doings = Doings(open_journal(url), chat, "main", "yana")
    for number in numbers:
        os.write(trace, f"mark {number}".encode())
        doings.write(Said(key=str(number), at=datetime.now(UTC), assistant_text=Generated(f"m{number}"), **about))

with subprocess.Popen([*serve, "--no-worker", "--journal", url]) as server:
    trace = os.open(os.devnull, os.O_WRONLY)
    sys.stdin.readline()
    write(range(int(count)))
    hakoniwa.sqlite.SETTINGS = ("synchronous=OFF",)
    write(range(int(count), int(count) + int(careless)))
    sys.stdin.readline()
    server.terminate()
"""
ADDRESS = re.compile(r"(http://\S+:\d+)/\?token=(\S+)")
HEARD = re.compile(r'data: {"message":"m(\d+)"')
MARK, SENT = re.compile(r'"mark (\d+)"'), re.compile(r'\\"message\\":\\"m(\d+)\\"')
CALL = re.compile(
    r"(?P<thread>\d+) +(?:<\.\.\. )?(?P<name>\w+)(?:\(| resumed>)(?P<file>0x[0-9a-f]+|\d+)?(?:<(?P<path>[^>]*)>)?"
)


class Sent(NamedTuple):
    """A message on its way to a console, and whether the log had been synced since it was written there."""

    number: int
    synced: bool


class Trace:
    """System calls in their order. A sync counts once it has returned, for the message that its thread said it would
    write, and only if it has written to that very file since."""

    def __init__(self) -> None:
        self._about: dict[str, int] = {}
        self._written: dict[str, set[int]] = {}
        self._syncing: dict[str, tuple[int, str]] = {}
        self._synced: set[int] = set()

    def sent(self, lines: Iterable[str]) -> Iterator[Sent]:
        """Every message that was sent."""
        for line in lines:
            if call := CALL.match(line):
                yield from self._seen(line, **call.groupdict())

    def _seen(self, line: str, thread: str, name: str, file: str | None, path: str | None) -> Iterator[Sent]:
        if name in ("fsync", "fdatasync"):
            if file and path:
                self._syncing[thread] = int(file), path
            if line.endswith(" = 0\n"):
                self._came_back(thread)
        elif name == "pwrite64":
            self._written.setdefault(thread, set()).update([int(file, 16)] if file else [])
        elif mark := MARK.search(line):
            self._about[thread], self._written[thread] = int(mark[1]), set()
        else:
            yield from (Sent(int(number), int(number) in self._synced) for number in SENT.findall(line))

    def _came_back(self, thread: str) -> None:
        file, path = self._syncing[thread]
        if thread in self._about and path.endswith("-wal") and file in self._written[thread]:
            self._synced.add(self._about[thread])


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> list[Sent]:
    """What was sent while messages were written; a console has heard all of them, in order and once."""
    folder = tmp_path_factory.mktemp("traced")
    strace = shutil.which("strace")
    if not strace or subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs strace, and the right to watch processes (Debian: apt install strace)")
    journal_url = f"sqlite:///{folder}/garden.db"
    with closing(open_journal(journal_url)) as journal:
        new_chat(journal, "yana", CHAT)
    watch = [strace, "-f", "--seccomp-bpf", "-y", "-s", "65536", "-e", f"trace={CALLS}", "-e", "raw=pwrite64"]
    write = [sys.executable, "-c", WRITER, journal_url, CHAT, str(MESSAGES), str(CARELESS), *SERVE]
    own = {"HAKONIWA_HOME": str(folder), "HAKONIWA_CONFIG": str(folder / "none"), "HAKONIWA_MODEL": "builtin"}
    with subprocess.Popen(
        [*watch, "-o", str(folder / "trace"), *write], cwd=ROOT, env={**os.environ, **own},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as writer:  # fmt: skip
        heard = list(console(writer))
    assert heard == list(range(MESSAGES + CARELESS))
    with (folder / "trace").open(encoding="latin-1") as lines:
        return list(Trace().sent(lines))


def console(writer: "subprocess.Popen[str]") -> Iterator[int]:
    """Connect, let the writer begin, hear all it writes, and let it end."""
    assert writer.stdin
    assert writer.stdout
    address = ADDRESS.search(writer.stdout.readline())
    assert address
    url, token = address.groups()
    with httpx.Client(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=PATIENCE) as client:
        until(lambda: is_up(client), PATIENCE)
        with client.stream("GET", f"/v1/chats/{CHAT}/events") as stream:
            lines = stream.iter_lines()
            print(next(lines), file=writer.stdin, flush=True)
            yield from islice((int(one[1]) for line in lines if (one := HEARD.match(line))), MESSAGES + CARELESS)
    print(file=writer.stdin, flush=True)


def is_up(client: httpx.Client) -> bool:
    try:
        return client.get("/health").is_success
    except httpx.ConnectError:
        return False


def test_the_log_is_synced_before_any_message_is_sent(sent: list[Sent]) -> None:
    found = sent[:MESSAGES]
    print(f"\n  {sum(one.synced for one in found)} of {len(found)} messages were synced before they were sent", end=" ")
    assert found == [Sent(number, synced=True) for number in range(MESSAGES)]


def test_a_message_that_is_sent_without_a_sync_would_be_seen(sent: list[Sent]) -> None:
    assert sent[MESSAGES:] == [Sent(MESSAGES + number, synced=False) for number in range(CARELESS)]
