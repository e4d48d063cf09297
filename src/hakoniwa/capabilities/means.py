"""What capabilities may use. Only configuration fills this in: what is not here, no persona and no page can ask for."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from hakoniwa.turn import Ruling, Value

if TYPE_CHECKING:  # the settings are made of these values too, and every command loads the settings
    from httpcore2 import AsyncNetworkBackend

    from hakoniwa.persona.action import ActionOrder

WEB_ADDRESS = r"^(?:https?://[^\s/?#@\\]+(?:[/?#][^\s\\]*)?)?$"  # nobody's name and password in it

CommandName = Annotated[str, Field(pattern=r"^[\w-]{1,40}$")]
ServerName = Annotated[str, Field(pattern=r"^[\w-]{1,20}$")]  # short, as it is part of the name of an action
Argument = Annotated[str, Field(pattern=r"^[^\x00]*$")]
Tool = Annotated[str, Field(pattern=r"^\S{1,55}$")]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Header = Annotated[str, Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")]
HeaderText = Annotated[str, Field(pattern=r"^[ -~]*$")]


class Command(Value):
    """A program a task may be given to. The instruction becomes its last argument, after `--` if it knows that.

    It sees the system's programs and what is `readable`, writes into its own directory and what is `writable`, and
    has no variables but a few plain ones and its own `environment`. Without a sandbox it runs only if `unconfined`."""

    argv: tuple[Argument, ...] = Field(min_length=1)
    dashes: bool = True
    environment: dict[Variable, Argument] = Field(default_factory=dict, repr=False)
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    unconfined: bool = False

    @field_validator("argv")
    @classmethod
    def _found_from_anywhere(cls, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The runner looks up a name alone among the system's programs; a path must not depend on where it works."""
        program = os.path.expanduser(argv[0]) if "/" in argv[0] else argv[0]  # Path would make ./x a name
        if not program or ("/" in program and not program.startswith("/")):
            raise ValueError("a program is named by its whole path, or by a name without /")
        return program, *argv[1:]

    @field_validator("readable", "writable")
    @classmethod
    def _whole(cls, paths: tuple[Path, ...]) -> tuple[Path, ...]:
        whole = tuple(path.expanduser() for path in paths)
        if not all(path.is_absolute() for path in whole):
            raise ValueError("a path begins with / or ~/")
        return whole


class ToolServer(Value):
    """An MCP server: a command that speaks over its pipes, or an address; and which of its tools may be used."""

    tools: tuple[Tool, ...] = Field(min_length=1)
    command: tuple[Argument, ...] = ()
    environment: dict[Variable, Argument] = Field(default_factory=dict, repr=False)
    url: str = Field(default="", pattern=WEB_ADDRESS, repr=False)
    headers: dict[Header, HeaderText] = Field(default_factory=dict, repr=False)
    seconds: float = Field(default=30.0, gt=0, le=3600)

    @model_validator(mode="after")
    def _one_way_there(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("either `command` or `url`")
        return self


class ToolForm(Value):
    """What a tool says of itself: what it does, and the schema of what it takes."""

    about: str = ""
    payload: dict[str, Any] = {}


MEBIBYTE = 2**20
WEB, FETCHED = "web_access", "bytes_fetched"  # who fetches, and what it says of how much
Resolve = Callable[[str, int], Awaitable[list[str]]]


@dataclass
class ByteMeter:
    """Bytes that came in, and how many may."""

    room: int | None = None
    taken: int = 0

    @property
    def over(self) -> bool:
        """Whether more came in than may: nothing further is taken then."""
        return self.room is not None and self.taken > self.room


@dataclass(frozen=True)
class WebMeans:
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
    wire: "AsyncNetworkBackend | None" = None
    meter: ByteMeter = field(default_factory=ByteMeter)


@dataclass(frozen=True)
class CommandLimits:
    """How much a delegated command may take before it, and all it started, is ended."""

    seconds: float = 300.0
    output_bytes: int = 256 * 1024
    processes: int = 128
    memory_bytes: int = 4096 * MEBIBYTE
    file_bytes: int = 64 * MEBIBYTE
    folder_bytes: int = 1024 * MEBIBYTE
    files: int = 512


@dataclass(frozen=True)
class DelegateMeans:
    """Who tasks may be given to, by name, and the folder through which the runner gets them. Nobody, by default."""

    spool: Path | None = None
    commands: Mapping[str, Command] = field(default_factory=dict)
    limits: CommandLimits = CommandLimits()
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
class CapabilityMeans:
    """All of it. `act` puts an act before the referee, `remind` stores a reminder; both come to the same if repeated
    with the same key. `at_hand` tells some acts that are possible where the persona is. `forms` keeps what servers have
    said of their tools."""

    web: WebMeans = WebMeans()
    delegate: DelegateMeans = DelegateMeans()
    servers: Mapping[str, ToolServer] = field(default_factory=dict)
    forms: dict[str, dict[str, ToolForm]] = field(default_factory=dict, compare=False)
    act: "Callable[[ActionOrder, str], Awaitable[Ruling]] | None" = None
    at_hand: Callable[[], Sequence[str]] | None = None
    remind: Callable[[Reminder], Awaitable[Any]] | None = None
    language: Literal["ja", "en"] = "ja"
