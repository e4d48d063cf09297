"""A turn beside Concordia's: the same two characters, and a model that takes no time.

Its agents speak in turn and hear one another, once by themselves and once under its game master, who says who acts and
what comes of it, as the referee does here. A turn of ours is a whole one: speaker, prompts, checks, referee, journal.
"""

import asyncio
import contextlib
import io
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy
from concordia.associative_memory.basic_associative_memory import AssociativeMemoryBank
from concordia.language_model.language_model import LanguageModel
from concordia.prefabs.entity import basic
from concordia.prefabs.game_master import generic
from concordia.prefabs.simulation.generic import Simulation
from concordia.typing.prefab import Config, InstanceConfig, Role

from benchmarks.actor import GARDEN, costs, letters
from hakoniwa.actor.character import Character
from tests.actor.chatter import GESTURES, LINES, WRITTEN
from tests.gardens import shipped_garden

ASKED = 1200
FULL, SMALLEST = 30, 2  # turns
Figures = tuple[float, float, float]  # calls, characters and CPU milliseconds a turn


class Answers(LanguageModel):
    """Says the lines our own model says, and keeps count of what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def sample_text(self, prompt: str, **_: Any) -> str:
        self.asked.append(len(prompt))
        if ";;type: free" in prompt[-ASKED:]:  # what the next one is to be asked
            return "prompt: What is said and done?;;type: free"
        said, gestures, lines = len(self.asked), GESTURES["ja"], LINES["ja"]
        return WRITTEN["ja"].format(gesture=gestures[said % len(gestures)], line=lines[said % len(lines)])

    def sample_choice(self, prompt: str, responses: Sequence[str], **_: Any) -> tuple[int, str, dict[str, Any]]:
        """All is well as it is, and the garden is not finished."""
        self.asked.append(len(prompt))
        asked = prompt[-ASKED:]
        wanted = "No" if "finished?" in asked else "Yes"
        chosen = next((one for one in responses if f"({one}) {wanted}" in asked), responses[0])
        return responses.index(chosen), chosen, {}


def embedded(text: str) -> Any:
    """A vector that costs nothing."""
    return numpy.bincount([ord(letter) % 16 for letter in text[:64]] or [0], minlength=16).astype(float)


def cast() -> dict[str, Character]:
    return {who: Character.model_validate(sheet) for who, sheet in shipped_garden(GARDEN, 1).sheets.items()}


def by_themselves(turns: int) -> Figures:
    """Agents that speak in turn and hear one another."""
    model, agents = Answers(), []
    for who, sheet in cast().items():
        memory = AssociativeMemoryBank(sentence_embedder=embedded)
        agents.append(basic.Entity(params={"name": who, "goal": sheet.desires[0].name}).build(model, memory))
        for line in sheet.persona.splitlines():
            agents[-1].observe(line)
    began = time.process_time()
    for turn in range(turns):
        speaker = agents[turn % len(agents)]
        said = f"{speaker.name}: {speaker.act()}"
        for agent in agents:
            agent.observe(said)
    return per_turn(model, turns, began)


def under_a_game_master(turns: int) -> Figures:
    """The same agents in Concordia's own loop, whose game master gives everybody the floor in turn."""
    model = Answers()
    entities = [
        InstanceConfig(prefab="actor", role=Role.ENTITY, params={"name": who, "goal": sheet.desires[0].name})
        for who, sheet in cast().items()
    ]
    master = InstanceConfig(prefab="master", role=Role.GAME_MASTER, params={"name": "rules", "acting_order": "fixed"})
    premise = "\n".join(sheet.persona for sheet in cast().values())
    config = Config(
        default_premise=premise, default_max_steps=turns, instances=[*entities, master],
        prefabs={"actor": basic.Entity(), "master": generic.GameMaster()},
    )  # fmt: skip
    simulation = Simulation(config, model, embedded)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        simulation.play(return_html_log=False)
    return per_turn(model, turns, began)


def per_turn(model: Answers, turns: int, began: float) -> Figures:
    spent = (time.process_time() - began) * 1e3
    return len(model.asked) / turns, sum(model.asked) / turns, spent / turns


def ours(turns: int) -> Figures:
    asyncio.run(costs("free", turns))
    seen, model = asyncio.run(costs("free", turns))
    asked = [letters(messages) for _, messages in model.calls]
    return len(asked) / turns, sum(asked) / turns, statistics.mean(seen)


def main(turns: int) -> None:
    figures = {
        "hakoniwa": ours(turns),
        "concordia, its agents": by_themselves(turns),
        "concordia, with its game master": under_a_game_master(turns),
    }
    for name, (calls, characters, cpu) in figures.items():
        print(f"    {name:<32}{calls:6.1f} calls{characters:10,.0f} characters{cpu:8.1f} ms CPU a turn")


if __name__ == "__main__":
    print(f"  {(__doc__ or '').splitlines()[0]}")
    main(SMALLEST if "--smallest" in sys.argv else FULL)
