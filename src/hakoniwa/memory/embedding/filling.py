"""Filling: vectors for what has none yet, be it the newest event or, after a change of embedder, a whole life."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hakoniwa.memory.embedding import Embedder, Vectors, pack_vector, space
from hakoniwa.memory.store import Memories

BATCH = 64


class EmbeddingProgress(NamedTuple):
    """How many have a vector, of how many that should."""

    done: int
    whole: int

    def after(self, more: int) -> "EmbeddingProgress":
        return EmbeddingProgress(self.done + more, max(self.whole, self.done + more))


class EmbedderHandover(Embedder):
    """An embedder that is taking over from another, whose vectors answer until its own are complete."""

    def __init__(self, coming: Embedder, going: Embedder) -> None:
        self.coming = coming
        self.name = going.name
        self._current = going

    @property
    def dim(self) -> int:
        return self._current.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._current.embed(texts)

    def finish(self) -> None:
        self._current, self.name = self.coming, self.coming.name


def fill(memories: Memories, ghost: int, embedder: Embedder, limit: int = BATCH) -> int:
    """Embed some of what has no vector yet; how many. Asked again it goes on where it stopped, or was stopped."""
    waiting = memories.to_embed(ghost, space(embedder), limit)
    if waiting:
        rows = embedder.embed([text for _, _, text in waiting])
        kept = [(of, key, pack_vector(row)) for (of, key, _), row in zip(waiting, rows, strict=True)]
        memories.put_vectors(ghost, space(embedder), kept)
    return len(waiting)


def reembed(
    memories: Memories,
    ghost: int,
    embedder: Embedder,
    progress: Callable[[EmbeddingProgress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Embed everything with an embedder, then drop the vectors of every other; False if stopped before the end."""
    coming = embedder.coming if isinstance(embedder, EmbedderHandover) else embedder
    so_far: EmbeddingProgress | None = None
    while not stop():
        filled = fill(memories, ghost, coming)
        if not filled:
            _settle(memories, ghost, embedder, coming)
            return True
        so_far = progress_of(memories, ghost, coming) if so_far is None else so_far.after(filled)
        progress(so_far)
    return False


def _settle(memories: Memories, ghost: int, embedder: Embedder, coming: Embedder) -> None:
    if isinstance(embedder, EmbedderHandover):
        embedder.finish()
    for other in sorted(memories.embedded(ghost).keys() - {space(coming)}):
        memories.drop_vectors(ghost, other)


def progress_of(memories: Memories, ghost: int, embedder: Embedder) -> EmbeddingProgress:
    """How far an embedder has come with what a ghost remembers."""
    return EmbeddingProgress(*memories.embedded(ghost).get(space(embedder), (0, 0)))
