"""Clock: the time by which a persona lives in one chat: the world's, or ahead of it by as much as it was moved."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from hakoniwa.memory.store import Memories

Now = Callable[[], datetime]


def real_now() -> datetime:
    return datetime.now(UTC)


class Clock:
    """Tells the time of one line of play; moving it moves it for every process."""

    def __init__(self, memories: Memories, garden: str, branch: str, real: Now = real_now) -> None:
        self._memories, self._place, self._real = memories, (garden, branch), real

    def now(self) -> datetime:
        return self._real() + self._memories.moment(*self._place).clock_ahead

    def talking(self) -> bool:
        """Whether the user is talking with the persona at this very moment."""
        until = self._memories.moment(*self._place).talking_until
        return until is not None and self._real() < until

    def advance(self, by: timedelta) -> datetime:
        """Move it on; the time it shows then."""
        ahead = self._memories.moment(*self._place).clock_ahead
        self._memories.move_clock(*self._place, ahead + by)
        return self.now()

    def reset(self) -> datetime:
        """Let it show the world's time again."""
        self._memories.move_clock(*self._place, timedelta(0))
        return self.now()
