"""A wheel has the console's page in it and serves it where there is no Node; what people are told to install is a part
that the wheel asks for."""

import gzip
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from packaging.requirements import Requirement

from hakoniwa.messages import catalogue
from tests.processes import running
from tests.test_docs import PAGES, text_of

ROOT = Path(__file__).parents[2]
HATCHLING = [sys.executable, "-m", "hatchling", "build"]
UV = [sys.executable, "-m", "uv"]
PATIENCE = 180.0
LARGEST = 300_000  # bytes of scripts and styles as they would go over a network
NAMED = re.compile(r'(?:src|href)="([^"]+)"')


def built(root: Path, target: str, folder: Path) -> Path:
    """The wheel or the source archive of a tree, with nothing to find on the way but Python."""
    environment = {**os.environ, "PATH": os.fspath(folder)}
    subprocess.run([*HATCHLING, "-t", target, "-d", os.fspath(folder)], cwd=root, env=environment, check=True)
    (found,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def files_of_page(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("hakoniwa/service/console/")]
        return {name.removeprefix("hakoniwa/service/console/"): archive.read(name) for name in names}


def test_the_page_is_small_and_needs_nobody_else(wheel: Path) -> None:
    files = files_of_page(wheel)
    weight = {name: len(gzip.compress(body)) for name, body in files.items() if name.endswith((".js", ".css"))}
    assert {Path(name).suffix for name in weight} == {".js", ".css"}
    assert sum(weight.values()) < LARGEST, weight
    named = NAMED.findall(files["index.html"].decode())
    assert named
    assert {name.removeprefix("./") for name in named} <= set(files)


@pytest.mark.long
def test_a_source_archive_becomes_the_same_page_without_node(wheel: Path, tmp_path: Path) -> None:
    archive = built(ROOT, "sdist", tmp_path)
    shutil.unpack_archive(archive, tmp_path)
    tree = tmp_path / archive.name.removesuffix(".tar.gz")
    assert not (tree / "web" / "node_modules").exists()
    assert files_of_page(built(tree, "wheel", tmp_path)) == files_of_page(wheel)
    assert not (tree / "web" / "node_modules").exists()


# --- installed -------------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """The programs of a place that has the wheel, and what it depends on from here."""
    place = tmp_path / "place"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    subprocess.run([*UV, "pip", "install", "--quiet", "--no-deps", "--offline", "--python", python, wheel], check=True)
    (packages,) = place.glob("**/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python.parent


@contextmanager
def serving(programs: Path, home: Path) -> Iterator[str]:
    """The address that leads into a server, while it runs with no program in reach but those of its own place."""
    environment = {"PATH": os.fspath(programs), "HAKONIWA_HOME": os.fspath(home), "HAKONIWA_MODEL": "builtin"}
    command = [programs / "hakoniwa", "serve", "--no-open", "--no-worker", "--port", "0", "--lang", "en"]
    with running(command, env=environment, cwd=home) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+/", process.stdout.readline())
        assert address
        yield f"{address[0]}?token={(home / 'token').read_text(encoding='utf-8').strip()}"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def test_the_installed_program_serves_the_page_where_there_is_no_node(
    installed: Path, wheel: Path, tmp_path: Path
) -> None:
    with serving(installed, tmp_path) as address, httpx.Client(timeout=PATIENCE, follow_redirects=True) as client:
        page = client.get(address)
        assert page.status_code == 200
        assert page.history[0].status_code == 303
        named = NAMED.findall(page.text)
        got = {name.removeprefix("./"): client.get(page.url.join(name)) for name in named}
        assert client.get(page.url.join("/v1/gardens")).json() == []  # with the cookie
    files = files_of_page(wheel)
    assert {one.status_code for one in got.values()} == {200}
    assert {name: one.content for name, one in got.items()} | {"index.html": page.content} == files


def test_the_installed_program_is_the_one_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    where = [installed / "python", "-c", "import hakoniwa; print(hakoniwa.__file__)"]
    told = subprocess.run(where, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(told.stdout).is_relative_to(installed.parent)


# --- what is said of installing --------------------------------------------------------------------------------------

INSTALL = re.compile(r"pip install ([^`\"\n]+)")
STRANGER = re.compile(r"hakoniwa(-g3)?\[|pip install '?hakoniwa")
TOLD_BY = (*PAGES, *sorted((ROOT / "src").rglob("*.yaml")), *sorted((ROOT / "web" / "src" / "words").glob("*.ts")))


def named_in_extras(wheel: Path) -> set[str]:
    """The packages that the extras of a wheel ask for."""
    with ZipFile(wheel) as archive:
        (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        needed = [Requirement(line) for line in message_from_bytes(archive.read(about)).get_all("Requires-Dist", [])]
    return {one.name for one in needed if one.marker is not None and "extra" in str(one.marker)}


def test_whatever_people_are_told_to_install_is_a_part_that_the_wheel_asks_for(wheel: Path) -> None:
    lines = [line for page in TOLD_BY for line in INSTALL.findall(text_of(page))]
    told = {Requirement(word).name for line in lines for word in shlex.split(line) if not word.startswith("-")}
    assert told == named_in_extras(wheel)


def test_nobody_is_told_to_install_a_package_of_strangers() -> None:
    sources = [*TOLD_BY, *(path for top in ("src", "benchmarks") for path in sorted((ROOT / top).rglob("*.py")))]
    assert [path for path in sources if STRANGER.search(text_of(path))] == []


def test_every_make_target_that_people_are_told_of_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    in_docs = {name for page in PAGES for name in re.findall(r"(?:`|^)make ([a-z-]+)", text_of(page), re.MULTILINE)}
    in_messages = {name for told in catalogue("ja").values() for name in re.findall(r"\bmake ([a-z-]+)", told)}
    assert {"page", "vectors"} <= in_messages
    assert (in_docs | in_messages) - targets == set()
