"""The garden as it is on the page: its script, its people, the desk below."""

from playwright.sync_api import Locator, expect

from tests.page.browser import Tab


def script(console: Tab) -> Locator:
    return console.page.get_by_label(console.words("garden.script"), exact=True)


def bubbles(console: Tab) -> Locator:
    return script(console).locator(".bubble")


def draft(console: Tab) -> Locator:
    """What is being said, or thought, just now."""
    return script(console).locator(".draft")


def opened(console: Tab, garden: str) -> Tab:
    console.enter(f"garden/{garden}")
    expect(script(console)).to_be_visible()
    return console


def step(console: Tab) -> None:
    """One turn, to its end."""
    before = console.page.locator("header .chip").first.inner_text()
    console.button("controls.step").click()
    expect(console.page.locator("header .chip").first).not_to_have_text(before)
    expect(console.button("controls.step")).to_be_enabled()


def person(console: Tab, name: str) -> Locator:
    people = console.page.get_by_role("list", name=console.words("garden.people"))
    return people.locator("li").filter(has=console.page.locator("b", has_text=name))


def composer(console: Tab, mode: str) -> Locator:
    found = console.page.get_by_role("region", name=console.words("compose.label"))
    console.button(f"compose.modes.{mode}", within=found).click()
    return found


def alone(console: Tab) -> None:
    """Nobody has a turn after what is done now."""
    console.page.get_by_role("button", name=console.words("compose.follow")).click()
