"""Sources by time: what happened last, what is held to be so lately, and what is about the time that was spoken of."""

from typing import ClassVar

from hakoniwa.memory.candidate import SourceFind, event_finds
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.source import CandidateSource, SourceQuery, sources
from hakoniwa.memory.when import NO_TIME
from hakoniwa.persona.records import AboutTime, PersonaState


@sources.add("recent_events")
class RecentEvents(CandidateSource):
    limit: ClassVar = 8
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.05
    brief: ClassVar = True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        recent = ghost.memories.recent(ghost.scope, self.limit)
        return event_finds([one.seq for one in recent if one.searchable])


FELT = 4


@sources.add("recent_states")
class RecentStates(CandidateSource):
    limit: ClassVar = 16
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        held = [(id, one) for id, one in ghost.inner.states.items() if one.searchable and not one.done]
        held.sort(key=lambda pair: (_is_named(pair[1], asked), pair[1].last_confirmed_at, pair[0]), reverse=True)
        felt = ghost.memories.affects(ghost.scope, FELT)
        return [
            *(SourceFind("state", id, one.confidence) for id, one in held[: self.limit - FELT]),
            *(SourceFind("event_affect", one.seq, one.confidence) for one in felt),
        ]


def _is_named(state: PersonaState, asked: SourceQuery) -> bool:
    """Whether a state is about somebody or something that is spoken of."""
    return any(entity.name in asked.plan.queries[0] for entity in state.entities)


@sources.add("about_time")
class AboutTimes(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.5
    brief: ClassVar = True

    def concerned(self, asked: SourceQuery) -> bool:
        return asked.plan.time_hint != NO_TIME

    def find(self, ghost: Ghost, asked: SourceQuery) -> list[SourceFind]:
        when, spread = asked.plan.time_hint, asked.plan.diversify.per_bucket
        spans = [AboutTime(life_stage=stage) for stage in when.life_stage_hint]
        if when.about_year_start is not None:
            spans.append(AboutTime(year_start=when.about_year_start, year_end=when.about_year_end))
        seqs = [seq for span in spans for seq in ghost.memories.about(ghost.scope, span, self.limit, spread)]
        if when.at_from and when.at_to:
            seqs += ghost.memories.during(ghost.scope, when.at_from, when.at_to, self.limit)
        return event_finds(list(dict.fromkeys(seqs))[: self.limit])
