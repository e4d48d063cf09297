"""A turn overheard while it is being made: the words as they come, and nothing of what carries them."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from hakoniwa.llm import ChatModel, Message, PartialReply, Piece, Usage
from hakoniwa.play.draft import Draft, ObservedModel

TURN = json.dumps({"thought": "喉が渇いた。", "acts": [2], "words": 'おはよう、\\n"あゆ" 😀'}, ensure_ascii=False)
WORDS = 'おはよう、\\n"あゆ" 😀'


class Streaming(ChatModel):
    """A model that says what it is told to in these pieces, drafts or not."""

    name, context = "streaming", 0

    def __init__(self, *pieces: Piece) -> None:
        self.pieces = pieces

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        for piece in self.pieces:
            yield piece


def overheard(purpose: str, *pieces: Piece) -> tuple[Draft, list[Piece]]:
    """What is shown of a call, and what comes through of it."""
    draft = Draft().of(1, "やな")

    def hear(purpose: str, piece: str) -> None:
        nonlocal draft
        draft = draft.heard(purpose, piece)

    async def through() -> list[Piece]:
        stream = ObservedModel(Streaming(*pieces), hear).chat([], purpose, 9)
        return [piece async for piece in stream]

    came = asyncio.run(through())
    return draft, came


def drafted(text: str, size: int) -> list[Piece]:
    return [PartialReply(text=text[at : at + size]) for at in range(0, len(text), size)]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["（微笑む）", "「おはよう」"], "（微笑む）「おはよう」"),
        ([*drafted(TURN, 1), TURN], WORDS),
        ([*drafted(TURN, 7), TURN], WORDS),
        (drafted(TURN.partition("おはよう、")[0] + "おはよう、", 1), "おはよう、"),
        ([*drafted('{"acts": [1]}', 3), '{"acts": [1]}'], ""),
        ([*drafted("おはよう", 1), "おはよう"], ""),  # no turn as data: it is shown once it is read
    ],
    ids=["plain", "sign by sign", "in pieces", "cut", "no words", "no data"],
)
def test_only_the_words_of_a_turn_are_shown_as_they_come(pieces: list[Piece], text: str) -> None:
    usage = Usage(finish="stop")
    draft, came = overheard("actor.perform", *pieces, usage)
    assert (draft.phase, draft.text, came) == ("perform", text, [*pieces, usage])


def test_what_somebody_thinks_is_nobody_elses_business() -> None:
    assert overheard("actor.think", *drafted(TURN, 4), TURN)[0].text == ""


def test_a_retake_is_another_take() -> None:
    draft = Draft().of(1, "やな").heard("actor.perform", "").heard("actor.perform", "あ").heard("actor.retake", "")
    assert (draft.phase, draft.text, draft.take) == ("retake", "", 2)
