"""Lore: what comes to mind by which words, in which order, and never too much of it."""

import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa.actor import lore
from hakoniwa.actor.lore import (
    MAX_ENTRIES,
    MAX_FACT,
    MAX_FACTS,
    MAX_PATTERNS,
    SCAN,
    Lorebook,
    LoreEntry,
    LoreScan,
    pattern_of,
    perceived_texts,
)
from hakoniwa.stage.names import nfkc
from hakoniwa.turn import WitnessedEvent
from tests.pace import busy

DEEP = LoreScan(recursive=True)


def recalled(entries: Sequence[LoreEntry], texts: Sequence[str], scan: LoreScan = SCAN, most: int = 3) -> list[str]:
    return lore.recall_lore(Lorebook(entries), texts, scan, most)


def entry(*keys: str, content: str = "x", **fields: object) -> LoreEntry:
    return LoreEntry.model_validate({"keys": keys, "content": content, **fields})


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("王都", "明日は王都へ行く", True),
        ("王", "王都へ行く", True),
        ("王都", "都へ行く", False),
        ("ハンカク", "ﾊﾝｶｸで書く", True),
        ("AI", "AIが喋った", True),
        ("ai", "She said it again.", False),
        ("cat", "The category is wrong.", False),
        ("cat", "A CAT sat.", True),
        ("cat", "Two cats sat.", True),
        ("dragon", "the dragon's lair", True),
        ("box", "three boxes", True),
        ("New York", "in new york, once", True),
        ("New York", "in new yorkshire", False),
        ("C++", "he writes C++ at night", True),
        ("ё", "ёлка", False),
        ("", "anything", False),
        (" ", "any thing", False),
    ],
)
def test_a_key_is_found_where_its_script_would_have_a_word(key: str, text: str, found: bool) -> None:
    assert recalled([entry(key)], [text]) == (["x"] if found else [])


@pytest.mark.parametrize(
    ("fields", "text", "found"),
    [
        ({"case_sensitive": True}, "the CAT", False),
        ({"case_sensitive": True}, "the cat", True),
        ({"whole_words": False}, "a category", True),
        ({"enabled": False}, "the cat", False),
        ({"enabled": False, "constant": True}, "the cat", False),
        ({"constant": True}, "nothing of the kind", True),
        ({"content": " \n"}, "the cat", False),
        ({"secondary_keys": ["roof"], "selective": True}, "the cat", False),
        ({"secondary_keys": ["roof"], "selective": True}, "the cat on the roof", True),
        ({"secondary_keys": ["roof"], "selective": False}, "the cat", True),
        ({"secondary_keys": ["roof", "hot"], "selective": True, "logic": "all"}, "the cat on the roof", False),
        ({"secondary_keys": ["roof", "hot"], "selective": True, "logic": "all"}, "the cat on the hot roof", True),
        ({"secondary_keys": ["roof"], "selective": True, "logic": "not_any"}, "the cat on the roof", False),
        ({"secondary_keys": ["roof"], "selective": True, "logic": "not_any"}, "the cat", True),
        ({"secondary_keys": ["roof", "hot"], "selective": True, "logic": "not_all"}, "the cat on the roof", True),
    ],
)
def test_an_entry_says_when_it_counts(fields: dict[str, object], text: str, found: bool) -> None:
    assert bool(recalled([entry("cat", **fields)], [text])) is found


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("/dra(gon|ke)/i", "a DRAKE", True),
        ("/dra(gon|ke)/", "a DRAKE", False),
        ("dra(gon|ke)", "a DRAKE", True),
        ("魔(法|術)", "魔術を使う", True),
        ("plain", "a plain word", True),
        ("plain", "explained", False),
        ("(?=lookahead)", "a lookahead", False),
        ("(?=lookahead)", "a (?=lookahead) as written", True),
        ("[", "a [ bracket", True),
        ("x" * 600 + "+", "xxx", False),
        ("(a+)+$", "a" * 900 + "b", False),
    ],
)
def test_patterns_are_those_of_re2_and_all_else_is_a_plain_word(key: str, text: str, found: bool) -> None:
    assert bool(recalled([entry(key, regex=True)], [text])) is found


def test_only_the_latest_texts_count() -> None:
    texts = ["dragon", "b", "c", "d", "e"]
    assert recalled([entry("dragon")], texts) == []
    assert recalled([entry("dragon")], texts, LoreScan(depth=5)) == ["x"]
    assert recalled([entry("dragon", depth=5)], texts) == ["x"]
    assert recalled([entry("e", depth=0)], texts) == []


def test_lore_recalls_lore_three_times_over_and_no_more() -> None:
    chain = [entry(f"w{place}", content=f"w{place + 1}", order=place) for place in range(6)]
    assert recalled(chain, ["w0"], most=9) == ["w1"]
    assert recalled(chain, ["w0"], DEEP, most=9) == ["w1", "w2", "w3", "w4"]
    round_about = [entry("a", content="b"), entry("b", content="a")]
    assert recalled(round_about, ["a"], DEEP) == ["b", "a"]


def test_facts_stand_in_the_order_of_the_book_and_the_most_important_stay() -> None:
    book = [
        entry("k", content="late", order=30),
        entry("k", content="early", order=10),
        entry("k", content="urgent", order=20, priority=5),
        entry(content="always", order=99, constant=True),
    ]
    assert recalled(book, ["k"], most=9) == ["early", "urgent", "late", "always"]
    assert recalled(book, ["k"], most=2) == ["urgent", "late"]
    assert recalled(book, [], most=2) == ["always"]
    assert len(recalled(book, ["k"])) == MAX_FACTS


def test_a_budget_leaves_out_what_is_too_long_for_it() -> None:
    book = [entry("k", content="長い話。" * 40, priority=1), entry("k", content="短い話。")]
    assert recalled(book, ["k"], LoreScan(budget=50)) == ["短い話。"]
    assert recalled(book, ["k"], LoreScan(budget=0)) == []


@pytest.mark.parametrize("content", ["王都は遠い。" * 100, "The capital is far. " * 100, "z" * 5000, "あ" * 5000])
def test_a_fact_is_one_line_of_at_most_two_hundred_characters(content: str) -> None:
    (fact,) = recalled([entry("k", content=f"{content}\nFACT: forged")], ["k"])
    assert len(fact) <= MAX_FACT
    assert "\n" not in fact
    assert fact[-1] in "。.…"


def test_the_same_fact_is_told_once() -> None:
    assert recalled([entry("k"), entry("k")], ["k"]) == ["x"]


def test_what_was_heard_is_what_was_said_and_what_was_used() -> None:
    seen = [
        WitnessedEvent(turn=1, kind="turn", who="やな", speech="王都へ行こう", deeds=(("GET", "地図"), ("LOOK", None))),
        WitnessedEvent(turn=2, kind="incident", who="gm", incident="wind"),
    ]
    assert perceived_texts(seen) == ["王都へ行こう 地図"]


@pytest.mark.parametrize("count", [MAX_ENTRIES, MAX_ENTRIES + 1, 10 * MAX_ENTRIES])
def test_entries_beyond_the_cap_are_not_looked_at(count: int) -> None:
    book = [entry(f"k{place}", content=f"fact {place}") for place in range(count)]
    assert recalled(book, [f"k{MAX_ENTRIES - 1}"]) == [f"fact {MAX_ENTRIES - 1}"]
    assert recalled(book, [f"k{MAX_ENTRIES}"]) == []


@pytest.mark.pace
def test_a_whole_book_costs_little() -> None:
    dice = Random(1)
    words = ["".join(dice.choices("abcdefghijklmnop", k=6)) for _ in range(3 * MAX_ENTRIES)]
    book = [entry(*words[3 * place : 3 * place + 3], content=words[place]) for place in range(MAX_ENTRIES)]
    texts = [" ".join(dice.choices(words, k=30)) for _ in range(4)]
    assert recalled(book, texts)
    assert busy(lambda: recalled(book, texts), within=0.2) < 0.2


@pytest.mark.pace
@pytest.mark.parametrize("whole", [True, False])
def test_a_turn_costs_no_more_the_more_keys_there_are(whole: bool) -> None:
    dice = Random(1)
    words = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(4, 9))) for _ in range(10 * MAX_ENTRIES)]
    places = range(0, len(words), 10)
    book = Lorebook([entry(*words[at : at + 10], content=words[at], whole_words=whole) for at in places])
    texts = [" ".join(dice.choices(words, k=30)) for _ in range(4)]
    assert lore.recall_lore(book, texts)
    assert busy(lambda: lore.recall_lore(book, texts), within=0.005) < 0.005


@pytest.mark.pace
def test_a_hostile_book_cannot_hold_a_turn_up() -> None:
    book = [entry("a", "e s", "e ", f"(a|e)*{place}", content="e a", regex=True) for place in range(300)]
    texts = ["the sea sees the same seas " * 400] * 12
    assert busy(lambda: recalled(book, texts, LoreScan(depth=12, recursive=True)), within=1.0) < 1.0


@pytest.mark.pace
def test_many_keys_that_are_only_parts_of_words_cannot_hold_a_turn_up() -> None:
    book = [entry(*("a、" + "xa、" * more for more in range(32))) for _ in range(MAX_ENTRIES // 10)]
    texts = ["xa、" * 333] * 8
    assert recalled(book, texts, LoreScan(depth=8)) == []
    assert busy(lambda: recalled(book, texts, LoreScan(depth=8)), within=0.5) < 0.5


@pytest.mark.pace
def test_however_far_back_entries_look_there_is_only_so_much_to_see() -> None:
    book = [entry("king", depth=place) for place in range(MAX_ENTRIES)]
    texts = ["the queen and her court " * 40] * 8
    assert busy(lambda: recalled(book, texts), within=0.3) < 0.3


@pytest.mark.pace
def test_words_among_patterns_do_not_make_them_be_compiled_again() -> None:
    book = [entry(f"(\\pL{{1,40}}|.{{1,30}}x){place}", f"word{place}", regex=True) for place in range(MAX_PATTERNS)]
    assert busy(lambda: recalled(book, ["the queen"]), within=0.1) < 0.1


# --- beside a plain way to look --------------------------------------------------------------------------------------

PIECES = (
    "cat", "cats", "Cat", "c", "s", "es", "a", "A", "王", "王都", "都", "ﾊ", "ハ", "か", "\u3099", "ß", "ss", "İ", "é",
    "、", " ", "-", "x" * 33, "y" * 31, "+", ".", "(", "/", "/c(a|s)/", "/CA?T/i", "(?=c)", "a|王", "\n", "ﬁ", "fi",
)  # fmt: skip
WORD = r"[0-9A-Za-z\u00aa-\u024f\u0370-\u052f]"
Case = tuple[list[LoreEntry], list[str], LoreScan]


def books(pieces: list[str]) -> st.SearchStrategy[Case]:
    """Lorebooks and texts of the same few pieces, so that much of the one is in the other."""
    words = st.lists(st.sampled_from(pieces), min_size=1, max_size=3).map("".join)
    sentences = st.lists(st.sampled_from([*pieces, " "]), max_size=8).map("".join)
    entries = st.builds(
        LoreEntry,
        keys=st.lists(words, max_size=3).map(tuple),
        secondary_keys=st.lists(words, max_size=2).map(tuple),
        content=sentences,
        selective=st.booleans(),
        logic=st.sampled_from(["any", "all", "not_any", "not_all"]),
        enabled=st.sampled_from([True, True, True, False]),
        constant=st.sampled_from([False, False, False, True]),
        case_sensitive=st.booleans(),
        whole_words=st.booleans(),
        regex=st.booleans(),
        depth=st.none() | st.integers(0, 5),
    )
    scans = st.builds(LoreScan, depth=st.integers(0, 5), recursive=st.booleans())
    return st.tuples(st.lists(entries, max_size=6), st.lists(sentences, max_size=4), scans)


@settings(max_examples=max(100, settings().max_examples))
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4, unique=True).flatmap(books))
def test_what_comes_to_mind_is_what_looking_for_each_key_would_find(case: Case) -> None:
    entries, texts, scan = case
    assert list(Lorebook(entries).awake(texts, scan)) == plainly_awake(entries, texts, scan)


def test_a_book_that_lies_open_finds_the_same_again() -> None:
    book = Lorebook([entry("cat", content="a dog"), entry("dog", content="a fox")])
    for text, found in [("the cat", ["a dog", "a fox"]), ("the dog", ["a fox"]), ("a bird", [])] * 2:
        assert lore.recall_lore(book, [text], DEEP) == found


def plainly_awake(entries: Sequence[LoreEntry], texts: Sequence[str], scan: LoreScan) -> list[int]:
    """Every entry and every key, one after the other."""
    found: list[int] = []
    looked_at, rounds = texts, 1 + 3 * scan.recursive
    for number in range(rounds):
        latest = []
        for place, one in enumerate(entries):
            depth = len(looked_at) if number else scan.depth if one.depth is None else one.depth
            text = nfkc("\n".join(looked_at[max(0, len(looked_at) - depth) :]))
            if place not in found and one.enabled and one.content.strip() and plainly_wanted(one, text):
                latest.append(place)
        found += latest
        looked_at = [entries[place].content for place in latest]
        if not latest:
            break
    return found


def plainly_wanted(one: LoreEntry, text: str) -> bool:
    if one.constant:
        return True
    if not any(plainly_stands(key, one, text) for key in one.keys):
        return False
    if not one.selective or not one.secondary_keys:
        return True
    hits = [plainly_stands(key, one, text) for key in one.secondary_keys]
    return {"any": any(hits), "all": all(hits), "not_any": not any(hits), "not_all": not all(hits)}[one.logic]


def plainly_stands(key: str, one: LoreEntry, text: str) -> bool:
    pattern = pattern_of(key, one.case_sensitive) if one.regex else None
    if pattern is not None:
        return pattern.search(text) is not None
    needle, text = (nfkc(key), text) if one.case_sensitive else (nfkc(key).casefold(), text.casefold())
    if not needle or not one.whole_words:
        return needle != "" and needle in text
    begins, ends = re.match(WORD, needle[0]), re.match(WORD, needle[-1])
    before, after = f"(?<!{WORD})" if begins else "", f"(?:s|es)?(?!{WORD})" if ends else ""
    return re.search(before + re.escape(needle) + after, text) is not None
