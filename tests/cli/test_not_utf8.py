"""Bytes that are no UTF-8 are repaired or refused where they are read: they could be answered, but not recorded."""

import asyncio
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hakoniwa import cli
from hakoniwa.cli.jsonl import parse_request
from hakoniwa.cli.live.prompt import read_line
from tests.cli.conftest import Run


def test_a_typed_line_can_be_recorded() -> None:
    async def prompt_async() -> str:
        return b"\x82\xb1 \xe7\x8c\xab".decode("utf-8", "surrogateescape")

    prompt: Any = SimpleNamespace(prompt_async=prompt_async)
    assert asyncio.run(read_line(prompt)) == "?? 猫"


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_whatever_a_pipe_holds_can_be_recorded(monkeypatch: pytest.MonkeyPatch, errors: str) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"\x82\xb1 \xe7\x8c\xab\n"), encoding="utf-8", errors=errors)
    monkeypatch.setattr(sys, "stdin", piped)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setattr(sys, "argv", ["hakoniwa", "--version"])
    with pytest.raises(SystemExit):
        cli.main()
    assert piped.readline() == "\ufffd\ufffd 猫\n"


def test_half_a_character_in_a_request_becomes_a_mark() -> None:
    assert parse_request('{"raw_output": "\\ud800 猫"}') == {"raw_output": "? 猫"}


def test_a_file_of_requests_is_answered_to_its_end(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_bytes(b'{"session_id": "\x82"}\n{}\n')
    ended = run("gm", "step", "--jsonl", str(file))
    assert ended.code == 0
    assert ["error" in json.loads(line) for line in ended.out.splitlines()] == [True, True]
