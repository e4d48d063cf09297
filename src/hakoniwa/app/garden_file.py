"""Garden files (`.hakoniwa`): a garden to hand on, with its people and every branch that has been played of it.

A file is an archive of two texts and their hashes. What is private stays at home: talks with one person, prompts and
replies of models, settings, memories. What is read is a stranger's: every hash, delta and name is checked before
anything is written, and no origin that a row claims gives it any right."""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from secrets import token_hex
from typing import Literal

from pydantic import ValidationError

from hakoniwa.actor.character import Character
from hakoniwa.errors import GardenFileError, WorldError
from hakoniwa.journal import MAIN, GardenRecord, Journal, Row
from hakoniwa.journal.rows import hash_row, plain_json
from hakoniwa.journal.takes import take_of
from hakoniwa.play.state_hash import WorldHasher
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Event, Value

GARDEN, ROWS, HASHES = "garden.json", "rows.jsonl", "hashes.json"
MEMBERS = (GARDEN, ROWS, HASHES)
MAX_UNPACKED, MAX_RATIO, MAX_ROWS, MAX_BRANCHES = 256 << 20, 200, 500_000, 1_000
STORY = frozenset({
    "opening", "turn", "clock", "status", "user", "prop", "incident", "process",
    "cue", "fault", "end", "resume", "undo", "choice",
})  # fmt: skip
MADE = (1980, 1, 1, 0, 0, 0)  # the same garden makes the same file
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError)


class SharedBranch(Value):
    """A line of play in a file: where it was forked from, and the number of its newest row."""

    name: str
    parent: str | None
    head: int | None


class SharedRow(Value):
    """A row in a file, numbered by its line from 1 on; its hash goes over the event and the hash of the row before."""

    parent: int | None
    hash: str
    event: Event


class SharedGarden(Value):
    """Everything of a file but its rows; a garden that is handed on has no settings."""

    format: Literal[1] = 1
    garden: GardenRecord
    branches: tuple[SharedBranch, ...]


class FileContents(Value):
    """What goes along in a file, and what stays at home, as counts."""

    people: tuple[str, ...]
    branches: tuple[str, ...]
    turns: int
    rows: int
    user_lines: int
    private_rows: int


# --- writing ----------------------------------------------------------------------------------------------------------


class GardenWriter:
    """Goes through the branches of a garden and numbers every row of the story once."""

    def __init__(self, journal: Journal, garden: GardenRecord) -> None:
        self.garden = garden.model_copy(update={"settings": {}})
        self.rows: list[SharedRow] = []
        self.branches: list[SharedBranch] = []
        self.private: set[int] = set()
        self._numbers: dict[int, int] = {}
        for name, parent in _lines_of_play(journal, garden.id):
            head = self._take(journal.lineage(garden.id, name))
            self.branches.append(SharedBranch(name=name, parent=parent, head=head))

    def _take(self, line: Iterable[Row]) -> int | None:
        """The rows of a branch that are the story's; the number of the last."""
        last: int | None = None
        for row in line:
            if row.event.kind not in STORY:
                self.private.add(row.seq)
                continue
            if row.seq not in self._numbers:
                before = self.rows[last - 1].hash if last else None
                hashed = hash_row(before, self.garden.id, row.event)
                self.rows.append(SharedRow(parent=last, hash=hashed, event=row.event))
                self._numbers[row.seq] = len(self.rows)
            last = self._numbers[row.seq]
        return last

    @property
    def contents(self) -> FileContents:
        kinds = [row.event.kind for row in self.rows]
        return FileContents(
            people=tuple(self.garden.sheets), branches=tuple(one.name for one in self.branches),
            turns=kinds.count("turn"), rows=len(kinds), user_lines=kinds.count("user"), private_rows=len(self.private),
        )  # fmt: skip

    def archive(self) -> bytes:
        """The file, the same for the same garden."""
        head = SharedGarden(garden=self.garden, branches=tuple(self.branches))
        texts = {
            GARDEN: plain_json(head.model_dump(mode="json")).encode(),
            ROWS: "".join(f"{plain_json(row.model_dump(mode='json'))}\n" for row in self.rows).encode(),
        }
        texts[HASHES] = plain_json(_hashes(texts)).encode()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                member = zipfile.ZipInfo(name, MADE)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, text)
        return packed.getvalue()


def _lines_of_play(journal: Journal, garden: str) -> Iterator[tuple[str, str | None]]:
    """Every branch after the one it was forked from; takes of private words are none of them."""
    waiting = {one.name: one.parent for one in journal.branches(garden)}
    names = set(waiting)
    while waiting:
        for name, parent in list(waiting.items()):
            if parent not in waiting:
                del waiting[name]
                take = take_of(name)
                if take is None or take.branch in names:
                    yield name, parent


# --- reading ----------------------------------------------------------------------------------------------------------


def is_garden_file(raw: bytes) -> bool:
    """Whether bytes may be a garden file: an archive that has the garden in it."""
    try:
        return GARDEN in zipfile.ZipFile(io.BytesIO(raw)).namelist()
    except _BROKEN:
        return False


def import_garden(journal: Journal, raw: bytes, file: str) -> GardenRecord:
    """The garden of a file, played as far as it was there, under a name that is free here; or nothing of it."""
    head, rows = read_garden(raw, file)
    taken = {one.id for one in journal.gardens()}
    id = head.garden.id if head.garden.id not in taken else f"{head.garden.id}-{token_hex(3)}"
    garden = head.garden.model_copy(update={"id": id, "settings": {}})
    with journal.database.as_one():
        journal.create(garden)
        _write_branches(journal, garden.id, head.branches, rows)
    return garden


def _write_branches(
    journal: Journal, garden: str, branches: Sequence[SharedBranch], rows: Sequence[SharedRow]
) -> None:
    places: dict[int, int] = {}
    for branch in branches:
        own = _rows_back(rows, branch.head, places)
        since = rows[own[0] - 1].parent if own else branch.head
        at = places[since] if since else None
        if branch.name != MAIN:
            journal.fork(garden, branch.parent or MAIN, branch.name, at)
        if own:
            written = journal.append(garden, branch.name, [rows[number - 1].event for number in own], at)
            places |= {number: row.seq for number, row in zip(own, written, strict=True)}


def _rows_back(rows: Sequence[SharedRow], head: int | None, known: Mapping[int, int]) -> list[int]:
    """The numbers of a branch's rows that are not written yet, oldest first."""
    found: list[int] = []
    while head is not None and head not in known:
        found.append(head)
        head = rows[head - 1].parent
    return found[::-1]


def read_garden(raw: bytes, file: str) -> tuple[SharedGarden, list[SharedRow]]:
    """What a file holds, once all of it has been found sound."""
    texts = _unpack(raw, file)
    _check_hashes(texts, file)
    try:
        head = SharedGarden.model_validate_json(texts[GARDEN])
        opening = Scenario.model_validate(head.garden.scenario).world
        for sheet in head.garden.sheets.values():
            Character.model_validate(sheet)
        rows = [SharedRow.model_validate_json(line) for line in texts[ROWS].splitlines()]
    except (ValidationError, RecursionError) as error:
        raise GardenFileError("garden-file.unreadable", file=file, problem=_first_words(error)) from None
    if len(rows) > MAX_ROWS or len(head.branches) > MAX_BRANCHES:
        raise GardenFileError("garden-file.too-large", file=file, limit=MAX_ROWS)
    _check_branches(head, len(rows), file)
    _check_rows(head.garden.id, opening, rows, file)
    return head, rows


def _unpack(raw: bytes, file: str) -> dict[str, bytes]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
        listed = archive.infolist()
        if sorted(one.filename for one in listed) != sorted(MEMBERS):
            raise GardenFileError("garden-file.foreign", file=file, names=", ".join(MEMBERS))
        if sum(one.file_size for one in listed) > min(MAX_UNPACKED, MAX_RATIO * len(raw)):
            raise GardenFileError("garden-file.too-large", file=file, limit=MAX_UNPACKED)
        return {one.filename: _read_member(archive, one) for one in listed}
    except _BROKEN:
        raise GardenFileError("garden-file.damaged", file=file) from None


def _read_member(archive: zipfile.ZipFile, listed: zipfile.ZipInfo) -> bytes:
    if listed.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile
    with archive.open(listed) as member:
        text = member.read(listed.file_size + 1)
    if len(text) != listed.file_size:
        raise zipfile.BadZipFile
    return text


def _check_hashes(texts: Mapping[str, bytes], file: str) -> None:
    try:
        told = json.loads(texts[HASHES])
    except (ValueError, RecursionError):
        raise GardenFileError("garden-file.damaged", file=file) from None
    if told != _hashes(texts):
        raise GardenFileError("garden-file.changed", file=file)


def _hashes(texts: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(texts[name]).hexdigest() for name in (GARDEN, ROWS)}


def _check_branches(head: SharedGarden, rows: int, file: str) -> None:
    """Every branch comes after the one it was forked from, once, and ends at a row there is."""
    seen: set[str] = set()
    for branch in head.branches:
        forked = branch.parent in seen if branch.name != MAIN else not seen and branch.parent is None
        if branch.name in seen or not forked or not (branch.head is None or 1 <= branch.head <= rows):
            raise GardenFileError("garden-file.branch", file=file, name=branch.name)
        seen.add(branch.name)


def _check_rows(garden: str, opening: WorldState, rows: Sequence[SharedRow], file: str) -> None:
    """Every row follows an earlier one, is of the story, has its hash, and leaves the world that it says it leaves."""
    worlds: dict[int | None, WorldState] = {None: opening}
    hasher = WorldHasher()
    for number, row in enumerate(rows, 1):
        if row.event.kind not in STORY or not (row.parent is None or 1 <= row.parent < number):
            raise GardenFileError("garden-file.row", file=file, row=number)
        before = rows[row.parent - 1].hash if row.parent else None
        if row.hash != hash_row(before, garden, row.event):
            raise GardenFileError("garden-file.changed", file=file)
        try:
            worlds[number] = apply(worlds[row.parent], row.event.world_delta)
        except WorldError:
            raise GardenFileError("garden-file.row", file=file, row=number) from None
        if row.event.state_hash not in (None, hasher.of(worlds[number])):
            raise GardenFileError("garden-file.row", file=file, row=number)


def _first_words(error: Exception) -> str:
    return str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else type(error).__name__
