"""Memory in a real PostgreSQL keeps the same promises, between processes too, and finds nearest vectors by itself."""

import json
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import make_url

from hakoniwa.jobs import Flow, FlowContext
from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.jobs.purge import purge
from hakoniwa.journal import Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.memory.store import Memories
from tests.memory.store import NOON, StoreContract, Told, told

__all__ = ["told"]  # the fixture of the contract

CLAIMER = """
import json, sys
from datetime import datetime
from hakoniwa.memory.store import Memories
from hakoniwa.journal.open import open_journal

memories = Memories(open_journal(sys.argv[1]))
claimed = []
while found := memories.pending(None, 3, datetime.fromisoformat(sys.argv[2])):
    claimed += [work.id for work in found]
print(json.dumps(claimed))
"""


@pytest.fixture
def journal(url: str) -> Iterator[Journal]:
    journal = open_journal(url)
    yield journal
    journal.close()


class TestPostgres(StoreContract):
    """With the journal on a server."""


def test_processes_never_claim_the_same_work(told: Told, url: str) -> None:
    told.tell(*(f"{number}番目の話" for number in range(60)))
    program = [sys.executable, "-c", CLAIMER, url, NOON.isoformat()]
    both = [subprocess.Popen(program, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    claimed = [json.loads(one.communicate()[0]) for one in both]
    assert len(claimed[0]) + len(claimed[1]) == 60
    assert len({*claimed[0], *claimed[1]}) == 60


def test_several_may_take_in_the_same_rows_at_once(told: Told, url: str) -> None:
    told.write(*(f"{number}番目の話" for number in range(30)))
    with closing(open_journal(url)) as other, ThreadPoolExecutor(4) as pool:
        several = [Told(journal) for journal in (told.journal, told.journal, other, other)]
        list(pool.map(Told.catch_up, several))
    assert len(told.texts()) == 30
    assert told.memories.stats(told.scope()).works == {"queued": 30}


# --- nearest vectors -----------------------------------------------------------------------------------------------

DIM = 8


def vector(dice: random.Random) -> list[float]:
    numbers = [dice.gauss(0, 1) for _ in range(DIM)]
    length = sum(one * one for one in numbers) ** 0.5
    return [one / length for one in numbers]


def packed(numbers: list[float]) -> bytes:
    return struct.pack(f"<{DIM}e", *numbers)


def exact(vectors: dict[int, list[float]], to: list[float]) -> list[int]:
    return sorted(vectors, key=lambda seq: -sum(a * b for a, b in zip(vectors[seq], to, strict=True)))


def test_the_nearest_are_found_and_scored(told: Told) -> None:
    dice = random.Random(7)
    seqs = told.tell(*(f"{number}番目の話" for number in range(200)))
    vectors = {seq: vector(dice) for seq in seqs}
    ghost = told.scope().ghost
    early, late = seqs[:150], seqs[150:]
    told.memories.put_vectors(ghost, "e", [("event", seq, packed(vectors[seq])) for seq in early])
    assert told.memories.finds_nearest()
    for number, known in ((1, early), (2, seqs)):  # the index is made at first, and kept in step from then on
        asked = vector(random.Random(number))
        found = told.memories.nearest(told.scope(), "e", packed(asked), 10)
        assert [seq for seq, _ in found] == exact({seq: vectors[seq] for seq in known}, asked)[:10]
        best = vectors[found[0][0]]
        assert found[0][1] == pytest.approx(sum(a * b for a, b in zip(best, asked, strict=True)), abs=0.01)
        told.memories.put_vectors(ghost, "e", [("event", seq, packed(vectors[seq])) for seq in late])
    since = NOON + timedelta(minutes=seqs[-3])
    assert {seq for seq, _ in told.memories.nearest(told.scope(), "e", packed(asked), 10, since)} == set(seqs[-3:])


def test_the_nearest_are_looked_for_along_the_line_and_among_ones_own(told: Told, url: str) -> None:
    dice = random.Random(3)
    one, two, three = told.tell("一", "二", "三")
    told.tell("他の人の話", who=("あゆ",))
    same = packed(vector(dice))
    for who in ("やな", "あゆ"):
        ghost = told.memories.ghost("chat", who)
        told.memories.put_vectors(ghost, "e", [("event", seq, same) for seq in (one, two, three, 4)])
    told.journal.move_head("chat", "main", two)
    assert sorted(seq for seq, _ in told.memories.nearest(told.scope(), "e", same, 9)) == [one, two]
    told.memories.forget(told.scope(), "chat", [one])
    assert [seq for seq, _ in told.memories.nearest(told.scope(), "e", same, 9)] == [two]
    told.memories.drop_vectors(told.scope().ghost, "e")
    assert told.memories.nearest(told.scope(), "e", same, 9) == []
    with psycopg.connect(url) as connection:
        (name,) = connection.execute(
            "SELECT relname FROM pg_class WHERE relname LIKE 'nearest%' AND relkind = 'r'"
        ).fetchone()
        assert connection.execute(f"SELECT ghost, seq FROM {name}").fetchall() == [(2, 4)]


def test_another_process_finds_the_index_made(told: Told, url: str) -> None:
    (one,) = told.tell("一")
    same = packed(vector(random.Random(3)))
    told.memories.put_vectors(told.scope().ghost, "e", [("event", one, same)])
    with closing(open_journal(url)) as other, ThreadPoolExecutor(4) as pool:
        several = [told.memories, Memories(other), told.memories, Memories(other)]
        found = list(pool.map(lambda memories: memories.nearest(told.scope(), "e", same, 9)[0][0], several))
    assert found == [one] * 4


# --- forgetting ----------------------------------------------------------------------------------------------------


def test_what_is_forgotten_is_gone_from_where_work_is_kept(told: Told, url: str) -> None:
    async def rest(line: FlowContext, order: object) -> None: ...

    with closing(DbosJobs(url, [Flow("line", rest)])) as jobs:
        jobs.start("line", "k", {"from": "canary7391"})
        assert not purge(make_url(url), ["k"])
        assert jobs.status("k") == "cancelled"
    with psycopg.connect(url) as server:
        for table in ("workflow_input", "operation_outputs"):
            assert server.execute(f"SELECT count(*) FROM hakoniwa_jobs.{table}").fetchone() == (0,)


def test_the_copy_an_upgrade_has_made_goes(told: Told, url: str) -> None:
    (seq,) = told.tell("秘密の合言葉")
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("CREATE SCHEMA hakoniwa_before_upgrade_0003")
        server.execute("CREATE TABLE hakoniwa_before_upgrade_0003.events AS TABLE events")
        gone = told.memories.forget(told.scope(), "chat", [seq])
        assert (gone.copies, gone.traces) == (1, False)
        assert server.execute("SELECT to_regclass('hakoniwa_before_upgrade_0003.events')").fetchone() == (None,)
