"""What autonomy asks of its databases: the transactions and statements of one round, and of ten idle seconds.

A worker as the command starts it, on SQLite; the model is scripted. A round is a trigger that is thought about, acted
on and told, until nothing of it is left but its rows."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sqlalchemy import Engine, event

from hakoniwa.app.autonomy import AutonomyWorker, autonomy_log_of
from hakoniwa.app.chats import new_chat
from hakoniwa.autonomy.context import AutonomyContext
from hakoniwa.journal import MAIN
from hakoniwa.journal.open import open_journal
from hakoniwa.settings import Settings
from tests.autonomy.cottage import Puppet, later


class Size(NamedTuple):
    """Rounds to play, seconds until what they leave behind is over, and idle seconds to watch."""

    rounds: int
    settled: float
    idle: float


FULL, SMALLEST = Size(5, 3.0, 10.0), Size(1, 0.5, 0.5)
WITHIN = 60.0


@dataclass
class DatabaseUse:
    """Transactions begun and statements executed on every engine of this process."""

    transactions: int = 0
    statements: int = 0


@contextmanager
def counted() -> Iterator[DatabaseUse]:
    """The use that is made of databases meanwhile."""
    use = DatabaseUse()

    def begun(*_: Any) -> None:
        use.transactions += 1

    def executed(*_: Any) -> None:
        use.statements += 1

    listeners: tuple[tuple[str, Callable[..., None]], ...] = (("begin", begun), ("before_cursor_execute", executed))
    for name, listener in listeners:
        event.listen(Engine, name, listener)
    try:
        yield use
    finally:
        for name, listener in listeners:
            event.remove(Engine, name, listener)


@contextmanager
def living_persona(folder: Path) -> Iterator[AutonomyContext]:
    """A persona that lives by itself and is looked after by a worker; only what is asked for is done."""
    url = f"sqlite:///{folder}/garden.db"
    settings = Settings(
        home=folder, journal=url, embedder="none", quiet_hours="", heartbeat_minutes=10_080, actions_per_day=0,
        messages_per_day=0,
    )  # fmt: skip
    decisions = [later(number + 48, f"湯のみを見にいく{number}") for number in range(FULL.rounds + 1)]
    model = Puppet(deliberate=decisions)
    with closing(open_journal(url)) as journal:
        garden = new_chat(journal, "yana", "chat")
        autonomy_log_of(journal, garden, MAIN).control("start", datetime.now(UTC))
        with closing(AutonomyWorker(journal, settings, lambda: model)) as worker:
            worker.start()
            yield worker.chats.home(garden.id, MAIN)


def play_round(home: AutonomyContext) -> None:
    """Have the persona think, and wait until that has come to its end and nothing is kept of it but its rows."""
    key, until = home.doings.prompt(datetime.now(UTC)), time.monotonic() + WITHIN
    while key in home.doings.waiting or home.doings.claims or home.doings.over:
        assert time.monotonic() < until, "the round does not end"
        time.sleep(0.02)


def main(size: Size) -> None:
    logging.disable()
    with TemporaryDirectory() as folder, living_persona(Path(folder)) as home:
        play_round(home)  # the first one makes what every later one finds
        time.sleep(size.settled)
        before = rows_of(home)
        with counted() as busy:
            for _ in range(size.rounds):
                play_round(home)
                time.sleep(size.settled)
        rows = rows_of(home) - before
        with counted() as idle:
            time.sleep(size.idle)
    a_round = f"{busy.transactions / size.rounds:.0f} transactions, {busy.statements / size.rounds:.0f} statements"
    print(f"  a round: {a_round}, {rows / size.rounds:.0f} rows in the journal")
    print(f"  {size.idle:g} idle seconds: {idle.transactions} transactions, {idle.statements} statements")


def rows_of(home: AutonomyContext) -> int:
    return len(home.doings.journal.lineage(home.ghost.garden, MAIN))
