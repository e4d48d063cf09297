"""Reel: one line of play as it has been recorded, to look at from any of its turns.

The rows are kept as they were read, and every so often where the garden stood then; from there to any row is a short
way. It follows the journal, whoever writes there, and goes back where the line was taken back."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from threading import RLock
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import Garden, Journal, Row
from hakoniwa.journal.bulk import collector_paused
from hakoniwa.play.script import Entry, Script
from hakoniwa.play.standing import Standing
from hakoniwa.stage.scenario import Scenario
from hakoniwa.turn import Event

EVERY = 64  # rows from one place where it is known how things stood to the next
AT_ONCE = 1_000
SHOWN = frozenset({"turn", "opening", "user", "incident", "process", "end", "prop"})
HEADED = frozenset({"turn", "opening"})  # kinds after which it is known what the last heading of the script says


class Fold:
    """Rows folded from the first on; every so often it is kept how things stood, for those who look back."""

    def __init__(self, opening: Standing) -> None:
        self.standing, self.places = opening, 0
        self._known = [apart(opening)]

    def extend(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.standing.absorb(row.event)
            self.places += 1
            if self.places % EVERY == 0:
                self._known.append(apart(self.standing))

    def rewind(self, rows: Sequence[Row], places: int) -> None:
        if places < self.places:
            self.standing, self.places = self.after(rows, places), places
            del self._known[places // EVERY + 1 :]

    def after(self, rows: Sequence[Row], places: int) -> Standing:
        """How things stood after so many of these rows; nobody else has a hand in it."""
        standing = apart(self._known[min(places // EVERY, len(self._known) - 1)])
        for row in rows[places // EVERY * EVERY : places]:
            standing.absorb(row.event)
        return standing


class Reel:
    """The rows of a branch, and how things stood after each of them. May be asked from any thread.

    What it keeps is an outline; the whole is folded once somebody asks what anybody believed."""

    def __init__(self, journal: Journal, garden: Garden, branch: str) -> None:
        self.journal, self.garden, self.branch = journal, garden, branch
        self.scenario = Scenario.model_validate(garden.scenario)
        self.cast = {who: Character.model_validate(sheet) for who, sheet in garden.sheets.items()}
        self.lock = RLock()
        self._load()

    @property
    def head(self) -> int | None:
        return self.rows[-1].seq if self.rows else None

    # --- following the journal ---------------------------------------------------------------------------------------

    def follow(self) -> bool:
        """Take in what was written, or taken back, since; whether there was anything."""
        with self.lock:
            head = self._newest()
            if head == self.head:
                return False
            if not self._caught_up(head):
                self._load()
            return True

    def _newest(self) -> int | None:
        heads = {one.name: one.head for one in self.journal.branches(self.garden.id)}
        if self.branch not in heads:
            raise UnknownName("unknown.branch", name=self.branch, known=", ".join(heads))
        return heads[self.branch]

    def _load(self) -> None:
        self._newest()  # a branch that is not there has no rows to speak of, but a name to complain of
        self.rows: list[Row] = []
        self._fold = Fold(Standing(self.scenario, self.cast, outline=True))
        self._whole: Fold | None = None
        with collector_paused():
            self._extend(self.journal.lineage(self.garden.id, self.branch))

    def _caught_up(self, head: int | None) -> bool:
        """Go on from here, or from where the line was taken back to, if what was written since leads from there."""
        found = self.journal.since(self.head or 0, AT_ONCE, self.garden.id)
        if len(found) == AT_ONCE:
            return False
        new = {row.seq: row for row in found}
        chain: list[Row] = []
        while head in new:
            chain.append(new[head])
            head = new[head].parent
        places = 0 if head is None else self.place(head)
        if places is None or not chain:
            return False
        self._rewind(places)
        self._extend(chain[::-1])
        return True

    def _extend(self, rows: Sequence[Row]) -> None:
        self.rows += rows
        self._fold.extend(rows)

    def _rewind(self, places: int) -> None:
        for fold in (self._fold, self._whole):
            if fold is not None:
                fold.rewind(self.rows, places)
        del self.rows[places:]

    # --- looking back ------------------------------------------------------------------------------------------------

    def place(self, seq: int) -> int | None:
        """How many rows there are up to the one of that number, if it is one of this line."""
        with self.lock:
            found = bisect_left(self.rows, seq, key=lambda row: row.seq)
            return found + 1 if found < len(self.rows) and self.rows[found].seq == seq else None

    def until(self, turn: int) -> int:
        """How many rows there are up to the end of a turn."""
        with self.lock:
            last = self.rows[-1].event.turn if self.rows else 0
            if turn > last:
                raise UsageError("play.no-such-turn", wanted=turn, last=last)
            return bisect_right(self.rows, turn, key=lambda row: row.event.turn)

    @property
    def standing(self) -> Standing:
        """How things stand now, in outline; only to be looked at."""
        return self._fold.standing

    def after(self, places: int) -> Standing:
        """How things stood once so many rows were written, in outline."""
        with self.lock:
            return self._fold.after(self.rows, places)

    def at(self, turn: int | None) -> Standing:
        """How things stood at the end of a turn, or stand now, in outline."""
        with self.lock:
            return apart(self.standing) if turn is None else self.after(self.until(turn))

    def believed(self, turn: int | None) -> Standing:
        """The whole of how things stood then, with what everybody believed."""
        with self.lock:
            whole = self._whole = self._whole or Fold(Standing(self.scenario, self.cast))
            with collector_paused():
                whole.extend(self.rows[whole.places :])
            return apart(whole.standing) if turn is None else whole.after(self.rows, self.until(turn))

    def turns_of(self, who: str, turn: int) -> list[Event]:
        """The turns that somebody had up to one, as they were recorded."""
        with self.lock:
            events = [row.event for row in self.rows[: self.until(turn)] if row.event.kind == "turn"]
        return [event for event in events if event.payload["speaker"] == who]

    # --- the script --------------------------------------------------------------------------------------------------

    def entries(self, start: int, end: int) -> list[tuple[Row, list[Entry]]]:
        """What the script has of the rows from one place to another.

        Which heading came last follows from the last row that would have had one: reading begins there."""
        with self.lock:
            kinds = (place for place in range(start - 1, -1, -1) if self.rows[place].event.kind in HEADED)
            first = next(kinds, start)
            script = Script(self.after(first).world)
            read = [(row, script.read(row.event)) for row in self.rows[first:end]]
            return read[start - first :]

    def shown(self) -> list[int]:
        """The places of the rows that may have something in the script."""
        with self.lock:
            return [place for place, row in enumerate(self.rows) if row.event.kind in SHOWN]


def apart(standing: Standing) -> Standing:
    """The same standing, which goes its own way from here: what its tables hold never changes, the tables do."""
    twin: Standing = _twin(standing)
    twin.history = _twin(standing.history)
    return twin


def _twin(one: Any) -> Any:
    twin = object.__new__(type(one))
    vars(twin).update({name: _table(value) for name, value in vars(one).items()})
    return twin


def _table(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _table(one) for key, one in value.items()}
    return list(value) if isinstance(value, list) else value
