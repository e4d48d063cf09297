"""Chats: one persona, what it says when spoken to, and what it says of its own accord."""

import base64
import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.page.browser import Tab
from tests.page.model import Model
from tests.page.plays import Play
from tests.page.served import Served, until
from tests.page.words import in_english, in_japanese


@pytest.fixture
def chat(console: Tab, served: Served, play: Play) -> str:
    id: str = served.post("/v1/chats", {"persona": play.persona, "name": play.new()})["id"]
    console.enter(f"chat/{id}")
    return id


def log(console: Tab) -> Locator:
    return console.page.get_by_role("log", name=console.words("chat.log"))


def field(console: Tab, play: Play) -> Locator:
    return console.field("chat.to", play.one)


def say(console: Tab, play: Play, text: str) -> None:
    field(console, play).fill(text)
    field(console, play).press("Enter")


def test_a_chat_is_begun_and_words_are_answered(console: Tab, play: Play) -> None:
    console.enter("chat?new=")
    console.page.locator(f"input[name=persona][value={play.persona}]").check()
    console.field("chat.nameIt").fill(play.new())
    console.button("chat.beginNow").click()
    console.sees(console.words("chat.first", play.one))
    say(console, play, play.said)
    console.sees(play.said, log(console))
    console.sees(play.answer, log(console))
    expect(field(console, play)).to_have_value("")
    console.button("chat.undo").click()
    console.misses(play.answer, log(console))
    expect(field(console, play)).to_have_value(play.said)


def test_an_answer_is_given_anew_swiped_edited_and_deleted(
    console: Tab, served: Served, model: Model, chat: str, play: Play
) -> None:
    say(console, play, play.said)
    console.sees(play.answer, log(console))
    text, other = log(console).locator(".text"), play.speech
    model.answer = other
    console.button("chat.again").click()
    expect(text).to_have_text(other)
    console.sees(console.words("chat.takeOf", 2, 2), log(console))
    field(console, play).press("ArrowLeft")
    expect(text).to_have_text(play.answer)
    field(console, play).press("ArrowUp")
    console.field("chat.theirWords", play.one).fill(play.plain)
    console.field("chat.theirWords", play.one).press("Enter")
    expect(text).to_have_text(play.plain)
    console.button("chat.fork").click()
    console.notices("chat.forked", "line-2")
    expect(text).to_have_text(play.plain)
    console.button("chat.remove").click()
    console.misses(play.plain, log(console))
    assert len(served.get(f"/v1/chats/{chat}")["history"]) == 1


@in_english
def test_what_is_typed_stays_when_the_chat_is_read_anew(console: Tab, served: Served, chat: str, play: Play) -> None:
    served.post(f"/v1/chats/{chat}/messages", {"text": play.said})
    gap = 'event: reset\ndata: {"seq": 1, "reason": "behind"}\n\n'
    console.page.route("**/events?*", lambda route: route.fulfill(content_type="text/event-stream", body=gap))
    console.page.reload()
    console.button("chat.edit").first.click()
    console.field("chat.theirWords", play.one).fill(play.plain)
    with console.page.expect_response(f"**/v1/chats/{chat}/takes?*") as read:
        pass
    assert read.value.ok
    expect(console.field("chat.theirWords", play.one)).to_have_value(play.plain)


@in_english
def test_an_answer_goes_on_where_it_ends(console: Tab, model: Model, chat: str, play: Play) -> None:
    say(console, play, play.said)
    console.sees(play.answer, log(console))
    model.answer = play.speech
    console.button("chat.more").click()
    expect(log(console).locator(".text")).to_have_text(f"{play.answer} {play.speech}")


@in_english
def test_a_card_that_is_dropped_anywhere_opens_a_chat(console: Tab, play: Play) -> None:
    card = {"name": play.new(), "description": "A friend.", "first_mes": "There you are, {{user}}."}
    text = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": card})
    console.enter("settings")
    expect(console.button("settings.examine")).to_be_visible()
    drop(console, text, "card.txt")
    console.notices("chat.noCard")
    drop(console, text, "card.json")
    console.sees("There you are", log(console))


@in_japanese
def test_a_chat_of_another_program_is_taken_in_remembered_and_talked_on(
    console: Tab, served: Served, play: Play
) -> None:
    sheet = card_of(served, play)
    said = [
        {"name": name, "is_user": name == "ナオ", "mes": f"{play.new()} {number}番目の話"}
        for number in range(30)
        for name in ("ナオ", "ほかの名前")
    ]
    whose(console, "\n".join(json.dumps(one) for one in said), "talk.jsonl", sheet)
    console.sees("29番目の話", log(console))
    stats = f"/v1/memory/{console.page.url.rpartition('/')[2]}/{sheet}/stats"
    until(lambda: served.get(stats)["works"].get("queued", 0) == 0)


@in_english
def test_a_lorebook_says_whose_it_is_to_be(console: Tab, served: Served, play: Play) -> None:
    sheet = card_of(served, play)
    book = {"entries": {"0": {"key": ["tin"], "content": "The tin is empty."}}}
    whose(console, json.dumps(book), "world.json", sheet)
    console.notices("arrivals.lore", 1, sheet)


def card_of(served: Served, play: Play) -> str:
    """The sheet of a card that has come before."""
    card = json.dumps({"name": play.new(), "description": "A friend."}).encode()
    name: str = served.post("/v1/imports", {"data": base64.b64encode(card).decode()})["sheet"]
    return name


def whose(console: Tab, text: str, name: str, sheet: str) -> None:
    """Drop a file that does not say whose it is, and say so."""
    console.forgive("422.*/v1/imports")
    console.enter("settings")
    expect(console.button("settings.examine")).to_be_visible()
    drop(console, text, name)
    dialog = console.page.get_by_role("dialog", name=console.words("arrivals.whose"))
    dialog.locator(f"input[value='{sheet}']").check()
    console.button("arrivals.takeIn", within=dialog).click()


def drop(console: Tab, text: str, name: str) -> None:
    """Drop a file somewhere on the page."""
    console.page.evaluate(
        """([text, name]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], name));
          const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector("main").dispatchEvent(drop);
        }""",
        [text, name],
    )


@in_japanese
def test_a_card_greets_and_its_greetings_are_swiped(console: Tab, served: Served, play: Play) -> None:
    greetings = {"first_mes": "おかえり。\n遅かったね。", "alternate_greetings": ["だれ？"]}
    card = {"name": play.new(), "description": "幼なじみ。", **greetings}
    data = base64.b64encode(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": card}).encode())
    sheet = served.post("/v1/cards", {"data": data.decode()})["name"]
    chat = served.post("/v1/chats", {"persona": sheet})["id"]
    text = log(console).locator(".text")
    console.enter(f"chat/{chat}")
    expect(text).to_have_text("おかえり。\n遅かったね。", use_inner_text=True)
    for shown in ("だれ？", "おかえり。\n遅かったね。"):
        console.button("chat.greetingAfter").click()
        expect(text).to_have_text(shown, use_inner_text=True)


@in_english
def test_an_answer_is_stopped_where_it_is(console: Tab, model: Model, chat: str, play: Play) -> None:
    model.may_go_on.clear()
    say(console, play, play.said)
    expect(log(console).locator(".text")).to_have_text(play.answer[:3])
    console.button("chat.stop").click()
    until(lambda: model.hung_up)
    console.sees(console.words("chat.stopped"), log(console))
    expect(log(console).locator(".text")).to_have_text(play.answer[:3])


@in_japanese
def test_an_answer_goes_on_while_one_is_elsewhere(console: Tab, model: Model, chat: str, play: Play) -> None:
    model.may_go_on.clear()
    say(console, play, play.said)
    expect(log(console).locator(".text")).to_have_text(play.answer[:3])
    console.go("settings").page.reload()
    console.go(f"chat/{chat}")
    console.sees(play.said, log(console))
    expect(log(console).locator(".text")).to_have_text(play.answer[:3])
    model.may_go_on.set()
    console.sees(play.answer, log(console))
    assert not model.hung_up


@pytest.mark.parametrize(
    ("words", "delivery", "shown"),
    [("ja", "chat", "chat.ownAccord"), ("en", "notify", "chat.notice")],
    indirect=["words"],
)
def test_what_is_said_of_its_own_accord_is_theirs(
    console: Tab, served: Served, model: Model, chat: str, play: Play, delivery: str, shown: str
) -> None:
    model.telling, model.delivery = play.answer, {"on_complete": delivery}
    served.post(f"/v1/chats/{chat}/autonomy/start")
    served.post(f"/v1/chats/{chat}/autonomy/trigger", {"note": "…"})
    said = log(console).get_by_role("article").filter(has_text=play.answer)
    expect(said.locator("b")).to_have_text(play.one)
    expect(said).to_contain_text(console.words(shown))
    is_notice = re.compile(r"\bnotice\b")
    (expect(said).to_have_class if delivery == "notify" else expect(said).not_to_have_class)(is_notice)
