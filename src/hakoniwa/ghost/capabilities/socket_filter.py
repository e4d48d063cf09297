"""The system calls a delegated command is refused: those by which it would reach a service through a socket that is a
file (the session bus, Docker, an SSH agent), and so have done outside what it may not do itself. Landlock sees to
files, and a connection to one is none of its business.

Pairs of sockets stay, as programs talk to their own children by them; but not those that send to any address."""

import errno
import socket
import struct
import sys
from dataclasses import dataclass

_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # where they are in what the kernel shows of a call
_ALLOWED, _ENDED, _REFUSED = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EACCES
_OTHER_NUMBERS = 0x40000000  # x86_64 has all its calls a second time from here on
_RING = 425  # io_uring makes and connects sockets past every filter; programs do without it
_TYPE = 0xF  # the rest of a socket's type are flags


@dataclass(frozen=True)
class Machine:
    """What the kernel calls an architecture, and its numbers for two calls."""

    architecture: int
    socket: int
    socketpair: int


MACHINES = {"x86_64": Machine(0xC000003E, 41, 53), "aarch64": Machine(0xC00000B7, 198, 199)}


def machine_of(name: str) -> Machine | None:
    """The machine this process runs on, if it is one whose calls are known."""
    return MACHINES.get(name) if sys.maxsize > 2**32 else None


def program(machine: Machine) -> bytes:
    """The filter, for the kernel's little interpreter; a jump says how many lines to leave out, if so and if not."""
    lines = (
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 0, 13, machine.architecture),  # else ended: its numbers mean other calls
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, 9, 0, _OTHER_NUMBERS),
        (_IF_EQUAL, 8, 0, _RING),
        (_IF_EQUAL, 1, 0, machine.socket),
        (_IF_EQUAL, 2, 7, machine.socketpair),
        (_LOAD, 0, 0, _FIRST),
        (_IF_EQUAL, 4, 5, socket.AF_UNIX),
        (_LOAD, 0, 0, _SECOND),
        (_AND, 0, 0, _TYPE),
        (_IF_EQUAL, 2, 0, socket.SOCK_STREAM),
        (_IF_EQUAL, 1, 0, socket.SOCK_SEQPACKET),
        (_RETURN, 0, 0, _REFUSED),
        (_RETURN, 0, 0, _ALLOWED),
        (_RETURN, 0, 0, _ENDED),
    )
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
