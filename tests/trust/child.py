"""Commands in a process of their own, so that what befalls them befalls nobody else."""

import io
import json
import os
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from hakoniwa.cli import run
from hakoniwa.journal.sql import SqlJournal

LONGEST = 300  # seconds
CRASHED = -2


class Ended(NamedTuple):
    """How a command came out."""

    code: int
    out: str
    err: str


def command(words: Sequence[str], lang: str, before: Callable[[], Any], patience: float) -> Ended:
    """Run a command line under a circumstance; it waits as long for others as `patience` says."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(writing, json.dumps(_ran(words, lang, before, patience)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        said = told.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return Ended(*json.loads(said)) if said else Ended(status or -1, "", "nothing was heard of it")


def _ran(words: Sequence[str], lang: str, before: Callable[[], Any], patience: float) -> Ended:
    signal.alarm(LONGEST)
    now, _ = SqlJournal.__init__.__defaults__ or ()
    SqlJournal.__init__.__defaults__ = (now, patience)
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), before():
        try:
            code = run([*words, "--lang", lang])
        except BaseException:
            code = CRASHED
            err.write(traceback.format_exc())
    return Ended(code, out.getvalue(), err.getvalue())
