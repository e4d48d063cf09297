"""Results: everything an experiment leaves behind, in the order it comes into being. `results.json` is one `Results`.

Nothing here depends on the clock: the same spec, code and replies give the same bytes. What a stopwatch says is kept
apart, in `timings.json` (`Timings`).
"""

from enum import StrEnum
from pathlib import PurePath
from typing import Annotated, Literal

from pydantic import Field

from hakoniwa.address import bare_address
from hakoniwa.turn import DeniedReason, FiveAxes, Value

VERSION = 1
RESULTS, TIMINGS, PROGRESS, JOURNAL, RUNS, SPEC = (
    "results.json", "timings.json", "progress.jsonl", "journal.db", "runs", "spec.json",
)  # fmt: skip

Share = Annotated[float, Field(ge=0, le=1)]
Profile = Literal["dev", "gate", "full"]
Acts = Literal["free", "choose", "tags"]
StallProfile = Literal["repetition", "seed"]
Passes = Literal["two_pass", "one_pass"]
Sanitizer = Literal["off", "on"]
Directing = Literal["minimal", "hybrid"]
State = Literal["running", "done", "stopped"]


class Arm(StrEnum):
    """The four conditions: Inject × GM."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"

    @property
    def inject(self) -> bool:
        """Whether facts and possible acts are put into the prompt."""
        return self in (Arm.B, Arm.D)

    @property
    def gm(self) -> bool:
        """Whether the GM's rulings reach the world."""
        return self in (Arm.C, Arm.D)


class Variant(Value):
    """One value of each further factor; the defaults are what the plain 2×2 is played with."""

    acts: Acts = "free"
    stall: StallProfile = "repetition"
    mind: Passes = "two_pass"
    sanitizer: Sanitizer = "off"
    director: Directing = "minimal"

    @property
    def label(self) -> str:
        """What differs from the defaults, such as `acts=choose`; empty if nothing does."""
        chosen = self.model_dump(exclude_defaults=True)
        return ",".join(f"{name}={value}" for name, value in sorted(chosen.items()))


class ModelSpec(Value):
    """Who plays: the built-in mind, the clumsy model, a cassette, or a model on a server."""

    id: str
    kind: Literal["builtin", "clumsy", "recorded", "server"]
    name: str = ""
    base_url: str = ""
    cassette: str = ""

    def anywhere(self) -> "ModelSpec":
        """The same as others may see it: neither where on this machine a cassette lies, nor how to log in."""
        shown = {"cassette": PurePath(self.cassette).name, "base_url": bare_address(self.base_url)}
        return self.model_copy(update=shown)


class Spec(Value):
    """An experiment with nothing left open: what a spec file comes to with its profile filled in."""

    name: str
    profile: Profile
    scenarios: tuple[str, ...]
    seeds: tuple[int, ...]
    arms: tuple[Arm, ...]
    models: tuple[ModelSpec, ...]
    variants: tuple[Variant, ...] = (Variant(),)
    turns: int | None = None  # None: as many as each scenario says
    critic: ModelSpec | None = None  # None: the five axes by formula

    def anywhere(self) -> "Spec":
        """The same as others may see it."""
        models = tuple(one.anywhere() for one in self.models)
        return self.model_copy(update={"models": models, "critic": self.critic and self.critic.anywhere()})


class RunKey(Value):
    """Which cell of the design a run fills. Runs are paired by everything but the arm."""

    scenario: str
    seed: int
    arm: Arm
    model: str
    variant: Variant = Variant()

    @property
    def id(self) -> str:
        """The run's name, which is also its garden's in the journal."""
        further = f"-{self.variant.label.replace('=', '_').replace(',', '-')}" if self.variant.label else ""
        return f"{self.scenario}-{self.model}{further}-{self.seed:03d}-{self.arm}"

    @property
    def pair(self) -> tuple[str, str, str, int]:
        """What runs of different arms have in common when they are compared."""
        return self.model, self.variant.label, self.scenario, self.seed


class TurnRow(Value):
    """One turn as it was measured. `text` is the model's first reply, untouched; all verdicts but the last three
    fields of the second block are on it."""

    turn: int
    speaker: str
    text: str = ""
    thought: str = ""
    fault: str | None = None  # the model failed: nothing was said, and nothing below was measured

    # the judge, in shadow, on the first reply
    denied_reason: DeniedReason | None = None
    rule: str | None = None
    blocked: str | None = None  # the thing a denial speaks of, as it was written
    acted: bool = False  # whether the reply has a physical act at all
    effective: bool = False  # whether its acts would change the world as this arm has it
    stall_score: float = 0.0
    # what stood in the end, and what happened to the world
    kept: str = ""  # the reply that stood: another than `text` after a retake, or where the sanitizer is a factor
    kept_denied: DeniedReason | None = None
    changed: bool = False  # whether the world has changed by it

    # retakes: only in arm D is there anybody to ask for one
    retakes: int | None = None
    gave_up: bool | None = None
    silent_correction: bool | None = None

    # other measures of the first reply
    absent_words: tuple[str, ...] = ()  # things used that are not here, by the check that knows only words
    addressing_error: bool = False
    tone_error: bool = False
    leak: bool = False  # whether it says what its speaker cannot know
    format_break: str | None = None
    quality: FiveAxes | None = None

    # what the turn had and cost
    facts: tuple[str, ...] = ()  # the facts its prompt held
    incident: str | None = None  # what the GM brought on after this turn
    prompt_hash: str = ""  # of all that was asked of the model in this turn
    calls: int = 0
    extra_calls: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Metrics(Value):
    """A run in numbers; None where a measure is not defined, which is never the same as 0. `definitions.METRICS` says
    what each one is."""

    turns: int  # turns with a reply: what the shares are shares of
    impossible_acts: Share | None = None
    absent_things: Share | None = None
    absent_by_words: Share | None = None
    impossible_kept: Share | None = None
    retakes: float | None = None
    retake_success: Share | None = None
    give_ups: Share | None = None
    silent_corrections: Share | None = None
    extra_calls: float | None = None
    stall_rate: Share | None = None
    stall_mean: Share | None = None
    stall_recovery: Share | None = None
    effective_acts: Share | None = None
    world_changes: Share | None = None
    addressing_errors: Share | None = None
    tone_errors: Share | None = None
    omniscience: Share | None = None
    format_breaks: Share | None = None
    quality: Share | None = None
    character_consistency: Share | None = None
    topic_novelty: Share | None = None
    relationship_quality: Share | None = None
    naturalness: Share | None = None
    concreteness: Share | None = None
    calls: float | None = None
    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    faults: Share | None = None
    denials: dict[DeniedReason, int] = {}  # first replies denied, by reason
    # the judge's MISSING_OBJECT and WRONG_LOCATION against the words: both, judge only, words only, neither
    agreement: tuple[int, int, int, int] = (0, 0, 0, 0)


class RunResult(Value):
    """One run: a scenario played once, in one arm, by one model, from one seed."""

    key: RunKey
    garden: str  # its id in the experiment's journal: `hakoniwa replay <garden> --journal sqlite:///…/journal.db`
    rows: tuple[TurnRow, ...] = ()
    metrics: Metrics
    crash: str | None = None  # what ended it, if something that must not happen did


class Calibration(Value):
    """How the model that scores did on the anchor dialogues, axis by axis, before and after it was corrected."""

    axis: str
    slope: float
    intercept: float
    error_before: float  # mean absolute difference to the written scores
    error_after: float


class Scoring(Value):
    """How the five axes were scored: all by formula, or all by one model; never both in one experiment."""

    method: Literal["formula", "model"] = "formula"
    model: str = ""
    calibration: tuple[Calibration, ...] = ()
    anchors: int = 0


class Hashes(Value):
    """What the experiment was made of: the first 16 hex digits of SHA-256 over each part."""

    scenarios: dict[str, str]  # with the sheets of their casts
    prompts: str
    code: str
    models: dict[str, str]  # as far as they can be told apart: kind and name, and what is on a cassette


class Results(Value):
    """A whole experiment. Runs stand in the order of the design: scenario, model, variant, seed, arm."""

    version: int = VERSION
    hakoniwa: str
    spec: Spec
    hashes: Hashes
    scoring: Scoring = Scoring()
    runs: tuple[RunResult, ...] = ()


class TurnTiming(Value):
    """What a stopwatch said of one turn, in milliseconds."""

    turn: int
    total: float
    first_token: float | None = None
    think: float | None = None
    perform: float | None = None
    retake: float | None = None
    referee: float = 0.0  # reading and judging alone


class RunTiming(Value):
    """The turns of one run."""

    run: str
    seconds: float
    turns: tuple[TurnTiming, ...] = ()


class Timings(Value):
    """All runs, in the order of `Results.runs`."""

    runs: tuple[RunTiming, ...] = ()


class ExperimentProgress(Value):
    """One line of `progress.jsonl`: how far an experiment is, for whoever watches."""

    done: int
    total: int
    run: str = ""
    crashed: int = 0
    seconds: float = 0.0  # since this start of the experiment
    left: float | None = None  # seconds it will probably still take
    state: State = "running"
