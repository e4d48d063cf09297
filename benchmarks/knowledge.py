"""What prompts give away: how often a prompt or the story says what its character neither witnessed nor was told.

Turns of all scenarios, in which somebody keeps grasping at things that may be anywhere."""

from hakoniwa.stage.scenario import shipped_scenarios
from tests.play.test_knowledge import played_unknowns

FULL, SMALLEST = 10_000, 16
GARDEN = 40  # turns of one garden


def main(turns: int) -> None:
    names = shipped_scenarios()
    gardens = max(1, turns // GARDEN)
    found = [
        one
        for number in range(gardens)
        for one in played_unknowns(names[number % len(names)], min(turns, GARDEN), 1 + number // len(names))
    ]
    print(f"  {gardens * min(turns, GARDEN)} turns: {len(found)} facts that could not be known")
    for one in found[:10]:
        print(f"    {one}")


if __name__ == "__main__":
    main(FULL)
