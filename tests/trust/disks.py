"""A full disk, a read-only one, a locked or broken journal, a clock that jumps, two servers on one file: each ends in a
named error in the user's language, or goes on, and nothing that was announced is lost."""

import asyncio
import ctypes
import json
import os
import re
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from hakoniwa import messages
from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.app import new_session
from hakoniwa.autonomy import policy as manners_of
from hakoniwa.autonomy.policy import hindrance
from hakoniwa.autonomy.schedule import due
from hakoniwa.chat.autonomy_rows import IntentRow
from hakoniwa.cli import complaint
from hakoniwa.errors import JournalBroken, JournalMovedOn
from hakoniwa.journal import copies, database
from hakoniwa.journal import open as opening
from hakoniwa.journal.copies import copy_of
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.journal.tables import REVISION_TABLE, REVISIONS
from hakoniwa.play.session import Session
from hakoniwa.play.state_hash import verify
from hakoniwa.play.turn import play_turn
from tests.autonomy.cottage import NOON, Cottage
from tests.trust.child import Ended, command
from tests.trust.mounted import filled, may_mount, on_small_disk
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import full_disk, scratch

CAPABILITIES = 0x20080522  # the third version of how Linux wants them written
YEARS = timedelta(days=3650)
IMPATIENT = 0.2  # seconds that a command waits for others
FOR_EVER = 60.0  # seconds after which it has waited too long, on a machine that others use too
USAGE, FILES, BROKEN = 2, 4, 5  # exit codes, as they are documented
NO_ROOM = 4096  # bytes
BESIDE = ("", "-wal", "-shm")  # what SQLite has beside a journal
BEFORE = REVISIONS[-2]
AS_BEFORE = f"DROP TABLE moments; UPDATE {REVISION_TABLE} SET version_num = '{BEFORE}'"
LAST = r"(?![\w-]|\.\w)"  # nothing follows that would make it the name of another file
PLACEHOLDER = re.compile(r"\{\w+\}")
LANGUAGES = ("ja", "en")
LIMITED = " (a limit on files: no disk may be mounted here)"
OWN_MEMORY = 32_768  # bytes that SQLite takes beside a log ahead of a journal
JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")


class Place(NamedTuple):
    """A journal with a garden of a few turns, and its folder."""

    folder: Path
    disk: Path | None = None  # its own, which can really be full

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.journal}"

    def run(self, lang: str, *words: str, before: Callable[[], Any] = nullcontext) -> Ended:
        return command([*words, "--journal", self.url], lang, before, IMPATIENT)

    def full(self, room: int) -> Any:
        """Room for so many bytes, and no more: on the disk, or without one in any file."""
        return filled(self.disk, room) if self.disk else full_disk(room)

    def play(self, lang: str, before: Callable[[], Any] = nullcontext) -> Ended:
        return self.run(lang, "play", "--garden", "g", "--turns", "6", "--json", before=before)


Trouble = Callable[[Place, str], Iterator[str]]


def check(_: int, seed: int) -> Tries:
    """Every trouble, in both languages where somebody is told of it."""
    for jump in (clock_set_back, clock_set_ahead, journal_through_jumps, two_on_one_file):
        with scratch() as folder:
            yield Try(jump.__name__, [f"{jump.__name__}: {one}" for one in jump(folder)])
    with scratch() as first:
        _begun(Place(first))
        yield from befallen(TROUBLES, Place(first))


def befallen(troubles: Iterable[Trouble], first: Place) -> Tries:
    """Let troubles befall a journal; a full disk is one that is full, or else one where no file can grow."""
    for trouble, lang in product(troubles, LANGUAGES):
        if trouble in FULL and may_mount():
            yield Try(trouble.__name__, on_small_disk(partial(_wrong_on_disk, trouble, lang, first)))
        else:
            with scratch() as folder:
                kind = trouble.__name__ + (LIMITED if trouble in FULL else "")
                yield Try(kind, [*_wrong(trouble, lang, first, Place(folder))])


def _wrong_on_disk(trouble: Trouble, lang: str, first: Place, disk: Path) -> Iterator[str]:
    folder = disk / "home"  # what fills the disk lies beside it
    folder.mkdir()
    return _wrong(trouble, lang, first, Place(folder, disk))


def _wrong(trouble: Trouble, lang: str, first: Place, place: Place) -> Iterator[str]:
    """What is wrong when a trouble befalls a journal that was begun elsewhere."""
    _copied(first.journal, place.journal)
    yield from (f"{trouble.__name__}, {lang}: {one}" for one in (*trouble(place, lang), *_left_over(place)))


def _begun(place: Place) -> None:
    async def turns() -> None:
        with closing(open_journal(place.url)) as journal:
            session = new_session(journal, "hermit", seed=4, garden_id="g")
            await session.open()
            for _ in range(3):
                await play_turn(session, session.speaker())
            session.close()

    asyncio.run(turns())


def _copied(journal: Path, to: Path) -> None:
    with closing(sqlite3.connect(journal)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)


# --- what somebody is told of -----------------------------------------------------------------------------------------


def full_while_playing(place: Place, lang: str) -> Iterator[str]:
    room = 60_000  # for a turn or two in the log ahead of the journal
    ended = place.play(lang, lambda: place.full(room + (OWN_MEMORY if place.disk else 0)))
    yield from _told(ended, lang, "journal.full", FILES, place.journal)
    yield from _goes_on(place, lang, ended)


def full_from_the_beginning(place: Place, lang: str) -> Iterator[str]:
    """Not even what SQLite needs to read can be written."""
    ended = place.play(lang, lambda: place.full(0))
    yield from _told(ended, lang, "journal.full", FILES, place.journal)
    yield from _goes_on(place, lang, ended)


def full_while_upgrading(place: Place, lang: str) -> Iterator[str]:
    """A journal of an earlier Hakoniwa is copied first, and there is room for half of it; or for all of it, and not for
    what SQLite needs beside it."""
    with closing(sqlite3.connect(place.journal)) as connection:
        connection.executescript(AS_BEFORE)
    size, copy = place.journal.stat().st_size, copy_of(place.journal, BEFORE)
    for room in (size // 2, size + 2 * NO_ROOM) if place.disk else (size // 2,):
        with _in_use(place):
            ended = place.play(lang, lambda room=room: place.full(room))
        yield from _told(ended, lang, "journal.full", FILES, copy)
        yield from _left_over(place)
    yield from _goes_on(place, lang, ended)
    copy.unlink()


def full_while_copying(place: Place, lang: str) -> Iterator[str]:
    copy = place.folder / "copy.db"
    for room in (NO_ROOM, place.journal.stat().st_size // 2):
        with _in_use(place):
            ended = place.run(lang, "backup", str(copy), before=lambda room=room: place.full(room))
        yield from _told(ended, lang, "journal.full", FILES, copy)
    yield from _goes_on(place, lang, ended)


def full_while_exporting(place: Place, lang: str) -> Iterator[str]:
    page = place.folder / "page.html"
    for before in ("", "before"):
        if before:
            page.write_text(before, encoding="utf-8")
        with _in_use(place):
            ended = place.run(lang, "export", "g", "-o", str(page), before=lambda: place.full(NO_ROOM))
        yield from _told(ended, lang, "files.full" if place.disk else "files.cannot-use", FILES, page)
        if (page.read_text(encoding="utf-8") if page.exists() else "") != before:
            yield "what was exported before is gone" if before else "half a page"
    page.unlink(missing_ok=True)


@contextmanager
def _in_use(place: Place) -> Iterator[None]:
    """Somebody else has the journal open, so that it can be read where there is no room for anything."""
    with closing(sqlite3.connect(place.journal)) as other:
        other.execute("SELECT count(*) FROM events").fetchone()
        yield


def unreadable_settings(place: Place, lang: str) -> Iterator[str]:
    """A folder for settings that may not be entered."""
    closed = place.folder / "closed"
    closed.mkdir(mode=0)

    def circumstance() -> Any:
        os.environ["HAKONIWA_CONFIG"] = str(closed / "config.toml")
        return _like_anybody()

    ended = place.play(lang, circumstance)
    yield from _told(ended, lang, "settings.bad-file", USAGE, closed)
    yield from _goes_on(place, lang, ended)
    closed.rmdir()


def read_only(place: Place, lang: str) -> Iterator[str]:
    place.journal.chmod(0o444)
    place.folder.chmod(0o555)
    data = place.journal.read_bytes()
    ended = place.play(lang, _like_anybody)
    yield from _told(ended, lang, "journal.cannot-open", FILES, place.journal)
    place.folder.chmod(0o755)
    if place.journal.read_bytes() != data:
        yield "the journal is not what it was"


def locked(place: Place, lang: str) -> Iterator[str]:
    begun = monotonic()
    with closing(sqlite3.connect(place.journal, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ended = place.play(lang)
        other.execute("ROLLBACK")
    if monotonic() - begun > FOR_EVER:
        yield "it was waited for without end"
    yield from _told(ended, lang, "journal.locked", FILES, place.journal)
    yield from _goes_on(place, lang, ended)


def broken(place: Place, lang: str) -> Iterator[str]:
    data = bytearray(place.journal.read_bytes())
    data[4096 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4096)
    place.journal.write_bytes(data)
    yield from _told(place.play(lang), lang, "journal.broken", BROKEN, place.journal)
    if place.journal.read_bytes() != data:
        yield "a broken journal was written to"


def no_journal_at_all(place: Place, lang: str) -> Iterator[str]:
    place.journal.write_bytes(b"a letter, and no journal. " * 400)
    data = place.journal.read_bytes()
    yield from _told(place.play(lang), lang, "journal.broken", BROKEN, place.journal)
    if place.journal.read_bytes() != data:
        yield "what is no journal was written over"


FULL = (
    full_while_exporting, full_while_upgrading, full_while_playing, full_from_the_beginning, full_while_copying
)  # fmt: skip
TROUBLES = (broken, no_journal_at_all, *FULL, unreadable_settings, read_only, locked)


def _like_anybody() -> Any:
    """Root may write what nobody may write; without its capabilities it may not either."""
    if os.getuid() == 0:
        header, none = struct.pack("Ii", CAPABILITIES, 0), bytes(24)
        assert ctypes.CDLL(None).capset(header, none) == 0
    return nullcontext()


def _told(ended: Ended, lang: str, key: str, code: int, about: Path) -> Iterator[str]:
    """Whether it ended as it should: with that code, and with that message in that language, which says what it is
    about, and nothing else."""
    if ended.code != code:
        yield f"it ended with {ended.code}: {ended.err[-300:]}"
    words = [piece.strip() for piece in PLACEHOLDER.split(messages.catalogue(lang)[f"error.{key}"]) if piece.strip()]
    if not all(piece in ended.err for piece in words) or bool(JAPANESE.search("".join(words))) != (lang == "ja"):
        yield f"it was not told as it should be: {ended.err[-300:]}"
    if not re.search(re.escape(str(about)) + LAST, ended.err):
        yield f"it was not told where: {ended.err[-300:]}"
    if "Traceback" in ended.err:
        yield f"it was told as it was raised: {ended.err[-300:]}"


def _left_over(place: Place) -> Iterator[str]:
    """What is in the folder once a trouble is over, and was not before."""
    own = {place.journal.name + one for one in BESIDE}
    yield from (f"left behind: {name}" for name in sorted(os.listdir(place.folder)) if name not in own)


def _goes_on(place: Place, lang: str, ended: Ended) -> Iterator[str]:
    """Whether all that was announced is there, everything adds up, and the garden can be played on."""
    announced = {row["seq"] for row in map(json.loads, ended.out.splitlines()) if row.get("seq")}
    with closing(open_journal(place.url)) as journal:
        kept = {row.seq for row in journal.lineage("g", "main")}
        yield from (f"row {seq} was announced and is not there" for seq in sorted(announced - kept))
        yield from journal.check("g")
        yield from map(str, verify(journal, "g"))
    again = place.play(lang)
    if again.code:
        yield f"it does not go on: {again.err[-300:]}"


# --- what nobody need be told of --------------------------------------------------------------------------------------


def clock_set_back(_: Path) -> Iterator[str]:
    """A persona that was let live, and did all it may, while the clock was years ahead, lives on once it is right."""
    home = next(iter(Cottage({"chat-mina": None}).homes()))
    ahead = NOON + YEARS
    home.doings.control("start", ahead)
    for number in range(home.manners.actions_per_day):
        home.write(IntentRow(key=f"k{number}", at=ahead, decision_id=1, action_type="x", action_key="same"))
    now = NOON + timedelta(hours=3)
    if why := hindrance(home.doings, home.manners, False, now):
        yield f"nothing is begun: {why}"
    if not due(home.doings, home.manners, now):
        yield "nothing is ever due"
    if why := manners_of.repetition(home.doings, home.manners, "same", now):
        yield f"what was done is not done again: {why}"


def clock_set_ahead(_: Path) -> Iterator[str]:
    """Years that go by in a moment are not made up for."""
    home = next(iter(Cottage({"chat-mina": None}).homes()))
    home.doings.control("start", NOON)
    if (found := len(due(home.doings, home.manners, NOON + YEARS))) > 1:
        yield f"{found} things are due at once"


def journal_through_jumps(folder: Path) -> Iterator[str]:
    """Rows that were written in the past, in the future and in the past again are in the order they were written in."""
    moments = iter([NOON, NOON + YEARS, NOON - YEARS, NOON, NOON + YEARS] * 20)

    async def turns(journal: SqlJournal) -> None:
        session = new_session(journal, "hermit", seed=4, garden_id="g")
        await session.open()
        for _ in range(6):
            await play_turn(session, session.speaker())
        session.close()

    with closing(SqlJournal(f"sqlite:///{folder}/journal.db", now=lambda: next(moments))) as journal:
        asyncio.run(turns(journal))
        seqs = [row.seq for row in journal.lineage("g", "main")]
        if seqs != sorted(seqs) or [row.seq for row in journal.since(0)] != seqs:
            yield "rows are out of order"
        yield from journal.check("g")
        yield from map(str, verify(journal, "g"))


def two_on_one_file(folder: Path) -> Iterator[str]:
    """Two servers play one garden: whoever is late is told so, and what both wrote adds up."""
    url = f"sqlite:///{folder}/journal.db"

    async def turns() -> Iterator[str]:
        with closing(open_journal(url)) as one, closing(open_journal(url)) as other:
            first = new_session(one, "hermit", seed=4, garden_id="g")
            await first.open()
            second = Session(other, first.garden, BuiltinMind())
            played, late = 0, 0
            for session in (first, second, second, first, second, first, first):
                try:
                    await play_turn(session, session.speaker())
                    played += 1
                except JournalMovedOn:
                    late += 1
                    await session.follow()
            found = [*one.check("g"), *map(str, verify(one, "g"))]
            rows = [row for row in one.lineage("g", "main") if row.event.kind == "turn"]
            first.close()
            second.close()
        whole = len(rows) == played and late
        return iter(found if whole else [*found, f"of {played} turns {len(rows)} were kept, {late} came too late"])

    yield from asyncio.run(turns())


# --- mutants ----------------------------------------------------------------------------------------------------------


def _unnamed(patch: Patch) -> None:
    """What a database complains of is passed on as it comes."""
    patch.setattr(database, "translate_errors", lambda _: nullcontext())


def _like_any_other(patch: Patch) -> None:
    """That a disk is full is told like anything that befalls a file."""
    patch.setattr(complaint, "FULL", frozenset[int]())


def _half_tidied(patch: Patch) -> None:
    """Of a copy that does not succeed the file is removed, and not what SQLite has beside it."""
    patch.setattr(copies, "remove", lambda file: file.unlink(missing_ok=True))


def _made_anew(patch: Patch) -> None:
    """A journal that cannot be read is put aside for an empty one."""

    def fresh(url: Any) -> SqlJournal:
        try:
            return SqlJournal(url)
        except JournalBroken:
            Path(str(url.database)).unlink()
            return SqlJournal(url)

    patch.setattr(opening, "SqlJournal", fresh)


def _in_one_language(patch: Patch) -> None:
    """What is to be told in Japanese has been written in English."""
    english = messages.catalogue("en")
    patch.setattr(messages, "catalogue", lambda _: english)


def _last_one_wins(patch: Patch) -> None:
    """Whoever writes last writes, whatever was written meanwhile."""
    honest = SqlJournal.append

    def append(self: SqlJournal, garden: str, branch: str, events: Any, after: Any) -> Any:
        head = next(one.head for one in self.branches(garden) if one.name == branch)
        return honest(self, garden, branch, events, head)

    patch.setattr(SqlJournal, "append", append)


def _by_the_calendar(patch: Patch) -> None:
    """What was done in what now is the future counts as done today."""
    patch.setattr(manners_of, "_is_recent", lambda *_: True)


REALLY_FULL = (
    Mutant("a full disk is like any trouble with files", _like_any_other, 0),
    Mutant("what lies beside half a copy is left", _half_tidied, 0),
)

PROMISE = Promise(
    name="disks",
    says="Full, read-only, locked, broken, clocks that jump, two servers on one file: told by name, and nothing lost.",
    check=check,
    short=0,
    long=0,
    share=1,
    mutants=(
        Mutant("troubles have no names", _unnamed, 0),
        Mutant("a broken journal is made anew", _made_anew, 0),
        Mutant("troubles are told in English only", _in_one_language, 0),
        Mutant("the last to write wins", _last_one_wins, 0),
        Mutant("the future counts as today", _by_the_calendar, 0),
        *(REALLY_FULL if may_mount() else ()),
    ),
)
