"""The filter of system calls, read as the kernel reads it."""

import errno
import socket
import struct

import pytest

from hakoniwa.capabilities.confine import MACHINES, Machine, program

ALLOWED, ENDED, REFUSED = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EACCES
LOAD, AND, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
I386, OPENAT = 0x40000003, 257


def verdict(lines: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel does about a call."""
    shown = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    lines_left, held = list(struct.iter_unpack("=HBBI", lines)), 0
    while True:
        (code, if_so, if_not, value), *lines_left = lines_left
        if code == RETURN:
            return int(value)
        if code == LOAD:
            (held,) = struct.unpack_from("=I", shown, value)
        elif code == AND:
            held &= value
        else:
            assert code in (IF_EQUAL, IF_AT_LEAST)
            true = held == value if code == IF_EQUAL else held >= value
            lines_left = lines_left[if_so if true else if_not :]


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("socket", (socket.AF_UNIX, socket.SOCK_STREAM), REFUSED),
        ("socket", (socket.AF_UNIX, socket.SOCK_DGRAM), REFUSED),
        ("socket", (socket.AF_UNIX | 1 << 32, socket.SOCK_STREAM), REFUSED),  # the kernel reads 32 bits of it
        ("socket", (socket.AF_INET, socket.SOCK_STREAM), ALLOWED),
        ("socket", (socket.AF_INET6, socket.SOCK_DGRAM), ALLOWED),
        ("socketpair", (socket.AF_UNIX, socket.SOCK_STREAM), ALLOWED),
        ("socketpair", (socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC), ALLOWED),
        ("socketpair", (socket.AF_UNIX, socket.SOCK_SEQPACKET), ALLOWED),
        ("socketpair", (socket.AF_UNIX, socket.SOCK_DGRAM), REFUSED),  # it sends to whatever address it likes
        ("socketpair", (socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK), REFUSED),
        ("socketpair", (socket.AF_UNIX, socket.SOCK_RAW), REFUSED),
    ],
)
def test_only_sockets_that_reach_files_are_refused(
    machine: Machine, call: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert verdict(program(machine), machine.architecture, getattr(machine, call), *arguments) == expected


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_there_is_no_way_around(machine: Machine) -> None:
    lines = program(machine)
    assert verdict(lines, machine.architecture, 425) == REFUSED  # io_uring
    assert verdict(lines, machine.architecture, machine.socket + 0x40000000, socket.AF_UNIX) == REFUSED  # x32
    assert verdict(lines, I386, machine.socket, socket.AF_INET) == ENDED
    assert verdict(lines, machine.architecture, OPENAT, socket.AF_UNIX) == ALLOWED
