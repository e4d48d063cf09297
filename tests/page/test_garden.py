"""The garden: a play that is watched and steered."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.page.browser import NARROW, Tab, tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.script import bubbles, draft, opened, person, script, step
from tests.page.served import Served, until
from tests.page.words import Words, in_english, in_japanese


@pytest.fixture
def garden(console: Tab, served: Served, play: Play) -> str:
    """A garden that nobody has played in, open in the console."""
    id = served.garden(play.scenario, play.new())
    opened(console, id)
    return id


def test_a_scenario_is_opened_and_played(console: Tab, model: Model, play: Play) -> None:
    model.lines.extend([play.turns_on, play.plain])
    console.enter()
    console.button("garden.openThis", play.title).first.click()
    expect(console.page.get_by_role("heading", level=1, name=play.title)).to_be_visible()
    for _ in range(2):
        step(console)
    expect(bubbles(console).first.locator(".direction")).to_be_visible()
    expect(bubbles(console).last).to_contain_text(play.said)
    expect(script(console).locator(".scene")).to_contain_text(play.room)
    expect(script(console).locator(".told")).to_contain_text(play.told)
    voices = script(console).locator(".voice").all()
    assert [one.locator("b").inner_text() for one in voices] == [play.one, play.other]
    assert len({one.evaluate("one => one.style.getPropertyValue('--hue')") for one in voices}) == 2


@in_english
def test_what_cannot_be_is_told(console: Tab, model: Model, garden: str, play: Play) -> None:
    model.line, model.prose = play.turns_off, 1
    step(console)
    expect(script(console).locator(".denied")).to_contain_text(f"{console.words('garden.denied')}")
    expect(script(console).locator(".denied")).to_contain_text(play.refusal)


def test_words_come_as_they_are_spoken_and_stop_hangs_up(console: Tab, model: Model, garden: str, play: Play) -> None:
    model.line = play.plain
    model.may_go_on.clear()
    console.button("controls.step").click()
    expect(draft(console).locator("p")).to_have_text(play.plain[:3])
    expect(draft(console)).to_have_attribute("aria-busy", "true")
    console.button("controls.stop").click()
    until(lambda: model.hung_up)
    expect(draft(console)).to_have_count(0)
    expect(bubbles(console)).to_have_count(0)
    console.notices("garden.rests.stopped")


@in_english
def test_the_last_turn_is_played_anew_and_the_one_before_is_kept(
    console: Tab, model: Model, garden: str, play: Play
) -> None:
    model.lines.extend([play.takes, play.nod])
    step(console)
    expect(bubbles(console)).to_contain_text([play.speech])
    console.button("controls.again").click()
    expect(bubbles(console)).not_to_contain_text([play.speech])
    expect(bubbles(console)).to_have_count(1)
    console.button("controls.take", 1).click()
    expect(bubbles(console)).to_contain_text([play.speech])


@in_japanese
def test_the_last_turn_is_taken_back(console: Tab, model: Model, garden: str, play: Play) -> None:
    model.lines.append(play.takes)
    step(console)
    expect(bubbles(console)).to_have_count(1)
    console.button("controls.undo").click()
    expect(bubbles(console)).to_have_count(0)
    expect(console.button("controls.undo")).to_be_disabled()


@in_japanese
def test_it_runs_by_itself_until_it_is_paused(console: Tab, served: Served, model: Model, garden: str) -> None:
    model.prose = 100  # the same line again is no line where acts are data
    speed = console.choice("controls.speed")
    speed.select_option("0")
    console.button("controls.run").click()
    expect(bubbles(console).nth(2)).to_be_visible()
    speed.select_option("15")
    until(lambda: served.get(f"/v1/gardens/{garden}")["pace"]["speed"] == 15)
    console.button("controls.pause").click()
    expect(console.button("controls.run")).to_be_enabled()
    expect(console.button("controls.step")).to_be_enabled()
    played = bubbles(console).count()
    step(console)
    expect(bubbles(console)).to_have_count(played + 1)


@in_english
def test_somebody_is_nominated_and_somebody_muted(console: Tab, model: Model, garden: str, play: Play) -> None:
    other, one = person(console, play.other), person(console, play.one)
    other.locator("summary").click()
    console.button("cue.next", within=other).click()
    expect(other.locator("summary")).to_contain_text(console.words("cue.nextUp"))
    step(console)
    expect(script(console).locator(".voice b")).to_have_text([play.other])
    one.locator("summary").click()
    console.button("cue.mute", within=one).click()
    expect(one).to_have_class(re.compile("muted"))
    for _ in range(2):
        step(console)
    expect(script(console).locator(".voice b")).to_have_text([play.other] * 3)
    console.button("cue.unmute", within=one).click()
    expect(one).not_to_have_class(re.compile("muted"))


@in_japanese
def test_a_garden_that_has_ended_says_so_and_what_is_next(console: Tab, garden: str) -> None:
    def ended(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "ended": "goal"})

    console.page.route(f"**/v1/gardens/{garden}?*", ended)
    console.page.reload()
    console.sees(console.words("garden.over"), script(console))
    for way in ("forkEarlier", "readAgain", "otherScenario"):
        expect(console.link(f"garden.{way}")).to_be_visible()
    with console.page.expect_request(lambda one: one.method == "POST") as asked:
        console.button("garden.otherSeed").click()
    assert asked.value.post_data_json == {"scenario": "kitchen_morning"}


@in_english
def test_a_garden_tells_its_seed_and_begins_again_with_it(console: Tab, served: Served, garden: str) -> None:
    seed = served.get(f"/v1/gardens/{garden}")["seed"]
    console.link("garden.seedIs", seed).click()
    track, arrow = console.page.get_by_role("slider"), console.button("timeline.back")
    boxes = [one.bounding_box() for one in (track, arrow)]
    middles = [box["y"] + box["height"] / 2 for box in boxes if box]
    assert abs(middles[0] - middles[1]) < 2
    console.button("garden.sameSeed").click()
    expect(script(console)).to_be_visible()
    another = console.page.url.rpartition("/")[2]
    assert another != garden
    assert served.get(f"/v1/gardens/{another}")["seed"] == seed


@in_japanese
def test_on_a_narrow_screen_controls_have_words(browser: Browser, served: Served, words: Words, garden: str) -> None:
    with tab(browser, served, words, NARROW) as narrow:
        opened(narrow, garden)
        for name in ("run", "step", "goOn", "again", "undo"):
            expect(narrow.button(f"controls.{name}").get_by_text(words(f"controls.{name}"))).to_be_in_viewport()
            expect(narrow.button(f"controls.{name}")).to_have_attribute("title", words(f"controls.{name}Hint"))
