"""Hakoniwa beside others that do something alike, each in the same run as ours.

They are no dependency of Hakoniwa: a lock (requirements-rivals.lock) and an environment (build/rivals) are theirs
alone, and `make bench ARGS=rivals` sets them up.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / "build" / "rivals"
RIVALS = ("concordia", "textworld")
FULL: tuple[str, ...] = ()
SMALLEST = ("--smallest",)


def main(size: tuple[str, ...]) -> None:
    for name in RIVALS:
        if any(ENVIRONMENT.glob(f"lib/*/site-packages/{name}")):
            print(measured(name, size), end="", flush=True)
        else:
            print(f"  {name} is not installed in build/rivals: make bench ARGS=rivals installs it where it can be had")


def measured(name: str, size: tuple[str, ...]) -> str:
    """What a rival's program prints in the rivals' environment."""
    words = [str(ENVIRONMENT / "bin" / "python"), "-m", f"benchmarks.rivals.{name}", *size]
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    told = subprocess.run(words, env={**os.environ, **paths}, cwd=ROOT, capture_output=True, text=True, check=False)
    if told.returncode:
        sys.exit(f"{name}: {told.stderr}")
    return told.stdout
