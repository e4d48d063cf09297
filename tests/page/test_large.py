"""A garden of two thousand turns and two hundred things opens at once and scrolls smoothly; words do not wait."""

import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from hakoniwa.journal.open import open_journal
from tests.gardens import garden_of
from tests.page.browser import Tab, tab
from tests.page.model import Model
from tests.page.plays import PLAYS
from tests.page.script import opened, script, step
from tests.page.served import Served, serving
from tests.page.words import Words
from tests.service.test_gardens_large import TURNS, turn, world

OPENS_WITHIN, TRIES = 2_000, 3  # milliseconds; each try is a garden that nobody has opened yet
NODES = 2_500
FRAME = 50  # milliseconds, at the 95th percentile, without a graphics card
TOKEN_WITHIN, TOKENS = 50, 5


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("large")
    write(home, 0)
    with serving(home, MODEL="builtin") as served:
        yield served


def write(home: Path, number: int) -> None:
    journal = open_journal(f"sqlite:///{home / 'journal.db'}")
    journal.create(garden_of(world(), {}, id=f"large_{number}"))
    journal.append(f"large_{number}", "main", [event for one in range(1, TURNS + 1) for event in turn(one)], None)
    journal.close()


@pytest.mark.long
def test_it_opens_at_once_and_scrolls_smoothly(browser: Browser, large: Served, both: dict[str, Words]) -> None:
    took, nodes, frame = [], [], float("inf")
    with tab(browser, large, both["ja"]) as console:
        for number in range(TRIES):
            if number:
                write(large.home, number)
            took.append(opening(console, f"large_{number}"))
            if took[-1] < OPENS_WITHIN:
                break
        for _ in range(TRIES):
            frames, there = scrolled(console)
            nodes.append(there)
            frame = min(frame, statistics.quantiles(frames, n=20)[-1])
            if frame < FRAME:
                break
    print(f"opened in {min(took):.0f} ms; while scrolling 95 % of frames within {frame:.1f} ms; {max(nodes)} nodes")
    assert min(took) < OPENS_WITHIN
    assert max(nodes) < NODES
    assert frame < FRAME


def opening(console: Tab, garden: str) -> float:
    """How long it takes from the address to the newest line and the newest thing on the map."""
    console.page.goto("about:blank")
    console.enter()
    console.page.goto(f"{console.served.url}/#/garden/{garden}")
    console.page.reload(wait_until="commit")
    expect(script(console).get_by_text(f"{TURNS}回目だね。")).to_be_visible()
    expect(
        console.page.get_by_role("group", name=console.words("map.label")).get_by_role("button").last
    ).to_be_attached()
    now: float = console.page.evaluate("performance.now()")
    return now


def scrolled(console: Tab) -> tuple[list[float], int]:
    """Frames while somebody scrolls up through two hundred turns, and how many nodes the page has then."""
    frames: list[float]
    nodes: int
    frames, nodes = script(console).evaluate(
        """async (scroller) => {
          const frames = [];
          let last = performance.now();
          for (let count = 0; count < 60; count += 1) {
            scroller.scrollTop -= 150;
            await new Promise(requestAnimationFrame);
            frames.push(performance.now() - last);
            last = performance.now();
          }
          return [frames, document.querySelectorAll("*").length];
        }"""
    )
    return frames, nodes


def test_any_turn_is_reached_at_once(browser: Browser, large: Served, both: dict[str, Words]) -> None:
    with tab(browser, large, both["en"]) as console:
        console.enter("garden/large_0?turn=777")
        expect(script(console).get_by_text("777回目だね。")).to_be_in_viewport()


@pytest.mark.long
def test_the_first_word_reaches_the_page_at_once(
    browser: Browser, served: Served, stage_model: Model, both: dict[str, Words]
) -> None:
    play = PLAYS["ja"]
    stage_model.forget()
    with tab(browser, served, both["ja"]) as console:
        opened(console, served.garden(play.scenario, play.new()))
        took = []
        for number in range(TOKENS):
            stage_model.line = f"「{number}番目の知らせがあるよ。」"
            stage_model.first_pieces.clear()
            seen = console.page.evaluate_handle(WATCH, stage_model.line[:3])
            step(console)
            took.append(seen.evaluate("seen => seen.at") - stage_model.first_pieces[-1])
    print(f"first word after {statistics.median(took):.1f} ms (all: {', '.join(f'{one:.1f}' for one in took)})")
    assert statistics.median(took) < TOKEN_WITHIN


WATCH = """piece => {
  const seen = { at: null };
  const look = () => {
    const said = document.querySelector(".draft p")?.textContent ?? "";
    if (seen.at === null && said.startsWith(piece)) seen.at = performance.timeOrigin + performance.now();
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  return seen;
}"""
