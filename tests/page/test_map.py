"""The map and the timeline: who and what is where, now and at any turn; back, aside, and two lines compared."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.page.browser import Tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.script import bubbles
from tests.page.served import Served, until
from tests.page.words import in_english, in_japanese

AS_EVER = 2  # turns before the thing is taken


GARDENS: dict[str, str] = {}


@pytest.fixture
def changing(console: Tab, served: Served, model: Model, play: Play) -> str:
    """A garden in which somebody takes a thing in the third of four turns."""
    model.lines.extend([play.nod, play.nod, play.takes, play.turns_on])
    return served.garden(play.scenario, play.new(), turns=4)


@pytest.fixture
def garden(request: pytest.FixtureRequest, play: Play) -> str:
    """The same, to be looked at: nothing in it changes."""
    if play.scenario not in GARDENS:
        GARDENS[play.scenario] = request.getfixturevalue("changing")
    return GARDENS[play.scenario]


def map_of(console: Tab) -> Locator:
    return console.page.get_by_role("group", name=console.words("map.label"))


def mark(console: Tab, name: str) -> Locator:
    return map_of(console).get_by_role("button", name=name, exact=True)


def slide(console: Tab, turn: int) -> None:
    slider = console.page.get_by_role("slider", name=console.words("timeline.slider"))
    slider.fill(str(turn))
    expect(
        console.page.get_by_role("status").filter(has_text=console.words("timeline.lookingBack", turn, 4))
    ).to_be_visible()


def test_who_is_where_and_holds_what(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"map/{garden}")
    room, one, thing = (mark(console, name).bounding_box() for name in (play.room, play.one, play.thing))
    assert room is not None
    assert one is not None
    assert thing is not None
    assert abs(thing["y"] - one["y"]) < one["height"]  # what is held is drawn beside whoever holds it
    assert one["y"] > room["y"]
    mark(console, play.thing).click()
    details = console.page.get_by_role("complementary", name=console.words("map.details"))
    expect(details).to_contain_text(console.words("map.heldBy", play.one))
    expect(details).to_contain_text(console.words("map.possible"))
    expect(details).to_contain_text(console.words("map.lately"))
    expect(details.get_by_role("link", name=console.words("garden.turn", 3))).to_be_visible()
    mark(console, play.one).click()
    console.button_named(play.thing, within=details).click()
    expect(details.get_by_role("heading")).to_have_text(play.thing)


@in_english
def test_the_map_follows_the_slider(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"map/{garden}")
    mark(console, play.thing).click()
    details = console.page.get_by_role("complementary", name=console.words("map.details"))
    slide(console, AS_EVER)
    expect(details).not_to_contain_text(console.words("map.heldBy", play.one))
    console.button("timeline.forward").click()
    expect(details).to_contain_text(console.words("map.heldBy", play.one))


@in_japanese
def test_a_turn_is_looked_back_at_and_everything_follows(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"timeline/{garden}")
    slide(console, 3)
    scene = console.page.get_by_role("region", name=console.words("timeline.scene"))
    expect(scene).to_contain_text(play.speech)
    slide(console, 1)
    expect(scene).not_to_contain_text(play.speech)
    console.button("timeline.toNow").click()
    expect(scene).to_contain_text(play.told)


def test_it_is_rewound_with_its_world(console: Tab, served: Served, changing: str, play: Play) -> None:
    console.enter(f"timeline/{changing}")
    slide(console, AS_EVER)
    console.button("timeline.rewind").click()
    console.button("timeline.reallyRewind", 2).click()
    expect(console.button("timeline.toNow")).to_have_count(0)
    expect(console.page.locator("output")).to_have_text(f"{AS_EVER}/ {AS_EVER}")
    things = served.get(f"/v1/gardens/{changing}")["things"]
    assert [one["held_by"] for one in things if one["name"] == play.thing] == [None]


def test_a_line_is_forked_off_and_set_beside_the_other(
    console: Tab, served: Served, model: Model, changing: str, play: Play
) -> None:
    console.enter(f"timeline/{changing}")
    slide(console, AS_EVER)
    console.button("timeline.fork").click()
    console.field("timeline.nameBranch").fill("aside")
    console.button("timeline.forkNow").click()
    expect(console.choice("branch.label")).to_have_value("aside")
    expect(bubbles(console)).to_have_count(AS_EVER)
    console.go(f"timeline/{changing}/aside")
    compare = console.page.locator("section").filter(
        has=console.page.get_by_role("heading", name=console.words("compare.title"))
    )
    compare.get_by_role("combobox").select_option("main")
    expect(compare).to_contain_text(console.words("compare.parted", AS_EVER, AS_EVER, 4))
    differing = compare.get_by_role("row").filter(has_text=console.words("compare.fields.held_by"))
    expect(differing).to_contain_text([play.thing])
    expect(differing).to_contain_text([play.one])


def test_moments_are_marked_and_lead_to_their_turn(console: Tab, served: Served, model: Model, play: Play) -> None:
    model.lines.extend([play.turns_on, play.turns_off, play.again])
    garden = served.garden(play.scenario, play.new(), turns=3)
    moments = until(lambda: served.get(f"/v1/gardens/{garden}/highlights", console.words.language))
    console.enter(f"timeline/{garden}")
    console.sees(moments[0]["title"])
    star = console.page.locator(".scrubber .star").first
    expect(star).to_have_attribute(
        "aria-label", f"{console.words('garden.turn', moments[0]['turns'][-1])} {moments[0]['title']}"
    )


@in_english
def test_it_is_kept_as_a_file(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"timeline/{garden}")
    with console.page.expect_download() as kept:
        console.button("timeline.forms.md").click()
    assert play.speech in kept.value.path().read_text(encoding="utf-8")


@in_japanese
def test_what_a_turn_changed_is_marked_on_the_map(console: Tab, garden: str, play: Play) -> None:
    console.enter(f"map/{garden}")
    slide(console, AS_EVER + 1)
    expect(mark(console, play.thing)).to_have_attribute("title", re.compile(re.escape(console.words("map.changed"))))
    slide(console, AS_EVER)
    expect(map_of(console).locator(".changed")).to_have_count(0)
