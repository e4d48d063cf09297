"""Exact: vectors in one matrix, every one of them compared; labels put events and states in one sequence of numbers."""

import numpy as np
from numpy.typing import NDArray

from hakoniwa.memory.embedding import Vector, Vectors
from hakoniwa.memory.store import Of

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
