"""The index on a real PostgreSQL: pgvector finds the events, and finds those that comparing all of them would find."""

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest

from hakoniwa.journal.open import open_journal
from hakoniwa.memory.embedding import vector_of
from hakoniwa.memory.embedding.filling import fill, reembed
from hakoniwa.memory.embedding.index import Neighbour, VectorIndex
from hakoniwa.memory.store import MemoryWriting
from tests.memory.embedding.standing_in import Characters
from tests.memory.store import NOON, Told, state

TEXTS = ["".join(np.random.default_rng(seed).choice(list("あいうえおかきくけこ"), 6)) for seed in range(120)]


class Vectored(Told):
    """A chat with vectors, told one thing after another."""

    def __init__(self, url: str) -> None:
        super().__init__(open_journal(url))
        self.embedder = Characters()
        self.index = VectorIndex(self.memories, self.scope().ghost, self.embedder)

    def embed(self, *texts: str) -> list[int]:
        seqs = self.tell(*texts)
        while fill(self.memories, self.scope().ghost, self.embedder):
            pass
        return seqs

    def near(self, text: str, limit: int = 5, since: int | None = None) -> list[Neighbour]:
        vector = vector_of(self.embedder, text)
        assert vector is not None
        moment = None if since is None else NOON + timedelta(minutes=since)
        return self.index.search(self.scope(), vector, limit, moment)

    def found(self, text: str, limit: int = 5, since: int | None = None) -> list[int]:
        return [one.key for one in self.near(text, limit, since)]


@pytest.fixture
def chat(url: str) -> Iterator[Vectored]:
    chat = Vectored(url)
    yield chat
    chat.journal.close()


def test_the_database_itself_is_asked(chat: Vectored) -> None:
    assert chat.memories.finds_nearest()
    chat.embed("あいうえお")
    assert chat.found("あいうえお") == [1]
    assert chat.index.size == 0


def test_what_is_nearest_is_found(chat: Vectored) -> None:
    seqs = chat.embed(*TEXTS)
    scores = chat.embedder.embed(TEXTS) @ chat.embedder.embed(["あえおきけこ"])[0]
    nearest = {seqs[place] for place in np.argsort(-scores)[:10]}
    found = chat.near("あえおきけこ", 10)
    assert len({one.key for one in found} & nearest) >= 9
    assert found[0].score == pytest.approx(scores.max(), abs=2e-3)


def test_only_what_the_line_can_see_and_only_since_a_moment(chat: Vectored) -> None:
    first, undone = chat.embed("かきくけこ", "さしすせそ")
    chat.journal.move_head("chat", "main", first)
    assert chat.found("さしすせそ") == [first]
    last = chat.embed("さしすせと")[0]
    assert chat.found("さしすせそ") == [last, first]
    assert chat.found("さしすせそ", since=0) == [last, first]
    assert chat.found("さしすせそ", since=60) == []
    assert undone not in chat.found("さしすせそ", 50)


def test_states_are_found_beside_events(chat: Vectored) -> None:
    (seq,) = chat.embed("かきくけこ")
    (kept,) = chat.memories.write(chat.scope(), seq, MemoryWriting(revisions=(state("なにぬねの"),)))
    fill(chat.memories, chat.scope().ghost, chat.embedder)
    assert [(one.of, one.key) for one in chat.near("なにぬねの")] == [("state", kept.id), ("event", seq)]
    assert [one.of for one in chat.near("なにぬねの", since=0)] == ["event"]


def test_what_is_forgotten_is_not_found(chat: Vectored) -> None:
    one, two = chat.embed("かきくけこ", "さしすせそ")
    chat.memories.forget(chat.scope(), "chat", [two])
    assert chat.found("さしすせそ") == [one]


def test_another_embedder_takes_over(chat: Vectored) -> None:
    seqs = chat.embed(*TEXTS[:20])
    chat.embedder = chat.index.embedder = Characters("other", 16)
    assert reembed(chat.memories, chat.scope().ghost, chat.embedder)
    assert chat.found(TEXTS[7], 1) == [seqs[7]]
    assert chat.memories.embedded(chat.scope().ghost) == {"other/16": (20, 20)}
