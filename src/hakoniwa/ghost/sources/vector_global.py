"""vector_global: what was meant alike at any time."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, near, sources


@sources.add("vector_global")
class VectorGlobal(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 2.2
    weight: ClassVar = 1.0
    brief: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return asked.vector is not None

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        return near(ghost, asked, self.limit)
