"""Remembering with a real Gemma 3: it chooses in the persona's place, or its answer is dropped with a name."""

import asyncio
from statistics import mean

import pytest

from hakoniwa.llm import ChatModel
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Recall, recall
from tests.memory.history import GARDENER, INPUTS, NOW, PLAYER, history, overlap
from tests.memory.living import ghost_of, lived
from tests.real.gemma import NAME

HEARD = INPUTS[5:6]
CONTEXT, LIMIT = 1200, 3  # so short that it reads the same few memories again and again, and not for minutes


@pytest.fixture
def model(model_server: str) -> ChatModel:
    return OpenAIChat(NAME, model_server, context=CONTEXT)


@pytest.fixture(scope="module")
def ghosts() -> list[Ghost]:
    cares = (GARDENER, PLAYER)
    memories, head = lived(history(), *(one.persona.name for one in cares))
    return [ghost_of(memories, head, one, NOW) for one in cares]


def remembered(ghost: Ghost, text: str, model: ChatModel) -> Recall:
    return asyncio.run(recall(ghost, text, NOW, model, limit=LIMIT))


@pytest.mark.long
def test_two_personas_differ_by_more_than_one_asked_twice(
    model: ChatModel, ghosts: list[Ghost], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each input twice in a row for each of the two, so that the server reads every prompt once."""
    made = {(text, one.who): [remembered(one, text, model) for _ in range(2)] for text in HEARD for one in ghosts}
    chosen = {key: [{one.id for one in run.chosen} for run in runs] for key, runs in made.items()}
    within = mean(1 - overlap(first, again) for first, again in chosen.values())
    names = [one.who for one in ghosts]
    between = mean(1 - overlap(*(chosen[text, name][0] for name in names)) for text in HEARD)
    with capsys.disabled():
        print(f"\n  difference {between:.2f} between two personas, {within:.2f} of one asked twice", end=" ")
    assert all(run.by == "model" for runs in made.values() for run in runs)
    assert any(run.chosen for runs in made.values() for run in runs)
    assert between > within
