"""What words say: facts in plain sentences of both languages, and nothing where nothing is claimed."""

import pytest

from hakoniwa.gm.read import read
from hakoniwa.gm.telling import facts_in
from hakoniwa.stage.scenario import find, load
from hakoniwa.turn import Fact

OFFICE, TEA_ROOM = load(find("detective_office")).world, load(find("tea_room")).world


@pytest.mark.parametrize(
    ("speaker", "line", "fact"),
    [
        ("助手", "鍵は紅茶の缶の中よ。", ("鍵", "in", "紅茶の缶")),
        ("助手", "紅茶の缶に鍵が入っている。", ("鍵", "in", "紅茶の缶")),
        ("助手", "帳簿なら資料室にある。", ("帳簿", "at", "資料室")),
        ("助手", "コーヒーなら、机の上です。", ("冷めたコーヒー", "on", "机")),
        ("助手", "私が鍵を持っています。", ("鍵", "held by", "助手")),
        ("助手", "所長は給湯室にいます。", ("レイモンド", "at", "給湯室")),
        ("助手", "ドアは開いている。", ("ドア", "state", "open")),
        ("レイモンド", "ミナが引き出しを開けた。", ("助手", "did", "OPEN 引き出し")),
        ("Theo", "The shortbread is in the biscuit tin.", ("shortbread", "in", "biscuit tin")),
        ("Theo", "You'll find the recipe book on the kitchen table.", ("recipe book", "on", "kitchen table")),
        ("Theo", "I have the brass key.", ("brass key", "held by", "Theo")),
        ("Theo", "Marian is in the kitchen.", ("Marian", "at", "kitchen")),
        ("Theo", "The oven's on already.", ("oven", "state", "on")),
        ("Theo", "Marian switched on the oven.", ("Marian", "did", "TURN_ON oven")),
        ("Theo", "Marian switched the oven on.", ("Marian", "did", "TURN_ON oven")),
    ],
)
def test_a_plain_sentence_states_a_fact(speaker: str, line: str, fact: tuple[str, str, str]) -> None:
    world = OFFICE if speaker in OFFICE.characters else TEA_ROOM
    assert [(one.fact.subject, one.fact.relation, one.fact.object) for one in facts_in(line, world, speaker)] == [fact]


@pytest.mark.parametrize(
    "line",
    [
        "鍵は紅茶の缶の中ですか？", "鍵が紅茶の缶にあればいいのに。", "鍵は机の上にはない。", "いい天気ですね。",
        "もし鍵が缶の中にあったら、笑います。", "紅茶の缶を開けてみましょうか。", "Is the key in the tin?",
        "If the scone is in the tin, I shall eat it.", "The scone isn't in the biscuit tin.",
        "I wonder whether the shortbread is in the biscuit tin.",
    ],
)  # fmt: skip
def test_questions_wishes_and_denials_state_nothing(line: str) -> None:
    assert facts_in(line, OFFICE, "助手") == facts_in(line, TEA_ROOM, "Theo") == []


@pytest.mark.parametrize(("line", "sure"), [("鍵は戸棚の中だ。", True), ("鍵はたぶん戸棚の中だ。", False)])
def test_what_is_guessed_is_marked_as_unsure(line: str, sure: bool) -> None:
    assert [one.sure for one in facts_in(line, OFFICE, "助手")] == [sure]


def test_a_piece_of_another_word_is_no_name() -> None:
    assert facts_in("鍵穴は戸棚の中だ。", OFFICE, "助手") == []


@pytest.mark.parametrize(
    ("line", "verb", "about"),
    [
        ("「鍵は紅茶の缶の中よ」", "TELL", Fact(subject="鍵", relation="in", object="紅茶の缶")),
        ("「鍵はどこですか？」", "ASK", Fact(subject="鍵", relation="at")),
        ("「約束する」", "PROMISE", None),
        ("「教えません」", "REFUSE", None),
        ("「断ります。」", "REFUSE", None),
        ("「断る理由が見つからない」", None, None),
        ("「さもないと、後悔するわよ」", "THREATEN", None),
        ("「よろしければ、お手伝いします」", "OFFER", None),
        ("「雨ですね」", None, None),
    ],
)
def test_speech_acts_are_data_on_the_intents_that_there_are(line: str, verb: str | None, about: Fact | None) -> None:
    (intent,) = read(line, OFFICE, "助手").action_intents
    assert (intent.verb, intent.about) == (verb, about)


def test_a_line_that_tells_two_things_is_two_intents() -> None:
    told = read("「鍵は紅茶の缶の中です。帳簿は金庫の中です。」", OFFICE, "助手").action_intents
    assert [one.about.subject for one in told if one.about] == ["鍵", "帳簿"]
