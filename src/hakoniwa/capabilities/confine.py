"""What keeps a delegated command in its place: limits, a sandbox (Landlock for files), a filter of system calls."""

import ctypes
import errno
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hakoniwa.capabilities.means import CommandLimits

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


# The system's own programs and what they need to run; nobody's home.
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store")
_SURROUNDINGS = ("/etc", "/proc", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
SYSTEM = tuple(map(Path, _PROGRAMS + _SURROUNDINGS + _DEVICES))
NOWHERE = Path("/dev/null")

_PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER, _PR_DROP_POWER = 38, 36, 24
_MOST_POWERS = 64
_BLOCK, _LEAST = 512, 4096
_PR_SET_SECCOMP, _FILTER, _LINE = 22, 2, 8  # a line of a filter has so many bytes
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_RULE_PATH_BENEATH, _ASK_VERSION = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_READING = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15  # truncating and device calls among them
_SCOPES = 0b11  # abstract sockets and signals stay inside


def hold_descendants() -> bool:
    """From now on, whoever this process leaves behind, however far down, comes back to it when their parent dies."""
    return sys.platform == "linux" and _prctl(_PR_SET_CHILD_SUBREAPER) == 0


def sandbox_version() -> int:
    """How much of Landlock there is; 0 for none, or where nobody knows how to filter system calls."""
    if sys.platform != "linux" or machine_of(os.uname().machine) is None:
        return 0
    return max(0, _syscall(_CREATE_RULESET, None, 0, _ASK_VERSION))


def limit(limits: CommandLimits) -> None:
    """Put the limits on this process that the system itself watches over."""
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_CPU, max(1, round(limits.seconds)))
    _set(resource.RLIMIT_FSIZE, limits.file_bytes)
    _set(resource.RLIMIT_NOFILE, limits.files)
    _set(resource.RLIMIT_DATA, limits.memory_bytes)  # not AS: some runtimes reserve far more than they use
    if os.getuid() != 0:  # counts everything of this user's; root has no such limit, the keeper counts instead
        _set(resource.RLIMIT_NPROC, _threads_of_user() + limits.processes)


def _set(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def restrict(writable: Iterable[Path], readable: Iterable[Path]) -> None:
    """Let this process and its children write and read nowhere else, send signals to nobody else, and reach nobody
    through a socket that is a file; for good."""
    for power in range(_MOST_POWERS):  # root's; nobody else has any, nor may drop them
        _prctl(_PR_DROP_POWER, power)
    _check_call(_prctl(_PR_SET_NO_NEW_PRIVS))
    _restrict_files(writable, readable)
    _restrict_sockets()


def _restrict_files(writable: Iterable[Path], readable: Iterable[Path]) -> None:
    version = sandbox_version()
    everything = (1 << 13 + (version >= 2) + (version >= 3) + (version >= 5)) - 1
    attributes = struct.pack("=QQQ", everything, 0, _SCOPES)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = _check_call(_syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    for path in writable:
        _allow(rules, path, everything)
    for path in (*readable, *SYSTEM):
        _allow(rules, path, _READING & everything)
    _check_call(_syscall(_RESTRICT_SELF, rules, 0))
    os.close(rules)


def _restrict_sockets() -> None:
    machine = machine_of(os.uname().machine)
    assert machine is not None, "without a filter there is no sandbox"
    lines = program(machine)
    kept = ctypes.create_string_buffer(lines, len(lines))
    described = ctypes.create_string_buffer(struct.pack("@HP", len(lines) // _LINE, ctypes.addressof(kept)))
    _check_call(_prctl(_PR_SET_SECCOMP, _FILTER, ctypes.addressof(described)))


def _allow(rules: int, path: Path, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no permission
    access &= -1 if path.is_dir() else _OF_FILES
    _check_call(_syscall(_ADD_RULE, rules, _RULE_PATH_BENEATH, struct.pack("=Qi", access, place), 0))
    os.close(place)


def _prctl(option: int, value: int = 1, more: int = 0) -> int:
    return int(_libc().prctl(option, *map(ctypes.c_ulong, (value, more, 0, 0))))


def _syscall(number: int, *arguments: int | bytes | None) -> int:
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return int(_libc().syscall(ctypes.c_long(number), *words))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check_call(answer: int) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


# --- everything that was started --------------------------------------------------------------------------------------


def descendants(of: int) -> list[int]:
    """Everybody below a process, whatever session or group they put themselves into."""
    children: dict[int, list[int]] = {}
    for process, parent in _parent_of_each().items():
        children.setdefault(parent, []).append(process)
    found, next_ones = [], [of]
    while next_ones:
        below = children.get(next_ones.pop(), [])
        found += below
        next_ones += below
    return found


def _parent_of_each() -> Mapping[int, int]:
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                state, parent, *_ = _stat(name)
                found.update({} if state == b"Z" else {int(name): int(parent)})  # the dead wait only to be buried
    return found


def _stat(process: str) -> list[bytes]:
    """The fields after the name, which may itself hold anything."""
    with open(f"/proc/{process}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def resident_bytes(processes: Iterable[int]) -> int:
    """Memory they really use."""
    pages = 0
    for process in processes:
        with suppress(OSError), open(f"/proc/{process}/statm", "rb") as file:
            pages += int(file.read().split()[1])
    return pages * resource.getpagesize()


def folder_bytes(folder: Path, enough: int) -> int:
    """What a folder takes up on the disk, counted until it is more than enough; every entry takes up something.

    What cannot be looked into is more than enough: it could hold anything."""
    total = 0
    try:
        for entry in _entries(str(folder)):
            with suppress(FileNotFoundError):
                total += max(entry.stat(follow_symlinks=False).st_blocks * _BLOCK, _LEAST)
            if total > enough:
                break
    except OSError:
        return enough + 1
    return total


def _entries(folder: str) -> "Iterator[os.DirEntry[str]]":
    """Everything in a folder, however deep, as it is come upon; what is gone by then is gone."""
    waiting = [folder]
    while waiting:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                yield entry


def _threads_of_user() -> int:
    threads = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                threads += int(_stat(name)[17]) if os.stat(f"/proc/{name}").st_uid == os.getuid() else 0
    return threads


def end_all(patience: float = 10.0) -> bool:
    """Kill everybody below this process, until none is left; they are all its own to bury."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if not _bury():
            return True
        for process in descendants(os.getpid()):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.005)
    return False


def _bury() -> bool:
    """Take leave of the dead; whether anybody is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def marked_processes(mark: bytes) -> list[int]:
    """Processes that were given this mark in their environment and still show it."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                found += [int(name)] if mark in file.read().split(b"\0") else []
    return found
