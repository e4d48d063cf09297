"""What a configuration allows by name: programs to give tasks to, and servers whose tools may be used."""

import os
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from hakoniwa.turn import Value

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
