"""Plays the gardens of docs/examples with the built-in mind and writes them as pages: python -m benchmarks.examples."""

import asyncio
from pathlib import Path

from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.export import garden_statistics, to_html, to_markdown
from hakoniwa.play.loop import play
from hakoniwa.play.session import Session

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "examples"
SEEDS = {"kitchen_morning": 3, "detective_office": 3}
TURNS = 30


async def played(scenario: str, seed: int, turns: int) -> Session:
    """A garden after its first turns, played by the built-in mind and kept nowhere."""
    session = new_session(MemoryJournal(), scenario, seed, garden_id=scenario)
    async for _ in play(session, turns):
        pass
    return session


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for scenario, seed in SEEDS.items():
        session = asyncio.run(played(scenario, seed, TURNS))
        (FOLDER / f"{scenario}.html").write_text(to_html(session), encoding="utf-8")
        (FOLDER / f"{scenario}.md").write_text(to_markdown(session), encoding="utf-8")
        print(f"{scenario} (seed {seed}): {garden_statistics(session)}")
        session.close()


if __name__ == "__main__":
    main()
