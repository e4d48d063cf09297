"""The Director on the command line: sanitize, next-speaker, logs, and the cues typed while a garden plays."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.app import journal_of
from hakoniwa.cli.jsonl import read_requests
from hakoniwa.journal import GardenRecord
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.play.session import Session
from hakoniwa.settings import load
from tests.cli.conftest import Run
from tests.gardens import FREE, garden_of, played

MEMBERS = [
    {"internal_id": "LUMINA", "display_name": "ルミナ", "short_name": "る"},
    {"internal_id": "CLARIS", "display_name": "クラリス", "short_name": "く"},
    {"internal_id": "NOX", "display_name": "ノクス", "short_name": "の"},
]


def lines(*requests: Any) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in requests)


def answers(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


# --- sanitize ------------------------------------------------------------------------------------------------------


def test_a_line_is_sanitized(run: Run) -> None:
    line = "（コーヒーを飲む）「や」"
    assert run("sanitize", line, "--scene", "机") == (0, "（一息つく）「や」\n", "場面にない物: コーヒー\n")
    assert run("sanitize", line, "--scene", "机", "--scene", "コーヒー") == (0, f"{line}\n", "")
    assert run("sanitize", line, "--on-block", "remove").out == "「や」\n"


def test_the_whole_result_as_json(run: Run) -> None:
    assert json.loads(run("sanitize", "（傘を差す）", "--json").out) == {
        "sanitized_text": "（小さく頷く）",
        "action_removed": False,
        "action_replaced": True,
        "blocked_props": ["傘"],
        "original_action": "傘を差す",
        "replacement": "小さく頷く",
        "actions": ["傘を差す"],
    }


def test_requests_are_answered_line_by_line(run: Run) -> None:
    requests = lines(
        {"output_text": "（傘を差す）「雨だ」", "scene_items": []},
        {"output_text": "（傘を差す）「雨だ」", "scene_items": ["傘"], "id": "ignored"},
        {"output_text": "「雨だ」"},
    )
    told = answers(run("sanitize", "--jsonl", typed=requests).out)
    assert [one["sanitized_text"] for one in told] == ["（小さく頷く）「雨だ」", "（傘を差す）「雨だ」", "「雨だ」"]
    removed = answers(run("sanitize", "--jsonl", "--on-block", "remove", typed=requests).out)
    assert [one["action_removed"] for one in removed] == [True, False, False]


def test_a_bad_line_is_told_in_its_place(run: Run) -> None:
    bad = ["{", "[]", "", {"output_text": 1}, {"scene_items": []}, {"output_text": "や", "scene_items": [1]}]
    ended = run("sanitize", "--jsonl", typed=lines(*bad, {"output_text": "や"}))
    told = answers(ended.out)
    assert ended.code == 0
    assert [one["error"]["key"] for one in told[:5]] == ["request.not-json"] * 2 + ["request.invalid"] * 3
    where = [one["error"]["details"]["where"] for one in told[2:5]]
    assert where == ["output_text", "output_text", "scene_items/0"]
    assert told[5]["sanitized_text"] == "や"


def test_misuse_is_explained(run: Run) -> None:
    assert run("sanitize").code == 2
    ended = run("sanitize", "や", "--on-block", "burn")
    assert (ended.code, "replace, remove" in ended.err) == (2, True)


def test_an_answer_is_there_before_the_next_request() -> None:
    command = [sys.executable, "-c", "import hakoniwa.cli; hakoniwa.cli.main()", "sanitize", "--jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for request in (b'{"output_text": "a"}\n', b'{"output_text": "\xff\xfe"}\n', b'{"output_text": "c"}\n'):
            running.stdin.write(request)
            running.stdin.flush()
            assert "sanitized_text" in json.loads(running.stdout.readline())
        running.stdin.close()


# --- next-speaker --------------------------------------------------------------------------------------------------


def asked(text: str, current: str = "LUMINA", **more: Any) -> dict[str, Any]:
    return {"response_text": text, "current_id": current, "members": MEMBERS, **more}


def test_who_is_next_is_answered_line_by_line(run: Run) -> None:
    requests = lines(
        asked("[Next: の]", policy={}),
        asked("やあ"),
        asked("[Next: る]", policy={"allow_self_nomination": True}),
        asked("[Next: ノクズ]", policy={"fuzzy_threshold": 0.6}),
        {**asked("[Next: の]"), "members": [*MEMBERS[:2], {**MEMBERS[2], "absent": True}]},
    )
    told = answers(run("next-speaker", "--jsonl", typed=requests).out)
    assert told[0] == {"next_id": "NOX", "reason": "tag", "extracted": "の", "normalized": "の"}
    assert [(one["next_id"], one["reason"]) for one in told[1:]] == [
        ("CLARIS", "round_robin"), ("LUMINA", "tag"), ("NOX", "fuzzy"), ("CLARIS", "round_robin"),
    ]  # fmt: skip


def test_random_follows_its_seed(run: Run) -> None:
    requests = lines(*[asked("", policy={"fallback": "random"})] * 12)
    first, second = (answers(run("next-speaker", "--jsonl", "--seed", "5", typed=requests).out) for _ in range(2))
    assert first == second
    assert {one["next_id"] for one in first} == {"CLARIS", "NOX"}


def test_decisions_are_added_to_a_file(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    for text in ("[Next: の]", "やあ"):
        run("next-speaker", "--jsonl", "--decision-log", str(log), typed=lines(asked(text), "{"))
    assert [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] == [
        {"current_id": "LUMINA", "extracted": "の", "next_id": "NOX", "normalized": "の", "reason": "tag",
         "policy": {"allow_self_nomination": False, "fallback": "round_robin", "fuzzy_threshold": 0.85}},
        {"current_id": "LUMINA", "extracted": "", "next_id": "CLARIS", "normalized": "", "reason": "round_robin",
         "policy": {"allow_self_nomination": False, "fallback": "round_robin", "fuzzy_threshold": 0.85}},
    ]  # fmt: skip


def test_half_a_character_stops_neither_the_answers_nor_the_file(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    command = [sys.executable, "-c", "import hakoniwa.cli; hakoniwa.cli.main()", "next-speaker", "--jsonl"]
    requests = lines(json.dumps(asked("[Next: \ud800]")), asked("[Next: の]")).encode()
    out = subprocess.run([*command, "--decision-log", log], input=requests, capture_output=True, check=True).stdout
    told, written = answers(out.decode()), answers(log.read_text(encoding="utf-8"))
    assert [one["next_id"] for one in told] == [one["next_id"] for one in written] == ["CLARIS", "NOX"]


def test_one_request_may_take_many_lines(run: Run) -> None:
    (told,) = answers(run("next-speaker", typed=json.dumps(asked("[Next: の]"), indent=2)).out)
    assert told["next_id"] == "NOX"


def test_bad_requests_are_told_in_their_place(run: Run) -> None:
    requests = lines(
        "nonsense",
        {**asked("や"), "members": [{"display_name": "誰か"}]},
        asked("や", policy={"fallback": "luck"}),
        asked("や", policy={"fuzzy_threshold": 2}),
        asked("や"),
    )
    told = answers(run("next-speaker", "--jsonl", typed=requests).out)
    assert [one.get("error", {}).get("key") for one in told] == ["request.not-json", *["request.invalid"] * 3, None]


def test_bytes_that_are_no_text_do_not_stop_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n{}\n"), encoding="ascii"))
    assert list(read_requests(by_line=True)) == ["\ufffd\n", "{}\n"]


# --- logs ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def grabbing() -> None:
    """A garden in the user's journal in which somebody grabs what is not there."""
    replies = ["（コーヒーを飲む）「うん」", "（頷く）", "「ねえ」", "（傘とコーヒーを持つ）"]
    world = {"location": {"current": "部屋"}, "characters": {who: {"location": "部屋"} for who in ("楓", "蓬")}}
    garden = garden_of(world, {})
    journal = journal_of(load({})[0])
    journal.create(GardenRecord(id="gm/session", scenario={}, sheets={}, seed=0))
    journal.create(garden_of(world, {}, id="old"))
    journal.create(garden)
    mind = LanguageMind(ScriptedModel({"actor.think": ["……"], "actor.perform": replies}, loop=True), FREE)
    with closing(journal), closing(Session(journal, garden, mind)) as session:
        played(session, 4)


def test_the_log_of_the_sanitizer(run: Run, grabbing: None) -> None:
    told = json.loads(run("logs", "sanitizer", "--garden", "garden", "--json").out)
    assert [one["turn"] for one in told["entries"]] == [1, 2, 3, 4]
    assert told["entries"][0] == {
        "turn": 1,
        "speaker": "楓",
        "sanitizer": {
            "triggered": True,
            "action_removed": False,
            "action_replaced": True,
            "blocked_props": ["コーヒー"],
            "original_action": "コーヒーを飲む",
            "replacement": "一息つく",
            "actions": ["コーヒーを飲む"],
        },
    }
    assert told["metrics"] == {
        "action_sanitized_rate": 0.6667,
        "blocked_props_topN": [["コーヒー", 2], ["傘", 1]],
        "action_removed_count": 0,
        "action_replaced_count": 2,
    }


def test_the_log_in_words_of_the_garden_played_last(run: Run, grabbing: None) -> None:
    assert run("logs", "sanitizer").out.splitlines() == [
        "第1ターン 楓 （コーヒーを飲む） → 一息つく [コーヒー]",
        "第4ターン 蓬 （傘とコーヒーを持つ） → 一息つく [傘, コーヒー]",
        "ト書きのあるターンのうち、直したもの: 66.7%",
        "多かった物: コーヒー 2, 傘 1",
        "取りのぞいたターン: 0",
        "置きかえたターン: 2",
    ]


@pytest.fixture
def naming() -> None:
    """A garden in which somebody is named, sloppily, and everybody says the same over and over."""
    replies = ["「ねえ」[Next: 蓬さん]", "「ねえ」"]
    world = {"location": {"current": "部屋"}, "characters": {who: {"location": "部屋"} for who in ("楓", "蓬")}}
    garden, journal = garden_of(world, {}, speakers={"fuzzy_threshold": 0.7}), journal_of(load({})[0])
    journal.create(garden)
    mind = LanguageMind(ScriptedModel({"actor.think": ["……"], "actor.perform": replies}, loop=True), FREE)
    with closing(journal), closing(Session(journal, garden, mind)) as session:
        played(session, 4)


def test_the_log_of_who_speaks_next(run: Run, naming: None) -> None:
    told = json.loads(run("logs", "operation", "--json").out)["entries"]
    assert told[0] == {
        "turn": 1, "speaker": "楓", "extracted_raw": "蓬さん", "normalized": "蓬", "matched_id": "蓬", "reason": "tag",
        "policy": {"allow_self_nomination": False, "fallback": "round_robin", "fuzzy_threshold": 0.7},
    }  # fmt: skip
    assert run("logs", "operation").out.splitlines()[:3] == [
        "自分を次に指名しても無効。名前の綴りは 0.70 以上似ていれば同じ名前と見る。",
        "第1ターン 楓 → 蓬（指名） 書かれていた名前「蓬さん」 照らした形「蓬」",
        "第2ターン 蓬 → 楓（順番）",
    ]


def test_the_log_of_stalls(run: Run, naming: None) -> None:
    told = json.loads(run("logs", "stall", "--json").out)["entries"]
    assert [one["turn"] for one in told] == [3, 4]
    assert all(one["stall_score"] >= 0.3 for one in told)
    assert run("logs", "stall").out.splitlines()[0].startswith("第3ターン 楓 停滞度 0.")


def test_why_says_what_the_logs_have(run: Run, naming: None) -> None:
    out = run("play", "--garden", "garden", "--model", "builtin", typed="/pause\n/why 1\n/why 4\n/quit\n").out
    assert re.search("指名の読み取り +蓬さん → 蓬", out)
    assert re.search("指名の決まり +自分を次に指名しても無効。", out)
    assert re.search(r"停滞度 +0\.\d\d", out)


def test_without_a_garden_there_is_nothing_to_tell(run: Run) -> None:
    assert run("logs", "sanitizer").out == "まだ箱庭はありません。hakoniwa play で始められます。\n"
    assert json.loads(run("logs", "sanitizer", "--json").out)["entries"] == []
    assert run("logs", "sanitizer", "--garden", "nowhere").code == 3


# --- cues ----------------------------------------------------------------------------------------------------------

Typed = Callable[..., str]


@pytest.fixture
def typed(run: Run, box: Path) -> Typed:
    """Play the box in steps that are typed, and return what is on the screen."""

    def call(*commands: str) -> str:
        ended = run("play", box, "--new", "--turns", "9", typed="\n".join(["/pause", *commands, "/quit"]))
        assert ended.code == 0, ended.err
        return ended.out

    return call


def test_the_user_says_who_is_next(typed: Typed) -> None:
    out = typed("/next 蓬", "/step", "/why")
    assert "次は蓬です。" in out
    assert "第1ターン 蓬" in out
    assert re.search("次に話す人 +楓（順番）", out)


def test_somebody_elsewhere_is_refused_in_clear_words(typed: Typed) -> None:
    out = typed("/as 楓 (MOVE: 庭)", "/next 蓬", "/next", "/next だれか")
    assert "蓬は庭にいないので、次に指名できません。\nそこにいるのは: 楓" in out
    assert "使い方: /next 名前" in out
    assert "「だれか」という人物はいません" in out


def test_muting_and_pinning(typed: Typed) -> None:
    out = typed("/mute 楓", "/mute 蓬", "/next 楓", "/unmute 楓", "/pin 蓬", "/next 楓", "/step 2", "/unpin")
    assert "楓は黙ります。" in out
    assert "蓬まで黙らせると、話す人がいなくなります。" in out
    assert "楓は黙らせてあります。先に /unmute 楓 としてください。" in out
    assert "楓はまた話します。" in out
    assert "蓬が続けて話します。" in out
    assert "いまは蓬が続けて話すことになっています。先に /unpin としてください。" in out
    assert "順番に戻します。" in out


def test_why_names_a_nomination(typed: Typed) -> None:
    assert re.search("次に話す人 +楓（指名）", typed("/as 蓬 （頷く）[Next: 楓]", "/why"))
