"""The bench a model is tried on: questions with a time limit, and answers in one shape, streamed or not."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from hakoniwa.address import hide_secrets
from hakoniwa.llm.find import Kind, ModelServer, OfferedModel, describe_model
from hakoniwa.llm.wire import BodyLine, Fault, HttpReply, send
from hakoniwa.turn import Value

LINES_A_TOKEN = 4  # a stream has a line and a blank for each token, and a few more; one much longer runs away
THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
SHOWN = 160
PATIENCE = 20.0


class ProbeFinding(Value):
    """What one look at a server showed. `key` and `fix` name messages, `details` is what they speak of."""

    about: str
    grade: Literal["ok", "info", "warn", "problem"]
    key: str
    details: Mapping[str, str | int | float] = {}
    fix: str = ""


class ProbeAnswer(Value):
    """What a model said, when its pieces came, and what the server counted; None where it does not count."""

    text: str = ""
    thought: str = ""
    pieces: tuple[float, ...] = ()
    seconds: float = 0.0
    finish: str = ""
    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    status: int = 0
    fault: Fault | None = None
    complaint: str = ""

    @property
    def failed(self) -> bool:
        """Whether nothing came that could be looked at."""
        return self.status != 200 or (not self.pieces and bool(self.fault or self.complaint))

    @property
    def problem(self) -> str:
        """Why nothing came, in the server's own words where it has any."""
        return self.complaint or self.fault or f"HTTP {self.status}"

    @property
    def first(self) -> float:
        """When the first piece came."""
        return self.pieces[0] if self.pieces else self.seconds


def unanswered_finding(about: str, answer: ProbeAnswer) -> ProbeFinding:
    """A trial that got no answer to judge by: the connection failed, or it took too long."""
    fix = "slow" if answer.fault == "timeout" else "log"
    return ProbeFinding(about=about, grade="problem", key="unanswered", details={"problem": answer.problem}, fix=fix)


class ProbeBench:
    """One model of one server. `code` is a number that no model can know; what one trial learns, later ones use."""

    def __init__(
        self, server: ModelServer, model: OfferedModel, code: str, *, choose: bool = False, language: str = "ja"
    ) -> None:
        self.server = server
        self.model = model
        self.code = code
        self.choose = choose
        self.language = language
        self.rate = 0.0
        self.slow = False

    @property
    def kind(self) -> Kind:
        return self.server.kind

    def ask(
        self, *turns: str, tokens: int, seconds: float = 0.0, stream: bool = False, system: str = "", **more: Any
    ) -> ProbeAnswer:
        """Say something, in turns that begin and end with the user's, and wait as long as usual, or so many seconds."""
        frame = [{"role": "system", "content": system}] if system else []
        body: dict[str, Any] = {
            "model": self.model.name, "messages": [*frame, *_messages(turns)], "max_tokens": tokens, "temperature": 0,
            **more,
        }  # fmt: skip
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        most = LINES_A_TOKEN * tokens + 20 if stream else None
        key = self.server.key
        return parse_answer(send(f"{self.server.url}/chat/completions", body, key, seconds or PATIENCE, most), key)

    def look_again(self) -> None:
        """Ask the server about the model once more, now that it is in memory."""
        self.model = describe_model(self.server, self.model)


def _messages(turns: Sequence[str]) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(turns)]


def parse_answer(reply: HttpReply, key: str = "") -> ProbeAnswer:
    """An answer from what came over the wire: a stream of events, or one JSON object; `key` is not quoted."""
    events = [BodyLine(at=line.at, text=line.text[5:]) for line in reply.lines if line.text.startswith("data:")]
    if events:
        return _streamed_answer(reply, [(one.at, _object(one.text)) for one in events], key)
    data = reply.data if isinstance(reply.data, dict) else {}
    text, thought = _words_and_thoughts(data, "message")
    whole = _answer(reply, [data], text, thought, (reply.seconds,) if text or thought else ())
    if reply.status == 200 and data:
        return whole
    return whole.model_copy(update={"complaint": _complaint(reply, data, key)})


def _streamed_answer(reply: HttpReply, events: list[tuple[float, dict[str, Any]]], key: str) -> ProbeAnswer:
    said = [(at, *_words_and_thoughts(data, "delta")) for at, data in events]
    pieces = tuple(at for at, text, thought in said if text or thought)
    text, thought = ("".join(parts) for parts in zip(*((one[1], one[2]) for one in said), strict=True))
    answer = _answer(reply, [data for _, data in events], text, thought, pieces)
    complaints = [_complaint(reply, data, key) for _, data in events if "error" in data]
    return answer.model_copy(update={"complaint": complaints[0]}) if complaints else answer


def _answer(
    reply: HttpReply, parts: Sequence[dict[str, Any]], text: str, thought: str, pieces: tuple[float, ...]
) -> ProbeAnswer:
    usage: dict[str, Any] = next((one["usage"] for one in reversed(parts) if isinstance(one.get("usage"), dict)), {})
    details = usage.get("prompt_tokens_details")
    finishes = [
        str(choice["finish_reason"]) for one in parts for choice in _choices(one) if choice.get("finish_reason")
    ]
    return ProbeAnswer(
        text=THOUGHT.sub("", text).strip(),
        thought=thought or "".join(THOUGHT.findall(text)),
        pieces=pieces,
        seconds=reply.seconds,
        finish=finishes[-1] if finishes else "",
        prompt=_count(usage, "prompt_tokens"),
        cached=_count(details if isinstance(details, dict) else {}, "cached_tokens"),
        completion=_count(usage, "completion_tokens"),
        status=reply.status,
        fault=reply.fault,
    )


def _words_and_thoughts(data: dict[str, Any], where: str) -> tuple[str, str]:
    """Words and thoughts of one event; servers call thoughts by two names."""
    for choice in _choices(data):
        found = choice.get(where)
        said = found if isinstance(found, dict) else {}
        thought = said.get("reasoning_content") or said.get("reasoning")
        return str(said.get("content") or ""), thought if isinstance(thought, str) else ""
    return "", ""


def _choices(data: dict[str, Any]) -> list[dict[str, Any]]:
    found = data.get("choices")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _count(usage: dict[str, Any], name: str) -> int | None:
    found = usage.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _complaint(reply: HttpReply, data: dict[str, Any], key: str) -> str:
    """What the server says is wrong, on one line."""
    error = data.get("error", data.get("message") or data.get("detail"))
    told = error.get("message") if isinstance(error, dict) else error
    text = hide_secrets(" ".join(str(told or reply.text).split()), key)
    return f"{reply.status} {text}"[:SHOWN] if text else ""
