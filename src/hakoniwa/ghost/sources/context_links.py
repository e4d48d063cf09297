"""context_links: what is linked to what was found."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources


@sources.add("context_links")
class ContextLinks(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return bool(asked.seeds)

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        known = {one.key for one in asked.seeds}
        links = ghost.memories.linked(ghost.scope, sorted(known), self.limit)
        ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
        return events([seq for seq in dict.fromkeys(ends) if seq not in known][: self.limit])
