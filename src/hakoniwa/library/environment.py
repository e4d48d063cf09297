"""GardenEnv: one character's part as a Gymnasium environment, so that other people's agents can live in a garden."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from hakoniwa.library.garden import Garden
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.scene import to_compact_xml
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Turn

Observation = dict[str, Any]
Reward = Callable[[WorldState, WorldState, Turn], float]
MAX_ACTS, MAX_SEED = 256, 2**31
GOAL = "goal"


class GardenEnv(gymnasium.Env[Observation, np.int64]):
    """A character of a garden. Everybody else is played by minds; a step is one's own turn and theirs up to the next.

    An observation is the scene as its character perceives it, and a mask over the acts that are possible now: act `n`
    is `info["acts"][n]`. The last act of all is to let the turn pass. What a step is worth is for `reward` to say;
    without it, reaching the garden's goal is worth 1."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        scenario: str | Path | Scenario,
        who: str,
        *,
        reward: Reward | None = None,
        max_acts: int = MAX_ACTS,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.scenario, self.who, self.max_acts, self.render_mode = scenario, who, max_acts, render_mode
        self._reward, self._options = reward, options
        self._garden: Garden | None = None
        self._acts: Sequence[str] = ()
        self.action_space = spaces.Discrete(max_acts + 1)
        self.observation_space = spaces.Dict({"scene": SceneText(), "mask": spaces.MultiBinary(max_acts + 1)})

    @property
    def garden(self) -> Garden:
        """The garden at play; `reset` opens it."""
        assert self._garden is not None, "reset comes before everything else"
        return self._garden

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        chosen = int(self.np_random.integers(MAX_SEED)) if seed is None else seed
        self._garden = Garden.open(self.scenario, seed=chosen, **{**self._options, **(options or {})})
        self._let_others_play()
        observation = self._observe()
        return observation, self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        before = self.garden.world
        turn = self.garden.act(self.who, self._acts[int(action)] if action < len(self._acts) else self._pass_turn())
        self._let_others_play()
        ended = self.garden.ended
        worth = self._reward(before, self.garden.world, turn) if self._reward else float(ended == GOAL)
        observation = self._observe()
        info = {**self._info(), "turn": turn, "allowed": turn.take.ruling.allowed, "ended": ended}
        return observation, worth, ended is not None, False, info

    def render(self) -> str | None:
        """The scene as text."""
        return self._scene() if self.render_mode == "ansi" else None

    def close(self) -> None:
        if self._garden is not None:
            self._garden.close()
            self._garden = None

    def _let_others_play(self) -> None:
        """The turns of everybody else, up to one's own; nobody has more than one of them."""
        for _ in self.garden.cast:
            if self.garden.ended is not None or self.garden.speaker == self.who:
                return
            for _turn in self.garden.play(1):
                pass

    def _pass_turn(self) -> str:
        return "（……）" if self.garden.world.language == "ja" else "(...)"

    def _scene(self) -> str:
        return to_compact_xml(self.garden.scene(self.who), self.garden.world.language)

    def _observe(self) -> Observation:
        self._acts = self.garden.possible_acts(self.who)[: self.max_acts]
        mask = np.zeros(self.max_acts + 1, dtype=np.int8)
        mask[: len(self._acts)] = mask[-1] = 1
        return {"scene": self._scene(), "mask": mask}

    def _info(self) -> dict[str, Any]:
        return {"acts": tuple(self._acts)}


class SceneText(spaces.Space[str]):
    """Texts of any length in any script."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return ""
