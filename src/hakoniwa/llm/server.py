"""Model servers: their kinds and how to tell them apart, their addresses, models, and context lengths."""

import re
from typing import Any, Literal

from pydantic import Field
from rapidfuzz import fuzz, process

from hakoniwa.address import bare_address
from hakoniwa.llm.wire import Fault, HttpReply, send
from hakoniwa.turn import Value

Kind = Literal["ollama", "lmstudio", "llamacpp", "vllm", "openai"]
Trouble = Fault | Literal["key", "web-page", "not-models", "not-found", "loading", "broken"]

TITLES: dict[Kind, str] = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
PATIENCE = 1.5
NEAR_ENOUGH = 60.0


class OfferedModel(Value):
    """A model a server offers. `context` is what it takes in as it is served, `trained` what it could; 0: unknown."""

    name: str
    context: int = 0
    trained: int = 0
    loaded: bool = False
    chats: bool = True


class ModelServer(Value):
    """What was found at a place: a model server, or the trouble there. `url` is its API, `asked` the address given."""

    url: str
    asked: str
    origin: str
    kind: Kind = "openai"
    models: tuple[OfferedModel, ...] = ()
    trouble: Trouble | None = None
    key: str = Field(default="", repr=False, exclude=True)

    @property
    def title(self) -> str:
        """What people call this kind of server; nothing for one of no known kind."""
        return TITLES.get(self.kind, "")

    @property
    def shown(self) -> str:
        """The address as it may be shown: without passwords and keys in it."""
        return bare_address(self.url)

    @property
    def given(self) -> str:
        """The address that was asked for, as it may be shown."""
        return bare_address(self.asked)

    def own(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the server says at a path of its own, beside the API that all share; nothing if it has no such path."""
        reply = send(self.url.removesuffix("/v1") + path, body, self.key, PATIENCE)
        return reply.data if reply.status == 200 and isinstance(reply.data, dict) else {}

    def named(self, name: str) -> OfferedModel | None:
        """A model by its name; a tag that is left out means the latest, as Ollama has it."""
        return next((one for one in self.models if one.name in (name, f"{name}:latest")), None)

    def nearest(self, name: str) -> str:
        """The model that was probably meant, if any is like it."""
        names = [one.name for one in self.models]
        found = process.extractOne(name, names, scorer=fuzz.WRatio, score_cutoff=NEAR_ENOUGH)
        return found[0] if found else ""

    def best(self) -> OfferedModel | None:
        """The model to talk to if none is named: one that is in memory, else the first."""
        chatting = [one for one in self.models if one.chats]
        return next((one for one in chatting if one.loaded), chatting[0] if chatting else None)


OLLAMA_CONTEXT = 4096  # what Ollama gives a model on an ordinary machine, unless it is told otherwise
NO_CHAT = re.compile(r"embed|rerank|whisper|\bbge\b|\btts\b", re.IGNORECASE)
NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


def identify_server(server: ModelServer, reply: HttpReply, listed: list[dict[str, Any]]) -> ModelServer:
    """The server with its kind and what that kind tells of its models."""
    owners = {_text(one, "owned_by") for one in listed}
    models = tuple(OfferedModel(name=one["id"], chats=not NO_CHAT.search(one["id"])) for one in listed)
    if reply.server.startswith("llama.cpp") or "llamacpp" in owners:
        return server.model_copy(update={"kind": "llamacpp", "models": _of_llamacpp(server, models, listed)})
    if "vllm" in owners:
        lengths = [_number(one, "max_model_len") for one in listed]
        told = [_with_fields(one, context=length, loaded=True) for one, length in zip(models, lengths, strict=True)]
        return server.model_copy(update={"kind": "vllm", "models": tuple(told)})
    if isinstance(server.own("/api/tags").get("models"), list):
        return server.model_copy(update={"kind": "ollama", "models": _of_ollama(server, models)})
    rows = server.own("/api/v0/models").get("data")
    if isinstance(rows, list):
        return server.model_copy(update={"kind": "lmstudio", "models": _of_lmstudio(models, rows)})
    return server.model_copy(update={"models": models})


def _of_llamacpp(
    server: ModelServer, models: tuple[OfferedModel, ...], listed: list[dict[str, Any]]
) -> tuple[OfferedModel, ...]:
    """A llama.cpp server shares its context between its slots; what one of them has is what counts."""
    slot = _number(server.own("/props").get("default_generation_settings"), "n_ctx")
    metas = [one.get("meta") for one in listed]
    return tuple(
        _with_fields(one, context=slot or _number(meta, "n_ctx"), trained=_number(meta, "n_ctx_train"), loaded=True)
        for one, meta in zip(models, metas, strict=True)
    )


def _of_ollama(server: ModelServer, models: tuple[OfferedModel, ...]) -> tuple[OfferedModel, ...]:
    running = _rows(server.own("/api/ps").get("models"))
    lengths = {_text(one, "name"): _number(one, "context_length") for one in running}
    return tuple(_with_fields(one, context=lengths.get(one.name, 0), loaded=one.name in lengths) for one in models)


def _of_lmstudio(models: tuple[OfferedModel, ...], rows: list[Any]) -> tuple[OfferedModel, ...]:
    known = {_text(row, "id"): row for row in _rows(rows)}
    told = []
    for one in models:
        row = known.get(one.name, {})
        told.append(
            _with_fields(
                one,
                context=_number(row, "loaded_context_length"),
                trained=_number(row, "max_context_length"),
                loaded=_text(row, "state") == "loaded",
                chats=one.chats and _text(row, "type") not in ("embeddings", "embedding"),
            )
        )
    return tuple(told)


def shown_by_ollama(server: ModelServer, model: OfferedModel) -> OfferedModel:
    """A model of Ollama's, which tells what one takes in only if it is in memory, or of each by itself."""
    (now,) = _of_ollama(server, (model,))
    shown = server.own("/api/show", {"model": model.name})
    (info,) = _rows([shown.get("model_info")]) or ({},)
    trained = [_number(info, name) for name in info if name.endswith(".context_length")]
    written = NUM_CTX.search(_text(shown, "parameters"))
    context = now.context or (int(written[1]) if written else OLLAMA_CONTEXT)
    return _with_fields(now, context=context, trained=trained[0] if trained else 0)


def _with_fields(model: OfferedModel, **known: Any) -> OfferedModel:
    return model.model_copy(update=known)


def _rows(found: Any) -> list[dict[str, Any]]:
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _text(row: Any, name: str) -> str:
    found = row.get(name) if isinstance(row, dict) else None
    return found if isinstance(found, str) else ""


def _number(row: Any, name: str) -> int:
    found = row.get(name) if isinstance(row, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
