"""Fingerprint: the very hash the world itself has, whatever came before it."""

import asyncio
from typing import Any

import pytest

from hakoniwa.play.state_hash import WorldHasher, verify
from hakoniwa.stage import scenario
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PatchOp
from tests.gardens import opened, played, shipped_garden
from tests.pace import busy

TURNS = 25


@pytest.mark.parametrize("name", scenario.shipped_scenarios())
def test_every_world_of_a_garden_has_its_own_hash(name: str) -> None:
    session = opened(shipped_garden(name, 3))
    played(session, TURNS)
    fingerprint, world = WorldHasher(), session.scenario.world
    for row in session.rows:
        world = apply(world, row.event.world_delta)
        assert fingerprint.of(world) == world.hash
    assert verify(session.journal, session.garden.id) == []


def test_a_garden_that_is_taken_back_has_the_hash_it_had() -> None:
    session = opened(shipped_garden("kitchen_morning", 3))
    played(session, 8)
    asyncio.run(session.undo(5))
    played(session, 4)
    assert verify(session.journal, session.garden.id) == []


@pytest.mark.parametrize(
    "delta",
    [
        [{"op": "remove", "path": "/props/窓"}],
        [{"op": "add", "path": "/props/本", "value": {"location": "台所"}}],
        [{"op": "replace", "path": "/props/窓/state", "value": ["open"]}],
        [{"op": "add", "path": "/characters/やな/status/-", "value": '眠い"\\'}],
        [{"op": "replace", "path": "/meta/weather", "value": "雨"}],
        [{"op": "replace", "path": "/time/clock", "value": "08:00"}],
        [{"op": "replace", "path": "/time/turn", "value": 9}],
        [{"op": "add", "path": "/events/-", "value": "何かが起きた。"}],
    ],
)
def test_whatever_changes_it_follows_the_world(delta: list[dict[str, Any]]) -> None:
    world = WorldState.model_validate(
        {
            "time": {"label": "朝", "clock": "07:00"},
            "location": {"current": "台所"},
            "locations": {"台所": {"description": "狭い。"}},
            "characters": {"やな": {"location": "台所", "status": []}},
            "props": {"窓": {"location": "台所", "state": ["closed"]}},
            "events": ["はじまり。"],
        }
    )
    fingerprint = WorldHasher()
    fingerprint.of(world)
    after = apply(world, [PatchOp.model_validate(one) for one in delta])
    assert fingerprint.of(after) == after.hash
    assert fingerprint.of(world) == world.hash


@pytest.mark.pace
def test_a_world_that_is_known_takes_a_fraction_of_the_time() -> None:
    world, fingerprint = opened(shipped_garden("mansion", 1)).world, WorldHasher()
    fingerprint.of(world)
    whole = busy(lambda: [world.hash for _ in range(50)], within=0.0)
    assert busy(lambda: [fingerprint.of(world) for _ in range(50)], within=whole / 2) < whole / 2
