"""Memory: searched, explained, set beside another's, and made to forget."""

import pytest
from playwright.sync_api import Locator, expect

from hakoniwa.chat.chat import STEP
from tests.page.browser import Tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.served import Served
from tests.page.words import in_english, in_japanese

SAID = {
    "ja": ("三毛猫のミケを飼いはじめたよ。", "ミケは元気にしているよ。", "ミケ"),
    "en": ("I have a tabby cat named Juniper.", "Juniper is doing well.", "Juniper"),
}


@pytest.fixture
def chat(console: Tab, served: Served, model: Model, play: Play) -> str:
    """A chat in which a cat came up, and again so much later that nobody sees how it began."""
    id: str = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    first, second, _ = SAID[console.words.language]
    for text in (first, *map(str, range(2 * STEP - 1)), second):
        served.post(f"/v1/chats/{id}/messages", {"text": text})
    return id


def found(console: Tab) -> Locator:
    return console.page.locator("main li.card")


def search(console: Tab, about: str) -> None:
    box = console.page.get_by_role("searchbox", name=console.words("memory.search"))
    box.fill(about)
    box.press("Enter")


def test_it_is_searched_looked_at_closely_and_forgotten(console: Tab, chat: str) -> None:
    first, _, cat = SAID[console.words.language]
    console.enter(f"memory/{chat}")
    search(console, cat)
    mine = found(console).filter(has_text=first)
    expect(mine).to_contain_text(console.words("memory.sources.full_text"))
    console.button("memory.closer", within=mine).click()
    expect(mine.locator("dl")).to_contain_text(console.words("memory.heard"))
    mine.get_by_role("checkbox").check()
    console.button("memory.forget", 1).click()
    console.button("memory.reallyForget", 1).click()
    expect(found(console).filter(has_text=first)).to_have_count(0)


def test_what_came_to_mind_is_shown_with_what_could_have_and_why(
    console: Tab, served: Served, chat: str, play: Play
) -> None:
    first, second, _ = SAID[console.words.language]
    newest = served.get(f"/v1/chats/{chat}")["history"][-1]
    runs = served.get(f"/v1/memory/{chat}/{play.persona}/runs")
    chosen = next(one for one in runs if one["id"] == newest["run"])["selection"]["selected"]
    why = next(one["why"] for one in chosen if first in one["snippet"])
    console.enter(f"chat/{chat}")
    called = console.page.get_by_text(console.words("chat.recalled", len(chosen))).last
    called.click()
    console.sees(why)
    console.go(f"memory/{chat}?tab=runs")
    run = found(console).filter(has_text=second).last
    run.locator("summary").click()
    expect(run.locator("li.chosen").filter(has_text=first)).to_contain_text(why)


@in_english
def test_two_personas_are_set_side_by_side(console: Tab, chat: str, play: Play) -> None:
    console.enter(f"memory/{chat}?tab=compare")
    console.field("memory.words").fill(SAID[console.words.language][2])
    console.page.get_by_role("radio", name=play.other).check()
    console.button("memory.compareNow").click()
    expect(console.page.locator(".halves h2")).to_have_text([play.one, play.other])
    expect(console.page.locator(".halves section").first).to_contain_text(SAID[console.words.language][0])


@in_japanese
def test_an_inner_life_is_shown(console: Tab, chat: str, play: Play) -> None:
    console.enter(f"memory/{chat}?tab=inner")
    console.sees(console.words("traits.openness"))
    console.sees(console.words("memory.attention"))
