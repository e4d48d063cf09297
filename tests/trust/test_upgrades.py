"""The copy before an upgrade: on a server, on a full disk, and that none is forgotten."""

import errno
import os
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from hakoniwa.errors import JournalError, JournalFull
from hakoniwa.journal import copies
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import REVISIONS
from tests.journal import old
from tests.trust.postgres import new_database
from tests.trust.revisions import DUMPS
from tests.trust.scratch import full_disk
from tests.trust.upgrades import contents, copy_of, planted


def test_there_is_a_journal_of_every_revision() -> None:
    assert tuple(DUMPS) == REVISIONS


def test_a_journal_in_postgresql_is_copied_into_a_schema_beside_it() -> None:
    old.leave_on_server(url := new_database())
    tables = ("counters", "gardens", "events", "branches")
    with psycopg.connect(url, autocommit=True) as server:
        before = {table: set(server.execute(f"SELECT * FROM {table}")) for table in tables}
        with closing(open_journal(url)) as journal:
            old.is_as_it_was_left(journal)
        copied = {table: set(server.execute(f"SELECT * FROM hakoniwa_before_upgrade_0001.{table}")) for table in tables}
    assert copied == before


def test_without_room_for_a_copy_nothing_is_upgraded(tmp_path: Path) -> None:
    journal = planted(tmp_path, "0002")
    before = contents(journal)
    with full_disk(journal.with_name("journal.db-wal").stat().st_size // 2), pytest.raises(JournalFull) as told:
        open_journal(f"sqlite:///{journal}")
    assert told.value.details["path"] == str(copy_of(journal, "0002"))
    assert contents(journal) == before
    assert not any(tmp_path.glob("*upgrade-0002*"))


def test_what_lies_beside_half_a_copy_goes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = planted(tmp_path, "0002")
    partial = tmp_path / "journal.before-upgrade-0002.db.partial"

    def without_room(*_: object) -> None:
        for beside in ("", "-wal", "-shm"):
            partial.with_name(partial.name + beside).touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(copies, "sync_to_disk", without_room)
    with pytest.raises(JournalFull):
        open_journal(f"sqlite:///{journal}")
    assert not any(tmp_path.glob("*upgrade-0002*"))


def test_a_copy_that_cannot_be_put_in_its_place_is_told(tmp_path: Path) -> None:
    journal = planted(tmp_path, "0002")
    before = contents(journal)
    copy_of(journal, "0002").mkdir()
    with pytest.raises(JournalError) as told:
        open_journal(f"sqlite:///{journal}")
    assert told.value.details["path"] == str(copy_of(journal, "0002"))
    assert contents(journal) == before
    assert os.listdir(copy_of(journal, "0002")) == []
