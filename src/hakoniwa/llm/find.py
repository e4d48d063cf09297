"""Model servers: where they are looked for, what answers there, and how their kinds are told apart."""

import re
from collections.abc import Mapping, Sequence
from threading import Thread
from time import monotonic
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field
from rapidfuzz import fuzz, process

from hakoniwa.address import bare_address
from hakoniwa.errors import ModelError, ModelUnavailable
from hakoniwa.llm import Sampling
from hakoniwa.llm.wire import HERE, Fault, HttpReply, send
from hakoniwa.turn import Value

Kind = Literal["ollama", "lmstudio", "llamacpp", "vllm", "openai"]
Trouble = Fault | Literal["key", "web-page", "not-models", "not-found", "loading", "broken"]

TITLES: dict[Kind, str] = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
OURSELVES = "hakoniwa"  # whose models characters are
PATIENCE = 1.5
NEAR_ENOUGH = 60.0


# What kinds of servers call what is no part of the common protocol; a kind that is not here may refuse to hear of it.
OWN_NAMES: Mapping[Kind, Mapping[str, str]] = {
    "llamacpp": {"min_p": "min_p", "repeat_penalty": "repeat_penalty", "dry": "dry_multiplier"},
    "lmstudio": {"min_p": "min_p", "repeat_penalty": "repeat_penalty"},
    "vllm": {"min_p": "min_p", "repeat_penalty": "repetition_penalty"},
}
COMMON = ("temperature", "top_p", "stop", "seed")


def sampling_fields(sampling: Sampling, model: str, kind: Kind) -> dict[str, Any]:
    """How words are to be drawn, in the fields of a request to that kind of server."""
    wanted = sampling.of(model).model_dump(mode="json", exclude_none=True)
    names = {**{one: one for one in COMMON}, **OWN_NAMES.get(kind, {})}
    return {own: wanted[name] for name, own in names.items() if name in wanted}


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


USUAL: dict[Kind, int] = {"ollama": 11434, "lmstudio": 1234, "llamacpp": 8080, "vllm": 8000}
AWAY, QUESTIONS = 5.0, 4
NOT_USABLE: dict[Trouble | None, tuple[type[ModelError], str]] = {
    "key": (ModelUnavailable, "find.key"),
    "web-page": (ModelUnavailable, "find.no-server"),
    "not-models": (ModelUnavailable, "find.no-server"),
    "not-found": (ModelUnavailable, "find.no-server"),
    "loading": (ModelUnavailable, "find.not-ready"),
    "broken": (ModelUnavailable, "find.not-ready"),
}
STATUS: dict[int, Trouble] = {401: "key", 403: "key", 404: "not-found", 405: "not-found", 503: "loading"}
PRINTABLE = re.compile(r"[\x21-\x7e]+")


class ServerPlace(Value):
    """An address to look at, who named it, and the key to show there."""

    url: str
    origin: str
    key: str = Field(default="", repr=False, exclude=True)

    @property
    def seconds(self) -> float:
        return PATIENCE if urlsplit(self.url).hostname in HERE else AWAY


class ServerSearch(Value):
    """What was found where, and the model to talk to if there is one."""

    servers: tuple[ModelServer, ...] = ()
    server: ModelServer | None = None
    model: OfferedModel | None = None


def places(environment: Mapping[str, str]) -> list[ServerPlace]:
    """Where a server is usually found, what the environment names first; a key goes only where it was meant for."""
    some = [ServerPlace(url=f"http://127.0.0.1:{port}/v1", origin="usual") for port in USUAL.values()]
    if host := environment.get("OLLAMA_HOST", "").strip():
        some.insert(0, ServerPlace(url=ollama_url(host), origin="OLLAMA_HOST"))
    if base := environment.get("OPENAI_BASE_URL", "").strip():
        some.insert(0, place(base, "OPENAI_BASE_URL", environment.get("OPENAI_API_KEY", "")))
    first: dict[str, ServerPlace] = {}
    for one in some:
        first.setdefault(one.url, one)
    return list(first.values())


def place(url: str, origin: str, key: str = "") -> ServerPlace:
    """A place with its address in order, and its key if that can be sent at all."""
    tidy = url.strip().rstrip("/")
    sendable = PRINTABLE.fullmatch(key.strip())
    return ServerPlace(
        url=tidy if "://" in tidy else f"http://{tidy}", origin=origin, key=sendable[0] if sendable else ""
    )


def ollama_url(host: str) -> str:
    """The API behind OLLAMA_HOST, which may be a whole address, a host, a port, or what the server listens on."""
    scheme, _, rest = host.rpartition("://")
    address = rest.split("/", 1)[0]
    name, _, port = address.rpartition(":")
    if not port.isdecimal():
        name, port = address, {"http": "80", "https": "443"}.get(scheme, str(USUAL["ollama"]))
    name = "127.0.0.1" if name in ("", "0.0.0.0", "[::]") else name
    return f"{scheme or 'http'}://{name}:{port}/v1"


def usual_kind(url: str) -> Kind:
    """What is probably meant to be at an address where nothing answers."""
    port = re.search(r":(\d+)(?:/|$)", url)
    return next((kind for kind, usual in USUAL.items() if port and port[1] == str(usual)), "openai")


def search(some: Sequence[ServerPlace], name: str = "") -> ServerSearch:
    """Look everywhere for the model of that name, or for any; the first place that has one is taken."""
    servers = tuple(visit_all(some))
    for server in servers:
        model = server.named(name) if name else server.best()
        if server.trouble is None and model is not None:
            return ServerSearch(servers=servers, server=server, model=describe_model(server, model))
    return ServerSearch(servers=servers)


def missing_model(found: ServerSearch, name: str) -> ModelError:
    """Why the model that was asked for cannot speak."""
    answering = [one for one in found.servers if one.trouble is None]
    if not answering and len(found.servers) > 1:
        return ModelUnavailable("find.nowhere", name=name)
    if not answering:
        (only,) = found.servers
        kind, key = NOT_USABLE.get(only.trouble, (ModelUnavailable, "find.silent"))
        return kind(key, url=only.shown)
    known = [model.name for one in answering for model in one.models]
    if not known:
        return ModelUnavailable("find.empty", url=answering[0].shown)
    nearest = next((near for one in answering if (near := one.nearest(name))), known[0])
    return ModelUnavailable("find.no-model", name=name, nearest=nearest, known=", ".join(known))


def visit_all(some: Sequence[ServerPlace]) -> list[ModelServer]:
    """What is at each place, all asked at once; a place that keeps silent for long is not waited for."""
    found = [_troubled_server(one, "timeout") for one in some]

    def look(number: int) -> None:
        found[number] = visit(some[number])

    threads = [Thread(target=look, args=(number,), daemon=True) for number in range(len(some))]
    for thread in threads:
        thread.start()
    end = monotonic() + QUESTIONS * max((one.seconds for one in some), default=0.0)
    for thread in threads:
        thread.join(max(0.0, end - monotonic()))
    return list(found)


def visit(at: ServerPlace) -> ModelServer:
    """What is at a place; an address without the usual /v1 is tried with it too."""
    trouble: Trouble = "not-models"
    for url in [at.url] if at.url.endswith("/v1") else [at.url, f"{at.url}/v1"]:
        reply = send(f"{url}/models", key=at.key, seconds=at.seconds)
        if reply.fault is not None:
            return _troubled_server(at, reply.fault)
        listed = _listed_models(reply)
        if listed is not None:
            return identify_server(ModelServer(url=url, asked=at.url, origin=at.origin, key=at.key), reply, listed)
        trouble = _trouble(reply)
    return _troubled_server(at, trouble)


def _troubled_server(at: ServerPlace, trouble: Trouble) -> ModelServer:
    kind = usual_kind(at.url)
    return ModelServer(url=at.url, asked=at.url, origin=at.origin, kind=kind, trouble=trouble, key=at.key)


def _listed_models(reply: HttpReply) -> list[dict[str, Any]] | None:
    """The models of an answer; None if it is not the list that every such server has."""
    data = reply.data
    if reply.status != 200 or not isinstance(data, dict) or data.get("object") != "list":
        return None
    models = data.get("data") or []
    if any(_text(one, "owned_by") == OURSELVES for one in _rows(models)):
        return None  # characters, who would ask for a model themselves
    plain = isinstance(models, list) and all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in models)
    return models if plain else None


def _trouble(reply: HttpReply) -> Trouble:
    if reply.status in STATUS and not (reply.status == 404 and _is_page(reply)):
        return STATUS[reply.status]
    if _is_page(reply) or 300 <= reply.status < 400:
        return "web-page"
    return "broken" if reply.flood or reply.status >= 500 else "not-models"


def _is_page(reply: HttpReply) -> bool:
    return "html" in reply.type or reply.text.lstrip()[:1] == "<"


def describe_model(server: ModelServer, model: OfferedModel) -> OfferedModel:
    """The model as it is now, which may be more than was known before it was first talked to."""
    if server.kind == "ollama":
        return shown_by_ollama(server, model)
    again = visit(ServerPlace(url=server.url, origin=server.origin, key=server.key))
    return again.named(model.name) or model
