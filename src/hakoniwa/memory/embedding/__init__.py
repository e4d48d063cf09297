"""Embeddings: texts as vectors, so that memory finds what was meant and not only what was said."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]  # one, of length 1
Vectors = NDArray[np.float32]  # one a row
_STORED = np.dtype("<f2")


class Embedder(Protocol):
    """Texts in, vectors of length 1 out; a row of zeros for a text it can say nothing about.

    It blocks, so call it in a thread. It raises nothing but ModelError, and that means: no vectors this time."""

    name: str

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...


def space(embedder: Embedder) -> str:
    """What the vectors of an embedder are kept under: only those of one space can be compared."""
    return f"{embedder.name}/{embedder.dim}"


def name_of(space: str) -> str:
    """The name of the embedder whose space that is."""
    return space.rpartition("/")[0]


def vector_of(embedder: Embedder, text: str) -> Vector | None:
    """The vector of one text; None if there is nothing to compare by."""
    (vector,) = embedder.embed([text])
    return vector if vector.any() else None


def normalize_rows(rows: NDArray[np.floating]) -> Vectors:
    """Every row at length 1; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return scaled


def pack_vector(vector: Vector) -> bytes:
    """A vector as it is stored: half precision is as much as comparing needs."""
    return vector.astype(_STORED).tobytes()


def unpack_vectors(stored: Sequence[bytes], dim: int) -> Vectors:
    """Stored vectors, one a row."""
    return np.frombuffer(b"".join(stored), _STORED).reshape(len(stored), dim).astype(np.float32)
