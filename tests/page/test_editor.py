"""Scenarios and cards: written by form or by hand, checked while they are written, dropped in, tried at once."""

import json
from itertools import count

import pytest
from playwright.sync_api import Locator, expect

from tests.page.browser import Tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.script import bubbles, script, step
from tests.page.served import Served
from tests.page.words import in_english, in_japanese

CARD = {
    "spec": "chara_card_v2", "spec_version": "2.0",
    "data": {
        "name": "Seraphina Grey", "description": "A quiet librarian.", "personality": "calm", "scenario": "",
        "first_mes": "Hello, {{user}}.", "mes_example": "", "tags": ["books"],
    },
}  # fmt: skip
numbers = count(1)


def yaml(console: Tab) -> Locator:
    return console.field("editor.yaml")


def test_a_copy_is_checked_while_it_is_written_and_tried_at_once(console: Tab, model: Model, play: Play) -> None:
    console.enter(f"editor/{play.scenario}")
    expect(yaml(console)).not_to_be_editable()
    console.button("editor.copy").click()
    expect(yaml(console)).to_be_editable()
    yaml(console).evaluate("one => { one.focus(); one.setSelectionRange(0, 0); }")
    console.page.keyboard.type("x")  # the first key is none now that a scenario knows
    console.sees(console.words("editor.broken"))
    expect(console.page.locator(".flaws li").filter(has_text="xid").first).to_be_visible()
    expect(console.page.locator("header").get_by_text(console.words("editor.unsaved"))).to_be_visible()
    expect(console.button("editor.play")).to_be_disabled()
    console.page.keyboard.press("Backspace")
    expect(console.page.locator(".flaws .bad")).to_have_count(0)
    console.button("editor.play").click()
    expect(console.page.get_by_role("heading", level=1, name=play.title)).to_be_visible()
    step(console)
    expect(bubbles(console)).to_have_count(1)


@in_english
def test_a_form_makes_a_scenario_that_can_be_played(console: Tab, served: Served, play: Play) -> None:
    console.enter("editor?new=")
    name = f"attic_{next(numbers)}_{console.words.language}"
    console.field("editor.fields.title").fill(f"屋根裏 {name}")
    console.field("editor.fields.description").fill("Dust and light. ほこりと光。")
    console.field("editor.fields.place").fill("attic")
    console.field("editor.fields.things").fill("trunk, lamp")
    for who in (play.one, play.other):
        console.page.get_by_role("checkbox", name=who, exact=True).check()
    console.button("editor.make").click()
    expect(yaml(console)).to_be_visible()
    expect(yaml(console)).to_have_value(served.get(f"/v1/scenarios/{name}")["text"])
    expect(console.button("editor.play")).to_be_enabled()
    console.button("editor.play").click()
    expect(script(console).locator(".scene")).to_contain_text("attic")


@in_japanese
def test_any_title_makes_a_scenario_and_none_takes_the_place_of_another(console: Tab, play: Play) -> None:
    names = []
    for _ in range(2):
        console.enter("editor?new=")
        console.field("editor.fields.title").fill("雨の図書室")
        console.field("editor.fields.place").fill("図書室")
        console.page.get_by_role("checkbox", name=f"{play.one} {play.persona}", exact=True).check()
        console.button("editor.make").click()
        names.append(console.page.get_by_role("heading", name="雨の図書室").get_attribute("title"))
        console.misses(console.words("editor.broken"))
        expect(console.button("editor.play")).to_be_enabled()
    assert len({*names}) == 2


@pytest.mark.parametrize(("words", "how"), [("ja", "dropped"), ("en", "chosen")], indirect=["words"])
def test_a_card_becomes_somebody(console: Tab, how: str) -> None:
    data = {**CARD["data"], "name": f"Seraphina {next(numbers)} {console.words.language} {how}"}  # type: ignore[dict-item]
    text = json.dumps({**CARD, "data": data})
    console.enter("editor?cards=")
    where = console.page.locator("label.drop")
    expect(where).to_contain_text(console.words("editor.dropCard"))
    if how == "dropped":
        files = console.page.evaluate_handle(
            """text => {
              const files = new DataTransfer();
              files.items.add(new File([text], "card.json", { type: "application/json" }));
              return files;
            }""",
            text,
        )
        where.dispatch_event("drop", {"dataTransfer": files})
    else:
        card = {"name": "card.json", "mimeType": "application/json", "buffer": text.encode()}
        where.locator("input").set_input_files(files=card)  # type: ignore[arg-type]
    kept = console.page.locator("section.card")
    expect(kept).to_contain_text(data["name"])
    expect(kept).to_contain_text("A quiet librarian.")
