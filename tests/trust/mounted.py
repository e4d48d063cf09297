"""Small disks of their own, which can really be full. Each is seen by one process alone, and gone with it."""

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.trust.lives import Note, heard_from, in_child
from tests.trust.scratch import scratch

OWN_MOUNTS, APART = 0x20000, 0x4000 | 0x40000  # as the kernel calls a namespace for mounts, and nothing shared in it
SIZE = b"size=4m"
FILLER = "filler"


@cache
def may_mount() -> bool:
    """Whether this process has the right to a disk of its own."""
    return not on_small_disk(lambda _: ())


def on_small_disk(work: Callable[[Path], Iterable[str]]) -> list[str]:
    """What some work says that is done in a process of its own, on a disk that nobody else sees."""
    with scratch() as place:

        def mounted(note: Note) -> None:
            _mount(place)
            for one in work(place):
                note("said", one)

        child, reading = in_child(mounted)
        said = [text for _, text in heard_from(reading, child)]  # how it crashed, if it did, too
        os.waitpid(child, 0)
    return said


def _mount(place: Path) -> None:
    """Mount a disk where only this process and its children see it: a kill leaves nothing to be unmounted."""
    system = ctypes.CDLL(None, use_errno=True)
    for failed in (
        lambda: system.unshare(OWN_MOUNTS),
        lambda: system.mount(b"none", b"/", None, APART, None),
        lambda: system.mount(b"tmpfs", bytes(place), b"tmpfs", 0, SIZE),
    ):
        if failed():
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextmanager
def filled(disk: Path, room: int) -> Iterator[None]:
    """So many bytes and no more can be written to a disk."""
    with (disk / FILLER).open("xb") as file:
        found = os.statvfs(disk)
        os.posix_fallocate(file.fileno(), 0, found.f_bavail * found.f_frsize - room)
    try:
        yield
    finally:
        (disk / FILLER).unlink()
