"""Nothing yet, no model, a model that goes away, a server that dies: each of them is told, and nothing is lost."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browser import Tab, tab
from tests.page.model import Model
from tests.page.plays import PLAYS, Play
from tests.page.script import alone, bubbles, composer, draft, opened, script, step
from tests.page.served import Served, serving
from tests.page.words import Words, in_english, in_japanese

NOBODY = "http://127.0.0.1:9/v1"  # the port of those who throw everything away
BACK = 60_000  # milliseconds for a page to find out that its server is back
# With this, whoever waits by the clock for a server to be back waits for ever: it is not the clock that is to tell.
STOPPED_CLOCK = """((real) => {
  window.setTimeout = (call, ms, ...given) => real(call, ms > 250 ? 2e9 : ms, ...given);
})(setTimeout)"""
GONE = r"ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE"


def test_nothing_is_there_yet_and_no_model(browser: Browser, both: dict[str, Words], tmp_path: Path) -> None:
    with serving(tmp_path, MODEL="builtin") as served, ExitStack() as tabs:
        consoles = [tabs.enter_context(tab(browser, served, words)) for words in both.values()]
        for console in consoles:
            words = console.words
            console.enter()
            console.sees(words("garden.first"))
            console.sees(words("garden.firstText"))
            for view in ("map", "timeline", "why"):
                console.go(view)
                console.sees(words("garden.first"))
            console.go("chat")
            console.sees(words("chat.withWhom"))
            console.go("autonomy")
            console.sees(words("autonomy.none"))
            console.go("memory")
            console.sees(words("memory.none"))
            console.go("editor")
            console.sees(words("editor.chooseText"))
            console.go("settings")
            console.sees(words("settings.builtin"))
            console.sees(words("settings.connect.0"))
        for console in consoles:
            play = PLAYS[console.words.language]
            garden = served.garden(play.scenario, play.new())
            console.go(f"why/{garden}")
            console.sees(console.words("why.nothingText"))
            console.go(f"garden/{garden}")
            expect(script(console)).to_be_visible()
            step(console)
            expect(bubbles(console)).to_have_count(1)
            console.link_named(console.words("garden.builtin")).click()
            console.sees(console.words("settings.builtin"))


def test_a_model_that_is_not_there_is_told_of_where_one_waits_for_it(
    browser: Browser, both: dict[str, Words], tmp_path: Path
) -> None:
    with serving(tmp_path, BASE_URL=NOBODY) as served:
        for language, words in both.items():
            with tab(browser, served, words) as console:
                console.forgive("502")
                opened(console, served.garden(PLAYS[language].scenario, PLAYS[language].new()))
                console.button("controls.step").click()
                expect(script(console).get_by_role("alert")).to_contain_text(NOBODY)
                console.go("settings")
                console.sees(NOBODY)


@in_english
def test_a_model_that_goes_away_in_the_middle_of_a_turn_is_told_of(
    console: Tab, served: Served, model: Model, play: Play
) -> None:
    opened(console, served.garden(play.scenario, play.new()))
    model.breaks = True
    console.button("controls.step").click()
    told = script(console).get_by_role("alert")
    expect(told).to_contain_text(console.words("garden.faulty", "").strip())
    expect(console.button("controls.step")).to_be_enabled()
    expect(draft(console)).to_have_count(0)
    expect(bubbles(console)).to_have_count(0)
    model.breaks = False
    step(console)
    expect(bubbles(console)).to_have_count(1)
    expect(told).to_have_count(0)


@in_japanese
def test_a_model_that_goes_away_in_the_middle_of_an_answer_leaves_what_was_said(
    console: Tab, served: Served, model: Model, play: Play
) -> None:
    chat = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    console.enter(f"chat/{chat}")
    model.breaks = True
    field = console.field("chat.to", play.one)
    field.fill(play.said)
    field.press("Enter")
    expect(console.page.get_by_role("alert")).to_be_visible()
    console.sees(play.said)
    model.breaks = False
    expect(console.button("chat.send")).to_be_visible()
    field.fill(play.said)
    field.press("Enter")
    console.sees(play.answer)


@pytest.fixture
def mortal(stage_model: Model, tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, BASE_URL=stage_model.base_url) as server:
        yield server


@pytest.mark.long
@in_japanese
def test_a_server_that_is_killed_is_found_again_and_nothing_is_lost_or_doubled(
    browser: Browser, mortal: Served, model: Model, words: Words, play: Play
) -> None:
    model.lines.extend([play.takes, play.plain])
    garden = mortal.garden(play.scenario, play.new(), turns=2)
    with tab(browser, mortal, words) as console:
        console.forgive(GONE)
        console.page.add_init_script(STOPPED_CLOCK)
        opened(console, garden)
        alone(console)
        field = console.field("compose.sayHint", within=composer(console, "say"))
        field.fill(play.said)
        model.may_go_on.clear()
        console.button("controls.step").click()
        expect(draft(console)).to_be_visible()
        mortal.kill()
        lost = console.page.get_by_role("status").filter(has_text=words("shell.lost"))
        expect(lost).to_be_visible()
        model.may_go_on.set()
        mortal.start()
        expect(lost).to_have_count(0, timeout=BACK)
        expect(draft(console)).to_have_count(0)
        expect(bubbles(console)).to_have_count(2)
        expect(field).to_have_value(play.said)
        mortal.post(f"/v1/gardens/{garden}/turn")  # somebody else plays on: the page hears of it again
        expect(bubbles(console)).to_have_count(3, timeout=BACK)
        field.press("Enter")
        expect(script(console).locator(".user")).to_contain_text([play.said])
        expect(bubbles(console)).to_contain_text([play.speech])
        console.page.reload()
        expect(bubbles(console)).to_have_count(3)
        expect(script(console).locator(".user")).to_have_count(1)
