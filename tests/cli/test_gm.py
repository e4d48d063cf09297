"""The referee on a pipe: one request a line, one answer a line, and what a session remembers between them."""

import json
from pathlib import Path
from typing import Any

from hakoniwa.turn import Ruling
from tests.cli.conftest import Run
from tests.worlds import kitchen

SEED = ["parsed", "allowed", "denied_reason", "world_delta", "stall_score", "fact_cards"]


def request(reply: str, turn: int = 1, **more: Any) -> str:
    data = {"session_id": "s", "turn_number": turn, "speaker": "やな", "raw_output": reply, **more}
    return json.dumps(data, ensure_ascii=False)


def answers(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_every_line_is_answered_in_order(run: Run) -> None:
    lines = [
        request("(GET: マグカップ)", world_state=kitchen()),
        request("(GET: グラス)", 2, world_state=kitchen(), engine="another"),
    ]
    ended = run("gm", "step", "--jsonl", typed="\n".join(lines))
    first, second = answers(ended.out)
    assert ended.code == 0
    assert list(first)[:6] == SEED
    assert set(first) == set(Ruling.model_fields)
    assert (first["allowed"], first["world_delta"][0]["path"]) == (True, "/characters/やな/holding/-")
    assert (second["allowed"], second["denied_reason"], second["world_delta"]) == (False, "MISSING_OBJECT", [])


def test_a_step_without_a_world_goes_on_from_the_last_answer(run: Run) -> None:
    lines = [
        request("(GET: マグカップ)", world_state=kitchen()),
        request("(PUT: マグカップ)", 2),
        request("(PUT: マグカップ)", 3),
    ]
    told = answers(run("gm", "step", "--jsonl", typed="\n".join(lines)).out)
    assert [one["denied_reason"] for one in told] == [None, None, "NOT_OWNED"]


def test_a_retake_replaces_the_take_before_it(run: Run) -> None:
    lines = [
        request("(GET: マグカップ)", world_state=kitchen()),
        request("(GET: マグカップ)"),
        request("(PUT: マグカップ)", 2),
    ]
    told = answers(run("gm", "step", "--jsonl", typed="\n".join(lines)).out)
    assert [one["allowed"] for one in told] == [True, True, True]


def test_sessions_share_no_history(run: Run) -> None:
    same = [request("「今日は何にする？」", turn, world_state=kitchen()) for turn in (1, 2, 3)]
    others = [request("「今日は何にする？」", 3, world_state=kitchen(), session_id="other")]
    told = answers(run("gm", "step", "--jsonl", typed="\n".join([*same, *others])).out)
    assert [one["denied_reason"] for one in told] == [None, None, "RATE_LIMITED", None]


def test_acts_come_as_data_too(run: Run) -> None:
    lines = [
        request("「借りるね」", 1, world_state=kitchen(), acts=["GET: マグカップ"], possible_acts=True),
        request("", 2, acts=["(PUT: マグカップ)", {"intent": "GET", "target": "グラス"}]),
        request("", 3, acts=["マグカップをどうにかする"]),
    ]
    told = answers(run("gm", "step", "--jsonl", typed="\n".join(lines)).out)
    assert (told[0]["allowed"], told[0]["parsed"]["speech"]) == (True, "借りるね")
    assert "(GET: マグカップ)" in told[0]["possible_acts"]
    assert (told[1]["denied_reason"], told[1]["world_delta"]) == ("MISSING_OBJECT", [])
    assert "'マグカップをどうにかする' という行動は知りません" in told[2]["error"]["message"]


def test_a_bad_line_is_told_in_its_place(run: Run) -> None:
    lines = [
        "{not json",
        "[]",
        request("やあ", session_id="fresh"),
        request("やあ", world_state={"characters": 1}),
        request("やあ", speaker="だれか", world_state=kitchen()),
        request("やあ", world_state=kitchen()),
    ]
    ended = run("gm", "step", "--jsonl", typed="\n".join(lines))
    told = answers(ended.out)
    assert ended.code == 0
    assert [one["error"]["key"] for one in told[:5]] == [
        "request.not-json", "request.not-json", "world.none-given", "request.invalid", "request.invalid",
    ]  # fmt: skip
    assert told[2]["error"]["message"] == "セッション「fresh」の最初の依頼には world_state が要ります。"
    assert "「だれか」が world_state.characters にいません" in told[4]["error"]["message"]
    assert told[5]["allowed"] is True


def test_one_request_may_take_many_lines(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "request.json"
    pretty = json.dumps(json.loads(request("やあ", world_state=kitchen())), ensure_ascii=False, indent=2)
    file.write_text(pretty, encoding="utf-8")
    (told,) = answers(run("gm", "step", str(file)).out)
    assert told["parsed"]["speech"] == "やあ"


def test_lines_need_no_flag(run: Run) -> None:
    lines = [request("やあ", turn, world_state=kitchen()) for turn in (1, 2)]
    assert len(answers(run("gm", "step", typed="\n".join(lines)).out)) == 2
