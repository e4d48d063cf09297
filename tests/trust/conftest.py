"""What every promise stands on: a heap of its own, as far as the garbage collector is concerned."""

import gc

import pytest


@pytest.fixture(autouse=True)
def own_heap() -> None:
    """Let the collector pass over what other tests left: who measures would measure it, and forks carry it along."""
    gc.collect()
    gc.freeze()
