"""The journal in a real PostgreSQL keeps the same promises, between processes too."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from hakoniwa.errors import JournalBroken, JournalError, JournalLocked, JournalNewer
from hakoniwa.journal import Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS, metadata
from tests.journal import old
from tests.journal.contract import KITCHEN, JournalContract, ask, call, contents, play, refused, reused, turn

WRITER = """
import sys
from hakoniwa.journal.open import open_journal
from hakoniwa.turn import Event

url, branch, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
journal = open_journal(url)
head = None
print("ready", flush=True)
input()
for number in range(count):
    events = [Event(kind="turn", turn=number, origin="gm", payload={"part": part}) for part in range(1 + number % 3)]
    head = journal.append("kitchen", branch, events, head)[-1].seq
"""
CALLER = """
import sys
from hakoniwa.journal.open import open_journal
from tests.journal.contract import call

journal = open_journal(sys.argv[1])
for number in range(int(sys.argv[3])):
    lines = "".join(f"{line}\\n" for line in range(number, number + 60))
    journal.record_call("kitchen", sys.argv[2], None, 1, str(number), call(said=lines))
"""
ROOT = Path(__file__).parents[2]


@pytest.fixture
def journal(url: str) -> Iterator[Journal]:
    journal = open_journal(url)
    yield journal
    journal.close()


class TestPostgres(JournalContract):
    @pytest.fixture
    def journal(self, url: str) -> Iterator[Journal]:
        journal = open_journal(url)
        yield journal
        journal.close()


def test_the_migrations_make_the_tables_the_code_speaks_of(bare_url: str) -> None:
    with closing(SqlJournal(bare_url)) as journal, journal.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE})
        assert compare_metadata(context, metadata) == []


def test_commits_reach_the_disk_and_locks_are_not_waited_for_without_end(url: str) -> None:
    with closing(SqlJournal(url, patience=2.5)) as journal, journal.engine.connect() as connection:
        found = [connection.execute(text(f"SHOW {name}")).scalar() for name in ("synchronous_commit", "lock_timeout")]
    assert found == ["on", "2500ms"]


def test_several_may_open_a_new_journal_at_once(bare_url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        journals = list(pool.map(lambda _: open_journal(bare_url), range(6)))
    journals[0].create(KITCHEN)
    assert [journal.gardens() for journal in journals] == [[KITCHEN]] * 6
    for journal in journals:
        journal.close()


def writing(url: str, branch: str, count: int) -> subprocess.Popen[str]:
    """A process that is about to write; it begins at the first line it reads."""
    command = [sys.executable, "-c", WRITER, url, branch, str(count)]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    return writer


def test_a_reader_misses_no_row_of_two_writing_processes(journal: Journal, url: str) -> None:
    journal.create(KITCHEN)
    for branch in ("a", "b"):
        journal.fork("kitchen", "main", branch, None)
    writers = [writing(url, branch, 102) for branch in ("a", "b")]
    for writer in writers:
        print(file=writer.stdin, flush=True)
    seen: list[int] = []
    while any(writer.poll() is None for writer in writers):
        seen += [row.seq for row in journal.since(seen[-1] if seen else 0)]
        sleep(0.001)
    assert [writer.returncode for writer in writers] == [0, 0]
    end = monotonic() + 60  # a row waits for older transactions of the whole server
    while len(seen) < 408 and monotonic() < end:
        seen += [row.seq for row in journal.since(seen[-1])]
    assert seen == list(range(1, 409))
    lines = [journal.lineage("kitchen", branch) for branch in ("a", "b")]
    assert [len(rows) for rows in lines] == [204, 204]
    assert any(row.parent is not None and row.seq - row.parent > 1 for row in lines[0]), "they never wrote at once"
    assert journal.check("kitchen") == []


def test_processes_that_keep_the_same_texts_at_once_do_not_get_in_each_others_way(journal: Journal, url: str) -> None:
    journal.create(KITCHEN)
    for branch in ("a", "b"):
        journal.fork("kitchen", "main", branch, None)
    writers = [subprocess.Popen([sys.executable, "-c", CALLER, url, branch, "150"], cwd=ROOT) for branch in ("a", "b")]
    assert [writer.wait() for writer in writers] == [0, 0]
    kept = [[row.call for row in journal.calls("kitchen", branch, prompts=True)] for branch in ("a", "b")]
    assert len(kept[0]) == 150
    assert kept[0] == kept[1]
    assert journal.check("kitchen") == []


def test_a_call_does_not_wait_for_turns(url: str) -> None:
    with closing(SqlJournal(url, patience=0.1)) as journal, psycopg.connect(url) as other:
        journal.create(KITCHEN)
        other.execute("UPDATE counters SET value = value")
        ask(journal, 1)
        assert reused(journal) == "喉が渇いた。"


def test_a_call_held_up_by_another_process_says_so(url: str) -> None:
    with closing(SqlJournal(url, patience=0.1)) as journal, psycopg.connect(url) as other:
        journal.create(KITCHEN)
        other.execute("LOCK TABLE calls")
        assert "lock timeout" in refused(JournalLocked, "journal.locked", lambda: ask(journal, 1))["problem"]
        other.rollback()
        ask(journal, 1)
        assert journal.recorded_call("kitchen", "main", None, "key") == call()


def test_a_journal_from_before_there_were_calls_takes_them(bare_url: str) -> None:
    old.leave_on_server(bare_url)
    with closing(open_journal(bare_url)) as journal:
        old.is_as_it_was_left(journal)


def test_a_journal_that_another_process_holds_says_so(url: str) -> None:
    with closing(SqlJournal(url, patience=0.1)) as journal, psycopg.connect(url) as other:
        journal.create(KITCHEN)
        other.execute("UPDATE counters SET value = value")
        act = lambda: journal.append("kitchen", "main", [turn(1)], None)  # noqa: E731
        assert "lock timeout" in refused(JournalLocked, "journal.locked", act)["problem"]
        assert journal.lineage("kitchen", "main") == []
        other.rollback()
        assert [row.seq for row in journal.append("kitchen", "main", [turn(1)], None)] == [1]


def test_a_journal_of_a_newer_hakoniwa_is_refused(journal: Journal, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"UPDATE {REVISION_TABLE} SET version_num = '9999'")
    details = refused(JournalNewer, "journal.newer", lambda: open_journal(url))
    assert (details["found"], details["known"]) == ("9999", REVISIONS[-1])


def test_what_was_changed_by_hand_is_found(journal: Journal, url: str) -> None:
    journal.create(KITCHEN)
    play(journal, range(1, 4))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE events SET payload = '{}' WHERE seq = 2")
        assert journal.check("kitchen") == ["row 2: its hash does not add up"]
        connection.execute("DROP TABLE branches")
    refused(JournalBroken, "journal.broken", lambda: journal.lineage("kitchen", "main"))


def test_a_connection_that_was_cut_is_made_again(journal: Journal, url: str) -> None:
    journal.create(KITCHEN)
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    assert [row.seq for row in journal.append("kitchen", "main", [turn(1)], None)] == [1]


def test_a_backup_while_others_write_is_of_one_moment(journal: Journal, url: str, tmp_path: Path) -> None:
    journal.create(KITCHEN)
    journal.fork("kitchen", "main", "a", None)
    writer = writing(url, "a", 200)
    print(file=writer.stdin, flush=True)
    while len(journal.since(0)) < 20:
        sleep(0.001)
    journal.backup(tmp_path / "copy.db")
    assert writer.wait() == 0
    with closing(open_journal(f"sqlite:///{tmp_path}/copy.db")) as copy:
        rows = contents(copy)["rows"]
        assert copy.check("kitchen") == []
        assert rows == journal.since(0)[: len(rows)]


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    act = lambda: open_journal("postgresql://me:secret@127.0.0.1:1/garden")  # noqa: E731
    details = refused(JournalError, "journal.unreachable", act)
    assert details["path"] == "postgresql://***@127.0.0.1:1/garden"
    assert "secret" not in str(details)
