"""Rundown: what of every row on a line is at hand, however long the line is."""

import sys
from array import array
from collections.abc import Sequence

from hakoniwa.actor.mind import Mood
from hakoniwa.turn import Event

AXES = 3
CALM = Mood()


class Rundown:
    """The turn and the kind of every row; and of turns, who had them and how they felt then."""

    def __init__(self) -> None:
        self.turns, self.kinds, self.speakers = array("q"), list[str](), list[str | None]()
        self._moods = array("d")

    @property
    def last_turn(self) -> int:
        return self.turns[-1] if self.turns else 0

    def add(self, event: Event) -> None:
        speaker = event.payload["speaker"] if event.kind == "turn" else None
        self.turns.append(event.turn)
        self.kinds.append(sys.intern(event.kind))
        self.speakers.append(speaker and sys.intern(speaker))
        mood = Mood.model_validate(event.payload.get("mind", {}).get("mood", {})) if speaker else CALM
        self._moods.extend((mood.valence, mood.arousal, mood.dominance))

    def cut(self, places: int) -> None:
        """Leave out all but so many rows."""
        for known in (self.turns, self.kinds, self.speakers):
            del known[places:]
        del self._moods[places * AXES :]

    def mood(self, place: int) -> Sequence[float]:
        """Valence, arousal and dominance of who had that turn, after it."""
        return self._moods[place * AXES : (place + 1) * AXES]
