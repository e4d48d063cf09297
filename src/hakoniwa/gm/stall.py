"""Stall: how much a conversation turns in circles, 0 (lively) to 1 (stuck). Two profiles of weights."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Literal

from hakoniwa.gm.history import PastTurn
from hakoniwa.stage.names import nfkc

log = logging.getLogger("hakoniwa.gm")
Profile = Literal["seed", "repetition"]
WINDOW, COOLDOWN, RECOVERY = 5, 5, 3
NOTICE, WARNING, STUCK = 0.3, 0.5, 0.8
SHORT = 20
WEIGHTS: dict[Profile, dict[str, float]] = {
    "seed": {"no_world_delta_run": 0.50, "topic_repeat": 0.25, "short_response": 0.15, "no_action": 0.10},
    "repetition": {"speech_repetition": 0.70, "no_world_delta_run": 0.20, "short_response": 0.10},
}
_CONTENT = re.compile(r"[一-鿿々]{2,}|[ァ-ヶー]{2,}|[a-z]{4,}")
_ALIKE = 0.75
_LONGEST, _KEPT = 300, 1024


def stall_score(past: Sequence[PastTurn], current: PastTurn, profile: Profile = "seed", window: int = WINDOW) -> float:
    """The weighted shares of the latest turns that go nowhere, over window + 1; a session's first turn scores 0."""
    recent = list(past)[-window:]
    if not recent:
        return 0.0
    turns = [*recent, current]
    score = 0.0
    for name, weight in WEIGHTS[profile].items():
        stuck = sum(INDICATORS[name](turns[:place], one) for place, one in enumerate(turns))
        score += weight * stuck / (window + 1)
    score = round(min(1.0, score), 4)
    if NOTICE <= score <= WARNING:
        fields = {"stall_score": score, "turn": current.turn, "speaker": current.speaker}
        log.info("stall_score=%(stall_score)s turn=%(turn)s speaker=%(speaker)s", fields)
    return score


def _same_topic(before: Sequence[PastTurn], turn: PastTurn) -> bool:
    """Whether at least half of a turn's content words were there already; without any, whether it was all said."""
    words = set(_CONTENT.findall(nfkc(turn.speech).casefold()))
    known = {word for one in before for word in _CONTENT.findall(nfkc(one.speech).casefold())}
    return len(words & known) * 2 >= len(words) if words else _said_before(before, turn)


def _said_before(before: Sequence[PastTurn], turn: PastTurn) -> bool:
    """Whether a turn says nearly the same as an earlier one; turns the GM injected do not count."""
    words = turn.speech[:_LONGEST]
    return bool(words) and not turn.injected and any(_alike(words, one.speech[:_LONGEST]) for one in before)


@lru_cache(maxsize=_KEPT)
def _alike(one: str, other: str) -> bool:
    """Whether two lines are nearly the same; a window's lines are compared at every turn, so the answers are kept."""
    match = SequenceMatcher(None, one, other, autojunk=False)
    return bool(other) and min(match.real_quick_ratio(), match.quick_ratio()) >= _ALIKE and match.ratio() >= _ALIKE


INDICATORS: dict[str, Callable[[Sequence[PastTurn], PastTurn], bool]] = {
    "no_world_delta_run": lambda _, turn: not turn.moved,
    "short_response": lambda _, turn: len(turn.speech) < SHORT,
    "no_action": lambda _, turn: not turn.acted,
    "topic_repeat": _same_topic,
    "speech_repetition": _said_before,
}


def moves_world(delta: Sequence[Any]) -> bool:
    """Whether a delta touches more than the chronicle and the clock."""
    paths = [one["path"] if isinstance(one, Mapping) else one.path for one in delta]
    return any(not path.startswith(("/events", "/time")) for path in paths)


def calculate_stall_score(
    history: Sequence[Mapping[str, Any]], current_delta: Sequence[Mapping[str, Any]], window: int = WINDOW
) -> float:
    """The stall score from plain records: turns with `world_delta`, `speech` and `action_intents` where known."""
    past = [_from_record(one) for one in history]
    if not past:
        return 0.0
    moved = moves_world(current_delta)
    return stall_score(past, PastTurn(len(past), "", speech=" " * SHORT, moved=moved, acted=moved), "seed", window)


def _from_record(record: Mapping[str, Any]) -> PastTurn:
    intents = record.get("action_intents") or record.get("parsed", {}).get("action_intents", [])
    names = [one["intent"] if isinstance(one, Mapping) else str(one) for one in intents]
    return PastTurn(
        turn=int(record.get("turn_number", 0)),
        speaker=str(record.get("speaker", "")),
        speech=str(record.get("speech") or record.get("parsed", {}).get("speech") or ""),
        moved=moves_world(record.get("world_delta") or ()),
        acted=any(name not in ("SAY", "EMOTE") for name in names),
    )


def recovery_share(injected: Sequence[int], moved: Sequence[int]) -> float | None:
    """The share of injected incidents after which the world moved within three turns; None if there was none."""
    if not injected:
        return None
    good = [any(turn < step <= turn + RECOVERY for step in moved) for turn in injected]
    return round(sum(good) / len(good), 4)
