"""One character's part as an environment: what is offered can be done, and the same seed is the same life."""

from collections.abc import Iterator

import pytest
from gymnasium.utils.env_checker import check_env

from hakoniwa.library.environment import GardenEnv


@pytest.fixture
def env() -> Iterator[GardenEnv]:
    made = GardenEnv("treasure_chest", "盗賊")
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore")
def test_it_keeps_the_rules_of_environments(env: GardenEnv) -> None:
    check_env(env, skip_render_check=True)


def test_every_act_that_is_offered_is_allowed(env: GardenEnv) -> None:
    observation, info = env.reset(seed=7)
    env.action_space.seed(7)
    for _ in range(15):
        assert list(observation["mask"][: len(info["acts"])]) == [1] * len(info["acts"])
        action = env.action_space.sample(observation["mask"])
        passes = int(action) == env.max_acts
        observation, _, terminated, _, info = env.step(action)
        turn = info["turn"]
        assert passes or turn.take.ruling.allowed or turn.take.ruling.denied_reason == "RATE_LIMITED"
        if terminated:
            break
    assert "<scene_state" in observation["scene"]


def test_the_same_seed_and_the_same_acts_are_the_same_life(env: GardenEnv) -> None:
    def life() -> list[str]:
        observation, _ = env.reset(seed=5)
        return [observation["scene"], *(env.step(number)[0]["scene"] for number in (0, 1, 0))]

    assert life() == life()


def test_what_a_step_is_worth_is_for_its_user_to_say() -> None:
    env = GardenEnv("treasure_chest", "盗賊", reward=lambda before, after, _: after.time.turn - before.time.turn)
    env.reset(seed=7)
    _, worth, *_ = env.step(0)
    env.close()
    assert worth >= 1
