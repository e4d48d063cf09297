"""What can be wanted of a world: goals that can be checked, and desires that carry one."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from hakoniwa.turn import Value

DesireKind = Literal["body", "safety", "company", "esteem", "curiosity", "duty", "gain"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


def _as_list(data: Any) -> Any:
    return [data] if isinstance(data, str) else data


Names = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class Deed(Value):
    """An act that should be done: a verb of the language pack, on one of these things (none named: on anything)."""

    verb: str
    target: Names = ()
    destination: Names = ()


class Goal(Value):
    """True when everything it names is true of the world (`did`, `talked`: of the character's own turn). `away`: not in
    the same room as somebody."""

    did: Deed | None = None
    state: dict[str, str] = {}
    holding: str | None = None
    at: str | None = None
    seen: str | None = None
    placed: dict[str, str] = {}
    talked: str | None = None
    away: str | None = None


class Desire(Value):
    """Something a character wants; it competes by strength × urgency × weight. `by`: who has asked for it."""

    name: str
    kind: DesireKind
    term: Literal["short", "long"] = "short"
    strength: Share = 0.5
    urgency: Share = 0.3
    grows: Share = 0.05
    once: bool = False
    goal: Goal = Goal()
    thoughts: tuple[str, ...] = ()
    by: str = ""
