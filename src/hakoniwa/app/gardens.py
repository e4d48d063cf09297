"""Gardens from scenarios on the shelf, and what can be said of them without opening them."""

from collections.abc import Mapping

from hakoniwa.actor.character import Character
from hakoniwa.app import record_of
from hakoniwa.app.labels import label_of
from hakoniwa.app.user_files import UserFiles
from hakoniwa.app.user_personas import KeptPersona, with_player
from hakoniwa.chat.lineage import ME
from hakoniwa.errors import UnknownName
from hakoniwa.journal import GardenRecord, GardenSummary, Journal, Row
from hakoniwa.journal.follow import row_at
from hakoniwa.stage.scenario import Scenario, scenario_in
from hakoniwa.turn import Value

MOST_ROWS_BACK = 50  # rows that are looked back on for whether a garden has ended
AFTER_END = frozenset({"user", "chat", "prop", "incident", "cue", "errand", "undo", "choice"})  # ended stays ended


class GardenListItem(Value):
    """One garden in a list; `turn`, `at` and `ended` are those of the branch that was played last."""

    id: str
    scenario: str
    title: str
    language: str
    seed: int
    branch: str
    turn: int
    at: str | None
    ended: bool
    branches: tuple[str, ...]
    tags: tuple[str, ...] = ()
    archived: bool = False
    running: tuple[str, ...] = ()


def new_garden(
    journal: Journal, shelf: UserFiles, scenario: str, seed: int | None, name: str | None,
    me: KeptPersona | None = None,
) -> GardenRecord:  # fmt: skip
    """A garden from a scenario, before its first turn, perhaps with the user as one of its people."""
    found = scenario_in(shelf.scenario(scenario))
    garden = record_with(found, shelf.cast(found), me, seed, name)
    journal.create(garden)
    return garden


def record_with(
    scenario: Scenario, sheets: Mapping[str, Character], me: KeptPersona | None, seed: int | None, name: str | None
) -> GardenRecord:
    """A garden before its first turn that says who the user is in it."""
    settings = {ME: me.model_dump(mode="json")} if me else {}
    return record_of(*with_player(scenario, sheets, me), seed, name, settings)


def player_of(garden: GardenRecord) -> KeptPersona | None:
    """Who the user is in a garden, as it was when it was begun."""
    return KeptPersona.model_validate(garden.settings[ME]) if ME in garden.settings else None


def played_gardens(journal: Journal) -> list[GardenSummary]:
    """Every garden that is played: neither chats nor what others keep with the referee."""
    return [one for one in journal.plates() if one.scenario]


def garden_at(journal: Journal, id: str) -> GardenRecord:
    """The garden of that id, or UnknownName; a chat is none."""
    found = journal.garden(id)
    if not found.scenario:
        raise UnknownName("unknown.garden", name=id, known=", ".join(one.id for one in played_gardens(journal)))
    return found


def summaries(journal: Journal, limit: int, archived: bool = False) -> list[GardenListItem]:
    """Gardens, those that are put away or the others, the one that was played last first."""
    kept = [one for one in played_gardens(journal) if label_of(one.settings).archived == archived]
    newest = sorted(kept, key=lambda one: -one.newest)
    return [summary(journal, one) for one in newest[:limit]]


def summary(journal: Journal, garden: GardenSummary) -> GardenListItem:
    last = max(garden.branches, key=lambda one: (one.head or 0, one.parent is not None))
    row = row_at(journal, garden.id, last.head)
    label = label_of(garden.settings)
    return GardenListItem(
        tags=label.tags,
        archived=label.archived,
        id=garden.id,
        scenario=garden.scenario or "",
        title=label.title or garden.title or "",
        language=garden.language or "ja",
        seed=garden.seed,
        branch=last.name,
        turn=row.event.turn if row else 0,
        at=row.recorded_at if row else None,
        ended=_has_ended(journal, garden.id, row),
        branches=tuple(one.name for one in garden.branches),
    )


def _has_ended(journal: Journal, garden: str, row: Row | None) -> bool:
    """Whether a line has come to an end and nobody has gone on since."""
    for _ in range(MOST_ROWS_BACK):
        if row is None or row.event.kind not in AFTER_END:
            break
        row = row_at(journal, garden, row.parent)
    return row is not None and row.event.kind == "end"
