"""What was played can be put in other words and gone on from; what is taken back is gone from every console."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.page.browser import Tab, tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.script import bubbles, opened, script, step
from tests.page.served import Served
from tests.page.test_chat import log, say
from tests.page.test_editor import CARD
from tests.page.test_why import section
from tests.page.words import Words, in_english, in_japanese

TOO_LARGE = (16 << 20) + 1


@pytest.fixture
def garden(console: Tab, served: Served, model: Model, play: Play) -> str:
    """A garden with two turns, open in the console."""
    model.lines.extend([play.takes, play.plain])
    id = served.garden(play.scenario, play.new(), turns=2)
    opened(console, id)
    expect(bubbles(console)).to_have_count(2)
    return id


def editor(console: Tab, turn: int) -> Locator:
    return console.field("garden.editLabel", turn)


def test_a_turn_is_put_in_other_words_and_the_ones_before_are_kept(console: Tab, garden: str, play: Play) -> None:
    console.button("garden.edit").first.click()
    expect(editor(console, 1)).to_have_value(play.takes)
    console.sees(console.words("garden.editAfter", 1).strip())
    editor(console, 1).fill(play.turns_on)
    console.button("garden.rewrite").click()
    expect(bubbles(console)).to_have_count(1)
    console.sees(play.told, script(console))
    console.sees(console.words("garden.byYou"), script(console))
    console.button("controls.take", 1).click()
    expect(bubbles(console)).to_have_count(2)
    expect(bubbles(console).first).to_contain_text(play.speech)


@in_japanese
def test_an_act_is_shown_in_words_and_played_again_as_it_was(console: Tab, served: Served, play: Play) -> None:
    id = served.garden(play.scenario, play.new())
    served.post(f"/v1/gardens/{id}/act", {"who": play.one, "text": "(TOAST: トースター) 「焼くよ。」"})
    opened(console, id)
    console.button("garden.edit").click()
    expect(editor(console, 1)).to_have_value("（トースターで焼く） 「焼くよ。」")
    editor(console, 1).fill("（トースターで焼く）「二枚焼くよ。」")
    console.button("garden.rewrite").click()
    expect(bubbles(console)).to_contain_text("二枚焼くよ。")
    expect(script(console).locator(".denied")).to_have_count(0)


@in_english
def test_other_words_are_no_way_round_the_referee(console: Tab, garden: str, play: Play) -> None:
    console.button("garden.edit").last.click()
    editor(console, 2).fill(play.turns_off)
    editor(console, 2).press("Enter")
    expect(script(console).locator(".denied")).to_contain_text(play.refusal)


@in_japanese
def test_nothing_happens_if_one_thinks_better_of_it(console: Tab, garden: str, play: Play) -> None:
    console.button("garden.edit").last.click()
    expect(editor(console, 2)).to_be_focused()
    editor(console, 2).press("Escape")
    expect(editor(console, 2)).to_have_count(0)
    expect(bubbles(console)).to_contain_text([play.speech, play.said])


@in_english
def test_whoever_spoke_last_goes_on(console: Tab, model: Model, garden: str, play: Play) -> None:
    console.button("controls.goOn").click()
    expect(script(console).locator(".voice b")).to_have_text([play.one, play.other, play.other])
    step(console)
    expect(script(console).locator(".voice b")).to_have_text([play.one, play.other, play.other, play.one])


@in_japanese
def test_each_rule_that_was_asked_is_told_with_its_answer(console: Tab, garden: str, play: Play) -> None:
    console.go(f"why/{garden}?turn=1")
    asked = section(console, "why.ruling").get_by_role("list", name=console.words("why.questionsLabel")).first
    for question in ("meant", "exists", "here", "hand-free"):
        passed = f"{console.words(f'why.questions.{question}')}: {console.words('why.answers.passed')}"
        expect(asked.get_by_role("listitem").filter(has_text=passed)).to_be_visible()
    beside = f"{console.words('why.questions.instrument')}: {console.words('why.answers.not_applicable')}"
    expect(asked.get_by_role("listitem").filter(has_text=beside)).to_be_visible()


@in_english
def test_what_is_taken_back_in_one_console_goes_from_another(
    browser: Browser, served: Served, words: Words, console: Tab, play: Play
) -> None:
    chat = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    console.enter(f"chat/{chat}")
    say(console, play, play.said)
    console.sees(play.answer, log(console))
    with tab(browser, served, words) as other:
        other.enter(f"chat/{chat}")
        other.sees(play.answer, log(other))
        console.button("chat.undo").click()
        other.misses(play.answer, log(other))


@in_japanese
def test_one_talks_with_whoever_is_on_a_card(console: Tab, tmp_path: Path, play: Play) -> None:
    card = json.loads(json.dumps(CARD))
    card["data"]["name"] = f"Guest {play.new()}"
    file = tmp_path / "card.json"
    file.write_text(json.dumps(card), encoding="utf-8")
    console.enter("editor?cards=")
    console.page.set_input_files("input[type=file]", file)
    console.link("editor.talk", within=console.page.locator("section.card")).click()
    console.button("chat.beginNow").click()
    console.sees("Hello", log(console))


@in_english
def test_a_file_that_is_too_large_for_a_card_is_told_at_once(console: Tab, tmp_path: Path) -> None:
    file = tmp_path / "large.png"
    file.write_bytes(bytes(TOO_LARGE))
    console.enter("editor?cards=")
    console.page.set_input_files("input[type=file]", file)
    console.sees(console.words("editor.cardTooLarge", 16))
