"""Looking for model servers: where, in which order, and what is taken for one; a table answers for the network."""

import json
from typing import Any

import pytest

from hakoniwa.llm import Sampling, find
from hakoniwa.llm.find import (
    Kind,
    ModelServer,
    OfferedModel,
    ServerPlace,
    ServerSearch,
    describe_model,
    missing_model,
    ollama_url,
    place,
    places,
    sampling_fields,
    search,
    usual_kind,
    visit,
)
from hakoniwa.llm.wire import BodyLine, HttpReply

LOCAL = [f"http://127.0.0.1:{port}/v1" for port in (11434, 1234, 8080, 8000)]
GEMMA = {"id": "gemma3:4b", "object": "model", "owned_by": "library"}


def answer(body: Any, status: int = 200, **head: str) -> HttpReply:
    text = body if isinstance(body, str) else json.dumps(body)
    return HttpReply(status=status, lines=(BodyLine(at=0.0, text=text),), **head)


def listing(*models: dict[str, Any]) -> HttpReply:
    return answer({"object": "list", "data": list(models)})


class Addresses:
    """What answers where; anywhere else, the connection is refused."""

    def __init__(self) -> None:
        self.known: dict[str, HttpReply] = {}
        self.keys: dict[str, str] = {}

    def __setitem__(self, url: str, reply: HttpReply) -> None:
        self.known[url] = reply

    def send(self, url: str, body: Any = None, key: str = "", seconds: float = 0.0) -> HttpReply:
        self.keys[url] = key
        host = url.split("/")[2]
        if url in self.known:
            return self.known[url]
        here = any(known.split("/")[2] == host for known in self.known)
        return answer({"error": "not found"}, 404) if here else HttpReply(fault="refused")


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> Addresses:
    table = Addresses()
    monkeypatch.setattr(find, "send", table.send)
    return table


def test_the_environment_comes_first_and_every_address_once() -> None:
    environment = {"OPENAI_BASE_URL": "http://far.example/v1/", "OPENAI_API_KEY": "sk-1", "OLLAMA_HOST": "0.0.0.0"}
    found = places(environment)
    assert [one.url for one in found] == ["http://far.example/v1", *LOCAL]
    assert [one.origin for one in found] == ["OPENAI_BASE_URL", "OLLAMA_HOST", "usual", "usual", "usual"]
    assert [one.url for one in places({})] == LOCAL


def test_a_key_goes_only_where_it_was_meant_for(addresses: Addresses) -> None:
    some = places({"OPENAI_BASE_URL": "http://far.example/v1", "OPENAI_API_KEY": "sk-1"})
    search(some)
    assert {key for url, key in addresses.keys.items() if "far.example" in url} == {"sk-1"}
    assert {key for url, key in addresses.keys.items() if "far.example" not in url} == {""}


def test_a_key_is_in_no_repr_and_in_no_dump() -> None:
    at = place("http://far.example", "base_url", " sk-1 ")
    there = ModelServer(url=at.url, asked=at.url, origin=at.origin, key=at.key)
    assert at.key == "sk-1"
    assert "sk-1" not in f"{at!r} {there!r} {at.model_dump()} {there.model_dump_json()}"
    assert place("http://far.example", "base_url", "no\nkey").key == ""


def test_a_password_is_not_shown() -> None:
    there = ModelServer(url="http://me:secret@far.example/v1", asked="http://me:secret@far.example", origin="base_url")
    assert (there.shown, there.given) == ("http://***@far.example/v1", "http://***@far.example")
    queried = ModelServer(url="http://far.example/v1?key=secret", asked="far.example?key=secret", origin="base_url")
    assert (queried.shown, queried.given) == ("http://far.example/v1?***", "far.example?***")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:9999", "http://127.0.0.1:9999/v1"),
        (":9999", "http://127.0.0.1:9999/v1"),
        ("box", "http://box:11434/v1"),
        ("box:80", "http://box:80/v1"),
        ("http://box:9999/", "http://box:9999/v1"),
        ("https://box", "https://box:443/v1"),
        ("[::1]:9999", "http://[::1]:9999/v1"),
        ("[::]", "http://127.0.0.1:11434/v1"),
    ],
)
def test_ollamas_host_may_be_written_in_many_ways(host: str, url: str) -> None:
    assert ollama_url(host) == url


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (answer("<!doctype html><title>Login</title>", type="text/html"), "web-page"),
        (answer("<html>", 404), "web-page"),
        (answer("", 302, type="text/plain"), "web-page"),
        (answer({"data": [{"id": "x"}]}), "not-models"),
        (answer({"object": "list", "data": [{"id": 7}]}), "not-models"),
        (answer({"object": "list", "data": {"id": "x"}}), "not-models"),
        (answer({"status": "ok"}), "not-models"),
        (answer([1, 2]), "not-models"),
        (answer("pong"), "not-models"),
        (answer({"error": "no"}, 401), "key"),
        (answer({"error": "no"}, 403), "key"),
        (answer({"error": "no"}, 404), "not-found"),
        (answer({"error": "Loading model"}, 503), "loading"),
        (answer("oh", 500), "broken"),
        (HttpReply(status=200, flood=True), "broken"),
        (HttpReply(fault="timeout"), "timeout"),
        (HttpReply(fault="no-host"), "no-host"),
        (HttpReply(fault="tls"), "tls"),
    ],
)
def test_what_is_no_model_server_is_not_taken_for_one(addresses: Addresses, reply: HttpReply, trouble: str) -> None:
    addresses["http://x:1/v1/models"] = reply
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert (found.trouble, found.models) == (trouble, ())
    assert search([ServerPlace(url="http://x:1/v1", origin="usual")]).model is None


def test_an_address_without_v1_is_found_with_it(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = listing(GEMMA)
    found = visit(ServerPlace(url="http://x:1", origin="base_url"))
    assert (found.url, found.asked, found.trouble) == ("http://x:1/v1", "http://x:1", None)


def test_a_server_of_no_known_kind_is_one_all_the_same(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = listing({"id": "m", "object": "model"})
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert (found.kind, found.title, found.models) == ("openai", "", (OfferedModel(name="m"),))


def test_ollama_tells_of_models_in_memory(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = listing(
        {**GEMMA, "id": "nomic-embed-text:latest"}, {**GEMMA, "id": "qwen3:8b"}, GEMMA
    )
    addresses["http://x:1/api/tags"] = answer({"models": [{"name": "gemma3:4b"}]})
    addresses["http://x:1/api/ps"] = answer({"models": [{"name": "gemma3:4b", "context_length": 4096}]})
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert found.kind == "ollama"
    assert found.best() == OfferedModel(name="gemma3:4b", context=4096, loaded=True)
    assert [one.chats for one in found.models] == [False, True, True]


@pytest.mark.parametrize(
    ("running", "parameters", "context"),
    [
        ([{"name": "gemma3:4b", "context_length": 16384}], "num_ctx 2048", 16384),
        ([], 'stop "<end>"\nnum_ctx                        2048\ntop_k 64', 2048),
        ([], "top_k 64", 4096),
        ([{"name": "gemma3:4b"}], "", 4096),
    ],
)
def test_ollama_is_asked_about_one_model(
    addresses: Addresses, running: list[Any], parameters: str, context: int
) -> None:
    addresses["http://x:1/api/ps"] = answer({"models": running})
    addresses["http://x:1/api/show"] = answer(
        {"model_info": {"general.name": "x", "gemma3.context_length": 131072}, "parameters": parameters}
    )
    there = ModelServer(url="http://x:1/v1", asked="http://x:1/v1", origin="usual", kind="ollama")
    now = describe_model(there, OfferedModel(name="gemma3:4b"))
    assert (now.context, now.trained) == (context, 131072)


def test_lm_studio_tells_what_is_loaded(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = listing({"id": "text-embed"}, {"id": "gemma-3-12b"}, {"id": "gemma-3-4b"})
    addresses["http://x:1/api/v0/models"] = answer({"data": [
        {"id": "text-embed", "type": "embeddings", "state": "loaded"},
        {"id": "gemma-3-12b", "type": "vlm", "state": "not-loaded", "max_context_length": 131072},
        {"id": "gemma-3-4b", "state": "loaded", "max_context_length": 131072, "loaded_context_length": 4096},
    ]})  # fmt: skip
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert found.kind == "lmstudio"
    assert found.best() == OfferedModel(name="gemma-3-4b", context=4096, trained=131072, loaded=True)


def test_a_slot_of_llama_cpp_is_what_counts(addresses: Addresses) -> None:
    meta = {"n_ctx": 8192, "n_ctx_train": 32768}
    addresses["http://x:1/v1/models"] = listing({"id": "g.gguf", "owned_by": "llamacpp", "meta": meta})
    assert visit(ServerPlace(url="http://x:1/v1", origin="usual")).models[0].context == 8192
    addresses["http://x:1/props"] = answer({"default_generation_settings": {"n_ctx": 2048}})
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert (found.kind, found.models) == (
        "llamacpp",
        (OfferedModel(name="g.gguf", context=2048, trained=32768, loaded=True),),
    )


def test_vllm_tells_the_length_of_its_model(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = listing(
        {"id": "google/gemma-3-4b-it", "owned_by": "vllm", "max_model_len": 8192}
    )
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert (found.kind, found.models[0].context) == ("vllm", 8192)


def test_nonsense_about_models_is_taken_as_nothing(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = listing(GEMMA)
    addresses["http://x:1/api/tags"] = answer({"models": []})
    addresses["http://x:1/api/ps"] = answer({"models": 5})
    addresses["http://x:1/api/show"] = answer({"model_info": [1], "parameters": 7})
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert describe_model(found, found.models[0]) == OfferedModel(name="gemma3:4b", context=4096)


def test_an_empty_list_is_a_server_without_models(addresses: Addresses) -> None:
    addresses["http://x:1/v1/models"] = answer({"object": "list", "data": None})
    found = visit(ServerPlace(url="http://x:1/v1", origin="usual"))
    assert (found.trouble, found.models, found.best()) == (None, (), None)


def test_names_are_found_with_their_tag_left_out_and_guessed_when_misspelt() -> None:
    there = ModelServer(
        url="http://x/v1", asked="http://x/v1", origin="usual",
        models=(OfferedModel(name="gemma3:latest"), OfferedModel(name="llama3.1:8b")),
    )  # fmt: skip
    assert there.named("gemma3") == OfferedModel(name="gemma3:latest")
    assert there.named("gemma") is None
    assert (there.nearest("gema3"), there.nearest("zzzz")) == ("gemma3:latest", "")


def test_the_first_place_that_has_the_model_is_taken(addresses: Addresses) -> None:
    addresses["http://a:1/v1/models"] = listing({"id": "one"})
    addresses["http://b:1/v1/models"] = listing({"id": "two"})
    some = [ServerPlace(url=f"http://{host}:1/v1", origin="usual") for host in "abc"]
    assert search(some).model == OfferedModel(name="one")
    found = search(some, "two")
    assert (found.server and found.server.url, found.model) == ("http://b:1/v1", OfferedModel(name="two"))
    assert [one.trouble for one in found.servers] == [None, None, "refused"]
    assert search(some, "three").model is None


@pytest.mark.parametrize(
    ("replies", "key"),
    [
        ([HttpReply(fault="refused")], "find.silent"),
        ([HttpReply(fault="timeout")], "find.silent"),
        ([answer("", 401)], "find.key"),
        ([answer("<html>")], "find.no-server"),
        ([answer("", 503)], "find.not-ready"),
        ([listing()], "find.empty"),
        ([listing({"id": "gemma"})], "find.no-model"),
        ([HttpReply(fault="refused"), answer("", 401)], "find.nowhere"),
        ([HttpReply(fault="refused"), listing({"id": "gemma"})], "find.no-model"),
    ],
)
def test_why_a_named_model_cannot_speak(addresses: Addresses, replies: list[HttpReply], key: str) -> None:
    some = [ServerPlace(url=f"http://{number}:1/v1", origin="usual") for number in range(len(replies))]
    for at, reply in zip(some, replies, strict=True):
        addresses[f"{at.url}/models"] = reply
    error = missing_model(search(some, "gema"), "gema")
    assert (error.key, error.exit_code) == (key, 6)
    assert error.details.get("nearest", "gemma") == "gemma"


def test_a_port_says_what_was_probably_meant() -> None:
    assert usual_kind("http://127.0.0.1:11434/v1") == "ollama"
    assert usual_kind("http://127.0.0.1:8080") == "llamacpp"
    assert usual_kind("http://127.0.0.1:18080/v1") == "openai"


def test_nothing_looked_for_is_nothing_found() -> None:
    assert search([]) == ServerSearch()


@pytest.mark.parametrize(
    ("written", "model", "kind", "fields"),
    [
        ({}, "gemma3:4b", "ollama", {"temperature": 1.0, "top_p": 0.95}),
        ({}, "google/gemma-3-12b-it", "llamacpp", {"temperature": 1.0, "top_p": 0.95, "min_p": 0.01}),
        ({}, "Qwen2.5-7B-Instruct", "vllm", {"temperature": 0.7, "top_p": 0.8, "repetition_penalty": 1.05}),
        ({}, "a-model-of-mine", "llamacpp", {}),
        ({"preset": "none"}, "gemma3:4b", "ollama", {}),
        ({"preset": "llama"}, "a-model-of-mine", "openai", {"temperature": 0.6, "top_p": 0.9}),
        ({"temperature": 0.2, "repeat_penalty": 1.1}, "gemma3:4b", "openai", {"temperature": 0.2, "top_p": 0.95}),
        ({"preset": "none", "stop": ["\n\n"], "seed": 7}, "x", "openai", {"stop": ["\n\n"], "seed": 7}),
        ({"temperature": 0.0}, "mistral-nemo", "lmstudio", {"temperature": 0.0, "top_p": 0.95}),
    ],
)
def test_what_is_set_goes_before_the_preset_and_only_to_servers_that_know_it(
    written: dict[str, Any], model: str, kind: Kind, fields: dict[str, Any]
) -> None:
    assert sampling_fields(Sampling.model_validate(written), model, kind) == fields
