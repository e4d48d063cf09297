"""Character sheets: who somebody is, in words for a model and in numbers for the code."""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from pydantic import Field

from hakoniwa.actor.lore import MAX_ENTRIES, LoreEntry, LoreScan
from hakoniwa.errors import UnknownName
from hakoniwa.pictures.looks import Look, look_of
from hakoniwa.stage.document import Document
from hakoniwa.stage.goal import Desire, DesireKind, Names, Share
from hakoniwa.stage.relations import Bond
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import Figure, worn_in_words
from hakoniwa.turn import Value


class Personality(Value):
    """Big Five, grit and growth mindset; 0.5 is everyone."""

    openness: Share = 0.5
    conscientiousness: Share = 0.5
    extraversion: Share = 0.5
    agreeableness: Share = 0.5
    neuroticism: Share = 0.5
    grit: Share = 0.5
    growth_mindset: Share = 0.5


class SpeechStyle(Value):
    """How somebody talks: first person, tone, forms they never use, and what they call whom."""

    first_person: str = ""
    tone: str = ""
    forbidden: tuple[str, ...] = ()
    address: dict[str, str] = {}


class Topic(Value):
    """A subject to bring up: how it is asked, and what is said once the other has answered."""

    ask: tuple[str, ...]
    follow: tuple[str, ...] = ()
    to: Names = ()


class Phrasebook(Value):
    """Lines by situation. A key is `VERB`, `VERB thing`, or `*`, each with `@mood` and `>addressee` if wanted."""

    words: dict[str, tuple[str, ...]] = {}
    do: dict[str, tuple[str, ...]] = {}
    failed: dict[str, tuple[str, ...]] = {}
    saw: dict[str, tuple[str, ...]] = {}
    answer: dict[str, tuple[str, ...]] = {}
    greet: dict[str, tuple[str, ...]] = {}
    happened: dict[str, tuple[str, ...]] = {}
    topics: dict[str, Topic] = {}
    idle: dict[str, tuple[str, ...]] = {}
    gestures: tuple[str, ...] = ()


class Instructions(Value):
    """What a card asks of a model in a chat: at the head of it, `depth` messages before its end, and after it."""

    system: str = ""
    at_depth: str = ""
    depth: int = Field(default=4, ge=0, le=1_000)
    after_history: str = ""


class CardSource(Value):
    """The card a sheet was made from: a file beside the sheet, and who its `{{user}}` was taken to be."""

    file: str = Field(pattern=r"^[^/\\:\x00-\x1f]{1,255}$")
    user: str = ""


class Character(Value):
    """Who somebody is. Their body is a `Figure` in the world.

    `improvises`: whether, without a model, they do and say what is around them suggests and their sheet has not."""

    display_name: str
    display_names: tuple[str, ...] = ()
    short_name: str = ""
    aliases: tuple[str, ...] = ()
    persona: str
    looks: str = Field(default="", max_length=1_000)
    speech: SpeechStyle = SpeechStyle()
    personality: Personality = Personality()
    values: dict[DesireKind, float] = Field(default={})
    desires: tuple[Desire, ...] = ()
    relations: dict[str, Bond] = {}
    examples: tuple[str, ...] = ()
    greetings: tuple[str, ...] = ()
    notes: str = ""
    instructions: Instructions = Instructions()
    lore: tuple[LoreEntry, ...] = Field(default=(), max_length=MAX_ENTRIES)
    lore_scan: LoreScan = LoreScan()
    phrasebook: Phrasebook = Phrasebook()
    improvises: bool = True
    card: CardSource | None = None

    @property
    def look(self) -> Look:
        """What they look like where there is no picture of them."""
        return look_of(self.display_name, self.looks, self.persona)


# A scenario may come from anybody: no path, and in at most four bytes a sign no longer than any disk allows.
_SHEET_NAME = re.compile(r"[^/\\:\x00-\x1f]{1,60}")


def _folder() -> Path:
    return Path(str(files("hakoniwa").joinpath("characters")))


def shipped_sheets() -> list[str]:
    """The names of the sheets that come with Hakoniwa."""
    return sorted(path.stem for path in _folder().glob("*.yaml"))


def find(name: str, beside: Path) -> Path:
    """The file of a sheet: beside the scenario, or one that comes with Hakoniwa; a name never leads anywhere else."""
    for folder in (beside, beside / "characters", _folder()) if _SHEET_NAME.fullmatch(name) else ():
        path = folder / f"{name}.yaml"
        if path.is_file():
            return path
    raise UnknownName("unknown.sheet", name=name, known=", ".join(shipped_sheets()))


def with_clothes(scenario: Scenario, sheets: Mapping[str, Character]) -> Scenario:
    """The scenario with what sheets say of clothes, where its world is of the version that has no clothes itself."""
    world = scenario.world
    if world.version != "0.1":
        return scenario
    figures = {who: _figure_with_clothes(figure, sheets.get(who)) for who, figure in world.characters.items()}
    return scenario.with_field("world", world.with_field("characters", figures))


def _figure_with_clothes(figure: Figure, sheet: Character | None) -> Figure:
    told = worn_in_words(" ".join(figure.status))
    worn = [word for word in worn_in_words(sheet.persona if sheet else "") if word not in told]
    return figure.with_field("status", (*figure.status, *worn)) if worn else figure


def load(name: str, beside: Path) -> Character:
    """The sheet of that name."""
    return Document.read(find(name, beside)).to(Character)
