"""Telling of it with a real Gemma 3: what it says is fit to be said, or it says nothing and the reason has a name."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import pytest

from hakoniwa.autonomy.voice import Spoken, render_message
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.messages import catalogue
from hakoniwa.persona.generated import unseal
from tests.autonomy.telling import LETTER, NOW, TEA, Doing, report_of, teller
from tests.real.gemma import NAME

TOLD = {"ja": TEA, "en": LETTER}
MOST_TIMES = 20  # for each; a model of this size seldom has anything to say but the prompt
ENOUGH = 16  # tokens: more and it recites the prompt until it is stopped


class Short(ChatModel):
    """The model, kept short, and everything it said."""

    def __init__(self, model: ChatModel) -> None:
        self.model, self.name, self.context = model, model.name, model.context
        self.replies: list[str] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        self.replies.append("")
        async for piece in self.model.chat(messages, purpose, min(max_tokens, ENOUGH), schema):
            self.replies[-1] += piece if isinstance(piece, str) else ""
            # What is cut short here on purpose counts as whole; that it would be dropped is tested elsewhere.
            yield piece if isinstance(piece, str) else piece.model_copy(update={"finish": "stop"})


@pytest.fixture
def model(model_server: str) -> Short:
    return Short(OpenAIChat(NAME, model_server, context=4096))


def shared(said: str, summary: str) -> str:
    """The longest text that stands in both word for word."""
    match = SequenceMatcher(None, said, summary, autojunk=False).find_longest_match()
    return said[match.a : match.a + match.size]


def letters(text: str) -> tuple[int, int]:
    """How many wide and how many narrow letters it has."""
    bare = [letter for letter in text if letter.isalnum()]
    wide = sum(letter >= "\u2e80" for letter in bare)
    return wide, len(bare) - wide


def told(model: ChatModel, language: str) -> list[Spoken | str]:
    """What comes of telling the same thing again and again, until something is said."""
    results: list[Spoken | str] = []
    while len(results) < MOST_TIMES and not any(isinstance(one, Spoken) for one in results):
        results.append(asyncio.run(render_message(teller(language), model, report_of(TOLD[language]), NOW)))
    return results


def longest(texts: Sequence[str], doing: Doing) -> str:
    """The most that one of the texts has of the summary, but for facts that may be told."""
    facts = [str(one) for one in (*doing.asked.values(), *doing.payload.values())]
    return max((shared(without(one, facts), without(doing.summary, facts)) for one in texts), key=len, default="")


def without(text: str, facts: Sequence[str]) -> str:
    for one in facts:
        text = text.replace(one, "\n")
    return text


@pytest.mark.long
def test_of_the_summary_no_more_is_heard_than_may_be_chance(model: Short, capsys: pytest.CaptureFixture[str]) -> None:
    words = []
    for language, doing in TOLD.items():
        results, replies = told(model, language), model.replies[:]
        said = [unseal(one.text) for one in results if isinstance(one, Spoken)]
        faults = Counter(one for one in results if isinstance(one, str))
        model.replies.clear()
        with capsys.disabled():
            runs = longest(said, doing), longest(replies, doing)
            print(
                f"\n  {language}: of the summary {runs[0]!r} in {len(said)} said, {runs[1]!r} in {len(replies)} heard"
            )
            print(f"  not said: {dict(faults)}", end=" ")
        assert all(f"error.{name}" in catalogue(language) for name in faults)
        wide, narrow = letters(runs[0])
        assert 3 * wide + 2 * narrow <= 36
        words += said
    assert words
