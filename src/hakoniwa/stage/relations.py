"""Relations: what one person feels for another, as numbers that move by rules over what happens between them."""

from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import yaml
from pydantic import Field, TypeAdapter

from hakoniwa.pack import pack
from hakoniwa.turn import Fact, Value

Degree = Annotated[float, Field(ge=-1, le=1)]
MAX_CAUSES = 8


class RelationChange(Value):
    """What moved a feeling: which turn, what happened, and by how much."""

    turn: int
    event: str
    trust: float = 0.0
    warmth: float = 0.0
    debt: float = 0.0


class Bond(Value):
    """What somebody feels for somebody: how far they trust and like them, and what they owe them."""

    trust: Degree = 0.3
    warmth: Degree = 0.0
    debt: Degree = 0.0


class Feeling(Value):
    """A bond as it stands, with the latest changes that led there."""

    bond: Bond = Bond()
    causes: tuple[RelationChange, ...] = ()


class Promise(Value):
    """What somebody promised to do, to whom, and when; `meant` is whether they have set about it since."""

    who: str
    to: str
    deed: Fact
    turn: int
    meant: bool = False

    def desire_name(self, language: str) -> str:
        """What the wish to keep it is called."""
        known, (verb, _, what) = pack(language), (self.deed.object or "").partition(" ")
        return known.phrases["desire.promise"].format(who=self.to, act=known.act(verb, what=what, other=""))


class RelationRule(Value):
    """One line of relations.yaml: whose feeling for whom is moved, and how far."""

    of: Literal["doer", "other"]
    for_: Literal["doer", "other"] = Field(alias="for")
    trust: float = 0.0
    warmth: float = 0.0
    debt: float = 0.0


Relations = dict[tuple[str, str], Feeling]


@cache
def rules() -> dict[str, tuple[RelationRule, ...]]:
    text = files("hakoniwa").joinpath("lexicon", "relations.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, tuple[RelationRule, ...]]).validate_python(yaml.safe_load(text))


def move_relations(relations: Relations, event: str, doer: str, other: str, turn: int) -> None:
    """Let what one did to the other move what they feel."""
    people = {"doer": doer, "other": other}
    for rule in rules()[event] if doer != other else ():
        pair = people[rule.of], people[rule.for_]
        if pair in relations:
            relations[pair] = _moved_feeling(relations[pair], rule, event, turn)


def _moved_feeling(feeling: Feeling, rule: RelationRule, event: str, turn: int) -> Feeling:
    moves = {name: getattr(rule, name) for name in ("trust", "warmth", "debt")}
    bond = Bond(**{name: _clip(getattr(feeling.bond, name) + by) for name, by in moves.items()})
    change = RelationChange(turn=turn, event=event, **moves)
    return Feeling(bond=bond, causes=(*feeling.causes, change)[-MAX_CAUSES:])


def _clip(number: float) -> float:
    return round(max(-1.0, min(1.0, number)), 4)


def confidence(bond: Bond, openness: float) -> float:
    """How far what somebody says is believed: the trust in them, times how open the hearer is to what is new."""
    return round((1 + bond.trust) / 2 * (0.5 + openness / 2), 4)
