"""Material: what a persona has before it when it thinks about what to do. Collecting it and shaping it are apart.

What is laid out, in which order and how much of it follows from what the persona cares for: confirmed likings, mood,
what is on the board, goals and interests. Structure alone decides; nothing is read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeVar

from hakoniwa.ghost.blackboard import Blackboard
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.inner import Inner
from hakoniwa.ghost.interest import Mode, Target, blended, faded, mode_from
from hakoniwa.ghost.memory import Goal, Memory, State, WorldItem
from hakoniwa.ghost.mood import felt
from hakoniwa.turn import Value

Thing = TypeVar("Thing")

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
    attention: tuple[Target, ...]
    limits: dict[str, int]


class Material(Value):
    """Everything that is laid out."""

    events: tuple[Memory, ...] = ()
    states: dict[int, State] = {}
    goals: dict[int, Goal] = {}
    world: dict[int, WorldItem] = {}


def focus_of_deliberation(inner: Inner, board: Blackboard, now: datetime) -> DeliberationFocus:
    """The focus: the interest the chat reads too, what is on the board, and likings."""
    interest = inner.interest
    under_way = len(board.active_intent_ids)
    mode = interest.interaction_mode if interest.updated_at else mode_from(felt(inner.mood, now), under_way)
    attention = blended(
        faded(interest.attention_targets, interest.updated_at, now),
        (*faded(board.attention_targets, board.attended_at, now), *_likings(inner, now)),
    )
    return DeliberationFocus(
        interaction_mode_hint=mode,
        continuity_bias="high" if under_way >= 2 else "medium" if under_way or inner.active_goals else "low",
        attention=attention,
        limits={name: max(2, limit + SHIFT[mode].get(name, 0)) for name, limit in LIMITS.items()},
    )


def _likings(inner: Inner, now: datetime) -> list[Target]:
    return [
        Target(type="preference", value=one.subject, weight=LIKED, updated_at=now)
        for one in inner.preferences.values()
        if one.status == "confirmed" and one.polarity == "like"
    ]


def collect(ghost: Ghost, focus: DeliberationFocus, world: Sequence[WorldItem] = ()) -> Material:
    """More than will be laid out: the newest, what is held, what is wanted, and how the world seems.

    In a garden `world` is what the character believes; elsewhere it is what was observed."""
    states = sorted(ghost.inner.states.items(), key=lambda pair: (pair[1].last_confirmed_at, pair[0]), reverse=True)
    return Material(
        events=tuple(ghost.memories.recent(ghost.scope, focus.limits["events"] + MORE)),
        states=dict(states[: focus.limits["states"] + MORE]),
        goals=dict(ghost.inner.active_goals),
        world=dict(enumerate(world)) or dict(ghost.inner.world),
    )


def shape(material: Material, focus: DeliberationFocus) -> Material:
    """What is laid out: what touches the persona's attention first, and no more of it than the mode has room for."""
    weights = {(one.type, one.value): one.weight for one in focus.attention}
    named: dict[str, float] = {}
    for one in focus.attention:
        named[one.value] = max(named.get(one.value, 0.0), one.weight)
    events = sorted(material.events, key=lambda one: -_of_event(one, weights, named))
    return Material(
        events=tuple(events[: focus.limits["events"]]),
        states=_first(material.states, focus.limits["states"], lambda _, one: _of_state(one, weights, named)),
        goals=_first(
            material.goals,
            focus.limits["goals"],
            lambda id, one: one.priority / 100 + weights.get(("goal", str(id)), 0.0),
        ),
        world=_first(
            material.world, focus.limits["world"], lambda _, one: named.get(one.key, 0.0) + one.confidence / 2
        ),
    )


def _of_event(memory: Memory, weights: Mapping[tuple[str, str], float], named: Mapping[str, float]) -> float:
    return weights.get(("event_source", memory.source), 0.0) + _touch(
        (*(one.name for one in memory.entities), *memory.threads), named
    )


def _of_state(state: State, weights: Mapping[tuple[str, str], float], named: Mapping[str, float]) -> float:
    return weights.get(("state_kind", state.kind), 0.0) + _touch((one.name for one in state.entities), named)


def _touch(names: Iterable[str], named: Mapping[str, float]) -> float:
    return sum(named.get(name, 0.0) for name in dict.fromkeys(names))


def _first(items: Mapping[int, Thing], limit: int, score: Callable[[int, Thing], float]) -> dict[int, Thing]:
    """The best of some items, in their order; of equals those that came first."""
    return dict(sorted(items.items(), key=lambda pair: -score(*pair))[:limit])
