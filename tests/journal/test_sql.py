"""What is particular to a journal in a file: its settings, its writers, and everything that can befall a file."""

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event, text

from hakoniwa.errors import JournalBroken, JournalError, JournalFull, JournalLocked, JournalNewer
from hakoniwa.journal import Journal, copies, engine
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS, metadata
from tests.journal.contract import KITCHEN, STUDY, contents, head, play, refused, turn, turns
from tests.trust.scratch import full_disk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "garden.db"


@pytest.fixture
def journal(file: Path) -> Iterator[SqlJournal]:
    journal = SqlJournal(f"sqlite:///{file}", patience=0.1)
    journal.create(KITCHEN)
    yield journal
    journal.close()


def by_hand(file: Path, statement: str, *values: object) -> list[Any]:
    """Change the file as someone with the sqlite3 shell would."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        return connection.execute(statement, values).fetchall()


def pragma(journal: SqlJournal, name: str) -> Any:
    with journal.engine.connect() as connection:
        return connection.execute(text(f"PRAGMA {name}")).scalar()


def test_commits_reach_the_disk(journal: SqlJournal) -> None:
    found = {name: pragma(journal, name) for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")}
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 100}


def test_where_a_line_stands_is_one_question(journal: SqlJournal) -> None:
    asked: list[str] = []
    event.listen(journal.engine, "before_cursor_execute", lambda *details: asked.append(details[2]))
    journal.branches("kitchen")
    assert sum("SELECT" in statement for statement in asked) == 1


def test_the_migrations_make_the_tables_the_code_speaks_of(journal: SqlJournal) -> None:
    with journal.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE})
        assert compare_metadata(context, metadata) == []


def test_every_migration_is_a_known_revision() -> None:
    config = Config()
    config.set_main_option("script_location", "hakoniwa.journal:migrations")
    scripts = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(scripts)) == REVISIONS


def test_an_up_to_date_journal_opens_without_alembic(journal: SqlJournal, file: Path) -> None:
    program = f"""
import sys
from hakoniwa.journal.open import open_journal
open_journal("sqlite:///{file}").close()
print([name for name in sys.modules if name.startswith("alembic")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_journal_is_there_after_closing(journal: SqlJournal, file: Path) -> None:
    play(journal, range(1, 4))
    before = contents(journal)
    journal.close()
    again = open_journal(f"sqlite:///{file}")
    assert contents(again) == before
    again.close()


def test_several_may_open_a_new_journal_at_once(file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        journals = list(pool.map(lambda _: open_journal(f"sqlite:///{file}"), range(8)))
    journals[0].create(KITCHEN)
    assert [journal.gardens() for journal in journals] == [[KITCHEN]] * 8
    for journal in journals:
        journal.close()


def test_threads_that_write_at_once_get_numbers_in_the_order_of_their_commits(file: Path) -> None:
    one, two = open_journal(f"sqlite:///{file}"), open_journal(f"sqlite:///{file}")
    one.create(KITCHEN)
    writers = []
    for name, journal in (("a", one), ("b", one), ("c", two), ("d", two)):
        one.fork("kitchen", "main", name, None)
        writers.append(Thread(target=play, args=(journal, range(25)), kwargs={"branch": name}))
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while any(writer.is_alive() for writer in writers):
        seen += [row.seq for row in one.since(seen[-1] if seen else 0)]
        sleep(0.001)
    seen += [row.seq for row in one.since(seen[-1])]
    assert seen == list(range(1, 101))
    assert [turns(two.lineage("kitchen", name)) for name in "abcd"] == [list(range(25))] * 4
    assert two.check("kitchen") == []
    one.close()
    two.close()


def test_of_two_writers_with_the_same_head_one_is_refused(journal: SqlJournal, file: Path) -> None:
    def write(mine: Journal) -> str:
        try:
            return f"row {mine.append('kitchen', 'main', [turn(1)], None)[0].seq}"
        except JournalError as error:
            return error.key

    with closing(SqlJournal(f"sqlite:///{file}")) as other, ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(write, [journal, other])) == ["journal.moved-on", "row 1"]


def test_a_row_of_an_event_list_that_the_database_refuses_takes_the_others_with_it(
    journal: SqlJournal, file: Path
) -> None:
    by_hand(
        file,
        "CREATE TRIGGER third BEFORE INSERT ON events WHEN NEW.turn = 3 BEGIN SELECT RAISE(ABORT, 'no third'); END",
    )
    act = lambda: journal.append("kitchen", "main", [turn(1), turn(2), turn(3)], None)  # noqa: E731
    assert refused(JournalError, "journal.failed", act) == {"path": str(file), "problem": "no third"}
    assert (journal.since(0), head(journal)) == ([], None)
    assert [row.seq for row in journal.append("kitchen", "main", [turn(1)], None)] == [1]


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE events SET payload = '{}' WHERE seq = 2", ["row 2: its hash does not add up"]),
        ("UPDATE events SET origin = 'gm' WHERE seq = 1", ["row 1: its hash does not add up"]),
        ("UPDATE events SET turn = 7 WHERE seq = 3", ["row 3: its hash does not add up"]),
        ("UPDATE events SET witnesses = '[]' WHERE seq = 3", ["row 3: its hash does not add up"]),
        ("UPDATE events SET world_delta = '[]' WHERE seq = 3", ["row 3: its hash does not add up"]),
        ("UPDATE events SET state_hash = NULL WHERE seq = 3", ["row 3: its hash does not add up"]),
        (
            "UPDATE events SET row_hash = 'x' WHERE seq = 2",
            ["row 2: its hash does not add up", "row 3: its hash does not add up"],
        ),
        ("UPDATE events SET payload = 'not JSON' WHERE seq = 2", ["row 2: it cannot be read"]),
        ("UPDATE events SET payload = '{\"a\": NaN}' WHERE seq = 2", ["row 2: it cannot be read"]),
        ("UPDATE events SET parent = 1 WHERE seq = 3", ["row 3: its hash does not add up"]),
        ("UPDATE events SET parent = 3 WHERE seq = 2", ["row 2: its hash does not add up"]),
        (
            "DELETE FROM events WHERE seq = 2",
            ["row 3: its parent 2 is missing", "journal: 3 rows were written, 2 are there"],
        ),
        (
            "DELETE FROM events WHERE seq = 3",
            ["branch 'main': its head 3 is not a row of this garden", "journal: 3 rows were written, 2 are there"],
        ),
        ("UPDATE branches SET head = 9", ["branch 'main': its head 9 is not a row of this garden"]),
    ],
)
def test_what_was_changed_by_hand_is_found(journal: SqlJournal, file: Path, statement: str, found: list[str]) -> None:
    play(journal, range(1, 4))
    by_hand(file, statement)
    assert journal.check("kitchen") == found


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE events SET payload = '[' WHERE seq = 2", "row 2 cannot be read"),
        ("DELETE FROM events WHERE seq = 2", "row 3 follows row 2, which is not before it"),
        ("DELETE FROM events WHERE seq = 3", "the head of branch 'main' is at row 3, which is missing"),
        ("UPDATE events SET parent = 3 WHERE seq = 1", "row 1 follows row 3, which is not before it"),
        ("DROP TABLE branches", "no such table: branches"),
    ],
)
def test_a_broken_lineage_is_not_read_as_if_it_were_whole(
    journal: SqlJournal, file: Path, statement: str, problem: str
) -> None:
    play(journal, range(1, 4))
    by_hand(file, statement)
    act = lambda: journal.lineage("kitchen", "main")  # noqa: E731
    assert refused(JournalBroken, "journal.broken", act) == {"path": str(file), "problem": problem}


def test_a_dangling_head_can_be_put_back(journal: SqlJournal, file: Path) -> None:
    play(journal, range(1, 4))
    by_hand(file, "UPDATE branches SET head = 9")
    refused(JournalBroken, "journal.broken", lambda: journal.append("kitchen", "main", [turn(4)], 9))
    journal.move_head("kitchen", "main", 3)
    assert journal.check("kitchen") == []


def test_a_damaged_journal_can_still_be_saved(journal: SqlJournal, file: Path, tmp_path: Path) -> None:
    play(journal, range(1, 4))
    by_hand(file, "DELETE FROM events WHERE seq = 3")
    by_hand(file, "UPDATE events SET payload = 'not JSON' WHERE seq = 2")
    journal.backup(tmp_path / "copy.db")
    for table in ("counters", "gardens", "events", "branches"):
        assert by_hand(tmp_path / "copy.db", f"SELECT * FROM {table}") == by_hand(file, f"SELECT * FROM {table}")


def test_a_backup_that_fails_leaves_nothing_behind(journal: SqlJournal, file: Path, tmp_path: Path) -> None:
    by_hand(file, "DROP TABLE branches")
    (tmp_path / "copies").mkdir()
    act = lambda: journal.backup(tmp_path / "copies" / "copy.db")  # noqa: E731
    assert refused(JournalBroken, "journal.broken", act)["path"] == str(file)
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_backup_for_which_there_is_no_room_leaves_nothing_behind(journal: SqlJournal, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    with full_disk(4096):
        told = refused(JournalFull, "journal.full", lambda: journal.backup(tmp_path / "copies" / "copy.db"))
    assert told["path"] == str(tmp_path / "copies" / "copy.db")
    assert list((tmp_path / "copies").iterdir()) == []


def test_the_name_of_a_backup_is_synced(journal: SqlJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[Path, bool]] = []
    monkeypatch.setattr(
        copies, "sync_to_disk", lambda path: synced.append((path, (path / "copy.db").stat().st_size > 0))
    )
    journal.backup(tmp_path / "copy.db")
    assert synced == [(tmp_path, True)]


def test_a_backup_is_its_owners_and_touches_nothing_that_it_did_not_make(journal: SqlJournal, tmp_path: Path) -> None:
    theirs = {f"copy.db.partial{end}": f"theirs{end}" for end in ("", "-wal", "-shm")}
    for name, words in theirs.items():
        (tmp_path / name).write_text(words)
    journal.backup(tmp_path / "copy.db")
    assert {name: (tmp_path / name).read_text() for name in theirs} == theirs
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.glob("copy*")) == ["copy.db", *sorted(theirs)]


def test_what_a_killed_backup_left_is_not_mixed_into_the_next(journal: SqlJournal, tmp_path: Path) -> None:
    other = open_journal(f"sqlite:///{tmp_path}/copy.db.partial")
    other.create(STUDY)
    other.close()
    journal.backup(tmp_path / "copy.db")
    copy = open_journal(f"sqlite:///{tmp_path}/copy.db")
    assert copy.gardens() == [KITCHEN]
    copy.close()


@pytest.mark.parametrize("made", ["backup", "new journal"])
def test_until_a_file_is_complete_nobody_has_its_name(
    journal: SqlJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    """A process that is killed leaves everything as it was at that moment."""
    copy, seen = tmp_path / "copy.db", []
    settle = engine._settle
    monkeypatch.setattr(engine, "_settle", lambda *given: (seen.append(copy.exists()), settle(*given)))
    if made == "backup":
        journal.backup(copy)
    else:
        open_journal(f"sqlite:///{copy}").close()
    assert seen[0] is False
    assert by_hand(copy, f"SELECT version_num FROM {REVISION_TABLE}") == [(REVISIONS[-1],)]
    assert list(tmp_path.glob("*.partial*")) == []


def test_a_backup_leaves_a_file_alone_that_came_meanwhile(
    journal: SqlJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, make_tables = tmp_path / "copy.db", copies.make_tables

    def slow(file: Path, called: str) -> None:
        copy.write_text("theirs")
        make_tables(file, called)

    monkeypatch.setattr(copies, "make_tables", slow)
    assert refused(JournalError, "journal.exists", lambda: journal.backup(copy)) == {"path": str(copy)}
    assert copy.read_text() == "theirs"
    assert sorted(one.name for one in tmp_path.glob("copy*")) == ["copy.db"]


@pytest.mark.parametrize("statement", [None, "CREATE TABLE bookmarks (url TEXT)", "CREATE TABLE gardens (id TEXT)"])
def test_what_is_no_journal_is_refused_and_left_as_it_is(tmp_path: Path, statement: str | None) -> None:
    file = tmp_path / "theirs.db"
    file.touch(mode=0o644)
    if statement:
        by_hand(file, statement)
    before, mode = file.read_bytes(), file.stat().st_mode
    key = "journal.foreign" if statement else "journal.empty"
    assert refused(JournalError, key, lambda: open_journal(f"sqlite:///{file}")) == {"path": str(file)}
    assert (file.read_bytes(), file.stat().st_mode) == (before, mode)
    assert [one.name for one in tmp_path.glob("theirs*")] == ["theirs.db"]


def test_a_journal_of_a_newer_hakoniwa_is_left_alone(journal: SqlJournal, file: Path) -> None:
    journal.close()
    by_hand(file, f"UPDATE {REVISION_TABLE} SET version_num = '9999'")
    before = file.read_bytes()
    details = refused(JournalNewer, "journal.newer", lambda: open_journal(f"sqlite:///{file}"))
    assert details == {"path": str(file), "found": "9999", "known": REVISIONS[-1]}
    assert file.read_bytes() == before


def test_a_journal_that_another_process_holds_says_so(journal: SqlJournal, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for act in (
            lambda: journal.append("kitchen", "main", [turn(1)], None),
            lambda: journal.move_head("kitchen", "main", None),
            lambda: journal.create(STUDY),
        ):
            details = refused(JournalLocked, "journal.locked", act)
            assert details == {"path": str(file), "problem": "database is locked"}
        assert journal.lineage("kitchen", "main") == []
    assert [row.seq for row in journal.append("kitchen", "main", [turn(1)], None)] == [1]


def test_a_locked_new_file_says_so(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        act = lambda: SqlJournal(f"sqlite:///{file}", patience=0.1)  # noqa: E731
        assert refused(JournalLocked, "journal.locked", act)["path"] == str(file)


def test_a_full_disk_loses_nothing_and_writes_nothing_by_halves(journal: SqlJournal, file: Path) -> None:
    rows = play(journal, range(1, 4))
    limit_pages(journal, pragma(journal, "page_count") + 2)
    large = [turn(number, "あ" * 2000) for number in range(4, 20)]
    details = refused(JournalFull, "journal.full", lambda: journal.append("kitchen", "main", large, 3))
    assert details == {"path": str(file), "problem": "database or disk is full"}
    assert journal.lineage("kitchen", "main") == rows
    limit_pages(journal, 1_000_000)
    assert [row.seq for row in journal.append("kitchen", "main", large, 3)] == list(range(4, 20))
    assert journal.check("kitchen") == []


def limit_pages(journal: SqlJournal, pages: int) -> None:
    """Let the file grow no further than this, as a disk would; the limit is each connection's own."""
    journal.engine.dispose()
    event.listen(journal.engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count={pages}"))


def garble(file: Path) -> None:
    file.write_bytes(b"this is a letter, not a database. " * 400)


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:6000])


def scribble(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [garble, cut_short, scribble])
def test_a_file_that_is_no_journal_is_called_broken(
    journal: SqlJournal, file: Path, damage: Callable[[Path], None]
) -> None:
    play(journal, range(1, 20))
    journal.close()
    damage(file)
    before = file.read_bytes()
    act = lambda: contents(open_journal(f"sqlite:///{file}"))  # noqa: E731
    assert refused(JournalBroken, "journal.broken", act)["path"] == str(file)
    assert file.read_bytes() == before


def test_a_directory_is_no_journal(tmp_path: Path) -> None:
    details = refused(JournalError, "journal.cannot-open", lambda: open_journal(f"sqlite:///{tmp_path}"))
    assert details == {"path": str(tmp_path), "problem": "unable to open database file"}


def test_a_copy_of_the_file_is_a_journal_too(journal: SqlJournal, file: Path, tmp_path: Path) -> None:
    rows = play(journal, range(1, 4))
    journal.close()
    shutil.copy(file, tmp_path / "copy.db")
    copy = open_journal(f"sqlite:///{tmp_path}/copy.db")
    assert copy.lineage("kitchen", "main") == rows
    copy.close()
