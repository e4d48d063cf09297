"""Story patterns: moments in order, with variables, repetition and absence, written in YAML."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from hakoniwa.errors import ScenarioError
from hakoniwa.stage.document import Document, Key
from hakoniwa.stage.goal import Names
from hakoniwa.turn import Value

Kind = Literal[
    "act", "moved", "gave", "got", "made", "found", "denied", "said", "asked", "answered", "met", "parted", "alone",
    "urged", "fulfilled", "incident", "process", "goal", "told", "lied", "exposed", "promised", "refused",
    "kept", "broke", "forgot",
]  # fmt: skip
Trait = Literal["who", "verb", "target", "other", "topic", "reason", "room", "want", "deed", "text"]
TRAITS: tuple[Trait, ...] = ("who", "verb", "target", "other", "topic", "reason", "room", "want", "deed", "text")
COUNTED = frozenset({"turns", "times"})
ANYTHING = "*"
_APART = re.compile(r"^\s*\?(?P<one>\w+)\s*!=\s*(?P<other>\S+)\s*$")


class StoryMoment(Value):
    """One thing that happened: who did what to what. `other` is whoever or whatever else had a part in it."""

    turn: int
    kind: Kind
    who: str | None = None
    verb: str | None = None
    target: str | None = None
    other: str | None = None
    topic: str | None = None
    reason: str | None = None
    room: str | None = None
    want: str | None = None
    deed: str | None = None
    text: str | None = None


def _as_list(data: Any) -> Any:
    return [data] if isinstance(data, str) else data


class MomentFilter(Value):
    """What a moment must be: of one of these kinds, each trait one of these values or a variable (`?who`)."""

    kind: Annotated[tuple[Kind, ...], BeforeValidator(_as_list)] = ()
    who: Names = ()
    verb: Names = ()
    target: Names = ()
    other: Names = ()
    topic: Names = ()
    reason: Names = ()
    room: Names = ()
    want: Names = ()
    deed: Names = ()
    text: Names = ()

    def traits(self) -> Iterator[tuple[Trait, tuple[str, ...]]]:
        """The traits it speaks of."""
        return ((name, wanted) for name in TRAITS if (wanted := getattr(self, name)))

    def variables(self) -> list[str]:
        return [name for _, (first, *_) in self.traits() if (name := variable(first))]


class Beat(MomentFilter):
    """The next moment of a pattern: how often, how soon, and what must not happen before it.

    With `passes` it is no moment at all but so many turns in which nothing of `without` happens.
    """

    times: int = Field(default=1, ge=1, le=100)
    each: Trait | None = None
    after: int = Field(default=0, ge=0, le=100_000)
    within: int | None = Field(default=None, ge=0, le=100_000)
    without: tuple[MomentFilter, ...] = ()
    passes: int | None = Field(default=None, ge=1, le=100_000)


class BilingualSentence(Value):
    """The same words in both languages, with variables as `{who}`."""

    ja: str
    en: str

    @field_validator("ja", "en")
    @classmethod
    def _well_formed(cls, words: str) -> str:
        list(Formatter().parse(words))
        return words


class Inequality(Value):
    """A comparison, written `?one != ?other`: what the variable stands for is not that."""

    one: str
    other: str

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        if not isinstance(data, str):
            return data
        match = _APART.match(data)
        if match is None:
            raise ValueError("a comparison is written `?one != ?other`")
        return match.groupdict()


class StoryPattern(Value):
    """A kind of story moment; `within` so many turns from its first beat to its last."""

    name: str = Field(pattern=r"^[a-z0-9-]{1,64}$")
    title: BilingualSentence
    told: BilingualSentence
    worth: float = Field(default=1.0, gt=0, le=10)
    within: int = Field(ge=0, le=100_000)
    events: tuple[Beat, ...] = Field(min_length=1, max_length=16)
    where: tuple[Inequality, ...] = ()


class PatternFile(Value):
    patterns: tuple[StoryPattern, ...]


def variable(written: str) -> str | None:
    """The name of a variable, if that is what is written."""
    return written[1:] if written.startswith("?") else None


# --- reading a file ---------------------------------------------------------------------------------------------------


@cache
def shipped_patterns() -> tuple[StoryPattern, ...]:
    """The patterns that come with Hakoniwa."""
    return load(Path(str(files("hakoniwa").joinpath("lexicon", "patterns.yaml"))))


def load(path: Path) -> tuple[StoryPattern, ...]:
    """The patterns in a file, checked whole."""
    document = Document.read(path)
    patterns = document.to(PatternFile).patterns
    for key, problem in faults(patterns):
        raise ScenarioError(
            "scenario.inconsistent", file=document.file, line=document.line(key), key=".".join(map(str, key)),
            problem=problem,
        )  # fmt: skip
    return patterns


def faults(patterns: Iterable[StoryPattern]) -> Iterator[tuple[Key, str]]:
    """What a schema cannot see: names that stand twice, variables nobody binds, beats of no kind."""
    names: set[str] = set()
    for place, pattern in enumerate(patterns):
        if pattern.name in names:
            yield ("patterns", place, "name"), f"{pattern.name!r} stands twice"
        names.add(pattern.name)
        for key, problem in _pattern_faults(pattern):
            yield ("patterns", place, *key), problem


def _pattern_faults(pattern: StoryPattern) -> Iterator[tuple[Key, str]]:
    known: set[str] = set()
    for place, beat in enumerate(pattern.events):
        yield from ((("events", place, *key), problem) for key, problem in _beat_faults(beat))
        between = known | set(beat.variables() if beat.times > 1 else ())
        for number, shape in enumerate(beat.without):
            at: Key = ("events", place, "without", number)
            yield from (((*at, *key), problem) for key, problem in _shape_faults(shape))
            for trait, (first, *_) in shape.traits():
                yield from (((*at, trait), problem) for problem in _unbound_names([variable(first)], between))
        known.update(beat.variables())
    if pattern.events[0].passes:
        yield ("events", 0, "passes"), "a pattern begins with something that happens"
    for place, apart in enumerate(pattern.where):
        names = [apart.one, variable(apart.other)]
        yield from ((("where", place), problem) for problem in _unbound_names(names, known))
    for lang in ("ja", "en"):
        slots = [name for _, name, _, _ in Formatter().parse(getattr(pattern.told, lang))]
        yield from ((("told", lang), problem) for problem in _unbound_names(slots, known | COUNTED))


def _beat_faults(beat: Beat) -> Iterator[tuple[Key, str]]:
    if not beat.passes:
        yield from _shape_faults(beat)
    elif beat.kind or any(beat.traits()) or beat.times > 1 or beat.within is not None or beat.after:
        yield ("passes",), "turns that pass have no other key than `without`"


def _shape_faults(shape: MomentFilter) -> Iterator[tuple[Key, str]]:
    if not shape.kind:
        yield (), "it says no kind"
    for name, wanted in shape.traits():
        if len(wanted) > 1 and any(one == ANYTHING or variable(one) is not None for one in wanted):
            yield (name,), "a variable or `*` stands alone"
        if "?" in wanted:
            yield (name,), "a variable has a name"


def _unbound_names(names: Iterable[str | None], known: set[str]) -> list[str]:
    there = ", ".join(sorted(known))
    return [f"no beat binds ?{name}; there are: {there}" for name in names if name is not None and name not in known]
