"""entity_expand: what else there is about the people and places that were named, or that occur in what was found."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources

NAMED, MET = 8, 6


@sources.add("entity_expand")
class EntityExpand(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        met = [entity.name for one in asked.seeds for entity in one.entities]
        named = [name for name in dict.fromkeys(met) if name in asked.plan.queries[0]]
        names = list(dict.fromkeys([*named, *asked.words[:NAMED], *met[:MET]]))
        return events(ghost.memories.of_entities(ghost.scope, names, self.limit)) if names else []
