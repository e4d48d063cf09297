"""A real PostgreSQL and a real model server for those who ask for one."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import psycopg
import pytest
from sqlalchemy import URL, make_url

from hakoniwa.jobs.dbos import DbosJobs
from hakoniwa.journal.open import open_journal
from tests.postgres import postgres_server
from tests.real.gemma import gemma

numbers = count(1)


@pytest.fixture(scope="session")
def model_server() -> Iterator[str]:
    """The base URL of a real model, for everybody who only wants to talk with one."""
    with gemma() as url:
        yield url


@pytest.fixture(scope="session")
def server() -> URL:
    return postgres_server()


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
