"""Upgrades of journals in PostgreSQL, undisturbed and killed; what a kill left is looked at before anybody opens it."""

import os
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from typing import Any, LiteralString, NamedTuple

import psycopg
from alembic import command
from alembic.config import Config
from psycopg import sql
from psycopg.rows import dict_row
from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event, insert, make_url, text

from hakoniwa.errors import HakoniwaError
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import REVISION_TABLE
from tests.trust.fatal import STATEMENT, watch_statements
from tests.trust.lives import heard_from, in_child
from tests.trust.postgres import new_database
from tests.trust.promise import Tries, Try
from tests.trust.revisions import DUMPS, NEWEST, Contents, lost, misshapen, opened, place_of
from tests.trust.steps import Fate

JOURNAL, EARLIER = "public", "hakoniwa_before_upgrade_0000"  # schemas; the other one an upgrade of long ago has left
LATEST = 0.15  # seconds after which an upgrade is killed at the latest
PATIENCE = 180.0  # seconds in which a server notices that its client is dead, on a machine that others use too
AT_A_STEP = 0.8  # of the kills; the others come at any moment

CLIENTS = """SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"""
SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = %s"
COLUMNS = """SELECT concat_ws(' ', table_name, column_name, ordinal_position, data_type, is_nullable, column_default)
FROM information_schema.columns WHERE table_schema = %s"""
INDICES = "SELECT indexdef FROM pg_indexes WHERE schemaname = %s"
CONSTRAINTS = """SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE connamespace = %s::regnamespace"""


class Schema(NamedTuple):
    """What is in a schema: every row of every table, and what they are made of."""

    rows: Contents
    shape: frozenset[str]


Schemas = dict[str, Schema]


def upgraded_on_a_server(count: int, chance: random.Random) -> Tries:
    """Kill upgrades on their way; the first one of each journal is undisturbed, to see how long that is."""
    steps: dict[str, int] = {}
    for number in range(count):
        revision, place = place_of(number, count, chance.random())
        if revision not in steps:
            steps[revision], wrong = _undisturbed(revision)
            yield Try(f"upgraded in PostgreSQL from {revision}", wrong)
        at_a_step, seconds = chance.random() < AT_A_STEP, chance.uniform(0, LATEST)
        wrong = _killed(revision, int(place * steps[revision]) if at_a_step else None, seconds)
        yield Try(f"killed in PostgreSQL on the way from {revision}", wrong)


def _undisturbed(revision: str) -> tuple[int, list[str]]:
    """How many steps an upgrade has, and what is wrong afterwards."""
    url = new_database(like=planted(revision))
    before = look(url)
    (word, found), *_ = _in_child(url, Fate(), None)
    wrong = [f"the upgrade ended with {found}"] if word != "steps" else [*_after_upgrade(url, revision, before)]
    return int(found) if word == "steps" else 1, [f"PostgreSQL, {revision}: {one}" for one in wrong]


def _killed(revision: str, after: int | None, seconds: float) -> list[str]:
    """What is wrong after an upgrade was killed after so many steps, or seconds."""
    url = new_database(like=planted(revision))
    before = look(url)
    fate = Fate() if after is None else Fate(STATEMENT, after)
    crash = [str(found) for word, found in _in_child(url, fate, seconds if after is None else None) if word == "crash"]
    found_dead = [f"killed: {one}" for one in (*crash, *_wrong(url, revision, before))]
    again = [f"opened again: {one}" for one in _after_upgrade(url, revision, before)]
    return [f"PostgreSQL, {revision}, {one}" for one in (*found_dead, *again)]


def _in_child(url: str, fate: Fate, seconds: float | None) -> list[list[Any]]:
    """Open a journal in a process of its own, until that is dead and the server has noticed; and what it said."""

    def work(note: Any) -> None:
        watch_statements(fate)
        event.listen(Engine, "commit", lambda _: fate(STATEMENT))
        open_journal(url).close()
        fate(STATEMENT)  # it is committed, and nobody knows of it
        note("steps", len(fate.reached))

    child, reading = in_child(work)
    said = [*heard_from(reading, child, None if seconds is None else time.monotonic() + seconds)]
    os.waitpid(child, 0)
    _noticed(url)
    return said


def _noticed(url: str) -> None:
    """Wait until nobody is connected any more: a server ends what it was told by a client that is dead."""
    deadline = time.monotonic() + PATIENCE
    with psycopg.connect(url, autocommit=True) as server:
        while server.execute(CLIENTS).fetchone() != (0,):
            assert time.monotonic() < deadline, "a server does not notice that its client is dead"
            time.sleep(0.01)


# --- what is there --------------------------------------------------------------------------------------------------


def look(url: str) -> Schemas:
    """Everything that is in a database, as it lies there."""
    with psycopg.connect(url) as server:
        return {name: _schema(server, name) for name in _column(server, SCHEMAS)}


def _schema(server: psycopg.Connection[Any], name: str) -> Schema:
    tables = _column(server, TABLES, name)
    shape = [line for asked in (COLUMNS, INDICES, CONSTRAINTS) for line in _column(server, asked, name)]
    return Schema({table: _rows(server, name, table) for table in tables}, frozenset(shape))


def _column(server: psycopg.Connection[Any], asked: LiteralString, *about: str) -> list[str]:
    return [str(first) for (first,) in server.execute(asked, about)]


def _rows(server: psycopg.Connection[Any], schema: str, table: str) -> Counter[str]:
    everything = sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, table))
    return Counter(map(repr, server.cursor(row_factory=dict_row).execute(everything)))


def _after_upgrade(url: str, revision: str, before: Schemas) -> Iterator[str]:
    """What is wrong with a journal once it has been opened."""
    try:
        yield from opened(url)
    except HakoniwaError as error:
        yield f"it does not open: {error}"
    yield from _wrong(url, revision, before, upgraded=True)


def _wrong(url: str, revision: str, before: Schemas, upgraded: bool = False) -> Iterator[str]:
    """Where a database is neither what it was, to the last index, nor upgraded, with what it was beside it."""
    now, copy = look(url), f"hakoniwa_before_upgrade_{revision}"
    was, is_now = before[JOURNAL], now.get(JOURNAL, Schema({}, frozenset()))
    yield from lost(was.rows, is_now.rows)
    if upgraded or is_now != was:
        yield from _not_upgraded(url, is_now)
        yield from [] if copy in now else ["upgraded, and no copy"]
    if copy in now and now[copy].rows != was.rows:
        yield "a copy that is not whole"
    if {name: one for name, one in now.items() if name not in (JOURNAL, copy)} != {EARLIER: before[EARLIER]}:
        yield "something else is new, or the copy of an earlier upgrade is not what it was"


def _not_upgraded(url: str, journal: Schema) -> Iterator[str]:
    """What a journal lacks of the newest revision."""
    if (standing := [*journal.rows.get(REVISION_TABLE, ())]) != [repr({"version_num": NEWEST})]:
        yield f"half upgraded, at {standing}"
    yield from (f"half upgraded: {one}" for one in misshapen(_by_psycopg(url)))


# --- what was there -------------------------------------------------------------------------------------------------


@cache
def planted(revision: str) -> str:
    """A database with a journal as it was left at a revision, for others to be made like it."""
    url = new_database()
    engine = create_engine(_by_psycopg(url))
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "hakoniwa.journal:migrations")
        command.upgrade(config, revision)
        _fill(connection, revision)
        connection.execute(text(f"CREATE SCHEMA {EARLIER}"))
        connection.execute(text(f"CREATE TABLE {EARLIER}.gardens AS TABLE gardens"))
    engine.dispose()
    return url


def _fill(connection: Connection, revision: str) -> None:
    """Put in what the Hakoniwa of that time wrote, and nothing else."""
    tables = MetaData()
    tables.reflect(connection)
    with closing(sqlite3.connect(":memory:")) as dump:
        dump.executescript(DUMPS[revision])
        dump.row_factory = sqlite3.Row
        for table in tables.sorted_tables:
            connection.execute(table.delete())
            if rows := [dict(row) for row in dump.execute(f'SELECT * FROM "{table.name}"')]:
                connection.execute(insert(table), rows)


def _by_psycopg(url: str) -> URL:
    return make_url(url).set(drivername="postgresql+psycopg")
