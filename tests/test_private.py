"""What only its owner may read: databases with what is beside them, copies of them, and the folders made for them."""

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hakoniwa.app.token import token_of
from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.journal.open import open_journal
from hakoniwa.own_files import private_database, private_folder
from hakoniwa.settings import Settings
from tests.journal.contract import KITCHEN
from tests.journal.old import DUMP

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such modes")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {str(one.relative_to(folder)): f"{stat.S_IMODE(one.stat().st_mode):o}" for one in folder.rglob("*")}


def test_a_journal_and_the_folders_made_for_it_are_their_owners_alone(tmp_path: Path) -> None:
    with closing(open_journal(f"sqlite:///{tmp_path / 'a' / 'b' / 'journal.db'}")) as journal:
        journal.create(KITCHEN)
        files = dict.fromkeys(("a/b/journal.db", "a/b/journal.db-wal", "a/b/journal.db-shm"), "600")
        assert modes(tmp_path) == {"a": "700", "a/b": "700", **files}


def test_so_is_the_work(tmp_path: Path) -> None:
    with closing(DbosJobs(f"sqlite:///{tmp_path / 'work' / 'jobs.db'}", [])):
        found = modes(tmp_path)
    assert (found.pop("work"), found.pop("work/jobs.db.workers")) == ("700", "700")
    assert set(found.values()) == {"600"}


def test_so_is_a_backup(tmp_path: Path) -> None:
    with closing(open_journal(f"sqlite:///{tmp_path / 'journal.db'}")) as journal:
        journal.create(KITCHEN)
        journal.backup(tmp_path / "kept" / "copy.db")
    assert modes(tmp_path / "kept") == {"copy.db": "600"}
    assert modes(tmp_path)["kept"] == "700"


def test_so_is_a_copy_made_before_an_upgrade(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(DUMP)
    assert modes(tmp_path) == {"journal.db": "644"}
    open_journal(f"sqlite:///{file}").close()
    assert modes(tmp_path) == {"journal.db": "600", "journal.before-upgrade-0001.db": "600"}


def test_a_journal_that_others_could_read_is_closed_to_them_with_its_copies(tmp_path: Path) -> None:
    file, copy = tmp_path / "journal.db", tmp_path / "journal.before-upgrade-0001.db"
    open_journal(f"sqlite:///{file}").close()
    copy.touch()
    for one in (tmp_path, file, copy):
        one.chmod(0o755 if one.is_dir() else 0o644)
    open_journal(f"sqlite:///{file}").close()
    assert modes(tmp_path) == {"journal.db": "600", "journal.before-upgrade-0001.db": "600"}
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755  # a folder that was there is its maker's


def test_the_folder_of_a_new_token_is_its_owners_alone(tmp_path: Path) -> None:
    token_of(Settings(home=tmp_path / "home"))
    assert modes(tmp_path) == {"home": "700", "home/token": "600"}


def test_nothing_is_allowed_that_was_not(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    file.touch(0o444)
    private_database(file)
    assert modes(tmp_path) == {"journal.db": "400"}


def test_what_is_somebody_elses_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "journal.db"
    file.touch(0o644)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    private_database(file)
    assert modes(tmp_path) == {"journal.db": "644"}


def test_a_folder_below_a_file_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        private_folder(tmp_path / "file" / "a" / "b")
