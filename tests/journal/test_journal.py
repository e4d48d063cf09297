"""Both journals that need no server keep the promises, and agree with each other."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.errors import HakoniwaError, JournalError
from hakoniwa.journal import CallRow, Journal, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.rows import hash_row
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.turn import Event
from tests.journal.contract import KITCHEN, JournalContract, call, contents, refused, turn

Timed = TypeVar("Timed", Row, CallRow)


class TestMemory(JournalContract):
    @pytest.fixture
    def journal(self) -> Journal:
        return MemoryJournal()


class TestSqlite(JournalContract):
    @pytest.fixture
    def journal(self, tmp_path: Path) -> Iterator[Journal]:
        journal = open_journal(f"sqlite:///{tmp_path / 'garden.db'}")
        yield journal
        journal.close()


SEQS = st.none() | st.integers(min_value=0, max_value=12)
NAMES = st.sampled_from(["main", "a", "b"])
ACTS = st.one_of(
    st.tuples(st.just("append"), NAMES, st.integers(min_value=0, max_value=3)),
    st.tuples(st.just("move"), NAMES, SEQS),
    st.tuples(st.just("fork"), NAMES, NAMES, SEQS),
    st.tuples(st.just("ask"), NAMES, st.integers(min_value=1, max_value=3), st.sampled_from([None, "model.stalled"])),
    st.tuples(st.just("reuse"), NAMES),
)


def outcome(journal: Journal, act: tuple[object, ...]) -> object:
    """What an act answers, an error's own words included."""
    try:
        match act:
            case ("append", str(branch), int(count)):
                heads = {found.name: found.head for found in journal.branches("kitchen")}
                events = [turn(number) for number in range(count)]
                return [untimed(row) for row in journal.append("kitchen", branch, events, heads.get(branch))]
            case ("move", str(branch), to):
                return journal.move_head("kitchen", branch, to)  # type: ignore[arg-type,func-returns-value]
            case ("fork", str(branch), str(name), at):
                return journal.fork("kitchen", branch, name, at)  # type: ignore[arg-type]
            case ("ask", str(branch), int(number), fault):
                at = {found.name: found.head for found in journal.branches("kitchen")}.get(branch)
                return journal.record_call("kitchen", branch, at, number, "key", call(fault=fault))  # type: ignore[func-returns-value]
            case ("reuse", str(branch)):
                at = {found.name: found.head for found in journal.branches("kitchen")}.get(branch)
                return journal.recorded_call("kitchen", branch, at, "key")
    except HakoniwaError as error:
        return str(error)


def untimed(row: Timed) -> Timed:
    return row.model_copy(update={"recorded_at": ""})


@given(st.lists(ACTS, max_size=16))
def test_memory_and_sqlite_cannot_be_told_apart(acts: list[tuple[object, ...]]) -> None:
    with TemporaryDirectory() as directory:
        memory, sqlite = MemoryJournal(), SqlJournal(f"sqlite:///{directory}/garden.db")
        for journal in (memory, sqlite):
            journal.create(KITCHEN)
        assert [outcome(memory, act) for act in acts] == [outcome(sqlite, act) for act in acts]
        ours, theirs = contents(memory), contents(sqlite)
        assert [untimed(row) for row in ours["rows"]] == [untimed(row) for row in theirs["rows"]]
        assert (ours["gardens"], ours["branches"]) == (theirs["gardens"], theirs["branches"])
        assert list(ours["calls"]) == list(theirs["calls"])
        for place in ours["calls"]:
            assert [untimed(row) for row in ours["calls"][place]] == [untimed(row) for row in theirs["calls"][place]]
        for branch in memory.branches("kitchen"):
            lines = [[untimed(row) for row in found.lineage("kitchen", branch.name)] for found in (memory, sqlite)]
            assert lines[0] == lines[1]
        assert memory.check("kitchen") == sqlite.check("kitchen") == []
        sqlite.close()


def test_a_row_hash_is_the_same_on_every_machine() -> None:
    event = Event(kind="note", turn=3, origin="gm", payload={"b": 0.5, "あ": "い"}, state_hash="ff")
    text = '["00","kitchen","note",3,"gm",[],{"b":0.5,"あ":"い"},[],"ff"]'
    assert hash_row("00", "kitchen", event) == sha256(text.encode()).hexdigest()
    assert hash_row(None, "kitchen", event) == sha256(text.replace('"00"', "null").encode()).hexdigest()


def test_a_changed_row_in_memory_is_found() -> None:
    journal = MemoryJournal()
    journal.create(KITCHEN)
    journal.append("kitchen", "main", [turn(1), turn(2)], None)
    journal.since(0)[0].event.payload["speech"] = "こんばんは"
    assert journal.check("kitchen") == ["row 1: its hash does not add up"]


@pytest.mark.parametrize("url", ["", "kitchen", "sqlite://", "sqlite:///:memory:", "mysql://me:secret@host/db"])
def test_a_url_that_names_no_journal_is_refused_without_repeating_it(url: str) -> None:
    details = refused(JournalError, "journal.bad-url", lambda: open_journal(url))
    assert details == {"known": "sqlite:///path/to/file, postgresql://user@host/database, memory:"}


def test_memory_is_a_journal_by_url() -> None:
    assert isinstance(open_journal("memory:"), MemoryJournal)


def test_the_directory_is_made(tmp_path: Path) -> None:
    open_journal(f"sqlite:///{tmp_path}/not/yet/garden.db").close()
    assert [path.name for path in (tmp_path / "not" / "yet").iterdir()] == ["garden.db"]


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    act = lambda: open_journal(f"sqlite:///{tmp_path}/file/garden.db")  # noqa: E731
    assert refused(JournalError, "journal.cannot-open", act)["path"] == str(tmp_path / "file")
