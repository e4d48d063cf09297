"""What two people know of each other's knowledge: the fold of what both witnessed. Third and further is not kept."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from hakoniwa.stage.belief import Belief, RememberedProp
from hakoniwa.stage.claims import Claim, with_claim
from hakoniwa.stage.world import WorldState, in_sight
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
    """Take in an event that several people witnessed: what it touched, or all that is in sight where somebody came."""
    for one, other in combinations(sorted(set(witnesses)), 2):
        here = world.characters[one].location
        if here != world.characters[other].location:
            continue
        came = one in moved or other in moved or (one, other) not in shared
        names = beliefs[one].props if came else touched
        if names or came:
            known = shared.get((one, other), SharedKnowledge())
            shared[one, other] = _with_sight(known, names, (beliefs[one], beliefs[other]), world)


def _with_sight(
    known: SharedKnowledge, names: Iterable[str], both: tuple[Belief, Belief], world: WorldState
) -> SharedKnowledge:
    """The knowledge with what both can see of these things now; what both see gone is known to be gone."""
    one, other = both
    props = dict(known.props)
    for name in names:
        if name in world.props and in_sight(world, one.who, name) and in_sight(world, other.who, name):
            props.pop(name, None)
            props[name] = one.props.get(name) or RememberedProp(prop=world.props[name], turn=world.time.turn)
    kept = dict(list(props.items())[-MAX_SHARED:])
    rooms = {**known.rooms, **{who: world.characters[who].location for who in (one.who, other.who)}}
    return known.with_fields({"props": kept, "rooms": rooms})


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
