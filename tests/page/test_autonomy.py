"""What a persona does by itself: started, watched, understood, rested and ended."""

from playwright.sync_api import expect

from tests.page.browser import Tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.served import Served

REASON = "気になる / worth a thought"


def test_a_life_is_begun_watched_rested_and_ended(console: Tab, served: Served, model: Model, play: Play) -> None:
    model.telling, model.reason = play.answer, REASON
    chat = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    console.enter(f"autonomy/{chat}")
    console.sees(console.words("autonomy.off", play.one))
    console.sees(console.words("autonomy.noDecisionsOff"))
    console.button("autonomy.start").click()
    console.sees(console.words("autonomy.on", play.one))
    console.field("autonomy.note").fill("rose / 薔薇")
    console.button("autonomy.trigger").click()

    decisions = console.page.locator("section").filter(
        has=console.page.get_by_role("heading", name=console.words("autonomy.decisions"))
    )
    expect(decisions.locator("article")).to_contain_text([REASON])
    expect(decisions.locator("article")).to_contain_text([console.words("autonomy.actions.schedule_action")])
    expect(decisions.locator("article")).to_contain_text(["rose / 薔薇"])
    digest = console.page.locator("section").filter(
        has=console.page.get_by_role("heading", name=console.words("autonomy.digest"))
    )
    expect(digest.locator("article").first).to_contain_text(play.answer)
    feed = console.page.locator(".feed")
    expect(feed).to_contain_text(console.words("autonomy.phases.result"))
    expect(feed).not_to_contain_text(play.answer)  # a feed is in nobody's voice
    console.sees(console.words("autonomy.used", 1, 9))

    console.choice("autonomy.rest").select_option("3600")
    expect(console.button("autonomy.resume")).to_be_visible()
    assert served.get(f"/v1/chats/{chat}/autonomy")["paused"]
    console.button("autonomy.resume").click()
    expect(console.choice("autonomy.rest")).to_be_visible()
    console.button("autonomy.stop").click()
    console.sees(console.words("autonomy.off", play.one))
