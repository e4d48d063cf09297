"""Reel: one line of play as it has been recorded, to look at from any of its turns.

The newest rows are at hand, and at some places how the garden stood then; from there to any row is not far. It follows
the journal, whoever writes there, and goes back where the line was taken back."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import MindState
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.gc_pause import pause_collector
from hakoniwa.journal import Garden, Journal, Row
from hakoniwa.play.rows import Rows, pages
from hakoniwa.play.script import ScriptEntry, ScriptReader
from hakoniwa.play.standing import GardenState, turn_of
from hakoniwa.service.rundown import RowIndex
from hakoniwa.stage.scenario import Scenario

EVERY, KNOWN = 512, 64  # rows from one place where it is known how things stood to the next, and how many there are
LATELY = 4  # and where the line was when it was looked at last: most who look want what has come since
AT_ONCE = 1_000
SHOWN = frozenset({"turn", "opening", "user", "incident", "process", "end", "prop"})
BLANK = MindState()
HEADED = frozenset({"turn", "opening"})  # kinds after which it is known what the last heading of the script says


@dataclass
class Checkpoint:
    """How things stood after so many rows, and which of them was the last turn of everybody."""

    standing: GardenState
    rows: int
    last_turns: dict[str, int]

    def go(self, row: Row) -> None:
        """On to behind the next row."""
        if row.event.kind == "turn":
            self.last_turns[row.event.payload["speaker"]] = self.rows
        self.standing.absorb(row.event)
        self.rows += 1

    def apart(self) -> "Checkpoint":
        """The same place, to go another way from there."""
        return Checkpoint(copy_state(self.standing), self.rows, dict(self.last_turns))

    def kept(self) -> "Checkpoint":
        """The same place without what was on anybody's mind: that is in the row of their last turn."""
        twin = self.apart()
        twin.standing.minds, twin.standing.turns = dict.fromkeys(twin.standing.minds, BLANK), []
        return twin


class Checkpoints:
    """Rows folded from the first on; every so often it is kept how things stood, for those who look back. The longer
    the line, the less often."""

    def __init__(self, opening: GardenState) -> None:
        self.now = Checkpoint(opening, 0, {})
        self._known, self._every = [self.now.kept()], EVERY
        self._lately: deque[Checkpoint] = deque(maxlen=LATELY)

    def extend(self, rows: Sequence[Row]) -> None:
        if rows:
            self._lately.append(self.now.apart())
        for row in rows:
            self.now.go(row)
            if self.now.rows % self._every == 0:
                self._known.append(self.now.kept())
            if len(self._known) > KNOWN:
                self._known, self._every = self._known[::2], 2 * self._every

    def rewind(self, rows: Sequence[Row], count: int) -> None:
        if count < self.now.rows:
            self.now = self.after(rows, count)
            del self._known[count // self._every + 1 :]
            self._lately = deque((one for one in self._lately if one.rows <= count), LATELY)

    def after(self, rows: Sequence[Row], count: int) -> Checkpoint:
        """The place after so many of these rows; nobody else has a hand in it."""
        known = (self._known[count // self._every], *(one for one in self._lately if one.rows <= count))
        place = max(known, key=lambda one: one.rows).apart()
        for row in rows[place.rows : count]:
            place.go(row)
        for who, turn in place.last_turns.items():
            if place.standing.minds.get(who) is BLANK:
                place.standing.minds[who] = MindState.model_validate(turn_of(rows[turn].event).mind)
        return place


class Timeline:
    """The rows of a branch, and how things stood after each of them. May be asked from any thread.

    How things stood is kept in outline; the whole is folded once somebody asks what anybody believed."""

    def __init__(self, journal: Journal, garden: Garden, branch: str) -> None:
        self.journal, self.garden, self.branch = journal, garden, branch
        self.scenario = Scenario.model_validate(garden.scenario)
        self.cast = {who: Character.model_validate(sheet) for who, sheet in garden.sheets.items()}
        self.lock = RLock()
        self._load()

    @property
    def head(self) -> int | None:
        return self.rows.seqs[-1] if self.rows else None

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
        self._fold = Checkpoints(GardenState(self.scenario, self.cast, outline=True))
        self._whole: Checkpoints | None = None
        with pause_collector():
            line = self.journal.line(self.garden.id, self.branch)
            self.rows, self.rundown = Rows(self.journal, self.garden.id, line), RowIndex()
            for page in pages(self.rows):
                self._note(page)

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
        for row in rows:
            self.rows.append(row)
        self._note(rows)

    def _note(self, rows: Sequence[Row]) -> None:
        """What is at hand of rows that are there now."""
        for row in rows:
            self.rundown.add(row.event)
        self._fold.extend(rows)

    def _rewind(self, places: int) -> None:
        for fold in (self._fold, self._whole):
            if fold is not None:
                fold.rewind(self.rows, places)
        self.rows = self.rows.until(places)
        self.rundown.cut(places)

    # --- looking back ------------------------------------------------------------------------------------------------

    def place(self, seq: int) -> int | None:
        """How many rows there are up to the one of that number, if it is one of this line."""
        with self.lock:
            places = self.rows.upto(seq)
            return places if places and self.rows.seqs[places - 1] == seq else None

    def until(self, turn: int) -> int:
        """How many rows there are up to the end of a turn."""
        with self.lock:
            known = self.rundown
            if turn > known.last_turn:
                raise UsageError("play.no-such-turn", wanted=turn, last=known.last_turn)
            return bisect_right(known.turns, turn)

    def turn_at(self, number: int) -> int:
        """The place of a turn; UnknownName if nobody had it."""
        with self.lock:
            known = self.rundown
            same = range(bisect_left(known.turns, number), bisect_right(known.turns, number))
            found = next((place for place in same if known.is_kind(place, "turn")), None)
            if found is None:
                raise UnknownName("garden.no-turn", wanted=number, last=known.last_turn)
            return found

    @property
    def standing(self) -> GardenState:
        """How things stand now, in outline; only to be looked at."""
        return self._fold.now.standing

    def after(self, places: int) -> GardenState:
        """How things stood once so many rows were written, in outline."""
        with self.lock:
            return self._fold.after(self.rows, places).standing

    def at(self, turn: int | None) -> GardenState:
        """How things stood at the end of a turn, or stand now, in outline."""
        with self.lock:
            return copy_state(self.standing) if turn is None else self.after(self.until(turn))

    def believed(self, turn: int | None) -> GardenState:
        """The whole of how things stood then, with what everybody believed."""
        with self.lock:
            whole = self._whole = self._whole or Checkpoints(GardenState(self.scenario, self.cast))
            with pause_collector():
                for page in pages(self.rows, whole.now.rows):
                    whole.extend(page)
            place = whole.now.apart() if turn is None else whole.after(self.rows, self.until(turn))
            return place.standing

    def turns_of(self, who: str, turn: int) -> list[int]:
        """The places of the turns that somebody had up to one."""
        with self.lock:
            end = self.until(turn)
            return [place for place in self.rundown.turns_of(who) if place < end]

    # --- the script --------------------------------------------------------------------------------------------------

    def entries(self, start: int, end: int) -> list[tuple[Row, list[ScriptEntry]]]:
        """What the script has of the rows from one place to another.

        Which heading came last follows from the last row that would have had one: reading begins there."""
        with self.lock:
            kinds = (place for place in range(start - 1, -1, -1) if self.rundown.is_kind(place, *HEADED))
            first = next(kinds, start)
            script = ScriptReader(self.after(first).world)
            read = [(row, script.read(row.event)) for row in self.rows[first:end]]
            return read[start - first :]

    def shown(self) -> list[int]:
        """The places of the rows that may have something in the script."""
        with self.lock:
            return self.rundown.of_kinds(*SHOWN)


def copy_state(standing: GardenState) -> GardenState:
    """The same standing, which goes its own way from here: what its tables hold never changes, the tables do."""
    twin: GardenState = _copy(standing)
    twin.history = _copy(standing.history)
    return twin


def _copy(one: Any) -> Any:
    twin = object.__new__(type(one))
    vars(twin).update({name: _copy_value(value) for name, value in vars(one).items()})
    return twin


def _copy_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy_value(one) for key, one in value.items()}
    return list(value) if isinstance(value, list) else value
