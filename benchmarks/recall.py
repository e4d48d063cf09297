"""What it costs to call to mind: every source of candidates over 1,000 to 100,000 events of one character, how much of
what is nearest the approximate index finds, and what is done from Enter in a chat until the request for the reply is
with the server. python -m benchmarks.recall 1000000 measures a million."""

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hakoniwa.chat.chat import Chat
from hakoniwa.chat.reply import ModelRespondent
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.memory.embedding import Vectors, space
from hakoniwa.memory.embedding import ginza as word_vectors
from hakoniwa.memory.embedding.filling import fill
from hakoniwa.memory.embedding.index import PAGE, StoredVectors, VectorIndex, vectors_of
from hakoniwa.memory.gather import gather
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.retrieval_plan import PersonaFocusHint, plan_for
from hakoniwa.memory.store import Memories
from hakoniwa.persona.generated import Generated
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import Entity, EntityType, MemorySource, NewMemory
from hakoniwa.turn import Event

AT_ONCE = 50.0  # milliseconds from Enter
SHEET = {"display_name": "ナギ", "persona": "穏やかな聞き手。", "speech": {"address": {"user": "あなた"}}}
TARGETS = {100_000: 5.0, 1_000_000: 20.0}  # milliseconds
NEAREST, RECALL = 40, 0.95
BATCH = 1_000
GARDEN, WHO = "bench", "ナギ"
START, PACE = datetime(2015, 1, 1, 12, 0, tzinfo=UTC), timedelta(minutes=5)
PERSONA = Persona(name=WHO, persona_text="穏やかな聞き手。", second_person_label="あなた")
PEOPLE = [Entity(type=EntityType.PERSON, name=f"友人{number}号") for number in range(200)]
TOPICS, OWN_WORDS = 400, 60
JOINTS = ("の", "を", "に", "で", "と", "が", "は", "も")


class Size(NamedTuple):
    events: tuple[int, ...]
    rounds: int
    warm: int  # rounds that do not count


FULL, SMALLEST = Size((1_000, 10_000, 100_000), 60, 10), Size((100,), 3, 1)


class Talk:
    """Endless talk: a few topics come again and again, and each has words of its own that lie near to each other."""

    def __init__(self, seed: int) -> None:
        self._draw = np.random.default_rng(seed)
        self._words, self._topics = _vocabulary()

    def texts(self, count: int) -> list[str]:
        return [self._text() for _ in range(count)]

    def _text(self) -> str:
        topic = self._topics[_zipf(self._draw, TOPICS)]
        words = [
            topic[_zipf(self._draw, OWN_WORDS)] if self._draw.random() < 0.6 else _zipf(self._draw, len(self._words))
            for _ in range(self._draw.integers(5, 14))
        ]
        return "".join(self._words[word] + JOINTS[self._draw.integers(len(JOINTS))] for word in words) + "話した。"

    def somebody(self) -> Entity:
        return PEOPLE[_zipf(self._draw, len(PEOPLE))]


def _zipf(draw: np.random.Generator, most: int) -> int:
    """A number below the most, small ones by far the most often."""
    return int(most ** draw.random()) - 1


@cache
def _vocabulary() -> tuple[list[str], list[list[int]]]:
    """Words of two and more kanji, the commonest first, and topics: one word each, and those nearest to it."""
    table = word_vectors._table()
    strings = json.loads((word_vectors._folder() / "vocab" / "strings.json").read_text(encoding="utf-8"))
    kanji = [word for word in strings if 2 <= len(word) <= 4 and all("一" <= sign <= "龥" for sign in word)]
    places = np.searchsorted(table.hashes, np.array([word_vectors.murmur(word.encode()) for word in kanji], np.uint64))
    ranked = sorted((int(table.ranks[place]), word, int(place)) for word, place in zip(kanji, places, strict=True))[
        :8_000
    ]
    rows = np.array([table.vectors[table.rows[place]] for _, _, place in ranked])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    seeds = np.random.default_rng(0).choice(len(ranked), TOPICS, replace=False)
    topics = np.argsort(-(rows[seeds] @ rows.T), axis=1)[:, :OWN_WORDS]
    return [word for _, word, _ in ranked], topics.tolist()


class Life:
    """A chat that goes on and on, in a journal on disk, with its memory, vectors and index."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.talk = folder, Talk(1)
        self.embedder = word_vectors.GinzaEmbedder()
        self.journal: Journal = open_journal(f"sqlite:///{folder / 'bench.db'}")
        chat = GardenRecord(id=GARDEN, scenario={}, sheets={WHO: SHEET}, seed=0, settings={"kind": "chat"})
        self.journal.create(chat)
        self.memories = Memories(self.journal)
        self.number = self.memories.ghost(GARDEN, WHO)
        self.index = VectorIndex(self.memories, self.number, self.embedder, folder / "vectors")
        self.head: int | None = None
        self.length = 0

    @property
    def now(self) -> datetime:
        return START + self.length * PACE

    def go_on(self, length: int) -> None:
        """Live on until so much has happened, and embed it."""
        while self.length < length:
            self._live(min(BATCH, length - self.length))
        while fill(self.memories, self.number, self.embedder, BATCH):
            pass

    def _live(self, count: int) -> None:
        texts = self.talk.texts(count)
        told = [
            Event(kind="chat", turn=1, origin="user", witnesses=(WHO,), payload={"user_text": text}) for text in texts
        ]
        rows = self.journal.append(GARDEN, MAIN, told, self.head)
        lived = []
        for row, text in zip(rows, texts, strict=True):
            lived.append((row, {WHO: self._remembered(text, row.parent)}))
            self.length += 1
        self.memories.take_in(GARDEN, lived)
        self.head = rows[-1].seq

    def _remembered(self, text: str, before: int | None) -> NewMemory:
        return NewMemory(
            source=MemorySource.CHAT, text=Generated(text), user_text=text, at=self.now,
            entities=(self.talk.somebody(),), reply_to=before,
        )  # fmt: skip

    def grown(self) -> None:
        """Wait for the graph."""
        self.index.refresh()
        while self.index.tend():
            pass

    def ghost(self) -> Ghost:
        return Ghost(self.memories, GARDEN, MAIN, WHO, PERSONA, self.embedder, self.index, self.head)


# --- measuring -------------------------------------------------------------------------------------------------------


def busy(work: Callable[[], object]) -> float:
    """CPU of one go, in milliseconds, on whatever thread."""
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


def costs(life: Life, asked: Sequence[str], warm: int) -> tuple[float, float]:
    """The median CPU of gathering candidates, and of the index alone."""
    ghost, hint = life.ghost(), PersonaFocusHint()
    vectors = life.embedder.embed(asked)

    async def all_of_it() -> list[float]:
        spent = []
        for text in asked:
            start = time.process_time_ns()
            gathered = await gather(ghost, plan_for(text, life.now, hint, "ja"), life.now)
            spent.append((time.process_time_ns() - start) / 1e6)
            assert gathered.candidates
            assert not gathered.missed, gathered.missed
        return spent

    whole = asyncio.run(all_of_it())
    alone = [busy(lambda vector=vector: life.index.search(ghost.scope, vector, NEAREST)) for vector in vectors]
    return statistics.median(whole[warm:]), statistics.median(alone[warm:])


class ReplyServer:
    """A model server on loopback, which notes the CPU this process has used by the time a request is there."""

    def __init__(self) -> None:
        self.arrivals: list[int] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.arrivals.append(time.process_time_ns())
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        writer.write(_reply(f"{len(self.arrivals)}番目の返事。"))  # what was said before would be asked for anew
        await writer.drain()
        writer.close()


def _reply(text: str) -> bytes:
    said = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    events = "".join(f"data: {one}\n\n" for one in (json.dumps(said), json.dumps(last), "[DONE]"))
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    return (head + events).encode()


async def from_enter(life: Life, asked: Sequence[str], warm: int) -> float:
    """The median CPU from Enter until the request for the reply is there; nothing else is asked before it."""
    server, spent = ReplyServer(), []
    listening = await asyncio.start_server(server.answer, "127.0.0.1")
    port = listening.sockets[0].getsockname()[1]
    model = Ledger(OpenAIChat("bench", f"http://127.0.0.1:{port}/v1", context=8_192))
    chat = Chat(
        life.journal, life.journal.garden(GARDEN), life.ghost(), ModelRespondent(model), model, lambda: life.now
    )
    for count, text in enumerate(asked):
        start = time.process_time_ns()
        async for _ in chat.say(text):
            pass
        spent.append((server.arrivals[count] - start) / 1e6)
        assert len(server.arrivals) == count + 1, "one exchange is one request"
    await model.aclose()
    listening.close()
    life.head = chat.head.seq if chat.head else life.head
    return statistics.median(spent[warm:])


def found_of_nearest(life: Life, asked: Sequence[str]) -> float:
    """The share of the truly nearest that the index finds."""
    scope, vectors = life.ghost().scope, life.embedder.embed(asked)
    right = [
        len({near.key for near in life.index.search(scope, vector, NEAREST)} & nearest)
        for vector, nearest in zip(vectors, _nearest(life, vectors), strict=True)
    ]
    return statistics.mean(right) / NEAREST


def _nearest(life: Life, vectors: Vectors) -> list[set[int]]:
    """The events nearest to each vector, by comparing every one."""
    keys, scores = [], []
    for page_keys, rows in _pages(life):
        keys.append(page_keys)
        scores.append(rows @ vectors.T)
    every, table = np.concatenate(keys), np.concatenate(scores)
    best = np.argpartition(-table, NEAREST, axis=0)[:NEAREST]
    return [set(every[column].tolist()) for column in best.T]


def _pages(life: Life) -> Iterator[tuple[np.ndarray, Vectors]]:
    arrivals, last = StoredVectors(life.memories, life.number, space(life.embedder)), 0
    while rows := arrivals.after(last, PAGE):
        yield np.array([row.key for row in rows]), vectors_of(rows, life.embedder.dim)
        last = rows[-1].id


def megabytes(*files: Path) -> float:
    return sum(file.stat().st_size for file in files) / 1e6


def main(wanted: Size) -> None:
    asked = Talk(2).texts(wanted.rounds)
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder))
        for size in wanted.events:
            lived, built = busy(lambda size=size: life.go_on(size)), busy(life.grown)
            gathering, alone = costs(life, asked, wanted.warm)
            share = found_of_nearest(life, asked)
            target = f"   (target: at most {TARGETS[size]:g})" if size in TARGETS else ""
            graph = list((Path(folder) / "vectors").glob("*.usearch"))
            print(f"  {size:>9,} events: candidates{gathering:7.2f} ms CPU{target}")
            print(f"  {'':>9}  of it the index, {NEAREST} nearest{alone:7.2f} ms; it finds {share:.3f} of them", end="")
            print(f"   (target: at least {RECALL})")
            entered = asyncio.run(from_enter(life, asked, wanted.warm))
            print(f"  {'':>9}  from Enter to the request for the reply{entered:7.2f} ms CPU", end="")
            print(f"   (target: at most {AT_ONCE:g})")
            print(f"  {'':>9}  living{lived / 1e3:8.1f} s CPU, graph{built / 1e3:8.1f} s; ", end="")
            database = megabytes(*Path(folder).glob("bench.db*"))
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"journal {database:,.0f} MB, graph {megabytes(*graph):,.0f} MB, process {memory:,.0f} MB", flush=True
            )
        life.index.close()
        life.journal.close()


if __name__ == "__main__":
    main(FULL._replace(events=tuple(int(size) for size in sys.argv[1:])))
