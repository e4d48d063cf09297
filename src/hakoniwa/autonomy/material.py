"""Material: what a persona has before it when it thinks about what to do. Collecting it and shaping it are apart.

What is laid out, in which order and how much of it follows from what the persona cares for: confirmed likings, mood,
what is on the board, goals and interests. Structure alone decides; nothing is read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Literal, Self, TypeVar

from hakoniwa.memory.ghost import Blackboard, Ghost
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.interest import AttentionTarget, Mode, blend_targets, fade_targets, mode_from, topics_of
from hakoniwa.persona.mood import feeling_at
from hakoniwa.persona.records import Memory, PersonaGoal, PersonaState, WorldItem
from hakoniwa.persona.world_model import joined_world
from hakoniwa.turn import Value

Thing = TypeVar("Thing")

MOST_INTERESTS = 8
MORE = 12  # fetched beyond what is wanted, so that there is something to choose from
LIMITS = {"events": 24, "states": 24, "goals": 8, "world": 12}
SHIFT: dict[Mode, dict[str, int]] = {
    "support": {"events": -6, "states": 6, "goals": 2},
    "explore": {"events": 8, "states": -6, "world": 6},
    "wait": {"events": -12, "states": 4, "goals": -3},
    "observe": {},
}
LIKED = 0.6  # the weight of a confirmed liking beside the interests


class DeliberationFocus(Value):
    """What a persona looks at first when it thinks about what to do (`persona_deliberation_focus`)."""

    interaction_mode_hint: Mode
    continuity_bias: Literal["high", "medium", "low"]
    attention: tuple[AttentionTarget, ...]
    limits: dict[str, int]


class DeliberationMaterial(Value):
    """Everything that is laid out."""

    events: tuple[Memory, ...] = ()
    states: dict[int, PersonaState] = {}
    goals: dict[int, PersonaGoal] = {}
    world: dict[int, WorldItem] = {}
    interests: dict[str, float] = {}

    def first_part(self, part: float) -> Self:
        """The first part of everything that is laid out."""

        def few(items: dict[int, Thing]) -> dict[int, Thing]:
            return dict(islice(items.items(), round(len(items) * part)))

        return self.model_copy(update={
            "events": self.events[: round(len(self.events) * part)], "states": few(self.states),
            "goals": few(self.goals), "world": few(self.world),
        })  # fmt: skip


def focus_of_deliberation(inner: InnerState, board: Blackboard, now: datetime) -> DeliberationFocus:
    """The focus: the interest the chat reads too, what is on the board, and likings."""
    interest = inner.interest
    under_way = len(board.active_intent_ids)
    mode = interest.interaction_mode if interest.updated_at else mode_from(feeling_at(inner.mood, now), under_way)
    attention = blend_targets(
        fade_targets(interest.attention_targets, interest.updated_at, now),
        (*fade_targets(board.attention_targets, board.attended_at, now), *_likings(inner, now)),
    )
    return DeliberationFocus(
        interaction_mode_hint=mode,
        continuity_bias="high" if under_way >= 2 else "medium" if under_way or inner.active_goals else "low",
        attention=attention,
        limits={name: max(2, limit + SHIFT[mode].get(name, 0)) for name, limit in LIMITS.items()},
    )


def _likings(inner: InnerState, now: datetime) -> list[AttentionTarget]:
    return [
        AttentionTarget(type="preference", value=one.subject, weight=LIKED, updated_at=now)
        for one in inner.preferences.values()
        if one.status == "confirmed" and one.polarity == "like"
    ]


def collect(ghost: Ghost, focus: DeliberationFocus, world: Sequence[WorldItem] = ()) -> DeliberationMaterial:
    """More than will be laid out: the newest, what is held, what is wanted, and how the world seems.

    In a garden `world` is what the character believes; elsewhere it is what was observed."""
    states = sorted(ghost.inner.states.items(), key=lambda pair: (pair[1].last_confirmed_at, pair[0]), reverse=True)
    return DeliberationMaterial(
        events=tuple(ghost.memories.recent(ghost.scope, focus.limits["events"] + MORE)),
        states=dict(states[: focus.limits["states"] + MORE]),
        goals=dict(ghost.inner.active_goals),
        world=dict(enumerate(joined_world(world, ghost.inner.world.values()))),
    )


def shape(material: DeliberationMaterial, focus: DeliberationFocus) -> DeliberationMaterial:
    """What is laid out: what touches the persona's attention first, and no more of it than the mode has room for."""
    weights = {(one.type, one.value): one.weight for one in focus.attention}
    named: dict[str, float] = {}
    for one in focus.attention:
        named[one.value] = max(named.get(one.value, 0.0), one.weight)
    events = sorted(material.events, key=lambda one: -_event_score(one, weights, named))
    return DeliberationMaterial(
        events=tuple(events[: focus.limits["events"]]),
        states=_best_items(material.states, focus.limits["states"], lambda _, one: _state_score(one, weights, named)),
        goals=_best_items(
            material.goals,
            focus.limits["goals"],
            lambda id, one: one.priority / 100 + weights.get(("goal", str(id)), 0.0),
        ),
        world=_best_items(
            material.world, focus.limits["world"], lambda _, one: named.get(one.key, 0.0) + one.confidence / 2
        ),
        interests=topics_of(focus.attention, MOST_INTERESTS),
    )


def _event_score(memory: Memory, weights: Mapping[tuple[str, str], float], named: Mapping[str, float]) -> float:
    return weights.get(("event_source", memory.source), 0.0) + _touch(
        (*(one.name for one in memory.entities), *memory.threads), named
    )


def _state_score(state: PersonaState, weights: Mapping[tuple[str, str], float], named: Mapping[str, float]) -> float:
    return weights.get(("state_kind", state.kind), 0.0) + _touch((one.name for one in state.entities), named)


def _touch(names: Iterable[str], named: Mapping[str, float]) -> float:
    return sum(named.get(name, 0.0) for name in dict.fromkeys(names))


def _best_items(items: Mapping[int, Thing], limit: int, score: Callable[[int, Thing], float]) -> dict[int, Thing]:
    """The best of some items, in their order; of equals those that came first."""
    return dict(sorted(items.items(), key=lambda pair: -score(*pair))[:limit])
