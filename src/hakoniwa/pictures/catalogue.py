"""Every picture of a thing by its name: drawn for Hakoniwa, or taken over from a set when the page is built."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from hakoniwa.messages import read_yaml
from hakoniwa.turn import Value

Size = Literal["small", "medium", "large", "tall"]
Hangs = Literal["wall", "ceiling"]
SIDES: dict[Size, int] = {"small": 27, "medium": 38, "large": 64, "tall": 110}
SCALE = 0.9
STATES = ("open", "on")  # what a drawn picture may show
_PACKAGE = files("hakoniwa.pictures")
_FRAME = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{}</svg>'


class Picture(Value):
    """What a thing looks like: the art, how large it is, where it hangs, and the states that have art of their own.

    `top` is the share of its height above where other things stand on it."""

    name: str
    width: float
    height: float
    hangs: Hangs | None = None
    states: tuple[str, ...] = ()
    top: float = 0.0
    gives_light: bool = False


@cache
def known_words() -> dict[str, Any]:
    """The table of words, as it is written."""
    table: dict[str, Any] = read_yaml("hakoniwa.pictures", "words.yaml")
    return table


@cache
def taken_over() -> dict[str, Any]:
    """The pictures that come from elsewhere with their keywords; none before the page is built."""
    built = _PACKAGE.joinpath("built", "things.json")
    found: dict[str, Any] = json.loads(built.read_text(encoding="utf-8")) if built.is_file() else {}
    return found


@cache
def own_drawings() -> dict[str, str]:
    """The pictures that are drawn for Hakoniwa, those of a state as `name.state`."""
    folder = _PACKAGE.joinpath("drawn")
    return {path.name[: -len(".svg")]: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@cache
def pictures() -> dict[str, Picture]:
    """Every picture there is."""
    listed = {name: entry for name, entry in known_words()["pictures"].items() if _art_name(name, entry) in _all_art()}
    found = {name: _picture(name, {}) for name in (*taken_over(), *own_drawings()) if "." not in name}
    return found | {name: _picture(name, entry) for name, entry in listed.items()}


def _picture(name: str, entry: dict[str, Any]) -> Picture:
    art = _art_name(name, entry)
    states = tuple(state for state in STATES if f"{art}.{state}" in own_drawings())
    width, height = _extent(art, entry.get("size", "small"))
    return Picture(
        name=name, width=width, height=height, hangs=entry.get("hangs"), states=states, top=entry.get("top", 0.0),
        gives_light=name in known_words()["lights"],
    )  # fmt: skip


def _all_art() -> set[str]:
    return {*taken_over(), *own_drawings()}


def _art_name(name: str, entry: dict[str, Any]) -> str:
    art: str = entry.get("art", name)
    return art


def _extent(art: str, size: Size) -> tuple[float, float]:
    """How wide and high a picture is on the map, in its pixels; what is drawn here says so itself."""
    if art not in own_drawings():
        return SIDES[size], SIDES[size]
    _, _, width, height = own_drawings()[art].split('viewBox="', 1)[1].split('"', 1)[0].split()
    return round(float(width) * SCALE, 1), round(float(height) * SCALE, 1)


def svg_of(name: str, state: str | None = None) -> str | None:
    """A picture as SVG, as it is in a state if that has art of its own; None where there is no such picture."""
    art = _art_name(name, known_words()["pictures"].get(name, {}))
    if art in own_drawings():
        return own_drawings().get(f"{art}.{state}", own_drawings()[art])
    body = taken_over().get(art)
    return _FRAME.format(body["art"]) if body else None


def keywords(language: str) -> Iterator[tuple[str, list[str]]]:
    """The words that come with a picture, what it is called first."""
    return ((name, one[language]) for name, one in taken_over().items() if language in one)

