"""The composer: the user speaks, acts, whispers, brings things and rings incidents."""

import pytest
from playwright.sync_api import expect

from tests.page.browser import Tab
from tests.page.plays import Play
from tests.page.script import alone, bubbles, composer, opened, script
from tests.page.served import Served, until
from tests.page.words import in_english, in_japanese


@pytest.fixture
def garden(console: Tab, served: Served, play: Play) -> str:
    id = served.garden(play.scenario, play.new())
    opened(console, id)
    return id


def held(served: Served, garden: str, thing: str) -> str | None:
    things = served.get(f"/v1/gardens/{garden}")["things"]
    return next(one["held_by"] for one in things if one["name"] == thing)


def test_words_to_everybody_are_answered(console: Tab, garden: str, play: Play) -> None:
    field = console.field("compose.sayHint", within=composer(console, "say"))
    field.fill(play.said)
    field.press("Enter")
    expect(script(console).locator(".user").last).to_contain_text(play.said)
    expect(field).to_have_value("")
    expect(bubbles(console)).to_have_count(1)


@in_japanese
def test_an_act_is_chosen_off_the_list(console: Tab, served: Served, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "act")
    desk.get_by_role("combobox").select_option(label=play.one)
    console.field("compose.searchActs", within=desk).fill(play.thing)
    acts = served.get(f"/v1/gardens/{garden}/acts", console.words.language, who=play.one, q=play.thing)["acts"]
    words = next(one["words"] for one in acts if one["tag"].startswith("(GET"))
    desk.get_by_role("button", name=words, exact=True).first.click()
    expect(script(console).locator(".entry").last).to_contain_text(play.thing)
    assert held(served, garden, play.thing) == play.one


def test_an_act_is_written_in_words(console: Tab, served: Served, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "act")
    desk.get_by_role("combobox").select_option(label=play.one)
    field = console.field("compose.actHint", play.one, within=desk)
    field.fill(play.takes)
    field.press("Enter")
    expect(script(console).locator(".entry").last).to_contain_text(play.speech)
    assert held(served, garden, play.thing) == play.one


@in_japanese
def test_a_line_that_reads_in_two_ways_is_asked_about(console: Tab, served: Served, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "act")
    desk.get_by_role("combobox").select_option(label=play.one)
    field = console.field("compose.actHint", play.one, within=desk)
    field.fill("調べる")
    field.press("Enter")
    console.button("compose.meantSaid", "「調べる」", within=desk).wait_for()
    expect(field).to_have_value("調べる")
    assert served.get(f"/v1/gardens/{garden}")["turn"] == 0
    console.button("compose.meantDone", "（調べる）", within=desk).click()
    expect(script(console).locator(".entry").last).to_contain_text("調べる")
    expect(field).to_have_value("")


@in_japanese
def test_what_could_be_done_instead_is_offered(console: Tab, served: Served, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "act")
    desk.get_by_role("combobox").select_option(label=play.one)
    field = console.field("compose.actHint", play.one, within=desk)
    field.fill("剣を抜く")
    field.press("Enter")
    offers = desk.get_by_role("region", name=console.words("compose.instead")).get_by_role("button")
    expect(offers.first).to_be_visible()
    offers.first.click()
    expect(offers).to_have_count(0)
    until(lambda: served.get(f"/v1/gardens/{garden}")["turn"] == 2)


@in_english
def test_a_whisper_is_heard_by_one_alone(console: Tab, served: Served, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "whisper")
    desk.get_by_role("combobox").select_option(label=play.other)
    field = console.field("compose.whisperHint", play.other, within=desk)
    field.fill(play.said)
    field.press("Enter")
    whispered = script(console).locator(".user").last
    expect(whispered).to_contain_text(play.said)
    expect(whispered).to_contain_text(console.words("garden.whispered", play.other))


@in_japanese
def test_a_thing_is_brought_in(console: Tab, served: Served, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "prop")
    console.field("compose.thing", within=desk).fill("gramophone")
    console.field("compose.place", within=desk).select_option(label=play.room)
    console.button("compose.drop", within=desk).click()
    expect(script(console).locator(".entry").last).to_contain_text("gramophone")
    things = served.get(f"/v1/gardens/{garden}")["things"]
    assert [one["location"] for one in things if one["name"] == "gramophone"] == [play.room]


@in_english
def test_an_incident_is_rung(console: Tab, garden: str, play: Play) -> None:
    alone(console)
    desk = composer(console, "incident")
    desk.get_by_role("button", name=play.incident).click()
    expect(script(console).locator(".incident")).to_contain_text(play.incident)
    expect(desk.get_by_role("button", name=play.incident)).to_contain_text(console.words("compose.rung"))
