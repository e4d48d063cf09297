"""Inner life: everything a persona holds just now, folded from the revisions that its line of play can see."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hakoniwa.persona.interest import InterestState, interest_of
from hakoniwa.persona.mood import LongMoodState, mood_of
from hakoniwa.persona.preferences import ConfirmedPreferences, confirmed_preferences
from hakoniwa.persona.records import PersonaGoal, PersonaState, Preference, Revision, StateKind, WorldItem
from hakoniwa.turn import Value

SINGLE = frozenset({StateKind.LONG_MOOD_STATE, StateKind.PERSONA_INTEREST_STATE})
_MODELS: dict[str, type[Value]] = {
    "state": PersonaState,
    "preference": Preference,
    "goal": PersonaGoal,
    "world_model_item": WorldItem,
}


@dataclass(frozen=True)
class InnerState:
    """Items by their number; of the mood and the interest there is one each, kept apart."""

    states: Mapping[int, PersonaState] = field(default_factory=dict)
    preferences: Mapping[int, Preference] = field(default_factory=dict)
    goals: Mapping[int, PersonaGoal] = field(default_factory=dict)
    world: Mapping[int, WorldItem] = field(default_factory=dict)
    singles: Mapping[StateKind, tuple[int, PersonaState]] = field(default_factory=dict)

    @cached_property
    def mood(self) -> LongMoodState:
        kept = self.singles.get(StateKind.LONG_MOOD_STATE)
        return mood_of(kept[1]) if kept else LongMoodState()

    @cached_property
    def interest(self) -> InterestState:
        kept = self.singles.get(StateKind.PERSONA_INTEREST_STATE)
        return interest_of(kept[1]) if kept else InterestState()

    @cached_property
    def confirmed_preferences(self) -> ConfirmedPreferences:
        return confirmed_preferences(self.preferences.values())

    @cached_property
    def active_goals(self) -> Mapping[int, PersonaGoal]:
        """What the persona is after, the most pressing first."""
        active = [(item, goal) for item, goal in self.goals.items() if goal.status == "active"]
        return dict(sorted(active, key=lambda pair: (-pair[1].priority, pair[0])))


def fold(revisions: Iterable[Revision], onto: InnerState | None = None) -> InnerState:
    """What is held after revisions, oldest first: of each item the newest counts, and a closed one is gone."""
    start = onto or InnerState()
    held: dict[str, dict[int, Any]] = {
        "state": {**start.states, **dict(start.singles.values())},
        "preference": dict(start.preferences),
        "goal": dict(start.goals),
        "world_model_item": dict(start.world),
    }
    for item, revision in _newest(revisions).items():
        held[revision.kind].pop(item, None)
        if revision.after is not None:
            held[revision.kind][item] = _MODELS[revision.kind].model_validate(revision.after)
    states: dict[int, PersonaState] = held["state"]
    return InnerState(
        states={item: one for item, one in states.items() if one.kind not in SINGLE},
        preferences=held["preference"],
        goals=held["goal"],
        world=held["world_model_item"],
        singles={one.kind: (item, one) for item, one in states.items() if one.kind in SINGLE},
    )


def _newest(revisions: Iterable[Revision]) -> dict[int, Revision]:
    """The last revision of each item, in the order in which these were made; only they need be read."""
    newest: dict[int, Revision] = {}
    for revision in revisions:
        item = revision.item or revision.id
        newest.pop(item, None)
        newest[item] = revision
    return newest
