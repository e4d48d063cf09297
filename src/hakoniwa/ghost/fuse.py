"""Fuse: many lists of finds as one. What stands high in several of them comes first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hakoniwa.ghost.candidate import Found, Key

FLATNESS = 10  # how slowly the word of a source loses weight down its list


@dataclass
class Fused:
    """One thing that was found: its score, its place in each source, and what of the persona's own led to it."""

    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)
    cues: list[str] = field(default_factory=list)


def fuse(found: Mapping[str, Sequence[Found]], weights: Mapping[str, float]) -> dict[Key, Fused]:
    """Everything that was found, best first: reciprocal ranks, each as heavy as its source, and as it was sure."""
    fused: dict[Key, Fused] = {}
    for source in sorted(found):
        for rank, one in enumerate(_once(found[source]), start=1):
            entry = fused.setdefault((one.type, one.key), Fused())
            entry.ranks[source] = rank
            entry.score += weights[source] * one.sure / (FLATNESS + rank)
        for one in found[source]:
            if one.cue:
                fused[one.type, one.key].cues.append(one.cue)
    return dict(sorted(fused.items(), key=lambda pair: (-pair[1].score, -pair[0][1], pair[0][0])))


def _once(found: Sequence[Found]) -> list[Found]:
    """Each thing at the first place at which it was found."""
    first: dict[Key, Found] = {}
    for one in found:
        first.setdefault((one.type, one.key), one)
    return list(first.values())
