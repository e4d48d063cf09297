"""Every knob: name, default, one sentence. Read once, at the door; nothing below knows about files or variables."""

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from rapidfuzz import process

from hakoniwa.address import MASK, bare_address
from hakoniwa.autonomy.policy import QuietHours
from hakoniwa.capabilities.means import WEB_ADDRESS, Command, CommandName, ServerName, ToolServer
from hakoniwa.errors import UsageError
from hakoniwa.llm import Sampling
from hakoniwa.turn import Value

PREFIX = "HAKONIWA_"
AUTO, BUILTIN = "auto", "builtin"
SECRETS = frozenset({"token", "api_key", "environment", "headers"})
ADDRESSES = frozenset({"journal", "base_url", "search_url", "url"})
# In the file only.
TABLES: dict[str, type[Value]] = {"delegate": Command, "servers": ToolServer, "sampling": Sampling}


def data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hakoniwa"


def config_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(os.environ.get("HAKONIWA_CONFIG") or Path(base) / "hakoniwa" / "config.toml")


class Settings(Value):
    """How this installation behaves."""

    home: Path = Field(default_factory=data_home, description="Folder for journals and saved files.")
    journal: str = Field(
        default="", repr=False, description="Journal URL (sqlite or postgresql); empty: a file in home."
    )
    lang: Literal["ja", "en", "auto"] = Field(default="auto", description="Language of messages; auto: by locale.")
    speed: float = Field(default=1.2, ge=0, le=60, description="Seconds between turns in `play`; 0: no pause.")
    seed: int | None = Field(default=None, ge=0, lt=2**63, description="Seed of new gardens; empty: a new one each.")
    token: str = Field(default="", repr=False, description="Token that HTTP callers must send; empty: none is needed.")
    hosts: str = Field(default="", description="More host names the HTTP server answers to, separated by commas.")
    model: str = Field(
        default=AUTO, pattern=r"\S", description="Who speaks: a model's name; auto: one that is found, else builtin."
    )
    base_url: str = Field(default="", pattern=r"^\S*$", repr=False, description="Address of the model server.")
    api_key: str = Field(default="", pattern=r"^[!-~]*$", repr=False, description="Key the model server asks for.")
    context: int = Field(default=0, ge=0, le=2**24, description="Tokens a prompt and its reply may have; 0: ask.")
    acts: Literal["choose", "tags", "free"] = Field(
        default="choose", description="Acts off a list, as tags off a list, or in the model's own words."
    )
    phases: Literal["auto", "one", "two"] = Field(
        default="auto", description="Think and perform in one call or in two; auto: what the doctor found, else two."
    )
    scene: Literal["compact", "full"] = Field(default="compact", description="Form of the scene in a prompt.")
    history: int = Field(
        default=0, ge=0, le=2**20, description="Tokens of transcript in a prompt; 0: a sixth of the model's context."
    )
    gm_second_reading: Literal["off", "unsure", "denied"] = Field(
        default="off", description="Whether the referee's server asks a model what is meant: never, or about what."
    )
    critic: bool = Field(default=False, description="Have the model score every line; a low score asks for another.")
    leaks: Literal["note", "retake"] = Field(
        default="note", description="What is done about a line whose speaker cannot know what it says: note or retake."
    )
    sampling: Sampling = Field(default_factory=Sampling, description="How words are drawn from a model, with a preset.")
    recall: Literal["rule", "model"] = Field(
        default="rule", description="Who chooses what a reply in a chat remembers: a rule, or the model before it."
    )
    tokens_per_hour: int = Field(default=0, ge=0, description="Tokens a model may use in an hour; 0: any number.")
    tokens_per_session: int = Field(default=0, ge=0, description="Tokens a model may use in a garden; 0: any number.")
    turns_alone: int = Field(default=50, ge=0, description="Turns with a model before somebody must speak; 0: any.")
    seconds_per_call: float = Field(default=300, ge=1, le=3600, description="Longest a model may take for an answer.")
    embedder: str = Field(
        default=AUTO, pattern=r"\S", description="Vectors for memory: auto, none, ginza, or a model of the server's."
    )
    heartbeat_minutes: float = Field(
        default=30, gt=0, le=10_080, description="Minutes between two looks at whether there is something to do."
    )
    quiet_hours: str = Field(default="23:00-07:00", description="Hours in which nothing is begun or said; empty: none.")
    actions_per_day: int = Field(default=12, ge=0, description="Acts of its own accord in a day; 0: any number.")
    messages_per_day: int = Field(default=6, ge=0, description="Words of its own accord in a day; 0: any number.")
    tasks_per_day: int = Field(default=6, ge=0, description="Tasks given to programs in a day; 0: any number.")
    megabytes_per_day: int = Field(default=64, ge=0, description="Megabytes research may fetch in a day; 0: any.")
    again_after_hours: float = Field(default=24, ge=0, le=8_784, description="Hours before the same act is done again.")
    calm_minutes: float = Field(
        default=3, ge=0, le=1_440, description="Minutes of silence after the user's words before anything is begun."
    )
    speak: Literal["decided", "on_material", "on_error", "never"] = Field(
        default="decided", description="Whether a persona tells of what it did: as decided, by what came of it, never."
    )
    delegate: dict[CommandName, Command] = Field(
        default_factory=dict, repr=False, description="Programs that tasks may be given to; none by default."
    )
    servers: dict[ServerName, ToolServer] = Field(
        default_factory=dict, repr=False, description="MCP servers and which of their tools may be used."
    )
    search_url: str = Field(
        default="", pattern=WEB_ADDRESS, repr=False, description="Search server (SearXNG) for research; empty: none."
    )
    search_tool: str = Field(default="", description="Tool of an MCP server that searches instead, as `server/tool`.")
    mcp_memory: bool = Field(default=False, description="Whether clients of MCP may look into memories.")
    log: str = Field(default="", description="File for the log; empty: standard error of servers, else nowhere.")
    log_format: Literal["text", "json"] = Field(default="text", description="Log as text, or one JSON object a line.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least that is worth a line in the log."
    )

    @property
    def journal_url(self) -> str:
        return self.journal or f"sqlite:///{self.home / 'journal.db'}"

    @property
    def quiet(self) -> QuietHours | None:
        return QuietHours.read(self.quiet_hours) if self.quiet_hours else None

    @field_validator("quiet_hours")
    @classmethod
    def _are_hours(cls, text: str) -> str:
        if text:
            QuietHours.read(text)
        return text

    @field_validator("search_tool")
    @classmethod
    def _is_configured(cls, text: str, others: ValidationInfo) -> str:
        server, _, tool = text.partition("/")
        servers = others.data.get("servers", {})
        if text and (server not in servers or tool not in servers[server].tools):
            raise ValueError("not a tool that [servers] has, as in server/tool")
        return text


class Setting(Value):
    """One setting with where its value comes from."""

    name: str
    value: str
    origin: str
    description: str


def load(flags: dict[str, Any]) -> tuple[Settings, dict[str, str]]:
    """The settings in force and the origin of each: flag, environment, file or default."""
    layers = [("file", _from_file()), ("environment", _from_environment()), ("flag", _from_flags(flags))]
    merged: dict[str, Any] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")
    for origin, values in layers:
        for name, value in values.items():
            _check_known(name, origin)
            merged[name], origins[name] = value, origin
    try:
        return Settings.model_validate(merged), origins
    except ValidationError as error:
        raise _complaint(error.errors()[0], origins) from None


def _complaint(about: ErrorDetails, origins: Mapping[str, str]) -> UsageError:
    """What is wrong with one value, in a table or by itself, without saying a secret."""
    whole = about["loc"]
    place = [str(part) for part in (whole[:-2] if whole[-1] == "[key]" else whole)]
    name, origin = ".".join(place), origins[place[0]]
    match about["type"]:
        case "missing":
            return UsageError("settings.missing", name=name, origin=origin)
        case "extra_forbidden":
            near = process.extractOne(place[-1], list(TABLES[place[0]].model_fields))
            nearest = ".".join([*place[:-1], near[0]])
            return UsageError("settings.unknown", name=name, origin=origin, nearest=nearest)
    list_settings = _mask_secrets(about["input"], next((part for part in place if part in SECRETS), place[-1]))
    found = list_settings if list_settings == MASK else repr(list_settings)
    return UsageError("settings.bad-value", name=name, origin=origin, found=found, problem=about["msg"])


def _from_flags(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value is not None}


def names_in_environment() -> frozenset[str]:
    """The settings that the environment says."""
    return frozenset(_from_environment())


def _from_environment() -> dict[str, Any]:
    named = {name: os.environ.get(PREFIX + name.upper()) for name in Settings.model_fields if name not in TABLES}
    return {name: value for name, value in named.items() if value}


def _from_file() -> dict[str, Any]:
    path = config_file()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError("settings.bad-file", file=str(path), problem=str(error)) from None


def _check_known(name: str, origin: str) -> None:
    if name not in Settings.model_fields:
        near = process.extractOne(name, list(Settings.model_fields))
        raise UsageError("settings.unknown", name=name, origin=origin, nearest=near[0] if near else "")


def list_settings(settings: Settings, origins: dict[str, str]) -> list[Setting]:
    """Every setting with its value and origin, for people."""
    return [
        Setting(
            name=name, value=_shown_value(settings, name), origin=origins[name], description=field.description or ""
        )
        for name, field in Settings.model_fields.items()
    ]


def _shown_value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if name not in TABLES:
        return "" if value is None else str(_mask_secrets(value, name))
    if isinstance(value, Value):
        return json.dumps(value.model_dump(mode="json", exclude_unset=True)) if value.model_fields_set else ""
    table = {key: one.model_dump(mode="json", exclude_unset=True) for key, one in value.items()}
    return json.dumps(_mask_secrets(table, name), ensure_ascii=False) if table else ""


def _mask_secrets(value: Any, name: str) -> Any:
    """A value as it may be shown under its name; a secret never is, however deep it lies."""
    if isinstance(value, dict):
        return {key: _mask_secrets(one, name if name in SECRETS else key) for key, one in value.items()}
    if name in SECRETS:
        return MASK if value else value
    if isinstance(value, list | tuple):
        return [_mask_secrets(one, name) for one in value]
    is_address = isinstance(value, str) and (name in ADDRESSES or "://" in value)
    return bare_address(value) if is_address else value
