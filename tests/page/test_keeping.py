"""What is kept: who the user is, what chats are called, where something was said, and the keys that lead there."""

import pytest
from playwright.sync_api import expect

from tests.page.browser import Tab
from tests.page.plays import Play
from tests.page.served import Served
from tests.page.words import in_english, in_japanese


@pytest.fixture
def chat(console: Tab, served: Served, play: Play) -> str:
    id: str = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    served.post(f"/v1/chats/{id}/messages", {"text": play.said})
    console.enter(f"chat/{id}")
    return id


@in_japanese
def test_a_chat_is_called_something_put_away_and_deleted(console: Tab, served: Served, chat: str, play: Play) -> None:
    console.button("record.open").click()
    dialog = console.page.get_by_role("dialog", name=console.words("record.title"))
    dialog.get_by_label(console.words("record.called")).fill("猫の話")
    dialog.get_by_label(console.words("record.tags")).fill("猫 家")
    console.button("record.keep", within=dialog).click()
    console.sees("猫の話", console.page.get_by_role("navigation", name=console.words("chat.list")))
    console.page.get_by_label(console.words("record.withTag")).select_option("家")
    console.sees("猫の話")
    console.button("record.open").click()
    dialog.get_by_label(console.words("record.archive")).check()
    console.button("record.keep", within=dialog).click()
    console.button("record.archived").click()
    console.sees("猫の話")
    console.button("record.open").click()
    console.button("record.remove", within=dialog).click()
    console.sees(console.words("record.goes", 1, 1), dialog)
    console.button("record.removeNow", within=dialog).click()
    console.notices("record.gone")
    assert chat not in [one["id"] for archived in (0, 1) for one in served.get("/v1/chats", archived=archived)]


@in_english
def test_keys_lead_to_the_search_which_leads_to_what_was_said(console: Tab, chat: str, play: Play) -> None:
    console.page.locator("main").focus()
    console.page.keyboard.press("?")
    sheet = console.page.get_by_role("dialog", name=console.words("help.title"))
    expect(sheet).to_be_visible()
    console.page.keyboard.press("Escape")
    console.page.keyboard.press("/")
    field = console.page.get_by_role("searchbox", name=console.words("record.search"))
    expect(field).to_be_focused()
    field.fill(play.said)
    field.press("Enter")
    found = console.page.get_by_role("list", name=console.words("record.found"))
    found.get_by_role("link").first.click()
    assert "chat/" in console.page.url
    console.page.locator("main").focus()
    console.page.keyboard.press("Alt+3")
    console.page.wait_for_url("**/#/map*")


@in_english
def test_a_persona_is_kept_and_chosen_for_a_chat_and_a_garden(console: Tab, served: Served, play: Play) -> None:
    name = play.new()
    console.enter("settings")
    console.page.get_by_label(console.words("you.name"), exact=True).fill(name)
    console.page.get_by_label(console.words("you.description")).fill("A painter from next door.")
    console.button("you.keep").click()
    console.notices("you.kept", name)
    console.enter(f"chat?new=&with={play.persona}")
    console.page.get_by_label(console.words("you.as")).select_option(label=name)
    console.button("chat.beginNow").click()
    console.sees(console.words("chat.first", play.one))
    assert name in [one["me"] for one in served.get("/v1/chats")]
    console.enter("settings")
    console.page.get_by_label(console.words("you.scenario")).select_option("tea_room")
    console.button_named(f"{console.words('you.enter')} {name}").click()
    console.page.wait_for_url("**/#/garden/*")
    garden = console.page.url.rpartition("/")[2]
    assert name in [one["name"] for one in served.get(f"/v1/gardens/{garden}")["people"]]
