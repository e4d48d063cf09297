"""What two people know of each other's knowledge: the fold of what both witnessed. Third and further is not kept."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from hakoniwa.stage.belief import Belief, RememberedProp
from hakoniwa.stage.claims import Claim, with_claim
from hakoniwa.stage.world import WorldState, sight
from hakoniwa.turn import Value

MAX_SHARED = 64
Pair = tuple[str, str]


class SharedKnowledge(Value):
    """What each of two people has seen the other see, and what was told while both were there, by hearer."""

    props: dict[str, RememberedProp] = {}
    rooms: dict[str, str] = {}
    claims: dict[str, tuple[Claim, ...]] = {}


Shared = dict[Pair, SharedKnowledge]


def share(shared: Shared, witnesses: Iterable[str], touched: Collection[str], moved: Collection[str],
          beliefs: Mapping[str, Belief], world: WorldState) -> None:  # fmt: skip
    """Take in an event that several people witnessed: what it touched, or all that both see where somebody came."""
    for one, other in combinations(sorted(set(witnesses)), 2):
        here = world.characters[one].location
        if here != world.characters[other].location:
            continue
        came = one in moved or other in moved or (one, other) not in shared
        names = set(sight(world, one)).intersection(sight(world, other)) if came else touched
        pair, own = (one, other), beliefs[one]
        both = [name for name in sorted(names) if all(_sees(beliefs[who], name, world) for who in pair)]
        if both or came:
            known = shared.get(pair, SharedKnowledge())
            shared[pair] = _with_props(known, {name: own.props[name] for name in both}, pair, here)


def _sees(belief: Belief, name: str, world: WorldState) -> bool:
    """Whether somebody knows a thing as it is."""
    memory = belief.props.get(name)
    return memory is not None and memory.prop is world.props.get(name)


def _with_props(
    known: SharedKnowledge, news: Mapping[str, RememberedProp], people: Pair, room: str
) -> SharedKnowledge:
    """The knowledge with these things as both know them now; the oldest are let go."""
    props = {name: memory for name, memory in known.props.items() if name not in news} | dict(news)
    kept = dict(list(props.items())[-MAX_SHARED:])
    return known.with_fields({"props": kept, "rooms": {**known.rooms, **dict.fromkeys(people, room)}})


def share_claim(shared: Shared, claim: Claim, hearers: Collection[str], witnesses: Iterable[str]) -> None:
    """Take in that these people were told something while others were there."""
    for one, other in combinations(sorted(set(witnesses)), 2):
        known = shared.get((one, other), SharedKnowledge())
        claims = {
            who: with_claim(known.claims.get(who, ()), claim)
            for who in (one, other)
            if who in hearers or who == claim.source
        }
        shared[one, other] = known.with_field("claims", {**known.claims, **claims})


def shared_by(shared: Shared, who: str, other: str) -> SharedKnowledge:
    """What somebody thinks that another knows, by having seen or heard it with them."""
    return shared.get((who, other) if who < other else (other, who), SharedKnowledge())
