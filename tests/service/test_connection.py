"""A model is connected over HTTP: into the configuration file, in force at once, and its key stays a secret."""

import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app import connection
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerPlace
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.settings import config_file, load
from tests.service.door import TOKEN, WholeDoor, refused

HERE = "http://127.0.0.1:9/v1"
WANTED = {"base_url": HERE, "api_key": "k3y-hidden", "model": "gemma3:4b", "sampling": {"preset": "qwen", "top_p": 0.5}}


@pytest.fixture(autouse=True)
def _environment_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HAKONIWA_MODEL", raising=False)


class Configured(WholeDoor):
    """Everything there is, with a configuration file."""

    def __init__(self, text: str = "") -> None:
        config_file().parent.mkdir(parents=True, exist_ok=True)
        config_file().write_text(text, encoding="utf-8")
        self._open_on(hakoniwa_app(MemoryJournal(), load({})[0], TOKEN, config=config_file()))


def written() -> dict[str, Any]:
    return tomllib.loads(config_file().read_text(encoding="utf-8"))


def test_it_is_in_the_file_for_its_owner_alone_and_in_force_and_the_key_is_not_told() -> None:
    with Configured("# mine\nspeed = 0.5\n\n[sampling]\ntemperature = 1.0\n") as door:
        answer = door.send(connection.Connection.model_validate(WANTED).model_dump_json().encode(), "/v1/connection")
        settings = {one["name"]: one["value"] for one in door.get("/v1/settings")}
        assert "hidden" not in answer.text + str(settings) + door.send(b"", "/v1/connection", "GET").text
        assert door.get("/v1/connection")["has_key"]
        assert (settings["base_url"], settings["model"], settings["api_key"]) == (HERE, "gemma3:4b", "***")
    assert written() == {**WANTED, "speed": 0.5}
    assert config_file().read_text(encoding="utf-8").startswith("# mine\n")
    assert stat.S_IMODE(config_file().stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({}, "k3y-hidden"),
        ({"api_key": "other"}, "other"),
        ({"api_key": ""}, None),
        ({"base_url": "http://127.0.0.1:10/v1"}, None),
    ],
)
def test_a_key_stays_with_its_address(changed: dict[str, Any], kept: str | None) -> None:
    with Configured() as door:
        door.post("/v1/connection", WANTED)
        door.post("/v1/connection", {**{key: one for key, one in WANTED.items() if key != "api_key"}, **changed})
    assert written().get("api_key") == kept


@pytest.mark.parametrize(("address", "shown"), [(HERE, "k3y"), ("http://127.0.0.1:10/v1", "")])
def test_only_the_address_it_is_kept_for_is_shown_the_key(
    address: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []

    def visit(at: ServerPlace) -> ModelServer:
        keys.append(at.key)
        return ModelServer(url=at.url, asked=at.url, origin=at.origin, models=(OfferedModel(name="m"),), key=at.key)

    monkeypatch.setattr(connection, "visit", visit)
    with Configured(f'base_url = "{HERE}"\napi_key = "k3y"\n') as door:
        found = door.post("/v1/servers/visit", {"base_url": address})
    assert ([one["name"] for one in found["models"]], keys) == (["m"], [shown])


def test_what_the_environment_says_is_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_MODEL", "gemma")
    with Configured() as door:
        assert door.get("/v1/connection")["fixed"] == ["model"]
        assert refused(door.send(b'{"model": "other"}', "/v1/connection"), 422)["key"] == "settings.fixed"
    assert written() == {}


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("", encoding="utf-8")
    config_file().parent.mkdir(parents=True)
    config_file().symlink_to(tmp_path / "dotfiles.toml")
    connection.write_settings(config_file(), {"model": "gemma"})
    assert (config_file().is_symlink(), written()) == (True, {"model": "gemma"})


def test_a_key_that_cannot_be_one_is_not_repeated() -> None:
    with Configured() as door:
        assert "hidden" not in str(refused(door.send(b'{"api_key": "hidden key"}', "/v1/connection"), 422))


def test_without_a_file_nothing_is_written() -> None:
    with WholeDoor() as door:
        assert refused(door.send(b'{"model": "other"}', "/v1/connection"), 422)["key"] == "settings.no-file"
