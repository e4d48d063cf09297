"""Rundown: what of every row on a line is at hand, however long the line is."""

from array import array
from collections.abc import Sequence

from hakoniwa.actor.mind import Mood
from hakoniwa.turn import Event

AXES = 3
CALM = Mood()
NOBODY = ""


class RowIndex:
    """The turn and the kind of every row; and of turns, who had them and how they felt then."""

    def __init__(self) -> None:
        self.turns = array("q")
        self._names: dict[str, int] = {}  # kinds and speakers, each with its number
        self._kinds, self._speakers, self._moods = array("H"), array("H"), array("d")

    @property
    def last_turn(self) -> int:
        return self.turns[-1] if self.turns else 0

    def add(self, event: Event) -> None:
        speaker = event.payload["speaker"] if event.kind == "turn" else NOBODY
        mood = Mood.model_validate(event.payload.get("mind", {}).get("mood", {})) if speaker else CALM
        self.turns.append(event.turn)
        self._kinds.append(self._number(event.kind))
        self._speakers.append(self._number(speaker))
        self._moods.extend((mood.valence, mood.arousal, mood.dominance))

    def cut(self, places: int) -> None:
        """Leave out all but so many rows."""
        for known in (self.turns, self._kinds, self._speakers):
            del known[places:]
        del self._moods[places * AXES :]

    def of_kinds(self, *kinds: str) -> list[int]:
        """The places of all rows of some kinds."""
        wanted = {self._names.get(kind) for kind in kinds}
        return [place for place, kind in enumerate(self._kinds) if kind in wanted]

    def is_kind(self, place: int, *kinds: str) -> bool:
        return self._kinds[place] in {self._names.get(kind) for kind in kinds}

    def turns_of(self, who: str) -> list[int]:
        """The places of all turns that somebody had."""
        wanted = self._names.get(who)
        return [place for place, speaker in enumerate(self._speakers) if speaker == wanted]

    def mood(self, place: int) -> Sequence[float]:
        """Valence, arousal and dominance of who had that turn, after it."""
        return self._moods[place * AXES : (place + 1) * AXES]

    def _number(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))
