"""Select: what of the candidates is called to mind. A model chooses as the persona would, else a rule does."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from hakoniwa.errors import ModelError
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.memory.candidate import Candidate, Key, Kind
from hakoniwa.messages import LOADER
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.interest import InterestState
from hakoniwa.persona.mood import LongMoodState
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import Label, Vad
from hakoniwa.prompts import render
from hakoniwa.turn import Value

NAMED = 3  # the sources that had it highest, and the things it touches


def why_by_rule(one: Candidate, language: str) -> str:
    """The reason: which sources had it, and at which place, and what it touches."""
    known = _words(language)
    highest = sorted(one.ranks.items(), key=lambda pair: (pair[1], pair[0]))[:NAMED]
    ways = [known["place"].format(source=known["sources"][source], rank=rank) for source, rank in highest]
    touched = [known["touches"].format(what=name.partition(":")[2]) for name in one.touches[:NAMED]]
    return str(known["and"]).join([*ways, *touched])


@cache
def _words(language: str) -> dict[str, Any]:
    text = files("hakoniwa").joinpath("lexicon", f"recall.{language}.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=LOADER)
    return data


IDS: dict[Kind, str] = {"event": "event_id", "state": "state_id", "event_affect": "affect_id"}
FEWEST_SELECTED, MOST_SELECTED, MOST_SHOWN = 12, 24, 40
TOKENS_PER_SELECTED = 340  # of the context, which the talk and the answer share with what comes to mind
LONGEST_SNIPPET = 120
TOKENS_EACH, TOKENS_AROUND = 5, 40
CONTEXT, SPARE = 4096, 64
FELT = {"text", "baseline_vad", "shock_vad", "shock_note", "baseline_day_key"}
TARGET = ("type", "value", "weight")

BAD_SHAPE, UNKNOWN_ID = "ghost.select-shape", "ghost.select-unknown-id"


class SelectedMemory(Value):
    """One thing that is called to mind: exactly one of the ids is not zero, the one that `type` names."""

    type: Kind
    event_id: int = Field(ge=0)
    state_id: int = Field(ge=0)
    affect_id: int = Field(ge=0)
    why: Generated
    snippet: Generated = Generated("")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        ids = {"event": self.event_id, "state": self.state_id, "event_affect": self.affect_id}
        if not ids.pop(self.type) or any(ids.values()):
            raise ValueError("exactly one id is wanted, the one of the type")
        return self

    @property
    def id(self) -> Key:
        return self.type, self.event_id or self.state_id or self.affect_id


class SearchResultPack(Value):
    """The selection, and nothing else; empty if nothing fits."""

    selected: tuple[SelectedMemory, ...] = Field(max_length=MOST_SELECTED)


class NumberedSelection(Value):
    """The selection as a model writes it: the numbers of what it was shown."""

    selected: tuple[int, ...] = Field(max_length=MOST_SELECTED)


NOTHING = SearchResultPack(selected=())


class Selection(NamedTuple):
    """What was called to mind; if a model's answer was dropped, the key of the message that says why."""

    pack: SearchResultPack
    dropped: str | None = None


def selection_size(context: int | None) -> int:
    """How much may come to mind at once: the more, the larger the context that holds it."""
    return max(FEWEST_SELECTED, min(MOST_SELECTED, (context or CONTEXT) // TOKENS_PER_SELECTED))


# --- by rule ---------------------------------------------------------------------------------------------------------


def select_by_rule(candidates: Sequence[Candidate], limit: int, language: str) -> SearchResultPack:
    """The first of the candidates, which are in the order of the persona's own focus, each with the reason."""
    return pack_of(candidates[: min(limit, MOST_SELECTED)], language)


def pack_of(chosen: Sequence[Candidate], language: str) -> SearchResultPack:
    """The selection of these candidates, each with the reason why it is one."""
    return SearchResultPack(selected=tuple(_select_candidate(one, language) for one in chosen))


def _select_candidate(one: Candidate, language: str) -> SelectedMemory:
    ids = {**dict.fromkeys(IDS.values(), 0), IDS[one.type]: one.key}
    why = Generated(why_by_rule(one, language))
    return SelectedMemory(type=one.type, why=why, snippet=_snippet(one), **ids)


def _snippet(one: Candidate) -> Generated:
    """The beginning of what it says, on one line."""
    return Generated(" ".join(unseal(one.text).replace("\0", "").split())[:LONGEST_SNIPPET])


# --- in the persona's place ------------------------------------------------------------------------------------------


class ConfirmedLiking(Value):
    """One confirmed preference."""

    subject: Label
    note: Generated | None = None


class PersonaSelectionContext(Value):
    """Who is remembering, and how they are just now: everything the choice of a memory may depend on."""

    second_person_label: str
    persona_text: str
    addon_text: str
    long_mood_state: LongMoodState
    recent_vad_average: Vad
    confirmed_preferences: dict[str, dict[str, tuple[ConfirmedLiking, ...]]]
    interest_state: InterestState | None


def selection_context(persona: Persona, inner: InnerState, recent: Vad) -> PersonaSelectionContext:
    """The context of a persona; without any interest yet, that is null."""
    return PersonaSelectionContext(
        second_person_label=persona.second_person_label,
        persona_text=persona.persona_text,
        addon_text=persona.addon_text,
        long_mood_state=inner.mood,
        recent_vad_average=recent,
        confirmed_preferences=_likings(inner.confirmed_preferences),
        interest_state=inner.interest if inner.interest.updated_at else None,
    )


def _likings(confirmed: Mapping[str, Any]) -> dict[str, dict[str, tuple[ConfirmedLiking, ...]]]:
    return {
        domain: {polarity: tuple(ConfirmedLiking(**one) for one in likings) for polarity, likings in bucket.items()}
        for domain, bucket in confirmed.items()
    }


async def select_by_model(
    model: ChatModel, persona: Persona, context: PersonaSelectionContext, candidates: Sequence[Candidate], heard: str,
    limit: int,
) -> Selection:  # fmt: skip
    """What the model would call to mind in the persona's place; a fault or an answer that is not one drops it all."""
    shown = fit_candidates(model, persona, context, candidates, heard, limit)
    if not shown or limit < 1:
        return Selection(NOTHING)
    most = min(limit, MOST_SELECTED)
    prompt = Message(role="user", content=prompt_of(persona, context, shown, heard, most))
    tokens = TOKENS_AROUND + TOKENS_EACH * most
    try:
        text = Generated(await join_stream(model.chat([prompt], "ghost.select", tokens, schema_for(len(shown), most))))
    except ModelError as error:
        return Selection(NOTHING, error.key)
    return parse_pack(text, shown, persona.language)


def parse_pack(text: Generated, shown: Sequence[Candidate], language: str) -> Selection:
    """What the numbers a model wrote stand for, if that is all it wrote and it was shown each of them."""
    try:
        chosen = NumberedSelection.model_validate_json(unseal(text), strict=True).selected
    except ValidationError:
        return Selection(NOTHING, BAD_SHAPE)
    if any(not 1 <= number <= len(shown) for number in chosen):
        return Selection(NOTHING, UNKNOWN_ID)
    return Selection(pack_of([shown[number - 1] for number in dict.fromkeys(chosen)], language))


def schema_for(shown: int, most: int) -> dict[str, Any]:
    """The shape of the answer: some of the numbers that were shown."""
    number = {"type": "integer", "enum": list(range(1, shown + 1))}
    return {
        "type": "object",
        "properties": {"selected": {"type": "array", "items": number, "maxItems": most}},
        "required": ["selected"],
        "additionalProperties": False,
    }


def prompt_of(
    persona: Persona, context: PersonaSelectionContext, shown: Sequence[Candidate], heard: str, most: int
) -> str:
    """The persona first, then what might be remembered, as data, then what was said."""
    return render(
        "ghost/select", persona.language,
        me=persona.name, label=persona.second_person_label, context=context_json(context),
        candidates=[_candidate_line(*one) for one in enumerate(shown, start=1)], heard=heard, most=most,
    )  # fmt: skip


def context_json(context: PersonaSelectionContext) -> str:
    """The context as the seed writes it, without what only reckoning needs; rounded, so that it seldom changes."""
    data = context.model_dump(mode="json")
    data["long_mood_state"] = context.long_mood_state.model_dump(mode="json", include=FELT, exclude_none=True)
    if interest := data["interest_state"]:
        interest["attention_targets"] = [{name: one[name] for name in TARGET} for one in interest["attention_targets"]]
    return json.dumps({"persona_selection_context": _round_numbers(data)}, ensure_ascii=False)


def _round_numbers(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _round_numbers(one) for name, one in data.items()}
    if isinstance(data, list):
        return [_round_numbers(one) for one in data]
    return round(data, 2) if isinstance(data, float) else data


def _candidate_line(number: int, one: Candidate) -> str:
    """A candidate as one line of JSON: no text in it can end the line or pose as another."""
    said = {"number": number, "type": one.type, "at": one.at.date().isoformat(), "text": unseal(_snippet(one))}
    return json.dumps(said, ensure_ascii=False)


def fit_candidates(
    model: ChatModel, persona: Persona, context: PersonaSelectionContext, candidates: Sequence[Candidate], heard: str,
    limit: int,
) -> list[Candidate]:  # fmt: skip
    """The first of the candidates, as many as the model's context holds beside everything else."""
    # In quarters, so that what is learnt about the model seldom changes how many there are.
    per_token = round(4 * float(getattr(model, "chars_per_token", 2.0))) / 4
    frame = len(prompt_of(persona, context, (), heard, limit)) / per_token
    left = (model.context or CONTEXT) - frame - TOKENS_AROUND - TOKENS_EACH * min(limit, MOST_SELECTED) - SPARE
    shown: list[Candidate] = []
    for number, one in enumerate(candidates[:MOST_SHOWN], start=1):
        left -= (len(_candidate_line(number, one)) + 3) / per_token
        if left < 0:
            break
        shown.append(one)
    return shown
