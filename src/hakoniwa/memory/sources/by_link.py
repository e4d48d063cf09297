"""Sources by link: what is linked to what was found, by threads, people and places, replies, and states."""

from typing import ClassVar

from hakoniwa.memory.candidate import SourceFind, event_finds
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.source import CandidateSource, SourceQuery, sources


@sources.add("context_links")
class ContextLinks(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return bool(asked.seeds)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        known = {one.key for one in asked.seeds}
        links = ghost.memories.linked(ghost.scope, sorted(known), self.limit)
        ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
        return event_finds([seq for seq in dict.fromkeys(ends) if seq not in known][: self.limit])


@sources.add("context_threads")
class ContextThreads(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return any(one.threads for one in asked.seeds)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        threads = list(dict.fromkeys(thread for one in asked.seeds for thread in one.threads))
        return event_finds(ghost.memories.in_threads(ghost.scope, threads, self.limit))


NAMED, MET = 8, 6


@sources.add("entity_expand")
class EntityExpand(CandidateSource):
    limit: ClassVar = 12
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True
    expands: ClassVar = True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        met = [entity.name for one in asked.seeds for entity in one.entities]
        named = [name for name in dict.fromkeys(met) if name in asked.plan.queries[0]]
        names = list(dict.fromkeys([*named, *asked.words[:NAMED], *met[:MET]]))
        return event_finds(ghost.memories.of_entities(ghost.scope, names, self.limit)) if names else []


@sources.add("reply_chain")
class ReplyChain(CandidateSource):
    limit: ClassVar = 6
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.1
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.reply_to is not None

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        assert asked.reply_to is not None
        return event_finds(ghost.memories.reply_chain(ghost.scope, asked.reply_to, self.limit)[: self.limit])


@sources.add("state_link_expand")
class StateLinkExpand(CandidateSource):
    limit: ClassVar = 8
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.1
    brief: ClassVar = True
    expands: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return bool(asked.seed_states)

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        known = set(asked.seed_states)
        links = ghost.memories.linked(ghost.scope, sorted(known), self.limit, of="state")
        ends = [end for link in sorted(links, key=lambda one: -one.confidence) for end in (link.source, link.target)]
        return [SourceFind("state", id) for id in dict.fromkeys(ends) if id not in known][: self.limit]
