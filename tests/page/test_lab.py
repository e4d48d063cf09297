"""The lab: an experiment is begun on the page, seen through, and its report opened."""

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browser import Tab, tab
from tests.page.plays import PLAYS
from tests.page.served import Served
from tests.page.words import Words

LONG = 180_000  # milliseconds; an experiment plays in processes of its own, which have to start


@pytest.mark.long
def test_an_experiment_is_begun_seen_through_and_reported(
    browser: Browser, served: Served, both: dict[str, Words]
) -> None:
    """What takes long is done once: the other language fills the form as well, and looks at what came of it."""
    name = PLAYS["ja"].new()
    for number, words in enumerate(both.values()):
        with tab(browser, served, words) as console:
            planned(console, f"{name}-{number}")
            if number == 0:
                console.button("lab.start").click()
            else:
                console.go(f"lab/{name}-0")
            seen_through(console, f"{name}-0")
    assert served.get(f"/v1/lab/{name}-0")["summary"]["state"] == "done"


def planned(console: Tab, name: str) -> None:
    """The form filled in, for four runs."""
    console.enter("lab?new=")
    console.field("lab.fields.name").fill(name)
    console.page.get_by_label(console.words("lab.models.clumsy")).check()
    group = console.page.get_by_role("group", name=console.words("lab.fields.scenarios"))
    scenarios = group.get_by_role("checkbox")
    expect(scenarios.nth(1)).to_be_visible()
    for place, one in enumerate(scenarios.all()):
        one.set_checked(place == 0)
    console.field("lab.fields.seeds").fill("1")
    console.field("lab.fields.turns").fill("2")
    expect(console.page.get_by_text(console.words("lab.willBe", 4))).to_be_visible()
    expect(console.button("lab.start")).to_be_enabled()


def seen_through(console: Tab, name: str) -> None:
    expect(console.page.get_by_role("heading", level=1, name=name)).to_be_visible()
    opens = console.link("lab.report")
    expect(opens).to_be_visible(timeout=LONG)
    expect(console.page.get_by_role("columnheader", name="D").first).to_be_visible()
    with console.page.expect_popup() as popup:
        opens.click()
    report = popup.value
    expect(report.locator("svg").first).to_be_visible()
    assert report.title()
