"""One mind: a person of a garden, met in private, knows what happened, does what is asked, and remembers both."""

from playwright.sync_api import expect

from tests.page.browser import Tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.script import opened, person, script, step
from tests.page.served import Served

TURNS = 24  # other things come first


def say(console: Tab, play: Play, text: str) -> None:
    """Say something, and hear the answer out."""
    log = console.page.get_by_role("log", name=console.words("chat.log"))
    before = log.locator(".text").count()
    console.field("chat.to", play.one).fill(text)
    console.field("chat.to", play.one).press("Enter")
    expect(log.locator(".text")).to_have_text([play.answer] * (before + 1))
    console.sees(text, log)
    expect(console.button("chat.undo")).to_be_enabled()


def remembered(console: Tab, play: Play, about: str) -> int:
    """How many memories with these words the page finds."""
    box = console.page.get_by_role("searchbox", name=console.words("memory.search"))
    box.fill(about)
    with console.page.expect_response("**/search?*"):
        box.press("Enter")
    return console.page.locator("main li.card").filter(has_text=about).count()


def test_what_is_asked_of_somebody_in_private_is_done_in_the_garden_and_remembered_by_them(
    console: Tab, served: Served, model: Model, play: Play
) -> None:
    garden = served.garden(play.scenario, play.new())
    opened(console, garden)
    model.line, model.prose = play.turns_on, 1
    step(console)
    model.line = play.nod
    person(console, play.one).locator("summary").click()
    console.button("garden.talk", within=person(console, play.one)).click()

    say(console, play, play.said)
    assert play.told in model.asked, "they know what happened in the garden"
    say(console, play, play.request)
    model.acts = [1]  # what they mean to do
    served.post(f"/v1/gardens/{garden}/cue", {"cue": "pin", "who": play.one})
    for _ in range(TURNS):
        served.post(f"/v1/gardens/{garden}/turn")
        if play.told_off in str(served.get(f"/v1/gardens/{garden}/script")):
            break
    console.link("chat.inGarden", garden).click()
    console.sees(play.told_off, script(console))
    console.misses(play.request, script(console))

    console.go(f"memory/{garden}?who={play.one}")
    assert remembered(console, play, play.request) == 1
    console.go(f"memory/{garden}?who={play.other}")
    assert remembered(console, play, play.request) == 0
