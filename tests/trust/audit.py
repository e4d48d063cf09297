"""`make audit`: known weaknesses of every locked package, Python's and the page's, and the licences of all that runs.

The weaknesses are asked for over the network; where nobody can be asked, that is said, and is no failure."""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from tests.trust import licences
from tests.trust.promise import ROOT

# The lock of the auditor itself is among them; what is in requirements.lock is in requirements-dev.lock too.
LOCKS = tuple(f"requirements-{name}.lock" for name in ("dev", "node", "vectors", "uv", "audit", "rivals"))
KNOCK = "requirements-uv.lock"  # one package that every database knows
ENOUGH = 300  # seconds
ACCEPTED: dict[str, str] = {}  # the name of a weakness: why it is none of ours

Known = dict[str, Any]


def main(auditor: str, npm: str) -> int:
    licences.PAGE.write_text(licences.page(), encoding="utf-8")
    print(f"licences: {licences.PAGE.relative_to(ROOT)}")
    return max(told("what runs", of_python(auditor)), told("what the page is made of", of_the_page(npm)))


def told(what: str, weak: list[str] | None) -> int:
    """How an audit ends: a weakness that nobody has accepted fails it, that nobody could be asked does not."""
    if weak is None:
        print(f"weaknesses of {what}: NOT ASKED FOR, no database of them can be reached from here")
        return 0
    print("\n".join([f"weaknesses of {what}: {len(weak)}", *weak]))
    return 1 if weak else 0


# --- Python -----------------------------------------------------------------------------------------------------------


def of_python(auditor: str) -> list[str] | None:
    """The weaknesses of what is locked, if the database can be asked."""
    return weaknesses(known(auditor, LOCKS)) if known(auditor, [KNOCK]) else None


def known(auditor: str, locks: Iterable[str]) -> list[Known]:
    """The packages of some locks that the database knows, with what it knows; versions are taken as they are locked."""
    asked = [word for lock in locks for word in ("--requirement", str(ROOT / lock))]
    words = [auditor, *asked, "--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off"]
    return [one for one in _said(words).get("dependencies", ()) if "skip_reason" not in one]


def weaknesses(packages: Iterable[Known]) -> list[str]:
    """The weaknesses that nobody has accepted, a line each."""
    found = [(one, flaw["id"]) for one in packages for flaw in one["vulns"]]
    return [f"{one['name']} {one['version']}: {flaw}" for one, flaw in found if flaw not in ACCEPTED]


# --- the page ---------------------------------------------------------------------------------------------------------


def of_the_page(npm: str) -> list[str] | None:
    """The weaknesses of what the page is built with and made of, if the registry can be asked."""
    found = _said([npm, "audit", "--json", "--package-lock-only", "--prefix", str(ROOT / "web")]).get("vulnerabilities")
    if found is None:
        return None
    flaws = {(flaw["name"], flaw["url"].rpartition("/")[2]) for one in found.values() for flaw in _flaws(one)}
    return [f"{name}: {id}" for name, id in sorted(flaws) if id not in ACCEPTED]


def _flaws(package: Known) -> list[Known]:
    """Its own weaknesses; those of what it needs are told there."""
    return [one for one in package["via"] if isinstance(one, dict)]


def _said(words: Sequence[str]) -> Known:
    """What a program answered in JSON; nothing where there is no such program, or no such answer."""
    try:
        answer = subprocess.run(words, capture_output=True, text=True, timeout=ENOUGH, check=False)
        found: Known = json.loads(answer.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return {}
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
