"""Every exception, as a tree; each names a message of the catalogue, so that a door can tell it in the user's language.

HakoniwaError
├── UsageError             a command was called in a way that cannot work
├── ScenarioError          a scenario, sheet, world or lexicon file is wrong: file, line, key, nearest valid name
├── CardError              a character card cannot be read, or not be made: what was found, where, what to do
├── ChatFileError          a chat of another program cannot be read: what was found, in which line, what to do
├── GardenFileError        a garden file cannot be read: it is damaged, changed, foreign, or tells what cannot be
├── UnknownName            a scenario, garden, branch, character or prop of that name does not exist
├── WorldError             a patch or a world breaks an invariant
├── PersonaMissing         there is nobody to remember, choose or speak: the sheet has no persona
├── JournalError           the journal cannot be read or written
│   ├── JournalLocked      another process holds it
│   ├── JournalNewer       it was written by a newer Hakoniwa
│   ├── JournalFull        the disk is full
│   └── JournalBroken      verify found rows that do not add up
└── ModelError             llm/faults.py has every fault by name, and which of them are worth another try
    ├── ModelUnavailable   no model server answers
    ├── ModelMisbehaved    it answered, but not with anything usable
    └── ModelSpent         the tokens that were allowed are used up: it is not asked
"""

from functools import partial
from typing import Any, ClassVar


class HakoniwaError(Exception):
    """Something a person must act on: a message key and what it speaks of."""

    exit_code: ClassVar[int] = 1

    def __init__(self, key: str, /, **details: Any) -> None:
        super().__init__(key, details)
        self.key = key
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        """What a process raises, another can raise again."""
        return partial(type(self), self.key, **self.details), ()

    def __str__(self) -> str:
        return f"{self.key}: " + ", ".join(f"{name}={value!r}" for name, value in self.details.items())


class UsageError(HakoniwaError):
    exit_code = 2


class ScenarioError(HakoniwaError):
    exit_code = 3


class CardError(HakoniwaError):
    exit_code = 3


class ChatFileError(HakoniwaError):
    exit_code = 3


class GardenFileError(HakoniwaError):
    exit_code = 3


class UnknownName(HakoniwaError):
    exit_code = 3


class WorldError(HakoniwaError):
    exit_code = 3


class PersonaMissing(HakoniwaError):
    exit_code = 3


class JournalError(HakoniwaError):
    exit_code = 4


class JournalLocked(JournalError):
    pass


class JournalMovedOn(JournalError):
    """Somebody else has written on the line since: look again before you write."""


class JournalNewer(JournalError):
    pass


class JournalFull(JournalError):
    pass


class JournalBroken(JournalError):
    exit_code = 5


class ModelError(HakoniwaError):
    exit_code = 6


class ModelUnavailable(ModelError):
    pass


class ModelMisbehaved(ModelError):
    pass


class ModelSpent(ModelError):
    pass
