"""kill -9 at any moment: whatever was announced as written is there, whole, and adds up."""

import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest

from hakoniwa.journal.open import open_journal
from tests.journal.contract import KITCHEN

KILLS = 20
PARTS = 3
WRITER = f"""
import sys
from hakoniwa.journal.open import open_journal
from hakoniwa.turn import Event

journal = open_journal(sys.argv[1])
head = journal.branches("kitchen")[0].head
turn = (head or 0) // {PARTS}
while True:
    turn += 1
    said = "おはよう" * (turn % 500)
    events = [Event(kind="turn", turn=turn, origin="gm", payload={{"said": said}}) for _ in range({PARTS})]
    head = journal.append("kitchen", "main", events, head)[-1].seq
    print(head, flush=True)
"""
OPENER = """
import sys
from hakoniwa.journal.open import open_journal
print("ready", flush=True)
open_journal(sys.argv[1])
"""


@pytest.fixture
def chance() -> random.Random:
    return random.Random(20240229)


def kill_after(wait: float, program: str, url: str) -> list[str]:
    """What the program printed until `wait` seconds after its first line; a line cut short does not count."""
    with subprocess.Popen([sys.executable, "-c", program, url], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        sleep(wait)
        child.kill()
        printed = first + child.stdout.read()
    assert child.returncode in (0, -signal.SIGKILL)
    return [line.strip() for line in printed.splitlines(keepends=True) if line.endswith("\n")]


def test_what_was_announced_survives_every_kill(tmp_path: Path, chance: random.Random) -> None:
    url = f"sqlite:///{tmp_path}/garden.db"
    with closing(open_journal(url)) as journal:
        journal.create(KITCHEN)
    announced: list[int] = []
    for _ in range(KILLS):
        announced += [int(line) for line in kill_after(chance.uniform(0, 0.1), WRITER, url)]
        with closing(open_journal(url)) as journal:
            rows = journal.lineage("kitchen", "main")
            assert journal.check("kitchen") == []
        assert {row.seq for row in rows} >= set(announced)
        assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
        assert set(Counter(row.event.turn for row in rows).values()) == {PARTS}
    assert len(announced) > KILLS


def test_a_journal_killed_while_it_was_being_made_can_still_be_made(tmp_path: Path, chance: random.Random) -> None:
    for number in range(KILLS):
        url = f"sqlite:///{tmp_path}/{number}.db"
        assert kill_after(chance.uniform(0, 0.4), OPENER, url) == ["ready"]
        with closing(open_journal(url)) as journal:
            journal.create(KITCHEN)
            assert journal.gardens() == [KITCHEN]
            assert journal.check("kitchen") == []
