"""A model server of llama.cpp in a process of its own, on weights in a file."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.weights import Weights, weights_file

PATIENCE = 180.0


@contextmanager
def served(weights: Weights, slots: int = 1) -> Iterator[str]:
    """The base URL of a chat model by its name, on the chat template that its weights bring along."""
    with server_of(weights_file(weights), weights.name, context=weights.context * slots, slots=slots) as url:
        yield url


@contextmanager
def server_of(
    model: Path,
    name: str,
    *,
    context: int = 4096,
    slots: int = 1,
    host_cache: bool = True,
    embeddings: bool = False,
    template: str = "",
) -> Iterator[str]:
    """The base URL of a server of its own, ready to chat, and to embed if asked to; gone at the end."""
    options = {"context": context, "slots": slots, "host_cache": host_cache, "embeddings": embeddings}
    wanted = json.dumps({**options, "model": str(model), "name": name, "template": template})
    server = subprocess.Popen(
        [sys.executable, "-c", "from tests.real.model_server import serve; serve()", wanted],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        assert url.startswith("http"), "the model server did not start"
        _wait_until_ready(url)
        yield f"{url}/v1"
    finally:
        server.kill()
        server.wait()


def _wait_until_ready(url: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the model server is not ready")


def serve() -> None:
    """Run the server in this process until its standard input closes."""
    import xllamacpp

    wanted = json.loads(sys.argv[1])
    params = xllamacpp.CommonParams()
    params.model.path = wanted["model"]
    params.model_alias = {wanted["name"]}
    params.n_ctx = wanted["context"]
    params.n_parallel = wanted["slots"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.use_jinja = True
    params.chat_template = wanted["template"]
    params.endpoint_slots = True
    params.endpoint_props = True
    if not wanted["host_cache"]:
        params.cache_ram_mib = 0
    if wanted["embeddings"]:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
