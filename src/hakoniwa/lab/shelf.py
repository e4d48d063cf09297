"""Shelf: the journal in which every run is a garden, for `replay`, `verify` and the console to open."""

from collections.abc import Mapping
from pathlib import Path

from hakoniwa.journal import MAIN, Garden, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.lab.run import Played
from hakoniwa.lab.spec import garden_for


class Shelf:
    """A journal beside the run files; what is in it follows from them."""

    def __init__(self, path: Path, gardens: Mapping[str, Garden]) -> None:
        self.gardens = gardens
        self._journal = open_journal(f"sqlite:///{path}")
        self._filled = {one.id: _has_rows(self._journal, one.id) for one in self._journal.gardens()}

    def keep(self, played: Played) -> None:
        """Put a run's garden there, unless it is; one that a kill left empty is filled."""
        id = played.run.garden
        if self._filled.get(id):
            return
        if id not in self._filled:
            self._journal.create(garden_for(played.run.key, self.gardens))
        rows = self._journal.append(id, MAIN, [event for _, event in played.events], None)
        places = {old: row.seq for (old, _), row in zip(played.events, rows, strict=True)}
        for one in played.calls:
            after = places[one.after] if one.after is not None else None
            self._journal.record_call(id, MAIN, after, one.turn, str(one.id), one.call, one.speaker)
        self._filled[id] = True

    def close(self) -> None:
        self._journal.close()


def _has_rows(journal: Journal, garden: str) -> bool:
    return any(branch.head is not None for branch in journal.branches(garden))
