"""A GM step as another engine asks for it: the request, and the caps that every door applies to it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError, model_validator

from hakoniwa.errors import WorldError
from hakoniwa.gm.history import History
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import Step, gm_step
from hakoniwa.stage.world import Name, WorldState, problems
from hakoniwa.turn import Value

MAX_REPLY = 32 * 1024
MAX_ACTS = 200
MAX_NESTED = 32


def _short_enough(text: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_REPLY:
        raise ValueError(f"raw_output has at most {MAX_REPLY} bytes")
    return text


class GMStepRequest(Value):
    """One reply of one speaker, with the world it was made in."""

    session_id: str = Field(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f\x7f]*$")
    turn_number: int = Field(ge=0, lt=2**31)
    speaker: Name
    raw_output: Annotated[str, Field(max_length=MAX_REPLY), AfterValidator(_short_enough)]
    world_state: WorldState
    possible_acts: int = Field(default=0, ge=0, le=MAX_ACTS, description="How many possible acts to list.")

    @model_validator(mode="after")
    def _makes_sense(self) -> "GMStepRequest":
        if self.speaker not in self.world_state.characters:
            raise ValueError(f"speaker {self.speaker!r} is not in world_state.characters")
        if buried := next((name for name in self.world_state.props if _buried(self.world_state, name)), None):
            raise ValueError(f"world_state: props.{buried} is in itself, or in more than {MAX_NESTED} other things")
        if found := problems(self.world_state):
            raise ValueError(f"world_state: {found[0]}")
        return self


def _buried(world: WorldState, name: str) -> bool:
    """Whether a thing lies deeper in others than anything that makes sense."""
    prop = world.props.get(name)
    for _ in range(MAX_NESTED + 1):
        if prop is None or prop.parent is None:
            return False
        prop = world.props.get(prop.parent)
    return True


def checked_request(data: Any) -> GMStepRequest:
    """A request from plain JSON; fields of other engines are ignored, what is wrong is named."""
    try:
        return GMStepRequest.model_validate(data, extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(map(str, first["loc"])) or "-"
        raise WorldError("request.invalid", where=where, problem=first["msg"]) from None


def step_for(request: GMStepRequest, history: History | None = None) -> Step:
    """The GM's answer to a request, with the acts that would be possible next if they were asked for."""
    world, who = request.world_state, request.speaker
    step = gm_step(world, who, request.raw_output, history, turn=request.turn_number)
    if not request.possible_acts:
        return step
    listed = tuple(act.tag for act in possible_acts(world, who, limit=request.possible_acts))
    return Step(step.ruling.model_copy(update={"possible_acts": listed}), step.acts, step.processes, step.past)


def referee(request: GMStepRequest | Mapping[str, Any], history: History | None = None) -> Step:
    """The same for someone who uses Hakoniwa as a library: a request as a value or as plain JSON."""
    return step_for(request if isinstance(request, GMStepRequest) else checked_request(request), history)
