"""Attempts at what is not there: each is played again, becomes a gesture or is told as a failure; what was chosen is
done all the same."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from random import Random
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.turn_prompts import TurnForm
from hakoniwa.app import scenario_at
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel, Message
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.session import Session
from hakoniwa.stage.world import WorldState
from tests.gardens import FREE, shipped_garden
from tests.real.plays import Played, watched

TURNS = 40
VERBS = {"ja": ("手に取る", "見る", "開ける", "飲む", "手に取り、食べる"), "en": ("pick up", "open", "eat", "look at")}
NOWHERE = {"ja": ("竜", "スマホ", "傘"), "en": ("sword", "laptop", "umbrella")}
FORMS = {
    "ja": ("（{thing}を{verb}）「{number}番目の話」", "（{thing}を{verb}", "「{number}つ目」（{thing}を{verb}）"),
    "en": ('({verb} the {thing}) "Story {number}."', "({verb} the {thing}", '"Number {number}." ({verb} the {thing})'),
}


class Grasping(ChatModel):
    """Chooses an act at random, then reaches for anything that there is somewhere in the world, or nowhere."""

    name, context = "grasping", 0

    def __init__(self, world: WorldState, seed: int) -> None:
        self.language, self.dice = world.language, Random(seed)
        self.things = [*world.props, *NOWHERE[world.language]]

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str]:
        if schema:
            yield json.dumps(self._picked(schema["properties"]))
        elif purpose == "actor.think":
            yield {"ja": "さて、どうしようか。", "en": "Now then."}[self.language]
        else:
            yield self._reach()

    def _picked(self, asked: dict[str, Any]) -> dict[str, Any]:
        if "acts" not in asked:
            return {"meant": 0}
        return {"thought": "…", "acts": [self.dice.choice(asked["acts"]["items"]["enum"])], "words": self._reach()}

    def _reach(self) -> str:
        form, verb = self.dice.choice(FORMS[self.language]), self.dice.choice(VERBS[self.language])
        return form.format(thing=self.dice.choice(self.things), verb=verb, number=self.dice.randrange(10**6))


def played(name: str, form: TurnForm) -> list[Played]:
    journal = MemoryJournal()
    journal.create(garden := shipped_garden(name, 1))
    model = Grasping(scenario_at(name)[0].world, seed=2)
    return asyncio.run(watched(Session(journal, garden, LanguageMind(Ledger(model), form)), TURNS))


@pytest.mark.parametrize("form", [FREE, TurnForm()], ids=["free", "choose"])
@pytest.mark.parametrize("name", ["kitchen_morning", "tea_room"])
def test_every_attempt_at_what_is_not_there_comes_to_something(name: str, form: TurnForm) -> None:
    turns = played(name, form)
    attempts = [one for one in turns if one.reached]
    assert len(attempts) > TURNS / 3, "nobody reached for anything: the test shows nothing"
    assert [(one.replies, one.turn) for one in attempts if not one.outcome] == []
    assert [one.out_of_sight for one in turns if one.out_of_sight] == []
    assert [(one.chosen, one.turn) for one in turns if one.chosen and not one.done] == []
