"""Databases for promises that speak of a real PostgreSQL."""

from itertools import count

import psycopg
from sqlalchemy import make_url

from tests.postgres import postgres_server

_numbers = count(1)


def new_database(like: str | None = None) -> str:
    """The address of a database with nothing in it, or with all that another one has, which nobody may be using."""
    server, name = postgres_server(), f"trust_{next(_numbers)}"
    template = f" TEMPLATE {make_url(like).database}" if like else ""
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{template}".encode())
    return server.set(database=name).render_as_string(hide_password=False)
