"""Runs the benchmarks and prints their figures, one after the other: python -m benchmarks [--smallest] [name …]."""

import argparse
import importlib
import pkgutil
from types import ModuleType

import benchmarks

NOT_FIGURES = {"__main__", "examples", "under_load", "worlds"}


def names() -> list[str]:
    """Every module here that measures something."""
    return sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__) if found.name not in NOT_FIGURES)


def benchmark(name: str) -> ModuleType:
    """A module whose main takes a size: FULL for figures, SMALLEST to see that it runs."""
    return importlib.import_module(f"benchmarks.{name}")


def run(name: str, smallest: bool) -> None:
    module = benchmark(name)
    print(f"{name}: {(module.__doc__ or '').strip()}")
    module.main(module.SMALLEST if smallest else module.FULL)
    print(flush=True)


def main() -> None:
    asked = _asked()
    for name in asked.names or names():
        run(name, asked.smallest)


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
