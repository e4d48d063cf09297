"""Vectors without a server: the word vectors of the wheel `ja_ginza` (MIT), averaged over the words of a sentence.

Its words are spelled as Sudachi normalises them, the commonest first, so that a word's place in the list also says how
much it means. Only its files are read: spaCy, which it was made for, need not be there."""

import struct
import sys
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from sudachipy import SplitMode

from hakoniwa.errors import UsageError
from hakoniwa.memory.embedding import Embedder, Vectors, normalize_rows
from hakoniwa.memory.words import tokenizer

LANGUAGE = "ja"
# Measured on tests/memory/embedding/pairs.ja.yaml; docs/memory.md has the figures.
COMMON = 600  # the word of this rank counts half
EMPTY = frozenset({"助詞", "助動詞", "接続詞", "補助記号", "記号", "空白"})
LONGEST = 4_000  # characters; Sudachi takes at most 49,149 bytes at a time
_WORDS = 32_768
NOTHING: Vectors = np.zeros(1, np.float32)  # what a word that is not in the list adds
_NUMBER = 0xCF  # msgpack: an unsigned number of eight bytes follows


def is_installed() -> bool:
    """Whether the word vectors are installed."""
    return find_spec("ja_ginza") is not None


class GinzaEmbedder(Embedder):
    """Sentences as weighted means of their words, Japanese only."""

    def __init__(self) -> None:
        self._table = _table()
        self.name = self._table.name
        self._weighted = lru_cache(_WORDS)(self._table.weighted)

    @property
    def dim(self) -> int:
        return int(self._table.vectors.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        sums = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(sums, texts, strict=True):
            for word in dict.fromkeys(self._words(text[:LONGEST])):
                row += self._weighted(word)
        return normalize_rows(sums)

    def _words(self, text: str) -> Iterator[str]:
        """Every word that means something; one that the list does not have is taken apart."""
        for word in tokenizer().tokenize(text):
            if word.part_of_speech()[0] not in EMPTY:
                known = self._weighted(word.normalized_form()) is not NOTHING
                parts = [word] if known else word.split(SplitMode.A)
                yield from (part.normalized_form() for part in parts)


# --- the files of ja_ginza -------------------------------------------------------------------------------------------


class WordTable(NamedTuple):
    """The words by their hashes in ascending order; several words may share a vector."""

    name: str
    hashes: NDArray[np.uint64]
    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    vectors: Vectors

    def weighted(self, word: str) -> NDArray[np.float32]:
        """A word's vector, the shorter the commoner the word is; nothing if it is not in the list."""
        wanted = np.uint64(murmur(word.encode()))
        at = int(np.searchsorted(self.hashes, wanted))
        if at == len(self.hashes) or self.hashes[at] != wanted:
            return NOTHING
        rank = int(self.ranks[at])
        weighted: NDArray[np.float32] = self.vectors[self.rows[at]] * np.float32(rank / (rank + COMMON))
        return weighted


@cache
def _table() -> WordTable:
    """The word vectors, read once."""
    folder = _folder()
    vectors = np.load(folder / "vocab" / "vectors", mmap_mode="r")
    hashes, rows = _keys((folder / "vocab" / "key2row").read_bytes(), len(vectors))
    order = np.argsort(hashes, kind="stable")
    return WordTable(folder.name, hashes[order], rows[order], order, vectors)


def _folder() -> Path:
    spec = find_spec("ja_ginza")
    if spec is None:
        raise UsageError("ghost.no-word-vectors", python=quote(sys.executable))
    assert spec.submodule_search_locations
    (folder,) = Path(spec.submodule_search_locations[0]).glob("ja_ginza-*")
    return folder


def _keys(packed: bytes, size: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hashes of the words and their rows, from a msgpack map of the one to the other.

    Every byte that may begin a hash is taken for one: a few are not, but no word has such a hash."""
    raw = np.frombuffer(packed + bytes(12), np.uint8)
    at = np.flatnonzero(raw[:-12] == _NUMBER)
    hashes = sliding_window_view(raw, 8)[at + 1].copy().view(">u8")[:, 0].astype(np.uint64)
    kind, high, low = (raw[at + after].astype(np.int64) for after in (9, 10, 11))
    rows = np.select([kind < 0x80, kind == 0xCC, kind == 0xCD], [kind, high, high << 8 | low], size)
    return hashes[rows < size], rows[rows < size]


def murmur(data: bytes, seed: int = 1) -> int:
    """MurmurHash64A (Austin Appleby, public domain), by which spaCy keys its strings."""
    mask, mix = 2**64 - 1, 0xC6A4A7935BD1E995
    whole = len(data) // 8 * 8
    hashed = seed ^ len(data) * mix & mask
    for (block,) in struct.iter_unpack("<Q", data[:whole]):
        block = block * mix & mask
        hashed = (hashed ^ (block ^ block >> 47) * mix) * mix & mask
    if rest := data[whole:]:
        hashed = (hashed ^ int.from_bytes(rest, "little")) * mix & mask
    hashed = (hashed ^ hashed >> 47) * mix & mask
    return hashed ^ hashed >> 47
