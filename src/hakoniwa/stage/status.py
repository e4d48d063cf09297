"""Status: what somebody's body says of itself, as numbers: 疲労(Lv.4) falls, is eased, and pulls at its owner."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml

from hakoniwa.messages import LOADER
from hakoniwa.stage.goal import DesireKind
from hakoniwa.stage.patch import pointer
from hakoniwa.stage.world import Figure, WorldState
from hakoniwa.turn import PatchOp, Value

PLAIN, MOST = 3, 5  # the level of a word that names none, and the highest there is
_LEVEL = re.compile(r"^(?P<word>.+?)\s*[(（]Lv\.?\s*(?P<level>\d+)[)）]$")


class StatusRule(Value):
    """How one kind of status goes: the words for it, what is wanted because of it and by which verbs, what eases it by
    a level, and after how many minutes it moves one level by itself, at rest (with a posture) or not; 0: never."""

    words: tuple[str, ...]
    kind: DesireKind = "body"
    wants: tuple[str, ...] = ()
    eased_by: tuple[str, ...] = ()
    falls: int = 0
    falls_at_rest: int = 0


class StatusLevel(NamedTuple):
    """A status with its number. `numbered`: it says so itself."""

    word: str
    level: int
    numbered: bool

    @property
    def written(self) -> str:
        return f"{self.word}(Lv.{self.level})" if self.numbered else self.word


def status_level(status: str) -> StatusLevel:
    """A status as its word and its number."""
    if found := _LEVEL.match(status):
        return StatusLevel(found["word"], min(MOST, int(found["level"])), True)
    return StatusLevel(status, PLAIN, False)


def status_rule(word: str) -> StatusRule | None:
    """The rule for a word of a status, or of a longer one that begins or ends with it."""
    low = word.casefold()
    return next((rule for rule in _rules().values() if any(one in low for one in rule.words)), None)


@cache
def _rules() -> dict[str, StatusRule]:
    text = files("hakoniwa").joinpath("lexicon", "status.yaml").read_text(encoding="utf-8")
    return {name: StatusRule.model_validate(one) for name, one in yaml.load(text, Loader=LOADER).items()}


def pulls(figure: Figure) -> Iterator[tuple[StatusLevel, StatusRule]]:
    """What somebody's body asks of them."""
    for one in map(status_level, figure.status):
        rule = status_rule(one.word)
        if rule is not None and rule.wants:
            yield one, rule


def status_delta(world: WorldState, who: str, verbs: Iterable[str], minute: int, minutes: int) -> tuple[PatchOp, ...]:
    """How what somebody did, and the minutes that passed with it, move their status. `minute` counts from midnight."""
    figure, done = world.characters[who], frozenset(verbs)
    moved = [_move_status(one, figure, done, minute, minutes) for one in figure.status]
    kept = [one for one in moved if one is not None]
    if kept == list(figure.status):
        return ()
    return (PatchOp(op="replace", path=pointer("characters", who, "status"), value=kept),)


def _move_status(status: str, figure: Figure, done: frozenset[str], minute: int, minutes: int) -> str | None:
    """A status after a turn; None where it is over."""
    one = status_level(status)
    rule = status_rule(one.word)
    if rule is None:
        return status
    every = rule.falls_at_rest if figure.posture and rule.falls_at_rest else rule.falls
    passed = bool(every) and minute // every != (minute + minutes) // every
    fallen = len(done & set(rule.eased_by)) + (passed and one.numbered)
    level = one.level - fallen if one.numbered or not fallen else 0
    return one._replace(level=level).written if level > 0 else None
