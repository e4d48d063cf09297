"""Settings: who speaks, what the doctor finds, and how the page looks."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.page.browser import Tab, tab
from tests.page.model import NAME, Model
from tests.page.served import Served, serving
from tests.page.words import Words, in_english, in_japanese


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


@in_japanese
def test_a_model_is_connected_and_its_key_is_not_shown_again(
    browser: Browser, model: Model, words: Words, tmp_path: Path
) -> None:
    with serving(tmp_path, MODEL="") as alone, tab(browser, alone, words) as console:
        console.enter("settings")
        console.field("connect.url").fill(model.base_url)
        console.field("connect.key").fill("k3y")
        console.button("connect.look").click()
        expect(console.field("connect.model")).to_have_value(NAME)
        console.button("connect.keep").click()
        console.notices("connect.kept")
        expect(console.field("connect.key")).to_have_value("")
        expect(console.page.locator("main")).not_to_contain_text("k3y")
        assert alone.get("/v1/servers")["using"] == NAME
