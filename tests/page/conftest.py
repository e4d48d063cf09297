"""A model, a server and a browser, started once for many tests; a tab of its own for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.page.browser import Stagehand, Tab, stagehand, tab
from tests.page.model import Model, modelling
from tests.page.plays import PLAYS, Play
from tests.page.served import Served, serving
from tests.page.words import LANGUAGES, Words, spoken

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def stage_model() -> Iterator[Model]:
    with modelling() as server:
        yield server


@pytest.fixture(scope="session")
def served(stage_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("home"), BASE_URL=stage_model.base_url) as server:
        yield server


@pytest.fixture(scope="session")
def hand() -> Iterator[Stagehand]:
    with stagehand() as waiting:
        yield waiting


@pytest.fixture(scope="session")
def both(hand: Stagehand) -> dict[str, Words]:
    with hand.at_work() as browser:
        return spoken(browser)


@pytest.fixture(autouse=True)
def browser(hand: Stagehand) -> Iterator[Browser]:
    """First of all: whatever else a test asks for may need it."""
    with hand.at_work() as running:
        yield running


@pytest.fixture(params=[LANGUAGES[0], *(pytest.param(one, marks=pytest.mark.long) for one in LANGUAGES[1:])])
def words(both: dict[str, Words], request: pytest.FixtureRequest) -> Words:
    """Japanese in `make test`, unless a walk names its language, and English too in `make trust`."""
    return both[request.param]


@pytest.fixture
def play(words: Words) -> Play:
    return PLAYS[words.language]


@pytest.fixture
def model(stage_model: Model, play: Play) -> Iterator[Model]:
    """The model with nothing on its mind."""
    stage_model.forget()
    stage_model.line, stage_model.answer = play.nod, play.answer
    yield stage_model
    stage_model.forget()


@pytest.fixture
def console(browser: Browser, served: Served, model: Model, words: Words) -> Iterator[Tab]:
    with tab(browser, served, words) as opened:
        yield opened


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser, a server and a model on one busy machine may miss a beat: what fails here has to fail twice."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.flaky(reruns=1))
