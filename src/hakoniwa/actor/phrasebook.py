"""Lines from a character's phrasebook: the most fitting one that was not used lately, or none."""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from random import Random

_KEY = re.compile(r"^(?P<verb>[^\s@>]*)(?:\s+(?P<thing>[^@>]+?))?(?:@(?P<mood>\w+))?(?:>(?P<to>.+))?$")
_SLOT = re.compile(r"\{(\w+)\}")
_TRIES = 4


def choose(
    section: Mapping[str, Sequence[str]],
    situation: Mapping[str, str | None],
    slots: Mapping[str, str],
    pools: Mapping[str, Sequence[str]],
    used: Sequence[str],
    dice: Random,
) -> str | None:
    """A line for a situation (`verb`, `thing`, `mood`, `to`): the most specific group that still has a fresh one.

    `used` are the marks of lines."""
    stale = set(used)
    for group in _groups(section, situation):
        for line in dice.sample(group, len(group)):
            for _ in range(_TRIES):
                spoken = expand(line, slots, pools, dice)
                if spoken and mark(spoken) not in stale:
                    return spoken
    return None


def mark(line: str) -> str:
    """What is kept of a line in order to know it again."""
    return f"{zlib.crc32(line.encode()):08x}"


def _groups(section: Mapping[str, Sequence[str]], situation: Mapping[str, str | None]) -> Iterator[list[str]]:
    """The fitting lines, in groups from the most specific key to the least."""
    ranked: dict[int, list[str]] = {}
    for key, lines in section.items():
        if (fit := _fit(key, situation)) is not None:
            ranked.setdefault(fit, []).extend(lines)
    for fit in sorted(ranked, reverse=True):
        yield ranked[fit]


def _fit(key: str, situation: Mapping[str, str | None]) -> int | None:
    match = _KEY.match(key)
    if match is None:
        return None
    score = 0
    for part, points in (("verb", 3), ("thing", 8), ("mood", 2), ("to", 2)):
        wanted = match[part]
        if wanted in (None, "", "*"):
            continue
        if wanted != situation.get(part):
            return None
        score += points
    return score


def expand(line: str, slots: Mapping[str, str], pools: Mapping[str, Sequence[str]], dice: Random) -> str | None:
    """A line with its slots filled; None if it asks for something this situation does not have."""
    for _ in range(5):
        names = _SLOT.findall(line)
        if not names:
            return line
        for name in names:
            value = slots.get(name) or (dice.choice(pools[name]) if pools.get(name) else None)
            if value is None:
                return None
            line = line.replace(f"{{{name}}}", value, 1)
    return None
