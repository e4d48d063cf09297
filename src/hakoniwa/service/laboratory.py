"""Laboratory: plays an experiment in a process of its own, so that the server goes on answering.

It is told the folder on its command line and everything else on its input: settings hold keys, which a command line
would show to everybody on the machine."""

import subprocess
import sys
from pathlib import Path

from hakoniwa.lab.engines import Pool
from hakoniwa.lab.experiment import Experiment
from hakoniwa.lab.report import write
from hakoniwa.lab.spec import read_plan
from hakoniwa.settings import Settings

ASKED, LOG = "spec.yaml", "laboratory.log"


def launch(folder: Path, settings: Settings) -> subprocess.Popen[bytes]:
    """Start playing what is missing of an experiment."""
    command = [sys.executable, "-m", __spec__.name, str(folder)]
    with (folder / LOG).open("ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
    assert process.stdin is not None
    with process.stdin as told:
        told.write(settings.model_dump_json().encode())
    return process


def experiment_in(folder: Path, settings: Settings) -> Experiment:
    """The experiment that a folder is for."""
    return Experiment(folder, read_plan(folder / ASKED), settings)


def main() -> None:
    """Play what is missing, then write the report."""
    folder, settings = Path(sys.argv[1]), Settings.model_validate_json(sys.stdin.read())
    results = experiment_in(folder, settings).run(Pool(), lambda _: None)
    write(results, folder, settings.lang)


if __name__ == "__main__":
    main()
