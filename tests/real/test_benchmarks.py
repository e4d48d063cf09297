"""Every benchmark runs to its end, at its smallest size: some of them start servers and a real model."""

import logging
from collections.abc import Iterator

import pytest

from benchmarks.__main__ import names, run


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Benchmarks silence the log."""
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", names())
def test_a_benchmark_runs_to_its_end(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(name, smallest=True)
    title, *figures = capsys.readouterr().out.strip().splitlines()
    assert title.startswith(f"{name}: ")
    assert figures
