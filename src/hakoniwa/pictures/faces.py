"""Faces and figures of people as SVG: who they are is a look, what they feel an expression, what they do a pose."""

import json
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import quoteattr

from hakoniwa.pictures.looks import CLOTHES, HAIR_COLOURS, SKINS, TROUSERS, Look

Expression = Literal["neutral", "content", "joy", "sadness", "anger", "fear", "surprise"]
BodyPose = Literal["standing", "sitting", "lying"]
Pose = Literal["face", "standing", "sitting", "lying"]
Part = dict[str, Any]
LINE = "#33261f"
SOON, MUCH, LIVELY = 0.15, 0.45, 0.25


class Features(NamedTuple):
    """What an expression changes in a face; None leaves the feature as it is."""

    mouth: str
    eyes: int | None = None
    brows: int | None = None


FEATURES: dict[Expression, Features] = {
    "neutral": Features("happy14"),
    "content": Features("happy01"),
    "joy": Features("happy05", 19),
    "sadness": Features("sad03", 17, 2),
    "anger": Features("sad05", 8, 13),
    "fear": Features("sad06", 7, 12),
    "surprise": Features("happy08", 7, 11),
}
OPEN_MOUTH = "happy06"


def expression_of(valence: float, arousal: float, dominance: float) -> Expression:
    """The expression of a mood, whose numbers go from -1 to 1."""
    if abs(valence) < SOON:
        return "surprise" if arousal > 0.6 else "neutral"
    if valence > 0:
        return "joy" if valence > MUCH else "content"
    if arousal < LIVELY:
        return "sadness"
    return "anger" if dominance >= 0 else "fear"


@cache
def _style() -> dict[str, Any] | None:
    """The parts of faces; None before the page is built."""
    built = files("hakoniwa.pictures").joinpath("built", "faces.json")
    return json.loads(built.read_text(encoding="utf-8")) if built.is_file() else None


@lru_cache(maxsize=512)
def figure_svg(
    look: Look, expression: Expression = "neutral", pose: Pose = "face", speaking: bool = False
) -> str | None:
    """Somebody as SVG, looking to the right; None before the page is built."""
    if _style() is None:
        return None
    head = _head(look, expression, speaking)
    if pose == "face":
        return _svg(980, 980, f"{head}{_collar(look)}")
    return _POSED[pose](look, head)


def _svg(width: int, height: int, *parts: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" fill="none">{"".join(parts)}</svg>'


# --- the head, of borrowed parts --------------------------------------------------------------------------------------


def _head(look: Look, expression: Expression, speaking: bool) -> str:
    style = _style() or {}
    changed = FEATURES[expression]
    parts = {
        "hair": _variant(look.hair), "head": _variant(look.head), "nose": _variant(look.nose),
        "eyes": _variant(changed.eyes or look.eyes), "eyebrows": _variant(changed.brows or look.brows),
        "mouth": OPEN_MOUTH if speaking else changed.mouth,
        "glasses": _variant(look.glasses), "beard": _variant(look.beard), "earrings": _variant(look.earrings),
        "freckles": _variant(look.freckles), "hairAccessories": "flowers" if look.flowers else None,
    }  # fmt: skip
    return "".join(_element(one, style, parts, _colours(look)) for one in style["canvas"]["elements"])


def _variant(number: int) -> str | None:
    return f"variant{number:02}" if number else None


def _colours(look: Look) -> dict[str, str]:
    hair = HAIR_COLOURS[look.hair_colour]
    light = hair in HAIR_COLOURS[-2:]
    return {
        "hair": hair, "eyebrows": "#6f6a66" if light else hair, "skin": SKINS[look.skin], "outline": LINE,
        "eyes": "#2b2320", "mouth": "#8c3b3b", "nose": "#8a5a44", "freckles": "#b8795a", "glasses": LINE,
        "earrings": "#d9a441", "hairAccessories": "#d65f76",
    }  # fmt: skip


def _element(node: Part, style: Part, parts: dict[str, str | None], colours: dict[str, str]) -> str:
    """An element of the style as SVG; a component by the variant that was chosen, or nothing."""
    name, children = node["name"], node.get("children", ())
    if node["type"] == "component":
        variant = parts[name]
        if variant is None:
            return ""
        name, children = "g", style["components"][name]["variants"][variant]["elements"]
    attributes = "".join(f" {key}={quoteattr(_value(one, colours))}" for key, one in node["attributes"].items())
    return f"<{name}{attributes}>{''.join(_element(one, style, parts, colours) for one in children)}</{name}>"


def _value(value: Any, colours: dict[str, str]) -> str:
    return colours[value["name"]] if isinstance(value, dict) else str(value)


# --- the rest of the body, drawn here ---------------------------------------------------------------------------------


def _collar(look: Look) -> str:
    """Clothes at the lower edge of a face."""
    line = "M120 980q20-104 190-126q66 62 190 62q124 0 190-66q170 26 190 130z"
    return f'<path fill="{CLOTHES[look.clothes]}" d="{line}"/>'


def _standing_figure(look: Look, head: str) -> str:
    return _svg(120, 196, _legs(look), _on_shoulders(head), _torso(look), _arm(look, 36, 8), _arm(look, 85, -8))


def _sitting_figure(look: Look, head: str) -> str:
    return _svg(120, 160, _on_shoulders(head), _torso(look), _lap(look), _arm(look, 38, -12), _arm(look, 82, -30))


def _lying_figure(look: Look, head: str) -> str:
    body = "".join((_legs(look), _on_shoulders(head), _torso(look), _arm(look, 85, 0)))
    return _svg(196, 96, f'<g transform="translate(0 112) rotate(-90)">{body}</g>')


_POSED = {"standing": _standing_figure, "sitting": _sitting_figure, "lying": _lying_figure}


def _on_shoulders(head: str) -> str:
    return f'<svg x="12" y="2" width="100" height="100" viewBox="0 0 980 980">{head}</svg>'


def _torso(look: Look) -> str:
    line = "M38 93q7-5 13-6q9 9 20 0q7 1 13 6q6 6 7 20l3 34h-66l3-34q1-14 7-20z"
    return f'<path fill="{CLOTHES[look.clothes]}" d="{line}"/>'


def _arm(look: Look, x: int, angle: int) -> str:
    sleeve, hand = CLOTHES[look.clothes], SKINS[look.skin]
    return (
        f'<g transform="translate({x} 100) rotate({angle})"><path fill="{sleeve}" stroke="{LINE}" stroke-opacity=".22" '
        f'stroke-width="1.5" d="M-6 0q0-6 6-6t6 6v36h-12z"/><circle fill="{hand}" cy="40" r="6"/></g>'
    )


def _legs(look: Look) -> str:
    below = _skirt(look) if look.skirt else ""
    return f"{''.join(_leg(look, x) for x in (42, 64))}{below}"


def _leg(look: Look, x: int) -> str:
    cloth = SKINS[look.skin] if look.skirt else TROUSERS[look.trousers]
    return (
        f'<path fill="{cloth}" d="M{x} 140h15l-1 48h-13z"/>'
        f'<path fill="{LINE}" d="M{x} 187h15q7 2 7 9h-22z"/>'
    )


def _skirt(look: Look) -> str:
    return f'<path fill="{TROUSERS[look.trousers]}" d="M32 146h57l9 26q-38 8-75 0z"/>'


def _lap(look: Look) -> str:
    """Legs of somebody who sits, seen from the side they look to."""
    cloth = SKINS[look.skin] if look.skirt else TROUSERS[look.trousers]
    skirt = f'<path fill="{TROUSERS[look.trousers]}" d="M28 126h60q20 1 20 18v4h-78q-3-8-2-22z"/>' if look.skirt else ""
    return (
        f'<path fill="{cloth}" d="M29 128h56q22 0 22 20v4h-16v-4h-56q-6-2-6-8z"/>'
        f'<path fill="{LINE}" d="M90 150h17q9 1 9 9h-26z"/>{skirt}'
    )
