"""Prompts side by side: which replies can be used as they came, and turns that are asked for once more."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hakoniwa import prompts
from hakoniwa.actor.language import LanguageMind
from hakoniwa.cli import run
from hakoniwa.journal import MAIN
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.lab.prompts import (
    ReplyScene,
    VariantJob,
    VariantReply,
    ask_once,
    check_reply,
    contexts_of,
    evaluated_tokens,
    session_before,
    sum_up,
)
from hakoniwa.llm import Call, Message, Usage
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import ScriptedModel
from tests.gardens import opened, played, shipped_garden

TOLD = {
    "ja": "使えるのは場面にあるものだけです。書かれていないものは、ありません。\n一度だけ演じてください。",
    "en": "Only what is in the scene can be used here. What is not written there is not there.\nPlay your part, once.",
}
SCENES = {"ja": ("kitchen_morning", "やな"), "en": ("tea_room", "Marian")}
SAID = {"ja": "おはよう、今日は早起きだね。", "en": "Is there any hope of a scone this afternoon?"}


def checked(language: str, reply: str, finish: str = "stop", *, as_data: bool = False) -> tuple[str, ...]:
    scenario, who = SCENES[language]
    prompt = Message(role="user", content=f"{SAID[language]}\n{TOLD[language]}")
    call = Call(
        purpose="actor.perform", model="x", messages=(prompt,), max_tokens=9, reply=reply, usage=Usage(finish=finish)
    )
    world = opened(shipped_garden(scenario, 1)).world
    return check_reply([call], ReplyScene(world, who, [SAID[language]]), as_data=as_data).faults


@pytest.mark.parametrize(
    ("language", "reply", "faults"),
    [
        ("ja", "（窓の外を見る）「いい天気だね」", ()),
        ("en", '(looks out of the window) "What a day."', ()),
        ("en", "What a day it is going to be.", ("form",)),
        ("ja", "（行動）「台詞」", ("echo",)),
        ("en", '(nods) "words"', ("echo",)),
        ("ja", "「使えるのは場面にあるものだけです。わかりました」", ("echo",)),
        ("en", '(nods) "Only what is in the scene can be used here, I know."', ("echo",)),
        ("ja", "（うなずく）「おはよう、今日は早起きだね」", ("copy",)),
        ("en", '(smiles) "Is there any hope of a scone this afternoon? I am hungry."', ("copy",)),
        ("ja", "(nods) “What a lovely morning it is, my dear friend.”", ("language",)),
        ("en", '(nods) "Yes."\nTheo: "No."', ("form",)),
        ("en", '(Theo plays the chessboard) "Your move."', ("other",)),
        ("ja", "（あゆがマグカップを取る）「ありがとう」", ("other",)),
        ("en", '{"act": 3}', ("form",)),
        ("en", "", ("none",)),
    ],
)
def test_what_can_be_used_as_it_came(language: str, reply: str, faults: tuple[str, ...]) -> None:
    found = checked(language, reply)
    assert [one for one in found if one in faults] == list(faults)
    assert bool(found) == bool(faults)


def test_words_whose_acts_came_as_data_need_no_brackets_and_may_be_missing() -> None:
    assert checked("en", "What a day it is going to be.", as_data=True) == ()
    assert checked("en", json.dumps({"thought": "Hm.", "act": 2, "words": "What a day."})) == ()
    assert checked("en", json.dumps({"thought": "Hm.", "act": 2, "words": ""})) == ()


def test_half_a_sentence_is_out_of_form_where_the_tokens_ran_out() -> None:
    assert checked("en", '(nods) "What a day it is going to', "length") == ("form",)


@pytest.fixture
def rehearsal() -> MemoryJournal:
    """A journal with a garden of six turns."""
    journal = MemoryJournal()
    played(opened(shipped_garden("tea_room", 1), journal), 6)
    return journal


def test_a_turn_is_asked_for_as_it_was_and_nothing_is_added(rehearsal: MemoryJournal) -> None:
    turns = contexts_of(rehearsal, "tea_room", MAIN, 3)
    assert turns == [1, 3, 5]
    before = len(rehearsal.lineage("tea_room", MAIN))
    said = ScriptedModel({"actor.think": ["Hm."], "actor.perform": ['(nods) "Quite."']}, loop=True)
    session, who = session_before(rehearsal, "tea_room", MAIN, 3, LanguageMind(Ledger(said)))
    assert session.world.time.turn == 2
    reply = asyncio.run(ask_once("mine", session, who, 3))
    session.close()
    assert (reply.speaker, reply.turn, reply.check.faults) == (who, 3, ())
    assert len(rehearsal.lineage("tea_room", MAIN)) == before


@pytest.fixture
def own_templates(tmp_path: Path) -> Iterator[Path]:
    loader = prompts._files.loader
    prompts._files.cache.clear() if prompts._files.cache else None
    yield tmp_path
    prompts._files.loader = loader
    prompts._files.cache.clear() if prompts._files.cache else None


def test_templates_of_a_folder_come_before_the_shipped_ones(own_templates: Path) -> None:
    (own_templates / "lab").mkdir()
    (own_templates / "lab" / "score.en.j2").write_text("{# needs: nothing #}\nMine.", encoding="utf-8")
    prompts.put_before(own_templates)
    assert prompts.render("lab/score", "en") == "Mine."
    assert prompts.render("actor/story", "en", earlier=(), lines=("A line.",)).endswith("A line.")


def test_tokens_that_were_remembered_cost_nothing() -> None:
    call = Call(purpose="x", model="x", messages=(), max_tokens=9)
    counts = [Usage(prompt=500, cached=450, completion=20), Usage(prompt=560, cached=None, completion=10)]
    assert evaluated_tokens([call.model_copy(update={"usage": one}) for one in counts]) == 70 + 570
    assert evaluated_tokens([call]) is None


def test_the_command_counts_each_variant(
    rehearsal: MemoryJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def replies(jobs: list[VariantJob]) -> Iterator[list[VariantReply]]:
        said = ScriptedModel({"actor.think": ["Hm."], "actor.perform": ["Quite."]}, loop=True)
        for job in jobs:
            session, who = session_before(rehearsal, "tea_room", MAIN, job.turns[0], LanguageMind(Ledger(said)))
            yield [asyncio.run(ask_once(job.variant, session, who, job.turns[0]))]
            session.close()

    monkeypatch.setattr("hakoniwa.cli.lab.compare", replies)
    monkeypatch.setattr("hakoniwa.cli.lab.journal_of", lambda _: rehearsal)
    command: Callable[..., int] = lambda *words: run(["--lang", "en", "lab", "prompts", "tea_room", *map(str, words)])  # noqa: E731
    (tmp_path / "mine").mkdir()
    assert command(tmp_path / "mine", "--contexts", 2, "--out", tmp_path / "replies.jsonl") == 0
    shipped, mine = capsys.readouterr().out.splitlines()
    assert shipped.startswith("shipped: 0 of 1 usable as they came (out of form 1)")
    assert mine.startswith("mine: 0 of 1")
    assert len((tmp_path / "replies.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert command(tmp_path / "nowhere") != 0
    assert str(tmp_path / "nowhere") in capsys.readouterr().err


def test_a_summary_says_how_many_of_each_fault(rehearsal: MemoryJournal) -> None:
    said = ScriptedModel({"actor.think": ["Hm."], "actor.perform": ['"words"', '(nods) "Quite."']})
    made = []
    for turn in (1, 2):
        said.replies["actor.think"] = ["Hm."]
        session, who = session_before(rehearsal, "tea_room", MAIN, turn, LanguageMind(Ledger(said)))
        made.append(asyncio.run(ask_once("mine", session, who, turn)))
        session.close()
    total = sum_up("mine", made)
    assert (total.replies, total.usable, total.faults["echo"], total.calls) == (2, 1, 1, 2.0)
