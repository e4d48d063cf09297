"""A journal that someone has touched does not pass for the truth."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.play.session import Session
from hakoniwa.play.state_hash import verify
from hakoniwa.turn import Event, PatchOp
from tests.play.parlour import after, parlour

MOMENTS = [("やな", "(GET: カップ) 「どうも」"), ("あゆ", "「おかえり」"), ("やな", "(OPEN: 戸棚)")]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'journal.db'}"


@pytest.fixture
def journal(url: str) -> Journal:
    return open_journal(url)


def tamper(url: str, statement: str, **values: Any) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        assert connection.execute(text(statement), values).rowcount == 1
    engine.dispose()


def write(session: Session, **fields: Any) -> None:
    """Append one event that the garden itself would never have written."""
    event = Event(**{"kind": "clock", "turn": 3, "origin": "gm", **fields})
    session.journal.append(session.garden.id, session.branch, [event], session.head)


def test_an_honest_journal_holds(journal: Journal) -> None:
    session = after(MOMENTS, parlour(journal=journal))
    asyncio.run(session.undo())
    asyncio.run(session.fork("もしも"))
    after([("やな", "「別の道」")], session)

    assert [branch.name for branch in journal.branches("parlour")] == ["main", "もしも"]
    assert verify(journal, "parlour") == []


def test_a_changed_payload_is_found(journal: Journal, url: str) -> None:
    session = after(MOMENTS, parlour(journal=journal))
    row = next(one for one in session.rows if one.event.kind == "turn")
    payload = json.dumps(row.event.payload, ensure_ascii=False).replace("どうも", "盗んだ")

    tamper(url, "UPDATE events SET payload = :payload WHERE seq = :seq", payload=payload, seq=row.seq)

    assert verify(journal, "parlour") == [f"row {row.seq}: its hash does not add up"]


def test_a_changed_world_is_found_from_where_it_parts(journal: Journal, url: str) -> None:
    session = after(MOMENTS, parlour(journal=journal))
    row = next(one for one in session.rows if one.event.kind == "turn")

    tamper(url, "UPDATE events SET world_delta = '[]' WHERE seq = :seq", seq=row.seq)

    problems = verify(journal, "parlour")
    assert problems[0] == f"row {row.seq}: its hash does not add up"
    assert [one.split(": its state_hash is")[0] for one in problems[1:]] == [
        f"branch 'main', turn {one.event.turn}, row {one.seq}" for one in session.rows if one.event.state_hash
    ][1:]


def test_a_wrong_state_hash_is_found_though_the_row_adds_up() -> None:
    session = after(MOMENTS)
    write(session, state_hash="0" * 16)

    seq = session.rows[-1].seq + 1
    assert verify(session.journal, "parlour") == [
        f"branch 'main', turn 3, row {seq}: its state_hash is {'0' * 16}, "
        f"but the world it leaves has {session.world.hash}"
    ]


def test_a_delta_that_does_not_apply_is_found_once_though_two_branches_share_it() -> None:
    session = after(MOMENTS)
    write(session, world_delta=(PatchOp(op="remove", path="/props/ギター"),))
    seq = session.rows[-1].seq + 1
    session.journal.fork("parlour", "main", "もしも", seq)

    (problem,) = verify(session.journal, "parlour")

    assert problem.startswith(f"branch 'main', turn 3, row {seq}: its delta does not apply")
    assert "ギター" in problem


def test_another_opening_is_not_the_one_that_was_played(journal: Journal, url: str) -> None:
    session = after(MOMENTS, parlour(journal=journal))
    scenario = json.dumps(session.garden.scenario, ensure_ascii=False).replace("雨", "雪")

    tamper(url, "UPDATE gardens SET scenario = :scenario WHERE id = 'parlour'", scenario=scenario)

    hashed = [row for row in session.rows if row.event.state_hash]
    assert len(verify(journal, "parlour")) == len(hashed)


def test_an_opening_that_is_no_scenario_is_told(journal: Journal, url: str) -> None:
    after(MOMENTS, parlour(journal=journal))

    tamper(url, "UPDATE gardens SET scenario = '{}' WHERE id = 'parlour'")

    assert verify(journal, "parlour") == ["garden 'parlour': its scenario cannot be read: Field required"]


def test_the_rows_of_a_branch_that_cannot_be_read_are_told(journal: Journal, url: str) -> None:
    session = after(MOMENTS, parlour(journal=journal))
    seq = session.rows[2].seq

    tamper(url, "UPDATE events SET payload = '{' WHERE seq = :seq", seq=seq)

    problems = verify(journal, "parlour")
    assert problems[0] == f"row {seq}: it cannot be read"
    assert problems[1].startswith("branch 'main', head of 'main': its rows cannot be read")


def test_memory_and_file_agree(journal: Journal) -> None:
    memory = MemoryJournal()
    for one in (journal, memory):
        after(MOMENTS, parlour(journal=one))

    assert verify(journal, "parlour") == verify(memory, "parlour") == []
