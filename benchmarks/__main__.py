"""Runs the benchmarks and prints their figures, one after the other: python -m benchmarks [--smallest] [name …].

A whole run, of all of them in full, also writes docs/figures.md."""

import argparse
import importlib
import io
import pkgutil
import sys
import time
from contextlib import redirect_stdout
from types import ModuleType

import benchmarks
from benchmarks.figures import write_page

NOT_FIGURES = {"__main__", "examples", "figures", "under_load", "worlds"}


class Copied(io.StringIO):
    """Keeps what is printed, and prints it."""

    def __init__(self) -> None:
        super().__init__()
        self._out = sys.stdout

    def write(self, text: str) -> int:
        self._out.write(text)
        self._out.flush()
        return super().write(text)


def names() -> list[str]:
    """Every module here that measures something."""
    return sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__) if found.name not in NOT_FIGURES)


def benchmark(name: str) -> ModuleType:
    """A module whose main takes a size: FULL for figures, SMALLEST to see that it runs."""
    return importlib.import_module(f"benchmarks.{name}")


def run(name: str, smallest: bool) -> str:
    """What a benchmark prints, also while it runs."""
    module = benchmark(name)
    print(f"{name}:")
    with redirect_stdout(Copied()) as printed:
        print((module.__doc__ or "").strip())
        module.main(module.SMALLEST if smallest else module.FULL)
    print()
    return printed.getvalue()


def main() -> None:
    asked, began = _asked(), time.monotonic()
    printed = {name: run(name, asked.smallest) for name in asked.names or names()}
    if not asked.names and not asked.smallest:
        write_page(printed, time.monotonic() - began)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"these alone, of {', '.join(names())}")
    parser.add_argument("--smallest", action="store_true", help="only see that they run: the figures mean nothing")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in names()]:
        parser.error(f"no such benchmark: {', '.join(unknown)} (there are: {', '.join(names())})")
    return asked


if __name__ == "__main__":
    main()
