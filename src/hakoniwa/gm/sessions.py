"""The GM for other engines: requests of many sessions, each judged on the caller's world and on what it did before."""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hakoniwa.errors import UnknownName, WorldError
from hakoniwa.gm.history import History, Past
from hakoniwa.gm.step import gm_step
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Ruling

MAX_SESSIONS, MAX_PAST, MAX_REPLY, MAX_NAME = 1000, 64, 65_536, 200


class StepRequest(BaseModel):
    """One reply to be judged. Fields of the caller's own are ignored, in the world too."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    session_id: str = Field(min_length=1, max_length=MAX_NAME)
    turn_number: int = Field(ge=0)
    speaker: str = Field(min_length=1, max_length=MAX_NAME)
    raw_output: str = Field(max_length=MAX_REPLY)
    world_state: dict[str, Any] | None = None


@dataclass(frozen=True)
class Remembered:
    """What the GM knows of one session: its turns, and the world after the latest of them."""

    past: tuple[Past, ...] = ()
    world: WorldState | None = None
    before: "Remembered | None" = None

    def for_turn(self, turn: int, speaker: str) -> "Remembered":
        """What there was before this turn; a turn played again stands on what there was before its first take."""
        latest = self.past[-1] if self.past else None
        again = latest is not None and (latest.turn, latest.speaker) == (turn, speaker)
        return self.before if again and self.before else replace(self, before=None)


class Sessions:
    """The sessions of one process; those that have been silent longest are forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Remembered] = OrderedDict()

    def answer(self, request: StepRequest) -> Ruling:
        """Judge one request. Without a world of its own, it goes on from the one the previous answer left."""
        before = self._known.get(request.session_id, Remembered()).for_turn(request.turn_number, request.speaker)
        world = world_of(request.world_state) if request.world_state is not None else before.world
        if world is None:
            raise WorldError("world.none-given", session=request.session_id)
        if request.speaker not in world.characters:
            raise UnknownName("unknown.character", name=request.speaker, known=", ".join(world.characters))
        history = History(before.past)
        step = gm_step(world, request.speaker, request.raw_output, history, turn=request.turn_number)
        after = apply(world, step.ruling.world_delta)
        self._remember(request.session_id, Remembered((*before.past[-MAX_PAST:], step.past), after, before))
        return step.ruling

    def _remember(self, name: str, session: Remembered) -> None:
        self._known[name] = session
        self._known.move_to_end(name)
        if len(self._known) > MAX_SESSIONS:
            self._known.popitem(last=False)


def world_of(data: dict[str, Any]) -> WorldState:
    """A caller's world: fields it has beyond ours are ignored, everything else must be right."""
    try:
        return WorldState.model_validate(data, extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        path = "/" + "/".join(map(str, first["loc"]))
        raise WorldError("world.bad-value", path=path, problem=first["msg"]) from None
