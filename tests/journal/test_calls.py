"""Calls to a model in a file: what they cost, who writes at once, and everything that can befall them."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from hakoniwa.errors import JournalBroken, JournalError, JournalFull, JournalLocked
from hakoniwa.journal import Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.llm import Call, Message
from tests.journal import old
from tests.journal.contract import KITCHEN, ask, asked, call, contents, play, refused, reused
from tests.pace import busy

ROOT = Path(__file__).parents[2]
RULES = "".join(f"規則{number}。そこにない物は使えない。行動は（）、台詞は「」で書く。\n" for number in range(12))
KILLED = """
import os, signal, sys
from hakoniwa.journal.open import open_journal
from tests.journal.contract import ask

ask(open_journal(sys.argv[1]), 1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "garden.db"


@pytest.fixture
def journal(file: Path) -> Iterator[SqlJournal]:
    journal = SqlJournal(f"sqlite:///{file}", patience=0.1)
    journal.create(KITCHEN)
    yield journal
    journal.close()


def by_hand(file: Path, statement: str) -> list[Any]:
    """Change the file as someone with the sqlite3 shell would."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def two_calls(turn: int) -> list[dict[str, Any]]:
    """Think and perform of a turn: rules, everything that was said lately, and a scene of the turn's own."""
    said = "".join(f"第{number}ターン、やなは棚の{number}番目の箱を開けて、中を見た。\n" for number in range(1, turn))
    scene = "".join(f"<object name='{name}' seen='{turn}'/>\n" for name in ("棚", "箱", "鍵", "窓", "机"))
    front = {"role": "user", "content": f"{RULES}{said[-2000:]}{scene}考えて。"}
    rest = [{"role": "assistant", "content": f"{turn}番目が気になる。"}, {"role": "user", "content": "演じて。"}]
    return [call(messages=[front]), call(messages=[front, *rest], purpose="actor.perform")]


def text_of(calls: list[dict[str, Any]]) -> int:
    return sum(len(message["content"].encode()) for one in calls for message in one["messages"])


def test_prompts_that_repeat_one_another_are_kept_in_little_room(journal: SqlJournal, file: Path) -> None:
    everything: list[dict[str, Any]] = []
    for turn in range(1, 201):
        for number, one in enumerate(two_calls(turn)):
            journal.record_call("kitchen", "main", None, turn, f"{turn}/{number}", one)
            everything.append(one)
    assert [row.call for row in journal.calls("kitchen", "main", prompts=True)] == everything
    journal.close()
    assert text_of(everything) > 2_000_000
    assert file.stat().st_size < 1_000_000


@pytest.mark.pace
def test_a_call_costs_little_to_write_and_to_look_for(journal: SqlJournal) -> None:
    calls = [one for turn in range(80, 110) for one in two_calls(turn)]

    def work() -> None:
        for number, one in enumerate(calls):
            journal.recorded_call("kitchen", "main", None, str(number))
            journal.record_call("kitchen", "main", None, 1, str(number), one)

    work()
    assert busy(work, within=0.003 * len(calls)) < 0.003 * len(calls)


def test_a_reply_outlives_the_process_that_asked(journal: SqlJournal, file: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, f"sqlite:///{file}"], cwd=ROOT)
    assert ended.returncode == -signal.SIGKILL
    assert journal.recorded_call("kitchen", "main", None, "key") == call()


def test_a_call_of_a_model_goes_in_and_comes_out(journal: SqlJournal) -> None:
    prompt = (Message(role="user", content="おはよう\n"), Message(role="assistant", content="やあ"))
    mine = Call(purpose="actor.think", model="gemma3:4b", messages=prompt, max_tokens=100, reply="うん", first_ms=1.5)
    journal.record_call("kitchen", "main", None, 1, "key", mine.model_dump())
    assert Call.model_validate(journal.recorded_call("kitchen", "main", None, "key")) == mine
    assert Call.model_validate(journal.calls("kitchen", "main")[0].call) == mine.model_copy(update={"messages": ()})


def test_many_may_write_the_same_texts_at_once(file: Path) -> None:
    one, two = open_journal(f"sqlite:///{file}"), open_journal(f"sqlite:///{file}")
    one.create(KITCHEN)
    for name in "abcd":
        one.fork("kitchen", "main", name, None)

    def write(branch: str, mine: Journal) -> None:
        for turn in range(1, 16):
            for number, said in enumerate(two_calls(turn)):
                mine.record_call("kitchen", branch, None, turn, f"{turn}/{number}", said)
            play(mine, range(turn, turn + 1), branch=branch)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write, name, mine) for name, mine in zip("abcd", (one, one, two, two), strict=True)]:
            done.result()
    expected = [said for turn in range(1, 16) for said in two_calls(turn)]
    for name in "abcd":
        assert [row.call for row in two.calls("kitchen", name, prompts=True)] == expected
    assert one.check("kitchen") == []
    one.close()
    two.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM texts",
        "UPDATE texts SET text = '\"今晩は\"'",
        "UPDATE texts SET text = 'not JSON'",
        "UPDATE texts SET text = '7'",
        "UPDATE calls SET prompt = '['",
        "UPDATE calls SET prompt = '[{\"content\": [3]}]'",
        "UPDATE calls SET prompt = '[7]'",
        "UPDATE calls SET call = '[]'",
    ],
)
def test_a_call_that_was_changed_by_hand_is_found_and_asked_again(
    journal: SqlJournal, file: Path, statement: str
) -> None:
    ask(journal, 1)
    by_hand(file, statement)
    assert journal.check("kitchen") == ["call 1: it cannot be read"]
    assert reused(journal) is None
    act = lambda: journal.calls("kitchen", "main", prompts=True)  # noqa: E731
    assert refused(JournalBroken, "journal.broken", act) == {"path": str(file), "problem": "call 1 cannot be read"}
    assert [row.seq for row in play(journal, range(1, 2))] == [1]


def test_a_spoilt_reply_gives_way_to_an_older_one(journal: SqlJournal, file: Path) -> None:
    ask(journal, 1, reply="古い")
    ask(journal, 1, reply="新しい")
    by_hand(file, "UPDATE calls SET call = 'not JSON' WHERE id = 2")
    assert reused(journal) == "古い"


def test_a_garden_does_not_need_its_calls(journal: SqlJournal, file: Path) -> None:
    ask(journal, 1)
    rows = play(journal, range(1, 3))
    by_hand(file, "DELETE FROM calls")
    by_hand(file, "DELETE FROM texts")
    assert journal.check("kitchen") == []
    assert journal.lineage("kitchen", "main") == rows


def test_a_call_that_the_database_refuses_leaves_nothing(journal: SqlJournal, file: Path) -> None:
    by_hand(file, "CREATE TRIGGER none BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'no calls'); END")
    details = refused(JournalError, "journal.failed", lambda: ask(journal, 1))
    assert details == {"path": str(file), "problem": "no calls"}
    assert by_hand(file, "SELECT * FROM texts") == []
    by_hand(file, "DROP TRIGGER none")
    ask(journal, 1)
    assert journal.recorded_call("kitchen", "main", None, "key") == call()


def test_a_full_disk_loses_no_call_and_keeps_none_by_halves(journal: SqlJournal, file: Path) -> None:
    ask(journal, 1, reply="一")
    rows = play(journal, range(1, 2))
    with journal.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    limit_pages(journal, pages + 2)
    large = "".join(f"{number}行目\n" for number in range(5000))
    details = refused(JournalFull, "journal.full", lambda: ask(journal, 2, reply="二", said=large))
    assert details == {"path": str(file), "problem": "database or disk is full"}
    assert asked(journal) == [(1, "一", False)]
    limit_pages(journal, 1_000_000)
    ask(journal, 2, reply="二", said=large)
    assert journal.recorded_call("kitchen", "main", 1, "key") == call(reply="二", said=large)
    assert journal.lineage("kitchen", "main") == rows
    assert journal.check("kitchen") == []


def limit_pages(journal: SqlJournal, pages: int) -> None:
    """Let the file grow no further than this, as a disk would; the limit is each connection's own."""
    journal.engine.dispose()
    event.listen(journal.engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count={pages}"))


def test_a_journal_that_another_process_holds_says_so(journal: SqlJournal, file: Path) -> None:
    ask(journal, 1)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        details = refused(JournalLocked, "journal.locked", lambda: ask(journal, 1))
        assert details == {"path": str(file), "problem": "database is locked"}
        assert reused(journal) == "喉が渇いた。"
        assert asked(journal) == [(1, "喉が渇いた。", False)]
    ask(journal, 1)
    assert len(asked(journal)) == 2


def test_calls_are_there_after_closing(journal: SqlJournal, file: Path) -> None:
    ask(journal, 1)
    before = contents(journal)
    journal.close()
    with closing(open_journal(f"sqlite:///{file}")) as again:
        assert contents(again) == before
        assert reused(again) == "喉が渇いた。"


def test_a_journal_from_before_there_were_calls_takes_them(file: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(old.DUMP)
    with closing(open_journal(f"sqlite:///{file}")) as journal:
        old.is_as_it_was_left(journal)
        journal.backup(tmp_path / "copy.db")
    with closing(open_journal(f"sqlite:///{tmp_path}/copy.db")) as copy:
        assert [row.call for row in copy.calls("box", "二度目", prompts=True)] == [call()]


def test_several_may_bring_an_old_journal_up_to_date_at_once(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(old.DUMP)
    with ThreadPoolExecutor(4) as pool:
        journals = list(pool.map(lambda _: open_journal(f"sqlite:///{file}"), range(4)))
    old.is_as_it_was_left(journals[0])
    for journal in journals:
        journal.close()
