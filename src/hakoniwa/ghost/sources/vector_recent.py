"""vector_recent: what was meant alike in the last ninety days."""

from datetime import timedelta
from typing import ClassVar

from hakoniwa.ghost.candidate import Found
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, near, sources

RECENT = timedelta(days=90)


@sources.add("vector_recent")
class VectorRecent(CandidateSource):
    limit: ClassVar = 24
    timeout: ClassVar = 2.0
    weight: ClassVar = 0.15
    brief: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return asked.vector is not None

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        since = (asked.now - RECENT).replace(minute=0, second=0, microsecond=0)
        return near(ghost, asked, self.limit, since)
