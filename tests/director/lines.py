"""Lines to put in front of the Director."""

from collections.abc import Sequence
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.director.check import CheckInput
from hakoniwa.gm.read import read
from hakoniwa.stage.world import WorldState

WORLDS: dict[str, dict[str, Any]] = {
    "ja": {"location": {"current": "台所"}, "characters": {"やな": {"location": "台所"}, "あゆ": {"location": "台所"}}},
    "en": {"location": {"current": "hall"}, "characters": {"Ann": {"location": "hall"}, "Theo": {"location": "hall"}}},
}  # fmt: skip


def sheet(**speech: Any) -> Character:
    return Character.model_validate({"display_name": "誰か", "persona": "どこにでもいる人。", "speech": speech})


def line_of(
    text: str,
    character: Character | None = None,
    language: str = "ja",
    said: Sequence[str] = (),
    company: Sequence[str] = (),
) -> CheckInput:
    """A reply as the GM reads it, spoken by the first of the world to the second."""
    world = WorldState.model_validate(WORLDS[language])
    who, other = world.characters
    return CheckInput(who, character or sheet(), text, read(text, world, who), language, company or [other], said)
