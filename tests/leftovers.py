"""Whatever a run of the tests writes into temporary folders is gone afterwards, also when the run was killed.

As a program it waits until the process that started it is over, then ends the databases that live in some folders and
removes the folders: `python -m tests.leftovers FOLDER …`."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PREFIX = "hakoniwa-tests-"
SHARED_MEMORY = Path("/dev/shm")
MEMORY = "TESTS_MEMORY"  # the variable that names this run's folder in memory, for disks are slow to sync
TRIES, PAUSE = 100, 0.1


def own_folders() -> None:
    """Give this process and all it starts temporary folders of their own, one on disk and one in memory."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    memory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=SHARED_MEMORY)) if SHARED_MEMORY.is_dir() else folder
    words = [sys.executable, "-m", "tests.leftovers", str(folder), str(memory)]
    its_input, _ = os.pipe()  # the other end is closed by nothing but the end of this process
    subprocess.Popen(words, cwd=ROOT, stdin=its_input, start_new_session=True)
    os.close(its_input)
    os.environ |= {"TMPDIR": str(folder), MEMORY: str(memory)}
    tempfile.tempdir = str(folder)


def in_memory() -> Path | None:
    """This run's folder in memory; outside a run the machine's own, where there is one."""
    return next((path for path in (Path(os.environ.get(MEMORY, SHARED_MEMORY)),) if path.is_dir()), None)


def end_databases(folder: Path) -> None:
    """Stop every PostgreSQL server at once: there is nothing left to be put in order."""
    for note in folder.glob("*/data/postmaster.pid"):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(note.read_text(encoding="utf-8").split()[0]), signal.SIGQUIT)


def remove(folder: Path) -> None:
    """Remove a folder in which processes that are about to end may still write."""
    for _ in range(TRIES):
        end_databases(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(PAUSE)


if __name__ == "__main__":
    sys.stdin.buffer.read()
    for one in sys.argv[1:]:
        remove(Path(one))
