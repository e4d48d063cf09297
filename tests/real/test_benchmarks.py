"""Every benchmark runs to its end, at its smallest size: some of them start servers and a real model."""

import logging
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks import __main__
from benchmarks.__main__ import benchmark, names, run
from benchmarks.figures import write_page


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Benchmarks silence the log."""
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", names())
def test_a_benchmark_runs_to_its_end_and_prints_figures(name: str) -> None:
    told = run(name, smallest=True)
    assert len(told) > len((benchmark(name).__doc__ or "").strip()) + 1


@pytest.mark.parametrize(("words", "written"), [([], True), (["--smallest"], False), (["turn"], False)])
def test_only_a_whole_run_writes_the_figures(
    words: list[str], written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "figures.md"
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    monkeypatch.setattr(__main__, "run", lambda name, _: f"What {name} costs.\n  a step  1 µs\n")
    monkeypatch.setattr(__main__, "write_page", partial(write_page, page=page))
    __main__.main()
    assert page.is_file() == written
    if written:
        assert "\n## turn\n\n```text\nWhat turn costs.\n  a step  1 µs\n```\n" in page.read_text(encoding="utf-8")
