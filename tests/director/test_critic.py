"""A model as critic: what it is shown, what it answers, and how a low score has a line played again."""

import asyncio
import json

import pytest

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.app import director_of
from hakoniwa.director.critic import AXES, ModelCritic
from hakoniwa.director.evaluate import DirectorHybrid, DirectorMinimal
from hakoniwa.errors import ModelMisbehaved
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn
from hakoniwa.settings import Settings
from hakoniwa.turn import Status
from tests.director.lines import line_of, sheet
from tests.gardens import FREE, garden_of

WORLD = {
    "location": {"current": "部屋"}, "characters": {"楓": {"location": "部屋"}}, "props": {"壺": {"location": "部屋"}},
}  # fmt: skip
FIRST, SECOND = "「はい」", "（壺をのぞく）「からっぽだ」"


def marks(number: int) -> str:
    return json.dumps(dict.fromkeys(AXES, number))


def session(model: ScriptedModel | None) -> Session:
    journal, garden = MemoryJournal(), garden_of(WORLD, {"楓": {"persona": "壺の番人。"}})
    journal.create(garden)
    return Session(journal, garden, LanguageMind(model, FREE) if model else BuiltinMind())


def test_a_low_score_has_a_line_played_again_and_the_score_is_kept() -> None:
    script = {"actor.think": ["……"], "actor.perform": [FIRST], "actor.retake": [SECOND]}
    model = ScriptedModel({**script, "director.score": [marks(2), marks(8)]})
    garden = session(model)
    garden.director = director_of(Settings(critic=True), garden)
    turn = asyncio.run(play_turn(garden, "楓"))
    assert (turn.take.performance.text, [one.text for one in turn.take.retakes]) == (SECOND, [FIRST])
    assert turn.take.evaluation.score is not None
    assert turn.take.evaluation.score.overall == pytest.approx(0.8)
    asked = [messages[0].content for purpose, messages in model.calls if purpose == "director.score"]
    assert all(part in asked[0] for part in ("壺の番人。", "壺", FIRST))


def test_a_critic_judges_only_where_it_is_set_and_a_model_plays() -> None:
    garden = session(ScriptedModel({}))
    found = [director_of(Settings(critic=critic), garden) for critic in (False, True)]
    assert [type(one) for one in found] == [DirectorMinimal, DirectorHybrid]
    assert isinstance(director_of(Settings(critic=True), session(None)), DirectorMinimal)


def test_a_critic_that_gives_no_scores_leaves_the_checks_to_judge() -> None:
    critic = ModelCritic(ScriptedModel({"director.score": ["いい感じ", "{}"]}), lambda _: ((), ()))
    with pytest.raises(ModelMisbehaved):
        asyncio.run(critic.score(line_of("「はい」", sheet())))
    found = asyncio.run(DirectorHybrid(critic).evaluate(line_of("「はい」", sheet())))
    assert (found.status, found.score, found.note) == (Status.PASS, None, "model.json-shape")
