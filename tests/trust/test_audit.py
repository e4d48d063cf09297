"""The audit fails over a weakness that nobody has accepted, and over nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.trust import audit

WELL = {"name": "uv", "version": "1", "vulns": []}
WEAK = {"name": "old", "version": "2", "vulns": [{"id": "PYSEC-1"}, {"id": "CVE-2"}]}
UNKNOWN = {"name": "new", "skip_reason": "not found"}


@pytest.fixture
def auditor(tmp_path: Path) -> Path:
    """A program that says what `answer.json` beside it has, as pip-audit would."""
    program = tmp_path / "auditor"
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/answer.json\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("packages", "code", "told"),
    [
        ([WELL], 0, "weaknesses of what runs: 0"),
        ([WELL, WEAK], 1, "old 2: PYSEC-1\nold 2: CVE-2"),
        ([UNKNOWN], 0, "NOT ASKED FOR"),
        ([], 0, "NOT ASKED FOR"),
    ],
)
def test_a_weakness_fails(
    auditor: Path, packages: list[dict[str, Any]], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (auditor.parent / "answer.json").write_text(json.dumps({"dependencies": packages}), encoding="utf-8")
    assert audit.told("what runs", audit.of_python(str(auditor))) == code
    assert told in capsys.readouterr().out


def test_an_accepted_weakness_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "ACCEPTED", {"CVE-2": "what it is about is never used"})
    assert audit.weaknesses([WELL, WEAK]) == ["old 2: PYSEC-1"]


FLAW = {"name": "svelte", "url": "https://example.com/advisories/GHSA-1"}


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"vulnerabilities": {}}, []),
        ({"vulnerabilities": {"svelte": {"via": [FLAW]}, "kit": {"via": ["svelte"]}}}, ["svelte: GHSA-1"]),
        ({"error": {"code": "ENOAUDIT"}}, None),
    ],
)
def test_the_page_is_audited_as_well(auditor: Path, answer: dict[str, Any], found: list[str] | None) -> None:
    (auditor.parent / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    assert audit.of_the_page(str(auditor)) == found


def test_without_an_auditor_nothing_is_said_to_be_well(tmp_path: Path) -> None:
    assert audit.known(str(tmp_path / "nobody"), [audit.KNOCK]) == []
    assert audit.of_the_page(str(tmp_path / "nobody")) is None


def test_every_lock_is_audited() -> None:
    runtime = "requirements.lock"  # all of it is in the lock of the tests, too
    assert {path.name for path in audit.ROOT.glob("requirements*.lock")} == {*audit.LOCKS, runtime}
