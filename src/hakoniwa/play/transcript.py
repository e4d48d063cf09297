"""Transcripts: what each character has witnessed, line by line, as a third person would tell it."""

from array import array
from collections.abc import Sequence
from functools import partial

from hakoniwa.actor.window import Transcript, TranscriptLine
from hakoniwa.chat.lineage import CHAT
from hakoniwa.journal import Row
from hakoniwa.journal.follow import shared_places
from hakoniwa.pack import pack
from hakoniwa.play.script import ScriptEntry
from hakoniwa.play.standing import chronicle_lines
from hakoniwa.play.timeline import Timeline
from hakoniwa.turn import Event


class Transcripts:
    """The lines of everyone on a timeline. Whoever witnessed the same has the same lines, letter for letter."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._lines = {who: Transcript(again=partial(self._again, who)) for who in timeline.cast}
        self._seqs = array("q")

    def of(self, who: str) -> Transcript:
        """The lines of one character, up to the newest row."""
        rows = self._timeline.rows
        self._take_back(shared_places(self._seqs, rows.seqs))
        for row, entries in self._timeline.read_script(len(self._seqs), len(rows)):
            self._seqs.append(row.seq)
            line = self._line(row, entries)
            for witness in row.event.witnesses:
                if witness in self._lines and line.text:
                    self._lines[witness].add(line)
        return self._lines[who]

    def _take_back(self, places: int) -> None:
        if places < len(self._seqs):
            del self._seqs[places:]
            for lines in self._lines.values():
                lines.take_back(self._seqs[-1] if self._seqs else 0)

    def _again(self, who: str) -> list[TranscriptLine]:
        """All lines of one character once more."""
        rows = self._timeline.read_script(0, len(self._seqs))
        lines = [self._line(row, entries) for row, entries in rows if who in row.event.witnesses]
        return [line for line in lines if line.text]

    def _line(self, row: Row, entries: Sequence[ScriptEntry]) -> TranscriptLine:
        language = self._timeline.scenario.world.language
        told = [_entry_line(entry, language) for entry in entries] or [_private_line(row.event, language)]
        return TranscriptLine(
            "\n".join(one for one in told if one), " ".join(chronicle_lines(row.event.world_delta)), row.seq
        )


def _private_line(event: Event, language: str) -> str:
    """Words in private, which the script has not: only who was spoken with has witnessed them."""
    heard, said = event.payload.get("user_text"), event.payload.get("assistant_text")
    if event.kind != CHAT or not (heard or said):
        return ""
    told = pack(language).phrases["transcript.private"]
    return told.format(who=event.witnesses[0], heard=heard or "", said=said or "")


def _entry_line(entry: ScriptEntry, language: str) -> str:
    """One entry of the script as a line of prose; headings and endings are none."""
    phrases = pack(language).phrases
    if entry.kind in ("scene", "end"):
        return ""
    direction = phrases["transcript.direction"].format(text=entry.direction) if entry.direction else ""
    match entry.kind:
        case "speech" | "opening" | "user":
            quoted = phrases["transcript.speech"].format(text=entry.text)
            return f"{entry.name or phrases['transcript.voice']}{direction}{quoted}"
        case "direction":
            return entry.name + phrases["transcript.direction"].format(text=entry.text)
        case "denied":
            return f"{entry.name}{direction}{phrases['transcript.denied'].format(text=entry.text)}"
    return phrases["transcript.told"].format(text=entry.text)
