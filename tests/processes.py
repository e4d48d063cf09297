"""Programs that a test starts, and that do not outlive it."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def running(command: Sequence[str | Path], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """A program whose lines are read; where the test fails meanwhile it is killed, for leaving waits for its end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **how) as process:
        try:
            yield process
        finally:
            process.kill()
