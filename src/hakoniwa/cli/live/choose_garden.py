"""Which garden to play: a named one, the one played last, or a new one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hakoniwa.app import mind_of, model_of, new_session, resumed_session, scenario_at, sheets_of
from hakoniwa.cli.play import PlayOptions
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import MAIN, Branch, Garden, Journal
from hakoniwa.llm.find import ServerSearch
from hakoniwa.play.session import Mind, Session
from hakoniwa.settings import Settings
from hakoniwa.stage.scenario import Scenario
from hakoniwa.turn import Value


@dataclass(frozen=True)
class ChosenGarden:
    """A garden to play, who plays in it, and how it came to be chosen.

    `before` is the garden that was not taken up again.
    """

    session: Session
    how: Literal["new", "resumed", "after-end", "after-change"]
    found: ServerSearch
    before: str | None = None


def choose_garden(journal: Journal, settings: Settings, wanted: PlayOptions) -> ChosenGarden:
    """The garden the command line asks for."""
    found = model_of(settings)
    mind = mind_of(settings, found)
    if wanted.garden is not None and not wanted.new:
        return ChosenGarden(_resume_named(journal, wanted, wanted.garden, mind), "resumed", found)
    if wanted.new or wanted.seed is not None:
        return ChosenGarden(_start_new(journal, settings, wanted, mind), "new", found)
    scenario, beside = scenario_at(wanted.scenario)
    last = newest_garden(journal, scenario.id)
    if last is None:
        return ChosenGarden(_start_new(journal, settings, wanted, mind), "new", found)
    if _has_changed(last, scenario, beside):
        return ChosenGarden(_start_new(journal, settings, wanted, mind), "after-change", found, last.id)
    session = resumed_session(journal, last.id, wanted.branch or newest_branch(journal.branches(last.id)).name, mind)
    if session.standing.ended is None:
        return ChosenGarden(session, "resumed", found)
    session.close()
    return ChosenGarden(_start_new(journal, settings, wanted, mind), "after-end", found, last.id)


def _resume_named(journal: Journal, wanted: PlayOptions, name: str, mind: Mind) -> Session:
    garden = journal.garden(name)
    if wanted.seed not in (None, garden.seed):
        raise UsageError("play.seed-fixed", garden=name, found=garden.seed)
    if wanted.scenario_named and scenario_at(wanted.scenario)[0].id != garden.scenario["id"]:
        raise UsageError("play.scenario-fixed", garden=name, found=garden.scenario["id"])
    return resumed_session(journal, name, wanted.branch or newest_branch(journal.branches(name)).name, mind)


def _start_new(journal: Journal, settings: Settings, wanted: PlayOptions, mind: Mind) -> Session:
    if wanted.branch not in (None, MAIN):
        raise UnknownName("unknown.branch", name=wanted.branch, known=MAIN)
    return new_session(journal, wanted.scenario, settings.seed, wanted.garden, mind)


def newest_garden(journal: Journal, scenario: str) -> Garden | None:
    """The garden of a scenario that was played last: rows are numbered across all gardens, in the order of commits."""
    gardens = [one for one in journal.plates() if one.scenario == scenario]
    last = max(gardens, key=lambda one: one.newest, default=None)
    return journal.garden(last.id) if last else None


def newest_branch(branches: list[Branch]) -> Branch:
    """The branch that was played last; one that was forked off and not played yet comes before its parent."""
    return max(branches, key=lambda one: (one.head or 0, one.parent is not None))


def _has_changed(garden: Garden, scenario: Scenario, beside: Path) -> bool:
    """Whether the files the garden was made from say something else today."""
    sheets = {who: _plain(sheet) for who, sheet in sheets_of(scenario, beside).items()}
    return garden.scenario != _plain(scenario) or garden.sheets != sheets


def _plain(value: Value) -> dict[str, Any]:
    return value.model_dump(mode="json", exclude_unset=True)
