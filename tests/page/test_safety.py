"""Text from models, cards and people is text: nothing in it runs, loads or leads anywhere. Lines of play are apart."""

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.page.browser import Tab, tab
from tests.page.model import Model
from tests.page.plays import PLAYS
from tests.page.script import bubbles, opened, script
from tests.page.served import Served
from tests.page.words import Words

ELSEWHERE = "http://127.0.0.1:9"
PAYLOADS = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<svg onload=window.pwned=1></svg>",
    "<a href=javascript:window.pwned=1>a</a>",
    "[b](javascript:window.pwned=1)",
    f"![c]({ELSEWHERE}/pwned.png)",
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "{@html '<img src=x onerror=pwned=1>'}",
    "{{constructor.constructor('pwned=1')()}}",
    "${window.pwned=1}",
    f"<style>@import '{ELSEWHERE}/d'</style>",
    f"<i style=background:url({ELSEWHERE}/e)>",
    "</textarea><script>pwned=1</script>",
    "<iframe srcdoc='<script>top.pwned=1'>",
    f"<base href={ELSEWHERE}/>",
    f"<meta http-equiv=refresh content=0;{ELSEWHERE}>",
    '" autofocus onfocus="window.pwned=1',
    "<details open ontoggle=window.pwned=1>",
)
TURNING = "\u202egnp.exe\u202c\u2066<b>x</b>\u2069"  # words that would run from right to left; no name may have them
MISPLACED = "main :is(script, iframe, base, style, meta, object, embed, math, video), main a[href^='javascript:']"
PICTURES = ("cards", "faces", "pictures")  # what the page itself shows; no other picture has any business there


def scenario() -> str:
    """A garden in which everything that has a name or a description is called by a payload."""
    data: dict[str, Any] = {
        "id": "hostile", "title": PAYLOADS[0], "language": "en", "description": " ".join(PAYLOADS),
        "world": {
            "version": "0.2", "location": {"current": PAYLOADS[2]},
            "locations": {PAYLOADS[2]: {"description": " ".join(PAYLOADS)}},
            "characters": {name: {"location": PAYLOADS[2]} for name in PAYLOADS[:2]},
            "props": {name: {"location": PAYLOADS[2], "description": name} for name in PAYLOADS[3:]},
        },
        "cast": {name: {"sheet": "hostile"} for name in PAYLOADS[:2]},
        "incidents": [{"id": "bang", "text": PAYLOADS[1], "delta": []}],
    }  # fmt: skip
    return json.dumps(data)


def card() -> str:
    data = {
        "name": PAYLOADS[1], "description": " ".join(PAYLOADS), "personality": PAYLOADS[2], "scenario": PAYLOADS[0],
        "first_mes": PAYLOADS[1], "mes_example": "", "creator_notes": PAYLOADS[1], "tags": list(PAYLOADS),
    }  # fmt: skip
    raw = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode()
    return base64.b64encode(raw).decode()


@pytest.fixture
def words(both: dict[str, Words]) -> Words:
    """Nothing of this depends on the language."""
    return both["en"]


@pytest.fixture
def hostile(browser: Browser, served: Served, model: Model, words: Words) -> Iterator[Tab]:
    with tab(browser, served, words) as console:
        yield console


def harmless(console: Tab) -> None:
    """Give whatever is there the time to run, and see that it did not."""
    console.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))")
    assert console.page.evaluate("window.pwned") is None
    assert console.page.locator(MISPLACED).count() == 0
    sources = console.page.locator("main img").evaluate_all("all => all.map((one) => one.getAttribute('src'))")
    own = tuple(f"{console.page.evaluate('location.origin')}/v1/{kind}/" for kind in PICTURES)
    assert [one for one in sources if not one.startswith(own)] == []


def shows(console: Tab, text: str) -> None:
    expect(console.page.locator("main")).to_contain_text(text)


def test_nothing_in_a_garden_runs(hostile: Tab, served: Served, model: Model) -> None:
    served.post("/v1/cards", {"data": card(), "name": "hostile", "replace": True})
    served.post("/v1/scenarios", {"name": "hostile", "text": scenario()})
    model.line = f'"{" ".join(PAYLOADS)} {TURNING} and so on, and on."'
    garden = served.garden("hostile", PLAYS["en"].new(), turns=2)
    served.post(f"/v1/gardens/{garden}/say", {"text": " ".join(PAYLOADS)})
    served.post(f"/v1/gardens/{garden}/incident", {"incident": "bang"})
    views = [f"{view}/{garden}" for view in ("garden", "map", "timeline", "why")]
    mind = f"why/{garden}?who={quote(PAYLOADS[1])}"
    for place in ("garden", *views, mind, "editor/hostile", "editor?cards=", "chat?new="):
        hostile.enter(place)
        expect(hostile.page.locator("main h1").first).to_be_attached()
        harmless(hostile)
    hostile.go(f"garden/{garden}")
    for payload in PAYLOADS:
        expect(script(hostile)).to_contain_text(payload)
    hostile.go(f"map/{garden}")
    hostile.button("map.asList").click()
    for payload in PAYLOADS[2:]:
        shows(hostile, payload)
    harmless(hostile)


def test_nothing_in_a_chat_or_a_memory_runs(hostile: Tab, served: Served, model: Model) -> None:
    model.answer = model.telling = f"Well then: {' '.join(PAYLOADS)} {TURNING} and so on, and on."
    chat = served.post("/v1/chats", {"persona": "marian", "name": PLAYS["en"].new(), "call_me": PAYLOADS[0]})["id"]
    for text in (f"About {' '.join(PAYLOADS)}", f"And {PAYLOADS[1]}"):
        served.post(f"/v1/chats/{chat}/messages", {"text": text})
    hostile.enter(f"chat/{chat}")
    for payload in (*PAYLOADS, TURNING):
        shows(hostile, payload)
    for summary in hostile.page.locator("article summary").all():
        summary.click()
    harmless(hostile)
    hostile.go(f"memory/{chat}")
    box = hostile.page.get_by_role("searchbox")
    box.fill(PAYLOADS[1])
    box.press("Enter")
    shows(hostile, PAYLOADS[0])
    hostile.button("memory.closer").first.click()
    harmless(hostile)
    for tab_name in ("inner", "runs"):
        hostile.go(f"memory/{chat}?tab={tab_name}")
        harmless(hostile)


def over_http(served: Served, garden: str, branch: str, sought: str) -> str:
    """All that a line of play says over HTTP of its world, its script, its minds and their memories."""
    paths = ["", "/script", *(f"/minds/{who}" for who in ("Marian", "Theo"))]
    found = [served.get(f"/v1/memory/{garden}/{who}/search", branch=branch, q=sought) for who in ("Marian", "Theo")]
    return json.dumps([*found, *(served.get(f"/v1/gardens/{garden}{path}", branch=branch) for path in paths)])


def test_a_fork_leaks_nothing(hostile: Tab, served: Served, model: Model) -> None:
    play = PLAYS["en"]
    garden = served.garden(play.scenario, play.new(), turns=1)
    secrets = {"main": "The vicar keeps a lemur.", "aside": "The postman is a poet."}
    things = {"main": "telescope", "aside": "barometer"}
    served.post(f"/v1/gardens/{garden}/fork", {"name": "aside"})
    for branch, secret in secrets.items():
        model.lines.append(f'"{secret}"')
        served.post(f"/v1/gardens/{garden}/prop", {"name": things[branch], "branch": branch})
        served.post(f"/v1/gardens/{garden}/turn", {"branch": branch})
    for branch, other in (("main", "aside"), ("aside", "main")):
        told = over_http(served, garden, branch, secrets[other])
        assert secrets[branch] in told
        assert secrets[other] not in told
        assert things[other] not in told
        opened(hostile, f"{garden}/{branch}" if branch != "main" else garden)
        expect(bubbles(hostile).last).to_contain_text(secrets[branch])
        hostile.misses(secrets[other])
        hostile.go(f"map/{garden}/{branch}")
        marks = hostile.page.get_by_role("group", name=hostile.words("map.label")).get_by_role("button")
        expect(marks.and_(hostile.button_named(things[branch]))).to_be_visible()
        expect(marks.and_(hostile.button_named(things[other]))).to_have_count(0)
        hostile.go(f"memory/{garden}/{branch}?who=Theo")
        box = hostile.page.get_by_role("searchbox")
        box.fill(secrets[other])
        box.press("Enter")
        hostile.misses(secrets[other])


def test_the_file_for_browsers_leads_in_and_leaves_no_token_behind(hostile: Tab, served: Served) -> None:
    hostile.forgive("^request to file:")
    hostile.page.goto((served.home / f"entrance-{served.port}.html").as_uri())
    hostile.page.wait_for_url(lambda url: url.startswith(f"{served.url}/") and served.token not in url)
    expect(hostile.page.locator("main h1").first).to_be_attached()
    expect(hostile.page.get_by_text(hostile.words("gate.title"))).to_have_count(0)
