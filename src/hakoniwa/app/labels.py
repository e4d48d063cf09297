"""Labels: what a user calls a garden or a chat, by which tags it is found, and whether it is put away."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from hakoniwa.journal import Journal
from hakoniwa.turn import Value

LABEL = "label"  # where the settings of a garden or chat keep it
MOST_TAGS, LONGEST_TITLE, LONGEST_TAG = 12, 120, 40
UNSEEN = r"^[^\x00-\x1f\x7f]*$"

Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TAG, pattern=UNSEEN)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_TITLE, pattern=UNSEEN)]


def _once_each(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tags))


class RecordLabel(Value):
    """What a user calls a garden or a chat, by which tags it is found, and whether it is put away."""

    title: Title = ""
    tags: Annotated[tuple[Tag, ...], Field(max_length=MOST_TAGS), AfterValidator(_once_each)] = ()
    archived: bool = False


def label_of(settings: Mapping[str, Any]) -> RecordLabel:
    return RecordLabel.model_validate(settings.get(LABEL, {}))


def relabel(journal: Journal, id: str, label: RecordLabel) -> RecordLabel:
    """Keep another label of a garden or a chat."""
    record = journal.garden(id)
    journal.set_settings(id, {**record.settings, LABEL: label.model_dump(mode="json")})
    return label
