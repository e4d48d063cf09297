"""Recall: one act of remembering from beginning to end, and what is kept of it."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.memory import select
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Recall, recall
from hakoniwa.memory.store import MemoryWriting
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import Affect, Vad
from tests.memory.living import Cares, Past, ghost_of, lived, somebody

NOW = datetime(2025, 11, 12, 6, 0, tzinfo=UTC)
PAST = [
    Past("庭にバラを植えた。", NOW - timedelta(days=300)),
    Past("海で泳いで日に焼けた。", NOW - timedelta(days=90)),
    Past("バラに虫がついて困った。", NOW - timedelta(days=40)),
    Past("カレーを焦がした。", NOW - timedelta(days=2)),
    Past("雨で洗濯物がぬれた。", NOW - timedelta(days=1)),
]


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal:
    return MemoryJournal() if request.param == "memory" else SqlJournal(f"sqlite:///{tmp_path / 'journal.db'}")


@pytest.fixture
def ghost(journal: Journal) -> Ghost:
    memories, head = lived(PAST, "ミナ", journal=journal)
    return ghost_of(memories, head, Cares(somebody(), topics=("海",), attention={"topic:雨": 0.5}), NOW)


def heard(ghost: Ghost, text: str, model: ScriptedModel | None = None, **more: Any) -> Recall:
    return asyncio.run(recall(ghost, text, NOW, model, **more))


def chosen(*numbers: int) -> str:
    return json.dumps({"selected": numbers})


def by_model(ghost: Ghost, text: str, *seqs: int) -> Recall:
    """What comes to mind where a model chooses these events."""
    offered = [one.id for one in heard(ghost, text, keep=False).candidates]
    numbers = [offered.index(("event", seq)) + 1 for seq in seqs]
    return heard(ghost, text, ScriptedModel({"ghost.select": [chosen(*numbers)]}))


def test_without_a_model_the_rule_chooses_and_says_so(ghost: Ghost) -> None:
    made = heard(ghost, "バラはどうなった？", limit=3)
    assert (made.by, made.dropped, made.missed) == ("rule", None, ())
    assert {one.key for one in made.chosen[:2]} == {1, 3}
    assert len(made.chosen) == 3
    assert made.snippets[0][0] == made.chosen[0].at
    assert unseal(made.snippets[0][1]).startswith(("相手「庭", "相手「バラ"))


def test_with_a_model_its_choice_counts_in_its_order(ghost: Ghost) -> None:
    made = by_model(ghost, "バラはどうなった？", 4, 1, 4)
    assert (made.by, made.dropped) == ("model", None)
    assert [one.key for one in made.chosen] == [4, 1]


@pytest.mark.parametrize("said", ["わかりません", chosen(99), "{}"])
def test_an_answer_that_is_dropped_calls_nothing_to_mind(ghost: Ghost, said: str) -> None:
    made = heard(ghost, "バラはどうなった？", ScriptedModel({"ghost.select": [said]}))
    assert (made.by, made.chosen, made.snippets) == ("model", (), ())
    assert made.dropped in {select.BAD_SHAPE, select.UNKNOWN_ID}
    assert made.candidates


def test_every_run_is_kept_with_plan_candidates_and_choice(ghost: Ghost) -> None:
    first = heard(ghost, "昨日の雨", limit=2)
    second = heard(ghost, "バラはどうなった？", ScriptedModel({"ghost.select": ["…"]}))
    kept, before = ghost.memories.runs(ghost.scope, 10)
    assert (kept.id, before.id) == (second.run, first.run)
    assert (before.input, before.by, before.dropped, before.at) == ("昨日の雨", "rule", None, NOW)
    assert before.plan == first.plan.model_dump(mode="json")
    assert [(one["type"], one["key"]) for one in before.candidates] == [one.id for one in first.candidates]
    assert before.selection == first.pack.model_dump(mode="json")
    assert [one["event_id"] for one in before.selection["selected"]] == [one.key for one in first.chosen]
    assert (kept.by, kept.dropped, kept.selection) == ("model", second.dropped, {"selected": []})


def test_a_run_keeps_what_led_to_a_candidate_and_not_its_words(ghost: Ghost) -> None:
    heard(ghost, "海に行きたい")
    (run,) = ghost.memories.runs(ghost.scope, 1)
    sea = next(one for one in run.candidates if one["key"] == 2)
    assert sea["touches"] == ["topic:海"]
    assert {"full_text", "persona_focus"} <= sea["ranks"].keys()
    assert "泳いで" not in json.dumps(run.candidates, ensure_ascii=False)


def test_a_run_is_taken_back_with_the_play_it_belongs_to(ghost: Ghost) -> None:
    heard(ghost, "バラはどうなった？")
    ghost.refresh(3)
    assert ghost.memories.runs(ghost.scope, 10) == []
    assert {one.key for one in heard(ghost, "洗濯物とバラ").candidates} <= {1, 2, 3}


def test_somebody_without_a_past_remembers_nothing() -> None:
    memories, _ = lived([], "ミナ")
    ghost = ghost_of(memories, 0, Cares(somebody()), NOW)
    for model in (None, ScriptedModel({})):
        made = heard(ghost, "はじめまして", model)
        assert (made.run, made.candidates, made.chosen, made.dropped) == (0, (), (), None)


def test_the_model_hears_how_the_last_events_felt(ghost: Ghost) -> None:
    felt = tuple(
        Affect(seq=seq, text=Generated("…"), vad=Vad(v=v, a=0.0, d=0.0), at=NOW) for seq, v in ((4, 0.5), (5, -1.0))
    )
    ghost.apply(5, MemoryWriting(affects=felt))
    model = ScriptedModel({"ghost.select": [chosen()]})
    heard(ghost, "元気？", model)
    ((_, (message,)),) = model.calls
    context = next(line for line in message.content.splitlines() if "persona_selection_context" in line)
    assert json.loads(context)["persona_selection_context"]["recent_vad_average"] == {"v": -0.25, "a": 0.0, "d": 0.0}


def test_the_same_thing_heard_twice_calls_the_same_to_mind(ghost: Ghost) -> None:
    one, other = heard(ghost, "雨の日は何してる？"), heard(ghost, "雨の日は何してる？")
    assert one.pack.model_dump() == other.pack.model_dump()
    assert one.run != other.run


def test_what_fades_from_attention_stops_pulling(ghost: Ghost) -> None:
    now = heard(ghost, "ねえねえ").plan.persona_focus_hint
    later = asyncio.run(recall(ghost, "ねえねえ", NOW + timedelta(days=60), None))
    pulled = [[one.score for one in made if one.key == 5] for made in (heard(ghost, "雨").candidates, later.candidates)]
    assert "topic:雨" in now.interest_targets_hint
    assert pulled[0] > pulled[1]
