"""Two gardens of thirty turns, and chats beside them, for the pictures of the console."""

from pathlib import Path
from typing import Any

import yaml

from hakoniwa.turn import Value


class Said(Value):
    """Words of the user's in a chat, and the answer to them."""

    said: str
    answered: str


class Deed(Value):
    """What the user does in a garden before a turn."""

    deed: str
    body: dict[str, Any]


class Story(Value):
    """What a model says turn by turn, what the user does meanwhile, and a chat beside it."""

    scenario: str
    lines: tuple[str, ...]
    meanwhile: dict[int, Deed]
    thought: str
    persona: str
    name: str
    talk: tuple[Said, ...]
    note: str
    reason: str
    telling: str
    sought: str
    shown: int  # a turn whose why is worth showing


STORIES = {
    language: Story.model_validate(story)
    for language, story in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
}
