"""Upgrades lose nothing: journals of every revision there ever was, upgraded, killed on the way, and looked at."""

import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, event

from hakoniwa.errors import HakoniwaError
from hakoniwa.journal import keepsake, migrate
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS
from hakoniwa.play.verify import verify
from tests.journal import old
from tests.trust.promise import FOLDER, Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch

NEWEST = REVISIONS[-1]
# Each was written by the Hakoniwa of its time. A new revision needs the dump of a journal of the one before it here.
DUMPS = {"0001": old.DUMP} | {
    path.stem.removeprefix("journal_"): path.read_text(encoding="utf-8")
    for path in sorted((FOLDER / "journals").glob("journal_*.sql"))
}
OLDER = [one for one in DUMPS if one != NEWEST]
LAST_FOR_EVER = 60  # seconds an upgrade of a few rows may take
COUNTED = frozenset({"open", "os.rename", "os.remove", "sqlite3.connect"})

Contents = dict[str, Counter[str]]


def check(count: int, seed: int) -> Tries:
    """Upgrade every journal, undisturbed; then kill upgrades on their way `count` times."""
    chance = random.Random(seed)
    for revision in DUMPS:
        with scratch() as folder:
            yield Try(f"upgraded from {revision}", after_upgrade(planted(folder, revision), revision))
    for number in range(count):
        revision, rounds = OLDER[number % len(OLDER)], count // len(OLDER) + 1
        place = (number // len(OLDER) + chance.random()) / rounds  # all along the way, elsewhere with every seed
        with scratch() as folder:
            yield Try(f"killed on the way from {revision}", killed(folder, revision, place, chance))


def planted(folder: Path, revision: str) -> Path:
    """A journal as it was left at a revision."""
    journal = folder / "journal.db"
    with closing(sqlite3.connect(journal)) as connection:
        connection.executescript("PRAGMA journal_mode=WAL;\n" + DUMPS[revision])
    return journal


def contents(file: Path) -> Contents:
    """Every row of every table, by what its columns are called; nothing if it cannot be read."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: Counter(repr(dict(row)) for row in connection.execute(f'SELECT * FROM "{name}"'))
            for name in sorted(names)
        }
    return {}


def lost(before: Contents, after: Contents) -> list[str]:
    """What was there and is no more; that the revision is another one is what an upgrade is for."""
    return [
        f"{table}: {sum(missing.values())} rows are gone or changed"
        for table, rows in before.items()
        if table != REVISION_TABLE and (missing := rows - after.get(table, Counter()))
    ]


def after_upgrade(journal: Path, revision: str) -> list[str]:
    """What is wrong with a journal once it has been opened."""
    before = contents(journal)
    try:
        with closing(open_journal(f"sqlite:///{journal}")) as opened:
            wrong = [fault for garden in opened.gardens() for fault in _faults(opened, garden.id)]
    except HakoniwaError as error:
        return [f"{revision}: it does not open: {error}"]
    wrong += lost(before, contents(journal)) + _wrong_copy(journal, revision, before)
    left = [path.name for path in journal.parent.iterdir() if path.name.endswith(".partial")]
    return [f"{revision}: {one}" for one in (*wrong, *left)]


def _faults(journal: Any, garden: str) -> list[str]:
    found = verify(journal, garden) if journal.garden(garden).scenario else []
    return [*journal.check(garden), *map(str, found)]


def _wrong_copy(journal: Path, revision: str, before: Contents) -> list[str]:
    """Whether the journal as it was lies beside it, if it was upgraded, to the last row."""
    copy = keepsake.copy_of(journal, revision)
    if revision == NEWEST:
        return ["a copy was made of what needed no upgrade"] if copy.exists() else []
    if not copy.exists():
        return ["it was upgraded without a copy"]
    return [] if contents(copy) == before else ["the copy is not what was upgraded"]


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
    copy, now = keepsake.copy_of(journal, revision), contents(journal)
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
        *lost(before, contents(journal)), *_wrong_copy(journal, revision, before),
    )]  # fmt: skip


_STEPS: dict[tuple[str, int], int] = {}


def steps(revision: str) -> int:
    """How many steps an upgrade has: statements of the database, and files that are opened, renamed or removed."""
    known = (revision, id(keepsake.keep_copy))  # a mutant goes another way
    if known not in _STEPS:
        with scratch() as folder:
            note = folder / "steps"
            journal = planted(folder, revision)
            _in_child(lambda: note.write_text(str(_upgrade(journal, None)), encoding="utf-8"))
            _STEPS[known] = int(note.read_text(encoding="utf-8"))
    return _STEPS[known]


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
    pid = os.fork()
    if not pid:
        code = 1
        try:
            signal.alarm(LAST_FOR_EVER)
            work()
            code = 0
        finally:
            os._exit(code)
    if wait is not None:
        time.sleep(wait)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# --- mutants --------------------------------------------------------------------------------------------------------


def _without_a_copy(patch: Patch) -> None:
    patch.setattr(migrate, "keep_copy", lambda *_: "nowhere")


def _copy_in_place(patch: Patch) -> None:
    """A copy that has its name before it is whole."""

    def sloppy(connection: Connection, found: str) -> str:
        journal = Path(str(connection.engine.url.database))
        with scratch() as folder:
            keepsake._copied(journal, folder / "whole")
            data = (folder / "whole").read_bytes()
        copy = keepsake.copy_of(journal, found)
        for start in range(0, len(data), 4096):
            with copy.open("ab") as file:
                file.write(data[start : start + 4096])
        return str(copy)

    patch.setattr(migrate, "keep_copy", sloppy)
    patch.setattr(keepsake, "keep_copy", sloppy)


def _forgetful(patch: Patch) -> None:
    """A migration that tidies up rows nobody seems to need."""
    upgrade = migrate._upgrade

    def tidy(connection: Connection) -> None:
        upgrade(connection)
        connection.exec_driver_sql("DELETE FROM branches WHERE name <> 'main'")

    patch.setattr(migrate, "_upgrade", tidy)


def _in_pieces(patch: Patch) -> None:
    """Every migration in a transaction of its own."""

    def piecemeal(connection: Connection) -> None:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "hakoniwa.journal:migrations")
        for revision in REVISIONS:
            command.upgrade(config, revision)
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    patch.setattr(migrate, "_upgrade", piecemeal)


PROMISE = Promise(
    name="upgrades",
    says="Upgrades lose nothing: a copy comes first, and a kill on the way leaves the old journal or the new one.",
    check=check,
    short=12,
    long=200,
    share=40,
    mutants=(
        Mutant("no copy is made", _without_a_copy, 0),
        Mutant("the copy has its name before it is whole", _copy_in_place, 12),
        Mutant("a migration drops rows", _forgetful, 0),
        Mutant("every migration commits by itself", _in_pieces, 24),
    ),
)
