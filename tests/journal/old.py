"""A journal as an earlier Hakoniwa left it, and what must be in it whatever has been added since."""

import re
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, make_url

from hakoniwa.journal import Branch, Journal
from hakoniwa.play.state_hash import verify
from tests.journal.contract import call

# A garden of three turns, the last of which was taken back, a second branch and a word of the user.
DUMP = Path(__file__).with_name("journal_0001.sql").read_text(encoding="utf-8")
_INSERT = re.compile(r'^INSERT INTO "(\w+)" VALUES\(.*?\);$', re.DOTALL | re.MULTILINE)


def inserts(*tables: str) -> list[str]:
    """The rows of the dump alone, table by table."""
    found = [(match[1], match[0]) for match in _INSERT.finditer(DUMP)]
    return [statement for table in tables for name, statement in found if name == table]


def leave_on_server(url: str) -> None:
    """Make an empty database of a PostgreSQL what it was at the first revision."""
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "hakoniwa.journal:migrations")
        command.upgrade(config, "0001")
    engine.dispose()
    with psycopg.connect(url) as server:
        server.execute("DELETE FROM counters")
        for statement in inserts("counters", "gardens", "events", "branches"):
            server.execute(statement.encode())


def is_as_it_was_left(journal: Journal) -> None:
    """Nothing is lost, everything adds up, and it can go on."""
    assert [garden.id for garden in journal.gardens()] == ["box"]
    assert journal.branches("box") == [
        Branch(name="main", head=8, parent=None, turn=0),
        Branch(name="二度目", head=11, parent="main", turn=2),
    ]
    rows = journal.lineage("box", "二度目")
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5, 8, 9, 10, 11]
    assert rows[-1].row_hash == "13698884560f92bcc40f5829933b2baf81c56f70cf74267ec383502f23e7ac94"
    assert rows[-1].event.payload == {"speaker": "user", "text": "だれか、窓を開けて"}
    assert verify(journal, "box") == []
    assert journal.calls("box", "main") == []
    journal.record_call("box", "二度目", 11, 4, "key", call())
    assert journal.recorded_call("box", "二度目", 11, "key") == call()
    assert [row.seq for row in journal.append("box", "二度目", [rows[-1].event], 11)] == [12]
