"""`hakoniwa play` and `chat`: open a garden and watch it live; talk with one persona, who remembers."""

import importlib
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.text import Text

from hakoniwa.cli.options import (
    BaseUrlOption,
    BranchOption,
    JournalOption,
    MeOption,
    ModelOption,
    ThoughtsOption,
    command,
)
from hakoniwa.cli.screen import WIDEST, Screen, printable, unfold_japanese, wrap_text
from hakoniwa.cli.terminal import Terminal
from hakoniwa.journal import MAIN
from hakoniwa.stage import scenario as scenarios

app = typer.Typer()
DEFAULT_SCENARIOS = {"ja": "kitchen_morning", "en": "tea_room"}
PLAY_LOOP, CHAT_LOOP = "hakoniwa.cli.live.play_loop", "hakoniwa.cli.live.chat_loop"


@dataclass(frozen=True)
class PlayOptions:
    """What was asked for on the command line."""

    scenario: str
    scenario_named: bool
    turns: int | None
    seed: int | None
    garden: str | None
    branch: str | None
    new: bool
    json: bool
    thoughts: bool
    me: str | None = None


@command(app)
def play(
    terminal: Terminal,
    scenario: Annotated[str | None, typer.Argument(metavar="SCENARIO", help="cli.play.scenario")] = None,
    turns: Annotated[int | None, typer.Option("--turns", metavar="N", min=0, help="cli.play.turns")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", min=0, help="cli.play.seed")] = None,
    speed: Annotated[float | None, typer.Option("--speed", metavar="S", min=0, help="cli.play.speed")] = None,
    new: Annotated[bool, typer.Option("--new", help="cli.play.new")] = False,
    garden: Annotated[str | None, typer.Option("--garden", metavar="ID", help="cli.play.garden")] = None,
    branch: Annotated[str | None, typer.Option("--branch", metavar="NAME", help="cli.play.branch")] = None,
    me: MeOption = None,
    thoughts: ThoughtsOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="cli.play.json")] = False,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    journal: JournalOption = None,
) -> None:
    """Play a scenario, going on where it was left."""
    settings = terminal.settings(journal=journal, speed=speed, seed=seed, model=model, base_url=base_url)
    opened = scenario or DEFAULT_SCENARIOS[terminal.lang]
    wanted = PlayOptions(opened, scenario is not None, turns, seed, garden, branch, new, as_json, thoughts, me)
    if not as_json and (garden is None or new):
        show_opening(wanted.scenario)
    # The curtain is up before the stage is built: a database and a prompt take longer to import than to use.
    importlib.import_module(PLAY_LOOP).perform(terminal, settings, wanted)


def show_opening(name: str) -> None:
    """Title and setting of a scenario, at once; a scenario that cannot be read is complained of here."""
    path = scenarios.find(name)
    if path.suffix != ".xml":
        found = scenarios.load(path)
        show_title(found.title, found.description)


def show_title(title: str, description: str) -> None:
    console = Screen()
    width = min(console.width, WIDEST) if console.is_terminal else None
    console.print(Text(printable(title), "bold underline"), soft_wrap=True)
    for line in wrap_text(Text(printable(unfold_japanese(description))), width, indent=0):
        console.print(line, soft_wrap=True)


@command(app)
def chat(
    terminal: Terminal,
    persona: Annotated[str | None, typer.Option("--persona", metavar="NAME", help="cli.chat.persona")] = None,
    new: Annotated[bool, typer.Option("--new", help="cli.chat.new")] = False,
    name: Annotated[str | None, typer.Option("--chat", metavar="ID", help="cli.chat.chat")] = None,
    branch: BranchOption = MAIN,
    garden: Annotated[str | None, typer.Option("--garden", metavar="ID", help="cli.chat.garden")] = None,
    call_me: Annotated[str | None, typer.Option("--call-me", metavar="NAME", help="cli.chat.call-me")] = None,
    me: MeOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    journal: JournalOption = None,
) -> None:
    """Talk, going on where it was left."""
    settings = terminal.settings(journal=journal, model=model, base_url=base_url)
    importlib.import_module(CHAT_LOOP).talk(terminal, settings, persona, name, branch, call_me, garden, me, new=new)
