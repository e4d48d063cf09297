"""Timeline: one line of play as it is recorded, its rows, and where the garden stood after any of them.

Sessions, pages and watchers of a line share one. It follows the journal, whoever writes there, and goes back where the
line was taken back; a state that it has shown never changes, so that it may be asked from any thread."""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from random import Random
from threading import RLock
from typing import Any, overload

from hakoniwa.actor.cards.macros import fill_macros
from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import MindState, Mood
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.gc_pause import pause_collector
from hakoniwa.journal import MAIN, GardenRecord, Journal, Row
from hakoniwa.journal.follow import Advanced, Follower, Rewound, shared_places
from hakoniwa.play.script import ScriptEntry, ScriptReader
from hakoniwa.play.standing import LATELY, GardenState, turn_of
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Event

AT_HAND, PAGE, AXES = 16, 256, 3


class Rows(Sequence[Row]):
    """The rows from the first event to the head, by their numbers."""

    def __init__(self, journal: Journal, garden: str, seqs: Sequence[int] = ()) -> None:
        self._journal, self._garden = journal, garden
        self._seqs = array("q", seqs)
        self._newest = deque(self._older(max(0, len(seqs) - AT_HAND), len(seqs)), AT_HAND)

    def append(self, row: Row) -> None:
        """The line goes on, and what is no longer among the newest is let go."""
        self._seqs.append(row.seq)
        self._newest.append(row)

    def until(self, place: int) -> "Rows":
        """As many rows from the first on; of those at hand, what is left of them."""
        before = Rows(self._journal, self._garden)
        before._seqs = self._seqs[:place]
        before._newest.extend(islice(self._newest, max(0, place - len(self) + len(self._newest))))
        return before

    @property
    def seqs(self) -> Sequence[int]:
        """The numbers of all of them, which are at hand."""
        return self._seqs

    def upto(self, seq: int) -> int:
        """How many there are up to the one of that number."""
        return bisect_right(self._seqs, seq)

    def after(self, seq: int) -> list[Row]:
        """The rows that came after the one of that number."""
        return self[self.upto(seq) :]

    def __len__(self) -> int:
        return len(self._seqs)

    def __iter__(self) -> Iterator[Row]:
        yield from self._older(0, len(self._seqs) - len(self._newest))
        yield from self._newest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return self._between(start, max(start, stop)) if step == 1 else list(self)[place]
        start = range(len(self))[place]
        return self._between(start, start + 1)[0]

    def _between(self, start: int, stop: int) -> list[Row]:
        first = len(self._seqs) - len(self._newest)
        newest = islice(self._newest, max(start - first, 0), max(stop - first, 0))
        return [*self._older(start, min(stop, first)), *newest]

    def _older(self, start: int, stop: int) -> Iterator[Row]:
        """Rows that are no longer at hand, some at a time; what other lines wrote between them is passed over."""
        page: deque[Row] = deque()
        for place in range(start, stop):
            seq = self._seqs[place]
            while page and page[0].seq < seq:
                page.popleft()
            if not page:
                page.extend(self._journal.since(seq - 1, min(PAGE, stop - place), self._garden))
            yield page.popleft()


def pages(rows: Sequence[Row], place: int = 0) -> Iterator[Sequence[Row]]:
    """The rows from one on, some at a time: they may have to be read, and there may be many."""
    for start in range(place, len(rows), PAGE):
        yield rows[start : start + PAGE]


class RowIndex:
    """The turn and the kind of every row; the places of all turns, and of each who had it and how they felt then."""

    def __init__(self) -> None:
        self.turns, self.turn_places = array("q"), array("q")
        self._kind_numbers: dict[str, int] = {}
        self._kinds, self._moods = array("H"), array("d")
        self._turns_of: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def last_turn(self) -> int:
        return self.turns[-1] if self.turns else 0

    def add(self, event: Event) -> None:
        if event.kind == "turn":
            mood = Mood.model_validate(event.payload.get("mind", {}).get("mood", {}))
            self._turns_of[event.payload["speaker"]].append(len(self))
            self.turn_places.append(len(self))
            self._moods.extend((mood.valence, mood.arousal, mood.dominance))
        self.turns.append(event.turn)
        self._kinds.append(self._kind_numbers.setdefault(event.kind, len(self._kind_numbers)))

    def cut(self, places: int) -> None:
        """Leave out all but so many rows."""
        for known in (self.turns, self._kinds):
            del known[places:]
        for turns in (self.turn_places, *self._turns_of.values()):
            del turns[bisect_left(turns, places) :]
        del self._moods[len(self.turn_places) * AXES :]

    def of_kinds(self, *kinds: str) -> list[int]:
        """The places of all rows of some kinds."""
        wanted = self._numbers(kinds)
        return [place for place, kind in enumerate(self._kinds) if kind in wanted]

    def last_of_kinds(self, before: int, *kinds: str) -> int | None:
        """The place of the last row of some kinds before a place."""
        wanted = self._numbers(kinds)
        return next((place for place in range(before - 1, -1, -1) if self._kinds[place] in wanted), None)

    def last_turns(self, before: int, count: int) -> Sequence[int]:
        """The places of the last so many turns before a place."""
        end = bisect_left(self.turn_places, before)
        return self.turn_places[max(0, end - count) : end]

    def turns_of(self, who: str, before: int) -> Sequence[int]:
        """The places of the turns that a character had before a place."""
        own = self._turns_of.get(who, array("q"))
        return own[: bisect_left(own, before)]

    def turn_at(self, number: int) -> int | None:
        """The place of the turn of that number."""
        at = self.turns_before(number)
        place = self.turn_places[at] if at < len(self.turn_places) else None
        return None if place is None or self.turns[place] != number else place

    def turns_before(self, number: int) -> int:
        """How many turns there were before the one of that number."""
        return bisect_left(self.turn_places, number, key=self.turns.__getitem__)

    def mood(self, place: int) -> Sequence[float]:
        """Valence, arousal and dominance of the speaker after the turn at a place."""
        at = bisect_left(self.turn_places, place) * AXES
        return self._moods[at : at + AXES]

    def _numbers(self, kinds: Sequence[str]) -> set[int]:
        return {self._kind_numbers[kind] for kind in kinds if kind in self._kind_numbers}


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


def _played_sheet(garden: GardenRecord, who: str, scenario: Scenario) -> Character:
    """The sheet of somebody in a garden, its macros filled in: whoever the user plays is the user."""
    dice = Random(f"{garden.seed}/{who}")
    player = next((one for one, role in scenario.cast.items() if role.player and one in garden.sheets), None)
    me = garden.sheets[player] if player else {}
    told = (str(me.get("display_name", "")), scenario.language, dice, str(me.get("persona", "")))
    return Character.model_validate(fill_macros(garden.sheets[who], *told))


class Timeline:
    """The rows of a branch, and where the garden stood after each of them; `now` is where it stands."""

    def __init__(self, journal: Journal, garden: GardenRecord, branch: str = MAIN) -> None:
        self.journal, self.garden, self.branch = journal, garden, branch
        self.scenario = Scenario.model_validate(garden.scenario)
        self.cast = {who: _played_sheet(garden, who, self.scenario) for who in garden.sheets}
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

    def read_anew(self) -> None:
        """Hold nothing any more that was read before, for words may have been purged since."""
        with self.lock:
            self._rewind(0)
            self._read_line()

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

        Which heading came last follows from where the story was and from the last row that would have had one: reading
        begins there."""
        with self.lock:
            headed = self.index.last_of_kinds(start, *HEADED)
            first = start if headed is None else headed
            found, rows = self._folded(first).state, self.rows.until(end)
        script = ScriptReader(found.world, found.scene[0])
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
    twin.history, twin.hearsay = _copy(state.history), state.hearsay.copy()
    return twin


def _copy(one: Any) -> Any:
    twin = object.__new__(type(one))
    vars(twin).update({name: _copy_value(value) for name, value in vars(one).items()})
    return twin


def _copy_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy_value(one) for key, one in value.items()}
    return list(value) if isinstance(value, list) else value
