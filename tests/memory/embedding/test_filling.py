"""Vectors come for what has none, and a change of embedder goes through all of it without a gap."""

import pytest

from hakoniwa.errors import ModelUnavailable
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.embedding import space, vector_of
from hakoniwa.memory.embedding.filling import EmbedderHandover, EmbeddingProgress, fill, reembed
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.store import Memories
from tests.memory.embedding.standing_in import Characters
from tests.memory.store import Told

TEXTS = [f"{number}番目の話" for number in range(150)]


@pytest.fixture
def told() -> Told:
    told = Told(MemoryJournal())
    told.tell(*TEXTS)
    return told


def filled(told: Told, embedder: Characters) -> None:
    while fill(told.memories, told.scope().ghost, embedder):
        pass


def test_some_are_done_at_a_time_each_once(told: Told) -> None:
    embedder, ghost = Characters(), told.scope().ghost
    assert [fill(told.memories, ghost, embedder, 100) for _ in range(3)] == [100, 50, 0]
    assert sorted(embedder.asked) == sorted(TEXTS)


def test_a_server_that_is_away_costs_nothing_but_time(told: Told) -> None:
    embedder, ghost = Characters(), told.scope().ghost
    fill(told.memories, ghost, embedder, 100)
    embedder.down = True
    with pytest.raises(ModelUnavailable):
        fill(told.memories, ghost, embedder)
    embedder.down = False
    filled(told, embedder)
    assert told.memories.embedded(ghost) == {space(embedder): (150, 150)}


def test_another_embedder_embeds_everything_and_says_how_far_it_is(told: Told) -> None:
    old, new, ghost = Characters("old"), Characters("new", 16), told.scope().ghost
    filled(told, old)
    seen: list[EmbeddingProgress] = []
    assert reembed(told.memories, ghost, new, seen.append)
    assert seen == [EmbeddingProgress(64, 150), EmbeddingProgress(128, 150), EmbeddingProgress(150, 150)]
    assert told.memories.embedded(ghost) == {"new/16": (150, 150)}


def test_the_same_model_with_another_dimension_is_another_embedder(told: Told) -> None:
    old, new, ghost = Characters("same", 32), Characters("same", 16), told.scope().ghost
    filled(told, old)
    assert reembed(told.memories, ghost, new)
    assert told.memories.embedded(ghost) == {"same/16": (150, 150)}


def test_it_goes_on_after_a_stop_where_it_was(told: Told) -> None:
    new, ghost = Characters("new"), told.scope().ghost
    seen: list[EmbeddingProgress] = []
    assert not reembed(told.memories, ghost, new, seen.append, stop=lambda: bool(seen))
    told.memories = Memories(told.journal)
    assert reembed(told.memories, ghost, new, seen.append)
    assert sorted(new.asked) == sorted(TEXTS)
    assert [one.done for one in seen] == [64, 128, 150]


def test_the_old_vectors_answer_until_the_new_ones_are_complete(told: Told) -> None:
    old, new, ghost = Characters("old"), Characters("new", 16), told.scope().ghost
    filled(told, old)
    both = EmbedderHandover(coming=new, going=old)
    index = VectorIndex(told.memories, ghost, both)
    answers: list[int] = []

    def ask(_: EmbeddingProgress | None = None) -> None:
        vector = vector_of(both, TEXTS[33])
        assert vector is not None
        (near,) = index.search(told.scope(), vector, 1)
        answers.append(near.key)
        assert space(both) == ("old/32" if told.memories.embedded(ghost).get("old/32") else "new/16")

    assert reembed(told.memories, ghost, both, ask)
    ask()
    assert answers == [34] * 4
    assert space(both) == "new/16"
