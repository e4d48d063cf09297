"""Transcripts: what each character has witnessed, line by line, as a third person would tell it."""

from collections.abc import Iterable, Iterator, Sequence

from hakoniwa.actor.window import Line, Transcript
from hakoniwa.journal import Row
from hakoniwa.pack import pack
from hakoniwa.play.script import Entry, Script
from hakoniwa.play.standing import noted
from hakoniwa.stage.world import WorldState

PAGE = 256


class Transcripts:
    """Follows the rows of a garden. Whoever witnessed the same has the same lines, letter for letter."""

    def __init__(self, opening: WorldState, cast: Iterable[str]) -> None:
        self._script = Script(opening)
        self._language = opening.language
        self._lines = {who: Transcript() for who in cast}
        self._read = 0

    def of(self, who: str, rows: Sequence[Row]) -> Transcript:
        """The lines of one character, up to the newest of these rows."""
        for row in _from(rows, self._read):
            note = " ".join(noted(row.event.world_delta))
            lines = [told for entry in self._script.read(row.event) if (told := _told(entry, self._language))]
            line = Line("\n".join(lines), note, row.seq)
            for witness in row.event.witnesses:
                if witness in self._lines and lines:
                    self._lines[witness].add(line)
        self._read = len(rows)
        return self._lines[who]


def _from(rows: Sequence[Row], place: int) -> Iterator[Row]:
    """The rows from one on, some at a time: they may have to be read, and there may be many."""
    for start in range(place, len(rows), PAGE):
        yield from rows[start : start + PAGE]


def _told(entry: Entry, language: str) -> str:
    """One entry of the script as a line of prose; headings and endings are none."""
    phrases = pack(language).phrases
    if entry.kind in ("scene", "end"):
        return ""
    direction = phrases["transcript.direction"].format(text=entry.direction) if entry.direction else ""
    match entry.kind:
        case "speech" | "opening" | "user":
            name = entry.name or (phrases["transcript.voice"] if entry.kind == "user" else "")
            quoted = phrases["transcript.speech"].format(text=entry.text) if name else entry.text
            return f"{name}{direction}{quoted}"
        case "direction":
            return entry.name + phrases["transcript.direction"].format(text=entry.text)
        case "denied":
            return f"{entry.name}{direction}{phrases['transcript.denied'].format(text=entry.text)}"
    return phrases["transcript.told"].format(text=entry.text)
