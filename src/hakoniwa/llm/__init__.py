"""Models: one small protocol, how words are drawn from one, and the words of a prompt, which are read as words,
whoever wrote them."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import AfterValidator, Field

from hakoniwa.turn import Value

_LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
# What no reader sees and a model reads; joiners stay, for letters and pictures are made with them.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
# The signs by which the usual chat templates tell who is speaking. Servers take them for that wherever they stand.
_SPEAKER = re.compile(
    r"<(?=[|｜])|[|｜](?=>)|<(?=<?/?(?:s|sys|bos|eos|pad|unk|mask|unused\d{1,4}|(?:start|end)_of_\w{1,16})>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
# A line that begins as the cards of the GM and the Director do.
_CARD = re.compile(r"^(?=[^\S\n]*[FＦ][AＡ][CＣ][TＴ][^\S\n]*[:：])", re.IGNORECASE | re.MULTILINE)


def make_harmless(text: str) -> str:
    """A text without signs that cannot be seen, and with a gap in those that would make it somebody else's."""
    return _SPEAKER.sub(lambda sign: f"{sign[0]} ", _UNSEEN.sub("", _LINE_END.sub("\n", text)))


def quote_text(text: str) -> str:
    """A harmless text in which a line that poses as a fact card is marked as somebody's words."""
    return _CARD.sub("> ", make_harmless(text))


class Message(Value):
    """One message of a prompt, in which nothing can pose as the beginning of another."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[str, AfterValidator(make_harmless)]


class Sampling(Value):
    """How words are drawn. What is not set is the preset's; what that does not say either is the server's own."""

    preset: Literal["auto", "none", "gemma", "qwen", "llama", "mistral"] = "auto"
    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, gt=0, le=1)
    min_p: float | None = Field(default=None, ge=0, le=1)
    repeat_penalty: float | None = Field(default=None, gt=0, le=3)
    dry: float | None = Field(default=None, ge=0, le=5)  # what it costs to say a stretch of the prompt once more
    stop: tuple[str, ...] | None = Field(default=None, max_length=4)
    seed: int | None = Field(default=None, ge=0, lt=2**31)

    def of(self, model: str) -> "Sampling":
        """What holds for a model: what is set, over the preset, over nothing; `auto` goes by the model's name."""
        family = next((one for one in PRESETS if one in model.casefold()), None) if self.preset == "auto" else None
        preset = PRESETS.get(family or self.preset, {})
        return Sampling.model_validate({**preset, **self.model_dump(exclude_none=True, exclude={"preset"})})


PRESETS: Mapping[str, Mapping[str, float]] = {
    "gemma": {"temperature": 1.0, "top_p": 0.95, "min_p": 0.01},
    "qwen": {"temperature": 0.7, "top_p": 0.8, "repeat_penalty": 1.05, "dry": 0.8},
    "llama": {"temperature": 0.6, "top_p": 0.9},
    "mistral": {"temperature": 0.3, "top_p": 0.95},
}


class Usage(Value):
    """What a call cost, as the server counts it; None where it does not say."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    finish: str | None = None
    tries: int = 1


class PartialReply(Value):
    """A piece of a reply that counts only once it is whole, such as JSON: to be shown, not to be used."""

    text: str


Piece = str | PartialReply | Usage


class Call(Value):
    """One call to a model as the journal keeps it: what was asked and why, what came, and what it took."""

    purpose: str
    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    chars_per_token: float | None = None  # what was known of the model when it was asked
    reply: str = ""
    usage: Usage = Usage()
    first_ms: float | None = None
    total_ms: float = 0.0
    tries: int = 1
    fault: str | None = None
    warning: str | None = None


class ChatModel(Protocol):
    """Messages in, text out, as a stream that ends with what it cost. `purpose` names the call in logs and scripts.
    With a schema the text comes whole, after its parts.

    Closing the stream stops the model. `context` is how many tokens prompt and reply may have together; 0: unknown.
    """

    name: str
    context: int

    def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]: ...


async def join_stream(stream: AsyncIterator[Piece]) -> str:
    """A stream as one text."""
    return "".join([piece async for piece in stream if isinstance(piece, str)])
