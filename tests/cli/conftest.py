"""A command line to try things on, and a scenario small enough to be played to its end."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hakoniwa.cli import run as run_command

SHEET = """
display_name: {name}
persona: {persona}
improvises: false
desires:
  - {{name: {wish}, kind: duty, strength: 0.9, urgency: 0.9, goal: {{did: {{verb: 開ける, target: 箱}}}}}}
phrasebook:
  do: {{"*": ["よし、やるか。"]}}
"""
SCENARIO = """
id: box
title: 箱のある部屋
description: 箱がひとつ。
turns: 4
world:
  location: {current: 部屋}
  locations: {部屋: {exits: [庭]}, 庭: {exits: [部屋]}}
  characters: {楓: {location: 部屋}, 蓬: {location: 部屋}}
  props:
    箱: {location: 部屋, fixed: true, container: true, state: [closed]}
    窓: {location: 部屋, fixed: true, state: [closed], affordances: [開ける, 閉める]}
cast: {楓: {sheet: kaede}, 蓬: {sheet: yomogi}}
opening: だれか、箱を見てみて
incidents:
  - {id: wind, title: 風, text: 風が吹いた。, once: false}
"""
GOAL = "goal: {state: {箱: open}, told: 箱が開いた。}\n"


class Ended(NamedTuple):
    """How a command line came out."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run a command line, with lines on its standard input if there are any."""
    monkeypatch.setenv("HAKONIWA_LANG", "ja")
    opened = []

    def call(*argv: str, typed: str = "") -> Ended:
        script = tmp_path / "typed.txt"
        script.write_text(typed, encoding="utf-8")
        opened.append(script.open(encoding="utf-8"))
        monkeypatch.setattr(sys, "stdin", opened[-1])
        code = run_command([str(word) for word in argv])
        return Ended(code, *capsys.readouterr())

    yield call
    for file in opened:
        file.close()


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A scenario of one box and two people who want it open."""
    folder = tmp_path / "box"
    folder.mkdir()
    for sheet, name in (("kaede", "楓"), ("yomogi", "蓬")):
        text = SHEET.format(name=name, persona=f"{name}は箱が気になる。", wish="箱を開けたい")
        (folder / f"{sheet}.yaml").write_text(text, encoding="utf-8")
    path = folder / "box.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture
def box_with_goal(box: Path) -> Path:
    """The same, ending when the box is open."""
    box.write_text(SCENARIO + GOAL, encoding="utf-8")
    return box
