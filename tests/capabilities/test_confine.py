"""How much a folder holds, whatever is done to hide it."""

import os
from pathlib import Path

import pytest

from hakoniwa.capabilities.confine import folder_bytes

A_LOT = 2**40


def test_all_that_is_in_a_folder_counts_and_nothing_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "a" / "b").mkdir(parents=True)
    (place / "a" / "b" / "file").write_bytes(b"x" * 100_000)
    beside = tmp_path / "beside"
    beside.write_bytes(b"x" * 10_000_000)
    (place / "link").symlink_to(beside)
    (place / "round").symlink_to(place, target_is_directory=True)
    assert 100_000 <= folder_bytes(place, A_LOT) < 200_000


def test_empty_files_take_up_something_too(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert folder_bytes(tmp_path, A_LOT) == 100 * 4096


def test_it_is_counted_only_until_it_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert folder_bytes(tmp_path, 10 * 4096) == 11 * 4096


def test_what_cannot_be_looked_into_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hidden").mkdir()
    look = os.scandir

    def denied(folder: str) -> object:
        if folder.endswith("hidden"):
            raise PermissionError(13, "denied")
        return look(folder)

    monkeypatch.setattr(os, "scandir", denied)
    assert folder_bytes(tmp_path, A_LOT) > A_LOT


def test_what_is_gone_by_then_is_gone(tmp_path: Path) -> None:
    assert folder_bytes(tmp_path / "gone", A_LOT) == 0
