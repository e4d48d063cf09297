"""The journal is the truth: an append-only tree of events, in which a branch is a head and undo moves it."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import Field

from hakoniwa.turn import Event, Value

if TYPE_CHECKING:
    from hakoniwa.journal.database import Database

MAIN = "main"
IN_SCENARIO = ("id", "title", "language")  # what a list tells of it


class GardenRecord(Value):
    """One garden before its first turn: everything a replay starts from."""

    id: str
    scenario: dict[str, Any]
    sheets: dict[str, dict[str, Any]]
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)]
    settings: dict[str, Any] = Field(default_factory=dict)


class Row(Value):
    """One event in its place; `recorded_at` is UTC and part of no hash and of no canonical export."""

    seq: int
    parent: int | None
    garden: str
    branch: str
    event: Event
    row_hash: str
    recorded_at: str


class Branch(Value):
    """One line of play: where its newest row is, and the branch and turn it was forked from."""

    name: str
    head: int | None
    parent: str | None
    turn: int


class GardenSummary(Value):
    """What a list tells of a garden: neither its scenario nor its sheets are read whole for it."""

    id: str
    seed: int
    scenario: str | None
    title: str | None
    language: str | None
    settings: dict[str, Any]
    branches: tuple[Branch, ...]

    @property
    def newest(self) -> int:
        """The newest row on any of its branches, or 0."""
        return max((one.head or 0 for one in self.branches), default=0)


class CallRow(Value):
    """One call to a model, kept beside the events; `undone` when the turn it was asked for has been taken back."""

    id: int
    garden: str
    branch: str
    after: int | None
    turn: int
    speaker: str | None
    call: dict[str, Any]
    undone: bool
    recorded_at: str


class PurgeResult(Value):
    """What was taken out of a journal for good: the words of rows, and calls to a model."""

    rows: int = 0
    calls: int = 0


class Journal(Protocol):
    """Keeps every row there ever was; a call either happens whole or raises and leaves nothing behind."""

    waits: bool = True  # for a disk or a server, while others can go on

    def create(self, garden: GardenRecord) -> None:
        """Keep a new garden, with its branch `main`."""

    def gardens(self) -> list[GardenRecord]:
        """Every garden, by id."""

    def plates(self) -> list[GardenSummary]:
        """What a list tells of every garden that is played or talked in, by id: others keep their history here, too."""

    def garden(self, id: str) -> GardenRecord:
        """The garden of that id, or UnknownName with those that have a plate."""

    def branches(self, garden: str) -> list[Branch]:
        """Every branch of a garden, by name."""

    def append(self, garden: str, branch: str, events: Sequence[Event], after: int | None) -> list[Row]:
        """Write the events in one transaction, unless the head is no longer the row the writer believes in."""

    def line(self, garden: str, branch: str) -> list[int]:
        """The numbers of the rows from the first event to the head."""

    def lineage(self, garden: str, branch: str) -> list[Row]:
        """The rows from the first event to the head; of a long garden they weigh a lot."""

    def move_head(self, garden: str, branch: str, to: int | None) -> None:
        """Undo or redo: point the branch at another row of its garden, or (None) before the first."""

    def fork(self, garden: str, branch: str, name: str, at: int | None) -> Branch:
        """Start a branch at a row of the garden, or (None) before the first."""

    def since(self, seq: int, limit: int = 1000, garden: str | None = None) -> list[Row]:
        """The rows written after `seq` on any branch, in the order of their commits."""

    def record_call(
        self,
        garden: str,
        branch: str,
        after: int | None,
        turn: int,
        key: str,
        call: Mapping[str, Any],
        speaker: str | None = None,
        purges: int | None = None,
    ) -> None:
        """Keep a call that was asked at the head `after`, in a transaction of its own, so that a restart finds it.

        Not if there have been more `purges` since it was asked: what was forgotten may be in its prompt."""

    def recorded_call(self, garden: str, branch: str, after: int | None, key: str) -> dict[str, Any] | None:
        """The newest call of that key without a fault, asked at this head and with nothing written there since."""

    def calls(self, garden: str, branch: str, turn: int | None = None, prompts: bool = False) -> list[CallRow]:
        """The calls behind a branch and behind what was taken back on it; their messages only with `prompts`."""

    def forget(self, garden: str, seqs: Collection[int]) -> PurgeResult:
        """Purge the words of rows, and every call of that garden since; the rows stay, and still add up."""

    def set_settings(self, garden: str, settings: Mapping[str, Any]) -> GardenRecord:
        """Keep other settings of a garden, such as what its user calls it; what is played there is never changed."""

    def delete(self, garden: str) -> PurgeResult:
        """Remove a garden with all of its rows, branches and calls, for good."""

    def search(self, text: str, limit: int) -> list[Row]:
        """The newest rows whose payload has a text in it, in whatever case, newest first."""

    @property
    def database(self) -> "Database":
        """Where memory has its tables: in the same file or server, or for as long as the process lives."""

    def check(self, garden: str) -> list[str]:
        """What does not add up: hashes, parents, heads, rows or prompts gone missing. Empty when all is well."""

    def backup(self, to: Path) -> None:
        """Copy the whole journal into a new SQLite file, which is there only once it is complete."""

    def close(self) -> None:
        """Let go of files and connections."""


def has_summary(garden: GardenRecord) -> bool:
    """Whether a garden is more than a name under which somebody's history is kept."""
    return bool(garden.scenario or garden.settings)


def summary_of(garden: GardenRecord, branches: Sequence[Branch]) -> GardenSummary:
    """What a list tells of a garden that is at hand."""
    id, title, language = (garden.scenario.get(name) for name in IN_SCENARIO)
    return GardenSummary(
        id=garden.id, seed=garden.seed, scenario=id, title=title, language=language, settings=garden.settings,
        branches=tuple(branches),
    )  # fmt: skip


def canonical(row: Row) -> str:
    """The row as the canonical export has it: its event, without timestamps and ids."""
    return canonical_json(row.event.model_dump())


def canonical_json(data: Any) -> str:
    """JSON with one spelling for one value."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
