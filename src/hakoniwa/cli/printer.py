"""Printer: follows a journal and prints each new row once, as a play or as JSON; every kind of entry has its style."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from rich.text import Text

from hakoniwa.cli.screen import WIDEST, Screen, cells, harmless_json, printable, wrap_text
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import ModelError
from hakoniwa.journal import Row, canonical_json
from hakoniwa.messages import tell
from hakoniwa.pack import pack
from hakoniwa.play.script import ScriptEntry, ScriptReader
from hakoniwa.play.session import Session
from hakoniwa.play.standing import turn_of
from hakoniwa.stage.world import WorldState, story_name
from hakoniwa.turn import Event

SPEAKER_STYLES = ("bold cyan", "bold yellow", "bold green", "bold magenta", "bold blue", "bold bright_red")
USER, DIRECTION, NARRATION, DENIAL, HAPPENING, HEADING, ASIDE = (
    "bold underline", "dim italic", "bright_blue", "red", "bold bright_magenta", "bold", "dim",
)  # fmt: skip


class Punctuation(NamedTuple):
    """The brackets and quotes of a language."""

    opens: str
    closes: str
    says: str
    said: str
    between: str
    breaks: str
    gap: str


PUNCTUATION = {
    "ja": Punctuation("（", "）", "「", "」", "　", "――", ""),
    "en": Punctuation("(", ")", "“", "”", " · ", " —", " "),
}


class Painter:
    """Turns entries of a script into styled text, in the language of the story."""

    def __init__(self, cast: Iterable[str], story: str, voice: str, you: str) -> None:
        self.styles = {who: SPEAKER_STYLES[place % len(SPEAKER_STYLES)] for place, who in enumerate(cast)}
        self.marks = PUNCTUATION[story]
        self.voice, self.you = voice, you

    def entry(self, entry: ScriptEntry) -> Text:
        match entry.kind:
            case "scene":
                return self._scene(entry)
            case "speech" | "opening" | "user":
                return self._named(entry).append_text(self._direction(entry.direction)).append_text(self._quoted(entry))
            case "direction":
                return self._named(entry).append_text(self._direction(entry.text))
            case "denied":
                return self._denied(entry)
            case "incident":
                return Text.assemble(("  ✦ ", HAPPENING), (entry.text, HAPPENING))
        return Text.assemble(("  │ ", NARRATION), (entry.text, NARRATION))

    def thought(self, text: str) -> Text:
        return Text.assemble(("  ‥ ", ASIDE), (text, ASIDE + " italic"))

    def _scene(self, entry: ScriptEntry) -> Text:
        """A heading; one that only follows somebody into another room, under the same sky, is a small one."""
        if entry.cut:
            return Text(self.marks.between.join(part for part in (entry.text, entry.clock) if part), f"{HEADING} dim")
        when = " ".join(part for part in (entry.time, entry.clock) if part)
        return Text(self.marks.between.join(part for part in (entry.text, when, entry.weather) if part), HEADING)

    def _named(self, entry: ScriptEntry) -> Text:
        """Who it is: one of the cast, the user, or a voice without a name."""
        if entry.kind == "user" and entry.speaker not in self.styles:
            return Text.assemble((self.you, USER), " ")
        name = entry.name or (self.voice if entry.kind == "opening" else "")
        return Text.assemble((name, self.styles.get(entry.speaker or "", HEADING)), " ") if name else Text("  ")

    def _direction(self, text: str) -> Text:
        return Text(f"{self.marks.opens}{text}{self.marks.closes}", DIRECTION) if text else Text()

    def _quoted(self, entry: ScriptEntry) -> Text:
        gap = self.marks.gap if entry.direction else ""
        return Text(f"{gap}{self.marks.says}{entry.text}{self.marks.said}")

    def _denied(self, entry: ScriptEntry) -> Text:
        marks = self.marks
        tried = f"{marks.opens}{entry.direction}{marks.breaks}{marks.closes}{marks.gap}" if entry.direction else ""
        head = self._named(entry) if entry.name else Text()
        return Text.assemble(head, ("  ✗ ", DENIAL), (tried, DIRECTION), (entry.text, DENIAL))


def state_line(world: WorldState) -> str:
    """Time, place, weather and who holds what, in one line."""
    when = " ".join(part for part in (world.time.label, world.time.clock) if part)
    held = [
        f"{story_name(world, who)}: {pack(world.language).phrases['list'].join(figure.holding)}"
        for who, figure in world.characters.items()
        if figure.holding
    ]
    return " │ ".join(part for part in (when, world.location.current, world.meta.weather, *held) if part)


class Printer(Protocol):
    """Prints what happens in a garden; `seen` is the newest row that was printed."""

    seen: int

    def follow(self, rows: Sequence[Row]) -> None:
        """Print the rows that have not been printed yet."""
        ...

    def rewind(self, rows: Sequence[Row]) -> None:
        """Take these rows as printed: the garden has gone back to them, or was left at them."""
        ...


class JsonPrinter(Printer):
    """One JSON object a line: the canonical event and its number."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.seen = 0

    def follow(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if row.seq > self.seen:
                self._print(row.event, row.seq)
        self.rewind(rows)

    def rewind(self, rows: Sequence[Row]) -> None:
        self.seen = max([self.seen, *(row.seq for row in rows[-1:])])

    def end(self, turn: int, reason: str) -> None:
        """An end that is no event of the garden: it can go on."""
        event = Event(kind="end", turn=turn, origin="user", payload={"reason": reason})
        self._print(event, None)

    def _print(self, event: Event, seq: int | None) -> None:
        self.terminal.print(harmless_json(canonical_json({**event.model_dump(mode="json"), "seq": seq})))


class PlayPrinter(Printer):
    """A play: headings, speech, stage directions, narration; in colour where there is any."""

    def __init__(self, terminal: Terminal, session: Session, thoughts: bool = False) -> None:
        self.terminal = terminal
        self.console = Screen()
        self.painter = Painter(
            session.cast, session.scenario.language, terminal.say("play.voice"), terminal.say("play.you")
        )
        self.opening = session.scenario.world
        self.script = ScriptReader(self.opening)
        self.seen = 0
        self.thoughts = thoughts

    @property
    def width(self) -> int | None:
        """Where lines end; text that goes into a file or a pipe is not broken."""
        return min(self.console.width, WIDEST) if self.console.is_terminal else None

    def line(self, text: Text | str = "", indent: int = 2) -> None:
        whole = Text(printable(text)) if isinstance(text, str) else text
        for part in whole.split("\n", allow_blank=True):
            for one in wrap_text(part, self.width, indent):
                self.console.print(one, soft_wrap=True)

    def lines(self, texts: Iterable[Text | str]) -> None:
        for text in texts:
            self.line(text)

    def table(self, rows: Mapping[str, str | Text]) -> None:
        """Names with what is to be said of each; what does not fit on its line goes on under itself."""
        column = max((cells(name) for name in rows), default=0) + 4
        for name, said in rows.items():
            text = Text(printable(said)) if isinstance(said, str) else said
            head = Text(f"  {name}".ljust(column - cells(name) + len(name)), HEADING)
            for place, part in enumerate(text.split("\n", allow_blank=True)):
                self.line(Text.assemble(head if not place else " " * column, part), indent=column)

    def aside(self, text: str) -> None:
        """A word of the interface, told apart from the play."""
        self.line(Text(printable(text), ASIDE), indent=0)

    def alarm(self, text: str) -> None:
        """Something the user asked for cannot be."""
        self.line(Text(printable(text), "yellow"), indent=0)

    def title(self, text: str) -> None:
        self.line(Text(printable(text), HEADING), indent=0)

    def follow(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if row.seq > self.seen:
                self.entries(self.script.read(row.event))
                if row.event.kind == "fault":
                    self.fault(row.event)
                if self.thoughts and row.event.kind == "turn":
                    self.think(row.event)
                self.seen = row.seq

    def fault(self, event: Event) -> None:
        """Why somebody missed their turn, and what to do about it."""
        error = ModelError(event.payload["fault"], **event.payload.get("details", {}))
        self.alarm(tell(error, self.terminal.lang))

    def think(self, event: Event) -> None:
        if thought := turn_of(event).thought.text:
            self.line(self.painter.thought(printable(thought)), indent=4)

    def entries(self, entries: Iterable[ScriptEntry]) -> None:
        for entry in entries:
            if entry.kind == "scene":
                self.line()
            if entry.text:
                self.line(self.painter.entry(_printable(entry)), indent=4)

    def rewind(self, rows: Sequence[Row]) -> None:
        self.script = ScriptReader(self.opening)
        for row in rows:
            self.script.read(row.event)
        self.seen = max([self.seen, *(row.seq for row in rows[-1:])])

    def recap(self, rows: Sequence[Row], turns: int) -> None:
        """Print the latest turns once more, for someone who comes back."""
        starts = [place for place, row in enumerate(rows) if row.event.kind == "turn"]
        start = starts[-turns] if len(starts) >= turns else 0
        script = ScriptReader(self.opening)
        told = [script.read(row.event) for row in rows]
        before = [one for entries in told[:start] for one in entries if one.kind == "scene"]
        latest = [one for entries in told[start:] for one in entries]
        self.entries(latest if latest and latest[0].kind == "scene" else [*before[-1:], *latest])


def _printable(entry: ScriptEntry) -> ScriptEntry:
    texts = {name: printable(value) for name, value in entry if isinstance(value, str) and name != "kind"}
    return entry.model_copy(update=texts)
