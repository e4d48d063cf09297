"""What can be done once a garden has come to its end, each as a command that works."""

from collections.abc import Iterator

from hakoniwa.cli.live.show import Show
from hakoniwa.cli.play import Wanted
from hakoniwa.play.session import Session
from hakoniwa.stage.scenario import find, load, shipped

FINAL = frozenset({"goal", "none", "denials"})  # the story is over; a model that fails only interrupts it


def has_ended(session: Session) -> bool:
    return session.standing.ended in FINAL


def offer_more(show: Show, wanted: Wanted) -> None:
    """Say that this garden has ended, and what one may do next."""
    show.tell("play.has-ended")
    show.printer.table(dict(_offers(show, wanted)))


def _offers(show: Show, wanted: Wanted) -> Iterator[tuple[str, str]]:
    session, command = show.session, show.terminal.command
    garden, middle = session.garden.id, session.world.time.turn // 2
    if (again := _scenario_again(session, wanted)) is not None:
        yield show.say("play.next.again"), command("play", again, "--new")
    forked = ["--new", f"from-{middle}", "--at", str(middle), "--from", session.branch]
    yield show.say("play.next.fork"), command("branch", garden, *forked)
    yield show.say("play.next.read"), command("replay", garden, "--branch", session.branch)
    yield show.say("play.next.other"), command("play", _another_scenario(session))


def _scenario_again(session: Session, wanted: Wanted) -> str | None:
    """How to name the scenario; the file that a garden was made from is known only to who named it just now."""
    if wanted.scenario_named or wanted.garden is None or wanted.new:
        return wanted.scenario
    return session.scenario.id if session.scenario.id in shipped() else None


def _another_scenario(session: Session) -> str:
    """The one after this among those of its language that come with Hakoniwa."""
    names = [name for name in shipped() if load(find(name)).language == session.scenario.language]
    here = names.index(session.scenario.id) if session.scenario.id in names else -1
    return names[(here + 1) % len(names)]
