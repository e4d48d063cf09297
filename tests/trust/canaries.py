"""No secret leaves: whatever is printed, logged, answered, kept or dumped, none of the secrets is in it."""

import atexit
import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import quote

from tests.trust import leaks
from tests.trust.promise import ROOT, Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch

MUTANT = "TRUST_MUTANT"


def check(_: int, seed: int) -> Tries:
    """Do everything once, and search everything that is left of it."""
    mutant = os.environ.get(MUTANT)
    with scratch() as folder:
        yield Try("everything was done", _lived(folder, mutant))
        for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.name != leaks.SETTINGS):
            yield Try(f"searched {_kind(path, folder)}", list(_found(path, folder)))
        if mutant is None:
            yield Try("something was to be found", _too_little(folder))


def _lived(folder: Path, mutant: str | None) -> list[str]:
    """What went wrong, if anything did, with somebody who did everything in this folder."""
    program = _program()
    assert program.stdin is not None
    assert program.stdout is not None
    print(json.dumps([str(folder), mutant]), file=program.stdin, flush=True)
    code = program.stdout.readline().strip() or "the program is gone"
    printed = folder / "printed.txt"
    return [] if code == "0" else [code, printed.read_text(encoding="utf-8")[-2000:] if printed.exists() else ""]


@cache
def _program() -> subprocess.Popen[str]:
    """The program that does everything, waiting to be told where: to load it takes longer than to do most of it."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("HAKONIWA_", "OPENAI_"))}
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.trust.leaks"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**plain, "OPENAI_LOG": "debug"}, cwd=ROOT,
    )  # fmt: skip
    atexit.register(program.communicate)
    return program


def _found(path: Path, folder: Path) -> Iterator[str]:
    data = path.read_bytes()
    for canary in leaks.CANARIES:
        for form in (canary.encode(), quote(canary, safe="").encode(), *_in_base64(canary)):
            if form in data:
                place = data.index(form)
                near = data[max(0, place - 60) : place + 60]
                yield f"{canary} is in {path.relative_to(folder)}: …{near.decode(errors='replace')}…"


def _in_base64(canary: str) -> set[bytes]:
    """The secret inside a longer text in base64, wherever in that it begins; what its neighbours change is left out."""
    return {base64.b64encode(b"x" * shift + canary.encode())[4:-4] for shift in (0, 1, 2)}


def _kind(path: Path, folder: Path) -> str:
    first = path.relative_to(folder).parts[0]
    return "what was kept" if first == "home" else "what was logged" if path.suffix == ".log" else "what was said"


def _too_little(folder: Path) -> list[str]:
    """A search that looks at nothing finds nothing: there must be a journal, a traceback, a log, answers."""
    size = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    traced = any("error-" in name for name in size)
    wanted = {"home/journal.db": 10_000, "home/copy.db": 10_000, "debug.log": 10_000, "http.txt": 10_000,
              "outside.txt": 500}  # fmt: skip
    missing = [name for name, least in wanted.items() if size.get(name, 0) < least]
    said = (folder / "401-3.txt").read_text(encoding="utf-8") if "401-3.txt" in size else ""
    return [*missing, *([] if traced else ["no traceback"]), *([] if "model.unauthorised" in said else ["no fault"])]


def _elsewhere(name: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setenv(MUTANT, name)


PROMISE = Promise(
    name="canaries",
    says="No secret leaves: keys, tokens and passwords are in no log, answer, export, journal or traceback.",
    check=check,
    short=0,
    long=0,
    share=1,
    mutants=tuple(Mutant(name, _elsewhere(name), 0) for name in leaks.MUTANTS),
)
