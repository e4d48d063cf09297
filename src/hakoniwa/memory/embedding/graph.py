"""The vectors that are nearest: in one matrix, all compared, or in a graph of neighbours (HNSW) read from its file.

The file can always be made again from the store. Its name says what it holds, so it is never changed, only replaced by
one of another name. Labels put events and states in one sequence of numbers."""

import hashlib
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index as HNSW

from hakoniwa.memory.embedding import Vector, Vectors
from hakoniwa.memory.store import Of
from hakoniwa.own_files import PRIVATE, partial_file, private_folder, sync_to_disk

Labels = NDArray[np.uint64]


def label_of(of: Of, key: int) -> int:
    """An event by an even number, a state by an odd one."""
    return key << 1 | (of == "state")


def parse_label(label: int) -> tuple[Of, int]:
    return ("state" if label & 1 else "event"), label >> 1


def events(labels: Labels) -> NDArray[np.bool_]:
    """Which of them are events."""
    even: NDArray[np.bool_] = (labels & np.uint64(1)) == 0
    return even


ROOM = 256


class ExactIndex:
    """Vectors by their labels, in the order in which they came."""

    def __init__(self, dim: int) -> None:
        self._labels: Labels = np.empty(ROOM, np.uint64)
        self._rows: Vectors = np.empty((ROOM, dim), np.float32)
        self.size = 0

    @property
    def labels(self) -> Labels:
        return self._labels[: self.size]

    @property
    def rows(self) -> Vectors:
        return self._rows[: self.size]

    def add(self, labels: Labels, rows: Vectors) -> None:
        wanted = self.size + len(labels)
        if wanted > len(self._labels):
            room = max(wanted, 2 * len(self._labels))
            self._labels = np.resize(self._labels, room)
            self._rows = np.concatenate([self.rows, np.empty((room - self.size, rows.shape[1]), np.float32)])
        self._labels[self.size : wanted] = labels
        self._rows[self.size : wanted] = rows
        self.size = wanted

    def near(self, vector: Vector, count: int, oldest: int = 0) -> dict[int, float]:
        """The labels nearest to a vector and how near they are, in no order; of events alone, if an oldest is given."""
        counting = (self.labels >= oldest) & events(self.labels) if oldest else np.ones(self.size, np.bool_)
        if not counting.any():
            return {}
        first = int(counting.argmax())
        # einsum stays on one thread: those of the linear algebra package spin for longer than this takes.
        scores = np.einsum("ij,j->i", self.rows[first:], vector)
        scores[~counting[first:]] = -np.inf
        best = np.argpartition(scores, -count)[-count:] if count < len(scores) else np.arange(len(scores))
        labels = self.labels[first:][best].tolist()
        return {label: score for label, score in zip(labels, scores[best].tolist(), strict=True) if score > -np.inf}


# Whole bytes instead of half precision found .82 of the nearest 40 among 100,000 where this found .92.
PRECISION, NEIGHBOURS, CARE, WIDTH = "f16", 16, 128, 128
SAME, COPIES = 2e-3, 8
_NAME = re.compile(r"(?P<ghost>\d+)-(?P<space>[0-9a-f]{16})-(?P<kept>\d+)-(?P<upto>\d+)-(?P<size>\d+)\.usearch")


class GraphExtent(NamedTuple):
    """What a graph holds: the `size` vectors up to the number `upto` of the store. Those after the number `kept` are
    new enough to be compared one by one too."""

    kept: int
    upto: int
    size: int


class NeighbourGraph:
    """A graph that is searched, one search at a time."""

    def __init__(self, hnsw: HNSW, held: GraphExtent) -> None:
        self.held = held
        self._hnsw = hnsw
        self._one_at_a_time = Lock()

    def near(self, vector: Vector, count: int, oldest: int = 0) -> dict[int, float]:
        """The labels nearest to a vector, as far as the graph leads there; fewer of them if some are too old."""
        with self._one_at_a_time:
            found = self._hnsw.search(vector, count, threads=1)
        pairs = zip(found.keys.tolist(), found.distances.tolist(), strict=True)
        return {label: 1.0 - distance for label, distance in pairs if label >= oldest}

    def copy(self) -> HNSW:
        return self._hnsw.copy()

    def has(self, vector: Vector) -> bool:
        """Whether it holds this vector, be it for another text in the same words; one that says nothing is in none."""
        return not vector.any() or any(score > 1.0 - SAME for score in self.near(vector, 1).values())


class GraphFiles:
    """Where the graphs of one ghost and one space lie; without a folder they are kept in memory alone."""

    def __init__(self, folder: Path | None, ghost: int, space: str) -> None:
        self.folder, self.ghost = folder, ghost
        self.space = hashlib.sha256(space.encode()).hexdigest()[:16]

    def newest(self, dim: int) -> NeighbourGraph | None:
        """The graph that holds most; a file that cannot be read is no graph."""
        own = [
            GraphExtent(int(name["kept"]), int(name["upto"]), int(name["size"]))
            for _, name in self._files()
            if name["space"] == self.space
        ]
        for held in sorted(own, key=lambda one: one.upto, reverse=True):
            with suppress(RuntimeError, OSError):
                hnsw = _empty_graph(dim)
                hnsw.view(str(self.path(held)))
                if hnsw.ndim == dim and len(hnsw):
                    return NeighbourGraph(hnsw, held)
        return None

    def growth(self, old: NeighbourGraph | None, dim: int) -> "GraphBuilder":
        """A copy of a graph to add to; from nothing if its file is gone, because another process began anew."""
        if old is not None and self.folder is None:
            return GraphBuilder(self, old.copy(), old.held.kept)
        hnsw = _empty_graph(dim)
        if old is not None:
            with suppress(RuntimeError, OSError):
                hnsw.load(str(self.path(old.held)))
        return GraphBuilder(self, hnsw, old.held.kept if old is not None and len(hnsw) else 0)

    def clear(self, but: Path | None = None) -> None:
        """Remove the files of this ghost, of whatever space, all or all but one; and what was never finished."""
        graphs = [file for file, _ in self._files() if file != but]
        unfinished = self.folder.glob(f"{self.ghost}-*.partial") if self.folder and but is None else ()
        for file in (*graphs, *unfinished):
            with suppress(OSError):  # where a file that is being read cannot go, it goes next time
                file.unlink()

    def path(self, held: GraphExtent) -> Path:
        assert self.folder is not None, "what is in memory alone has no path"
        return self.folder / f"{self.ghost}-{self.space}-{held.kept}-{held.upto}-{held.size}.usearch"

    def _files(self) -> list[tuple[Path, re.Match[str]]]:
        if self.folder is None or not self.folder.is_dir():
            return []
        named = ((file, _NAME.fullmatch(file.name)) for file in sorted(self.folder.iterdir()))
        return [(file, name) for file, name in named if name and int(name["ghost"]) == self.ghost]


class GraphBuilder:
    """A graph in the making, to which everything after the number `start` may be new."""

    def __init__(self, shelf: GraphFiles, hnsw: HNSW, start: int) -> None:
        self._shelf, self._hnsw, self.start = shelf, hnsw, start
        self._before = len(hnsw)
        self._copies: Counter[int] = Counter()

    def add(self, labels: Labels, rows: Vectors) -> None:
        """Add what is not in it yet, on one thread: it is not what anybody is waiting for.

        What was said in the same words over and over is in it a few times only: such heaps cut a graph in pieces."""
        labels, first = np.unique(labels, return_index=True)
        rows = rows[first]
        wanted = rows.any(axis=1) & ~np.asarray(self._hnsw.contains(labels), np.bool_)
        wanted[wanted] = self._rare(rows[wanted])
        self._hnsw.add(labels[wanted], rows[wanted], threads=1)

    def _rare(self, rows: Vectors) -> NDArray[np.bool_]:
        """Which of them the graph has only a few copies of."""
        rare = np.ones(len(rows), np.bool_)
        if self._before and len(rows):
            found = self._hnsw.search(rows, COPIES, threads=1).distances.reshape(len(rows), -1)
            rare = np.asarray((found < SAME).sum(axis=1) < COPIES)
        for place, row in enumerate(rows):
            said = hash(row.tobytes())
            self._copies[said] += 1
            rare[place] &= self._copies[said] <= COPIES
        return rare

    def done(self, held: GraphExtent) -> NeighbourGraph:
        """The graph in its file, whole, and nothing left of those before it."""
        if self._shelf.folder is None:
            return NeighbourGraph(self._hnsw, held)
        path = self._shelf.path(held)
        private_folder(path.parent)
        with partial_file(path, PRIVATE) as partial:
            self._hnsw.save(str(partial))
            sync_to_disk(partial)
        self._shelf.clear(but=path)
        return self._shelf.newest(self._hnsw.ndim) or NeighbourGraph(self._hnsw, held)


class BuildStopped(Exception):
    """There was no time to go on building."""


def _empty_graph(dim: int) -> HNSW:
    return HNSW(
        ndim=dim, metric="ip", dtype=PRECISION,
        connectivity=NEIGHBOURS, expansion_add=CARE, expansion_search=WIDTH,
    )  # fmt: skip
