"""Who holds a lock on a server takes it again after an outage, however long that lasts."""

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from hakoniwa.jobs.liveness import ServerLiveness


class Connection:
    """Takes what is executed, while the server is there."""

    def __init__(self, server: "Server") -> None:
        self._server = server

    def execute(self, statement: Any, _: Any = None) -> None:
        self._server.answer()
        self._server.asked.append(str(statement))

    def invalidate(self) -> None:
        pass

    def close(self) -> None:
        pass


class Server:
    """A server that can be away, as an engine sees it."""

    def __init__(self) -> None:
        self.away = False
        self.asked: list[str] = []

    def execution_options(self, **_: Any) -> "Server":
        return self

    def connect(self) -> Connection:
        self.answer()
        return Connection(self)

    def answer(self) -> None:
        if self.away:
            raise OperationalError("", None, Exception("nobody there"))

    def locks(self) -> int:
        return sum("pg_advisory_lock" in one for one in self.asked)


def test_a_lock_that_could_not_be_taken_again_at_once_is_taken_later() -> None:
    server = Server()
    liveness = ServerLiveness(server, grace=0.0)  # type: ignore[arg-type]
    liveness.hold("one")
    server.away = True
    for _ in range(3):
        with pytest.raises(OperationalError):
            liveness.keep()
    server.away = False
    liveness.keep()
    assert server.locks() == 2
    liveness.keep()
    assert server.locks() == 2


def test_who_has_let_go_takes_nothing_again() -> None:
    server = Server()
    liveness = ServerLiveness(server, grace=0.0)  # type: ignore[arg-type]
    liveness.hold("one")
    liveness.let_go()
    liveness.keep()
    assert server.locks() == 1
