"""Show: a garden at play before a user, the pace it goes at, how it is printed, what is offered at its end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from hakoniwa.cli.play import PlayOptions
from hakoniwa.cli.printer import PlayPrinter
from hakoniwa.cli.terminal import Terminal
from hakoniwa.gm.act import Act
from hakoniwa.gm.typed import TypedLine
from hakoniwa.journal import MAIN
from hakoniwa.play.draft import Draft
from hakoniwa.play.session import Session
from hakoniwa.stage.scenario import find, load, shipped_scenarios


@dataclass
class ShowPace:
    """How fast turns come, and how many are still to come."""

    seconds: float
    turns: int | None = None
    paused: bool = False
    steps: int = 0
    due: float = 0.0
    played: int = 0
    alone: int = 0
    most_alone: int = 0

    def wait(self) -> float | None:
        """Seconds until the next turn; None while nothing is to happen."""
        if self.steps:
            return 0.0
        return None if self.paused else max(0.0, self.due - monotonic())

    def turned(self) -> None:
        """A turn was played."""
        self.played += 1
        self.alone += 1
        self.due = monotonic() + self.seconds
        self.steps = max(0, self.steps - 1)
        self.turns = None if self.turns is None else self.turns - 1

    @property
    def forsaken(self) -> bool:
        """Whether nobody has said a word for as long as that may be, and no number of turns was asked for."""
        return self.turns is None and 0 < self.most_alone <= self.alone

    def pause(self) -> None:
        self.paused, self.steps = True, 0

    def run(self) -> None:
        self.paused, self.due = False, monotonic() + min(self.seconds, 0.3)


@dataclass(frozen=True)
class OpenQuestion:
    """A line that was typed as somebody, of which only who typed it can say how it is meant."""

    who: str
    line: TypedLine


@dataclass
class Overheard:
    """Who is in the middle of a turn, with which words so far, and since when."""

    draft: Draft = field(default_factory=Draft)
    since: float = 0.0

    def begin(self, session: Session) -> None:
        self.draft = self.draft.of(session.world.time.turn + 1, session.speaker())
        self.since = monotonic()

    def hear(self, purpose: str, piece: str) -> None:
        self.draft = self.draft.heard(purpose, piece)

    def silent(self) -> None:
        self.draft = self.draft.silent()

    @property
    def seconds(self) -> int:
        return int(monotonic() - self.since)


@dataclass
class LiveShow:
    """What the commands of the prompt work on."""

    session: Session
    terminal: Terminal
    printer: PlayPrinter
    pace: ShowPace
    overheard: Overheard = field(default_factory=Overheard)
    closing: str | None = None
    offered: dict[str, list[Act]] = field(default_factory=dict)
    question: OpenQuestion | None = None

    def say(self, key: str, /, **details: Any) -> str:
        return self.terminal.say(key, **details)

    def tell(self, key: str, /, **details: Any) -> None:
        """A word of the interface."""
        self.printer.aside(self.terminal.say(key, **details))

    def listed(self, names: Iterable[str]) -> str:
        return self.say("play.comma").join(names)

    def joined(self, parts: Iterable[str]) -> str:
        return self.say("play.gap").join(part for part in parts if part)

    def noted(self, name: str, notes: Iterable[str]) -> str:
        """A name with what is to be added in brackets, if anything is."""
        known = list(notes)
        return self.say("play.noted", name=name, notes=self.listed(known)) if known else name

    def follow(self) -> None:
        """Print what has happened since the last time."""
        self.printer.follow(self.session.rows.after(self.printer.seen))


FINAL = frozenset({"goal", "none", "denials"})  # the story is over; a model that fails only interrupts it


def has_ended(session: Session) -> bool:
    return session.standing.ended in FINAL


def offer_more(show: LiveShow, wanted: PlayOptions) -> None:
    """Say that this garden has ended, and what one may do next."""
    show.tell("play.has-ended")
    show.printer.table(dict(_offers(show, wanted)))


def _offers(show: LiveShow, wanted: PlayOptions) -> Iterator[tuple[str, str]]:
    session, command = show.session, show.terminal.command
    garden, middle = session.garden.id, session.world.time.turn // 2
    if session.standing.next_scenario:
        yield show.say("play.next.chapter"), command("play", session.standing.next_scenario)
    if (again := _scenario_again(session, wanted)) is not None:
        yield show.say("play.next.again"), command("play", again, "--new")
    forked = ["--new", f"from-{middle}", "--at", str(middle), "--from", session.branch]
    yield show.say("play.next.fork"), command("branch", garden, *forked)
    branch = [] if session.branch == MAIN else ["--branch", session.branch]
    more = str(session.scenario.turns)
    yield show.say("play.next.further"), command("play", "--garden", garden, *branch, "--turns", more)
    yield show.say("play.next.read"), command("replay", garden, "--branch", session.branch)
    yield show.say("play.next.other"), command("play", _another_scenario(session))


def _scenario_again(session: Session, wanted: PlayOptions) -> str | None:
    """How to name the scenario; the file that a garden was made from is known only to who named it just now."""
    if wanted.scenario_named or wanted.garden is None or wanted.new:
        return wanted.scenario
    return session.scenario.id if session.scenario.id in shipped_scenarios() else None


def _another_scenario(session: Session) -> str:
    """The story after this among those of its language that come with Hakoniwa."""
    stories = {name: load(find(name)) for name in shipped_scenarios()}
    language = session.scenario.language
    names = [name for name, one in stories.items() if one.language == language and one.shelf == "story"]
    here = names.index(session.scenario.id) if session.scenario.id in names else -1
    return names[(here + 1) % len(names)]
