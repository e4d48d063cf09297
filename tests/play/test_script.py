"""The journal read as a play script."""

import asyncio
import re

import pytest
from inline_snapshot import snapshot

from hakoniwa.app import new_session
from hakoniwa.gm.act import Act, script_direction, third_person
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.pack import verb_of
from hakoniwa.play.loop import play
from hakoniwa.play.script import ScriptEntry, ScriptReader, script_of
from hakoniwa.play.session import Session
from hakoniwa.play.user_acts import drop_prop
from tests.play.parlour import after

RAW_TAG = re.compile(r"[(（]\s*[A-Z_]{2,}\s*[:：)）]|->")


def written(session: Session) -> list[ScriptEntry]:
    return script_of(session.scenario.world, session.rows)


def told(session: Session) -> list[tuple[str, ...]]:
    """The script in short: kind, name, direction and text, as far as there is any."""
    return [tuple(filter(None, (one.kind, one.name, one.direction, one.text))) for one in written(session)]


def last(session: Session) -> list[tuple[str, ...]]:
    """The last turn's part of the script."""
    turn = session.standing.turns[-1].number
    return [part for part, entry in zip(told(session), written(session), strict=True) if entry.turn == turn]


def test_a_scene_reads_as_a_play() -> None:
    session = after(
        [
            ("やな", "(GET: カップ) 「まずは一杯」"),
            ("あゆ", "（肩をすくめる）「姉様、早すぎます」"),
            ("user", "ふたりとも、仲良くね。"),
            ("やな", "(OPEN: 小箱) 「えい」"),
            ("incident", ""),
            ("あゆ", "(MOVE: 台所)"),
            ("やな", "(火にかける: やかん)"),
            ("あゆ", "(GET: 盆)"),
        ]
    )

    assert told(session) == snapshot(
        [
            ("scene", "台所"),
            ("opening", "おかえり、ふたりとも。"),
            ("speech", "やな", "カップを手に取る", "まずは一杯"),
            ("scene", "居間"),
            ("speech", "あゆ", "肩をすくめる", "姉様、早すぎます"),
            ("user", "ふたりとも、仲良くね。"),
            ("scene", "台所"),
            ("speech", "やな", "えい"),
            ("denied", "小箱を開ける", "だが、小箱には鍵がかかっている。"),
            ("incident", "雨がやんだ。"),
            ("scene", "台所"),
            ("direction", "あゆ", "台所へ行く"),
            ("told", "青い火が、やかんの底をなめた。"),
            ("process", "やかんが鳴いた。"),
            ("direction", "あゆ", "盆を手に取る"),
            ("end", "盆は、ふたりの食卓へ運ばれた。"),
        ]
    )


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("(GET: カップ) 「どうも」", [("speech", "やな", "カップを手に取る", "どうも")]),
        ("(GET: カップ)", [("direction", "やな", "カップを手に取る")]),
        ("（笑う）(GET: カップ) 「どうも」", [("speech", "やな", "笑う、カップを手に取る", "どうも")]),
        ("(GET: カップ) (PUT: カップ -> 盆)", [("direction", "やな", "カップを盆に入れる")]),
        ("(GET: カップ) (INSPECT: 盆)", [("direction", "やな", "カップを手に取る、盆を調べる")]),
        ("「どうも」", [("speech", "やな", "どうも")]),
    ],
)
def test_a_plain_act_is_a_stage_direction_and_nothing_is_told_twice(text: str, entries: list[tuple[str, ...]]) -> None:
    assert last(after([("あゆ", "「待ってます」"), ("やな", "「ただいま」"), ("やな", text)])) == entries


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("（立ち上がる）「よし」", [("speech", "やな", "立ち上がる", "よし")]),
        ("（カップをそっと手に取る）「どうも」", [("speech", "やな", "カップをそっと手に取る", "どうも")]),
        (
            "（カップをそっと手に取る）(PUT: カップ -> 盆)",
            [("direction", "やな", "カップをそっと手に取る、カップを盆に入れる")],
        ),
        (
            "（にっこり笑う）（小箱を力いっぱい開ける）「えい」",
            [
                ("speech", "やな", "にっこり笑う", "えい"),
                ("denied", "小箱を力いっぱい開ける", "だが、小箱には鍵がかかっている。"),
            ],
        ),
    ],
)
def test_the_performers_own_words_are_kept(text: str, entries: list[tuple[str, ...]]) -> None:
    assert last(after([("やな", "「さて」"), ("やな", text)])) == entries


def test_what_a_sentence_adds_follows_the_direction() -> None:
    session = after([("やな", "「さて」"), ("やな", "(OPEN: 戸棚) 「どれどれ」")])

    assert last(session) == [("speech", "やな", "戸棚を開ける", "どれどれ"), ("told", "蝶番が鳴った。")]


def test_a_sentence_of_its_own_stands_for_the_direction() -> None:
    session = after([("やな", "「さて」"), ("やな", "(火にかける: やかん) 「沸け」")])

    assert last(session)[:2] == [("speech", "やな", "沸け"), ("told", "青い火が、やかんの底をなめた。")]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (
            "(OPEN: 小箱) 「えい」",
            [("speech", "やな", "えい"), ("denied", "小箱を開ける", "だが、小箱には鍵がかかっている。")],
        ),
        ("(OPEN: 小箱)", [("denied", "やな", "小箱を開ける", "だが、小箱には鍵がかかっている。")]),
        (
            "（息を吸う）(GET: ギター)",
            [("direction", "やな", "息を吸う"), ("denied", "ギターを手に取る", "だが、ギターはどこにもない。")],
        ),
        ("(DRINK)", [("denied", "やな", "……を飲む", "だが、何に対しての行動か分からない。")]),
    ],
)
def test_a_denied_act_is_an_attempt_and_why_it_failed(text: str, entries: list[tuple[str, ...]]) -> None:
    assert last(after([("やな", "「さて」"), ("やな", text)])) == entries


def test_headings_follow_whoever_acts_and_tell_time_and_weather_when_they_change() -> None:
    session = after(
        [
            ("やな", "「ただいま」"),
            ("あゆ", "「おかえり」"),
            ("やな", "「雨だね」"),
            ("incident", ""),
            ("やな", "「晴れた」"),
        ]
    )

    headings = [one for one in written(session) if one.kind == "scene"]

    assert headings == [
        ScriptEntry(kind="scene", turn=0, text="台所", time="夕方", clock="16:40", weather="雨"),
        ScriptEntry(kind="scene", turn=2, text="居間", time="夕方", clock="17:10", weather="雨", cut=True),
        ScriptEntry(kind="scene", turn=3, text="台所", time="夕方", clock="17:40", weather="雨", cut=True),
        ScriptEntry(kind="scene", turn=4, text="台所", time="夜", clock="18:10", weather="晴れ"),
    ]


def test_a_thing_the_user_brings_in_is_told_like_an_incident() -> None:
    session = after([("やな", "「さて」")])
    asyncio.run(session.commit([drop_prop(session.world, "風船")]))

    entry = written(session)[-1]

    assert (entry.kind, entry.speaker) == ("incident", None)
    assert "風船" in entry.text


def test_a_turn_taken_back_leaves_no_trace() -> None:
    session = after([("やな", "「ひとつ」"), ("やな", "「ふたつ」")])
    before = written(after([("やな", "「ひとつ」")]))

    asyncio.run(session.undo())

    assert written(session) == before


def test_no_tag_ever_reaches_the_reader() -> None:
    session = new_session(MemoryJournal(), "detective_office", seed=1)

    async def played() -> None:
        async for _ in play(session, 25):
            pass

    asyncio.run(played())
    script = written(session)

    assert [one for one in script if RAW_TAG.search(one.text + one.direction)] == []
    assert {one.turn for one in script} == set(range(26))


def test_reading_event_by_event_gives_the_same_script() -> None:
    session = after([("やな", "(GET: カップ) 「どうも」"), ("あゆ", "「おかえり」"), ("やな", "(OPEN: 戸棚)")])
    live = ScriptReader(session.scenario.world)

    assert [entry for row in session.rows for entry in live.read(row.event)] == written(session)
    assert live.world == session.world


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("go to the kitchen", "goes to the kitchen"),
        ("touch the lamp", "touches the lamp"),
        ("tidy the shelf", "tidies the shelf"),
        ("play the piano", "plays the piano"),
        ("stand up", "stands up"),
    ],
)
def test_an_english_direction_is_said_of_somebody(words: str, told: str) -> None:
    assert third_person(words) == told


def test_no_english_act_is_told_as_a_bare_verb() -> None:
    session = new_session(MemoryJournal(), "tea_room", seed=1)
    world = session.world
    assert script_direction(world, Act(verb_of("MOVE"), "kitchen")) == "goes to the kitchen"
