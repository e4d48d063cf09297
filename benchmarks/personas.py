"""Two personas, one past: how much alike what they call to mind is, beside one persona asked twice.

Both have lived through the same 500 events and hear the same 30 things; they differ in what they like and what has
their attention. The overlap is Jaccard's: the share of what either calls to mind that both do. A rule makes the choice.
"""

import asyncio
from collections.abc import Sequence
from statistics import mean

from hakoniwa.memory.embedding import Embedder
from hakoniwa.memory.embedding.ginza import GinzaEmbedder, is_installed
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import recall
from tests.memory.history import GARDENER, INPUTS, NOW, PLAYER, history, overlap
from tests.memory.living import embedded, ghost_of, lived

FULL, SMALLEST = INPUTS, INPUTS[:1]


def selections(ghost: Ghost, inputs: Sequence[str] = INPUTS) -> list[set[object]]:
    """What a ghost calls to mind on hearing each of the inputs."""

    async def heard() -> list[set[object]]:
        return [{one.id for one in (await recall(ghost, text, NOW, None)).chosen} for text in inputs]

    return asyncio.run(heard())


def overlaps(embedder: Embedder | None, inputs: Sequence[str] = INPUTS) -> tuple[float, float]:
    """The mean overlap of two personas, and of one asked twice."""
    cares = (GARDENER, PLAYER)
    memories, head = lived(history(), *(one.persona.name for one in cares))
    if embedder:
        embedded(memories, [one.persona.name for one in cares], embedder)
    one, other = (ghost_of(memories, head, each, NOW, embedder) for each in cares)
    first, again, others = (selections(ghost, inputs) for ghost in (one, one, other))
    return mean(map(overlap, first, others)), mean(map(overlap, first, again))


def main(inputs: Sequence[str]) -> None:
    kinds: dict[str, Embedder | None] = {
        "without vectors": None,
        **({"with vectors": GinzaEmbedder()} if is_installed() else {}),
    }
    for name, embedder in kinds.items():
        between, within = overlaps(embedder, inputs)
        print(f"  {name}: {between:.0%} between two personas, {within:.0%} of one asked twice")
