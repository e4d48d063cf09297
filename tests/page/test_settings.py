"""Settings: who speaks, what the doctor finds, and how the page looks."""

from playwright.sync_api import expect

from tests.page.browser import Tab
from tests.page.model import NAME
from tests.page.served import Served
from tests.page.words import in_english, in_japanese


def test_the_model_is_named_and_examined(console: Tab, served: Served) -> None:
    console.enter("settings")
    console.sees(NAME)
    console.button("settings.examine").click()
    expect(console.button("settings.examine")).to_be_enabled()
    found = served.get("/v1/servers", console.words.language)["findings"]
    findings = console.page.locator(".findings li")
    expect(findings.nth(len(found) - 1)).to_be_visible()
    expect(findings.first).not_to_be_empty()


@in_english
def test_every_setting_is_told_and_secrets_are_veiled(console: Tab, served: Served) -> None:
    console.enter("settings")
    rows = console.page.get_by_role("row")
    expect(rows.nth(5)).to_be_visible()
    expect(rows.filter(has=console.page.get_by_text("turns_alone", exact=True))).to_contain_text("50")
    expect(console.page.locator("main")).not_to_contain_text(served.token)


@in_japanese
def test_it_is_dark_or_light_as_one_likes_and_stays_so(console: Tab) -> None:
    console.enter("settings")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = console.page.evaluate(paper)
    console.button("theme.dark").click()
    assert console.page.evaluate(paper) != light
    console.page.reload()
    expect(console.button("theme.dark")).to_have_attribute("aria-pressed", "true")
    assert console.page.evaluate(paper) != light
