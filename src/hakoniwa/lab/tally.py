"""Tally: how many runs are there, and how long the rest will probably take."""

from collections.abc import Callable
from time import monotonic

from hakoniwa.lab.results import Progress, Run, State


class Tally:
    """Counts runs. The estimate goes by those that were played since it began to count."""

    def __init__(self, total: int, clock: Callable[[], float] = monotonic) -> None:
        self.total, self._clock, self._began = total, clock, clock()
        self._done = self._fresh = self._crashed = 0

    def found(self, run: Run) -> None:
        """A run that was there before."""
        self._done += 1
        self._crashed += run.crash is not None

    def finished(self, run: Run) -> None:
        """A run that has just been played."""
        self.found(run)
        self._fresh += 1

    def told(self, run: str = "", state: State = "running") -> Progress:
        seconds = self._clock() - self._began
        return Progress(
            done=self._done, total=self.total, run=run, crashed=self._crashed, seconds=round(seconds, 1),
            left=self._left(seconds), state=state,
        )  # fmt: skip

    def _left(self, seconds: float) -> float | None:
        if self._done == self.total:
            return 0.0
        return round(seconds / self._fresh * (self.total - self._done), 1) if self._fresh else None
