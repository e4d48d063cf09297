"""Why: all that stands behind a turn, and all that is in somebody's mind."""

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.page.browser import Tab
from tests.page.model import NAME, Model
from tests.page.plays import Play
from tests.page.served import Served
from tests.page.words import in_english, in_japanese
from tests.real.misbehaving import pieces

THOUGHT = "まずは目をさまそう。 / First, something to wake up by."

GARDENS: dict[str, str] = {}


@pytest.fixture
def garden(served: Served, model: Model, play: Play) -> str:
    """A garden of four turns, to be looked at: nothing in it changes."""
    if play.scenario not in GARDENS:
        model.thought, model.prose = THOUGHT, 2
        model.lines.append(play.takes)
        model.line = play.turns_off
        GARDENS[play.scenario] = served.garden(play.scenario, play.new(), turns=4)
    return GARDENS[play.scenario]


def section(console: Tab, path: str, *given: object) -> Locator:
    heading = console.page.get_by_role("heading", name=console.words(path, *given), exact=True)
    return console.page.locator("section.card").filter(has=heading)


def test_everything_behind_a_turn_is_told(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"garden/{garden}")
    console.link("garden.why").first.click()
    expect(console.page.get_by_role("heading", level=1, name=console.words("why.title", 1, play.one))).to_be_visible()
    expect(section(console, "why.thought").get_by_role("row").nth(1)).to_be_visible()
    expect(section(console, "why.reply")).to_contain_text(play.takes)
    terms = section(console, "why.read").locator("details")
    expect(terms).to_contain_text(f"GET {play.thing}")
    expect(terms.locator(".row")).to_be_hidden()
    expect(section(console, "why.read")).to_contain_text(play.speech)
    expect(section(console, "why.ruling")).to_contain_text(console.words("why.allowed"))
    expect(section(console, "why.changes")).to_contain_text(play.thing)
    expect(section(console, "why.changes").locator("details ul")).to_be_hidden()
    expect(section(console, "why.facts")).to_be_visible()
    expect(section(console, "why.facts")).not_to_contain_text("FACT:")
    calls = section(console, "why.calls")
    expect(calls.locator("summary")).to_contain_text([NAME] * 2)  # what they think and do, then what they say
    tokens = console.words("why.tokens", "900", "450", str(len(pieces(play.takes))))
    expect(calls.locator("summary").last).to_contain_text(tokens)
    calls.locator("summary").last.click()
    expect(calls.locator("details").last.locator("mark").first).to_be_visible()
    expect(calls.locator("details").last).to_contain_text(play.takes)


@in_english
def test_a_denial_is_explained_with_what_could_be_done_instead(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"why/{garden}?turn=2")
    ruling = section(console, "why.ruling")
    expect(ruling).to_contain_text(console.words("why.denied", console.words("reasons.INVALID_STATE")))
    expect(ruling).to_contain_text(play.refusal)
    expect(ruling).to_contain_text(console.words("why.instead"))
    expect(section(console, "why.changes")).not_to_contain_text("props")


@in_english
def test_it_is_told_why_a_weaker_desire_was_chosen(console: Tab, garden: str) -> None:
    def told(route: Route) -> None:
        answer = route.fetch()
        why = answer.json()
        weaker = why["turn"]["thought"]["desires"][1]["desire"]
        route.fulfill(response=answer, json={**why, "chosen": weaker, "chosen_because": "Nothing can be done now."})

    console.page.route("**/why/1?*", told)
    console.enter(f"why/{garden}?turn=1")
    thought = section(console, "why.thought")
    expect(thought.get_by_role("row").nth(2)).to_contain_text(console.words("why.intended"))
    expect(thought).to_contain_text("Nothing can be done now.")


@in_japanese
def test_a_mind_is_open(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"why/{garden}?who={play.one}")
    expect(section(console, "why.desires").get_by_role("row").nth(1)).to_contain_text("×")
    expect(section(console, "why.moodOverTime").get_by_role("img")).to_be_visible()
    expect(section(console, "why.beliefs").get_by_role("row").nth(1)).to_be_visible()
    expect(section(console, "why.thoughtAt", 3)).to_contain_text(THOUGHT)
    expect(section(console, "memory.attention").get_by_role("listitem").first).to_be_visible()


def test_who_is_what_to_whom_is_drawn_and_told_over_time(
    console: Tab, served: Served, model: Model, play: Play
) -> None:
    garden = served.garden(play.scenario, play.new())
    for text in (play.promise, play.turns_on):
        served.post(f"/v1/gardens/{garden}/act", {"who": play.one, "text": text})
    console.enter(f"why/{garden}")
    console.link("why.relations").click()
    shown = section(console, "why.relationsTitle")
    expect(shown.get_by_role("img", name=console.words("why.relationsTitle"))).to_be_visible()
    theirs = shown.get_by_role("row").filter(has_text=console.words("why.arrow", play.other, play.one))
    cause = f"{console.words('why.movedBy.kept')} ({console.words('garden.turn', 2)})"
    expect(theirs).to_contain_text(cause)
    console.button("timeline.back").click()
    expect(theirs).not_to_contain_text(cause)
    console.go(f"why/{garden}?who={play.other}")
    expect(section(console, "why.relationsOf", play.other)).to_contain_text(play.one)
