"""Every view for everybody: by keyboard, on a narrow screen, in one language at a time, light and dark, read aloud."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browser import NARROW, WIDE, Tab, tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.script import bubbles, opened
from tests.page.served import Served
from tests.page.words import WEB, Words, in_english

AXE = (WEB / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
SERIOUS = ("serious", "critical")
TOO_LARGE = """() => {
  const [page, view] = [document.documentElement, document.querySelector(".view")];
  const wide = [page, view].map((one) => one.scrollWidth - one.clientWidth);
  return [...wide, page.scrollHeight - page.clientHeight];
}"""
VIEWS = ("garden", "chat", "map", "timeline", "why", "autonomy", "memory", "editor", "settings")
NAMES = {"ja": "日本語", "en": "English"}
ENOUGH = 80  # presses of the tabulator key
THEMES: dict[str, Literal["light", "dark"]] = {"ja": "light", "en": "dark"}


@pytest.fixture
def places(served: Served, model: Model, play: Play) -> dict[str, str]:
    """Every view, with something in it."""
    model.lines.extend([play.takes, play.turns_on, play.turns_off, play.again])
    model.telling = play.answer
    garden = served.garden(play.scenario, play.new(), turns=4)
    served.post(f"/v1/gardens/{garden}/fork", {"name": "aside", "turn": 2})
    chat = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    for _ in range(2):
        served.post(f"/v1/chats/{chat}/messages", {"text": play.said})
    return {
        "gardens": "garden", "garden": f"garden/{garden}", "chat": f"chat/{chat}", "new chat": "chat?new=",
        "map": f"map/{garden}", "timeline": f"timeline/{garden}", "why": f"why/{garden}?turn=1",
        "mind": f"why/{garden}?who={play.one}", "relations": f"why/{garden}?relations=",
        "autonomy": f"autonomy/{chat}", "memory": f"memory/{chat}",
        "inner life": f"memory/{chat}?tab=inner", "recalled": f"memory/{chat}?tab=runs",
        "two": f"memory/{chat}?tab=compare", "editor": f"editor/{play.scenario}", "new": "editor?new=",
        "cards": "editor?cards=", "lab": "lab", "settings": "settings",
    }  # fmt: skip


def quiet(console: Tab) -> None:
    """Wait until everything that was asked for is there; streams of events go on."""
    console.page.evaluate(
        """async () => {
          for (let still = 0, last = -1; still < 2; ) {
            const now = performance.getEntriesByType("resource").length + document.querySelectorAll("main *").length;
            still = now === last ? still + 1 : 0;
            last = now;
            await new Promise((done) => setTimeout(done, 40));
          }
        }"""
    )


@in_english
def test_every_view_is_in_one_language_can_be_read_aloud_and_fits_a_narrow_screen(
    browser: Browser, served: Served, both: dict[str, Words], words: Words, places: dict[str, str]
) -> None:
    """The page is opened in one language and switched to the other: nothing of the first is left in any view. Each view
    comes up on a narrow screen, and is wide before it is read."""
    other = both["en" if words.language == "ja" else "ja"]
    foreign = own(words) - own(other)
    wrong: dict[str, list[str]] = {}
    with tab(browser, served, words, theme=THEMES[words.language]) as console:
        console.enter()
        console.page.get_by_role("button", name=NAMES[other.language], exact=True).first.click()
        for name, place in places.items():
            resize(console, NARROW)
            console.go(place)
            quiet(console)
            beyond = console.page.evaluate(TOO_LARGE)
            resize(console, WIDE)
            wrong[name] = [
                *([] if beyond == [0, 0, 0] else [f"{beyond} pixels too large"]),
                *sorted(foreign & written(console)), *examined(console),
            ]  # fmt: skip
    assert {name: found for name, found in wrong.items() if found} == {}


def resize(console: Tab, size: tuple[int, int]) -> None:
    console.page.set_viewport_size({"width": size[0], "height": size[1]})


def examined(console: Tab) -> list[str]:
    found: list[dict[str, Any]] = console.page.evaluate(
        f"""async () => {{
          if (!window.axe) {{ {AXE} }}
          const {{ violations }} = await axe.run(document, {{ resultTypes: ["violations"] }});
          return violations.map(({{ id, impact, nodes }}) => ({{ id, impact, nodes: nodes.map((one) => one.html) }}));
        }}"""
    )
    return [f"{one['id']}: {one['nodes'][:3]}" for one in found if one["impact"] in SERIOUS]


@pytest.fixture
def by_keyboard(browser: Browser, served: Served, model: Model, words: Words) -> Iterator[Tab]:
    with tab(browser, served, words, size=WIDE) as console:
        yield console


def reached(console: Tab) -> set[str]:
    """The names of everything that the tabulator key comes to."""
    names = set()
    for _ in range(ENOUGH):
        console.page.keyboard.press("Tab")
        names.add(console.page.evaluate(
            """() => {
              const one = document.activeElement;
              const hidden = one.closest("label")?.querySelector(".unseen")?.textContent;
              return (one.getAttribute("aria-label") ?? hidden ?? one.textContent).trim();
            }"""
        ))  # fmt: skip
    return names


@in_english
def test_everything_is_done_by_keyboard_alone(by_keyboard: Tab, served: Served, words: Words, play: Play) -> None:
    opened(by_keyboard, served.garden(play.scenario, play.new(), turns=1))
    names = reached(by_keyboard)
    actions = [
        *(f"nav.{view}" for view in VIEWS),
        *(f"controls.{one}" for one in ("run", "step", "speed", "again", "undo")),
        *(f"compose.modes.{one}" for one in ("say", "act", "whisper", "prop", "incident")), "compose.sayHint",
        "garden.script", "garden.why",
    ]  # fmt: skip
    assert [one for one in actions if words(one) not in names] == []
    by_keyboard.button("controls.step").focus()
    by_keyboard.page.keyboard.press("Enter")
    expect(bubbles(by_keyboard)).to_have_count(2)
    by_keyboard.page.keyboard.press("Escape")


def own(words: Words) -> set[str]:
    """Every word of a language that stands by itself."""
    found: list[str] = words.page.evaluate(
        """(language) => {
          const all = [];
          const gather = (one) => {
            if (typeof one === "string") all.push(one.trim());
            else if (typeof one === "object") Object.values(one).forEach(gather);
          };
          gather(window[`words_${language}`]);
          return all;
        }""",
        words.language,
    )
    return {one for one in found if len(one) > 1}


def written(console: Tab) -> set[str]:
    """Everything that can be read in the page: text, and the names and hints of things."""
    found: list[str] = console.page.evaluate(
        """() => {
          const texts = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const { data, parentElement } = walker.currentNode;
            if (!parentElement.closest("[lang]:not(html), pre, textarea, code")) texts.push(data);
          }
          for (const one of document.querySelectorAll("body *")) {
            for (const name of ["aria-label", "title", "placeholder"]) texts.push(one.getAttribute(name) ?? "");
          }
          return texts.map((one) => one.trim());
        }"""
    )
    return set(found)
