"""AutonomyLog: what a persona did, does and means to do by itself in one chat, by its rows in the journal."""

import secrets
import threading
from array import array
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple, TypeVar, cast

from hakoniwa.chat.autonomy_rows import (
    ActivityRow,
    AutonomyRow,
    ClaimRow,
    ControlAct,
    ControlRow,
    DecisionRow,
    EndRow,
    MessageRow,
    Trigger,
    parse_row,
)
from hakoniwa.chat.chat import ALONE
from hakoniwa.chat.lineage import CHAT, head_of, witness_memories
from hakoniwa.errors import JournalMovedOn
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.follow import row_at, rows_after
from hakoniwa.memory.store import Memories
from hakoniwa.persona.records import MemorySource
from hakoniwa.turn import Event

AT_HAND = 12  # as much as a persona does in a day, unless it is told to do more


class RowsOfKind:
    """The rows of one kind, in the order of the journal."""

    def __init__(self) -> None:
        self._seqs, self._times = array("q"), array("d")
        self._newest: deque[tuple[int, AutonomyRow]] = deque(maxlen=AT_HAND)

    def add(self, seq: int, what: AutonomyRow) -> None:
        self._seqs.append(seq)
        self._times.append(what.at.timestamp())
        self._newest.append((seq, what))

    def newest(self) -> dict[int, AutonomyRow]:
        """What is at hand, by row."""
        return dict(self._newest)

    def back(self, since: datetime | None, also: Collection[int]) -> list[int]:
        """The rows of what was so then or later, and some others, newest first. Clocks go back as well: a time says
        nothing about the row before it."""
        oldest = float("-inf") if since is None else since.timestamp()
        found = [seq for seq, at in zip(self._seqs, self._times, strict=True) if at >= oldest or seq in also]
        return found[::-1]


TRIES = 100  # to find a moment in which nobody else writes
FORGOTTEN = "autonomy.forgotten"  # why what was under way goes no further
ACT = "act"  # the step of a flow in which something is done
BROKEN_OFF = "{}/forgotten"  # the key under which a flow is broken off

One = TypeVar("One", bound=AutonomyRow)


class PlacedRow(NamedTuple):
    """Something in its place."""

    seq: int
    what: AutonomyRow


class UserMessage(NamedTuple):
    """Something the user said, in its place."""

    seq: int
    at: datetime


class RelatedRows(NamedTuple):
    """What hangs together with some rows: the keys of flows, and all rows they wrote or were begun with."""

    flows: set[str]
    rows: set[int]


class FlowBrokenOff(Exception):
    """A flow rests on something that was forgotten: it writes nothing more."""


def flow_key(garden: str, branch: str, trigger: Trigger) -> str:
    """The key of the flow of a trigger; whatever it writes has one that begins with it, or has it within."""
    return f"{garden}/{branch}/{trigger.key}"


def claim_key(trigger: str) -> str:
    """The key under which a trigger is taken up."""
    return f"claim/{trigger}"


class AutonomyLog:
    """The rows of one line of play, read on whenever they are asked for; safe to share between threads.

    What was taken back counts all the same: it was done. Of what is long past only the keys and times stay at hand."""

    def __init__(self, journal: Journal, garden: str, branch: str, who: str) -> None:
        self.journal, self.garden, self.branch, self.who = journal, garden, branch, who
        self.memories = Memories(journal)
        self._guard = threading.RLock()
        self._begin()

    def _begin(self) -> None:
        """Know nothing yet."""
        self._purges = self.memories.purges()
        self.on = False
        self.began: datetime | None = None  # when the persona was last let live
        self.paused_until: datetime | None = None
        self.paused = False
        self.waiting: dict[str, Trigger] = {}
        self.claims: dict[str, ClaimRow] = {}  # by trigger: taken up and not over
        self.made: dict[str, DecisionRow] = {}  # by trigger: what was made up about those
        self.heard: UserMessage | None = None
        self._past: defaultdict[type[AutonomyRow], RowsOfKind] = defaultdict(RowsOfKind)
        self._rows: dict[str, int] = {}  # by key
        self.over: list[str] = []  # the keys of flows that have ended, until somebody has cleared them away
        self.broken_off: set[str] = set()  # the keys of flows that go no further
        self._seen = 0

    def follow(self) -> "AutonomyLog":
        """Take in what was written since; after a purge everything again, for what it took must not stay in mind."""
        with self._guard:
            if self.memories.purges() != self._purges:
                self._begin()
            for row in rows_after(self.journal, self.garden, self._seen):
                self._seen = row.seq
                if row.branch == self.branch:
                    self._absorb(row)
        return self

    def _absorb(self, row: Row) -> None:
        payload = row.event.payload
        if row.event.kind == CHAT and payload.get("source") == MemorySource.CHAT:
            self.heard = UserMessage(row.seq, datetime.fromisoformat(payload.get("at") or row.recorded_at))
        found = parse_row(row.event.kind, payload)
        if found is None:
            return
        self._past[type(found)].add(row.seq, found)
        self._rows[found.key] = row.seq
        match found:
            case ControlRow():
                self._controlled(found)
            case Trigger() if not self.taken(found):
                self.waiting[found.key] = found
            case ClaimRow():
                self.claims[found.trigger.key] = found
                self.waiting.pop(found.trigger.key, None)
            case DecisionRow() if found.dropped == FORGOTTEN:
                self._break_off(found.trigger)
            case DecisionRow() if found.acting:
                self.made[found.trigger.key] = found
            case DecisionRow():
                self._ended(found.trigger.key)
            case EndRow():
                self._ended(found.trigger)

    def _ended(self, trigger: str) -> None:
        claim = self.claims.pop(trigger, None)
        self.made.pop(trigger, None)
        if claim:
            self.over.append(flow_key(self.garden, self.branch, claim.trigger))

    def _break_off(self, trigger: Trigger) -> None:
        flow = flow_key(self.garden, self.branch, trigger)
        self.claims.pop(trigger.key, None)
        self.made.pop(trigger.key, None)
        self.broken_off.add(flow)
        self.over.append(flow)

    def _controlled(self, control: ControlRow) -> None:
        match control.act:
            case "start":
                self.on, self.began, self.paused, self.paused_until = True, control.at, False, None
            case "stop":
                self.on = False
            case "pause":
                self.paused, self.paused_until = True, control.until
            case "resume":
                self.paused, self.paused_until = False, None

    def resting(self, now: datetime) -> bool:
        """Whether the user has asked for a pause that is not over."""
        return self.paused and (self.paused_until is None or now < self.paused_until)

    # --- what the user wants ------------------------------------------------------------------------------------------

    def control(self, act: ControlAct, now: datetime, until: datetime | None = None) -> None:
        """Let the persona live by itself or not, or pause it until some time, or until it is told to go on."""
        if act == "start":
            self.memories.live(self.garden, self.branch, True)
        self.write(ControlRow(key=f"control/{secrets.token_hex(8)}", at=now, act=act, until=until))
        if act == "stop":
            self.memories.live(self.garden, self.branch, False)

    def prompt(self, now: datetime, note: str = "") -> str:
        """Have the persona think about what to do as soon as it may; the key of the trigger."""
        key = f"policy/{secrets.token_hex(8)}"
        self.write(Trigger(key=key, at=now, type="policy", due=now, note=note))
        return key

    # --- looking -----------------------------------------------------------------------------------------------------

    def of(
        self, kind: type[One], since: datetime | None = None, also: Collection[int] = ()
    ) -> Iterator[tuple[int, One]]:
        """Everything of a kind, newest first, as far back as asked, and what is in some other rows."""
        with self._guard:
            past = self._past[kind]
            seqs, newest = past.back(since, also), past.newest()
        for seq in seqs:
            what = newest.get(seq) or self.read(seq)
            if what is not None:
                yield seq, cast(One, what)

    def at(self, key: str) -> PlacedRow | None:
        """What was written under a key."""
        seq = self._rows.get(key)
        what = None if seq is None else self.read(seq)
        return None if seq is None or what is None else PlacedRow(seq, what)

    def read(self, seq: int) -> AutonomyRow | None:
        """What was written in a row; None if that is not the persona's doing, or was forgotten."""
        row = row_at(self.journal, self.garden, seq)
        return parse_row(row.event.kind, row.event.payload) if row else None

    def taken(self, trigger: Trigger) -> bool:
        """Whether it ever was taken up."""
        return claim_key(trigger.key) in self._rows

    def bound_to(self, seqs: Collection[int]) -> RelatedRows:
        """Everything that was done because of these, or of which these are part, and what came of that in turn."""
        rows: dict[str, set[int]] = {}
        because: set[int] = set()
        for _, decided in self.of(DecisionRow):
            flow = flow_key(self.garden, self.branch, decided.trigger)
            rows[flow] = self._rows_of(flow, decided.trigger)
            evidence = decided.decision.evidence.event_ids if decided.decision else ()
            if not {*rows[flow], *evidence}.isdisjoint(seqs):
                because |= rows[flow]
        flows = {flow for flow, own in rows.items() if not own.isdisjoint(because)}
        return RelatedRows(flows, because.union(*(rows[flow] for flow in flows)))

    def _rows_of(self, flow: str, trigger: Trigger) -> set[int]:
        """What a flow wrote or led to, and the words it was begun with, but not that it was broken off."""
        begun = {trigger.key, claim_key(trigger.key)} if trigger.note else set()
        own, end = f"{flow}/", BROKEN_OFF.format(flow)
        return {seq for key, seq in self._rows.items() if key in begun or (own in key and not key.startswith(end))}

    # --- writing -----------------------------------------------------------------------------------------------------

    def break_off(self, seqs: Collection[int], now: datetime) -> RelatedRows:
        """Let what is under way because of these, or may be, go no further; from now on nothing is added to what is
        bound to them. Of what is still being thought about nobody can tell what it rests on."""
        for claim in list(self.follow().claims.values()):
            flow = flow_key(self.garden, self.branch, claim.trigger)
            if claim.trigger.key not in self.made or flow in self.bound_to(seqs).flows:
                self._write_off(flow, claim.trigger, now)
        return self.bound_to(seqs)

    def _write_off(self, flow: str, trigger: Trigger, now: datetime) -> None:
        key, wordless = BROKEN_OFF.format(flow), trigger.model_copy(update={"note": ""})
        seq = self.write(DecisionRow(key=key, at=now, trigger=wordless, dropped=FORGOTTEN))
        self.write(ActivityRow(key=f"{key}/seen", at=now, phase="decision", state="dropped", decision_id=seq,
                            warning=FORGOTTEN))  # fmt: skip

    def goes_on(self, flow: str) -> bool:
        """Whether a flow, or what led to it, was not broken off."""
        return not any(f"{one}/" in f"{flow}/" for one in self.broken_off)

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Let all that is read and written meanwhile be one transaction; of one that fails nothing stays in mind."""
        with self._guard:
            seen = self._seen
            try:
                with self.journal.database.as_one():
                    yield
            except BaseException:
                if self._seen != seen:
                    self._begin()
                raise

    def write(self, *rows: AutonomyRow) -> int:
        """Write rows down, but for those whose keys are there already; the first one's place. They are remembered.

        FlowBrokenOff if they are part of a flow that goes no further. The head is read first: whatever is written after
        it was, by whomever, is either seen here or keeps the rows from being written."""
        with self.as_one():
            for _ in range(TRIES):
                head = head_of(self.journal, self.garden, self.branch)
                known = self.follow()._rows
                new = [one for one in rows if one.key not in known]
                if not new:
                    return known[rows[0].key]
                if not all(self._may_be_written(one.key) for one in new):
                    raise FlowBrokenOff(new[0].key)
                events = [self._event(one, head) for one in new]
                try:
                    written = self.journal.append(self.garden, self.branch, events, head.seq if head else None)
                except JournalMovedOn:
                    continue  # a journal in memory: somebody else was quicker, perhaps with this very row
                self._take_in(head, written)
                return self.follow()._rows[rows[0].key]
        raise JournalMovedOn("journal.moved-on", garden=self.garden, branch=self.branch, expected=None, found=None)

    def _may_be_written(self, key: str) -> bool:
        return self.goes_on(key) or any(key.startswith(BROKEN_OFF.format(one)) for one in self.broken_off)

    def _event(self, what: AutonomyRow, head: Row | None) -> Event:
        turn = (head.event.turn if head else 0) + isinstance(what, MessageRow)
        payload = what.model_dump(mode="json", exclude_none=True)
        return Event(kind=what.kind, turn=turn, origin=ALONE, witnesses=(self.who,), payload=payload)

    def _take_in(self, head: Row | None, written: Sequence[Row]) -> None:
        """Memory follows at once where it had kept up; otherwise whoever opens the Ghost next catches up."""
        if head is None or not self.memories.untaken(self.garden, [head]):
            self.memories.take_in(self.garden, [(row, witness_memories(row)) for row in written])
