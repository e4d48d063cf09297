"""Experiments from Python: the lab's own, as a frame."""

from pathlib import Path

import pytest

from hakoniwa import run_experiment, runs_frame

SPEC = {"name": "small", "scenarios": ["kitchen_morning"], "models": ["clumsy"], "seeds": 1, "turns": 2}


def test_an_experiment_is_played_once_and_read_from_its_folder_afterwards(tmp_path: Path) -> None:
    runs = runs_frame(run_experiment(SPEC, tmp_path / "small"))
    assert sorted(runs["arm"]) == ["A", "B", "C", "D"]
    assert set(runs["turns"]) == {2}
    seen: list[int] = []
    again = runs_frame(run_experiment(SPEC, tmp_path / "small", watch=lambda told: seen.append(told.done)))
    assert again.equals(runs)
    assert seen == [4, 4]


@pytest.mark.long
def test_runs_in_processes_of_their_own_come_to_the_same(tmp_path: Path) -> None:
    here = runs_frame(run_experiment(SPEC, tmp_path / "here"))
    assert runs_frame(run_experiment(SPEC, tmp_path / "apart", workers=2)).equals(here)
