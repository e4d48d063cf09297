"""Quiet: the hours of the day in which a persona leaves people alone."""

import re
from datetime import datetime, time
from typing import Self

from hakoniwa.turn import Value

_WRITTEN = re.compile(r"([0-9]{2}:[0-9]{2})-([0-9]{2}:[0-9]{2})")


class QuietHours(Value):
    """Hours of the day in which nothing is begun and nothing is said; they may span midnight."""

    start: time
    end: time

    @classmethod
    def read(cls, text: str) -> Self:
        """The hours as they are written in settings: 23:00-07:00."""
        found = _WRITTEN.fullmatch(text)
        try:
            start, end = map(time.fromisoformat, found.groups() if found else ())
        except ValueError:
            raise ValueError("hours are written as in 23:00-07:00") from None
        if start == end:
            raise ValueError("quiet hours begin and end at different times")
        return cls(start=start, end=end)

    def holds(self, now: datetime) -> bool:
        """Whether it is such an hour, by the clock on the user's wall."""
        at = now.astimezone().time()
        return self.start <= at < self.end if self.start <= self.end else at >= self.start or at < self.end
