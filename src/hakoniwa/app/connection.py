"""Connection: which model speaks and how, written into the configuration file and in force at once."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import tomlkit
from pydantic import Field

from hakoniwa.address import bare_address
from hakoniwa.errors import UsageError
from hakoniwa.llm import Sampling
from hakoniwa.llm.find import ModelServer, place, visit
from hakoniwa.own_files import PRIVATE, partial_file, private_folder
from hakoniwa.settings import AUTO, Settings, load, names_in_environment
from hakoniwa.turn import Value

LONGEST = 2_000
Address = Annotated[str, Field(max_length=LONGEST, pattern=r"^\S*$")]
Key = Annotated[str, Field(max_length=LONGEST, pattern=r"^[!-~]*$")]
Tokens = Annotated[int, Field(ge=0, lt=2**63, strict=True)]


class Connection(Value):
    """Who is to speak. Without a key the one that is kept stays, if the address does; an empty one is taken away."""

    base_url: Address = ""
    api_key: Key | None = Field(default=None, repr=False)
    model: Annotated[str, Field(max_length=LONGEST, pattern=r"\S")] = AUTO
    sampling: Sampling = Sampling()
    tokens_per_hour: Tokens = 0
    tokens_per_session: Tokens = 0


class SettingsInForce:
    """The settings of a running server, and the file that a change of them is written to; None where none may be."""

    def __init__(self, settings: Settings, file: Path | None = None) -> None:
        self.settings, self.file = settings, file

    @property
    def fixed(self) -> tuple[str, ...]:
        """The settings of a connection that the environment says, which no file can change."""
        return tuple(name for name in Connection.model_fields if name in names_in_environment())

    def connect(self, wanted: Connection) -> None:
        """Have a connection in the file, and in force."""
        if self.file is None:
            raise UsageError("settings.no-file")
        changes = self._changes(wanted)
        if fixed := [name for name in changes if name in self.fixed]:
            raise UsageError("settings.fixed", names=", ".join(fixed))
        write_settings(self.file, changes)
        known = load({})[0]
        self.settings = self.settings.with_fields({name: getattr(known, name) for name in Connection.model_fields})

    def _changes(self, wanted: Connection) -> dict[str, Any]:
        """What differs from what is in force."""
        address = self._address(wanted.base_url)
        new = {**dict(wanted), "base_url": address, "api_key": self._key(address, wanted.api_key)}
        return {name: one for name, one in new.items() if one != getattr(self.settings, name)}

    def _address(self, given: str) -> str:
        """The address that is meant: the one in force is shown without what is secret in it."""
        return self.settings.base_url if given == shown_address(self.settings) else given

    def _key(self, address: str, given: str | None) -> str:
        """The key for an address: the one that is given, or the one that is kept for this very address."""
        if given is not None:
            return given
        return self.settings.api_key if address == self.settings.base_url else ""

    def visit(self, base_url: str, key: str | None) -> ModelServer:
        """What is at an address."""
        address = self._address(base_url)
        return visit(place(address, "base_url", self._key(address, key)))


def shown_address(settings: Settings) -> str:
    """The address in force without what is secret in it."""
    return bare_address(settings.base_url)


def write_settings(file: Path, changes: Mapping[str, Any]) -> None:
    """Write settings into the configuration file, which only its owner can read from then on; the rest of it stays."""
    path = file.resolve()  # where it is a link, it stays one
    document = tomlkit.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    for name, value in _in_toml(changes.items()):
        document.pop(name, None)
        if value not in ("", {}):
            document[name] = value
    private_folder(path.parent)
    with partial_file(path, PRIVATE) as partial:
        partial.write_text(document.as_string(), encoding="utf-8")


def _in_toml(changes: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    for name, value in changes:
        told = value.model_dump(mode="json", exclude_none=True, exclude_defaults=True) if name == "sampling" else value
        yield name, told
