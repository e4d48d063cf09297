"""context_threads: what belongs to the same threads as what was found."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources


@sources.add("context_threads")
class ContextThreads(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return any(one.threads for one in asked.seeds)

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        threads = list(dict.fromkeys(thread for one in asked.seeds for thread in one.threads))
        return events(ghost.memories.in_threads(ghost.scope, threads, self.limit))
