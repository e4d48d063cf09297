"""What somebody looks like: read off the sheet where it says so, else by lot from the name, and always the same."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2s
from typing import Any, Self

from pydantic import Field

from hakoniwa.messages import read_yaml
from hakoniwa.turn import Value

HAIR_COLOURS = (
    "#2e2625", "#4a3228", "#6b4431", "#8a5a3b", "#a8643a", "#c99a55", "#2f3547", "#5b3446", "#e3ddd3", "#8f8a86",
)  # fmt: skip
SKINS = ("#f8dcc6", "#f3cfb3", "#e9bd98", "#d9a47c", "#b07a55", "#7d5238")
CLOTHES = (
    "#6f8f7a", "#b8604e", "#5f7a95", "#8a6a94", "#c08f45", "#3f5a63", "#9c5f74", "#7b7f4d", "#46536e", "#c77f5e",
    "#50706a", "#a3835f",
)  # fmt: skip
TROUSERS = ("#3f434d", "#5a4a42", "#38485a", "#6a5f56", "#4b3f50")
EYES = (2, 4, 6, 10, 11, 12, 14, 20, 21, 23, 24, 8)
BROWS = (1, 2, 4, 5, 6, 7, 8, 9)
LONG_HAIR = (10, 13, 14, 15, 16, 17, 19, 23, 24, 26, 29, 30, 31, 32, 33, 35, 36, 37, 38, 42, 45, 46, 48)
SHORT_HAIR = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 18, 20, 22, 39, 43, 44, 47)
BALD = (25, 28, 34)
GLASSES = (1, 3, 4, 5)
GREY, WHITE = 9, 8
NAMED_HAIR = {"black": 0, "brown": 2, "red": 4, "blond": 5, "white": WHITE, "grey": GREY}
NAMED_SKIN = {"dark": 5, "pale": 0}
READ = 2_000  # characters of what a sheet tells
USUAL_HAIR, USUAL_SKINS = 8, 4  # so many of them are drawn by lot


class Look(Value):
    """Everything about a face and a body that stays as it is, as places in the lists of this module."""

    hair: int = Field(ge=1, le=48)
    hair_colour: int = Field(ge=0, lt=len(HAIR_COLOURS))
    skin: int = Field(ge=0, lt=len(SKINS))
    head: int = Field(ge=1, le=4)
    eyes: int = Field(ge=1, le=24)
    brows: int = Field(ge=1, le=13)
    nose: int = Field(ge=1, le=6)
    clothes: int = Field(ge=0, lt=len(CLOTHES))
    trousers: int = Field(ge=0, lt=len(TROUSERS))
    skirt: int = Field(ge=0, le=1)
    glasses: int = Field(ge=0, le=5)
    beard: int = Field(ge=0, le=2)
    earrings: int = Field(ge=0, le=3)
    freckles: int = Field(ge=0, le=1)
    flowers: int = Field(ge=0, le=1)

    @property
    def code(self) -> str:
        """The look in a few numbers, as an address has it."""
        return "-".join(str(number) for number in dict(self).values())

    @classmethod
    def read(cls, code: str) -> Self | None:
        """The look of such numbers; None where they are none."""
        numbers = code.split("-")
        if len(numbers) != len(cls.model_fields) or not all(re.fullmatch(r"[0-9]{1,2}", one) for one in numbers):
            return None
        try:
            return cls(**dict(zip(cls.model_fields, map(int, numbers), strict=True)))
        except ValueError:
            return None


def look_of(name: str, looks: str = "", persona: str = "") -> Look:
    """What somebody of this name looks like, whose looks a sheet tells, or about whom it tells this."""
    return _look_of(name, (looks or persona)[:READ])


@lru_cache(maxsize=1024)
def _look_of(name: str, told: str) -> Look:
    words, lots = read_yaml("hakoniwa.pictures", "looks.yaml"), _Lots(name)
    woman, old = _is_woman(words, told, lots), _kind_told(words["hair_colour"], told)
    colour = NAMED_HAIR[old] if old else lots.draw(range(USUAL_HAIR))
    skin = _kind_told(words["skin"], told)
    return Look(
        hair=lots.draw(_hair_styles(words["hair"], told, woman)),
        hair_colour=colour,
        skin=NAMED_SKIN[skin] if skin else lots.draw(range(USUAL_SKINS)),
        head=lots.draw(range(1, 5)),
        eyes=lots.draw(EYES),
        brows=lots.draw(BROWS),
        nose=lots.draw(range(1, 7)),
        clothes=lots.draw(range(len(CLOTHES))),
        trousers=lots.draw(range(len(TROUSERS))),
        skirt=int(woman and lots.draw((0, 1)) == 1),
        glasses=lots.draw(GLASSES) if _says(words["glasses"], told) else 0,
        beard=lots.draw((1, 2)) if not woman and _says(words["beard"], told) else 0,
        earrings=lots.draw((1, 2, 3)) if _says(words["earrings"], told) else 0,
        freckles=int(_says(words["freckles"], told)),
        flowers=int(_says(words["flowers"], told)),
    )


class _Lots:
    """Lots that fall the same way for the same name, each for itself."""

    def __init__(self, name: str) -> None:
        self._name, self._drawn = name, 0

    def draw(self, choices: Sequence[int]) -> int:
        self._drawn += 1
        digest = blake2s(f"{self._drawn} {self._name}".encode(), digest_size=4).digest()
        return choices[int.from_bytes(digest, "big") % len(choices)]


def _hair_styles(words: dict[str, list[str]], told: str, woman: bool) -> Sequence[int]:
    styles = {"bald": BALD, "long": LONG_HAIR, "short": SHORT_HAIR}
    return styles[_kind_told(words, told) or ("long" if woman else "short")]


def _is_woman(words: dict[str, Any], told: str, lots: _Lots) -> bool:
    """By which words there are more of."""
    woman, man = _count(words["woman"], told), _count(words["man"], told)
    return woman > man if woman != man else lots.draw((0, 1)) == 1


def _kind_told(kinds: dict[str, list[str]], told: str) -> str | None:
    return next((kind for kind, words in kinds.items() if _says(words, told)), None)


def _says(words: Iterable[str], told: str) -> bool:
    return _count(words, told) > 0


def _count(words: Iterable[str], told: str) -> int:
    """How often a text has one of the words; an English one is a word by itself."""
    return len(re.findall("|".join(rf"\b{one}\w?\b" if one.isascii() else one for one in words), told, re.IGNORECASE))
