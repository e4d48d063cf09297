"""What people ask of a memory: in the time of whoever remembers, with a clear word about what is not there."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from hakoniwa.app import new_session
from hakoniwa.app.memory_inspection import (
    compare,
    forget,
    inner_life,
    load_events,
    now_of,
    search,
    substitute_persona,
    trace,
)
from hakoniwa.errors import UnknownName
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.store import Memories
from hakoniwa.play.ghosts import GardenGhosts, moment
from hakoniwa.play.loop import next_turn
from tests.memory.living import Cares, Past, ghost_of, lived, somebody

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
TEXTS = ("猫のミケが吐いた", "紅茶を飲んだ", "旅行の話をした")


@pytest.fixture
def ghost() -> Ghost:
    persona = somebody("ミナ")
    past = [Past(text, NOW - timedelta(hours=3 - place)) for place, text in enumerate(TEXTS)]
    memories, head = lived(past, persona.name)
    return ghost_of(memories, head, Cares(persona), NOW)


def test_what_is_asked_for_comes_first(ghost: Ghost) -> None:
    assert asyncio.run(search(ghost, "紅茶", NOW))[0].key == 2


ASKED = {
    "trace": lambda ghost: trace(ghost, 9),
    "forget": lambda ghost: forget(ghost, [1, 9]),
    "remembered": lambda ghost: load_events(ghost, [9]),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_an_event_that_is_not_remembered_is_named(ghost: Ghost, ask: Callable[[Ghost], object]) -> None:
    with pytest.raises(UnknownName, match=r"ghost\.no-event.*9"):
        ask(ghost)
    assert ghost.memories.stats(ghost.scope).events == 3


def test_what_is_forgotten_is_counted_and_gone(ghost: Ghost) -> None:
    assert forget(ghost, [1, 3]).events == 2
    assert [one.seq for one in ghost.memories.recent(ghost.scope, 9)] == [2]


def test_one_memory_and_two_personas_leave_no_run_behind(ghost: Ghost) -> None:
    other = substitute_persona(ghost, somebody("ハル"), ghost.inner)
    made = asyncio.run(compare(ghost, other, "紅茶", NOW, None))
    assert made.overlap == 1.0
    assert ghost.memories.runs(ghost.scope, 9) == []
    assert (ghost.persona.name, other.persona.name) == ("ミナ", "ハル")


def test_in_a_garden_it_is_the_gardens_time() -> None:
    session = new_session(MemoryJournal(), "kitchen_morning", seed=3)

    async def played() -> GardenGhosts:
        await session.open()
        for _ in range(4):
            await next_turn(session)
        ghosts = GardenGhosts(Memories(session.journal), session)
        await ghosts.follow()
        return ghosts

    ghost = asyncio.run(played())["あゆ"]
    assert now_of(ghost, NOW) == moment(session, 4)
    inner, mood = inner_life(ghost, NOW), ghost.inner.mood
    assert inner.felt.v == pytest.approx(mood.baseline_vad.v + mood.shock_vad.v, abs=0.05)
    assert inner.felt.v != 0.0
