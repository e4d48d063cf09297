"""What a server can do: one trial after another, each bounded in time, from whether it is there to how fast it is."""

from collections.abc import Callable, Iterator, Sequence

from hakoniwa.llm.bench import ProbeBench, ProbeFinding
from hakoniwa.llm.probes.embeddings import embeddings
from hakoniwa.llm.probes.length import length
from hakoniwa.llm.probes.roles import roles
from hakoniwa.llm.probes.schema import schema
from hakoniwa.llm.probes.stream import stream
from hakoniwa.llm.probes.talk import talk
from hakoniwa.llm.server import Kind, ModelServer

Probe = Callable[[ProbeBench], Iterator[ProbeFinding]]
PROBES: tuple[Probe, ...] = (talk, roles, schema, stream, length, embeddings)
SILENT = frozenset({"refused", "no-host", "timeout", "reset"})
FIXES = {"key": "key", "loading": "wait", "broken": "log", "tls": "tls"}
SUGGESTED: dict[Kind, str] = {"ollama": "gemma3:4b", "vllm": "google/gemma-3-4b-it"}
ENOUGH = frozenset({"chat", "thinking"})


def check_address(server: ModelServer, others: Sequence[ModelServer] = ()) -> ProbeFinding:
    """Whether the address leads to a model server; if not, what is there instead, and where one is."""
    details = {"url": server.given, "right": server.shown}
    if server.trouble is None:
        fine = server.asked == server.url
        return ProbeFinding(
            about="reach",
            grade="ok" if fine else "warn",
            key="reach.ok" if fine else "reach.no-v1",
            details=details,
            fix="" if fine else "v1",
        )
    key = "reach.key-refused" if server.trouble == "key" and server.key else f"reach.{server.trouble}"
    fix = FIXES.get(server.trouble, "start" if server.trouble in SILENT else "address")
    elsewhere = next((one.shown for one in others if one.trouble is None), "")
    if elsewhere and fix in ("start", "address"):
        fix, details = "elsewhere", {**details, "right": elsewhere}
    return ProbeFinding(about="reach", grade="problem", key=key, details=details, fix=fix)


def check_model(server: ModelServer, name: str) -> ProbeFinding:
    """Whether the server has the model that is named, or any at all if none is."""
    model = server.named(name) if name else server.best()
    if model is not None:
        return ProbeFinding(about="model", grade="ok", key="model.ok", details={"model": model.name})
    nearest = server.nearest(name) if name else ""
    details = {"model": name, "nearest": nearest, "wanted": name or SUGGESTED.get(server.kind, "gemma-3-4b")}
    if nearest:
        return ProbeFinding(about="model", grade="problem", key="model.nearest", details=details, fix="name")
    key = "model.unknown" if name else "model.none"
    return ProbeFinding(about="model", grade="problem", key=key, details=details, fix="pull")


def run_probes(bench: ProbeBench, began: Callable[[str], None] = lambda _: None) -> Iterator[ProbeFinding]:
    """Every trial in turn; a model that does not speak is not asked any more. `began` hears which one is running."""
    for probe in PROBES:
        began(probe.__name__)
        for finding in probe(bench):
            yield finding
            if finding.grade == "problem" and finding.about in ENOUGH:
                return
