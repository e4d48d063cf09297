"""Importing a `<scene_state>` XML file as a scenario. Only files a user names are read; XML from a model never is."""

import re
from pathlib import Path
from typing import Any

from lxml import etree
from pydantic import ValidationError

from hakoniwa.errors import ScenarioError
from hakoniwa.stage.scenario import Scenario

_LIMIT = 1 << 20
_MARK = re.compile(r"([,、()（）])")
_COMMAS, _OPENING, _CLOSING = frozenset(",、"), frozenset("(（"), frozenset(")）")
_HELD = "held_by_"
_NOTHING = ("何も持っていない", "なし", "nothing", "none", "")


def read_scene(path: Path) -> Scenario:
    """The scene in an XML file as a one-room scenario with everyone and everything in it."""
    if path.stat().st_size > _LIMIT:
        raise ScenarioError("scenario.too-large", file=str(path), limit=_LIMIT)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(path.read_bytes(), parser)
    except etree.XMLSyntaxError as error:
        raise ScenarioError(
            "scenario.not-xml", file=str(path), line=error.lineno or 1, problem=str(error.msg)
        ) from None
    if root.tag != "scene_state":
        raise ScenarioError("scenario.not-a-scene", file=str(path), found=str(root.tag))
    if root.find("actors/actor") is None:
        raise ScenarioError("scenario.missing-key", file=str(path), line=root.sourceline or 1, key="actors.actor")
    try:
        return Scenario.model_validate(_scenario(root, path.stem))
    except ValidationError as error:
        first = error.errors()[0]
        raise ScenarioError(
            "scenario.bad-value", file=str(path), line=root.sourceline or 1, key=".".join(map(str, first["loc"])),
            found=repr(first["input"])[:80], problem=first["msg"],
        ) from None  # fmt: skip


def _scenario(root: Any, stem: str) -> dict[str, Any]:
    room = _of(root, "meta/location") or "room"
    label, _, clock = (_of(root, "meta/time") or "朝").partition(" ")
    actors = {_of(one, "name") or one.get("id", "actor"): one for one in root.iterfind("actors/actor")}
    ids = {one.get("id"): name for name, one in actors.items()}
    holding = {name: _list(_of(one, "holding")) for name, one in actors.items()}
    objects = root.iterfind("environment/object")
    props = {_of(one, "name") or one.get("id", "object"): _prop(one, room, ids) for one in objects}
    for who, things in holding.items():
        for name in things:
            props.setdefault(name, {"location": room})["held_by"] = who
    in_hand: dict[str | None, list[str]] = {}
    for name, prop in props.items():
        in_hand.setdefault(prop.get("held_by"), []).append(name)
    return {
        "id": re.sub(r"[^a-z0-9_]+", "_", stem.lower()).strip("_") or "scene",
        "title": room,
        "world": {
            "time": {"label": label, **({"clock": clock} if re.fullmatch(r"\d{1,2}:\d{2}", clock) else {})},
            "meta": {"weather": _of(root, "meta/weather"), "tension": _of(root, "meta/tension_level") or "Low"},
            "location": {"current": room},
            "locations": {room: {}},
            "characters": {
                name: {
                    "location": room,
                    "posture": _of(one, "posture") or None,
                    "status": _list(_of(one, "status")),
                    "holding": in_hand.get(name, []),
                }
                for name, one in actors.items()
            },
            "props": props,
            "rules": [rule.text.strip() for rule in root.iterfind("rules/rule") if rule.text],
        },
        "cast": {name: {"sheet": "stranger"} for name in actors},
        "opening": " ".join(event.text.strip() for event in root.iterfind(".//event") if event.text),
    }


def _prop(element: Any, room: str, ids: dict[str | None, str]) -> dict[str, Any]:
    states = [word for word in _list(element.get("state", "")) if word != "clickable"]
    held = [ids[who] for word in states if word.startswith(_HELD) and (who := word.removeprefix(_HELD)) in ids]
    locked = "locked" in states
    prop: dict[str, Any] = {
        "location": room,
        "state": [word for word in states if not word.startswith(_HELD)],
        "affordances": _list(_of(element, "affordance")),
        **({"fixed": True, "container": True} if locked else {}),
    }
    return {**prop, "held_by": held[0]} if held else prop


def _of(element: Any, path: str) -> str:
    found = element.find(path)
    return (found.text or "").strip() if found is not None else ""


def _list(text: str) -> list[str]:
    """The parts between commas; a comma before a closing bracket is within what the bracket holds."""
    parts: list[list[str]] = [[]]
    within = False
    for piece in reversed(_MARK.split(text)):
        if piece in _COMMAS and not within:
            parts.append([])
            continue
        within = piece in _CLOSING or (within and piece not in _OPENING)
        parts[-1].append(piece)
    listed = ["".join(reversed(part)).strip() for part in reversed(parts)]
    return [part for part in listed if part not in _NOTHING]
