"""Spec files: what an experiment is to be, in YAML, and what it was made of, as hashes."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from hakoniwa.app import record_of, scenario_at, sheets_of
from hakoniwa.errors import ScenarioError, UsageError
from hakoniwa.journal import GardenRecord, canonical_json
from hakoniwa.lab.results import (
    Acts,
    Arm,
    Directing,
    Hashes,
    ModelSpec,
    Passes,
    Profile,
    RunKey,
    Sanitizer,
    Spec,
    StallProfile,
    Variant,
)
from hakoniwa.stage.document import Document
from hakoniwa.turn import Value

MAX_SEEDS, MAX_TURNS, MAX_RUNS = 1000, 500, 100_000
STANDARD = ("kitchen_morning", "violation_induced", "stall_induced")
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
Seed = Annotated[int, Field(ge=0, lt=2**31)]


class ProfileValues(Value):
    """What a profile says where a file says nothing."""

    arms: tuple[Arm, ...]
    seeds: int
    turns: int | None


PROFILES: dict[Profile, ProfileValues] = {
    "dev": ProfileValues(arms=(Arm.D,), seeds=1, turns=15),
    "gate": ProfileValues(arms=(Arm.B, Arm.D), seeds=5, turns=None),
    "full": ProfileValues(arms=tuple(Arm), seeds=20, turns=None),
}


class ModelEntry(Value):
    """A model; where its kind says everything, the kind alone may be written."""

    kind: Literal["builtin", "clumsy", "recorded", "server"]
    id: Name | None = None
    name: str = ""
    base_url: str = ""
    cassette: str = ""

    @model_validator(mode="before")
    @classmethod
    def _named_by_kind(cls, written: object) -> object:
        return {"kind": written} if isinstance(written, str) else written


class Factors(Value):
    """Further factors; each value is crossed with those of the others."""

    acts: tuple[Acts, ...] = ("free",)
    stall: tuple[StallProfile, ...] = ("repetition",)
    mind: tuple[Passes, ...] = ("two_pass",)
    sanitizer: tuple[Sanitizer, ...] = ("off",)
    director: tuple[Directing, ...] = ("minimal",)


class SpecFile(Value):
    """A spec as it is written."""

    name: Name
    profile: Profile = "full"
    scenarios: tuple[str, ...] = Field(default=STANDARD, min_length=1)
    models: tuple[ModelEntry, ...] = Field(min_length=1)
    seeds: Annotated[int, Field(ge=1, le=MAX_SEEDS)] | Annotated[tuple[Seed, ...], Field(min_length=1)] | None = None
    arms: Annotated[tuple[Arm, ...], Field(min_length=1)] | None = None
    turns: Annotated[int, Field(ge=1, le=MAX_TURNS)] | None = None
    factors: Factors = Factors()
    critic: ModelEntry | None = None

    @field_validator("scenarios", "arms", "seeds")
    @classmethod
    def _each_once(cls, values: Any) -> Any:
        for one in values if isinstance(values, tuple) else ():
            if values.count(one) > 1:
                raise ValueError(f"'{one}' stands twice")
        return values


class Plan(Value):
    """A spec with nothing left open, and the garden every scenario starts from."""

    spec: Spec
    gardens: dict[str, GardenRecord]


def read_plan(path: Path, profile: Profile | None = None) -> Plan:
    """The experiment in a file, checked whole; a profile given here goes before the file's own."""
    if not path.is_file():
        raise ScenarioError("lab.no-file", file=str(path))
    return plan_of(Document.read(path).to(SpecFile), path.resolve().parent, profile)


def plan_of(written: SpecFile, beside: Path, profile: Profile | None = None) -> Plan:
    """What a written spec comes to; files it names are looked for beside it."""
    chosen = profile or written.profile
    values = PROFILES[chosen]
    gardens = {garden.scenario["id"]: garden for garden in (_garden_of(one, beside) for one in written.scenarios)}
    models = tuple(_model(one, beside) for one in written.models)
    _distinct("models", [one.id for one in models])
    _distinct("scenarios", list(gardens), len(written.scenarios))
    seeds = written.seeds if profile is None else None
    spec = Spec(
        name=written.name,
        profile=chosen,
        scenarios=tuple(gardens),
        seeds=seeds if isinstance(seeds, tuple) else tuple(range(1, (seeds or values.seeds) + 1)),
        arms=(written.arms if profile is None else None) or values.arms,
        models=models,
        variants=_variants(written.factors),
        turns=written.turns or values.turns,
        critic=_model(written.critic, beside) if written.critic else None,
    )
    if len(keys_of(spec)) > MAX_RUNS:
        raise UsageError("lab.too-many", runs=len(keys_of(spec)), limit=MAX_RUNS)
    return Plan(spec=spec, gardens=gardens)


def _garden_of(name: str, beside: Path) -> GardenRecord:
    scenario, folder = scenario_at(str(beside / name) if name.endswith((".yaml", ".yml", ".xml")) else name)
    return record_of(scenario, sheets_of(scenario, folder), seed=0, id=scenario.id)


def _model(written: ModelEntry, beside: Path) -> ModelSpec:
    if written.kind == "recorded" and not written.cassette:
        raise UsageError("lab.no-cassette")
    cassette = str((beside / written.cassette).resolve()) if written.cassette else ""
    if cassette and not Path(cassette).is_file():
        raise ScenarioError("lab.no-file", file=cassette)
    named = written.id or written.name or (Path(cassette).stem if cassette else written.kind)
    plain = "".join(letter if letter.isalnum() or letter in "._" else "_" for letter in named)
    return ModelSpec(id=plain, kind=written.kind, name=written.name, base_url=written.base_url, cassette=cassette)


def _distinct(what: str, names: list[str], expected: int | None = None) -> None:
    twice = sorted({one for one in names if names.count(one) > 1})
    if twice or len(names) < (expected or 0):
        raise UsageError("lab.twice", what=what, names=", ".join(twice or names))


def _variants(factors: Factors) -> tuple[Variant, ...]:
    names = tuple(Factors.model_fields)
    crossed = product(*(getattr(factors, name) for name in names))
    return tuple(Variant.model_validate(dict(zip(names, values, strict=True))) for values in crossed)


def keys_of(spec: Spec) -> list[RunKey]:
    """Every run of the design, in its order. What only a prompt can show makes no difference to the built-in mind."""
    return [
        RunKey(scenario=scenario, seed=seed, arm=arm, model=model.id, variant=variant)
        for scenario in spec.scenarios
        for model in spec.models
        for variant in _variants_for(model, spec.variants)
        for seed in spec.seeds
        for arm in spec.arms
    ]


def _variants_for(model: ModelSpec, variants: tuple[Variant, ...]) -> list[Variant]:
    if model.kind != "builtin":
        return list(variants)
    return list(
        dict.fromkeys(
            one.model_copy(update={"acts": "free", "mind": "two_pass", "director": "minimal"}) for one in variants
        )
    )


def garden_for(key: RunKey, gardens: Mapping[str, GardenRecord]) -> GardenRecord:
    """The garden of a run: its scenario's, under the run's own name and from its seed."""
    return gardens[key.scenario].model_copy(update={"id": key.id, "seed": key.seed})


DIGITS = 16
PACKAGE = Path(str(files("hakoniwa")))
PLAYS = ("actor", "director", "gm", "llm", "play", "stage")


def hashes_of(plan: Plan) -> Hashes:
    models = [*plan.spec.models, *([plan.spec.critic] if plan.spec.critic else [])]
    return Hashes(
        scenarios={name: _hash(_played_data(garden)) for name, garden in plan.gardens.items()},
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


def _played_data(garden: GardenRecord) -> dict[str, Any]:
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
