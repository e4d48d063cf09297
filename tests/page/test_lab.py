"""The lab: an experiment is begun on the page, seen through, and its report opened."""

from playwright.sync_api import expect

from tests.page.browser import Tab
from tests.page.plays import Play
from tests.page.served import Served

LONG = 60_000  # milliseconds; an experiment plays in processes of its own, which have to start


def test_an_experiment_is_begun_seen_through_and_reported(console: Tab, served: Served, play: Play) -> None:
    name, page = play.new(), console.page
    console.enter("lab?new=")
    console.field("lab.fields.name").fill(name)
    page.get_by_label(console.words("lab.models.clumsy")).check()
    scenarios = page.get_by_role("group", name=console.words("lab.fields.scenarios")).get_by_role("checkbox")
    expect(scenarios.nth(1)).to_be_visible()
    for place, one in enumerate(scenarios.all()):
        one.set_checked(place == 0)
    console.field("lab.fields.seeds").fill("1")
    console.field("lab.fields.turns").fill("2")
    expect(page.get_by_text(console.words("lab.willBe", 4))).to_be_visible()
    console.button("lab.start").click()

    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    opens = console.link("lab.report")
    expect(opens).to_be_visible(timeout=LONG)
    expect(page.get_by_role("columnheader", name="D").first).to_be_visible()
    with page.expect_popup() as popup:
        opens.click()
    report = popup.value
    expect(report.locator("svg").first).to_be_visible()
    assert report.title()
    assert served.get(f"/v1/lab/{name}")["summary"]["state"] == "done"
