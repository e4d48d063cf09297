"""Saved before announced, synced before announced.

A real server sends rows of a garden, which it plays itself, and messages of a chat, which another process writes. At
the moment of each announcement a third process looks for the row, and the kernel's own order of syncs and sends is
read from a trace of both. Without strace, or the right to use it, only the first is tried, and the figures say so.

PostgreSQL syncs by itself: a server that was told not to wait for its log must have waited for it all the same."""

import asyncio
import os
import signal
import socket
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, aclosing, closing
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL, Connection, Engine, event, make_url

from hakoniwa import sqlite
from hakoniwa.app.chats import new_chat
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.chat.autonomy_rows import MessageRow
from hakoniwa.journal import MAIN, Row, database
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.persona.generated import Generated
from hakoniwa.service.streams import EventNames
from tests.trust.kills import hasty
from tests.trust.lives import Note, heard_from, in_child
from tests.trust.postgres import new_database
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch
from tests.trust.served import Door
from tests.trust.traced import be_watched, mark_writes, sent_in, strace, traced

GARDEN, CHAT = "garden", "chat"
GO = b"g"
AT_ONCE = 100  # messages that are written before somebody has to have heard them
PATIENCE = 300.0
ABOUT: dict[str, Any] = {
    "message_kind": "report", "delivery_mode": "chat", "action_type": "x", "capability": "x",
    "decision_id": 1, "intent_id": 1, "result_id": 1,
}  # fmt: skip
UNWATCHED = " (syncs not watched: there is no strace)"
# Where in its log PostgreSQL begins to write a commit, of a transaction that has something to commit; and whether the
# log has been flushed beyond a place.
BEGUN = "SELECT pg_current_wal_insert_lsn() WHERE pg_current_xact_id_if_assigned() IS NOT NULL"
FLUSHED = "SELECT 1 WHERE pg_current_wal_flush_lsn() > %s"
ON_A_SERVER, FEWEST = 20, 20  # for so many rows in a file there is one in PostgreSQL; and how many there are at least


def check(wanted: int, seed: int) -> Tries:
    """Have rows announced from a file, and have some committed in PostgreSQL."""
    yield from _in_a_file(wanted, seed) if wanted else ()
    yield from _on_a_server(max(wanted // ON_A_SERVER, FEWEST))


def _in_a_file(wanted: int, seed: int) -> Tries:
    """Have half as many rows of a garden announced, and messages of a chat."""
    with scratch() as home:
        heard, saved = _announced(home, wanted - wanted // 2, wanted // 2, seed)
        synced = {one.seq: one.synced for one in sent_in(home / "trace")} if strace() else None
    for kind, seqs in heard.items():
        for seq in seqs:
            wrong = [] if saved.get(seq) else ["announced before it was saved"]
            if synced is not None and not synced.get(seq):
                wrong.append("announced before it was synced" if seq in synced else "the trace has nothing of it")
            yield Try(kind if strace() else kind + UNWATCHED, [f"{kind}, row {seq}: {one}" for one in wrong])


def _announced(home: Path, rows: int, messages: int, seed: int) -> tuple[dict[str, list[int]], dict[int, bool]]:
    """The rows that were announced, by what they are of; and of each whether it was to be found at that moment."""
    file = home / "journal.db"
    url = f"sqlite:///{file}"
    with closing(open_journal(url)) as journal:
        new_chat(journal, "yana", CHAT)
    with ExitStack() as open_ends:
        (asking, answering), (go, begin), (more, wanted) = (_pair(open_ends) for _ in range(3))
        door = open_ends.enter_context(closing(Door(home, url)))
        witness, said = in_child(lambda note: _bear_witness(file, asking, answering, note))
        server = door.serve(lambda: _ask_first(begin, asking))
        writer, nothing = in_child(lambda _: _write(url, wanted))
        os.close(nothing)
        with traced([server, writer], home / "trace"):
            go.sendall(GO)
            heard = asyncio.run(_heard(door, more, rows, messages, seed))
            for one in (server, writer):
                os.kill(one, signal.SIGKILL)
                os.waitpid(one, 0)
        asking.close()
        saved = dict(heard_from(said, witness))
        os.waitpid(witness, 0)
    return heard, saved


def _pair(open_ends: ExitStack) -> tuple[socket.socket, socket.socket]:
    one, other = socket.socketpair()
    return open_ends.enter_context(one), open_ends.enter_context(other)


# --- those who take part, each a process ------------------------------------------------------------------------------


def _bear_witness(file: Path, asking: socket.socket, answering: socket.socket, note: Note) -> None:
    """Look for rows as they are asked for, by way of a connection that has nothing to do with any other."""
    asking.close()
    with closing(sqlite3.connect(file)) as connection, answering.makefile("rw") as questions:
        for line in questions:
            there = connection.execute("SELECT 1 FROM events WHERE seq = ?", (int(line),)).fetchone() is not None
            note(int(line), there)
            print(int(there), file=questions, flush=True)


def _ask_first(begin: socket.socket, asking: socket.socket) -> None:
    """Have this process wait for its beginning, and then let nothing out before the witness has looked for it."""
    be_watched()
    begin.recv(1)
    mark_writes()
    questions = asking.makefile("rw")

    honest = EventNames.frame

    def frame(self: EventNames, news: Any, seq: int | None = None) -> bytes:
        if (number := getattr(news, "seq", None) if seq is None else seq) is not None:
            print(number, file=questions, flush=True)
            questions.readline()
        return honest(self, news, seq)

    EventNames.frame = frame  # type: ignore[method-assign]


def _write(url: str, wanted: socket.socket) -> None:
    """Write messages as a persona that lives by itself does, so many at a time, whenever some are wanted."""
    be_watched()
    mark_writes()
    doings, numbers = AutonomyLog(open_journal(url), CHAT, MAIN, "yana"), count()
    while wanted.recv(1):
        for number in islice(numbers, AT_ONCE):
            doings.write(_said(number))


def _said(number: int) -> MessageRow:
    return MessageRow(key=str(number), at=datetime.now(UTC), assistant_text=Generated("やあ"), **ABOUT)


# --- those who watch --------------------------------------------------------------------------------------------------


async def _heard(door: Door, more: socket.socket, rows: int, messages: int, seed: int) -> dict[str, list[int]]:
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as both:
        of_garden = both.create_task(_heard_of_garden(door, rows, seed))
        of_chat = both.create_task(_heard_of_chat(door, more, messages))
    return {"a row of a garden": of_garden.result(), "a message in a chat": of_chat.result()}


async def _heard_of_garden(door: Door, wanted: int, seed: int) -> list[int]:
    await door.post("/v1/gardens", scenario="hermit", name=GARDEN, seed=seed)
    events = door.events(f"/v1/gardens/{GARDEN}", 0)
    await anext(events)  # somebody watches before anything is played
    await door.post(f"/v1/gardens/{GARDEN}/run", speed=0.0)
    return await _first(events, "event: row", wanted, lambda _: None)


async def _heard_of_chat(door: Door, more: socket.socket, wanted: int) -> list[int]:
    def in_time(heard: int) -> None:
        if heard % AT_ONCE == 0:
            more.sendall(GO)

    in_time(0)
    return await _first(door.events(f"/v1/chats/{CHAT}", 0), "event: autonomy.message", wanted, in_time)


async def _first(events: AsyncGenerator[str], name: str, wanted: int, told: Callable[[int], None]) -> list[int]:
    """The numbers of the first events of a name; somebody is told of every one."""
    seqs: list[int] = []
    async with aclosing(events):
        async for event in events:
            if event.startswith(name):
                seqs.append(int(event.rpartition("id: ")[2]))
                told(len(seqs))
            if len(seqs) >= wanted:
                return seqs
    raise EOFError(f"the server is gone after {len(seqs)} events")


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


def _on_a_server(wanted: int) -> Tries:
    """Have messages written, and see of each whether the log had been flushed beyond where its commit began."""
    url, begun = new_database(), list[Any]()

    def committing(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        begun.extend(driver.execute(BEGUN).fetchall())

    with psycopg.connect(url, autocommit=True) as witness:
        witness.execute(f"ALTER DATABASE {make_url(url).database} SET synchronous_commit = off".encode())
        with closing(open_journal(url)) as journal:
            doings = AutonomyLog(journal, new_chat(journal, "yana", CHAT).id, MAIN, "yana")
            event.listen(journal.database.engine, "commit", committing)
            for number in range(wanted):
                doings.write(_said(number))
                flushed = witness.execute(FLUSHED, begun[-1]).fetchone()
                yield Try("a row in PostgreSQL", [] if flushed else [f"message {number}: the log was not waited for"])


# --- mutants ----------------------------------------------------------------------------------------------------------


def _careless(setting: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(sqlite, "SETTINGS", (f"synchronous={setting}",))


def _wrong_file(patch: Patch) -> None:
    """What is synced is the file that has the tables, and not the log where the rows are."""
    append = SqlJournal.append

    def synced(self: SqlJournal, *what: Any) -> list[Row]:
        rows = append(self, *what)
        file = os.open(self.database.path, os.O_RDWR)
        os.fsync(file)
        os.close(file)
        return rows

    _careless("OFF")(patch)
    patch.setattr(SqlJournal, "append", synced)


def _not_waiting(patch: Patch) -> None:
    """Commits in PostgreSQL come back as soon as the server has them in its memory."""
    honest = database._postgres

    def hurried(url: URL, patience: float) -> Engine:
        made = honest(url, patience)
        event.listen(made, "connect", lambda raw, _: (raw.execute("SET synchronous_commit = off"), raw.commit()))
        return made

    patch.setattr(database, "_postgres", hurried)


SAVED = (Mutant("rows are announced before they are committed", hasty, 20),)
SYNCED = (
    Mutant("nothing is synced", _careless("OFF"), 20),
    Mutant("what is synced is synced later", _careless("NORMAL"), 20),
    Mutant("another file is synced", _wrong_file, 20),
)

WAITED_FOR = (Mutant("PostgreSQL does not wait for its log", _not_waiting, 0),)

PROMISE = Promise(
    name="syncs",
    says="Saved before announced, synced before announced: what a console hears is on the disk already.",
    check=check,
    short=150,
    long=20_000,
    share=2_000,
    mutants=SAVED + (SYNCED if strace() else ()) + WAITED_FOR,
)
