"""What capabilities may use. Only configuration fills this in: what is not here, no persona and no page can ask for."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from httpcore2 import AsyncNetworkBackend

from hakoniwa.ghost.action import Order
from hakoniwa.ghost.capabilities.allowed import Command, ToolServer
from hakoniwa.turn import Ruling, Value

MEBIBYTE = 2**20
WEB, FETCHED = "web_access", "bytes_fetched"  # who fetches, and what it says of how much
Resolve = Callable[[str, int], Awaitable[list[str]]]


@dataclass
class Meter:
    """Bytes that came in, and how many may."""

    room: int | None = None
    taken: int = 0

    @property
    def over(self) -> bool:
        """Whether more came in than may: nothing further is taken then."""
        return self.room is not None and self.taken > self.room


@dataclass(frozen=True)
class Web:
    """Where to search, and how much of the web one piece of research may take in.

    `search_url` is a SearXNG-style JSON endpoint; `search_tool` (`server/tool`) an MCP tool that is asked instead.
    `room` is how many bytes of a day's are left; None: any number."""

    search_url: str = ""
    search_tool: str = ""
    search_argument: str = "query"
    pages: int = 4
    page_bytes: int = MEBIBYTE
    page_seconds: float = 10.0
    seconds: float = 40.0
    room: int | None = None
    redirects: int = 5
    ports: frozenset[int] = frozenset({80, 443})
    resolve: Resolve | None = None
    wire: AsyncNetworkBackend | None = None
    meter: Meter = field(default_factory=Meter)


@dataclass(frozen=True)
class Limits:
    """How much a delegated command may take before it, and all it started, is ended."""

    seconds: float = 300.0
    output_bytes: int = 256 * 1024
    processes: int = 128
    memory_bytes: int = 4096 * MEBIBYTE
    file_bytes: int = 64 * MEBIBYTE
    folder_bytes: int = 1024 * MEBIBYTE
    files: int = 512


@dataclass(frozen=True)
class Delegate:
    """Who tasks may be given to, by name, and the folder through which the runner gets them. Nobody, by default."""

    spool: Path | None = None
    commands: Mapping[str, Command] = field(default_factory=dict)
    limits: Limits = Limits()
    patience: float = 60.0  # seconds a task waits for a runner
    silence: float = 30.0  # seconds without a heartbeat after which a runner counts as gone


class Reminder(Value):
    """A moment at which a persona wants to think again; of one `key` there is at most one."""

    key: str
    garden: str
    branch: str
    who: str
    at: datetime
    note: str


@dataclass(frozen=True)
class Means:
    """All of it. `act` puts an act before the referee, `remind` stores a reminder; both come to the same if repeated
    with the same key. `at_hand` tells some acts that are possible where the persona is."""

    web: Web = Web()
    delegate: Delegate = Delegate()
    servers: Mapping[str, ToolServer] = field(default_factory=dict)
    act: Callable[[Order, str], Awaitable[Ruling]] | None = None
    at_hand: Callable[[], Sequence[str]] | None = None
    remind: Callable[[Reminder], Awaitable[Any]] | None = None
    language: Literal["ja", "en"] = "ja"
