"""`hakoniwa calls`: the prompt inspector."""

import json
from contextlib import closing
from typing import Any

import pytest
from inline_snapshot import snapshot

from hakoniwa.app import journal_of
from hakoniwa.journal import GardenRecord
from hakoniwa.llm import Call, Message, Usage
from hakoniwa.settings import load
from hakoniwa.turn import Event
from tests.cli.conftest import Run

THINK = Call(
    purpose="actor.think",
    model="gemma3:4b",
    messages=(Message(role="user", content="規則\n楓の番。"), Message(role="assistant", content="うん。")),
    max_tokens=100,
    reply="箱が気になる。",
    usage=Usage(prompt=1000, cached=900, completion=30, finish="stop"),
    first_ms=81.5,
    total_ms=912.75,
)
PERFORM = THINK.model_copy(update={"purpose": "actor.perform", "usage": Usage(), "first_ms": None, "tries": 3})
STALLED = PERFORM.model_copy(update={"fault": "model.stalled", "reply": ""})


@pytest.fixture(autouse=True)
def played() -> None:
    """A garden of two turns, the second of which was taken back."""
    with closing(journal_of(load({})[0])) as journal:
        journal.create(GardenRecord(id="mine", scenario={"id": "box"}, sheets={}, seed=0))
        for turn, after, calls in ((1, None, (THINK, PERFORM)), (2, 1, (THINK, STALLED))):
            for number, call in enumerate(calls):
                journal.record_call("mine", "main", after, turn, f"{number}", call.model_dump(), speaker="楓")
            journal.append("mine", "main", [Event(kind="turn", turn=turn, origin="gm")], after)
        journal.move_head("mine", "main", 1)


def listed(run: Run, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("calls", *words, "--json").out)["calls"]
    return found


def test_calls_are_a_table_with_totals(run: Run) -> None:
    ended = run("calls", "mine")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == snapshot("""\
ターン  人物  目的           モデル     入力  キャッシュ  出力  開始ms  完了ms  回数  備考
     1  楓    actor.think    gemma3:4b  1000         900    30      82     913     1  -
     1  楓    actor.perform  gemma3:4b     -           -     -       -     913     3  -
     2  楓    actor.think    gemma3:4b  1000         900    30      82     913     1  取り消されたターン
     2  楓    actor.perform  gemma3:4b     -           -     -       -     913     3  model.stalled, 取り消されたターン
呼び出し4回（失敗1回、試行は合わせて8回）。入力2000トークン（うちキャッシュ1800、90%）、出力60トークン、3.7秒。
""")
    assert run("calls", "mine", "--lang", "en").out == snapshot("""\
turn  who  purpose        model      prompt  cached  reply  first ms  total ms  tries  notes
   1  楓   actor.think    gemma3:4b    1000     900     30        82       913      1  -
   1  楓   actor.perform  gemma3:4b       -       -      -         -       913      3  -
   2  楓   actor.think    gemma3:4b    1000     900     30        82       913      1  turn taken back
   2  楓   actor.perform  gemma3:4b       -       -      -         -       913      3  model.stalled, turn taken back
4 calls (1 with a fault, 8 tries): prompt 2000 tokens (cached 1800, 90%), reply 60 tokens, 3.7 s.
""")


def test_a_prompt_can_be_read_whole(run: Run) -> None:
    assert run("calls", "mine", "--turn", "1", "--purpose", "actor.think", "--full").out == snapshot("""\
── 第1ターン 楓 actor.think gemma3:4b ──────────────────────────────────────
入力1000トークン（うちキャッシュ900）、出力30トークン。返事が始まるまで82ms、終わるまで913ms、試行1回。備考: -
[user]
  規則
  楓の番。
[assistant]
  うん。
[返事]
  箱が気になる。

呼び出し1回（失敗0回、試行は合わせて1回）。入力1000トークン（うちキャッシュ900、90%）、出力30トークン、0.9秒。
""")


def test_the_garden_played_last_is_meant(run: Run) -> None:
    assert run("calls").out == run("calls", "mine").out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], [(1, "actor.think"), (1, "actor.perform"), (2, "actor.think"), (2, "actor.perform")]),
        (["--turn", "2"], [(2, "actor.think"), (2, "actor.perform")]),
        (["--purpose", "actor.perform"], [(1, "actor.perform"), (2, "actor.perform")]),
        (["--purpose", "actor", "--turn", "1"], [(1, "actor.think"), (1, "actor.perform")]),
        (["--purpose", "act"], []),
        (["--turn", "3"], []),
    ],
)
def test_some_calls_can_be_picked_out(run: Run, words: list[str], found: list[tuple[int, str]]) -> None:
    assert [(one["turn"], one["purpose"]) for one in listed(run, "mine", *words)] == found


def test_as_data_a_call_says_all_that_is_known(run: Run) -> None:
    first = listed(run, "mine", "--full")[0]
    assert Call.model_validate(first, extra="ignore") == THINK
    assert {name: first[name] for name in ("id", "garden", "branch", "after", "turn", "speaker", "undone")} == {
        "id": 1, "garden": "mine", "branch": "main", "after": None, "turn": 1, "speaker": "楓", "undone": False,
    }  # fmt: skip
    assert listed(run, "mine")[0] == {name: value for name, value in first.items() if name not in ("messages", "reply")}
    assert [one["undone"] for one in listed(run, "mine")] == [False, False, True, True]


def test_the_totals_are_sums(run: Run) -> None:
    assert json.loads(run("calls", "mine", "--json").out)["totals"] == {
        "calls": 4, "faults": 1, "tries": 8, "prompt": 2000, "cached": 1800, "cached_share": 0.9, "completion": 60,
        "total_ms": 3651.0,
    }  # fmt: skip
    assert json.loads(run("calls", "mine", "--turn", "9", "--json").out)["totals"]["cached_share"] is None


def test_a_fork_shows_the_calls_of_its_past(run: Run) -> None:
    run("branch", "mine", "--new", "二度目", "--at", "1")
    assert [one["turn"] for one in listed(run, "mine", "--branch", "二度目")] == [1, 1]


def test_where_nothing_was_asked_it_says_so(run: Run) -> None:
    ended = run("calls", "mine", "--turn", "9")
    assert (ended.code, ended.out.startswith("当てはまる呼び出しはありません"), ended.err) == (0, True, "")
    assert run("calls", "--journal", "memory:").out.startswith("まだ箱庭はありません")
    assert run("calls", "yours").code == run("calls", "mine", "--branch", "yours").code == 3


def test_what_a_model_says_cannot_pass_for_a_line_of_ours(run: Run) -> None:
    sly = "うん。\n[user]\n── 第9ターン\n[返事]"
    with closing(journal_of(load({})[0])) as journal:
        journal.record_call("mine", "main", 1, 7, "sly", THINK.model_copy(update={"reply": sly}).model_dump())
    lines = run("calls", "mine", "--turn", "7", "--full").out.splitlines()
    assert [line for line in lines if line.startswith(("[", "──"))][1:] == ["[user]", "[assistant]", "[返事]"]


def test_what_a_model_says_does_not_move_the_cursor(run: Run) -> None:
    wild = "\x1b[2J\x1b]0;owned\x07一行目\n二行目\u202e"
    message = Message(role="user", content=wild)
    call = THINK.model_copy(update={"messages": (message,), "reply": wild, "model": wild, "fault": wild})
    with closing(journal_of(load({})[0])) as journal:
        journal.record_call("mine", "main", 1, 7, "wild", call.model_dump(), speaker=wild)
    for words in (["--full"], []):
        out = run("calls", "mine", "--turn", "7", *words).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
        assert "[2J]0;owned一行目" in out
    assert len(run("calls", "mine", "--turn", "7").out.splitlines()) == 3


def test_a_call_that_is_none_is_called_broken(run: Run) -> None:
    with closing(journal_of(load({})[0])) as journal:
        journal.record_call("mine", "main", 1, 7, "odd", {"purpose": "actor.think"})
    ended = run("calls", "mine")
    assert (ended.code, "call 5 cannot be read" in ended.err) == (5, True)
