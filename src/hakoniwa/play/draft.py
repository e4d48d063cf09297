"""A turn while it is being made: what its speaker is in the middle of saying, overheard from the model."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Any, Literal

from hakoniwa.actor.picked import read_picked_turn
from hakoniwa.llm import ChatModel, Message, PartialReply, Piece
from hakoniwa.turn import Value

Phase = Literal["think", "perform", "retake"]
PHASES: dict[str, Phase] = {"actor.think": "think", "actor.perform": "perform", "actor.retake": "retake"}


class Draft(Value):
    """What somebody is in the middle of saying; nothing of it has happened yet. Another `number`, another text."""

    number: int = 0
    turn: int = 0
    who: str | None = None
    phase: Phase | None = None
    take: int = 1
    text: str = ""

    def of(self, turn: int, who: str) -> "Draft":
        """The next one, by somebody who begins to think."""
        return Draft(number=self.number + 1, turn=turn, who=who, phase="think")

    def heard(self, purpose: str, piece: str) -> "Draft":
        """The draft with another piece of what its speaker does or says; thoughts are nobody else's business."""
        phase = PHASES.get(purpose)
        if self.who is None or phase is None or (phase == "think" and piece):
            return self
        if not piece and (phase != self.phase or self.text):
            again = {"take": self.take + 1} if phase == "retake" else {}
            return self.with_fields({"number": self.number + 1, "phase": phase, "text": "", **again})
        return self.with_field("text", self.text + piece)

    def silent(self) -> "Draft":
        """Nobody speaks any more: it has come to pass, or to nothing."""
        return Draft(number=self.number + 1, turn=self.turn)


PieceListener = Callable[[str, str], None]  # for which purpose, and the next piece; an empty one as it begins


class ObservedModel(ChatModel):
    """A model whose every piece is told as it comes, with what it is for."""

    def __init__(self, model: ChatModel, hear: PieceListener) -> None:
        self.model, self.name, self.context = model, model.name, model.context
        self._hear = hear

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        self._hear(purpose, "")
        draft = said = ""
        stream = self.model.chat(messages, purpose, max_tokens, schema)
        try:
            async for piece in stream:
                if isinstance(piece, PartialReply):
                    draft += piece.text
                    picked = read_picked_turn(draft)
                    said, before = picked.words if picked else said, said
                    self._tell(purpose, said[len(before) :])
                elif isinstance(piece, str) and not draft:
                    self._tell(purpose, piece)
                yield piece
        finally:  # whoever stops listening stops the model
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    def _tell(self, purpose: str, piece: str) -> None:
        if piece:
            self._hear(purpose, piece)

    async def aclose(self) -> None:
        """Let go of the model's connections, if it has any."""
        if closing := getattr(self.model, "aclose", None):
            await closing()
