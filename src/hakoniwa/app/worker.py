"""A worker of this process, and where it finds a model for those it looks after."""

import logging
from collections.abc import Callable
from time import monotonic

from hakoniwa.app import ledger_of, model_of
from hakoniwa.app.autonomy import FindModel, Worker
from hakoniwa.errors import ModelError, UsageError
from hakoniwa.journal import Journal
from hakoniwa.journal.open import MEMORY
from hakoniwa.llm import ChatModel
from hakoniwa.settings import Settings

log = logging.getLogger("hakoniwa.autonomy")

AGAIN = 30.0  # seconds before a model that was nowhere is looked for again


def worker_of(journal: Journal, settings: Settings) -> Worker:
    """A worker for everybody of a journal; UsageError for a journal that is not kept."""
    if settings.journal_url == MEMORY:
        raise UsageError("autonomy.no-journal")
    return Worker(journal, settings, Seeking(lambda: ledger_of(settings, model_of(settings))))


class Seeking:
    """Finds a model; one that was nowhere is not looked for at every beat of a heart, and none is no error."""

    def __init__(self, find: FindModel, again: float = AGAIN, clock: Callable[[], float] = monotonic) -> None:
        self._find, self._again, self._clock = find, again, clock
        self._not_before = clock()

    def __call__(self) -> ChatModel | None:
        if self._clock() < self._not_before:
            return None
        found = self._found()
        if found is None:
            self._not_before = self._clock() + self._again
        return found

    def _found(self) -> ChatModel | None:
        try:
            return self._find()
        except ModelError as error:
            log.warning("no model for those who live by themselves: %s", error.key)
            return None
