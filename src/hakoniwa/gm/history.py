"""What the GM remembers of a session: enough to notice repetition and to know who was asked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hakoniwa.gm.act import Act
from hakoniwa.stage.names import nfkc
from hakoniwa.turn import ActionIntent, IntentKind

MAX_SPEAKERS, MAX_MARKS, MAX_MARK, MAX_SPEECH = 64, 64, 200, 2_000  # of what is remembered, however much there was
_NOISE = re.compile(r"[\s、。，．,.!！?？…・「」『』\"'~〜ー-]+")


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One earlier turn: its acts and questions, whom it asked, whether it acted at all and moved the world."""

    turn: int
    speaker: str
    marks: tuple[str, ...] = ()
    asked: str | None = None
    speech: str = ""
    moved: bool = False
    acted: bool = False
    injected: bool = False


def signature(wanted: Sequence[ActionIntent], acts: Sequence[Act]) -> tuple[str, ...]:
    """The acts and questions of a turn, in a form in which repetitions are equal."""
    questions = [f"ASK:{_NOISE.sub('', nfkc(one.detail or ''))}" for one in wanted if one.intent == IntentKind.ASK]
    return tuple(dict.fromkeys(mark[:MAX_MARK] for mark in [*(act.tag for act in acts), *questions]))[:MAX_MARKS]


class History:
    """The turns of one session, kept by speaker so that looking back does not depend on their number."""

    def __init__(self, past: Sequence[PastTurn] = ()) -> None:
        self._by_speaker: dict[str, list[PastTurn]] = {}
        self._recent: list[PastTurn] = []
        for one in past:
            self.add(one)

    def add(self, past: PastTurn) -> None:
        """Remember a turn; a retake of the same turn takes the place of the take before."""
        own = self._by_speaker.pop(past.speaker, [])
        if own and own[-1].turn == past.turn:
            own.pop()
            self._recent = [one for one in self._recent if (one.turn, one.speaker) != (past.turn, past.speaker)]
        self._by_speaker[past.speaker] = [*own[-3:], past]
        if len(self._by_speaker) > MAX_SPEAKERS:  # whoever has been silent longest
            del self._by_speaker[next(iter(self._by_speaker))]
        self._recent = [*self._recent[-7:], past]

    def until(self, who: str, turn: int) -> "History":
        """What there was before this turn of this speaker: an earlier take of it counts for nothing."""
        own = self._by_speaker.get(who, [])
        if not own or own[-1].turn != turn:
            return self
        before = History()
        before._by_speaker = {**self._by_speaker, who: own[:-1]}
        before._recent = [one for one in self._recent if (one.turn, one.speaker) != (turn, who)]
        return before

    @property
    def recent(self) -> list[PastTurn]:
        """The latest turns of everybody."""
        return list(self._recent)

    def before(self, past: PastTurn) -> list[PastTurn]:
        """The latest turns before this one; an earlier take of the same turn is none."""
        return [one for one in self._recent if (one.turn, one.speaker) != (past.turn, past.speaker)]

    def touched(self) -> set[str]:
        """The things that recent acts named."""
        return {mark.partition(": ")[2].rstrip(")").split(" -> ")[0] for past in self._recent for mark in past.marks}

    def in_a_row(self, who: str, mark: str) -> int:
        """How many of this speaker's latest turns, one after the other, held this act or question."""
        count = 0
        for past in reversed(self._by_speaker.get(who, [])):
            if mark not in past.marks:
                break
            count += 1
        return count

    def asker_of(self, who: str) -> str | None:
        """Who put a question to `who` that still stands: nobody else's turn answers it, their own does."""
        for back, past in enumerate(reversed(self._recent)):
            if past.speaker == who:
                return None
            if past.asked == who or (past.asked == "*" and back == 0):
                return past.speaker
        return None

    def __bool__(self) -> bool:
        return bool(self._recent)
