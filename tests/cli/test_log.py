"""The log of a command: where it goes, what a line looks like, and what is never in it."""

import json
import logging
import os
import stat
from pathlib import Path

import pytest

from hakoniwa.cli import serve
from hakoniwa.cli.log_output import logging_of
from hakoniwa.settings import Settings
from tests.cli.conftest import Run

SERVICE = logging.getLogger("hakoniwa.service")


@pytest.mark.parametrize(("command", "told"), [("serve", True), ("worker", True), ("play", False), ("step", False)])
def test_servers_log_to_standard_error_and_nobody_else(
    command: str, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_of(command, Settings()):
        SERVICE.warning("the journal is full")
        SERVICE.info("a garden is paused")
    SERVICE.warning("nobody hears this")
    out, err = capsys.readouterr()
    assert out == ""
    heard = ["WARNING hakoniwa.service: the journal is full", "INFO hakoniwa.service: a garden is paused"]
    assert [line.split(" ", 2)[2] for line in err.splitlines()] == (heard if told else [])


@pytest.mark.parametrize("command", ["serve", "play"])
def test_every_command_logs_to_the_file_of_the_setting(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "new" / "hakoniwa.log"
    for text in ("one", "two"):
        with logging_of(command, Settings(log=str(file))):
            SERVICE.info(text)
    assert [line[-3:] for line in file.read_text(encoding="utf-8").splitlines()] == ["one", "two"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert capsys.readouterr() == ("", "")


def test_a_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "hakoniwa.log"
    with logging_of("serve", Settings(log=str(file))):
        SERVICE.info("one")
        file.rename(tmp_path / "old.log")
        SERVICE.info("two")
    assert "two" in file.read_text(encoding="utf-8")


def test_in_json_the_named_values_of_a_message_are_fields(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_of("serve", Settings(log_format="json")):
        SERVICE.info("paused=%(reason)s garden=%(garden)s", {"reason": "fault", "garden": "庭\x9b"})
        try:
            raise ValueError("no")
        except ValueError:
            logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
    raw = capsys.readouterr().err
    paused, failed = [json.loads(line) for line in raw.splitlines()]
    assert "\x9b" not in raw
    assert {name: paused[name] for name in ("level", "logger", "message", "reason", "garden")} == {
        "level": "INFO", "logger": "hakoniwa.service", "message": "paused=fault garden=庭\x9b", "reason": "fault",
        "garden": "庭\x9b",
    }  # fmt: skip
    assert paused["time"].endswith("+00:00")
    assert (failed["logger"], failed["message"]) == ("uvicorn.error", "Exception in ASGI application")
    assert failed["exception"].endswith("ValueError: no")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_is_left_out_and_nothing_steers_the_terminal_or_forges_a_line(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_of("serve", Settings(log_format=form, token="t0ken", api_key="k3y")):
        SERVICE.warning("t0ken %s %s", "k3y", "Bearer abcdef")
        SERVICE.warning("\x1b[2J%s", "a\nWARNING forged")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert not [secret for secret in ("t0ken", "k3y", "abcdef", "\x1b") if secret in "".join(lines)]


def test_less_than_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_of("serve", Settings(log_level="warning")):
        SERVICE.info("little")
        SERVICE.warning("much")
    assert capsys.readouterr().err.endswith("much\n")
    assert SERVICE.getEffectiveLevel() == logging.WARNING  # as it was before


def test_a_served_failure_is_heard(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(serve, "_run", lambda *_, **__: SERVICE.warning("the journal is full"))
    assert run("serve", "--port", "0").err.endswith("WARNING hakoniwa.service: the journal is full\n")


def test_what_a_command_decides_is_in_the_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hakoniwa.log"
    monkeypatch.setenv("HAKONIWA_LOG", str(file))
    monkeypatch.setenv("HAKONIWA_LOG_FORMAT", "json")
    members = [{"internal_id": one} for one in ("LUMINA", "NOX")]
    request = {"response_text": "[Next: nox]", "current_id": "LUMINA", "members": members}
    assert run("next-speaker", typed=json.dumps(request)).err == ""
    (entry,) = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    seed = {"extracted_raw": "nox", "normalized": "NOX", "matched_id": "NOX", "reason": "tag"}
    assert {name: entry[name] for name in seed} == seed
    assert (entry["logger"], entry["level"]) == ("hakoniwa.operation", "INFO")


def test_a_log_that_cannot_be_written_is_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_LOG", str(tmp_path))
    ended = run("gardens")
    assert (ended.code, str(tmp_path) in ended.err) == (4, True)
