"""Prompts side by side: turns that were played are asked for once more."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hakoniwa import prompts
from hakoniwa.actor.language import LanguageMind
from hakoniwa.cli import run
from hakoniwa.journal import MAIN
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.lab.prompts import (
    QualityScore,
    VariantJob,
    VariantReply,
    ask_once,
    contexts_of,
    quality,
    session_before,
    sum_up,
)
from hakoniwa.llm.find import ServerSearch
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.settings import Settings
from tests.gardens import FREE, opened, played, shipped_garden


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
    session, who = session_before(rehearsal, "tea_room", MAIN, 3, LanguageMind(Ledger(said), FREE))
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
    (own_templates / "director").mkdir()
    (own_templates / "director" / "score.en.j2").write_text("{# needs: nothing #}\nMine.", encoding="utf-8")
    prompts.put_before(own_templates)
    assert prompts.render("director/score", "en") == "Mine."
    assert prompts.render("actor/story", "en", earlier=(), lines=("A line.",)).endswith("A line.")


def test_the_command_counts_each_variant(
    rehearsal: MemoryJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def replies(jobs: list[VariantJob]) -> Iterator[list[VariantReply]]:
        said = ScriptedModel({"actor.think": ["Hm."], "actor.perform": ["Quite."]}, loop=True)
        for job in jobs:
            session, who = session_before(rehearsal, "tea_room", MAIN, job.turns[0], LanguageMind(Ledger(said), FREE))
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
        session, who = session_before(rehearsal, "tea_room", MAIN, turn, LanguageMind(Ledger(said), FREE))
        made.append(asyncio.run(ask_once("mine", session, who, turn)))
        session.close()
    total = sum_up("mine", made)
    assert (total.replies, total.usable, total.faults["echo"], total.calls) == (2, 1, 1, 2.0)


def test_a_reply_that_cannot_be_used_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def score(*lines: str) -> QualityScore:
        said = ScriptedModel({"actor.think": ["Hm."], "actor.perform": list(lines)}, loop=True)
        monkeypatch.setattr("hakoniwa.lab.prompts.mind_of", lambda *_: LanguageMind(Ledger(said), FREE))
        return quality(Settings(), ServerSearch(), "en")

    usable = [f'(nods) "I counted {number} scones on the table, Theo, and I shall count again."' for number in range(8)]
    assert score("words").score == 0
    half, whole = score(*usable[:4], *["nothing in form"] * 4), score(*usable)
    assert (half.usable, whole.usable) == (4, 8)
    assert 0 < half.score < whole.score <= 100
