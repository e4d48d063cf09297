"""Vectors from a model server: POST /v1/embeddings, as OpenAI has it."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hakoniwa.address import bare_address, hide_secrets
from hakoniwa.errors import ModelError
from hakoniwa.llm import wire
from hakoniwa.llm.faults import fault, fault_key
from hakoniwa.memory.embedding import Embedder, Vectors, normalize_rows

BATCH = 16  # 16 answers of 4,096 numbers each still fit into what the wire reads
LONGEST, SHORTEST = 2_000, 100
SAMPLE = "？"
QUOTED = 200
_LINE_FAULTS: dict[wire.Fault, str] = {
    "refused": "model.refused", "no-host": "model.unknown-host", "reset": "model.reset", "tls": "model.unreachable",
}  # fmt: skip
_TOO_LARGE = "too large to process"  # how llama.cpp says that a text is longer than its batch


_Number = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


class _EmbeddingEntry(BaseModel):
    model_config = ConfigDict(strict=True)
    index: int
    embedding: list[_Number] = Field(min_length=1)


class _EmbeddingAnswer(BaseModel):
    data: list[_EmbeddingEntry]


class ServerEmbedder(Embedder):
    """The embeddings of one model behind an address. What it answers first fixes the dimension."""

    def __init__(self, base_url: str, key: str | None, model: str, seconds: float = 20.0) -> None:
        self.name = model
        self.server = bare_address(base_url)
        self.seconds = seconds
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._key = key or ""
        self._dim = 0

    @property
    def dim(self) -> int:
        """How many numbers a vector has; the server has to be asked the first time."""
        if not self._dim:
            self.embed([SAMPLE])
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        rows = [row for batch in batches for row in self._fitting([text[:LONGEST] for text in batch])]
        return normalize_rows(np.array(rows, np.float64).reshape(len(rows), self._dim))

    def _fitting(self, texts: list[str]) -> list[list[float]]:
        """The vectors of some texts, of as much of each as the model takes in."""
        try:
            return self._asked(texts)
        except ModelError as error:
            longest = max(map(len, texts))
            if error.key != "model.context-too-long" or longest <= SHORTEST:
                raise
            return self._fitting([text[: longest // 2] for text in texts])

    def _asked(self, texts: list[str]) -> list[list[float]]:
        # An empty text is an error to some servers; a blank says as little.
        body = {"model": self.name, "input": [text or " " for text in texts], "encoding_format": "float"}
        reply = wire.send(self._url, body, self._key, self.seconds)
        if reply.fault == "timeout":
            raise self._told(fault("model.too-slow", seconds=self.seconds))
        if reply.fault:
            raise self._told(fault(_LINE_FAULTS[reply.fault]))
        if reply.flood:
            raise self._told(fault("model.too-long", limit=wire.LARGEST))
        if reply.status != 200 or "html" in reply.type:
            raise self._told(fault(_fault_key(reply), said=_server_message(reply)))
        return self._checked(reply.data, len(texts))

    def _checked(self, data: Any, count: int) -> list[list[float]]:
        """The vectors of an answer, in the order of the texts; a fault unless there is exactly one for each."""
        try:
            entries = sorted(_EmbeddingAnswer.model_validate(data).data, key=lambda entry: entry.index)
        except ValidationError:
            raise self._told(fault("model.not-vectors")) from None
        found = {len(entry.embedding) for entry in entries}
        if [entry.index for entry in entries] != list(range(count)) or len(found) != 1:
            raise self._told(fault("model.not-vectors"))
        (dim,) = found
        if self._dim not in (0, dim):
            raise self._told(fault("model.other-dimension", dim=dim, expected=self._dim))
        self._dim = dim
        return [entry.embedding for entry in entries]

    def _told(self, error: ModelError) -> ModelError:
        """The fault with what its message may speak of, and nothing that is secret."""
        said = hide_secrets(str(error.details.get("said") or "—"), self._key)[:QUOTED]
        own = {"server": self.server, "model": self.name, "said": said, "tries": 1}
        return type(error)(error.key, **{**error.details, **own})


def _server_message(reply: wire.HttpReply) -> str:
    """What the server says is wrong, in its own words and not in JSON; a page of HTML says nothing."""
    error = reply.data.get("error", reply.data) if isinstance(reply.data, dict) else reply.text
    words = error.get("message") or error.get("detail") or "" if isinstance(error, dict) else error
    return "" if "html" in reply.type else str(words)


def _fault_key(reply: wire.HttpReply) -> str:
    """The fault that an answer without vectors means."""
    if reply.status == 200:
        return "model.not-a-server"
    return "model.context-too-long" if _TOO_LARGE in reply.text else fault_key(reply.status, reply.text)
