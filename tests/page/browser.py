"""A real Chromium, and tabs in it that forgive nothing: no error, no refusal of the policy, no request elsewhere."""

import asyncio
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, expect, sync_playwright

from tests.page.served import Served
from tests.page.words import Words

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
LOCALES = {"ja": "ja-JP", "en": "en-GB"}
PATIENCE = 60_000  # milliseconds; what is there is found at once, on a machine that others use too
WIDE, NARROW = (1280, 800), (360, 740)
expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program, "tests/page needs Debian's chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Stagehand:
    """A browser for a whole run of tests."""

    def __init__(self, browser: Browser, loop: asyncio.AbstractEventLoop) -> None:
        self.browser, self._loop = browser, loop

    @contextmanager
    def at_work(self) -> Iterator[Browser]:
        with _running(self._loop):
            yield self.browser


@contextmanager
def stagehand() -> Iterator[Stagehand]:
    """Somebody with a browser who is out of the way when not at work: other tests need an event loop of their own."""
    with chromium() as browser:
        own = asyncio.get_running_loop()
        with _running(None):
            yield Stagehand(browser, own)


@contextmanager
def _running(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """Playwright leaves its loop without saying so: a thread would take it to be running for good."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(before)


class Tab:
    """One console in the hands of a test, in one language."""

    def __init__(self, page: Page, served: Served, words: Words) -> None:
        self.page, self.served, self.words = page, served, words
        self.troubles: list[str] = []
        self.forgiven: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", self._asked)
        page.on("dialog", lambda dialog: (self.troubles.append(f"dialog {dialog.message}"), dialog.dismiss()))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.text} {message.location.get('url', '')}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.served.url}/", "data:", "blob:")):
            self.troubles.append(f"request to {request.url}")

    def forgive(self, *patterns: str) -> None:
        """Troubles that this test means to cause."""
        self.forgiven += patterns

    def unforgiven(self) -> list[str]:
        return [one for one in self.troubles if not any(re.search(pattern, one) for pattern in self.forgiven)]

    # --- going somewhere ---------------------------------------------------------------------------------------------

    def enter(self, place: str = "") -> "Tab":
        """Open the printed address, at a place behind the `#`."""
        self.page.goto(f"{self.served.entrance}#/{place}" if place else self.served.entrance)
        return self

    def go(self, place: str) -> "Tab":
        self.page.evaluate("place => { location.hash = place }", f"#/{place}")
        return self

    # --- finding something -------------------------------------------------------------------------------------------

    def button(self, path: str, *given: Any, within: Locator | None = None) -> Locator:
        return self._of("button", self.words(path, *given), within)

    def button_named(self, name: str, within: Locator | None = None) -> Locator:
        return self._of("button", name, within)

    def link(self, path: str, *given: Any, within: Locator | None = None) -> Locator:
        return self._of("link", self.words(path, *given), within)

    def link_named(self, name: str, within: Locator | None = None) -> Locator:
        return self._of("link", name, within)

    def field(self, path: str, *given: Any, within: Locator | None = None) -> Locator:
        return (within or self.page).get_by_label(self.words(path, *given), exact=True)

    def choice(self, path: str, *given: Any, within: Locator | None = None) -> Locator:
        return (within or self.page).get_by_role("combobox", name=self.words(path, *given), exact=True)

    def text(self, text: str, within: Locator | None = None) -> Locator:
        return (within or self.page.locator("main")).get_by_text(text)

    def _of(self, role: Literal["button", "link"], name: str, within: Locator | None) -> Locator:
        return (within or self.page).get_by_role(role, name=name, exact=True)

    def sees(self, text: str, within: Locator | None = None) -> None:
        expect(self.text(text, within).first).to_be_visible()

    def notices(self, path: str, *given: Any) -> None:
        """A notice comes up that goes by itself."""
        expect(self.page.locator(".toast").filter(has_text=self.words(path, *given))).to_be_visible()

    def misses(self, text: str, within: Locator | None = None) -> None:
        expect(self.text(text, within)).to_have_count(0)


@contextmanager
def tab(
    browser: Browser,
    served: Served,
    words: Words,
    size: tuple[int, int] = WIDE,
    theme: Literal["light", "dark"] = "light",
) -> Iterator[Tab]:
    """A tab of somebody who has never been here; its troubles are the test's."""
    context = window(browser, words.language, size, theme)
    try:
        opened = Tab(context.new_page(), served, words)
        yield opened
    finally:
        context.close()
    assert not opened.unforgiven(), opened.unforgiven()


def window(
    browser: Browser, language: str, size: tuple[int, int] = WIDE, theme: Literal["light", "dark"] = "light"
) -> BrowserContext:
    context = browser.new_context(
        locale=LOCALES[language], viewport={"width": size[0], "height": size[1]}, color_scheme=theme,
        reduced_motion="reduce",
    )  # fmt: skip
    context.set_default_timeout(PATIENCE)
    return context
