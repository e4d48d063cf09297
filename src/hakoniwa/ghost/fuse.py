"""Fuse: many lists of finds as one. What stands high in several of them comes first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from hakoniwa.ghost.candidate import Found, Key

FLATNESS = 10  # how slowly the word of a source loses weight down its list


@dataclass(slots=True)
class Fused:
    """One thing that was found: its score, its place in each source, and what of the persona's own led to it."""

    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)
    cues: list[str] = field(default_factory=list)


NOTHING: Mapping[Key, Fused] = MappingProxyType({})


def fuse(
    found: Mapping[str, Sequence[Found]], weights: Mapping[str, float], before: Mapping[Key, Fused] = NOTHING
) -> dict[Key, Fused]:
    """Everything that was found, best first: reciprocal ranks, each as heavy as its source, and as it was sure.

    What other sources found before is taken over, and counts as much."""
    fused = dict(before)
    for source in sorted(found):
        weight, rank = weights[source], 0
        for type, key, sure, cue in found[source]:
            entry = fused.get((type, key))
            if entry is None:
                entry = fused[type, key] = Fused()
            if source not in entry.ranks:  # what was found again stands where it was found first
                rank += 1
                entry.ranks[source] = rank
                entry.score += weight * sure / (FLATNESS + rank)
            if cue and cue not in entry.cues:
                entry.cues.append(cue)
    return dict(sorted(fused.items(), key=lambda pair: (-pair[1].score, -pair[0][1], pair[0][0])))
