"""A run of the tests leaves nothing behind, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.leftovers import MEMORY, PREFIX, ROOT, SHARED_MEMORY
from tests.postgres import SYSTEM_PROGRAMS, find_system_programs

PATIENCE = 120.0
RUN = """
import os, sys, tempfile
from pathlib import Path
from tests.leftovers import own_folders
from tests.trust.scratch import scratch

own_folders()
with tempfile.TemporaryDirectory(), scratch() as folder:
    (folder / "written").write_text("something")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_ended_leaves_nothing(tmp_path: Path, end: signal.Signals) -> None:
    environment = {name: value for name, value in os.environ.items() if name != MEMORY} | {"TMPDIR": str(tmp_path)}
    run = subprocess.Popen(
        [sys.executable, "-c", RUN], cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert run.stdout is not None
    in_use = Path(run.stdout.readline().strip())
    assert (in_use / "written").exists()
    assert in_use.parent.name.startswith(PREFIX)

    run.send_signal(end)
    run.communicate()

    deadline = time.monotonic() + PATIENCE
    while in_use.parent.exists() or list(tmp_path.iterdir()):
        assert time.monotonic() < deadline, (in_use, list(tmp_path.iterdir()))
        time.sleep(0.05)


def test_a_server_in_memory_has_its_folder_there() -> None:
    assert not SHARED_MEMORY.is_dir() or os.environ[MEMORY].startswith(str(SHARED_MEMORY))


def test_programs_of_the_system_are_found_where_the_path_leaves_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")

    find_system_programs()
    find_system_programs()

    assert os.environ["PATH"].split(os.pathsep) == ["/usr/bin", *SYSTEM_PROGRAMS]
