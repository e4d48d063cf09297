"""Vectors from a real model server, and from servers that go wrong in every way we know."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from hakoniwa.errors import ModelError, ModelMisbehaved, ModelUnavailable
from hakoniwa.llm import Message, join_stream
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.llm.wire import LARGEST, MOST_LINES
from hakoniwa.memory.embedding import space, vector_of
from hakoniwa.memory.embedding.server import BATCH, ServerEmbedder
from tests.real.gemma import NAME, gemma

KEY, PATIENCE = "sk-very-secret", 120.0


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with gemma(context=256, embeddings=True) as url:
        yield url


def test_a_real_server_embeds(server: str) -> None:
    embedder = ServerEmbedder(server, None, NAME, PATIENCE)
    texts = ["猫が縁側で寝ている", "犬が庭で吠えている", *(f"{number}番目の話" for number in range(BATCH))]
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dim)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    alone = vector_of(embedder, texts[1])
    assert alone is not None
    assert alone @ vectors[1] == pytest.approx(1.0, abs=1e-2)
    assert space(embedder) == f"{NAME}/640"


def test_the_same_server_still_chats(server: str) -> None:
    async def said() -> str:
        chat = OpenAIChat(NAME, server)
        try:
            return await join_stream(chat.chat([Message(role="user", content="こんにちは")], "test", 8))
        finally:
            await chat.aclose()

    assert asyncio.run(said())


@pytest.mark.long
def test_a_text_longer_than_the_server_takes_is_embedded_as_far_as_it_goes(server: str) -> None:
    found = ServerEmbedder(server, None, NAME, PATIENCE).embed(["短い", "長い話。" * 500, ""])
    assert found.any(axis=1).tolist() == [True] * 3


def test_a_server_that_only_chats_says_so(model_server: str) -> None:
    with pytest.raises(ModelUnavailable) as raised:
        ServerEmbedder(model_server, None, NAME, PATIENCE).embed(["こんにちは"])
    assert raised.value.key == "model.server-error"
    assert "--embeddings" in raised.value.details["said"]


# --- servers that go wrong -------------------------------------------------------------------------------------------

Answer = tuple[int, Any]  # a status, and what is sent: JSON, or bytes as they are


@contextmanager
def answering(
    answer: Callable[[dict[str, Any]], Answer] | None, seen: list[dict[str, Any]] | None = None
) -> Iterator[str]:
    """The address of a server that answers so, or not at all."""
    over = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if seen is not None:
                seen.append({**body, "authorization": self.headers.get("Authorization")})
            if answer is None:
                over.wait()
                return
            status, sent = answer(body)
            data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if data.startswith(b"<") else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        over.set()
        http.shutdown()


def vectors(rows: list[Any]) -> dict[str, Any]:
    return {"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}


ANSWERS: dict[str, tuple[Callable[[dict[str, Any]], Answer] | None, str]] = {
    "key": (lambda _: (401, {"error": {"message": f"bad key {KEY}"}}), "model.unauthorised"),
    "no model": (lambda _: (404, {"error": {"message": "model 'x' not found"}}), "model.missing"),
    "no such path": (lambda _: (404, b"404 page not found"), "model.not-a-server"),
    "bad request": (lambda _: (400, {"error": {"message": "encoding_format?"}}), "model.bad-request"),
    "busy": (lambda _: (429, {"error": {"message": "slow down"}}), "model.rate-limited"),
    "broken": (lambda _: (500, {"error": {"message": "CUDA error"}}), "model.server-error"),
    "loading": (lambda _: (503, {"error": {"message": "Loading model"}}), "model.loading"),
    "web page": (lambda _: (200, b"<html>Log in</html>"), "model.not-a-server"),
    "no JSON": (lambda _: (200, b"ok"), "model.not-vectors"),
    "no data": (lambda _: (200, {"object": "list"}), "model.not-vectors"),
    "empty": (lambda _: (200, {"data": []}), "model.not-vectors"),
    "an empty vector": (lambda _: (200, vectors([[], []])), "model.not-vectors"),
    "too few": (lambda _: (200, vectors([[1.0, 0.0]])), "model.not-vectors"),
    "too many": (lambda _: (200, vectors([[1.0, 0.0]] * 3)), "model.not-vectors"),
    "one twice": (lambda _: (200, {"data": [{"index": 0, "embedding": [1.0]}] * 2}), "model.not-vectors"),
    "words": (lambda _: (200, vectors([["a", "b"], ["c", "d"]])), "model.not-vectors"),
    "base64": (lambda _: (200, vectors(["AAAA", "AAAA"])), "model.not-vectors"),
    "not a number": (lambda _: (200, vectors([[1.0, float("nan")], [1.0, 0.0]])), "model.not-vectors"),
    "endless": (lambda _: (200, vectors([[1.0, float("inf")], [1.0, 0.0]])), "model.not-vectors"),
    "too large": (lambda _: (200, vectors([[1e300, 1e300], [1.0, 0.0]])), "model.not-vectors"),
    "two dimensions": (lambda _: (200, vectors([[1.0, 0.0], [1.0]])), "model.not-vectors"),
    "silent": (None, "model.too-slow"),
    "a flood": (lambda _: (200, b"[" + b" " * LARGEST), "model.too-long"),
    "a flood of lines": (lambda _: (200, b"\n" * (MOST_LINES + 1)), "model.too-long"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_goes_wrong_has_a_name_and_tells_no_secret(name: str) -> None:
    answer, key = ANSWERS[name]
    with answering(answer) as url, pytest.raises(ModelError) as raised:
        ServerEmbedder(url, KEY, "x", seconds=0.5 if answer is None else PATIENCE).embed(["一", "二"])
    assert raised.value.key == key
    assert raised.value.details["server"] == url
    assert KEY not in str(raised.value)


def test_a_server_that_is_not_there_is_named_too() -> None:
    with answering(lambda _: (200, {})) as url:
        pass
    with pytest.raises(ModelUnavailable, match=r"model\.refused"):
        ServerEmbedder(url, None, "x").embed(["一"])
    with pytest.raises(ModelUnavailable, match=r"model\.unknown-host"):
        ServerEmbedder("ftp://127.0.0.1/v1", None, "x").embed(["一"])


def test_vectors_of_another_dimension_than_before_are_refused() -> None:
    with answering(lambda body: (200, vectors([[1.0] * len(body["input"][0])]))) as url:
        embedder = ServerEmbedder(url, None, "x")
        embedder.embed(["三文字"])
        with pytest.raises(ModelMisbehaved, match=r"model\.other-dimension"):
            embedder.embed(["四文字だ"])
        assert embedder.dim == 3
        assert embedder.embed(["三文字"]).shape == (1, 3)


def test_vectors_are_put_in_the_order_of_the_texts_and_at_length_1() -> None:
    def backwards(body: dict[str, Any]) -> Answer:
        return 200, {"data": vectors([[float(len(text)), 0.0, 3.0] for text in body["input"]])["data"][::-1]}

    seen: list[dict[str, Any]] = []
    with answering(backwards, seen) as url:
        found = ServerEmbedder(f"{url}/", KEY, "x").embed(["四文字だ", "", *["三文字"] * BATCH])
    assert found[0].tolist() == pytest.approx([0.8, 0.0, 0.6])
    assert [len(one["input"]) for one in seen] == [BATCH, 2]
    assert (seen[0]["model"], seen[0]["authorization"], seen[0]["input"][1]) == ("x", f"Bearer {KEY}", " ")


def test_the_first_answer_tells_the_dimension() -> None:
    with answering(lambda body: (200, vectors([[0.0, 0.0, 0.0] for _ in body["input"]]))) as url:
        embedder = ServerEmbedder(url, None, "x")
        assert embedder.dim == 3
        assert vector_of(embedder, "何も言わない") is None
        assert embedder.embed([]).shape == (0, 3)
