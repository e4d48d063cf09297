"""Composition root: settings and a scenario become a session."""

import importlib
import os
import secrets
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hakoniwa.actor import character
from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.turn_prompts import Phases, TurnForm
from hakoniwa.director.critic import ModelCritic
from hakoniwa.director.evaluate import Director, DirectorHybrid, DirectorMinimal
from hakoniwa.errors import UnknownName
from hakoniwa.journal import GardenRecord, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm import ChatModel
from hakoniwa.llm.faults import Timeouts
from hakoniwa.llm.find import ServerPlace, ServerSearch, missing_model, place, places, sampling_fields, search
from hakoniwa.llm.ledger import Budget, Ledger
from hakoniwa.own_files import write_atomically
from hakoniwa.play.draft import ObservedModel, PieceListener
from hakoniwa.play.session import Mind, Session, surroundings
from hakoniwa.settings import AUTO, BUILTIN, Settings
from hakoniwa.stage import scenario as scenarios
from hakoniwa.stage.import_xml import read_scene
from hakoniwa.stage.scenario import Scenario
from hakoniwa.turn import Status

OPENAI, LANGUAGE = "hakoniwa.llm.openai", "hakoniwa.actor.language"
PHASES_FILE = "phases.json"
_PHASES: TypeAdapter[dict[str, Phases]] = TypeAdapter(dict[str, Phases])


def journal_of(settings: Settings) -> Journal:
    return open_journal(settings.journal_url)


def places_of(settings: Settings) -> list[ServerPlace]:
    """Where a model server is looked for: at the address that is set, which alone gets the key that is set, or wherever
    one usually is."""
    if settings.base_url:
        key = settings.api_key or os.environ.get("OPENAI_API_KEY", "")
        return [place(settings.base_url, "base_url", key)]
    return places(os.environ)


def model_of(settings: Settings) -> ServerSearch:
    """The model that speaks for the characters, if there is to be one; one that is named and missing is an error."""
    if settings.model == BUILTIN:
        return ServerSearch()
    name = "" if settings.model == AUTO else settings.model
    found = search(places_of(settings), name)
    if found.model is None and (name or settings.base_url):
        raise missing_model(found, name)
    if found.model is not None and settings.context:
        return found.model_copy(update={"model": found.model.model_copy(update={"context": settings.context})})
    return found


def ledger_of(settings: Settings, found: ServerSearch) -> Ledger | None:
    """The model that was found, with its budget. What talks to a server takes a second to load: only then is it."""
    if found.server is None or found.model is None:
        return None
    server = importlib.import_module(OPENAI).OpenAIChat(
        found.model.name, found.server.url, found.server.key, found.model.context,
        patience=Timeouts(whole=settings.seconds_per_call),
        sampling=sampling_fields(settings.sampling, found.model.name, found.server.kind),
    )  # fmt: skip
    return Ledger(server, Budget(session_tokens=settings.tokens_per_session, hour_tokens=settings.tokens_per_hour))


def mind_of(settings: Settings, found: ServerSearch, hear: PieceListener | None = None) -> Mind:
    """Who plays the characters, perhaps overheard while they speak."""
    return observed_mind(ledger_of(settings, found), settings, hear)


def observed_mind(model: ChatModel | None, settings: Settings, hear: PieceListener | None) -> Mind:
    """A mind that speaks through a model, or with nobody there to speak for it through its phrasebook."""
    if model is None:
        return BuiltinMind()
    inner, budget = (model.model, model.budget) if isinstance(model, Ledger) else (model, None)
    ledger = Ledger(ObservedModel(inner, hear) if hear else inner, budget)
    mind: Mind = importlib.import_module(LANGUAGE).LanguageMind(ledger, turn_form(settings, ledger.name))
    return mind


def turn_form(settings: Settings, model: str) -> TurnForm:
    """How a model is asked for a turn: as it is set, or as the doctor found it to play best."""
    phases = found_phases(settings).get(model, "two") if settings.phases == "auto" else settings.phases
    return TurnForm(acts=settings.acts, phases=phases, scene=settings.scene, history=settings.history)


def found_phases(settings: Settings) -> dict[str, Phases]:
    """In how many phases each model plays best, as far as the doctor has tried it."""
    try:
        return _PHASES.validate_json((settings.home / PHASES_FILE).read_bytes())
    except (OSError, ValidationError):
        return {}


def keep_phases(settings: Settings, model: str, phases: Phases) -> None:
    """Note what the doctor found of a model."""
    found = {**found_phases(settings), model: phases}
    settings.home.mkdir(parents=True, exist_ok=True)
    write_atomically(settings.home / PHASES_FILE, _PHASES.dump_json(found, indent=1))


def director_of(settings: Settings, session: Session) -> Director:
    """Who judges the lines of a garden: the checks alone or, if it is set and a model plays, the model's score too."""
    session.leak_status = Status.RETRY if settings.leaks == "retake" else Status.PASS
    model = getattr(session.mind, "model", None)
    if model is None or not settings.critic:
        return DirectorMinimal()
    return DirectorHybrid(ModelCritic(model, partial(surroundings, session)))


def scenario_at(name: str) -> tuple[Scenario, Path]:
    """A scenario by shipped name or by path, and where its sheets are looked for."""
    path = scenarios.find(name)
    return (read_scene(path) if path.suffix == ".xml" else scenarios.load(path)), path.parent


def sheets_of(scenario: Scenario, beside: Path) -> dict[str, character.Character]:
    """The sheet of everyone in the cast."""
    return {who: character.load(role.sheet, beside) for who, role in scenario.cast.items()}


def another_seed() -> int:
    """A seed for a garden that nobody has given one, short enough to be typed again."""
    return secrets.randbelow(1_000_000)


def record_of(
    scenario: Scenario, sheets: Mapping[str, character.Character], seed: int | None = None, id: str | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> GardenRecord:  # fmt: skip
    """A garden before its first turn: everything a replay starts from."""
    return GardenRecord(
        id=id or f"{scenario.id}-{secrets.token_hex(3)}",
        scenario=character.with_clothes(scenario, sheets).model_dump(mode="json", exclude_unset=True),
        sheets={who: sheet.model_dump(mode="json", exclude_unset=True) for who, sheet in sheets.items()},
        seed=another_seed() if seed is None else seed,
        settings=dict(settings),
    )


def new_session(
    journal: Journal, name: str, seed: int | None, garden_id: str | None = None, mind: Mind | None = None
) -> Session:
    """A new garden from a scenario; unless another mind is given, the built-in one plays it."""
    scenario, beside = scenario_at(name)
    garden = record_of(scenario, sheets_of(scenario, beside), seed, garden_id)
    journal.create(garden)
    return Session(journal, garden, mind or BuiltinMind())


def resumed_session(journal: Journal, garden_id: str, branch: str = "main", mind: Mind | None = None) -> Session:
    """A garden that was played before, where it was left."""
    garden = journal.garden(garden_id)
    known = [one.name for one in journal.branches(garden_id)]
    if branch not in known:
        raise UnknownName("unknown.branch", name=branch, known=", ".join(known))
    return Session(journal, garden, mind or BuiltinMind(), branch)
