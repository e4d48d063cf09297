"""Decay: what is left of a feeling or an interest after some time."""

from datetime import datetime, timedelta


def remaining(since: datetime | None, now: datetime, half_life: timedelta) -> float:
    """The share of something that is left: a half after its half-life; a clock that was set back takes nothing away."""
    if since is None or now <= since:
        return 1.0
    return float(0.5 ** ((now - since) / half_life))
