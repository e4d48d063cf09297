"""An embedder for tests: every text has a vector of its own, near to those of texts that share characters with it."""

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np

from hakoniwa.errors import ModelUnavailable
from hakoniwa.memory.embedding import Embedder, Vectors, normalize_rows


class Characters(Embedder):
    """The sum of one random vector for each character; `down` makes it fail as a server that is away does."""

    def __init__(self, name: str = "characters", dim: int = 32) -> None:
        self.name = name
        self._dim = dim
        self.down = False
        self.asked: list[str] = []
        self._of = cache(self._drawn)

    @property
    def dim(self) -> int:
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise ModelUnavailable("model.refused")
        self.asked += texts
        return normalize_rows(
            np.array([sum(map(self._of, text), np.zeros(self.dim)) for text in texts]).reshape(-1, self.dim)
        )

    def _drawn(self, character: str) -> np.ndarray:
        seed = hashlib.sha256(f"{self.name}{character}".encode()).digest()[:8]
        return np.random.default_rng(int.from_bytes(seed)).standard_normal(self.dim)
