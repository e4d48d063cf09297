"""about_time: what happened in the days, or is about the years and the time of life, that were spoken of."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found, events
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.memory import AboutTime
from hakoniwa.ghost.source import Asked, CandidateSource, sources
from hakoniwa.ghost.when import NO_TIME


@sources.add("about_time")
class AboutTimes(CandidateSource):
    limit: ClassVar = 40
    timeout: ClassVar = 0.8
    weight: ClassVar = 0.5
    brief: ClassVar = True

    def concerned(self, asked: Asked) -> bool:
        return asked.plan.time_hint != NO_TIME

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        when, spread = asked.plan.time_hint, asked.plan.diversify.per_bucket
        spans = [AboutTime(life_stage=stage) for stage in when.life_stage_hint]
        if when.about_year_start is not None:
            spans.append(AboutTime(year_start=when.about_year_start, year_end=when.about_year_end))
        seqs = [seq for span in spans for seq in ghost.memories.about(ghost.scope, span, self.limit, spread)]
        if when.at_from and when.at_to:
            seqs += ghost.memories.during(ghost.scope, when.at_from, when.at_to, self.limit)
        return events(list(dict.fromkeys(seqs))[: self.limit])
