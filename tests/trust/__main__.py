"""`make trust`: the long form of every promise, two shares at a time, for as long as it may take.

What was done before on this very code is not done again, and other seeds add to its figures. What is not tried this
time keeps the figures of the code on which it was."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from tests.trust.figures import table, write_page
from tests.trust.ledger import Done, Share, commit, keep, read, shares, summed
from tests.trust.promise import ROOT, promises

AT_ONCE = 2
MINUTES = 90
LONGEST = 30 * 60  # seconds for one share


def main() -> int:
    asked = _asked()
    known, code = promises(), commit()
    chosen = [known[name] for name in asked.only or known]
    wanted = shares(chosen, code, asked.seed)
    before = {one.share for one in read() if one.share.commit == code}
    left = [one for one in wanted if one not in before]
    print(f"{code}, seed {asked.seed}: {len(wanted) - len(left)} of {len(wanted)} shares are done")
    skipped = _carried_out(left, time.monotonic() + asked.minutes * 60)
    found = summed(read())
    print("\n".join(table(known, found)))
    write_page(known, found)
    if skipped:
        print(f"{skipped} shares are left: make trust goes on with them")
    breaches = [line for one in found.values() for line in one.breaches]
    print("\n".join(["Broken promises:", *breaches]) if breaches else "Every promise that was tried was kept.")
    return 1 if breaches else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.trust", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another seed adds to the figures")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="no share is begun later than this")
    parser.add_argument("--only", nargs="*", choices=list(promises()), help="these promises alone")
    return parser.parse_args()


def _carried_out(left: Sequence[Share], deadline: float) -> int:
    """Do what is left until the deadline; how many shares there was no time for."""
    skipped = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for coming in as_completed(pool.submit(_done, share, deadline) for share in left):
            if (one := coming.result()) is None:
                skipped += 1
                continue
            keep(one)
            told = f"{len(one.breaches)} breaches (again: {one.share.again})" if one.breaches else "kept"
            name = f"{one.share.promise} {one.share.number + 1}"
            print(f"  {name}: {one.done} tries, {one.cpu:.0f} s, {told}", flush=True)
    return skipped


def _done(share: Share, deadline: float) -> Done | None:
    if time.monotonic() > deadline:
        return None
    words = [sys.executable, "-m", "tests.trust.share", share.promise, str(share.count), str(share.own_seed)]
    try:
        ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return Done(share, 0, LONGEST, breaches=["it came to no end"])
    if ended.returncode:
        return Done(share, 0, 0, breaches=[f"{share.promise}: {ended.stderr[-1000:]}"])
    return Done(share, **json.loads(ended.stdout.splitlines()[-1]))


if __name__ == "__main__":
    sys.exit(main())
