"""The kinds of model server: how each is told apart, and where it says how much text its models take in."""

import re
from typing import Any

from hakoniwa.llm.server import Model, Server
from hakoniwa.llm.wire import Reply

OLLAMA_CONTEXT = 4096  # what Ollama gives a model on an ordinary machine, unless it is told otherwise
NO_CHAT = re.compile(r"embed|rerank|whisper|\bbge\b|\btts\b", re.IGNORECASE)
NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


def introduced(server: Server, reply: Reply, listed: list[dict[str, Any]]) -> Server:
    """The server with its kind and what that kind tells of its models."""
    owners = {_text(one, "owned_by") for one in listed}
    models = tuple(Model(name=one["id"], chats=not NO_CHAT.search(one["id"])) for one in listed)
    if reply.server.startswith("llama.cpp") or "llamacpp" in owners:
        return server.model_copy(update={"kind": "llamacpp", "models": _of_llamacpp(server, models, listed)})
    if "vllm" in owners:
        lengths = [_number(one, "max_model_len") for one in listed]
        told = [_with(one, context=length, loaded=True) for one, length in zip(models, lengths, strict=True)]
        return server.model_copy(update={"kind": "vllm", "models": tuple(told)})
    if isinstance(server.own("/api/tags").get("models"), list):
        return server.model_copy(update={"kind": "ollama", "models": _of_ollama(server, models)})
    rows = server.own("/api/v0/models").get("data")
    if isinstance(rows, list):
        return server.model_copy(update={"kind": "lmstudio", "models": _of_lmstudio(models, rows)})
    return server.model_copy(update={"models": models})


def _of_llamacpp(server: Server, models: tuple[Model, ...], listed: list[dict[str, Any]]) -> tuple[Model, ...]:
    """A llama.cpp server shares its context between its slots; what one of them has is what counts."""
    slot = _number(server.own("/props").get("default_generation_settings"), "n_ctx")
    metas = [one.get("meta") for one in listed]
    return tuple(
        _with(one, context=slot or _number(meta, "n_ctx"), trained=_number(meta, "n_ctx_train"), loaded=True)
        for one, meta in zip(models, metas, strict=True)
    )


def _of_ollama(server: Server, models: tuple[Model, ...]) -> tuple[Model, ...]:
    running = _rows(server.own("/api/ps").get("models"))
    lengths = {_text(one, "name"): _number(one, "context_length") for one in running}
    return tuple(_with(one, context=lengths.get(one.name, 0), loaded=one.name in lengths) for one in models)


def _of_lmstudio(models: tuple[Model, ...], rows: list[Any]) -> tuple[Model, ...]:
    known = {_text(row, "id"): row for row in _rows(rows)}
    told = []
    for one in models:
        row = known.get(one.name, {})
        told.append(
            _with(
                one,
                context=_number(row, "loaded_context_length"),
                trained=_number(row, "max_context_length"),
                loaded=_text(row, "state") == "loaded",
                chats=one.chats and _text(row, "type") not in ("embeddings", "embedding"),
            )
        )
    return tuple(told)


def shown_by_ollama(server: Server, model: Model) -> Model:
    """A model of Ollama's, which tells what one takes in only if it is in memory, or of each by itself."""
    (now,) = _of_ollama(server, (model,))
    shown = server.own("/api/show", {"model": model.name})
    (info,) = _rows([shown.get("model_info")]) or ({},)
    trained = [_number(info, name) for name in info if name.endswith(".context_length")]
    written = NUM_CTX.search(_text(shown, "parameters"))
    context = now.context or (int(written[1]) if written else OLLAMA_CONTEXT)
    return _with(now, context=context, trained=trained[0] if trained else 0)


def _with(model: Model, **known: Any) -> Model:
    return model.model_copy(update=known)


def _rows(found: Any) -> list[dict[str, Any]]:
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _text(row: Any, name: str) -> str:
    found = row.get(name) if isinstance(row, dict) else None
    return found if isinstance(found, str) else ""


def _number(row: Any, name: str) -> int:
    found = row.get(name) if isinstance(row, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
