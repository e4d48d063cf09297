"""How well a Ghost remembers, measured on a written diary; and the diary itself: well formed, and honestly hard."""

from collections import Counter
from datetime import timedelta

import pytest

from benchmarks.diary import CODE, PAPER, by_formula, by_recall, by_source, recalled
from hakoniwa.memory.embedding.ginza import GinzaEmbedder
from hakoniwa.memory.words import words
from tests.memory.diary.book import asked_at, pages, questions
from tests.memory.diary.lived import Diarist

PAGES, QUESTIONS = pages(), questions()
KINDS = {"lexical": 0.25, "paraphrase": 0.50, "time": 0.10, "person": 0.10, "vague": 0.05}


def test_a_diary_has_three_hundred_pages_in_the_order_of_a_life() -> None:
    moments = [page.at for page in PAGES]
    assert [page.id for page in PAGES] == list(range(1, 301))
    assert moments == sorted(set(moments))
    assert moments[-1] - moments[0] > timedelta(days=400)
    assert moments[-1] < asked_at()


def test_no_two_pages_say_the_same() -> None:
    for lines in ([page.user for page in PAGES], [page.assistant for page in PAGES]):
        assert [line for line, times in Counter(lines).items() if times > 1] == []


def test_every_page_has_an_importance_between_one_and_ten() -> None:
    assert {page.importance for page in PAGES} <= set(range(1, 11))
    assert len({page.importance for page in PAGES}) > 3


def test_every_question_has_one_to_four_answers_in_the_diary() -> None:
    ids = {page.id for page in PAGES}
    for one in QUESTIONS:
        assert 1 <= len(one.answers) <= 4, one.ask
        assert set(one.answers) <= ids, one.ask
        assert list(one.answers) == sorted(set(one.answers)), one.ask


def test_no_question_is_asked_twice_or_stands_in_the_diary() -> None:
    asked = [one.ask for one in QUESTIONS]
    assert len(set(asked)) == len(asked) >= 120
    assert [one for one in asked for page in PAGES if one in page.text] == []


def test_questions_are_of_every_kind_in_the_share_that_was_meant() -> None:
    kinds = Counter(one.kind for one in QUESTIONS)
    assert kinds.keys() == KINDS.keys()
    for kind, share in KINDS.items():
        assert kinds[kind] / len(QUESTIONS) == pytest.approx(share, abs=0.02), kind


def test_half_the_questions_of_every_kind_are_held_out() -> None:
    for kind in KINDS:
        sets = Counter(one.set for one in QUESTIONS if one.kind == kind)
        assert sets.keys() == {"tune", "held_out"}
        assert abs(sets["tune"] - sets["held_out"]) <= 1, kind


def test_most_paraphrases_share_no_word_with_their_answers() -> None:
    said = {page.id: set(words(page.text, "ja")) for page in PAGES}
    shared = [
        set(words(one.ask, "ja")) & set().union(*(said[id] for id in one.answers))
        for one in QUESTIONS
        if one.kind == "paraphrase"
    ]
    assert sum(not common for common in shared) / len(shared) > 0.5


@pytest.fixture(scope="module")
def diarist() -> Diarist:
    return Diarist(GinzaEmbedder())


def test_what_comes_to_mind_answers_nine_in_ten_of_the_questions_that_nothing_was_tuned_on(diarist: Diarist) -> None:
    assert recalled(by_recall(diarist), QUESTIONS)["held_out"] >= 0.9


@pytest.mark.long
def test_all_ways_of_searching_together_find_more_than_any_of_them_alone(diarist: Diarist) -> None:
    alone = (
        by_source(diarist, "full_text"),
        by_source(diarist, "vector_global"),
        by_formula(PAGES, GinzaEmbedder(), PAPER),
        by_formula(PAGES, GinzaEmbedder(), CODE),
    )
    together = recalled(by_recall(diarist), QUESTIONS)["all"]
    assert all(recalled(one, QUESTIONS)["all"] < together for one in alone)


def test_what_was_said_beside_what_is_named_comes_to_mind_in_english() -> None:
    shares = recalled(by_recall(Diarist(None, "en")), questions("en"))
    assert shares["beside"] >= 0.95
    assert shares["lexical"] >= 0.95
    assert shares["held_out"] >= 0.7


def test_every_english_question_has_its_answers_in_the_talks_and_half_are_held_out() -> None:
    asked, ids = questions("en"), {page.id for page in pages("en")}
    assert [one.ask for one in asked if not one.answers or not set(one.answers) <= ids] == []
    assert Counter(one.set for one in asked) == {"tune": 40, "held_out": 40}
