"""Upgrades lose nothing: journals of every revision there ever was, upgraded, killed on the way, and looked at."""

import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, event

from hakoniwa.errors import HakoniwaError
from hakoniwa.journal import copies, migrate
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS
from tests.trust.kills import statement_by_statement
from tests.trust.promise import SEED, Mutant, Patch, Promise, Tries, Try
from tests.trust.revisions import DUMPS, NEWEST, OLDER, Contents, lost, misshapen, opened, place_of
from tests.trust.scratch import scratch
from tests.trust.server_upgrades import upgraded_on_a_server
from tests.trust.traced import FILES, be_watched, copied_late, strace, traced

LAST_FOR_EVER = 60  # seconds an upgrade of a few rows may take
COUNTED = frozenset({"open", "os.rename", "os.remove", "sqlite3.connect"})

EARLIER = "journal.before-upgrade-0000.db"  # what an upgrade of long ago has left
ON_A_SERVER = 4  # one upgrade in so many that are killed is of a journal in PostgreSQL


def check(count: int, seed: int) -> Tries:
    """Upgrade every journal, undisturbed and watched; then kill upgrades on their way `count` times."""
    chance = random.Random(seed)
    steps.cache_clear()  # a mutant goes another way
    for revision in DUMPS:
        with scratch() as folder:
            yield Try(f"upgraded from {revision}", after_upgrade(planted(folder, revision), revision))
    for revision in OLDER if strace() else ():
        with scratch() as folder:
            yield Try(f"watched on the way from {revision}", [*watched(planted(folder, revision), revision)])
    on_a_server = count // ON_A_SERVER
    for number in range(count - on_a_server):
        revision, place = place_of(number, count - on_a_server, chance.random())
        with scratch() as folder:
            yield Try(f"killed on the way from {revision}", killed(folder, revision, place, chance))
    yield from upgraded_on_a_server(on_a_server, chance)


def planted(folder: Path, revision: str) -> Path:
    """A journal as it was left at a revision by a process that was killed: what it wrote is in its log still."""
    (folder / EARLIER).write_text(EARLIER, encoding="utf-8")
    with scratch() as elsewhere, closing(sqlite3.connect(elsewhere / "journal.db")) as connection:
        connection.executescript(f"PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;\n{DUMPS[revision]}")
        return copied(elsewhere / "journal.db", folder)


def copied(file: Path, to: Path) -> Path:
    """A journal with its log, as both are."""
    for one in file.parent.glob(f"{file.name}*"):
        if one.name in (file.name, f"{file.name}-wal"):
            shutil.copy(one, to)
    return to / file.name


def copy_of(journal: Path, revision: str) -> Path:
    """Where it is written that the copy is."""
    return journal.with_name(f"journal.before-upgrade-{revision}.db")


def contents(file: Path) -> Contents:
    """Every row of every table, by what its columns are called; nothing if it cannot be read.

    It is read elsewhere: whoever opens a journal tidies up after those who were killed."""
    with scratch() as elsewhere, suppress(sqlite3.DatabaseError):
        return _rows(copied(file, elsewhere))
    return {}


def _rows(file: Path) -> Contents:
    with closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: Counter(repr(dict(row)) for row in connection.execute(f'SELECT * FROM "{name}"'))
            for name in sorted(names)
        }


def after_upgrade(journal: Path, revision: str) -> list[str]:
    """What is wrong with a journal once it has been opened."""
    before, url = contents(journal), f"sqlite:///{journal}"
    try:
        wrong = opened(url)
    except HakoniwaError as error:
        return [f"{revision}: it does not open: {error}"]
    wrong += [*lost(before, contents(journal)), *misshapen(url), *_beside(journal, revision, before)]
    return [f"{revision}: {one}" for one in wrong]


def _beside(journal: Path, revision: str, before: Contents) -> Iterator[str]:
    """Whether the journal as it was lies beside it, if it was upgraded, to the last row, and nothing else is new."""
    copy, earlier = copy_of(journal, revision), journal.with_name(EARLIER)
    due = {journal.name, EARLIER} | ({copy.name} if revision != NEWEST else set())
    there = {path.name for path in journal.parent.iterdir()}
    yield from (f"{name} is not there" for name in sorted(due - there))
    yield from (f"{name} was left over" for name in sorted(there - due))
    if copy.name in due & there and contents(copy) != before:
        yield "the copy is not what was upgraded"
    if EARLIER in there and earlier.read_text(encoding="utf-8") != EARLIER:
        yield "the copy of an earlier upgrade was written over"


def watched(journal: Path, revision: str) -> Iterator[str]:
    """Whether the copy and its name were on the disk before anything was written to the journal."""
    begin, go = os.pipe()

    def work() -> None:
        be_watched()
        os.read(begin, 1)
        open_journal(f"sqlite:///{journal}").close()

    trace = journal.with_name("trace")
    child = _begun(work)
    with traced([child], trace, FILES):
        os.write(go, b"g")
        code = _ended(child)
    os.close(begin)
    os.close(go)
    yield from [f"{revision}: the upgrade ended with {code}"] if code else ()
    yield from (f"{revision}: {one}" for one in copied_late(trace, journal, copy_of(journal, revision)))


# --- killing --------------------------------------------------------------------------------------------------------


def killed(folder: Path, revision: str, place: float, chance: random.Random) -> list[str]:
    """What is wrong after an upgrade was killed at about that place of its way; some are killed at any moment."""
    journal = planted(folder, revision)
    before = contents(journal)
    step = int(place * steps(revision)) + 1 if chance.random() < 0.8 else None
    code = _in_child(lambda: _upgrade(journal, step), None if step else chance.uniform(0, 0.2))
    if code not in (0, -signal.SIGKILL):
        return [f"{revision}: the upgrade that was to be killed ended with {code}"]
    return [*_found_dead(journal, revision, before), *_opened_again(journal, revision, before)]


def _found_dead(journal: Path, revision: str, before: Contents) -> Iterator[str]:
    """What is wrong with what a kill left, before anybody has opened it again."""
    copy, now = copy_of(journal, revision), contents(journal)
    yield from (f"{revision}, killed: {one}" for one in lost(before, now))
    standing = next(iter(now.get(REVISION_TABLE, ())), "")
    if revision not in standing and NEWEST not in standing:
        yield f"{revision}, killed: half upgraded, to {standing}"
    if copy.exists() and contents(copy) != before:
        yield f"{revision}, killed: a copy that is not whole"
    if NEWEST in standing and not copy.exists():
        yield f"{revision}, killed: upgraded, and no copy"


def _opened_again(journal: Path, revision: str, before: Contents) -> list[str]:
    with closing(open_journal(f"sqlite:///{journal}")):
        pass
    return [f"{revision}, opened again: {one}" for one in (
        *lost(before, contents(journal)), *_beside(journal, revision, before),
    )]  # fmt: skip


@cache
def steps(revision: str) -> int:
    """How many steps an upgrade has: statements of the database, and files that are opened, renamed or removed."""
    with scratch() as folder:
        note = folder / "steps"
        journal = planted(folder, revision)
        _in_child(lambda: note.write_text(str(_upgrade(journal, None)), encoding="utf-8"))
        return int(note.read_text(encoding="utf-8"))


def _upgrade(journal: Path, fatal: int | None) -> int:
    """Open a journal in a process of its own, which kills itself at a step; returns how many there were."""
    taken, folder = 0, str(journal.parent)

    def step(*_: Any) -> None:
        nonlocal taken
        taken += 1
        if taken == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def audited(name: str, about: tuple[Any, ...]) -> None:
        if name in COUNTED and str(about[0] if about else "").startswith(folder):
            step()

    sys.addaudithook(audited)
    event.listen(Engine, "connect", lambda raw, _: raw.set_trace_callback(step))
    open_journal(f"sqlite:///{journal}").close()
    return taken


def _in_child(work: Callable[[], object], wait: float | None = None) -> int:
    """How a process of its own ended that did some work, or was killed after so many seconds."""
    child = _begun(work)
    if wait is not None:
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
    return _ended(child)


def _begun(work: Callable[[], object]) -> int:
    """A process of its own that does some work."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        signal.alarm(LAST_FOR_EVER)
        work()
        code = 0
    finally:
        os._exit(code)


def _ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# --- mutants --------------------------------------------------------------------------------------------------------


def _without_a_copy(patch: Patch) -> None:
    patch.setattr(migrate, "keep_copy", lambda *_: "nowhere")


def _copy_in_place(patch: Patch) -> None:
    """A copy that has its name before it is whole."""
    honest = copies.keep_copy

    def sloppy(connection: Connection, found: str) -> str:
        if connection.dialect.name != "sqlite":
            return honest(connection, found)
        journal = Path(str(connection.engine.url.database))
        with scratch() as folder:
            copies._copy_file(journal, folder / "whole")
            data = (folder / "whole").read_bytes()
        copy = copies.copy_of(journal, found)
        for start in range(0, len(data), 4096):
            with copy.open("ab") as file:
                file.write(data[start : start + 4096])
        return str(copy)

    patch.setattr(migrate, "keep_copy", sloppy)
    patch.setattr(copies, "keep_copy", sloppy)


def _forgetful(patch: Patch) -> None:
    """A migration that tidies up rows nobody seems to need."""
    upgrade = migrate._upgrade

    def tidy(connection: Connection) -> None:
        upgrade(connection)
        connection.exec_driver_sql("DELETE FROM branches WHERE name <> 'main'")

    patch.setattr(migrate, "_upgrade", tidy)


def _without_an_index(patch: Patch) -> None:
    """A migration that makes a table anew, and not what belongs to it."""
    upgrade = migrate._upgrade

    def anew(connection: Connection) -> None:
        upgrade(connection)
        connection.exec_driver_sql("DROP INDEX calls_of_garden")

    patch.setattr(migrate, "_upgrade", anew)


def _without_its_log(patch: Patch) -> None:
    """The file is copied, and not what is still in the log ahead of it."""
    patch.setattr(copies, "_copy_file", shutil.copyfile)


def _unsynced_name(patch: Patch) -> None:
    """The copy is synced, and the folder that has its name is not."""
    honest = copies.sync_to_disk
    patch.setattr(copies, "sync_to_disk", lambda path: None if path.is_dir() else honest(path))


def _in_pieces(patch: Patch) -> None:
    """Every migration in a transaction of its own."""

    def piecemeal(connection: Connection) -> None:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "hakoniwa.journal:migrations")
        for revision in REVISIONS:
            command.upgrade(config, revision)
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.dialect.name == "sqlite" else "BEGIN")

    patch.setattr(migrate, "_upgrade", piecemeal)


def _copy_without_rows(patch: Patch) -> None:
    """In PostgreSQL the copy has a table of every name, and one of them has nothing in it."""
    honest = copies._as_schema

    def bare(connection: Connection, found: str) -> str:
        schema = honest(connection, found)
        connection.exec_driver_sql(f"DELETE FROM {schema}.events")
        return schema

    patch.setattr(copies, "_as_schema", bare)


UNSYNCED = (Mutant("the name of the copy is not synced", _unsynced_name, 0),)

SHORT = 12

PROMISE = Promise(
    name="upgrades",
    says="Upgrades lose nothing: a copy comes first, and a kill on the way leaves the old journal or the new one.",
    check=check,
    short=SHORT,
    long=200,
    share=40,
    mutants=(
        Mutant("no copy is made", _without_a_copy, 0),
        Mutant("the copy has its name before it is whole", _copy_in_place, SHORT, SEED, "killed:"),
        Mutant("a migration drops rows", _forgetful, 0),
        Mutant("every migration commits by itself", _in_pieces, SHORT, SEED, "killed:"),
        Mutant("an index is lost on the way", _without_an_index, 0),
        Mutant("the log ahead of the journal is not copied", _without_its_log, 0),
        Mutant("PostgreSQL commits every statement of an upgrade", statement_by_statement, 4, 2, "PostgreSQL"),
        Mutant("the copy in PostgreSQL lacks rows", _copy_without_rows, 4, 2, "PostgreSQL"),
        *(UNSYNCED if strace() else ()),
    ),
)
