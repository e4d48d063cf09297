"""Invitations: what the things and people around suggest to somebody, by what they afford and by who it is that sees
them."""

from collections.abc import Iterator
from functools import cache

from hakoniwa.actor.view import CharacterView
from hakoniwa.actor.wording import lines_of
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.judge import denial_of
from hakoniwa.pack import pack, verb_of
from hakoniwa.stage.goal import Deed, Desire, DesireKind, Goal
from hakoniwa.stage.kinds import kinds_of
from hakoniwa.stage.world import Condition, WorldState, is_at, is_door

MOST, ASIDE, OWN = 24, 0.1, 0.35  # how many, and how strong they are beside wishes on a sheet or instead of any
GROWN = 0.2  # what a round without a word adds to the wish for company
KINDS: dict[DesireKind, tuple[str, ...]] = {
    "body": ("DRINK", "EAT", "SIT", "LIE", "BREW", "COOK", "TOAST"),
    "curiosity": ("READ", "INSPECT", "OPEN", "USE"),
    "duty": ("CLEAN", "WATER", "WASH", "ARRANGE", "CLOSE", "FEED", "MEND", "FOLD", "TURN_OFF"),
    "esteem": ("PLAY", "WEAR", "WRITE", "SING"),
    "safety": ("TURN_ON", "LIGHT"),
    "company": ("TOUCH",),
}
NEEDED = {"OPEN": Condition.CLOSED, "CLOSE": Condition.OPEN, "TURN_OFF": Condition.ON, "TURN_ON": Condition.OFF}


def invitations(view: CharacterView, silent: int) -> Iterator[Desire]:
    """Small wishes that things raise, and the wish for company after some turns of silence; for those who have no
    wishes of their own, things elsewhere raise them too."""
    if len(view.cast) > 1 and not any(one.goal.talked for one in view.character.desires):
        yield _wish_for_company(view, silent)
    bare = not view.character.desires
    left = MOST
    for name in view.believed.props:
        if not bare and not is_at(view.believed, name, view.scene.location):
            continue
        for verb in _inviting_verbs(view, name):
            left -= 1
            if left >= 0:
                yield _wish(view, name, verb, bare)


def _wish_for_company(view: CharacterView, silent: int) -> Desire:
    """Nobody is without it, and the sociable have most of it."""
    strength = 0.2 + 0.5 * view.character.personality.extraversion
    urgency = min(1.0, GROWN * silent / len(view.cast))
    name = pack(view.language).phrases["desire.talk"]
    return Desire(name=name, kind="company", strength=strength, urgency=urgency, grows=0.0, goal=Goal(talked="*"))


def _wish(view: CharacterView, name: str, verb: str, bare: bool) -> Desire:
    kind: DesireKind = next((kind for kind, verbs in KINDS.items() if verb in verbs), "curiosity")
    return Desire(
        name=stage_direction(view.believed, Act(verb_of(verb), name), view.language),
        kind=kind,
        strength=(OWN if bare else ASIDE) * (0.5 if verb == "INSPECT" else 1.0) + (0.3 if _is_mine(view, name) else 0),
        urgency=0.6,
        grows=0.0,
        goal=Goal(did=Deed(verb=verb, target=(name,))),
    )


def _is_mine(view: CharacterView, name: str) -> bool:
    """Whether somebody's persona speaks of such a thing."""
    words = {name, *view.believed.props[name].aliases, *kinds_of(name)}
    persona = view.character.persona.casefold()
    return any(word.casefold() in persona for word in words)


def _inviting_verbs(view: CharacterView, name: str) -> Iterator[str]:
    """The verbs a thing invites to: those it affords, else those that its name suggests; a look, in any case."""
    world, prop = view.believed, view.believed.props[name]
    if prop.owner not in (None, view.who) or is_door(world, name):
        return
    if prop.affordances:
        fit = (one.verb for one in prop.affordances if set(one.needs) <= set(prop.state))
        verbs = [verb for verb in dict.fromkeys(verb_of(one).id for one in fit) if verb in _welcome()]
        verbs = [verb for verb in verbs if verb not in NEEDED or prop.is_(NEEDED[verb])]
    else:
        verbs = _by_name(world, name)
    if prop.container and prop.is_(Condition.CLOSED):
        verbs.append("OPEN")
    here = is_at(world, name, view.scene.location)
    for verb in dict.fromkeys([*verbs, "INSPECT"]):
        if not here or verb != "INSPECT" or denial_of(world, view.who, Act(verb_of(verb), name)) is None:
            yield verb


def _by_name(world: WorldState, name: str) -> list[str]:
    """What a name suggests: the name itself, another word for it, or the noun at its end."""
    prop, low = world.props[name], name.casefold()
    words = {low, low.split(" ")[-1], *(one.casefold() for one in prop.aliases), *kinds_of(low)}
    suggests = lines_of(world.language).suggests
    verbs = [verb for verb, names in suggests.items() if not words.isdisjoint(names)]
    return ["TURN_OFF" if verb == "TURN_ON" and prop.is_(Condition.ON) else verb for verb in verbs]


@cache
def _welcome() -> frozenset[str]:
    """The verbs that do no harm and are more than handling."""
    return frozenset(verb for verbs in KINDS.values() for verb in verbs)
