"""One share of a promise in a process and a home of its own: `python -m tests.trust.share NAME COUNT SEED`."""

import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

from tests.trust.promise import promises, tallied
from tests.trust.scratch import scratch


def main() -> None:
    name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.getLogger("hakoniwa").addHandler(logging.NullHandler())
    with scratch() as home:
        _moved_to(home)
        print(json.dumps(_tried(name, count, seed), ensure_ascii=False))


def _moved_to(home: Path) -> None:
    """Leave the settings of whoever starts this behind."""
    for name in [name for name in os.environ if name.startswith("HAKONIWA_")]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "HAKONIWA_HOME": str(home / "hakoniwa"), "HAKONIWA_MODEL": "builtin"}


def _tried(name: str, count: int, seed: int) -> dict[str, Any]:
    tally = tallied(promises()[name].check(count, seed))
    used = time.process_time() + sum(os.times()[2:4])
    return {"done": tally.done, "kinds": tally.kinds, "breaches": tally.breaches[:20], "cpu": round(used, 1)}


if __name__ == "__main__":
    main()
