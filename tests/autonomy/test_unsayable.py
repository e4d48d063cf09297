"""What is not said: told by its form alone, under a name of its own, and nothing that people do say among it."""

import pytest

from hakoniwa.autonomy.unsayable import (
    CUT_OFF,
    ECHO,
    EMPTY,
    INTERNAL,
    LONGEST,
    MARKUP,
    TOO_LONG,
    find_fault,
    hidden_details,
)
from tests.pace import busy

SUMMARY = "「紅茶の美味しい淹れ方」を調べ、担当者kx7-93abが三件の出典から二件の情報を得たことを確認した。"
PRINTED = "INFO run 7f21b9: moved 398 images into yearly folders, see unsorted_14.log and the well-known list"
FACTS = (
    "紅茶の美味しい淹れ方", "沸騰したての九十五度以上の湯を勢いよく注ぎ、三分ほど蒸らすとよい", "RTX-5090 Ti",
    "https://tea.example/secret-4451", "Simmer green tea leaves in the kettle for twenty minutes",
    "詳しくは https://tea.example/behind-7733 にある",
)  # fmt: skip
NAMES = ("result_payload", "web_research", "cli_agent", "9f3ac1d2e4b5", "mood", "schedule")
BEHIND = hidden_details(SUMMARY, [PRINTED], FACTS, NAMES)

UNSAID = {
    "nothing": ("", EMPTY),
    "blanks": (" \n\u3000", EMPTY),
    "signs that nobody hears": ("……！？", EMPTY),
    "one letter too many": ("あ" * (LONGEST + 1), TOO_LONG),
    "a link": ("紅茶なら[ここ](tea)を見てね", MARKUP),
    "a link in full width": ("紅茶なら［ここ］（tea）を見てね", MARKUP),
    "an address": ("紅茶ならhttps://tea.example/を見てね", MARKUP),
    "an address in full width": ("紅茶ならｈｔｔｐｓ：／／tea.example を見てね", MARKUP),
    "an address without a scheme": ("It's all on tea.example/basics, boss.", MARKUP),
    "www": ("See www.tea.example, boss.", MARKUP),
    "a fence": ("できたよ\n```\nok\n```", MARKUP),
    "code": ("`make tea`を走らせたよ", MARKUP),
    "a heading": ("# 報告\n紅茶のこと", MARKUP),
    "a heading in brackets": ("【報告】紅茶のこと", MARKUP),
    "a heading in square brackets": ("[Report]\nTea needs hot water.", MARKUP),
    "an underlined heading": ("報告\n=====\n紅茶のこと", MARKUP),
    "a list": ("わかったこと：\n- お湯は熱く\n- 三分待つ", MARKUP),
    "a list with stars": ("わかったこと：\n* お湯は熱く", MARKUP),
    "a list with dots": ("わかったこと：\n・お湯は熱く\n・三分待つ", MARKUP),
    "a list with numbers": ("わかったこと：\n1. お湯は熱く\n2. 三分待つ", MARKUP),
    "a list with wide numbers": ("わかったこと：\n１．お湯は熱く\n２．三分待つ", MARKUP),
    "a list with circled numbers": ("わかったこと：\n①お湯は熱く\n②三分待つ", MARKUP),
    "a quotation": ("> お湯は熱く\nだって", MARKUP),
    "a table": ("| 湯 | 時間 |\n|---|---|", MARKUP),
    "emphasis": ("お湯は**とても**熱く", MARKUP),
    "a note": ("お湯は熱くね[1]", MARKUP),
    "a tag": ("お湯は<b>熱く</b>ね", MARKUP),
    "thinking": ("<think>何と言おう</think>お湯は熱くね", MARKUP),
    "a chat template": ("お湯は熱くね<|im_end|>", MARKUP),
    "JSON": ('{"message": "お湯は熱くね"}', MARKUP),
    "the end of JSON": ('お湯は熱くね", "kind": "report"}', MARKUP),
    "the middle of JSON": ('湯は熱く", "kind": "rep', MARKUP),
    "a JSON string": ('"お湯は熱くね\\n三分待ってね"', MARKUP),
    "a sign that steers": ("お湯は\u202e熱くね", MARKUP),
    "an escape": ("お湯は\x1b[31m熱くね", MARKUP),
    "a NUL": ("お湯は\0熱くね", MARKUP),
    "half a character": ("お湯は\ud83d熱くね", MARKUP),
    "the name of a field": ("result_payloadによると、お湯は熱くね", INTERNAL),
    "the name of a field in capitals": ("RESULT_PAYLOAD says hot water, boss.", INTERNAL),
    "what it was done with": ("web_researchで調べたの", INTERNAL),
    "the number of a task": ("9f3ac1d2e4b5番の仕事が終わったよ", INTERNAL),
    "the summary": (SUMMARY, ECHO),
    "part of the summary": ("ええと、三件の出典から二件の情報を得たよ", ECHO),
    "the summary on many lines": ("三件の出典\nから二件の\n情報を得た\nことを確認した", ECHO),
    "the summary with dots in it": ("三件・の・出典から…二件の「情報」を得たこと", ECHO),
    "what was printed": ("It moved 398 images into yearly folders, boss.", ECHO),
    "what was printed, in capitals": ("MOVED 398 IMAGES INTO YEARLY folders", ECHO),
    "what was printed, in full width": ("ｍｏｖｅｄ　３９８　ｉｍａｇｅｓ　ｉｎｔｏ　ｙｅａｒｌｙ", ECHO),
    "an identifier of the summary": ("kx7-93abさんが調べてくれたよ", ECHO),
    "an identifier over two lines": ("kx7-9\n3abさんが調べてくれたよ", ECHO),
    "an identifier in pieces": ("kx7 -93 abさんが調べてくれたよ", ECHO),
    "half an identifier": ("unsorted_1っていう所に入れたよ", ECHO),
    "an identifier with something hidden in it": ("kx7\u200d-93abさんだよ", ECHO),
    "an identifier that was printed": ("日付のないのはunsorted_14に入れたよ", ECHO),
    "part of an address": ("secret-4451という頁にあったよ", ECHO),
    "part of an address within a text": ("behind-7733という頁にあったよ", ECHO),
}  # fmt: skip

SAID = {
    "a fact word for word": "沸騰したての九十五度以上の湯を勢いよく注ぎ、三分ほど蒸らすとよいんだって",
    "an English fact word for word": "Simmer green tea leaves in the kettle for twenty minutes, boss.",
    "an identifier that is a fact": "RTX-5090の値段を見てきたよ",
    "a fact as the summary quotes it": "「紅茶の美味しい淹れ方」を調べてきたの",
    "as few words as may be chance": "三件の出典から二件の情報がね",
    "numbers": "398枚も動かしたの。2026-05-04のことね。",
    "a time": "21:30になったら声をかけるね",
    "faces": "わあい(*^_^*) できたよ(´ω`*) えへへ(｀・ω・´)b m(__)m ＼(^o^)／",
    "dots": "・・・お湯は熱くね",
    "a dash": "Hot water - and patience.",
    "an emoji of several": "みんなで飲もうね👩\u200d👧🫖",
    "paragraphs": "お湯は熱くね。\n\n三分待ってね。",
    "a hashtag": "#紅茶 って感じだね",
    "a fraction at the start of a line": "3.5グラムがいいみたい",
    "a product at the start of a line": "お湯の話ね\n24時間置くの",
    "the word for a field": "I'm in a good mood, and it's on my schedule.",
    "quotation marks": "\"Hot water\", they say: and patience.",
    "either or": "Milk and/or sugar, boss?",
    "as long as may be": "あい" * (LONGEST // 2),
}  # fmt: skip


@pytest.mark.parametrize(("said", "fault"), UNSAID.values(), ids=UNSAID)
def test_what_is_not_said_has_a_name(said: str, fault: str) -> None:
    assert find_fault(said, "stop", BEHIND) == fault


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_what_people_say_is_said(said: str) -> None:
    assert find_fault(said, "stop", BEHIND) is None


@pytest.mark.parametrize(
    ("finish", "fault"), [("length", CUT_OFF), ("content_filter", CUT_OFF), ("stop", None), (None, None)]
)
def test_only_what_has_come_to_its_end_is_said(finish: str | None, fault: str | None) -> None:
    assert find_fault("お湯は熱くね", finish, BEHIND) == fault


SHORT = {
    "時間切れで打ち切られた。": {"時間切れで打ち切られたの、ごめんね": ECHO, "時間切れだったの": None},
    "A reminder was set for 2026-05-04T14:00.": {
        "A reminder was set for 2026-05-04T14:00!": ECHO, "It's set for two o'clock.": None,
    },
    "「鉄瓶の手入れのしかた」を調べ、2件の出典から2件の情報を得た。": {
        "「鉄瓶の手入れのしかた」を調べ、2件の出典から2件の情報": ECHO, "鉄瓶の手入れのしかたを調べてみたよ": None,
    },
    "OK": {"OK、できたよ": None},
}  # fmt: skip


@pytest.mark.parametrize("summary", SHORT)
def test_a_summary_is_not_read_out_however_short_and_whatever_facts_it_quotes(summary: str) -> None:
    behind = hidden_details(summary, [], ["2026-05-04T14:00", "鉄瓶の手入れのしかた"], [])
    assert {said: find_fault(said, None, behind) for said in SHORT[summary]} == SHORT[summary]


def test_a_summary_that_is_itself_a_fact_may_be_told() -> None:
    fact = "沸騰したての湯を勢いよく注いで三分ほど蒸らすとよい"
    assert find_fault(f"{fact}んだって", None, hidden_details(fact, [fact], [fact], [])) is None


@pytest.mark.parametrize(("letters", "fault"), [(12, None), (13, ECHO)])
def test_thirteen_japanese_letters_in_a_row_are_an_echo(letters: int, fault: str | None) -> None:
    source = "春の小川はさらさら行くよ岸のすみれやれんげの花に"
    assert find_fault(f"ねえ、{source[:letters]}", None, hidden_details("", [source], [], [])) == fault


@pytest.mark.parametrize(("letters", "fault"), [(18, None), (19, ECHO)])
def test_nineteen_latin_letters_in_a_row_are_an_echo(letters: int, fault: str | None) -> None:
    source = "thequickbrownfoxjumpsoverthelazydog"
    assert find_fault(f"Well, {source[:letters]}!", None, hidden_details("", [source], [], [])) == fault


LONG = ["a" * 65_536, "a-" * 32_768, "[" * 65_536, "_" * 65_536, "あ、" * 32_768, "<a" * 32_768, '{"' * 32_768]


@pytest.mark.pace
@pytest.mark.parametrize("text", [*LONG, " ".join(f"task-{number}" for number in range(6_000))])
def test_looking_takes_no_longer_than_the_text_is_long(text: str) -> None:
    def look() -> None:
        find_fault(text[:LONGEST], None, hidden_details(text, [text], [text[:2_400]], [text[:80]]))

    assert busy(look, within=1.0) < 1.0
