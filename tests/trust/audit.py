"""`make audit`: known weaknesses of every locked package, and the licences of all that is installed.

The weaknesses are asked for over the network; where there is none, that is said, and is no failure."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from tests.trust.promise import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-node.lock", "requirements-vectors.lock")
LICENCES = ROOT / "build" / "licences.md"
UNKNOWN = "unknown"


def main(auditor: str) -> int:
    weak = [lock for lock in LOCKS if _audited(auditor, ROOT / lock)]
    found = sorted({(one.metadata["Name"], one.version, licence(one)) for one in distributions()})
    LICENCES.parent.mkdir(exist_ok=True)
    LICENCES.write_text("\n".join(_listed(found)) + "\n", encoding="utf-8")
    for name, count in Counter(one for _, _, one in found).most_common():
        print(f"{count:4} {name}")
    print(f"{len(found)} packages: {LICENCES.relative_to(ROOT)}")
    return 1 if weak else 0


def _audited(auditor: str, lock: Path) -> bool:
    """Whether something is wrong with a package of one lock; versions and hashes are taken as they stand there."""
    words = [auditor, "--requirement", str(lock), "--disable-pip", "--require-hashes", "--format", "json"]
    try:
        asked = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
        packages = json.loads(asked.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        print(f"{lock.name}: nothing is known, the databases cannot be asked from here ({type(error).__name__})")
        return False
    known = [one for one in packages if "skip_reason" not in one]
    weak = [one for one in known if one["vulns"]]
    print(f"{lock.name}: {len(known)} of {len(packages)} packages are known to the databases, {len(weak)} are weak")
    for one in weak:
        print(f"  {one['name']} {one['version']}: {', '.join(flaw['id'] for flaw in one['vulns'])}")
    return bool(weak)


def licence(one: Distribution) -> str:
    """The licence of a package: as an expression, by its classifiers, or in its own words if those are few."""
    about = one.metadata
    if expression := about.get("License-Expression"):
        return str(expression)
    named = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License ::")]
    words = str(about.get("License") or "").strip().splitlines()
    return ", ".join(named) or (words[0] if words and len(words[0]) < 60 else UNKNOWN)


def _listed(found: list[tuple[str, str, str]]) -> Iterator[str]:
    yield from ("| Package | Version | Licence |", "|---|---|---|")
    yield from (f"| {name} | {version} | {terms} |" for name, version, terms in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
