"""Verifying a garden: its rows add up, every delta applies, and every hash is that of the world it speaks of."""

from pydantic import ValidationError

from hakoniwa.errors import JournalError, WorldError
from hakoniwa.journal import Journal, Row
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import WorldState


def verify(journal: Journal, garden_id: str) -> list[str]:
    """What does not add up, each naming its place; empty when the journal can be trusted."""
    found = journal.check(garden_id)
    try:
        opening = Scenario.model_validate(journal.garden(garden_id).scenario).world
    except ValidationError as error:
        return [*found, f"garden {garden_id!r}: its scenario cannot be read: {error.errors()[0]['msg']}"]
    by_place: dict[str, str] = {}
    for branch in journal.branches(garden_id):
        for place, problem in _refolded(journal, garden_id, branch.name, opening).items():
            by_place.setdefault(place, f"branch {branch.name!r}, {place}: {problem}")
    return [*found, *by_place.values()]


def _refolded(journal: Journal, garden_id: str, branch: str, opening: WorldState) -> dict[str, str]:
    """The problems of one branch by place; from a delta that does not apply on, nothing can be said."""
    try:
        rows = journal.lineage(garden_id, branch)
    except JournalError as error:
        return {f"head of {branch!r}": f"its rows cannot be read: {error}"}
    found: dict[str, str] = {}
    world = opening
    for row in rows:
        place = f"turn {row.event.turn}, row {row.seq}"
        try:
            world = apply(world, row.event.world_delta)
        except WorldError as error:
            return {**found, place: f"its delta does not apply: {error}"}
        if problem := _wrong_hash(row, world):
            found[place] = problem
    return found


def _wrong_hash(row: Row, world: WorldState) -> str | None:
    recorded = row.event.state_hash
    if recorded is None or recorded == world.hash:
        return None
    return f"its state_hash is {recorded}, but the world it leaves has {world.hash}"
