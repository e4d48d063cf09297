"""Requests in plain words: a thing, a verb that asks, and perhaps a name become an urge; nothing else does."""

import time
from typing import Any

import pytest

from hakoniwa.actor.request import asking_forms, requested_urges
from hakoniwa.stage.scenario import Urge
from hakoniwa.stage.world import WorldState

PARLOUR = WorldState.model_validate(
    {
        "location": {"current": "居間"},
        "locations": {"居間": {"exits": ["庭"]}, "庭": {"aliases": ["中庭"], "exits": ["居間"]}},
        "characters": {"楓": {"location": "居間"}, "蓬": {"location": "居間", "aliases": ["よもぎ"]}},
        "props": {
            "窓": {"location": "居間", "fixed": True, "state": ["closed"], "affordances": ["開ける", "閉める"]},
            "灯": {"location": "居間", "fixed": True, "state": ["消灯"]},
            "本": {"location": "居間", "affordances": ["読む"]},
            "棚": {"location": "居間", "fixed": True},
            "ソファ": {"location": "居間", "fixed": True},
            "マグカップ": {"location": "居間", "aliases": ["カップ"]},
            "箱": {"location": "居間", "container": True, "state": ["locked"], "affordances": ["解錠する(要:鍵)"]},
            "鍵": {"location": "居間"},
            "電話": {"location": "居間", "affordances": ["電話に出る"]},
            "コーヒーメーカー": {"location": "居間", "affordances": [{"verb": "淹れる", "makes": {"コーヒー": {}}}]},
        },
    }
)
TEA_ROOM = WorldState.model_validate(
    {
        "location": {"current": "tea room"},
        "locations": {"tea room": {"exits": ["garden"]}, "garden": {"exits": ["tea room"]}},
        "characters": {"Theo": {"location": "tea room"}, "Marian": {"location": "tea room"}},
        "props": {
            "bay window": {"location": "tea room", "fixed": True, "state": ["closed"]},
            "wireless": {"location": "tea room", "fixed": True, "state": ["off"], "aliases": ["radio"]},
            "newspaper": {"location": "tea room"},
            "counter": {"location": "tea room", "fixed": True},
            "fern": {"location": "tea room"},
        },
    }
)


def did(verb: str, target: str, destination: str | None = None) -> dict[str, Any]:
    return {"did": {"verb": verb, "target": [target], **({"destination": [destination]} if destination else {})}}


def asked(text: str, world: WorldState) -> list[tuple[dict[str, Any], list[str]]]:
    return [(urge["goal"], urge["who"]) for urge in requested_urges(text, world)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("窓を開けて", [({"state": {"窓": "open"}}, [])]),
        ("窓、開けてくれる？", [({"state": {"窓": "open"}}, [])]),
        ("よもぎ、窓を開けてちょうだい", [({"state": {"窓": "open"}}, ["蓬"])]),
        ("灯をつけよう", [({"state": {"灯": "点灯"}}, [])]),
        ("本を読みなさい", [(did("READ", "本"), [])]),
        ("楓さん、本を取ってください。", [(did("GET", "本"), ["楓"])]),
        ("本を棚に戻して", [(did("PUT", "本", "棚"), [])]),
        ("本を蓬に渡してあげて", [(did("GIVE", "本", "蓬"), [])]),
        ("庭へ行け", [(did("MOVE", "庭"), [])]),
        ("ソファーに座りましょう", [(did("SIT", "ソファ"), [])]),
        ("箱の鍵を開けてみて", [({"state": {"箱": "closed"}}, [])]),
        ("電話に出ろよ", [(did("ANSWER_PHONE", "電話"), [])]),
        ("コーヒーを淹れてほしいな", [(did("BREW", "コーヒーメーカー"), [])]),
        ("ソファに座って、本を読んで", [(did("SIT", "ソファ"), []), (did("READ", "本"), [])]),
    ],
)
def test_japanese_requests_are_understood(text: str, expected: list[tuple[dict[str, Any], list[str]]]) -> None:
    assert asked(text, PARLOUR) == expected


@pytest.mark.parametrize(
    "text",
    [
        "窓を開けないで", "窓を開けた", "窓が開いている", "窓を開けてはだめ", "窓を開けても寒くない",
        "窓を開けたら怒る", "本当に開けてよ", "日本を読んで", "マグカップル", "おはよう", "", "窓", "開けて",
        "夕日を見て",
    ],
)  # fmt: skip
def test_what_is_no_request_raises_nothing(text: str) -> None:
    assert asked(text, PARLOUR) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Theo, could you open the window?", [({"state": {"bay window": "open"}}, ["Theo"])]),
        ("Please turn on the radio.", [({"state": {"wireless": "on"}}, [])]),
        ("turn the wireless on, please", [({"state": {"wireless": "on"}}, [])]),
        ("Put the newspaper on the counter", [(did("PUT", "newspaper", "counter"), [])]),
        ("Give the newspaper to Marian", [(did("GIVE", "newspaper", "Marian"), [])]),
        ("go to the garden", [(did("MOVE", "garden"), [])]),
        ("Why not water the fern?", [(did("WATER", "fern"), [])]),
        ("Don't open the window", []),
        ("Do not open the window", []),
        ("I opened the bay window", []),
        ("The window is open", []),
        ("I saw the light by the window", []),
    ],
)
def test_english_requests_are_understood(text: str, expected: list[tuple[dict[str, Any], list[str]]]) -> None:
    assert asked(text, TEA_ROOM) == expected


@pytest.mark.parametrize(
    ("verb", "te", "order", "lets", "polite"),
    [
        ("開ける", "開けて", "開けろ", "開けよう", "開けなさい"),
        ("見る", "見て", "見ろ", "見よう", "見なさい"),
        ("取る", "取って", "取れ", "取ろう", "取りなさい"),
        ("読む", "読んで", "読め", "読もう", "読みなさい"),
        ("注ぐ", "注いで", "注げ", "注ごう", "注ぎなさい"),
        ("渡す", "渡して", "渡せ", "渡そう", "渡しなさい"),
        ("洗う", "洗って", "洗え", "洗おう", "洗いなさい"),
        ("持つ", "持って", "持て", "持とう", "持ちなさい"),
        ("呼ぶ", "呼んで", "呼べ", "呼ぼう", "呼びなさい"),
        ("行く", "行って", "行け", "行こう", "行きなさい"),
        ("弾く", "弾いて", "弾け", "弾こう", "弾きなさい"),
        ("掃除する", "掃除して", "掃除しろ", "掃除しよう", "掃除しなさい"),
        ("すする", "すすって", "すすれ", "すすろう", "すすりなさい"),
        ("かじる", "かじって", "かじれ", "かじろう", "かじりなさい"),
        ("閉じる", "閉じて", "閉じろ", "閉じよう", "閉じなさい"),
    ],
)
def test_verbs_are_inflected_as_they_are_spoken(verb: str, te: str, order: str, lets: str, polite: str) -> None:
    assert asking_forms(verb)[:4] == [te, order, lets, polite]


@pytest.mark.pace
@pytest.mark.parametrize("filler", ["昨日は雨だった。", "楓と本と箱と鍵の話を、", "窓を開けて、"])
def test_what_is_asked_for_at_the_end_of_a_long_speech_is_heard_at_once(filler: str) -> None:
    began = time.process_time()
    found = requested_urges(f"{filler * 1000}蓬、本を読んで", PARLOUR)
    assert {"did": {"verb": "READ", "target": ["本"]}} in [one["goal"] for one in found]
    assert time.process_time() - began < 0.5


def test_an_urge_is_one_the_journal_can_keep() -> None:
    (urge,) = requested_urges("楓、本を読んで", PARLOUR)
    kept = Urge.model_validate(urge)
    assert (kept.name, kept.kind, kept.strength, kept.urgency, kept.once, kept.who) == (
        "本を読むよう頼まれた", "duty", 0.7, 0.9, True, ("楓",),
    )  # fmt: skip
