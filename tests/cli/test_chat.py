"""`hakoniwa chat` with lines from a pipe: talking, going on, taking back, looking into what was remembered."""

import re
from pathlib import Path

import pytest

from hakoniwa.chat.chat import LONGEST
from hakoniwa.messages import say
from tests.cli.conftest import Run

SHEET = """
display_name: ミナ
persona: {persona}
phrasebook:
  answer: {{"*": ["そうなんだ。"]}}
  greet: {{"*": ["いらっしゃい。"]}}
"""


@pytest.fixture(autouse=True)
def without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_EMBEDDER", "none")


@pytest.fixture
def mina(tmp_path: Path) -> str:
    """A sheet of somebody who says two things."""
    path = tmp_path / "mina.yaml"
    path.write_text(SHEET.format(persona="古道具屋の店主。"), encoding="utf-8")
    return str(path)


def answers(out: str) -> list[str]:
    return [line.removeprefix("ミナ ") for line in out.splitlines() if line.startswith("ミナ ")]


def test_a_line_gets_an_answer_and_the_next_time_it_goes_on(run: Run, mina: str) -> None:
    first = run("chat", "--persona", mina, typed="こんにちは\n猫を飼ったよ\n")
    assert first.code == 0
    chat = re.search(r"chat-mina-\w+", first.out)
    assert chat
    assert answers(first.out) == ["いらっしゃい。", "そうなんだ。"]
    second = run("chat", typed="覚えてる？\n")
    assert f"会話 {chat[0]} の続きです（2往復目まで）。" in second.out
    assert "> 猫を飼ったよ" in second.out
    assert run("chat", "--new", "--persona", mina, typed="").out.count(chat[0]) == 0


def test_without_a_model_it_says_who_answers(run: Run, mina: str) -> None:
    assert say("chat.builtin", "ja", name="ミナ") in run("chat", "--persona", mina).out
    assert say("chat.builtin", "en", name="ミナ") in run("chat", "--persona", mina, "--lang", "en").out


def test_a_chat_can_be_named_and_found_by_its_name(run: Run, mina: str) -> None:
    run("chat", "--persona", mina, "--chat", "店先", "--new", typed="やあ\n")
    run("chat", "--persona", mina, "--new", typed="やあ\n")
    assert "会話 店先 の続きです（1往復目まで）。" in run("chat", "--chat", "店先").out


def test_a_branch_is_talked_on_by_itself(run: Run, mina: str) -> None:
    run("chat", "--persona", mina, "--chat", "c", "--new", typed="猫の話\n犬の話\n")
    run("branch", "c", "--new", "side", "--at", "1")
    out = run("chat", "--chat", "c", "--branch", "side", typed="鳥の話\n").out
    assert "（1往復目まで）" in out
    assert "犬の話" not in out


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("猫の話\n/undo\n", "取り消しました。いまは0往復目までです。"),
        ("/undo\n", "取り消せるやりとりがありません。"),
        ("猫の話\n/again\n/take\n", "→ 2　いらっしゃい。"),
        ("猫の話\n/rewrite ようこそ、猫さん。\n/take 1\n", "→ 1　いらっしゃい。"),
        ("猫の話\n/take 3\n", "別の返事3はありません。あるのは1個です。"),
        ("猫の話\n/edit 紅茶の話\n/memory 紅茶\n", "相手「紅茶の話」"),
        ("猫の話\n/rewrite ようこそ、猫さん。\n/memory 猫\n", "ミナ「ようこそ、猫さん。」"),
        ("/again\n", "答え直してもらえるひとことが、まだありません。"),
        ("/why\n", "まだ何も話していません。"),
        ("猫の話\n猫は元気？\n/why\n", "思い出したのは1件（候補1件、選んだのは規則）。"),
        ("紅茶を飲んだ\n/memory 紅茶\n", "相手「紅茶を飲んだ」 ミナ「いらっしゃい。」"),
        ("/memory 紅茶\n", "それについての記憶はありません。"),
        ("/mood\n", "ミナはいま"),
        ("/help\n", "/undo　最後のやりとりを取り消す"),
        ("／help\n", "/undo　最後のやりとりを取り消す"),
        ("/udno\n", "もしかして: /undo"),
        ("あ" * (LONGEST + 1) + "\n", f"{LONGEST}文字まで"),
    ],
    ids=lambda one: str(one)[:20].strip(),
)
def test_commands_and_mistakes_are_answered_and_the_talk_goes_on(run: Run, mina: str, typed: str, words: str) -> None:
    ended = run("chat", "--persona", mina, typed=f"{typed}またね\n")
    assert ended.code == 0
    assert words in ended.out
    assert answers(ended.out)[-1] in ("そうなんだ。", "いらっしゃい。")
    assert "hakoniwa chat --chat chat-mina-" in ended.out


def test_quit_ends_it_at_once(run: Run, mina: str) -> None:
    assert "そうなんだ。" not in run("chat", "--persona", mina, typed="やあ\n/quit\nまだいる？\n").out


def test_the_user_is_called_what_they_like(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rui.yaml"
    greeting = 'phrasebook: {greet: {"*": ["{you}、ようこそ。"]}}'
    path.write_text(f"display_name: ルイ\npersona: 案内人。\n{greeting}\n", encoding="utf-8")
    assert "先生、ようこそ。" in run("chat", "--persona", str(path), "--call-me", "先生", typed="やあ\n").out


def test_what_the_terminal_would_obey_is_not_printed(run: Run, mina: str) -> None:
    run("chat", "--persona", mina, typed="\x1b[2J消える\x07話\n")
    assert "\x1b" not in run("chat").out


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize(
    ("argv", "code", "key", "details"),
    [
        (["--chat", "nowhere"], 3, "unknown.chat", {"name": "nowhere"}),
        (["--chat", "c", "--new"], 2, "chat.exists", {"name": "c"}),
        (["--chat", "c", "--branch", "nowhere"], 3, "unknown.branch", {"name": "nowhere"}),
        (["--persona", "nobody", "--new"], 3, "unknown.sheet", {"name": "nobody"}),
        (["--persona", "nobody.yaml", "--new"], 3, "unknown.sheet", {"name": "nobody.yaml"}),
    ],
    ids=lambda one: str(one)[:30],
)
def test_what_cannot_be_is_told_in_the_users_language(
    run: Run, mina: str, argv: list[str], code: int, key: str, details: dict[str, str], lang: str
) -> None:
    run("chat", "--persona", mina, "--chat", "c", "--new")
    ended = run("chat", *argv, "--lang", lang)
    assert ended.code == code
    assert say(f"error.{key}", lang, **{"known": "", **details}).split("\n")[0] in ended.err


@pytest.mark.parametrize(("lang", "words"), [("ja", "人物像（persona）がありません"), ("en", "has no persona")])
def test_somebody_without_a_persona_is_nobody_to_talk_to(run: Run, tmp_path: Path, lang: str, words: str) -> None:
    path = tmp_path / "nobody.yaml"
    path.write_text(SHEET.format(persona="'  '"), encoding="utf-8")
    ended = run("chat", "--persona", str(path), "--lang", lang)
    assert ended.code == 3
    assert words in ended.err
