"""Composition root: settings and a scenario become a session."""

import secrets
from pathlib import Path

from hakoniwa.actor import character
from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.errors import UnknownName
from hakoniwa.journal import Garden, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.play.session import Session
from hakoniwa.settings import Settings
from hakoniwa.stage import scenario as scenarios
from hakoniwa.stage.import_xml import read_scene
from hakoniwa.stage.scenario import Scenario


def journal_of(settings: Settings) -> Journal:
    return open_journal(settings.journal_url)


def scenario_at(name: str) -> tuple[Scenario, Path]:
    """A scenario by shipped name or by path, and where its sheets are looked for."""
    path = scenarios.find(name)
    return (read_scene(path) if path.suffix == ".xml" else scenarios.load(path)), path.parent


def sheets_of(scenario: Scenario, beside: Path) -> dict[str, character.Character]:
    """The sheet of everyone in the cast."""
    return {who: character.load(role.sheet, beside) for who, role in scenario.cast.items()}


def new_session(journal: Journal, name: str, seed: int, garden_id: str | None = None) -> Session:
    """A new garden from a scenario."""
    scenario, beside = scenario_at(name)
    sheets = sheets_of(scenario, beside)
    garden = Garden(
        id=garden_id or f"{scenario.id}-{secrets.token_hex(3)}",
        scenario=scenario.model_dump(mode="json", exclude_unset=True),
        sheets={who: sheet.model_dump(mode="json", exclude_unset=True) for who, sheet in sheets.items()},
        seed=seed,
    )
    journal.create(garden)
    return Session(journal, garden, BuiltinMind())


def resumed_session(journal: Journal, garden_id: str, branch: str = "main") -> Session:
    """A garden that was played before, where it was left."""
    garden = journal.garden(garden_id)
    known = [one.name for one in journal.branches(garden_id)]
    if branch not in known:
        raise UnknownName("unknown.branch", name=branch, known=", ".join(known))
    return Session(journal, garden, BuiltinMind(), branch)
