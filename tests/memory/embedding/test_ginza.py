"""Word vectors without a server: they find what was meant, in Japanese."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import yaml

from hakoniwa.memory.embedding import Vectors, space, vector_of
from hakoniwa.memory.embedding.ginza import GinzaEmbedder, is_installed, murmur
from tests.pace import busy

PAIRS = yaml.safe_load((Path(__file__).parent / "pairs.ja.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def ginza() -> GinzaEmbedder:
    assert is_installed()
    return GinzaEmbedder()


def ranks(asked: Vectors, lived: Vectors) -> np.ndarray:
    """For each question, how many events are nearer than the one it is about."""
    scores = asked @ lived.T
    return np.asarray((scores > np.diag(scores)[:, None]).sum(axis=1))


def test_what_was_meant_is_found_in_other_words(ginza: GinzaEmbedder) -> None:
    places = ranks(ginza.embed([asked for _, asked in PAIRS]), ginza.embed([lived for lived, _ in PAIRS]))
    assert len(PAIRS) >= 40
    assert (places < 1).mean() >= 0.75
    assert (places < 5).mean() >= 0.95


def test_it_says_nothing_about_what_has_no_word_of_its_list(ginza: GinzaEmbedder) -> None:
    vectors = ginza.embed(["紅茶", "", "！？　…", "ｘｑｚｗｖ"])
    assert [bool(vector.any()) for vector in vectors] == [True, False, False, False]
    assert vector_of(ginza, "") is None
    assert ginza.embed([]).shape == (0, 300)


def test_vectors_have_length_1(ginza: GinzaEmbedder) -> None:
    assert np.linalg.norm(ginza.embed([lived for lived, _ in PAIRS]), axis=1) == pytest.approx(1.0)
    assert (space(ginza).split("-")[0], ginza.dim) == ("ja_ginza", 300)


@pytest.mark.parametrize("same", [("ねこ", "猫"), ("飲んだ", "飲む"), ("お酒と酒と酒", "お酒と酒")])
def test_spelling_inflection_and_repetition_do_not_matter(ginza: GinzaEmbedder, same: tuple[str, str]) -> None:
    one, other = ginza.embed(same)
    assert one @ other == pytest.approx(1.0, abs=1e-5)


def test_a_word_that_is_not_in_the_list_is_known_by_its_parts(ginza: GinzaEmbedder) -> None:
    whole, parts, other = ginza.embed(["紅茶専門店員", "紅茶の専門の店員", "自転車の鍵"])
    assert whole @ parts > 0.8 > whole @ other


def test_any_thread_may_ask(ginza: GinzaEmbedder) -> None:
    texts = [lived for lived, _ in PAIRS]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: ginza.embed(texts), range(8)))
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_a_text_of_any_length_is_taken(ginza: GinzaEmbedder) -> None:
    assert ginza.embed(["猫が縁側で昼寝をした。" * 5_000]).any()


@pytest.mark.pace
def test_it_is_quick(ginza: GinzaEmbedder) -> None:
    texts = [lived for lived, _ in PAIRS]
    assert busy(lambda: ginza.embed(texts), within=0.02) < 0.02


@pytest.mark.parametrize(("text", "hashed"), [("coffee", 3197928453018144401), ("apple", 8566208034543834098)])
def test_words_are_keyed_as_spacy_keys_them(text: str, hashed: int) -> None:
    assert murmur(text.encode()) == hashed
