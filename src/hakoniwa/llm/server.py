"""What a model server is: its kind, its address, its models, and how much text they take in."""

from typing import Any, Literal

from pydantic import Field
from rapidfuzz import fuzz, process

from hakoniwa.address import bare_address
from hakoniwa.llm.wire import Fault, send
from hakoniwa.turn import Value

Kind = Literal["ollama", "lmstudio", "llamacpp", "vllm", "openai"]
Trouble = Fault | Literal["key", "web-page", "not-models", "not-found", "loading", "broken"]

TITLES: dict[Kind, str] = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
PATIENCE = 1.5
NEAR_ENOUGH = 60.0


class Model(Value):
    """A model a server offers. `context` is what it takes in as it is served, `trained` what it could; 0: unknown."""

    name: str
    context: int = 0
    trained: int = 0
    loaded: bool = False
    chats: bool = True


class Server(Value):
    """What was found at a place: a model server, or the trouble there. `url` is its API, `asked` the address given."""

    url: str
    asked: str
    origin: str
    kind: Kind = "openai"
    models: tuple[Model, ...] = ()
    trouble: Trouble | None = None
    key: str = Field(default="", repr=False, exclude=True)

    @property
    def title(self) -> str:
        """What people call this kind of server; nothing for one of no known kind."""
        return TITLES.get(self.kind, "")

    @property
    def shown(self) -> str:
        """The address as it may be shown: without passwords and keys in it."""
        return bare_address(self.url)

    @property
    def given(self) -> str:
        """The address that was asked for, as it may be shown."""
        return bare_address(self.asked)

    def own(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the server says at a path of its own, beside the API that all share; nothing if it has no such path."""
        reply = send(self.url.removesuffix("/v1") + path, body, self.key, PATIENCE)
        return reply.data if reply.status == 200 and isinstance(reply.data, dict) else {}

    def named(self, name: str) -> Model | None:
        """A model by its name; a tag that is left out means the latest, as Ollama has it."""
        return next((one for one in self.models if one.name in (name, f"{name}:latest")), None)

    def nearest(self, name: str) -> str:
        """The model that was probably meant, if any is like it."""
        names = [one.name for one in self.models]
        found = process.extractOne(name, names, scorer=fuzz.WRatio, score_cutoff=NEAR_ENOUGH)
        return found[0] if found else ""

    def best(self) -> Model | None:
        """The model to talk to if none is named: one that is in memory, else the first."""
        chatting = [one for one in self.models if one.chats]
        return next((one for one in chatting if one.loaded), chatting[0] if chatting else None)
