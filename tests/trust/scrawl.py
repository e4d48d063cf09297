"""Scrawl: what strangers may write where something is to be read. Words of a grammar in any order, good examples that
were spoilt, and signs by chance; the same again from the same dice."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from tests.trust.payloads import FAMILIES, payload

S = TypeVar("S", str, bytes)

NAMES = tuple(FAMILIES)
SIGNS = (
    "\x00", "\x1b", "\x7f", "\x85", "\u00ad", "\u200b", "\u200d", "\u202e", "\u2028", "\u3000", "\ufeff", "\ufffd",
    "\ud7ff", "\U000e0041", "\U0010ffff", "ﷺ", "İ", "ß", "が", "🍵", "👩\u200d🚀", "٣", "²", "Ⅷ", "㌔", "{", "}", "%s",
    "\\", "\t", "\r\n", "0", "-1", "9" * 30, "1e400", "é" * 3, "々", "ー",
)  # fmt: skip
RANGES = (
    (0x20, 0x7E), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0x0, 0x2FF), (0x0, 0xD7FF), (0xE000, 0xFFFF), (0x1F300, 0x1FAFF),
)  # fmt: skip


def words(chance: random.Random, grammar: Sequence[str], most: int = 14) -> str:
    """Words of a grammar, with now and then something that has no business there."""
    return "".join(_word(chance, grammar) for _ in range(chance.randint(1, most)))


def _word(chance: random.Random, grammar: Sequence[str]) -> str:
    number = chance.random()
    if number < 0.88:
        return chance.choice(grammar)
    return payload(chance.choice(NAMES), chance) if number < 0.93 else chance.choice(SIGNS)


def signs(chance: random.Random, most: int = 40) -> str:
    """Characters of all scripts and of none."""
    first, last = chance.choice(RANGES)
    return "".join(
        chance.choice(SIGNS) if chance.random() < 0.1 else chr(chance.randint(first, last))
        for _ in range(chance.randint(0, most))
    )


def spoilt(chance: random.Random, one: S, other: S, sign: Callable[[random.Random], S]) -> S:
    """An example with a few things done to it."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randint(0, len(one))
        end = min(len(one), start + chance.choice((1, 2, 8, 40)))
        match chance.randrange(7):
            case 0:
                one = one[:start]
            case 1:
                one = one[:start] + one[end:]
            case 2:
                one = one[:start] + one[start:end] * chance.choice((2, 3, 17)) + one[end:]
            case 3:
                one = one[:start] + other[chance.randint(0, len(other)) :]
            case 4:
                one = one[:start] + sign(chance) + one[start + 1 :]
            case 5:
                one = one[:start] + one + one[start:]
            case _:
                one = one[:start] + other[:end] + one[start:]
    return one


def spoilt_text(chance: random.Random, examples: Sequence[str]) -> str:
    return spoilt(chance, chance.choice(examples), chance.choice(examples), lambda dice: dice.choice(SIGNS))


def spoilt_bytes(chance: random.Random, examples: Sequence[bytes]) -> bytes:
    return spoilt(chance, chance.choice(examples), chance.choice(examples), lambda dice: dice.randbytes(1))


def text(chance: random.Random, grammar: Sequence[str], examples: Sequence[str]) -> str:
    """A text of any of the three kinds."""
    number = chance.random()
    if number < 0.5:
        return words(chance, grammar)
    return spoilt_text(chance, examples) if number < 0.9 else signs(chance)
