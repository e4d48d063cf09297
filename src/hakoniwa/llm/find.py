"""Where model servers are looked for, and what answers there."""

import re
from collections.abc import Mapping, Sequence
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from hakoniwa.errors import ModelError, ModelUnavailable
from hakoniwa.llm.server import PATIENCE, Kind, ModelServer, OfferedModel, Trouble, identify_server, shown_by_ollama
from hakoniwa.llm.wire import HERE, HttpReply, send
from hakoniwa.turn import Value

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
