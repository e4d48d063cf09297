"""The index: what is nearest, along one line of play, however much there is and whatever happened to it meanwhile."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.memory.embedding import index as index_module
from hakoniwa.memory.embedding import pack_vector, vector_of
from hakoniwa.memory.embedding.filling import fill
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.store import Memories, MemoryWriting
from tests.memory.embedding.standing_in import Characters
from tests.memory.store import GARDEN, NOON, Told, state

KANA = "あいうえおかきくけこさしすせそたちつてと"


def sentences(count: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(KANA), 6)) for _ in range(count)]


class Indexed(Told):
    """A chat whose memory is embedded, and its index in a folder beside the journal."""

    def __init__(self, folder: Path, journal: Journal | None = None) -> None:
        self.folder = folder / "vectors"
        super().__init__(journal or MemoryJournal())
        self.embedder = Characters()
        self.index = self.anew()

    def anew(self) -> VectorIndex:
        """The index as another process would open it."""
        return VectorIndex(Memories(self.journal), self.scope().ghost, self.embedder, self.folder)

    def embed(self, *texts: str, branch: str = "main") -> list[int]:
        """Tell something, and give it vectors."""
        seqs = self.tell(*texts, branch=branch)
        while fill(self.memories, self.scope().ghost, self.embedder):
            pass
        return seqs

    def found(self, text: str, limit: int = 10, branch: str = "main", index: VectorIndex | None = None) -> list[int]:
        vector = vector_of(self.embedder, text)
        assert vector is not None
        return [
            near.key for near in (index if index is not None else self.index).search(self.scope(branch), vector, limit)
        ]

    def files(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir()) if self.folder.is_dir() else []


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Indexed]:
    chat = Indexed(tmp_path)
    yield chat
    chat.index.close()


@pytest.fixture
def chat_on_disk(tmp_path: Path) -> Iterator[Indexed]:
    chat = Indexed(tmp_path, open_journal(f"sqlite:///{tmp_path / 'chat.db'}"))
    yield chat
    chat.index.close()
    chat.journal.close()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are many."""
    monkeypatch.setattr(index_module, "EXACT", 60)
    monkeypatch.setattr(index_module, "NEWEST", 20)
    monkeypatch.setattr(index_module, "WAITING", 20)
    monkeypatch.setattr(index_module, "PAGE", 50)


def nearest(chat: Indexed, texts: list[str], text: str, limit: int) -> list[str]:
    """By comparing every one."""
    scores = chat.embedder.embed(texts) @ chat.embedder.embed([text])[0]
    return [texts[place] for place in np.argsort(-scores, kind="stable")[:limit]]


def grown(chat: Indexed) -> None:
    """Wait until the graph has taken in what is due."""
    chat.index.refresh()
    while chat.index.tend():
        pass


@pytest.mark.parametrize("count", [1, 40, 59, 300])
def test_what_is_nearest_is_found_among_few_and_among_many(chat: Indexed, small: None, count: int) -> None:
    texts = sentences(count)
    told = dict(zip(chat.embed(*texts), texts, strict=True))
    grown(chat)
    assert chat.index.size == count
    assert bool(chat.files()) is (count > 60)
    asked = sentences(20, seed=1)
    right = [{told[seq] for seq in chat.found(one)} & set(nearest(chat, texts, one, 10)) for one in asked]
    assert sum(map(len, right)) >= 0.98 * len(asked) * min(count, 10)


def test_scores_say_how_near(chat: Indexed, small: None) -> None:
    chat.embed("あいうえお", "かきくけこ", *sentences(100))
    grown(chat)
    vector = vector_of(chat.embedder, "あいうえお")
    assert vector is not None
    first, *others = chat.index.search(chat.scope(), vector, 5)
    assert (first.of, first.key, first.score) == ("event", 1, pytest.approx(1.0, abs=1e-3))
    assert [one.score for one in others] == sorted((one.score for one in others), reverse=True)


def test_what_comes_later_is_found_at_once(chat: Indexed, small: None) -> None:
    chat.embed(*sentences(100))
    grown(chat)
    (seq,) = chat.embed("なにぬねの")
    assert chat.found("なにぬねの", 1) == [seq]


def test_what_another_process_embeds_is_found_too(chat_on_disk: Indexed) -> None:
    chat = chat_on_disk
    chat.embed("かきくけこ")
    other = chat.anew()
    assert chat.found("なにぬねの", 1, index=other) == [1]
    (seq,) = chat.embed("なにぬねの")
    assert chat.found("なにぬねの", 1, index=other) == [seq]


@pytest.mark.parametrize("before", [5, 200])
def test_only_what_the_line_can_see_is_found(chat: Indexed, small: None, before: int) -> None:
    *_, last = chat.embed(*sentences(before))
    undone = chat.embed(*["なにぬねの"] * 90)
    grown(chat)
    chat.journal.move_head("chat", "main", last)
    (here,) = chat.embed("なにぬねは")
    assert chat.found("なにぬねの", 3)[0] == here
    assert not set(chat.found("なにぬねの", 5)) & set(undone)
    chat.journal.fork("chat", "main", "別", undone[-1])
    assert set(chat.found("なにぬねの", 5, branch="別")) <= set(undone)


def test_what_was_taken_back_is_not_found_until_it_is_done_again(chat: Indexed) -> None:
    first, second = chat.embed("かきくけこ", "なにぬねの")
    chat.journal.move_head("chat", "main", first)
    assert chat.found("なにぬねの") == [first]
    chat.journal.move_head("chat", "main", None)
    assert chat.found("なにぬねの") == []
    chat.journal.move_head("chat", "main", second)
    assert chat.found("なにぬねの") == [second, first]


@pytest.mark.parametrize("broken", [False, True])
def test_with_a_moment_given_only_what_came_since_that_hour_is_found(chat: Indexed, small: None, broken: bool) -> None:
    seqs = chat.embed(*sentences(320))
    grown(chat)
    if broken:
        chat.journal.move_head("chat", "main", seqs[-2])
        seqs[-1:] = chat.embed("かきくけこ")
    vector = vector_of(chat.embedder, "なにぬねの")
    assert vector is not None

    def since(minutes: int) -> list[int]:
        found = chat.index.search(chat.scope(), vector, 30, NOON + timedelta(minutes=minutes))
        return [near.key for near in found]

    assert len(since(240)) == 30
    assert min(since(240)) >= 240  # one a minute from noon on: the four hours after it have 240
    assert min(since(299)) >= 240
    assert set(since(310)) <= set(seqs[299:])
    assert min(since(10)) < 240
    assert since(1_000) == []


def test_states_are_found_beside_events_but_have_no_moment(chat: Indexed) -> None:
    (seq,) = chat.embed("かきくけこ")
    (kept,) = chat.memories.write(chat.scope(), seq, MemoryWriting(revisions=(state("なにぬねの"),)))
    fill(chat.memories, chat.scope().ghost, chat.embedder)
    vector = vector_of(chat.embedder, "なにぬねの")
    assert vector is not None
    found = chat.index.search(chat.scope(), vector, 5)
    assert [(near.of, near.key) for near in found] == [("state", kept.id), ("event", seq)]
    assert [near.of for near in chat.index.search(chat.scope(), vector, 5, NOON - timedelta(days=1))] == ["event"]


def test_nobody_finds_what_somebody_else_remembers() -> None:
    told = Told(MemoryJournal(), GARDEN)
    told.tell("なにぬねの", who=("やな",))
    told.tell("かきくけこ", who=("あゆ",))
    embedder = Characters()
    for who, seq in (("やな", 1), ("あゆ", 2)):
        scope = told.scope(who=who)
        fill(told.memories, scope.ghost, embedder)
        vector = vector_of(embedder, "なにぬねの")
        assert vector is not None
        assert [near.key for near in VectorIndex(told.memories, scope.ghost, embedder).search(scope, vector, 5)] == [
            seq
        ]


# --- the file --------------------------------------------------------------------------------------------------------


def test_the_graph_is_read_from_its_file_and_not_made_again(chat: Indexed, small: None) -> None:
    texts = sentences(200)
    chat.embed(*texts)
    grown(chat)
    (file,) = chat.files()
    again = chat.anew()
    assert len(set(chat.found(texts[0], 5, index=again))) == 5
    assert again.size == 200
    assert chat.files() == [file]
    assert not again.tend()


def test_what_came_while_nobody_looked_is_taken_in(chat: Indexed, small: None) -> None:
    chat.embed(*sentences(200))
    grown(chat)
    (seq,) = chat.embed("なにぬねの")
    assert chat.found("なにぬねの", 1, index=chat.anew()) == [seq]


def test_a_graph_goes_on_growing_in_a_new_file(chat: Indexed, small: None) -> None:
    chat.embed(*sentences(200))
    grown(chat)
    first = chat.files()
    chat.embed(*sentences(50, seed=2))
    grown(chat)
    assert chat.index.size == 250
    assert len(chat.files()) == 1
    assert chat.files() != first


@pytest.mark.parametrize("harm", ["cut", "garbage", "empty"])
def test_a_spoilt_file_is_made_again(chat: Indexed, small: None, harm: str) -> None:
    texts = sentences(200)
    chat.embed(*texts)
    grown(chat)
    (name,) = chat.files()
    file = chat.folder / name
    chat.index.close()
    spoilt = {"cut": file.read_bytes()[:2_000], "garbage": b"garbage" * 999, "empty": b""}[harm]
    file.unlink()
    file.write_bytes(spoilt)
    chat.index = chat.anew()
    assert chat.found(texts[199], 1) == [200]
    grown(chat)
    assert chat.found(texts[7], 1) == [8]
    assert len(chat.files()) == 1
    assert chat.index.size == 200


def test_the_file_of_another_journal_is_not_taken_for_ones_own(chat: Indexed, small: None, tmp_path: Path) -> None:
    chat.embed(*sentences(200))
    grown(chat)
    other = Indexed(tmp_path)
    texts = sentences(200, seed=5)
    other.embed(*texts)
    grown(other)
    assert other.found(texts[3], 1) == [4]
    other.index.close()


def test_what_is_forgotten_is_gone_from_the_index_and_its_file(
    chat_on_disk: Indexed, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = chat_on_disk
    canary = chat.embed("なにぬねの", *sentences(200))[0]
    grown(chat)
    vector = vector_of(chat.embedder, "なにぬねの")
    assert vector is not None
    assert pack_vector(vector) in (chat.folder / chat.files()[0]).read_bytes()
    (chat.folder / f"{chat.scope().ghost}-left-by-a-crash.123.partial").write_bytes(pack_vector(vector))
    chat.memories.forget(chat.scope(), "chat", [canary])
    monkeypatch.setattr(index_module, "EXACT", 999)
    assert canary not in chat.found("なにぬねの", 50)
    assert chat.files() == []
    monkeypatch.setattr(index_module, "EXACT", 60)
    grown(chat)
    assert pack_vector(vector) not in (chat.folder / chat.files()[0]).read_bytes()
    assert chat.index.size == 200


def test_an_index_that_is_told_of_a_purge_leaves_no_file_of_before(chat_on_disk: Indexed, small: None) -> None:
    chat = chat_on_disk
    chat.embed(*sentences(200))
    grown(chat)
    assert chat.files()
    chat.index.forget()
    assert chat.files() == []


def test_searches_go_on_while_the_graph_grows(chat_on_disk: Indexed, small: None) -> None:
    chat = chat_on_disk
    texts = sentences(400)
    chat.embed(*texts)
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            for place in range(330, 400, 2):
                assert chat.found(texts[place], 1) == [place + 1]
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_graph_whose_file_another_process_removed_is_made_again(chat: Indexed, small: None) -> None:
    texts = sentences(200)
    chat.embed(*texts)
    grown(chat)
    (chat.folder / chat.files()[0]).unlink()
    assert chat.found(texts[5], 1) == [6]
    chat.embed(*sentences(50, seed=4))
    grown(chat)
    assert (chat.index.size, len(chat.files())) == (250, 1)


def test_what_is_said_over_and_over_hides_nothing_else(chat: Indexed, small: None) -> None:
    texts = sentences(150)
    chat.embed(*["おはよう"] * 200, *texts[:75])
    grown(chat)
    chat.embed(*["おはよう"] * 200, "！", *texts[75:])
    grown(chat)
    assert (chat.index.size, len(chat.files())) == (551, 1)
    told = {seq: text for text in texts for seq in chat.found(text, 1)}
    assert sorted(told.values()) == sorted(texts)
    assert len(chat.found("おはよう", 20)) == 20
    again = chat.anew()
    again.refresh()
    assert again.size == 551
    assert len(chat.files()) == 1


def test_without_a_folder_the_graph_is_in_memory_alone(chat: Indexed, small: None) -> None:
    texts = sentences(200)
    chat.embed(*texts)
    chat.index = VectorIndex(chat.memories, chat.scope().ghost, chat.embedder)
    grown(chat)
    chat.embed("なにぬねの", *sentences(50, seed=3))
    grown(chat)
    assert chat.found("なにぬねの", 1) == [201]
    assert chat.found(texts[9], 1) == [10]
    assert (chat.index.size, chat.files()) == (251, [])


def test_nothing_is_near_to_a_text_that_says_nothing(chat: Indexed) -> None:
    chat.embed("かきくけこ")
    assert chat.index.search(chat.scope(), np.zeros(32, np.float32), 5) == []
