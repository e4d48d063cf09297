"""Whether the server turns text into vectors, which memories are looked up by; nothing in a garden needs it."""

from collections.abc import Iterator

from hakoniwa.llm.bench import ProbeBench, ProbeFinding
from hakoniwa.llm.wire import send

SECONDS = 5.0


def embeddings(bench: ProbeBench) -> Iterator[ProbeFinding]:
    name = next((one.name for one in bench.server.models if "embed" in one.name.casefold()), bench.model.name)
    body = {"model": name, "input": "庭"}
    data = send(f"{bench.server.url}/embeddings", body, bench.server.key, SECONDS).data
    rows = data.get("data") if isinstance(data, dict) else None
    found = isinstance(rows, list) and bool(rows) and isinstance(rows[0], dict) and bool(rows[0].get("embedding"))
    key = "embeddings.ok" if found else "embeddings.none"
    yield ProbeFinding(about="embeddings", grade="info", key=key, details={"model": name})
