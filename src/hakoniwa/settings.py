"""Every knob: name, default, one sentence. Read once, at the door; nothing below knows about files or variables."""

import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from rapidfuzz import process

from hakoniwa.errors import UsageError
from hakoniwa.turn import Value

PREFIX = "HAKONIWA_"
AUTO, BUILTIN = "auto", "builtin"
SECRETS = frozenset({"token", "api_key"})


def data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hakoniwa"


def config_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(os.environ.get("HAKONIWA_CONFIG") or Path(base) / "hakoniwa" / "config.toml")


class Settings(Value):
    """How this installation behaves."""

    home: Path = Field(default_factory=data_home, description="Folder for journals and saved files.")
    journal: str = Field(default="", description="Journal URL (sqlite or postgresql); empty: a file in home.")
    lang: Literal["ja", "en", "auto"] = Field(default="auto", description="Language of messages; auto: by locale.")
    speed: float = Field(default=1.2, ge=0, le=60, description="Seconds between turns in `play`; 0: no pause.")
    seed: int = Field(default=0, ge=0, lt=2**63, description="Seed of new gardens.")
    token: str = Field(default="", repr=False, description="Token that HTTP callers must send; empty: none is needed.")
    hosts: str = Field(default="", description="More host names the HTTP server answers to, separated by commas.")
    model: str = Field(
        default=AUTO, pattern=r"\S", description="Who speaks: a model's name; auto: one that is found, else builtin."
    )
    base_url: str = Field(default="", pattern=r"^\S*$", description="Address of the model server.")
    api_key: str = Field(default="", pattern=r"^[!-~]*$", repr=False, description="Key the model server asks for.")
    context: int = Field(default=0, ge=0, le=2**24, description="Tokens a prompt and its reply may have; 0: ask.")
    acts: Literal["free", "choose"] = Field(default="free", description="Acts in the model's words, or off a list.")
    one_pass: bool = Field(default=False, description="Think and perform in one call instead of two.")
    tokens_per_hour: int = Field(default=0, ge=0, description="Tokens a model may use in an hour; 0: any number.")
    tokens_per_session: int = Field(default=0, ge=0, description="Tokens a model may use in a garden; 0: any number.")
    turns_alone: int = Field(default=50, ge=0, description="Turns with a model before somebody must speak; 0: any.")
    seconds_per_call: float = Field(default=300, ge=1, le=3600, description="Longest a model may take for an answer.")
    embedder: str = Field(
        default=AUTO, pattern=r"\S", description="Vectors for memory: auto, none, ginza, or a model of the server's."
    )

    @property
    def journal_url(self) -> str:
        return self.journal or f"sqlite:///{self.home / 'journal.db'}"


class Setting(Value):
    """One setting with where its value comes from."""

    name: str
    value: str
    origin: str
    description: str


def load(flags: dict[str, Any]) -> tuple[Settings, dict[str, str]]:
    """The settings in force and the origin of each: flag, environment, file or default."""
    layers = [("file", _from_file()), ("environment", _from_environment()), ("flag", _given(flags))]
    merged: dict[str, Any] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")
    for origin, values in layers:
        for name, value in values.items():
            _known(name, origin)
            merged[name], origins[name] = value, origin
    try:
        return Settings.model_validate(merged), origins
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        found = _masked(name, repr(merged[name]))
        raise UsageError(
            "settings.bad-value", name=name, origin=origins[name], found=found, problem=first["msg"]
        ) from None


def _given(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value is not None}


def _from_environment() -> dict[str, Any]:
    named = {name: os.environ.get(PREFIX + name.upper()) for name in Settings.model_fields}
    return {name: value for name, value in named.items() if value}


def _from_file() -> dict[str, Any]:
    path = config_file()
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError("settings.bad-file", file=str(path), problem=str(error)) from None


def _known(name: str, origin: str) -> None:
    if name not in Settings.model_fields:
        near = process.extractOne(name, list(Settings.model_fields))
        raise UsageError("settings.unknown", name=name, origin=origin, nearest=near[0] if near else "")


def shown(settings: Settings, origins: dict[str, str]) -> list[Setting]:
    """Every setting with its value and origin, for people."""
    return [
        Setting(name=name, value=_told(settings, name), origin=origins[name], description=field.description or "")
        for name, field in Settings.model_fields.items()
    ]


def _told(settings: Settings, name: str) -> str:
    return _masked(name, str(getattr(settings, name)))


def _masked(name: str, value: str) -> str:
    """A value as it may be shown; a secret never is."""
    return "***" if name in SECRETS and value else value
