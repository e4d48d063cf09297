"""`make audit`: known weaknesses of every locked package, and the licences of all that runs.

The weaknesses are asked for over the network; where nobody can be asked, that is said, and is no failure."""

import json
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from tests.trust import licences
from tests.trust.promise import ROOT

# The lock of the auditor itself is among them; what is in requirements.lock is in requirements-dev.lock too.
LOCKS = tuple(f"requirements-{name}.lock" for name in ("dev", "node", "vectors", "uv", "audit"))
KNOCK = "requirements-uv.lock"  # one package that every database knows
ENOUGH = 300  # seconds
ACCEPTED: dict[str, str] = {}  # the name of a weakness: why it is none of ours

Known = dict[str, Any]


def main(auditor: str) -> int:
    licences.PAGE.write_text(licences.page(), encoding="utf-8")
    print(f"licences: {licences.PAGE.relative_to(ROOT)}")
    return audited(auditor)


def audited(auditor: str) -> int:
    """How the audit ends: a weakness that nobody has accepted fails it, that nobody could be asked does not."""
    if not known(auditor, [KNOCK]):
        print("weaknesses: NOT ASKED FOR, no database of them can be reached from here")
        return 0
    found = known(auditor, LOCKS)
    weak = weaknesses(found)
    print("\n".join([f"weaknesses: {len(weak)} in the {len(found)} packages that the database knows", *weak]))
    return 1 if weak else 0


def known(auditor: str, locks: Iterable[str]) -> list[Known]:
    """The packages of some locks that the database knows, with what it knows; versions are taken as they are locked."""
    asked = [word for lock in locks for word in ("--requirement", str(ROOT / lock))]
    words = [auditor, *asked, "--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off"]
    try:
        told = subprocess.run(words, capture_output=True, text=True, timeout=ENOUGH, check=False)
        return [one for one in json.loads(told.stdout)["dependencies"] if "skip_reason" not in one]
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return []


def weaknesses(packages: Iterable[Known]) -> list[str]:
    """The weaknesses that nobody has accepted, a line each."""
    found = [(one, flaw["id"]) for one in packages for flaw in one["vulns"]]
    return [f"{one['name']} {one['version']}: {flaw}" for one, flaw in found if flaw not in ACCEPTED]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
