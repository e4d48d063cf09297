"""What goes into the store and comes out of it, besides memories themselves."""

from datetime import datetime, timedelta
from typing import Any, Literal

from hakoniwa.persona.records import AboutTime, Affect, Entity, MemoryLink, Revision
from hakoniwa.turn import Value

WorkKind = Literal["write_plan"]
WorkOutcome = Literal["done", "dropped", "queued"]
Of = Literal["event", "state"]
SnapshotKind = Literal["periodic", "shutdown", "startup_recovered"]


class VisibleRows(Value):
    """What is visible from a head: runs of rows without a break, each with the newest row that counts, newest first.

    A run ends where play was taken back or forked: what came after on that run is not part of the line."""

    spans: tuple[tuple[int, int], ...] = ()


class MemoryScope(Value):
    """Whose memory, along which line of play."""

    ghost: int
    line: VisibleRows


class Annotation(Value):
    """What was found out about an event: the time it speaks of, who occurs in it, what it belongs to."""

    seq: int
    about: AboutTime | None = None
    entities: tuple[Entity, ...] = ()
    threads: tuple[str, ...] = ()


class MemoryWriting(Value):
    """Everything that one cause changes, applied whole or not at all.

    A link between states may name one that is new in the same writing: -1 is its first revision, -2 its second."""

    annotations: tuple[Annotation, ...] = ()
    revisions: tuple[Revision, ...] = ()
    affects: tuple[Affect, ...] = ()
    links: tuple[MemoryLink, ...] = ()


class MemoryEntry(Value):
    """What came of one event for somebody, and the work it came from, if there was any."""

    scope: MemoryScope
    seq: int
    writing: MemoryWriting
    work: int | None = None


class RetrievalRun(Value):
    """One retrieval: what was asked, what was considered, what was chosen and by whom.

    A candidate names what it is by `type` ("event", "state", "event_affect") and `key`; an affect by its event."""

    id: int = 0
    at: datetime
    input: str
    plan: dict[str, Any]
    candidates: list[dict[str, Any]]
    selection: dict[str, Any]
    by: Literal["rule", "model"]
    dropped: str | None = None


class MemoryWork(Value):
    """Something to be done for an event, claimed by whoever holds this; `tries` counts the claims before."""

    id: int
    ghost: int
    seq: int
    kind: WorkKind
    tries: int


class LineStatus(Value):
    """How a line of play stands just now: until when somebody may be talking, and how far its clock was moved."""

    talking_until: datetime | None = None
    clock_ahead: timedelta = timedelta(0)


class ForgetResult(Value):
    """What a purge removed; `rows` and `calls` are the journal's own, `copies` were made before an upgrade, `traces`
    says that something had to stay for now because somebody else was using it."""

    events: int = 0
    states: int = 0
    preferences: int = 0
    goals: int = 0
    world_model_items: int = 0
    revisions: int = 0
    links: int = 0
    affects: int = 0
    vectors: int = 0
    runs: int = 0
    snapshots: int = 0
    works: int = 0
    rows: int = 0
    calls: int = 0
    copies: int = 0
    traces: bool = False


class MemoryStats(Value):
    """How much there is along a line."""

    events: int
    searchable: int
    revisions: int
    items: dict[str, int]
    entities: int
    threads: int
    links: int
    affects: int
    runs: int
    works: dict[str, int]
    vectors: dict[str, int]
