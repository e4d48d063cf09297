"""`make model`: real chat models play gardens, chat, and live through a morning; every turn is counted and kept.

What was played stays in build/model and is gone on with, in the middle of a garden too. Other code, other prompts: a
folder of its own. The table of docs/model-runs.md is made anew from whatever is there."""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hakoniwa.lab.spec import code_hash, prompts_hash
from tests.model.parts import Part, counted, plan, play_part
from tests.model.table import write_page
from tests.real.model_server import served
from tests.real.weights import CHAT_MODELS
from tests.trust.promise import ROOT

FOLDER, MINUTES = ROOT / "build" / "model", 90


def main() -> int:
    asked = _asked()
    folder = FOLDER / (asked.folder or f"{prompts_hash()[:6]}-{code_hash()[:6]}")
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + asked.minutes * 60
    left = [one for one in plan(asked.models) if counted(folder, one) < one.count]
    for name in dict.fromkeys(one.model for one in left):
        if time.monotonic() < deadline:
            _play(folder, [one for one in left if one.model == name], deadline)
    page = write_page(folder, plan(list(CHAT_MODELS)), ROOT / "docs" / "model-runs.md" if asked.docs else None)
    print(page)
    waiting = sum(one.count - counted(folder, one) for one in plan(asked.models))
    print(f"{waiting} turns are left: make model goes on with them" if waiting else "Everything is played.")
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(CHAT_MODELS), choices=list(CHAT_MODELS))
    parser.add_argument("--minutes", type=float, default=MINUTES, help="no turn is begun later than this")
    parser.add_argument("--folder", help="go on in this folder of build/model, whatever the code is now")
    parser.add_argument("--docs", action="store_true", help="write docs/model-runs.md")
    return parser.parse_args()


def _play(folder: Path, parts: Sequence[Part], deadline: float) -> None:
    with served(CHAT_MODELS[parts[0].model]) as url:
        for part in parts:
            began = time.monotonic()
            asyncio.run(play_part(folder, part, url, deadline))
            print(f"{part.name}: {counted(folder, part)} of {part.count}, {time.monotonic() - began:.0f} s", flush=True)
            if time.monotonic() > deadline:
                return


if __name__ == "__main__":
    sys.exit(main())
