"""The page's own words in both languages, read from its sources and spoken by a browser."""

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

WEB = Path(__file__).resolve().parents[2] / "web"
LANGUAGES = ("ja", "en")
# A walk that tells nothing more in the other language; each file has walks in both.
in_japanese, in_english = (pytest.mark.parametrize("words", [one], indirect=True) for one in LANGUAGES)


@cache
def _catalogue(language: str) -> str:
    """The words of a language as a script; some of them are functions, so they are not mere data."""
    esbuild = next((WEB / "node_modules" / "@esbuild").glob("*/bin/esbuild"))
    source = WEB / "src" / "words" / f"{language}.ts"
    made = subprocess.run(
        [esbuild, source, "--bundle", "--format=iife", f"--global-name={language}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return f"{made.stdout}; window.words_{language} = {language}.{language};"


class Words:
    """What the page says in a language: `words("garden.turn", 3)`."""

    def __init__(self, page: Page, language: str) -> None:
        self.page, self.language = page, language
        self._said: dict[tuple[Any, ...], str] = {}

    def __call__(self, path: str, *given: Any) -> str:
        if (path, *given) not in self._said:
            self._said[path, *given] = self._asked(path, given)
        return self._said[path, *given]

    def _asked(self, path: str, given: tuple[Any, ...]) -> str:
        said: str = self.page.evaluate(
            """([language, path, given]) => {
              const found = path.split(".").reduce((table, name) => table[name], window[`words_${language}`]);
              return typeof found === "function" ? found(...given) : found;
            }""",
            [self.language, path, list(given)],
        )
        return said


def spoken(browser: Browser) -> dict[str, Words]:
    """Both languages, in a page that nobody sees."""
    page = browser.new_page()
    for language in LANGUAGES:
        page.evaluate(_catalogue(language))
    return {language: Words(page, language) for language in LANGUAGES}
