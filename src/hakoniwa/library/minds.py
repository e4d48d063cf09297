"""Minds and models of one's own: plain functions where a character or a model is asked for."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.view import CharacterView
from hakoniwa.errors import UnknownName
from hakoniwa.llm import ChatModel, Message, Piece
from hakoniwa.play.session import Mind
from hakoniwa.turn import Performance, Thought

CustomMind = Mind | Callable[[CharacterView], str | Awaitable[str]]
CustomModel = ChatModel | Callable[[Sequence[Message]], str | Awaitable[str]]
FUNCTION = "function"


class FunctionMind(Mind):
    """A function from what somebody may know to what they do and say. It is asked once a turn, whatever comes of it."""

    reminisces = False

    def __init__(self, function: Callable[[CharacterView], str | Awaitable[str]]) -> None:
        self._function, self._thinking = function, BuiltinMind()
        self.name = getattr(function, "__name__", FUNCTION)

    async def think(self, view: CharacterView, decision: Decision) -> Thought:
        return await self._thinking.think(view, decision)

    async def perform(self, view: CharacterView, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        return Performance(text=await _answer(self._function(view))), decision.state

    async def retake(
        self, view: CharacterView, decision: Decision, thought: Thought, guidance: str
    ) -> Performance | None:
        return None


class FunctionModel(ChatModel):
    """A function from the messages of a prompt to the reply."""

    context = 0

    def __init__(self, function: Callable[[Sequence[Message]], str | Awaitable[str]]) -> None:
        self._function, self.name = function, getattr(function, "__name__", FUNCTION)

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        yield await _answer(self._function(messages))


class CastMind(Mind):
    """A mind for everybody, and minds of their own for some."""

    def __init__(self, everybody: Mind, own: Mapping[str, Mind]) -> None:
        self.everybody, self.own = everybody, own
        self.name = everybody.name
        self.reminisces = any(one.reminisces for one in (everybody, *own.values()))
        self.invited = everybody.invited
        self.model = getattr(everybody, "model", None)

    @classmethod
    def over(cls, everybody: Mind, own: Mapping[str, CustomMind], cast: Collection[str]) -> Mind:
        """The mind of a cast, in which each own mind belongs to somebody."""
        for who in own:
            if who not in cast:
                raise UnknownName("unknown.character", name=who, known=", ".join(cast))
        return cls(everybody, {who: as_mind(one) for who, one in own.items()}) if own else everybody

    def of(self, who: str) -> Mind:
        return self.own.get(who, self.everybody)

    async def think(self, view: CharacterView, decision: Decision) -> Thought:
        return await self.of(view.who).think(view, decision)

    async def perform(self, view: CharacterView, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        return await self.of(view.who).perform(view, decision, thought)

    async def retake(
        self, view: CharacterView, decision: Decision, thought: Thought, guidance: str
    ) -> Performance | None:
        return await self.of(view.who).retake(view, decision, thought, guidance)


def as_mind(one: CustomMind) -> Mind:
    return FunctionMind(one) if inspect.isroutine(one) else one  # type: ignore[return-value]


def as_model(one: CustomModel) -> ChatModel:
    return FunctionModel(one) if inspect.isroutine(one) else one  # type: ignore[return-value]


async def _answer(given: str | Awaitable[str]) -> str:
    return given if isinstance(given, str) else await given
