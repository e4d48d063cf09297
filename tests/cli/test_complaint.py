"""When something is wrong: one clear message in the user's language, a documented code, and never a traceback."""

import errno
from pathlib import Path

import pytest

from hakoniwa.cli import complaint
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelUnavailable, ScenarioError
from hakoniwa.stage.world import WorldState, problems
from tests.cli.conftest import Run

BROKEN = """
id: broken
title: 壊れた部屋
world:
  location: {current: 部屋}
  loctions: {部屋: {}}
  characters: {}
cast: {}
"""


def test_a_bad_scenario_is_told_in_japanese(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(BROKEN, encoding="utf-8")
    ended = run("play", path, "--lang", "ja")
    assert ended.code == 3
    assert ended.err == f"エラー: {path}:6 world.loctions という見出しはありません。もしかして: locations\n"


def test_a_bad_scenario_is_told_in_english(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(BROKEN, encoding="utf-8")
    ended = run("--lang=en", "play", path)
    assert ended.code == 3
    assert ended.err == f"Error: {path}:6 there is no key world.loctions. Did you mean: locations\n"


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [
        (["plya"], 2, "もしかして: play"),
        (["play", "--trns", "3"], 2, "もしかして: --turns"),
        (["play", "--turns", "x"], 2, "--turns の値が正しくありません: 整数を書いてください"),
        (["play", "--turns", "-1"], 2, "--turns の値が正しくありません"),
        (["replay"], 2, "GARDEN を指定してください。"),
        (["play", "--lang", "fr"], 2, "'ja', 'en' or 'auto'"),
        (["play", "nowhere"], 3, "シナリオ「nowhere」が見つかりません"),
        (["replay", "nowhere"], 3, "箱庭「nowhere」が見つかりません。\n記録にある箱庭: （なし）"),
        (["export", "nowhere", "--format", "pdf"], 2, "使えるのは md, html, jsonl, sillytavern, hakoniwa です"),
        (["gm", "stpe"], 2, "「gm stpe」というコマンドはありません。もしかして: step"),
        (["play", "kitchen_morning", "extra"], 2, "余分な言葉があります: extra"),
        (["play", "--turns"], 2, "--turns には値が要ります。"),
        (["gm", "--loud"], 2, "--loud というオプションはありません"),
    ],
)
def test_what_is_wrong_is_said(run: Run, argv: list[str], code: int, told: str) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_a_file_where_the_journal_should_be(run: Run, tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("", encoding="utf-8")
    ended = run("gardens", "--journal", f"sqlite:///{tmp_path}/occupied/journal.db")
    assert ended.code == 4
    assert "記録を開けません" in ended.err


def test_settings_that_make_no_sense(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_SPEED", "fast")
    ended = run("config", "show")
    assert ended.code == 2
    assert ended.err == "エラー: 設定 speed の値 'fast' が正しくありません（環境変数）: 数を書いてください\n"


def ended_with(error: BaseException, capsys: pytest.CaptureFixture[str], lang: str = "ja") -> tuple[int, str]:
    def fail() -> None:
        raise error

    code = complaint.run_command(Terminal(lang), fail)
    return code, capsys.readouterr().err


def test_a_full_disk_is_told_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = ended_with(OSError(errno.ENOSPC, "No space left on device", "script.md"), capsys)
    assert (code, "ディスクがいっぱいで書けません: script.md" in err) == (4, True)


def test_a_file_that_may_not_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = ended_with(OSError(errno.EROFS, "Read-only file system", "script.md"), capsys, "en")
    assert (code, err) == (4, "Error: The file cannot be read or written: script.md (Read-only file system)\n")


def test_an_interruption_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_with(KeyboardInterrupt(), capsys) == (130, "中断しました。ここまでの記録は残っています。\n")


def test_an_unexpected_mistake_leaves_a_log(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, err = ended_with(ZeroDivisionError("oops"), capsys)
    (log,) = (tmp_path / "hakoniwa" / "logs").iterdir()
    assert code == 1
    assert "ZeroDivisionError: oops" in err
    assert str(log) in err
    assert "Traceback" not in err
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_models_have_a_code_of_their_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complaint, "explain_error", lambda error, _: error.key)
    assert ended_with(ModelUnavailable("model.none"), capsys) == (6, "エラー: model.none\n")


def test_a_long_list_of_names_is_cut() -> None:
    error = ScenarioError("unknown.garden", name="x", known=", ".join(f"g{number}" for number in range(20)))
    assert complaint.error_in_words(error, "en").endswith("g10, g11, and 8 more")


def test_broken_worlds_are_told_in_japanese() -> None:
    world = WorldState.model_validate(
        {
            "location": {"current": "月"},
            "locations": {"部屋": {"exits": {"庭": {"via": "扉"}}}},
            "characters": {"楓": {"location": "海", "holding": ["笛", "笛"]}},
            "props": {
                "笛": {"location": "部屋"},
                "鈴": {"location": "部屋", "held_by": "楓"},
                "玉": {"location": "部屋", "inside": "袋"},
                "輪": {"location": "部屋", "inside": "輪"},
                "綱": {"location": "部屋", "inside": "輪", "on": "玉"},
            },
        }
    )
    told = [complaint.error_in_words(ScenarioError("world.invariant", problem=one), "ja") for one in problems(world)]
    english = [one for one in told if "no room" in one or " is " in one or "does not" in one or "twice" in one]
    assert told
    assert english == []
