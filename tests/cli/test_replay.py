"""`hakoniwa replay --highlights`: the story moments alone."""

import json
from pathlib import Path

from hakoniwa.cli.printer import Painter
from hakoniwa.play.script import ScriptEntry
from tests.cli.conftest import Run


def test_a_garden_without_a_story_moment_says_so(run: Run, box: Path) -> None:
    run("play", box, "--turns", "2", "--json", "--new", "--garden", "mine")
    assert run("replay", "mine", "--highlights").out == "箱のある部屋\nまだ見どころはありません。\n"
    assert run("--lang", "en", "replay", "mine", "--highlights").out == "箱のある部屋\nNo highlights yet.\n"
    assert json.loads(run("replay", "mine", "--highlights", "--json").out) == []


def test_highlights_are_shown_with_their_turns(run: Run) -> None:
    run("play", "kitchen_morning", "--turns", "60", "--seed", "1", "--json", "--new", "--garden", "mine")
    data = json.loads(run("replay", "mine", "--highlights", "--json").out)
    assert data
    shown = run("replay", "mine", "--highlights").out
    expected = [f"\n{one['title']}\n{one['told']}\n第{one['turns'][0]}〜{one['turns'][-1]}ターン\n" for one in data]
    assert shown.endswith("".join(expected))


def test_a_denied_act_without_words_is_one_sentence_apart_from_its_reason() -> None:
    entry = ScriptEntry(kind="denied", turn=1, text="But there is no lamp.", name="Theo", direction="opens the lamp")
    assert Painter(["Theo"], "en", "A voice", "You").entry(entry).plain == (
        "Theo   ✗ (opens the lamp —) But there is no lamp."
    )
