"""A garden as a page, as Markdown, as lines of JSON, and in figures."""

import asyncio
import base64
import hashlib
import json
import re
from typing import Any

import pytest
from lxml import html

from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.export import GardenStatistics, garden_statistics, to_html, to_jsonl, to_markdown
from hakoniwa.play.loop import play
from hakoniwa.play.session import Session
from hakoniwa.turn import Turn
from tests.play.parlour import SCENARIO, SHEETS, after, parlour

RAW_TAG = re.compile(r"[(（]\s*[A-Z_]{2,}\s*[:：)）]")
HOSTILE = "<script>alert(1)</script>"


def played(scenario: str, seed: int, turns: int) -> Session:
    session = new_session(MemoryJournal(), scenario, seed)

    async def through() -> None:
        async for _ in play(session, turns):
            pass

    asyncio.run(through())
    return session


def text_of(page: str, path: str) -> list[str]:
    return [" ".join(node.text_content().split()) for node in html.fromstring(page).xpath(path)]


@pytest.fixture(scope="module")
def office() -> Session:
    return played("detective_office", 1, 12)


def test_the_page_reads_like_a_play() -> None:
    page = to_html(after([("やな", "(GET: カップ) 「まずは一杯」"), ("やな", "(OPEN: 小箱)"), ("incident", "")]))

    assert text_of(page, "//h1") == ["夕方の台所"]
    assert text_of(page, "//*[@class='about']") == ["雨の夕方。姉妹がふたり。"]
    assert text_of(page, "//*[@class='cast']//dt") == ["やな", "あゆ"]
    assert text_of(page, "//*[@class='cast']//dd") == ["やな、二十五歳。よく笑う姉。", "静かな妹。"]
    assert text_of(page, "//article//h2") == ["台所 夕方 16:40 雨"]
    assert text_of(page, "//article//p") == [
        "声 「おかえり、ふたりとも。」",
        "やな （カップを手に取る）「まずは一杯」",
        "やな （小箱を開ける――）だが、小箱には鍵がかかっている。",
        "雨がやんだ。",
    ]


def test_behind_every_turn_stands_its_why(office: Session) -> None:
    page = to_html(office, "en")
    turns: list[Turn] = office.standing.turns

    assert text_of(page, "//details/summary") == [str(turn.number) for turn in turns]
    assert text_of(page, "//details//dt[text()='Thought']/following-sibling::dd[1]") == [
        turn.thought.text for turn in turns
    ]
    assert len(text_of(page, "//details//dd[starts-with(., 'denied')]")) == garden_statistics(office).denied > 0


def test_nothing_in_a_page_is_raw(office: Session) -> None:
    for view in (to_html(office), to_markdown(office)):
        assert RAW_TAG.search(view) is None


def test_a_page_needs_nothing_but_itself(office: Session) -> None:
    page = to_html(office)
    tree = html.fromstring(page)
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    (style,) = tree.xpath("//style/text()")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert tree.xpath("//script | //link | //img | //iframe | //*[@src] | //*[@style]") == []
    assert {one.tag for one in tree.xpath("//*[@href]")} == {"use"}
    assert all(tree.xpath(f"//symbol[@id='{one[1:]}']") and one[0] == "#" for one in tree.xpath("//@href"))
    assert "url(" not in style
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def hostile_session() -> Session:
    """A garden whose every author means harm."""
    world: dict[str, Any] = SCENARIO["world"]
    scenario = {
        **SCENARIO,
        "title": HOSTILE,
        "description": HOSTILE,
        "opening": HOSTILE,
        "world": {**world, "characters": {HOSTILE: {"location": "台所"}}, "meta": {"weather": HOSTILE}},
        "cast": {HOSTILE: {"sheet": "x"}},
    }
    sheets = {HOSTILE: {**SHEETS["やな"], "display_name": f"{HOSTILE}!", "persona": HOSTILE}}
    return after([(HOSTILE, f"（{HOSTILE}）「{HOSTILE}」"), ("user", HOSTILE)], parlour(scenario, sheets=sheets))


def test_a_hostile_name_stays_text() -> None:
    session = hostile_session()

    page, markdown = to_html(session), to_markdown(session)

    assert html.fromstring(page).xpath("//script") == []
    assert min(page.count("&lt;script&gt;"), markdown.count(r"\<script\>")) >= 8
    assert re.search(r"(?<!\\)<script", page + markdown) is None


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (None, ["登場人物", "世界が動いた手番"]),
        ("ja", ["登場人物", "世界が動いた手番"]),
        ("en", ["Dramatis personae", "turns that changed the world"]),
    ],
)
def test_the_interface_speaks_the_readers_language(office: Session, lang: str | None, words: list[str]) -> None:
    for view in (to_html(office, lang), to_markdown(office, lang)):
        assert [word for word in words if word not in view] == []


def test_an_english_garden_is_set_in_english() -> None:
    markdown = to_markdown(played("tea_room", 1, 2))

    assert "“" in markdown
    assert re.search("[（「――]", markdown) is None


def test_markdown_is_the_same_script() -> None:
    markdown = to_markdown(
        after([("やな", "(OPEN: 戸棚) 「どれどれ」"), ("あゆ", "(MOVE: 台所)"), ("あゆ", "(GET: 盆)")])
    )

    script = markdown.split("---\n")[1]
    assert script.strip().split("\n\n") == [
        "### 台所　夕方 16:40　雨",
        "**声** 「おかえり、ふたりとも。」",
        "**やな** （戸棚を開ける）「どれどれ」",
        "*蝶番が鳴った。*",
        "**あゆ** （台所へ行く）",
        "**あゆ** （盆を手に取る）",
        "*盆は、ふたりの食卓へ運ばれた。*",
        "**幕**",
    ]


def test_two_runs_with_one_seed_export_the_same_journal() -> None:
    one, two, other = (to_jsonl(played("detective_office", seed, 10)) for seed in (4, 4, 5))

    assert one == two != other


def test_the_canonical_export_has_one_event_a_line_and_neither_ids_nor_times() -> None:
    session = after([("やな", "「さて」"), ("user", "やあ。")])

    events = [json.loads(line) for line in to_jsonl(session).splitlines()]

    assert [one["kind"] for one in events] == ["opening", "turn", "clock", "user"]
    assert {key for one in events for key in one}.isdisjoint({"seq", "parent", "garden", "row_hash", "recorded_at"})


def test_figures_count_what_happened() -> None:
    session = after(
        [
            ("やな", "(GET: カップ) 「さて」"),
            ("あゆ", "「はい」"),
            ("やな", "(OPEN: 小箱) 「さて」"),
            ("incident", ""),
            ("あゆ", "（頷く）"),
        ]
    )

    assert garden_statistics(session) == GardenStatistics(
        turns=4, moved=1, lines=3, repeated_near=1, repeated=1, denied=1, incidents=1
    )
    assert garden_statistics(session).moved_share == 0.25
    assert garden_statistics(session).repeated_share == pytest.approx(1 / 3)


def test_a_line_said_again_much_later_is_no_near_repeat() -> None:
    between = [("あゆ", f"「{number}」") for number in range(15)]

    found = garden_statistics(after([("やな", "「さて」"), *between, ("やな", "「さて」")]))

    assert (found.repeated_near, found.repeated) == (0, 1)


def test_a_garden_before_its_first_turn_has_a_page_too() -> None:
    assert garden_statistics(parlour()) == GardenStatistics()
    assert garden_statistics(parlour()).moved_share == garden_statistics(parlour()).repeated_share == 0.0
    assert text_of(to_html(parlour()), "//article//*") == []
