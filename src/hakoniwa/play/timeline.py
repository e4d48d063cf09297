"""Timeline: one line of play as it is recorded, its rows, and where the garden stood after any of them.

Sessions, pages and watchers of a line share one. It follows the journal, whoever writes there, and goes back where the
line was taken back; a state that it has shown never changes, so that it may be asked from any thread."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from threading import RLock
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import MindState
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.gc_pause import pause_collector
from hakoniwa.journal import MAIN, Garden, Journal, Row
from hakoniwa.journal.follow import Advanced, Follower, Rewound, shared_places
from hakoniwa.play.rows import RowIndex, Rows, pages
from hakoniwa.play.script import ScriptEntry, ScriptReader
from hakoniwa.play.standing import LATELY, GardenState, turn_of
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import WorldState

FAR, MOST_FAR = 512, 64  # rows from one checkpoint to the next, and how many of these there are
NEAR, MOST_NEAR = 32, 16  # and of those at the end of the line: most look there, and it is taken back from there
LAST = 4  # places at which the line was when it went on last
SHOWN = frozenset({"turn", "opening", "user", "incident", "process", "end", "prop"})
HEADED = ("turn", "opening")  # kinds after which it is known what the last heading of the script says
BLANK = MindState()


@dataclass(frozen=True)
class Checkpoint:
    """Where the garden stood after so many rows, the last of them the head; nothing changes it any more."""

    state: GardenState
    rows: int
    head: int | None

    def on(self, rows: Sequence[Row], worlds: Sequence[WorldState] = ()) -> "Checkpoint":
        """Where it stands after some more rows, and after each of them the world, where that is known."""
        state = copy_state(self.state)
        for row, world in zip_longest(rows, worlds[: len(rows)]):
            state.absorb(row.event, world)
        return Checkpoint(state, self.rows + len(rows), rows[-1].seq if rows else self.head)

    def lighter(self) -> "Checkpoint":
        """The same without the latest turns and what was on anybody's mind, which the rows have as well."""
        state = copy_state(self.state)
        state.minds, state.turns = dict.fromkeys(state.minds, BLANK), []
        return replace(self, state=state)


class Timeline:
    """The rows of a branch, and where the garden stood after each of them; `now` is where it stands."""

    def __init__(self, journal: Journal, garden: Garden, branch: str = MAIN) -> None:
        self.journal, self.garden, self.branch = journal, garden, branch
        self.scenario = Scenario.model_validate(garden.scenario)
        self.cast = {who: Character.model_validate(sheet) for who, sheet in garden.sheets.items()}
        self.lock = RLock()
        self.rows, self.index = Rows(journal, garden.id), RowIndex()
        self.now = Checkpoint(GardenState(self.scenario, self.cast), 0, None)
        self._far, self._apart = [self.now.lighter()], FAR
        self._near: deque[Checkpoint] = deque([self.now], MOST_NEAR)
        self._read_line()

    @property
    def head(self) -> int | None:
        return self.now.head

    @property
    def standing(self) -> GardenState:
        """Where the garden stands now."""
        return self.now.state

    # --- following the journal ---------------------------------------------------------------------------------------

    def follow(self) -> bool:
        """Take in what was written or taken back since; whether anything was."""
        with self.lock:
            match Follower(self.journal, self.garden.id, self.branch, self.head).look():
                case Advanced(()):
                    return False
                case Advanced(rows):
                    self._extend(rows)
                case Rewound(to, rows) if (places := 0 if to is None else self.place(to)) is not None:
                    self._rewind(places)
                    self._extend(rows)
                case _:
                    self._read_line()
            return True

    def extend(self, rows: Sequence[Row], worlds: Sequence[WorldState]) -> None:
        """Take in what this process has just written; if the line has been followed meanwhile, it is there already."""
        with self.lock:
            if rows and rows[0].parent == self.head:
                self._extend(rows, worlds)

    def _read_line(self) -> None:
        """Go on from the last row that is still on the line, however many have come since."""
        line = self.journal.line(self.garden.id, self.branch)
        self._rewind(shared_places(self.rows.seqs, line))
        with pause_collector():
            for page in pages(Rows(self.journal, self.garden.id, line), len(self.rows)):
                self._extend(page)

    def _extend(self, rows: Sequence[Row], worlds: Sequence[WorldState] = ()) -> None:
        for row in rows:
            self.rows.append(row)
            self.index.add(row.event)
        self._go_on(rows, worlds)

    def _go_on(self, rows: Sequence[Row], worlds: Sequence[WorldState] = ()) -> None:
        """Fold rows into the state, and leave a checkpoint every now and then."""
        for start in range(0, len(rows), NEAR):
            self._leave_checkpoints()
            self.now = self.now.on(rows[start : start + NEAR], worlds[start : start + NEAR])

    def _leave_checkpoints(self) -> None:
        """The last few places are always kept; of those before near ones some rows apart, and fewer far ones the
        longer the line."""
        if len(self._near) > LAST and self._near[-LAST].rows < self._near[-LAST - 1].rows + NEAR:
            del self._near[-LAST]
        self._near.append(self.now)
        if self.now.rows >= self._far[-1].rows + self._apart:
            self._far.append(self.now.lighter())
        if len(self._far) > MOST_FAR:
            self._far, self._apart = self._far[::2], 2 * self._apart

    def _rewind(self, places: int) -> None:
        if places == len(self.rows):
            return
        self.rows = self.rows.until(places)
        self.index.cut(places)
        self.now = self._known(places)
        self._far = [one for one in self._far if one.rows <= places]
        self._near = deque((one for one in self._near if one.rows <= places), MOST_NEAR)
        self._go_on(self.rows[self.now.rows :])
        self.now = self._complete(self.now)

    def _known(self, places: int) -> Checkpoint:
        """The last checkpoint that is not after so many rows."""
        known = (one for one in (*self._far, *self._near, self.now) if one.rows <= places)
        return max(known, key=lambda one: one.rows)

    def _folded(self, places: int) -> Checkpoint:
        """Where it stood after so many rows, perhaps without what a lighter checkpoint leaves out."""
        known = self._known(places)
        return known.on(self.rows[known.rows : places])

    def _complete(self, place: Checkpoint) -> Checkpoint:
        """The place with the latest turns and with what was on everybody's mind, if a lighter one led there."""
        state = copy_state(place.state)
        latest = self.index.last_turns(place.rows, LATELY)
        if len(state.turns) < len(latest):
            rows = self.rows[latest[0] : latest[-1] + 1]
            state.turns = [turn_of(row.event) for row in rows if row.event.kind == "turn"]
        for who, mind in state.minds.items():
            if mind is BLANK and (own := self.index.turns_of(who, place.rows)):
                state.minds[who] = MindState.model_validate(self.rows[own[-1]].event.payload.get("mind", {}))
        return replace(place, state=state)

    # --- looking back ------------------------------------------------------------------------------------------------

    def place(self, seq: int) -> int | None:
        """How many rows there are up to the one of that number, if it is one of this line."""
        with self.lock:
            places = self.rows.upto(seq)
            return places if places and self.rows.seqs[places - 1] == seq else None

    def until(self, turn: int) -> int:
        """How many rows there are up to the end of a turn."""
        with self.lock:
            known = self.index
            if turn > known.last_turn:
                raise UsageError("play.no-such-turn", wanted=turn, last=known.last_turn)
            return bisect_right(known.turns, turn)

    def turn_at(self, number: int) -> int:
        """The place of a turn; UnknownName if nobody had it."""
        with self.lock:
            place = self.index.turn_at(number)
            if place is None:
                raise UnknownName("garden.no-turn", wanted=number, last=self.index.last_turn)
            return place

    def after(self, places: int) -> GardenState:
        """Where the garden stood once so many rows were written."""
        with self.lock:
            return self._complete(self._folded(places)).state

    def at(self, turn: int | None) -> GardenState:
        """Where the garden stood at the end of a turn, or stands now."""
        with self.lock:
            return self.standing if turn is None else self.after(self.until(turn))

    def turns_of(self, who: str, turn: int) -> Sequence[int]:
        """The places of the turns that a character had up to one."""
        with self.lock:
            return self.index.turns_of(who, self.until(turn))

    # --- the script --------------------------------------------------------------------------------------------------

    def entries(self, start: int, end: int) -> list[tuple[Row, list[ScriptEntry]]]:
        """What the script has of the rows from one place to another."""
        with self.lock:
            return list(self.read_script(start, end))

    def read_script(self, start: int, end: int) -> Iterator[tuple[Row, list[ScriptEntry]]]:
        """The same, some rows at a time.

        Which heading came last follows from the last row that would have had one: reading begins there."""
        with self.lock:
            headed = self.index.last_of_kinds(start, *HEADED)
            first = start if headed is None else headed
            script, rows = ScriptReader(self._folded(first).state.world), self.rows.until(end)
        for place, row in enumerate(chain.from_iterable(pages(rows, first)), first):
            entries = script.read(row.event)
            if place >= start:
                yield row, entries

    def shown(self) -> list[int]:
        """The places of the rows that may have something in the script."""
        with self.lock:
            return self.index.of_kinds(*SHOWN)


def copy_state(state: GardenState) -> GardenState:
    """The same state, which goes its own way from here: what its tables hold never changes, the tables do."""
    twin: GardenState = _copy(state)
    twin.history = _copy(state.history)
    return twin


def _copy(one: Any) -> Any:
    twin = object.__new__(type(one))
    vars(twin).update({name: _copy_value(value) for name, value in vars(one).items()})
    return twin


def _copy_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy_value(one) for key, one in value.items()}
    return list(value) if isinstance(value, list) else value
