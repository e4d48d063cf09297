"""What clients of MCP may call: each tool is one request to the HTTP API, with its checks, limits and refusals."""

from typing import Annotated, Any, ClassVar, NamedTuple
from urllib.parse import quote

from pydantic import Field

from hakoniwa.journal import MAIN
from hakoniwa.service.requests import LARGEST, MAX_QUERY, PLAIN, Id, Label, NewId, Text
from hakoniwa.service.routes.gm import PATH as GM_STEP
from hakoniwa.turn import Value

MOST = 50

Seed = Annotated[int, Field(ge=0, le=LARGEST)]
Limit = Annotated[int, Field(ge=1, le=MOST)]
Query = Annotated[str, Field(max_length=MAX_QUERY, pattern=PLAIN)]


class ApiRequest(NamedTuple):
    """A request to the HTTP API."""

    method: str
    path: str
    body: dict[str, Any] | None = None
    query: dict[str, Any] | None = None


class McpTool(Value):
    """A call of a tool; its fields are the arguments, its docstring tells a model what it is for."""

    name: ClassVar[str]
    reads: ClassVar[bool] = False  # it changes nothing

    def request(self) -> ApiRequest:
        raise NotImplementedError


class ListGardens(McpTool):
    """List the gardens in which characters live, the one played last first."""

    name = "list_gardens"
    reads = True
    limit: Limit = 20

    def request(self) -> ApiRequest:
        return ApiRequest("GET", "/v1/gardens", query={"limit": self.limit})


class OpenGarden(McpTool):
    """Begin a new garden from a scenario (such as kitchen_morning); the answer has its id."""

    name = "open_garden"
    scenario: Label
    id: NewId | None = None
    seed: Seed | None = None

    def request(self) -> ApiRequest:
        body = {"scenario": self.scenario, "name": self.id, "seed": self.seed}
        return ApiRequest("POST", "/v1/gardens", {name: one for name, one in body.items() if one is not None})


class OfGarden(McpTool):
    """A call about one line of play of a garden."""

    garden: Id
    branch: Id = MAIN

    def post(self, deed: str, **body: Any) -> ApiRequest:
        return ApiRequest("POST", f"{garden_path(self.garden)}/{deed}", {"branch": self.branch, **body})

    def get(self, what: str, **query: Any) -> ApiRequest:
        return ApiRequest("GET", f"{garden_path(self.garden)}/{what}", query={"branch": self.branch, **query})


class PlayTurn(OfGarden):
    """Play the next turn: one of the characters thinks, speaks and acts, and the referee judges it."""

    name = "play_turn"

    def request(self) -> ApiRequest:
        return self.post("turn")


class SayInGarden(OfGarden):
    """Say something in a garden as a voice that everybody hears, or in a whisper `to` one of the characters."""

    name = "say"
    text: Text
    to: Id | None = None

    def request(self) -> ApiRequest:
        return self.post("say", text=self.text, **({"to": self.to} if self.to else {}))


class ActInGarden(OfGarden):
    """Act as one of the characters: a line as a person types it, or the tag of a possible act. The referee judges it.
    A line that reads in two ways comes back as a `question`; call again with `confirm`, or in other words."""

    name = "act"
    who: Id
    text: Text
    confirm: bool = False

    def request(self) -> ApiRequest:
        return self.post("act", who=self.who, text=self.text, confirm=self.confirm)


class PossibleActsOf(OfGarden):
    """List what one of the characters can do now, as tags and in words; `about` keeps those that have it."""

    name = "possible_acts"
    reads = True
    who: Id
    about: Query = ""
    limit: Limit = 20

    def request(self) -> ApiRequest:
        return self.get("acts", who=self.who, q=self.about, limit=self.limit)


class WhyTurn(OfGarden):
    """Explain a turn: what its character saw, wanted and thought, and how the referee ruled."""

    name = "why"
    reads = True
    turn: Annotated[int, Field(ge=1, le=LARGEST)]

    def request(self) -> ApiRequest:
        return self.get(f"why/{self.turn}")


class StepReferee(McpTool):
    """Have the referee judge one reply of your own dialogue engine against the world it was made in: what it means,
    whether it can be, what it changes, and facts for the next prompt."""

    name = "gm_step"
    session_id: Id
    turn_number: Annotated[int, Field(ge=0, le=LARGEST)]
    speaker: Label
    raw_output: str
    world_state: dict[str, Any]
    possible_acts: Annotated[int, Field(ge=0, le=200)] | None = None

    def request(self) -> ApiRequest:
        return ApiRequest("POST", GM_STEP, self.model_dump(exclude_none=True))


class RecallMemory(OfGarden):
    """Look into the memory of a character: what there is about something, the most fitting first."""

    name = "recall"
    reads = True
    who: Id
    about: Annotated[Query, Field(min_length=1)]
    limit: Limit = 12

    def request(self) -> ApiRequest:
        path = f"/v1/memory/{quote(self.garden, safe='')}/{quote(self.who, safe='')}/search"
        return ApiRequest("GET", path, query={"branch": self.branch, "q": self.about, "limit": self.limit})


TOOLS: tuple[type[McpTool], ...] = (
    ListGardens, OpenGarden, PlayTurn, SayInGarden, ActInGarden, PossibleActsOf, WhyTurn, StepReferee,
)  # fmt: skip
GRANTED_TOOLS: tuple[type[McpTool], ...] = (RecallMemory,)  # what only the setting mcp_memory allows


def garden_path(garden: str) -> str:
    return f"/v1/gardens/{quote(garden, safe='')}"
