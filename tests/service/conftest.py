"""Servers at home in a folder: one of a test's own, and one for all of a file that only look."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.door import WholeDoor


@pytest.fixture
def door(tmp_path: Path) -> Iterator[WholeDoor]:
    with WholeDoor(home=tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server is at home of which nothing is to change."""
    return tmp_path_factory.mktemp("house")


@pytest.fixture(scope="module")
def open_door(house: Path) -> Iterator[WholeDoor]:
    """A server of which nothing is to change."""
    with WholeDoor(home=house) as opened:
        yield opened
