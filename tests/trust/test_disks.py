"""Disks of one's own: what is played where there can be none, and that nobody else sees them."""

from pathlib import Path

import pytest

from tests.trust import disks
from tests.trust.mounted import may_mount, on_small_disk
from tests.trust.promise import tallied

MOUNTS = Path("/proc/self/mounts")


def test_where_nothing_may_be_mounted_files_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disks, "may_mount", lambda: False)
    monkeypatch.setattr(disks, "LANGUAGES", ("ja",))  # to have every trouble told once is enough here
    disks._begun(disks.Place(tmp_path))
    tally = tallied(disks.befallen(disks.FULL, disks.Place(tmp_path)))
    assert tally.breaches == []
    assert set(tally.kinds) == {trouble.__name__ + disks.LIMITED for trouble in disks.FULL}


def test_nobody_else_sees_a_small_disk() -> None:
    def looked(disk: Path) -> list[str]:
        return [str(disk), str(str(disk) in MOUNTS.read_text(encoding="utf-8"))]

    if may_mount():
        disk, seen = on_small_disk(looked)
        assert seen == "True"
        assert disk not in MOUNTS.read_text(encoding="utf-8")
        assert not Path(disk).exists()
