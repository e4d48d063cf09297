"""One share of a promise in a process and a home of its own: `python -m tests.trust.share NAME COUNT SEED`."""

import atexit
import json
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.leftovers import own_folders
from tests.trust.promise import Tally, promises, tallied
from tests.trust.scratch import scratch


def main() -> None:
    name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.getLogger("hakoniwa").addHandler(logging.NullHandler())
    own_folders()
    found: list[Tally] = []
    atexit.register(_tell, found)  # at the very end: what was started for the tries is over then, and its time is known
    with scratch() as home:
        _moved_to(home)
        found.append(tallied(promises()[name].check(count, seed)))


def _moved_to(home: Path) -> None:
    """Leave the settings of whoever starts this behind."""
    for name in [name for name in os.environ if name.startswith("HAKONIWA_")]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "HAKONIWA_HOME": str(home / "hakoniwa"), "HAKONIWA_MODEL": "builtin"}


def _tell(found: Sequence[Tally]) -> None:
    used = round(time.process_time() + sum(os.times()[2:4]), 1)
    for one in found:
        told = {"done": one.done, "kinds": one.kinds, "breaches": one.breaches[:20], "cpu": used}
        print(json.dumps(told, ensure_ascii=False))


if __name__ == "__main__":
    main()
