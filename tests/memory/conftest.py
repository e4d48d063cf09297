"""Memory is in no hurry here: what is searched for is found, however busy the machine."""

import pytest

from hakoniwa.memory import gather
from hakoniwa.memory.source import sources

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def in_no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "QUICK", PATIENCE)
    for name in sources:
        monkeypatch.setattr(sources[name], "timeout", PATIENCE, raising=False)
