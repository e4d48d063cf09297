"""What every test stands on: no network, a home of its own, and a pace for property tests."""

import gc
import itertools
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.leftovers import own_folders

REAL = tuple(Path(__file__).parent / name for name in ("real", "page"))
TRUST = Path(__file__).parent / "trust"
SLOW = frozenset(Path(__file__).parent / line for line in Path(__file__).with_name("slow.txt").read_text().split())
NUMBERS = itertools.count()

settings.register_profile("fast", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


class NetworkForbidden(RuntimeError):
    """A unit test reached for the network; not an OSError, so that no fallback takes it for a server that is down."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the files that tests/slow.txt names")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--quick") and collection_path in SLOW else None


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # else ignored in the background of a script
    gc.disable()  # collecting tests makes no garbage worth a look
    if not hasattr(config, "workerinput"):  # the workers of a run share the folders of the process that started them
        own_folders()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what did not pass at once: a test that has to be tried twice is worth a look."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_line(f"WARNING: {report.nodeid} was tried a second time", yellow=True)


def meets_the_real_thing(path: Path) -> bool:
    return any(path.is_relative_to(one) for one in REAL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What forks and measures comes first, while there is little to carry along."""
    items.sort(key=lambda item: not item.path.is_relative_to(TRUST))
    for item in items:
        if meets_the_real_thing(item.path):
            item.add_marker("real")
        if item.path.is_relative_to(TRUST):
            item.add_marker("promise")


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what collecting has left, which it would look at again during every test, and
    come more seldom: it takes an eighth of all the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own by number: pytest's own also moves a link to the newest one, thousands of times."""
    path = tmp_path_factory.getbasetemp() / f"test-{next(NUMBERS)}"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point every place a program may write to at this test's own directory, and forget the developer's settings."""
    if not meets_the_real_thing(request.path):
        for name in [name for name in os.environ if name.startswith("HAKONIWA_")]:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HAKONIWA_HOME", str(tmp_path / "hakoniwa"))
    monkeypatch.setenv("HAKONIWA_SEED", "0")
    monkeypatch.setattr("hakoniwa.messages.typed_program", lambda: "hakoniwa")  # whatever runs the tests
    monkeypatch.setenv("HAKONIWA_MODEL", "builtin")  # not a model server that happens to run on the developer's machine


@pytest.fixture(autouse=True)
def network_attempts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Refuse the network outside tests/real, and fail the test even when the code under test swallowed the refusal."""
    attempts: list[str] = []
    if not meets_the_real_thing(request.path):
        forbid_network(monkeypatch, attempts)
    yield attempts
    assert not attempts, f"unit tests reach no network, but this one tried: {attempts}; see tests/real"


def forbid_network(monkeypatch: pytest.MonkeyPatch, attempts: list[str]) -> None:
    def refuse(what: str) -> None:
        attempts.append(what)
        raise NetworkForbidden(f"unit tests reach no network: {what}; a test that needs it belongs in tests/real")

    def guarded(name: str) -> Any:
        original = getattr(socket.socket, name)

        def call(sock: socket.socket, *args: Any) -> Any:
            if sock.family != socket.AF_UNIX:
                refuse(f"{name} {args[-1]!r}")
            return original(sock, *args)

        return call

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, guarded(name))
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_, **__: refuse(f"look up {host!r}"))
