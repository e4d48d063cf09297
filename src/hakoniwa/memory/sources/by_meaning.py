"""Sources by meaning: what was meant alike, at any time and in the last ninety days."""

from datetime import timedelta
from typing import ClassVar

from hakoniwa.memory.candidate import SourceFind
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.source import CandidateSource, SourceQuery, find_near, sources


@sources.add("vector_global")
class VectorGlobal(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 2.2
    weight: ClassVar = 1.0
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.vector is not None

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        return find_near(ghost, asked, self.limit)


RECENT = timedelta(days=90)


@sources.add("vector_recent")
class VectorRecent(CandidateSource):
    limit: ClassVar = 24
    timeout: ClassVar = 2.0
    weight: ClassVar = 0.15
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.vector is not None

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        since = (asked.now - RECENT).replace(minute=0, second=0, microsecond=0)
        return find_near(ghost, asked, self.limit, since)
