"""A GM step as another engine asks for it: the request, and the caps that every door applies to it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, ValidationError, model_validator

from hakoniwa.errors import WorldError
from hakoniwa.gm.facts import MAX_CARDS, unread_card
from hakoniwa.gm.given import MAX_GIVEN, GivenAct, given_acts
from hakoniwa.gm.history import History
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.second import SecondReading
from hakoniwa.gm.step import GMStep, rule_on
from hakoniwa.stage.patch import pointer, touched_names
from hakoniwa.stage.world import Name, WorldState, problems
from hakoniwa.turn import ActionIntent, PatchOp, Ruling, Value

MAX_REPLY = 32 * 1024
MAX_ACTS = 200


def _short_enough(text: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_REPLY:
        raise ValueError(f"raw_output has at most {MAX_REPLY} bytes")
    return text


def _number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("a number is needed")
    return value


def _count(value: Any) -> Any:
    """How many possible acts to list: a number, or true for as many as there are."""
    return value * MAX_ACTS if isinstance(value, bool) else _number(value)


WholeNumber = Annotated[int, BeforeValidator(_number)]
Count = Annotated[int, BeforeValidator(_count), Field(json_schema_extra={"type": ["integer", "boolean"]})]


class GMStepRequest(Value):
    """One reply of one speaker, with the world it was made in; its acts are read, or given beside it as data."""

    session_id: str = Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f\x7f]*$")
    turn_number: WholeNumber = Field(ge=0, lt=2**31)
    speaker: Name
    raw_output: Annotated[str, Field(max_length=MAX_REPLY), AfterValidator(_short_enough)]
    acts: tuple[GivenAct, ...] | None = Field(
        default=None, max_length=MAX_GIVEN, description="What is done, as tags or intents; then only speech is read."
    )
    world_state: WorldState
    possible_acts: Count = Field(default=0, ge=0, le=MAX_ACTS, description="How many possible acts to list; true: all.")
    unread_card: bool = Field(default=False, description="Whether a fact card tells what was not read.")
    _unplaced: frozenset[str] = PrivateAttr(default=frozenset())
    _given: tuple[ActionIntent, ...] | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _makes_sense(self) -> "GMStepRequest":
        if self.speaker not in self.world_state.characters:
            raise ValueError(f"speaker {self.speaker!r} is not in world_state.characters")
        if found := problems(self.world_state):
            raise ValueError(f"world_state: {found[0]}")
        self._given = None if self.acts is None else given_acts(self.acts, self.world_state)
        return self


def checked_request(data: Any) -> GMStepRequest:
    """A request from plain JSON; fields of other engines are ignored, what is wrong is named."""
    try:
        request = GMStepRequest.model_validate(data, extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(map(str, first["loc"])) or "-"
        raise WorldError("request.invalid", where=where, problem=first["msg"]) from None
    request._unplaced = _unplaced(data)
    return request


def _unplaced(data: Any) -> frozenset[str]:
    """The things whose place the caller left to be worked out from what they are in, on or held by."""
    world = data["world_state"] if isinstance(data, dict) else None
    props = world.get("props", {}) if isinstance(world, dict) else {}
    return frozenset([name for name, prop in props.items() if isinstance(prop, dict) and not prop.get("location")])


def _add_locations(request: GMStepRequest, delta: tuple[PatchOp, ...]) -> tuple[PatchOp, ...]:
    """The delta for the caller's own JSON: a thing that had no place of its own is given one before it is moved."""
    paths = {
        pointer("props", name, "location"): name for name in touched_names(delta, "props") if name in request._unplaced
    }
    settled = [
        PatchOp(op="add", path=path, value=request.world_state.props[name].location)
        for path, name in paths.items()
        if all(one.path != path for one in delta)
    ]
    moved = [PatchOp(op="add", path=one.path, value=one.value) if one.path in paths else one for one in delta]
    return (*settled, *moved)


def step_for(
    request: GMStepRequest,
    history: History | None = None,
    second: SecondReading | None = None,
    second_of_denials: bool = False,
) -> GMStep:
    """The GM's answer to a request, with the acts that would be possible next and what was not read if asked for."""
    world, who = request.world_state, request.speaker
    step = rule_on(
        world, who, request.raw_output, history, turn=request.turn_number, acts=request._given,
        second=second, second_of_denials=second_of_denials,
    )  # fmt: skip
    more: dict[str, Any] = {}
    if request.unread_card and (card := unread_card(step.ruling, step.acts, world)):
        more["fact_cards"] = (*step.ruling.fact_cards[: MAX_CARDS - 1], card)
    if request._unplaced:
        more["world_delta"] = _add_locations(request, step.ruling.world_delta)
    if request.possible_acts:
        more["possible_acts"] = tuple(act.tag for act in possible_acts(world, who, limit=request.possible_acts))
    return replace(step, ruling=step.ruling.model_copy(update=more)) if more else step


def gm_step(request: GMStepRequest | Mapping[str, Any], history: History | None = None) -> Ruling:
    """The GM as a function: a request as a value or plain JSON in, the ruling out; `history`, if given, remembers."""
    step = step_for(request if isinstance(request, GMStepRequest) else checked_request(request), history)
    if history is not None:
        history.add(step.past)
    return step.ruling


GMStepResponse = Ruling
