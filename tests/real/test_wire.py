"""Plain HTTP against servers that take their time, break off or talk nonsense: it always ends, and says how."""

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from threading import Event, Thread

import pytest

from hakoniwa.llm.wire import LARGEST, MOST_LINES, send

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
PATIENCE = 60.0


@contextmanager
def serving(parts: Iterable[bytes], pause: float = 0.0, open_end: bool = False) -> Iterator[str]:
    """A server that sends these parts to whoever calls, with a pause after each; it then hangs up, or never does."""
    done = Event()

    def serve(listener: socket.socket) -> None:
        caller, _ = listener.accept()
        with caller:
            caller.recv(4096)
            try:
                for part in parts:
                    caller.sendall(part)
                    if done.wait(pause):
                        return
            except OSError:
                return  # the caller has hung up
            if open_end:
                done.wait()

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            done.set()
            thread.join()


@pytest.mark.parametrize("begin", [HEAD[:20], HEAD], ids=["head", "body"])
def test_a_trickle_is_cut_off_in_time(begin: bytes) -> None:
    with serving(chain([begin], repeat(b"a")), pause=0.1) as url:
        reply = send(url, seconds=0.5)
    assert reply.fault == "timeout"


def test_what_came_before_the_end_is_kept() -> None:
    for seconds in (0.8, 8.0, PATIENCE):  # a busy machine may need longer for two lines
        with serving([HEAD, b"data: 1\n", b"data: 2\n"], pause=0.05, open_end=True) as url:
            reply = send(url, seconds=seconds)
        assert reply.fault == "timeout"
        if len(reply.lines) == 2:
            break
    assert (reply.status, reply.text) == (200, "data: 1\ndata: 2\n")
    assert reply.lines[1].at > reply.lines[0].at


def test_as_many_lines_as_are_wanted_are_enough() -> None:
    with serving([HEAD, *[b"data: x\n"] * 50], open_end=True) as url:
        reply = send(url, {"stream": True}, seconds=PATIENCE, most=3)
    assert (len(reply.lines), reply.fault) == (3, None)


@pytest.mark.parametrize(
    ("parts", "fault"),
    [([], "reset"), ([b"SSH-2.0-OpenSSH\r\n"], "reset"), ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"], None)],
)
def test_whatever_answers_there_is_an_end(parts: list[bytes], fault: str | None) -> None:
    with serving(parts) as url:
        reply = send(url, seconds=PATIENCE)
    assert (reply.fault, reply.text) == (fault, "")


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://127.0.0.1:99999/", "http://name.invalid/", "garbage"])
def test_an_address_that_is_none_is_no_crash(url: str) -> None:
    assert send(url, seconds=PATIENCE).fault == "no-host"


@pytest.mark.parametrize(("unit", "most"), [(b"x", LARGEST), (b"\n", MOST_LINES)], ids=["bytes", "lines"])
def test_no_more_is_read_than_any_answer_holds(unit: bytes, most: int) -> None:
    for size, flood in ((most, False), (most + 1, True), (3 * most, True)):
        with serving([HEAD, unit * size]) as url:
            reply = send(url, seconds=PATIENCE)
        assert (reply.flood, reply.fault) == (flood, None)
        assert len(reply.text) <= most
