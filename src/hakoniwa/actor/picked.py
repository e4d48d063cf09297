"""A turn as data: what a model that picks its acts off a list answers with, whole or as far as it has come."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError
from pydantic_core import from_json

from hakoniwa.turn import Value


def _as_list(acts: Any) -> Any:
    return (acts,) if isinstance(acts, int) else acts


class PickedTurn(Value):
    """A turn as data: a thought, the numbers of acts (0: none), words, and who is to speak next."""

    thought: str = ""
    acts: Annotated[tuple[int, ...], BeforeValidator(_as_list)] = ()
    words: Annotated[str, BeforeValidator(lambda words: words or "")] = ""
    next: Annotated[str, BeforeValidator(lambda name: name or "")] = ""


def read_picked_turn(reply: str) -> PickedTurn | None:
    """A turn as data, as far as it came; None where it is no such thing."""
    begin = reply.find("{")
    if begin < 0:
        return None
    try:
        data = from_json(reply[begin:], allow_partial="trailing-strings")
        data = data if isinstance(data, dict) else {}
        data.setdefault("acts", data.get("act", ()))  # what a model writes that was not held to the form
        known = {name: data[name] for name in PickedTurn.model_fields if name in data and data[name] != ()}
        return PickedTurn.model_validate(known) if {"acts", "words"} & known.keys() else None
    except (ValueError, ValidationError):
        return None
