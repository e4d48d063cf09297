"""docs/http.md says what there is to be seen of gardens: every field, event and cap."""

import re

import pytest
from pydantic import BaseModel

from hakoniwa.app.gardens import GardenListItem
from hakoniwa.app.lint import Flaw
from hakoniwa.app.user_files import MOST_OWN
from hakoniwa.gm.act import Act, intents
from hakoniwa.gm.contradict import QUESTIONS as CLAIMS
from hakoniwa.gm.trace import QUESTION_OF_REASON
from hakoniwa.journal.takes import TakeOf
from hakoniwa.pack import verb_of
from hakoniwa.service import garden_events
from hakoniwa.service.garden_events import NAMES, PlayedTurn, Problem
from hakoniwa.service.lines import ScriptLine, ScriptPage
from hakoniwa.service.live_gardens import MOST_RUNNING, OPEN_GARDENS, Draft, Pace
from hakoniwa.service.minds import MOST_MOODS, BelievedThing, DesireView, MindView, MoodPoint
from hakoniwa.service.routes import cards, gardens, rewinding, scenarios, servers, staging
from hakoniwa.service.views import (
    BranchComparison,
    BranchSide,
    Difference,
    ExitView,
    GardenView,
    IncidentView,
    MoodView,
    Person,
    Room,
    Thing,
    TimeAndWeather,
)
from hakoniwa.service.whys import CallView, GardenWhy, RefereeAnswer, RefereeQuestions
from tests.service.test_page import PAGE, section
from tests.worlds import tiny

TOLD: tuple[type[BaseModel], ...] = (
    GardenListItem, GardenView, Room, ExitView, Person, MoodView, Thing, TimeAndWeather, IncidentView, Pace, Draft,
    ScriptPage, ScriptLine, MindView,
    BelievedThing, DesireView, MoodPoint, GardenWhy, RefereeQuestions, RefereeAnswer, CallView, BranchComparison,
    BranchSide, Difference, TakeOf,
    PlayedTurn, Flaw,
    gardens.NewGarden, gardens.PossibleActs, gardens.PossibleAct, gardens.BranchView, staging.RunRequest,
    staging.SpeakRequest,
    staging.ActRequest, staging.DropRequest, staging.RingRequest, staging.CueRequest, rewinding.UndoRequest,
    rewinding.ForkRequest, rewinding.EditRequest, rewinding.ChooseRequest, garden_events.ChangeResult,
    scenarios.ScenarioText,
    scenarios.ScenarioDraft, scenarios.ScenarioCheck,
    cards.CardFile, cards.ImportedCard,
    servers.ServersView, servers.ServerView, servers.FindingView, servers.SettingView,
)  # fmt: skip
GARDENS = PAGE.split("# Gardens\n")[1].split("\n# Limits")[0]


@pytest.mark.parametrize("model", TOLD, ids=lambda model: model.__name__)
def test_every_field_is_described(model: type[BaseModel]) -> None:
    assert [name for name in model.model_fields if f"`{name}`" not in GARDENS] == []


def test_every_event_of_a_garden_is_described_with_what_it_has() -> None:
    told = section("Watching a garden")
    for kind, name in NAMES.items():
        (row,) = re.findall(rf"^\| `{re.escape(name)}` \|.*$", told, re.MULTILINE)
        assert kind is Problem or [field for field in kind.model_fields if f"`{field}`" not in row] == []


def test_every_question_of_the_referee_is_named() -> None:
    told = section("Each rule asked")
    acts = [Act(verb_of(verb), "a") for verb in ("GET", "PUT", "EAT", "MOVE", "OPEN")] + [Act(verb_of("USE"))]
    names = [one.name for act in acts for one in intents[act.verb.intent].questions(tiny(), act)]
    names += [
        *QUESTION_OF_REASON.values(),
        *(name for name, _ in CLAIMS),
        "meant",
        "instrument",
        "source",
        "size",
        "repetition",
    ]
    assert [name for name in names if f"`{name}`" not in told] == []


@pytest.mark.parametrize(
    "cap",
    [f"{OPEN_GARDENS} and {MOST_RUNNING} at the same time", f"{garden_events.MOST_TURNS:,}",
    f"{gardens.MOST_GARDENS} gardens",
     f"{gardens.MOST_ROWS} rows", f"{gardens.MOST_ACTS} acts", f"{MOST_MOODS:,} moods",
     f"{scenarios.MOST_TEXT:,} characters; {MOST_OWN:,}"],
)  # fmt: skip
def test_every_cap_is_told(cap: str) -> None:
    assert cap in section("Limits and errors")
