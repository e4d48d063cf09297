"""What an experiment was made of, as hashes: scenarios with their sheets, prompts, code, models."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from hakoniwa.journal import Garden, canonical_json
from hakoniwa.lab.results import Hashes, ModelSpec
from hakoniwa.lab.spec import Plan

DIGITS = 16
PACKAGE = Path(str(files("hakoniwa")))
PLAYS = ("actor", "director", "gm", "llm", "play", "stage")


def hashes_of(plan: Plan) -> Hashes:
    models = [*plan.spec.models, *([plan.spec.critic] if plan.spec.critic else [])]
    return Hashes(
        scenarios={name: _hash(_played(garden)) for name, garden in plan.gardens.items()},
        prompts=prompts_hash(),
        code=code_hash(),
        models={one.id: _hash(_identity(one)) for one in models},
    )


@cache  # what this process plays with is what it has loaded, whatever becomes of the files
def prompts_hash() -> str:
    return _hash_files(PACKAGE, sorted((PACKAGE / "prompts").rglob("*.j2")))


@cache
def code_hash() -> str:
    return _hash_files(PACKAGE, sorted(_code(PACKAGE)))


def _code(package: Path) -> Iterator[Path]:
    """What a run is played and measured by; how it is told of afterwards makes no difference to it."""
    yield from package.glob("*.py")
    for name in PLAYS:
        yield from (package / name).rglob("*.py")
    yield from (package / "lab").glob("[!_]*.py")
    yield from (package / "lab").glob("*.yaml")
    yield from (path for path in (package / "lexicon").glob("*.yaml") if not path.name.startswith("messages."))


def _played(garden: Garden) -> dict[str, Any]:
    return {"scenario": garden.scenario, "sheets": garden.sheets}


def _identity(model: ModelSpec) -> dict[str, Any]:
    """A model as far as it can be told apart: its kind and name, and of a cassette what is on it."""
    told = model.model_dump(mode="json", exclude={"id", "cassette", "base_url"})
    recorded = Path(model.cassette).read_bytes() if model.cassette else b""
    return {**told, "cassette": hashlib.sha256(recorded).hexdigest() if recorded else ""}


def _hash(data: Any) -> str:
    return hashlib.sha256(canonical_json(data).encode()).hexdigest()[:DIGITS]


def _hash_files(root: Path, paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()[:DIGITS]
