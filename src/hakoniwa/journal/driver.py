"""Statements straight to the driver: by way of SQLAlchemy a small one takes several times as long."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

T = TypeVar("T")
NAME = re.compile(r":([a-z_]+\d*)")


def rows(connection: Connection, sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """What a question answers."""
    found: list[tuple[Any, ...]] = _driven(connection, sql, values, lambda cursor: cursor.fetchall())
    return found


def run(connection: Connection, sql: str, values: Mapping[str, Any]) -> None:
    """A statement that answers nothing."""
    _driven(connection, sql, values, lambda _: None)


def _driven(connection: Connection, sql: str, values: Mapping[str, Any], finish: Callable[[Any], T]) -> T:
    driver: Any = connection.connection.driver_connection
    asked = sql if connection.dialect.name == "sqlite" else _in_percents(sql)
    errors = connection.dialect.loaded_dbapi.Error
    try:
        return finish(driver.execute(asked, values))
    except errors as error:
        raise DBAPIError.instance(sql, dict(values), error, errors, dialect=connection.dialect) from error


@lru_cache(maxsize=512)
def _in_percents(sql: str) -> str:
    """A statement with its values named as PostgreSQL's driver wants them."""
    return NAME.sub(r"%(\1)s", sql)
