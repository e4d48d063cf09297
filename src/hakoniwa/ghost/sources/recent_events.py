"""recent_events: what happened last."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources


@sources.add("recent_events")
class RecentEvents(CandidateSource):
    limit: ClassVar = 8
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.05
    brief: ClassVar = True

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        recent = ghost.memories.recent(ghost.scope, self.limit)
        return events([one.seq for one in recent if one.searchable])
