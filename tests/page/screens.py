"""`make screens`: every view of the console with a garden of thirty turns in it, light and dark, wide and narrow."""

import base64
import itertools
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from tests.page.browser import Tab, chromium, window
from tests.page.model import Model, modelling
from tests.page.served import Served, serving, until
from tests.page.thirty_turns import STORIES, Story
from tests.page.words import LANGUAGES, Words, spoken

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screens"
SIZES = {1280: 800, 390: 844}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
QUALITY = 0.72
# The folder of these pictures is gone as soon as they are taken: show the one that everybody has.
AT_HOME = """() => {
  for (const one of document.querySelectorAll("td code")) {
    one.textContent = one.textContent.replace(/\\/tmp\\/tmp\\w+/, "~/.local/share/hakoniwa");
  }
}"""


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        chromium() as browser,
        modelling() as model,
        serving(Path(home), BASE_URL=model.base_url) as served,
    ):
        words = spoken(browser)
        for language in LANGUAGES:
            shoot(browser, served, words[language], played(served, model, STORIES[language], language))
    sizes = sum(one.stat().st_size for one in FOLDER.glob("*.webp"))
    print(f"{len(list(FOLDER.glob('*.webp')))} pictures, {sizes / 1e6:.1f} MB")


# --- what is in the pictures -----------------------------------------------------------------------------------------


def played(served: Served, model: Model, story: Story, language: str) -> dict[str, str]:
    """A garden and a chat; the places to be shown, by the name of the picture."""
    model.forget()
    garden = staged(served, model, story, language)
    chat = talked(served, model, story, language)
    return {
        "garden": f"garden/{garden}", "map": f"map/{garden}", "timeline": f"timeline/{garden}",
        "why": f"why/{garden}?turn={story.shown}", "mind": f"why/{garden}?who={first(served, garden)}",
        "chat": f"chat/{chat}", "autonomy": f"autonomy/{chat}", "memory": f"memory/{chat}",
        "editor": f"editor/{story.scenario}", "lab": f"lab/{measured(served, language)}", "settings": "settings",
    }  # fmt: skip


def first(served: Served, garden: str) -> str:
    who: str = served.get(f"/v1/gardens/{garden}")["people"][0]["who"]
    return who


def staged(served: Served, model: Model, story: Story, language: str) -> str:
    garden = served.garden(story.scenario, f"{story.scenario}_{language}")
    model.thought = story.thought
    for number, line in enumerate(story.lines, 1):
        if (deed := story.meanwhile.get(number)) is not None:
            served.post(f"/v1/gardens/{garden}/{deed.deed}", deed.body)
        model.line = line
        served.post(f"/v1/gardens/{garden}/turn")
    served.post(f"/v1/gardens/{garden}/fork", {"name": "pudding", "turn": 14})
    model.line = story.lines[13]
    served.post(f"/v1/gardens/{garden}/turn", {"branch": "pudding"})
    return garden


def talked(served: Served, model: Model, story: Story, language: str) -> str:
    chat: str = served.post("/v1/chats", {"persona": story.persona, "name": f"{story.persona}_{language}"})["id"]
    for one in story.talk:
        model.answer = one.answered
        served.post(f"/v1/chats/{chat}/messages", {"text": one.said})
    model.telling, model.note, model.reason = story.telling, story.note, story.reason
    served.post(f"/v1/chats/{chat}/autonomy/start")
    served.post(f"/v1/chats/{chat}/autonomy/trigger", {"note": story.note})
    until(lambda: any(one["source"] == "autonomy_message" for one in served.get(f"/v1/chats/{chat}")["history"]))
    return chat


def measured(served: Served, language: str) -> str:
    """A small experiment that is done."""
    name, arms = f"first-look-{language}", ["A", "B", "C", "D"]
    asked = {"name": name, "scenarios": ["violation_induced"], "arms": arms, "model": "clumsy", "seeds": 8, "turns": 6}
    served.post("/v1/lab", asked)
    until(lambda: served.get(f"/v1/lab/{name}")["summary"]["reported"], 300)
    return name


# --- taking them -----------------------------------------------------------------------------------------------------


def shoot(browser: Browser, served: Served, words: Words, places: dict[str, str]) -> None:
    for theme, (width, height) in itertools.product(THEMES, SIZES.items()):
        context = window(browser, words.language, (width, height), theme)
        console = Tab(context.new_page(), served, words).enter()
        for view, place in places.items():
            console.go(place)
            _settled(console)
            prepare(console, view)
            keep(browser, console.page.screenshot(), f"{view}-{theme}-{width}-{words.language}")
        context.close()


def prepare(console: Tab, view: str) -> None:
    """Open what is worth seeing."""
    story = STORIES[console.words.language]
    if view == "map":
        console.page.locator(".mark.person").first.click()
    elif view == "memory":
        console.page.get_by_role("searchbox").fill(story.sought)
        console.page.get_by_role("searchbox").press("Enter")
        console.button("memory.closer").first.click()
    elif view == "why":
        console.page.get_by_role("heading", name=console.words("why.reply")).evaluate("one => one.scrollIntoView()")
    elif view == "settings":
        console.page.locator(".findings, .how").first.wait_for()
        console.page.evaluate(AT_HOME)
    _settled(console)


def _settled(console: Tab) -> None:
    console.page.wait_for_load_state("load")
    console.page.wait_for_timeout(700)


def keep(browser: Browser, png: bytes, name: str) -> None:
    """The picture as WebP, which Chromium itself can write."""
    (FOLDER / f"{name}.webp").write_bytes(_webp(browser.contexts[0].pages[0], png))


def _webp(page: Page, png: bytes) -> bytes:
    address: str = page.evaluate(
        """async ([png, quality]) => {
          const picture = new Image();
          picture.src = `data:image/png;base64,${png}`;
          await picture.decode();
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          canvas.getContext("2d").drawImage(picture, 0, 0);
          const blob = await canvas.convertToBlob({ type: "image/webp", quality });
          const bytes = new Uint8Array(await blob.arrayBuffer());
          return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
        }""",
        [base64.b64encode(png).decode(), QUALITY],
    )
    return base64.b64decode(address)


if __name__ == "__main__":
    main()
