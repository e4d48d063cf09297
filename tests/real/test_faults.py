"""A model server that keeps going wrong; each fault at each call is tried in tests/trust/faults.py."""

import asyncio
from contextlib import closing

from hakoniwa.actor.language import LanguageMind
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.play.loop import play
from tests.gardens import opened, shipped_garden
from tests.real.misbehaving import serving
from tests.trust.afflicted import HURRIED


def test_a_model_that_keeps_failing_ends_the_garden() -> None:
    async def through() -> tuple[int, str | None]:
        async with serving("500") as bad:
            model = OpenAIChat("gemma3", bad.base_url, patience=HURRIED)
            with closing(opened(shipped_garden("treasure_chest", 1))) as session:
                session.mind = LanguageMind(model)
                turns = [turn async for turn in play(session, 10)]
            await model.aclose()
        return len(turns), session.standing.ended

    assert asyncio.run(through()) == (0, "model")
