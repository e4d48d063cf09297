"""state_link_expand: what supports, explains or contradicts the states that were found."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources


@sources.add("state_link_expand")
class StateLinkExpand(CandidateSource):
    limit: ClassVar = 8
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.1
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return bool(asked.seed_states)

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        known = set(asked.seed_states)
        links = ghost.memories.linked(ghost.scope, sorted(known), self.limit, of="state")
        ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
        return [Found("state", id) for id in dict.fromkeys(ends) if id not in known][: self.limit]
