"""recent_states: what the persona holds to be so, named things first, and how the last events felt."""

from typing import ClassVar

from hakoniwa.ghost.candidate import Found
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.memory import State
from hakoniwa.ghost.source import Asked, CandidateSource, sources

FELT = 4


@sources.add("recent_states")
class RecentStates(CandidateSource):
    limit: ClassVar = 16
    timeout: ClassVar = 0.4
    weight: ClassVar = 0.2
    brief: ClassVar = True

    def find(self, ghost: Ghost, asked: Asked) -> list[Found]:
        held = [(id, one) for id, one in ghost.inner.states.items() if one.searchable and not one.done]
        held.sort(key=lambda pair: (_named(pair[1], asked), pair[1].last_confirmed_at, pair[0]), reverse=True)
        felt = ghost.memories.affects(ghost.scope, FELT)
        return [
            *(Found("state", id, one.confidence) for id, one in held[: self.limit - FELT]),
            *(Found("event_affect", one.seq, one.confidence) for one in felt),
        ]


def _named(state: State, asked: Asked) -> bool:
    """Whether a state is about somebody or something that is spoken of."""
    return any(entity.name in asked.plan.queries[0] for entity in state.entities)
