"""How a play looks in a terminal: every kind of entry in a style of its own, wrapped as Japanese is."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.text import Text

from hakoniwa.pack import pack
from hakoniwa.play.script import Entry
from hakoniwa.stage.world import WorldState, called

VOICES = ("bold cyan", "bold yellow", "bold green", "bold magenta", "bold blue", "bold bright_red")
USER, DIRECTION, NARRATION, DENIAL, HAPPENING, HEADING, ASIDE = (
    "bold underline", "dim italic", "bright_blue", "red", "bold bright_magenta", "bold", "dim",
)  # fmt: skip


class Marks(NamedTuple):
    """The brackets and quotes of a language."""

    opens: str
    closes: str
    says: str
    said: str
    between: str
    breaks: str
    gap: str


MARKS = {
    "ja": Marks("（", "）", "「", "」", "　", "――", ""),
    "en": Marks("(", ")", "“", "”", " · ", " —", " "),
}


class Painter:
    """Turns entries of a script into styled text, in the language of the story."""

    def __init__(self, cast: Iterable[str], story: str, voice: str, you: str) -> None:
        self.styles = {who: VOICES[place % len(VOICES)] for place, who in enumerate(cast)}
        self.marks = MARKS[story]
        self.voice, self.you = voice, you

    def entry(self, entry: Entry) -> Text:
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

    def _scene(self, entry: Entry) -> Text:
        """A heading; one that only follows somebody into another room, under the same sky, is a small one."""
        if entry.cut:
            return Text(self.marks.between.join(part for part in (entry.text, entry.clock) if part), f"{HEADING} dim")
        when = " ".join(part for part in (entry.time, entry.clock) if part)
        return Text(self.marks.between.join(part for part in (entry.text, when, entry.weather) if part), HEADING)

    def _named(self, entry: Entry) -> Text:
        """Who it is: one of the cast, the user, or a voice without a name."""
        if entry.kind == "user" and entry.speaker not in self.styles:
            return Text.assemble((self.you, USER), " ")
        name = entry.name or (self.voice if entry.kind == "opening" else "")
        return Text.assemble((name, self.styles.get(entry.speaker or "", HEADING)), " ") if name else Text("  ")

    def _direction(self, text: str) -> Text:
        return Text(f"{self.marks.opens}{text}{self.marks.closes}", DIRECTION) if text else Text()

    def _quoted(self, entry: Entry) -> Text:
        gap = self.marks.gap if entry.direction else ""
        return Text(f"{gap}{self.marks.says}{entry.text}{self.marks.said}")

    def _denied(self, entry: Entry) -> Text:
        marks = self.marks
        tried = f"{marks.opens}{entry.direction}{marks.breaks}{marks.closes}{marks.gap}" if entry.direction else ""
        head = self._named(entry) if entry.name else Text()
        return Text.assemble(head, ("  ✗ ", DENIAL), (tried, DIRECTION), (entry.text, DENIAL))


def state_line(world: WorldState) -> str:
    """Time, place, weather and who holds what, in one line."""
    when = " ".join(part for part in (world.time.label, world.time.clock) if part)
    held = [
        f"{called(world, who)}: {pack(world.language).phrases['list'].join(figure.holding)}"
        for who, figure in world.characters.items()
        if figure.holding
    ]
    return " │ ".join(part for part in (when, world.location.current, world.meta.weather, *held) if part)
