"""Memory is in no hurry here: what is searched for is found, however busy the machine."""

from dataclasses import replace

import pytest

from hakoniwa.memory import gather
from hakoniwa.memory.sources import sources

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def in_no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "QUICK", PATIENCE)
    for name, one in sources.items():
        monkeypatch.setitem(sources, name, replace(one, timeout=PATIENCE))
