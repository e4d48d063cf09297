"""Transcripts: what each character has witnessed, line by line, as a third person would tell it."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, islice

from hakoniwa.actor.window import Transcript, TranscriptLine
from hakoniwa.journal import Row
from hakoniwa.pack import pack
from hakoniwa.play.rows import pages
from hakoniwa.play.script import ScriptEntry, ScriptReader
from hakoniwa.play.standing import chronicle_lines
from hakoniwa.stage.world import WorldState


class Transcripts:
    """Follows the rows of a garden. Whoever witnessed the same has the same lines, letter for letter."""

    def __init__(self, opening: WorldState, cast: Iterable[str]) -> None:
        self._opening, self._script = opening, ScriptReader(opening)
        self._lines = {who: Transcript(again=partial(self._again, who)) for who in cast}
        self._rows: Sequence[Row] = ()
        self._read = 0

    def of(self, who: str, rows: Sequence[Row]) -> Transcript:
        """The lines of one character, up to the newest of these rows."""
        for row in chain.from_iterable(pages(rows, self._read)):
            line = _row_line(self._script, row)
            for witness in row.event.witnesses:
                if witness in self._lines and line.text:
                    self._lines[witness].add(line)
        self._rows, self._read = rows, len(rows)
        return self._lines[who]

    def _again(self, who: str) -> list[TranscriptLine]:
        """All lines of one character once more."""
        script = ScriptReader(self._opening)
        rows = islice(chain.from_iterable(pages(self._rows)), self._read)
        lines = ((_row_line(script, row), row.event.witnesses) for row in rows)
        return [line for line, witnesses in lines if line.text and who in witnesses]


def _row_line(script: ScriptReader, row: Row) -> TranscriptLine:
    told = (_entry_line(entry, script.world.language) for entry in script.read(row.event))
    return TranscriptLine(
        "\n".join(one for one in told if one), " ".join(chronicle_lines(row.event.world_delta)), row.seq
    )


def _entry_line(entry: ScriptEntry, language: str) -> str:
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
