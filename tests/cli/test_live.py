"""What can be typed while a garden plays: every command, and what each says when it is used wrongly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hakoniwa.cli.live.commands import COMMANDS
from tests.cli.conftest import Run

Typed = Callable[..., str]


@pytest.fixture
def typed(run: Run, box: Path) -> Typed:
    """Play the box in steps that are typed, and return what is on the screen."""

    def call(*lines: str) -> str:
        ended = run("play", box, "--new", "--turns", "9", typed="\n".join(["/pause", *lines, "/quit"]))
        assert ended.code == 0, ended.err
        return ended.out

    return call


def test_help_lists_every_command(typed: Typed) -> None:
    out = typed("/help")
    assert [name for name in COMMANDS if f"/{name}" not in out] == []


def test_a_command_typed_with_an_ime_is_one(typed: Typed) -> None:
    out = typed("／ｌｏｏｋ　蓬", "／ｓｐｅｅｄ　０．５")
    assert "蓬の見ている場面" in out
    assert "0.5秒ごとに進みます。" in out


@pytest.mark.parametrize("name", ["wind", "風", "ＷＩＮＤ"])
def test_an_incident_is_rung_by_what_people_call_it(typed: Typed, name: str) -> None:
    assert "風が吹いた。" in typed(f"/ring {name}")


def test_what_is_remembered_is_told_place_by_place(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hakoniwa.cli.live.looking.NAMED", 2)
    lines = ["/pause", "/as やな （庭に行く）", "/look やな", "/quit"]
    out = run("play", "kitchen_morning", "--new", "--turns", "9", typed="\n".join(lines)).out
    assert out.count("キッチンで見たもの") == 1
    assert "キッチンで見たもの: プリン、牛乳、ほか1件" in out


def test_a_voice_is_heard_and_a_request_is_a_wish(typed: Typed) -> None:
    out = typed("蓬、窓を開けて", "/step 2")
    assert "あなた 「蓬、窓を開けて」" in out
    assert "聞いた人に伝わったこと: 窓を開けるよう頼まれた" in out
    assert "蓬 （窓を開ける）" in out
    assert "楓 （窓を開ける）" not in out


def test_why_is_told_in_words_and_the_engine_s_own_on_demand(typed: Typed) -> None:
    out = typed("/as 蓬 (OPEN: 窓)「いい風だ」", "/why 1")
    assert "窓の状態：開いている" in out
    assert "窓を開ける" in out
    assert [sign for sign in ("/props/", "FACT:", "ANSWER", "SAY", "USE/") if sign in out] == []
    raw = typed("/as 蓬 (OPEN: 窓)「いい風だ」", "/why 1 --raw")
    assert "/props/窓/state" in raw


def test_a_turn_is_played_as_one_of_the_people(typed: Typed) -> None:
    out = typed("/as 蓬 (OPEN: 窓)「いい風だ」", "/as 楓 (OPEN: 窓)「あれ」", "/why --raw")
    assert "蓬 （窓を開ける）「いい風だ」" in out
    assert "✗ （窓を開ける――）だが、窓はもう開いている。" in out
    assert "（あなたが動かしたターンです）" in out
    assert "却下 INVALID_STATE（規則 state.already）" in out
    assert "代わりにできること" in out


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("y", "楓 （調べる）"),
        ("言う", "楓 「調べる」"),
        ("n", "何もしませんでした。"),
        ("窓を開ける", "楓 （窓を開ける）"),
        ("/step 1", "楓 "),
    ],
)
def test_a_line_that_reads_in_two_ways_is_asked_about(typed: Typed, answer: str, outcome: str) -> None:
    asked, _, after = typed("/as 楓 調べる", answer).partition("二通りに読めます。")
    assert "調べる" not in asked
    assert "（調べる）（読み取り: しぐさ）" in after
    assert outcome in after.partition("何もしない）")[2]


def test_a_user_who_is_denied_chooses_something_else_by_number(typed: Typed) -> None:
    out = typed("/act 楓 剣を抜く", "/act 楓 1")
    assert "✗ （剣を抜く――）だが、剣はどこにもない。" in out
    _, _, offered = out.partition("代わりに楓にできること")
    first = offered.splitlines()[1].split(maxsplit=1)[1]
    assert f"楓 （{first}）" in offered


def test_acts_are_offered_by_number(typed: Typed) -> None:
    out = typed("/act 楓 窓", "/act 楓 1", "/act 楓 99", "/act 楓 CLOSE: 窓", "/act 楓 飛行機")
    assert "   1 窓を開ける" in out
    assert "楓 （窓を開ける）" in out
    assert "99番の行動はありません" in out
    assert "楓 （窓を閉める）" in out
    assert "楓にできることで、それに当たるものはありません。" in out


def test_things_are_dropped_in_once(typed: Typed) -> None:
    out = typed("/drop 赤い風船 庭", "/drop 傘", "/drop 傘", "/drop 箱", "/drop 帽子 月面", "/map")
    assert out.count("いつのまにか、そこに傘がある。") == 1
    assert "「傘」という名前は、もうこの世界で使われています" in out
    assert "「箱」という名前は、もうこの世界で使われています" in out
    assert "「月面」という場所や物はありません" in out
    assert "庭  → 部屋\n    赤い風船" in out


def test_incidents_are_listed_and_rung(typed: Typed) -> None:
    out = typed("/ring", "/ring wind", "/ring", "/ring storm")
    assert "✦ 風が吹いた。" in out
    assert "風が吹いた。 [起きた]" in out
    assert "「storm」という事件はこのシナリオにありません" in out


def test_why_tells_what_stands_behind_a_turn(typed: Typed) -> None:
    out = typed("/step", "/why --raw", "/why 7", "/why x")
    assert "第1ターン 楓" in out
    assert "箱を開けたい（つとめ）" in out
    assert "USE/OPEN 箱" in out
    assert '/props/箱/state → ["open"]' in out
    assert "7番のターンはありません。あるのは1から1番までです。" in out
    assert "「x」は数として読めません。使い方: /why [ターン]" in out


def test_turns_are_taken_back_and_told_anew(typed: Typed) -> None:
    out = typed("/step 2", "/undo 2", "/as 楓 「やめておく」", "/undo 5")
    assert "2ターン戻しました（いま0ターン）。" in out
    assert "楓 「やめておく」" in out
    assert "5ターンは戻せません。戻せるのは1から1ターンまでです。" in out


def test_a_branch_goes_its_own_way(typed: Typed) -> None:
    out = typed("/step", "/fork もしも", "/branches", "/fork もしも", "/fork")
    assert "ここから枝「もしも」で続けます。" in out
    assert "└─ もしも（1ターンで分かれ、1ターンまで） ◀" in out
    assert "もう「もしも」という枝があります" in out
    assert "使い方: /fork 名前" in out


def test_saving_writes_a_script_or_a_copy(typed: Typed, tmp_path: Path) -> None:
    files = [tmp_path / f"saved.{form}" for form in ("md", "html", "jsonl", "db")]
    out = typed("/step", *(f"/save {file}" for file in files), f"/save {files[-1]}", "/save /proc/nowhere/x.md")
    assert files[0].read_text(encoding="utf-8").startswith("# 箱のある部屋")
    assert "<title>" in files[1].read_text(encoding="utf-8")
    assert [json.loads(line)["kind"] for line in files[2].read_text(encoding="utf-8").splitlines()][:2] == [
        "opening",
        "turn",
    ]
    assert files[3].read_bytes().startswith(b"SQLite format 3")
    assert "上書きはしません" in out
    assert "ファイルを読み書きできません" in out


def test_the_garden_is_told_in_words(typed: Typed) -> None:
    out = typed("/step", "/look", "/look 蓬", "/who", "/map", "/look だれか")
    assert "楓の見ている場面" in out
    assert "蓬の見ている場面" in out
    assert "窓（閉まっている）、箱（開いている）" in out
    assert "部屋  → 庭\n    楓、蓬" in out
    assert "「だれか」という人物はいません。\nいるのは: 楓, 蓬" in out


def test_thoughts_are_shown_when_asked_for(typed: Typed) -> None:
    assert "‥ 箱を開けたい。" not in typed("/step")
    assert "‥ 箱を開けたい。" in typed("/thoughts", "/step")


def test_pace_and_mistakes(typed: Typed) -> None:
    out = typed("/speed 0.5", "/speed fast", "/hepl", "/as", "/act だれか", "／who", "")
    assert "0.5秒ごとに進みます。" in out
    assert "「fast」は数として読めません。使い方: /speed 秒" in out
    assert "/hepl というコマンドはありません。もしかして: /help" in out
    assert "使い方: /as 名前 文" in out
    assert "「だれか」という人物はいません" in out
    assert "  楓  部屋" in out


def test_a_script_that_ends_while_paused_closes_the_garden(run: Run, box: Path) -> None:
    ended = run("play", box, "--new", typed="/pause\n/step 1\n")
    assert ended.code == 0
    assert "箱庭を閉じます。" in ended.out
    assert "楓 （箱を開ける）" in ended.out
