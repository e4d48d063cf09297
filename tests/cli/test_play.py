"""Playing in the terminal: the same seed tells the same story, and a garden goes on where it was left."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.cli.play import DEFAULT_SCENARIOS
from hakoniwa.messages import LANGUAGES
from hakoniwa.stage.scenario import find, load
from tests.cli.conftest import Run


def events(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def turns(out: str) -> list[int]:
    return [event["turn"] for event in events(out) if event["kind"] == "turn"]


def test_the_same_seed_tells_the_same_story(run: Run, tmp_path: Path) -> None:
    first, second = (
        run("play", "--turns", "6", "--seed", "5", "--json", "--journal", f"sqlite:///{tmp_path}/{name}.db")
        for name in ("one", "two")
    )
    assert turns(first.out) == [1, 2, 3, 4, 5, 6]
    assert second == first
    other = run("play", "--turns", "6", "--seed", "6", "--json", "--journal", f"sqlite:///{tmp_path}/three.db")
    assert other.out != first.out


def test_without_a_seed_each_new_garden_draws_its_own_and_says_which(
    run: Run, box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HAKONIWA_SEED")
    told = [run("play", box, "--new", "--turns", "0").out for _ in range(3)]
    seeds = {one["seed"] for one in json.loads(run("gardens", "--json").out)}
    assert len(seeds) > 1
    assert all(any(f"--seed {seed} " in out for out in told) for seed in seeds)


def test_the_way_back_is_a_command_that_leads_there(run: Run, box: Path) -> None:
    journal = f"sqlite:///{box.parent}/my own.db"
    out = run("play", box, "--turns", "1", "--new", "--garden", "my garden", "--journal", journal).out
    way = next(line.strip() for line in out.splitlines() if line.startswith("  hakoniwa play"))
    assert turns(run(*shlex.split(way)[1:], "--turns", "1", "--json").out) == [2]


def test_a_garden_goes_on_where_it_was_left(run: Run, box: Path) -> None:
    assert turns(run("play", box, "--turns", "2", "--json").out) == [1, 2]
    assert turns(run("play", box, "--turns", "2", "--json").out) == [3, 4]
    told = run("play", box, "--turns", "1")
    assert "前回の続きから: box-" in told.out
    assert "4ターンまで" in told.out
    assert turns(run("play", box, "--turns", "1", "--json").out) == [6]


def test_two_sittings_tell_the_same_story_as_one(run: Run, box: Path) -> None:
    whole = run("play", box, "--turns", "6", "--json", "--journal", f"sqlite:///{box.parent}/whole.db")
    halves = [
        run("play", box, "--turns", "3", "--json", "--journal", f"sqlite:///{box.parent}/halves.db") for _ in range(2)
    ]
    parted = [event for half in halves for event in events(half.out) if event["seq"] is not None]
    assert parted == [event for event in events(whole.out) if event["seq"] is not None]


@pytest.mark.parametrize("flag", [["--new"], ["--seed", "0"]])
def test_a_new_garden_is_asked_for(run: Run, box: Path, flag: list[str]) -> None:
    run("play", box, "--turns", "2", "--json")
    assert turns(run("play", box, "--turns", "1", "--json", *flag).out) == [1]


def test_a_garden_made_from_other_files_is_left_alone(run: Run, box: Path) -> None:
    run("play", box, "--turns", "2", "--json")
    box.write_text(box.read_text(encoding="utf-8").replace("箱がひとつ。", "箱がふたつ。"), encoding="utf-8")
    told = run("play", box, "--turns", "1")
    assert "書き換わっているので、新しく始めます" in told.out


def test_a_goal_ends_the_garden_and_the_next_one_is_new(run: Run, box_with_goal: Path) -> None:
    played = events(run("play", box_with_goal, "--turns", "9", "--json").out)
    assert played[-1]["kind"] == "end"
    assert played[-1]["payload"] == {"reason": "goal", "text": "箱が開いた。"}
    assert played[-1]["seq"] is not None
    again = run("play", box_with_goal, "--turns", "9")
    assert "結末を迎えたので、新しく始めます" in again.out
    assert "箱が開いた。" in again.out
    assert "結末を迎えました。" in again.out


def test_an_ended_garden_says_so_when_it_is_opened_again_and_offers_commands_that_work(
    run: Run, box_with_goal: Path
) -> None:
    run("play", box_with_goal, "--turns", "9", "--garden", "mine", "--new")
    rows = run("replay", "mine", "--json").out
    again = run("play", box_with_goal, "--garden", "mine").out
    assert run("replay", "mine", "--json").out == rows
    assert "この箱庭は結末を迎えています。" in again
    offers = [line[line.index("hakoniwa ") :] for line in again.splitlines() if " hakoniwa " in line]
    assert [offer.split()[1] for offer in offers] == ["play", "branch", "play", "replay", "play", "play"]
    for offer in offers[:5]:
        assert run(*shlex.split(offer)[1:]).code == 0, offer


def test_an_ended_garden_goes_on_when_turns_are_asked_for(run: Run, box_with_goal: Path) -> None:
    run("play", box_with_goal, "--turns", "9", "--garden", "mine", "--new")
    assert len(turns(run("play", "--garden", "mine", "--turns", "1", "--json").out)) == 1


def test_turns_are_an_end_that_leaves_no_trace(run: Run, box: Path) -> None:
    last = events(run("play", box, "--turns", "1", "--json").out)[-1]
    assert (last["kind"], last["payload"], last["seq"]) == ("end", {"reason": "turns"}, None)
    assert "1ターン進んだので終わります。" in run("play", box, "--turns", "1").out


def test_without_a_number_a_garden_that_nobody_watches_plays_its_length(run: Run, box: Path) -> None:
    assert turns(run("play", box, "--json").out) == [1, 2, 3, 4]
    assert "4ターン進んだので終わります。" in run("play", box, "--new").out


def test_what_is_said_at_the_start(run: Run) -> None:
    out = run("play", "--turns", "0").out
    assert out.splitlines()[0] == "台所の朝"
    assert "ここにいるのは やな、あゆ。" in out
    assert "組み込みの規則と台詞集" in out
    assert "(" not in "".join(line for line in out.splitlines() if line.startswith("やな"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_names_no_scenario_gets_one_in_their_language(run: Run, language: str) -> None:
    own = load(find(DEFAULT_SCENARIOS[language]))
    assert own.language == language
    assert run("play", "--turns", "0", "--lang", language).out.splitlines()[0] == own.title


def test_an_english_interface_leaves_a_japanese_story_japanese(run: Run, box: Path) -> None:
    out = run("play", box, "--turns", "3", "--lang", "en").out
    assert "A built-in mind (not a language model) plays everyone." in out
    assert "楓 （箱を開ける）「よし、やるか。」" in out


def test_a_garden_and_a_branch_are_named(run: Run, box: Path) -> None:
    run("play", box, "--turns", "2", "--json", "--new", "--garden", "mine")
    assert run("branch", "mine", "--new", "other", "--at", "1").code == 0
    assert turns(run("play", "--garden", "mine", "--branch", "other", "--turns", "1", "--json").out) == [2]
    assert turns(run("play", "--garden", "mine", "--branch", "main", "--turns", "1", "--json").out) == [3]


@pytest.mark.parametrize(
    ("flags", "code", "told"),
    [
        (["--garden", "nowhere"], 3, "箱庭「nowhere」が見つかりません"),
        (["--garden", "mine", "--branch", "nowhere"], 3, "枝「nowhere」が見つかりません"),
        (["--garden", "mine", "--new"], 4, "箱庭「mine」はもうあります"),
        (["--garden", "mine", "--seed", "9"], 2, "種は0に決まっています"),
        (["--new", "--branch", "other"], 3, "枝「other」が見つかりません"),
        (["--base-url", "a b"], 2, "設定 base_url の値 'a b' が正しくありません（コマンドライン）"),
        (["--speed", "99"], 2, "設定 speed"),
        (["--journal", "somewhere"], 4, "記録の場所を読み取れません"),
    ],
)
def test_what_cannot_be_played(run: Run, box: Path, flags: list[str], code: int, told: str) -> None:
    run("play", box, "--turns", "1", "--json", "--new", "--garden", "mine")
    ended = run("play", box, "--turns", "1", *flags)
    assert ended.code == code
    assert told in ended.err


def test_a_story_cannot_take_over_the_terminal(run: Run, box: Path) -> None:
    said = "\x1b]0;owned\x07やあ\x1b[2J\u202e"
    out = run("play", box, "--turns", "2", typed=f"{said}\n").out
    assert "あなた 「]0;ownedやあ[2J」" in out
    assert "\x1b" not in out
    assert "\u202e" not in out
