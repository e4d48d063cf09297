"""Gardens to test with: sessions on a journal in memory, from shipped scenarios or from a few lines of data."""

import asyncio
from collections.abc import Sequence
from typing import Any

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.turn_prompts import TurnForm
from hakoniwa.app import scenario_at, sheets_of
from hakoniwa.journal import GardenRecord, Journal, canonical
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Message
from hakoniwa.play.loop import play
from hakoniwa.play.session import Session
from hakoniwa.turn import Turn

PLAIN: dict[str, Any] = {"display_name": "誰か", "persona": "どこにでもいる人。", "improvises": False}
FREE = TurnForm(acts="free", phases="two")  # a model that thinks, and then plays in its own words


def opened(garden: GardenRecord, journal: Journal | None = None) -> Session:
    """A session on a garden that no journal holds yet."""
    journal = journal or MemoryJournal()
    journal.create(garden)
    return Session(journal, garden, BuiltinMind())


def garden_of(
    world: dict[str, Any], sheets: dict[str, dict[str, Any]], seed: int = 1, id: str = "garden", **scenario: Any
) -> GardenRecord:
    """A garden from a world and sheets; whoever has no sheet wants and does nothing."""
    cast = {who: {"sheet": who, "knows": "all"} for who in world["characters"]}
    data = {"id": id, "title": id, "world": world, "cast": cast, **scenario}
    return GardenRecord(id=id, scenario=data, sheets={who: {**PLAIN, **sheets.get(who, {})} for who in cast}, seed=seed)


def shipped_garden(name: str, seed: int, sheets: dict[str, dict[str, Any]] | None = None) -> GardenRecord:
    """A shipped scenario, with parts of its sheets changed."""
    scenario, beside = scenario_at(name)
    cast = {
        who: merged(sheet.model_dump(mode="json", exclude_unset=True), (sheets or {}).get(who, {}))
        for who, sheet in sheets_of(scenario, beside).items()
    }
    return GardenRecord(id=name, scenario=scenario.model_dump(mode="json", exclude_unset=True), sheets=cast, seed=seed)


def merged(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`data` with `changes` laid over it, mappings into mappings."""
    inner = {key: merged(data[key], value) for key, value in changes.items() if isinstance(data.get(key), dict)}
    return {**data, **changes, **inner}


def first_asked(messages: Sequence[Message]) -> str:
    """All that a prompt of a turn tells before anything is answered: the frame, and what is asked first."""
    frame, first = messages[:2]
    return f"{frame.content}\n\n{first.content}"


def played(session: Session, turns: int) -> list[Turn]:
    """That many turns, or fewer if the garden ends."""

    async def through() -> list[Turn]:
        return [turn async for turn in play(session, turns)]

    return asyncio.run(through())


def export(session: Session) -> list[str]:
    """The canonical export of the branch a session is on."""
    return [canonical(row) for row in session.journal.lineage(session.garden.id, session.branch)]
