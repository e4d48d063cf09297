"""Appraisal: what a character takes people and proposals for, by numbers, and what their body asks of them. It raises
desires, weighs them, and orders means."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from hakoniwa.actor.character import Character
from hakoniwa.actor.view import CharacterView
from hakoniwa.gm.checks import affordances_for
from hakoniwa.pack import pack, word_in
from hakoniwa.stage.goal import Deed, Desire, Goal, Share
from hakoniwa.stage.relations import Bond, Promise
from hakoniwa.stage.scene import SeenPerson
from hakoniwa.stage.status import StatusRule, pulls, status_level
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

TakesFor = Literal["threat", "prey", "wary", "kindness", "trap"]
ANXIOUS, SHY_OF_STRANGERS, KIND, SUSPICIOUS = 0.6, 0.7, 0.6, 0.4
STRANGER, PER_LEVEL = 3, 0.2  # how dangerous somebody unknown is to those who fear strangers; what a level counts
STRONGEST, URGENT, PROMISED = 0.95, 0.9, 0.6
POSTURES = ("LIE", "SIT")


class Appraisal(Value):
    """What somebody takes a person, or what that person proposes, for; how much so, and the status that says it."""

    what: str
    takes_for: TakesFor
    strength: Share
    reason: str = ""


def appraise_person(view: CharacterView, person: SeenPerson) -> Appraisal | None:
    """What somebody in the room is to this character: nothing, unless they look dangerous."""
    who = view.character.personality
    danger, reason = _danger(view, person)
    if not danger:
        return None
    taken: tuple[TakesFor, float]
    if who.neuroticism >= ANXIOUS:
        taken = "threat", danger * (0.5 + who.neuroticism / 2)
    elif who.agreeableness <= SUSPICIOUS:
        taken = "prey", danger * (1 - who.agreeableness)
    else:
        taken = "wary", danger / 2
    return Appraisal(what=person.name, takes_for=taken[0], strength=_share(taken[1]), reason=reason)


def _danger(view: CharacterView, person: SeenPerson) -> tuple[float, str]:
    """How dangerous somebody looks, and by which status; to some, whoever they do not know is so."""
    levels = [one for one in map(status_level, person.status) if word_in("threats", one.word)]
    if levels:
        worst = max(levels, key=lambda one: one.level)
        return 0.2 + PER_LEVEL * worst.level, worst.word
    known = person.name in view.character.speech.address or person.name in view.character.aliases
    fears = not known and view.character.personality.neuroticism >= SHY_OF_STRANGERS
    return (PER_LEVEL * STRANGER, "") if fears else (0.0, "")


def appraise_proposal(character: Character, by: str) -> Appraisal | None:
    """What somebody's wish is taken for: kindly meant, or with something behind it."""
    trusting = character.personality.agreeableness
    if trusting >= KIND:
        return Appraisal(what=by, takes_for="kindness", strength=trusting)
    return Appraisal(what=by, takes_for="trap", strength=_share(1 - trusting)) if trusting <= SUSPICIOUS else None


def proposal_weight(character: Character, desire: Desire) -> float:
    """How much a desire counts for having been asked for: suspicion takes from it, trust adds."""
    taken = appraise_proposal(character, desire.by) if desire.by else None
    if taken is None:
        return 1.0
    return 1.0 + 0.25 * taken.strength if taken.takes_for == "kindness" else 1.0 - 0.6 * taken.strength


def appraisals(view: CharacterView) -> list[Appraisal]:
    """What the people in the room are taken for, the strongest first."""
    others = [one for one in view.scene.people if one.name != view.who]
    found = [taken for one in others if (taken := appraise_person(view, one))]
    return sorted(found, key=lambda one: -one.strength)


# --- desires that follow --------------------------------------------------------------------------------------------


def desires_now(view: CharacterView) -> Iterator[Desire]:
    """What the people in the room, as they are taken, one's word and one's own body make one want."""
    for one in appraisals(view):
        if one.takes_for == "threat":
            yield _raised_desire(view, "keep-away", one, "safety", Goal(away=one.what))
        elif one.takes_for == "prey":
            yield _raised_desire(view, "face", one, "esteem", Goal(did=_deed_of_facing(view, one.what)))
    yield from promised_desires(view.promises, view.bonds, view.language)
    for level, rule in pulls(view.believed.characters[view.who]):
        if deed := _relief(view.believed, view.who, rule):
            name = pack(view.language).phrases["desire.body"].format(what=level.word)
            pull = _share(PER_LEVEL * level.level)
            yield Desire(name=name, kind=rule.kind, strength=pull, urgency=pull, goal=Goal(did=deed))


def promised_desires(promises: Iterable[Promise], bonds: Mapping[str, Bond], language: str) -> Iterator[Desire]:
    """A promise is a goal: it is worth the more, the more somebody thinks of the one it was made to."""
    for one in promises:
        verb, _, target = (one.deed.object or "").partition(" ")
        bond = bonds.get(one.to, Bond())
        strength = _share(PROMISED + 0.2 * (bond.trust + bond.warmth))
        goal = Goal(did=Deed(verb=verb, target=(target,)))
        yield Desire(name=one.desire_name(language), kind="duty", strength=strength, urgency=PROMISED, goal=goal)


def _raised_desire(
    view: CharacterView, key: str, taken: Appraisal, kind: Literal["safety", "esteem"], goal: Goal
) -> Desire:
    name = pack(view.language).phrases[f"desire.{key}"].format(who=taken.what)
    return Desire(name=name, kind=kind, strength=taken.strength, urgency=URGENT, grows=0.0, goal=goal)


def _deed_of_facing(view: CharacterView, who: str) -> Deed:
    """Stepping up to somebody: with what can be wielded, if it is known where, or with a hard look."""
    arms = [name for name in view.believed.props if _is_weapon(view.believed, name)]
    return Deed(verb="POINT_AT", target=(arms[0],), destination=(who,)) if arms else Deed(verb="INSPECT", target=(who,))


def _is_weapon(world: WorldState, name: str) -> bool:
    return word_in("weapons", name) or bool(world.props[name].affordances and affordances_for(world, name, "WIELD"))


def _relief(world: WorldState, who: str, rule: StatusRule) -> Deed | None:
    """The first deed that answers what the body asks for with something that is known; who rests need not sit down."""
    for verb in rule.wants:
        things = [name for name in world.props if affordances_for(world, name, verb) or _feeds(world, name, verb)]
        if things and not (world.characters[who].posture and verb in POSTURES):
            return Deed(verb=verb, target=tuple(things))
    return None


def _feeds(world: WorldState, name: str, verb: str) -> bool:
    return world.props[name].edible == {"EAT": "food", "DRINK": "drink"}.get(verb, "")


def _share(number: float) -> float:
    return round(max(0.0, min(STRONGEST, number)), 4)
