"""Runs the benchmarks and prints their figures, one after the other: python -m benchmarks [name …]."""

import importlib
import pkgutil
import sys

import benchmarks

NOT_FIGURES = {"__main__", "examples", "under_load", "worlds"}


def names() -> list[str]:
    """Every module here that measures something."""
    return sorted(found.name for found in pkgutil.iter_modules(benchmarks.__path__) if found.name not in NOT_FIGURES)


def main(chosen: list[str]) -> None:
    unknown = [name for name in chosen if name not in names()]
    if unknown:
        sys.exit(f"no such benchmark: {', '.join(unknown)} (there are: {', '.join(names())})")
    for name in chosen or names():
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"{name}: {(module.__doc__ or '').strip()}")
        module.main()
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
