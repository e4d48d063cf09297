"""What is told of a chat as it happens: those of its rows that are shown, on one line of play from some row on."""

import asyncio
from datetime import datetime
from typing import Any, Literal, NamedTuple

from hakoniwa.chat.autonomy_rows import ActivityRow, ActivityState, ControlAct, ControlRow, MessageRow, Phase, parse_row
from hakoniwa.chat.lineage import CHAT, ChatLine
from hakoniwa.journal import Journal, Row
from hakoniwa.journal.follow import Advanced, Follower, Gap, Rewound, rows_after
from hakoniwa.journal.rows import FORGOTTEN
from hakoniwa.persona.action import MessageKind, OnEnd, ResultStatus
from hakoniwa.persona.generated import Generated
from hakoniwa.service import streams
from hakoniwa.service.streams import EventFeed, EventNames
from hakoniwa.turn import Value

BEHIND = 1000  # rows that somebody may have missed and still get one by one
DIGITS = 18


class Hello(Value):
    """The beginning, for somebody who brings no id: all that comes after row `seq` follows."""

    seq: int


class Reset(Value):
    """A gap: what was missed cannot be told one by one, so read the chat again; all after row `seq` follows."""

    seq: int
    reason: Literal["unknown", "ahead", "behind", "purged"]


class TakenBack(Value):
    """Whatever came after row `seq` has been taken back; null: all there was."""

    seq: int | None


class ExchangeNews(Value):
    """Somebody talked with the persona."""

    seq: int
    turn: int


class ActivityNews(Value):
    """What the persona is up to, in nobody's voice."""

    phase: Phase
    state: ActivityState
    action_type: str | None
    capability: str | None
    backend: str | None
    result_status: ResultStatus | None
    summary_text: Generated | None
    decision_id: int | None
    intent_id: int | None
    result_id: int | None
    agent_job_id: str | None
    goal_id: int | None


class MessageNews(Value):
    """What the persona said of its own accord."""

    message: Generated
    message_kind: MessageKind
    delivery_mode: OnEnd
    action_type: str
    capability: str
    backend: str | None
    decision_id: int
    intent_id: int
    result_id: int
    agent_job_id: str | None


class ControlNews(Value):
    """The persona was let live, or not, or not for a while."""

    act: ControlAct
    at: datetime
    until: datetime | None


ChatEvent = Hello | Reset | TakenBack | ExchangeNews | ActivityNews | MessageNews | ControlNews
NAMES: dict[type[ChatEvent], str] = {
    Hello: "hello",
    Reset: "reset",
    TakenBack: "undo",
    ExchangeNews: "exchange",
    ActivityNews: ActivityRow.kind,
    MessageNews: "autonomy.message",
    ControlNews: ControlRow.kind,
}
EVENTS = EventNames(NAMES, NAMES)
SHOWN = frozenset({CHAT, ActivityRow.kind, ControlRow.kind})


def number_in(after: str) -> int | None:
    """The number of the row that somebody says to have seen last, if it can be one."""
    return int(after) if after.isdecimal() and len(after) <= DIGITS else None


class NumberedChatEvent(NamedTuple):
    """Something that happened, and the row up to which everything has been told with it."""

    seq: int
    what: ChatEvent


def chat_event_of(row: Row) -> ChatEvent | None:
    """What is shown of a row; most rows are nobody's business."""
    match parse_row(row.event.kind, row.event.payload):
        case ActivityRow() as one:
            return ActivityNews(**_fields(one, ActivityNews))
        case MessageRow() as one:
            return MessageNews(message=one.assistant_text, **_fields(one, MessageNews))
        case ControlRow() as one:
            return ControlNews(**_fields(one, ControlNews))
    return ExchangeNews(seq=row.seq, turn=row.event.turn) if row.event.kind == CHAT else None


def _fields(one: Value, wanted: type[Value]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in wanted.model_fields if name in type(one).model_fields}


class ChatFeed:
    """The rows of one line of a chat, from some row on; what was taken back since is not among them."""

    def __init__(self, journal: Journal, line: ChatLine) -> None:
        self._journal, self._line = journal, line
        self._garden, self._branch = line.garden, line.branch
        self._reader = Follower(journal, line.garden, line.branch)

    def begin(self, after: str | None) -> list[NumberedChatEvent]:
        """Where to go on: after the row that was seen last, or from now on; what there is to be said of that."""
        if after is None:
            self._start()
            return [NumberedChatEvent(self._reader.seen, Hello(seq=self._reader.seen))]
        seq = number_in(after)
        if seq is None:
            return self._gap("unknown")
        return self._found(seq) if seq else []

    def _found(self, seq: int) -> list[NumberedChatEvent]:
        row = next(iter(self._journal.since(seq - 1, 1, self._garden)), None)
        if row is None:
            return self._gap("ahead")
        if row.seq != seq:
            return self._gap("unknown")
        if row.event.payload == FORGOTTEN:
            return self._gap("purged")
        self._reader.seen = seq
        self._reader.head = self._had(seq)
        return []

    def _had(self, seq: int) -> int | None:
        """How far along the line a reader has come who has seen a row: to where it goes on from now, unless rows of
        this branch are between, which are on it no more."""
        base = self._reader.base()
        between = self._journal.since(base or 0, BEHIND, self._garden)
        gone = any(row.branch == self._branch and row.seq <= seq for row in between) or len(between) == BEHIND
        return seq if gone else base

    def look(self) -> list[NumberedChatEvent]:
        """What has happened since the last look."""
        told, back = self._reader.seen, list[NumberedChatEvent]()
        match self._reader.look(BEHIND):
            case Gap():
                return self._gap("behind")
            case Rewound(to, rows):
                back = [NumberedChatEvent(told, TakenBack(seq=to))]
            case Advanced(rows):
                pass
        own = [row for row in rows if row.event.kind in SHOWN and self._line.concerns(row)]
        if any(row.event.payload == FORGOTTEN for row in own):
            return self._gap("purged")
        return [*back, *(NumberedChatEvent(row.seq, found) for row in own if (found := chat_event_of(row)) is not None)]

    def _gap(self, reason: Literal["unknown", "ahead", "behind", "purged"]) -> list[NumberedChatEvent]:
        self._start()
        return [NumberedChatEvent(self._reader.seen, Reset(seq=self._reader.seen, reason=reason))]

    def _start(self) -> None:
        """Take everything there is as told: heads that were taken back are not the end of it."""
        newest = max((one.head or 0 for one in self._journal.branches(self._garden)), default=0)
        for row in rows_after(self._journal, self._garden, newest):
            newest = row.seq
        self._reader.seen = newest
        self._reader.head = self._reader.base()


class ChatWatcher(EventFeed):
    """One who watches a chat: a look into the journal now and then."""

    about = "a chat"

    def __init__(self, feed: ChatFeed) -> None:
        self._feed = feed

    def __enter__(self) -> "ChatWatcher":
        return self

    def __exit__(self, *_: object) -> None: ...

    async def begin(self, after: str | None) -> list[bytes]:
        return [EVENTS.frame(one.what, one.seq) for one in await asyncio.to_thread(self._feed.begin, after)]

    async def look(self) -> list[bytes]:
        return [EVENTS.frame(one.what, one.seq) for one in await asyncio.to_thread(self._feed.look)]

    async def wait(self) -> None:
        await asyncio.sleep(streams.PULSE)
