"""How much of the evidence for questions about long talks comes to mind: LoCoMo (Maharana et al., 2024), ten talks in
English of some 600 turns each. Every turn is an event of its own, and no vectors are used.

`BM25` is Okapi's formula over the same words, `with neighbours` adds to each turn shares of the scores around it, as
large as the product's. The last line has the speakers' names in the texts, as a garden has.

The data is free for other than commercial use (CC BY-NC 4.0). It is only measured on: no part of it is in this
project, and no weight is chosen on it. Put data/locomo10.json of https://github.com/snap-research/locomo (or what its
archive holds) into build/locomo, or name its folder by HAKONIWA_LOCOMO."""

import asyncio
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from hakoniwa.chat.lineage import CHAT, witness_memories
from hakoniwa.journal import MAIN, GardenRecord
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import recall
from hakoniwa.memory.retrieval_plan import PersonaFocusHint, plan_for
from hakoniwa.memory.sources import REACH, SHARE, SourceQuery, sources
from hakoniwa.memory.store import Memories
from hakoniwa.memory.words import index_words, words
from hakoniwa.persona.persona import Persona
from hakoniwa.turn import Event

FOLDER = Path(os.environ.get("HAKONIWA_LOCOMO", "build/locomo"))
FULL, SMALLEST = 1, 50  # every question, or one of so many
FIRST = (5, 10, 12, 25)
K1, B = 1.2, 0.75
GARDEN, DAY = "locomo", "%I:%M %p on %d %B, %Y"


class Said(NamedTuple):
    """One turn of a talk: its number in the data, which session it is of, and who said what when."""

    id: str
    session: int
    who: str
    text: str
    at: datetime


class Asked(NamedTuple):
    """A question, and the turns that have its answer."""

    text: str
    evidence: frozenset[str]


class Talk(NamedTuple):
    said: Sequence[Said]
    asked: Sequence[Asked]


Answer = Callable[[str], Sequence[str]]  # the turns that come to mind, best first


def talks(folder: Path) -> Iterator[Talk]:
    """Every talk of the data, in either form in which it was published."""
    for file in sorted(folder.rglob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        for one in data if isinstance(data, list) else [data]:
            if "qa" in one:
                yield _talk(one.get("conversation", one), one["qa"])


def _talk(sessions: dict[str, Any], asked: Sequence[dict[str, Any]]) -> Talk:
    said = list(_turns(sessions))
    known = {one.id for one in said}
    evidence = [frozenset(re.findall(r"D\d+:\d+", str(one.get("evidence")))) & known for one in asked]
    questions = [Asked(one["question"], found) for one, found in zip(asked, evidence, strict=True) if found]
    return Talk(said, questions)


def _turns(sessions: dict[str, Any]) -> Iterator[Said]:
    numbers = sorted(int(found[1]) for name in sessions if (found := re.fullmatch(r"session_(\d+)", name)))
    for number in numbers:
        began = datetime.strptime(sessions[f"session_{number}_date_time"], DAY).replace(tzinfo=UTC)
        for place, turn in enumerate(sessions[f"session_{number}"]):
            yield Said(turn["dia_id"], number, turn["speaker"], turn["text"], began + timedelta(minutes=place))


# --- the ways of remembering -----------------------------------------------------------------------------------------


class Listener:
    """One of the two, who remembers the talk turn by turn."""

    def __init__(self, said: Sequence[Said], named: bool = False) -> None:
        self.who, self.now = said[-1].who, said[-1].at + timedelta(days=1)
        journal = MemoryJournal()
        journal.create(GardenRecord(id=GARDEN, scenario={}, sheets={}, seed=0, settings={"kind": CHAT}))
        rows = journal.append(GARDEN, MAIN, [self._event(one, named) for one in said], None)
        self.ids = {row.seq: one.id for row, one in zip(rows, said, strict=True)}
        memories = Memories(journal)
        memories.take_in(GARDEN, [(row, witness_memories(row)) for row in rows])
        persona = Persona(name=self.who, persona_text="A friend.", second_person_label="you", language="en")
        self.ghost = Ghost(memories, GARDEN, MAIN, self.who, persona, head=rows[-1].seq)

    def _event(self, one: Said, named: bool) -> Event:
        side = "assistant_text" if one.who == self.who else "user_text"
        payload = {"source": "chat", "at": one.at.isoformat(), side: f"{one.who}: {one.text}" if named else one.text}
        return Event(kind=CHAT, turn=1, origin="user", witnesses=(self.who,), payload=payload)

    def recalls(self, text: str) -> list[str]:
        """What the product finds, in its order."""
        made = asyncio.run(recall(self.ghost, text, self.now, None, keep=False))
        return [self.ids[one.key] for one in made.candidates if one.type == "event"]

    def finds_words(self, text: str) -> list[str]:
        """What its search by words finds alone."""
        plan = plan_for(text, self.now, PersonaFocusHint(), "en")
        asked = SourceQuery(plan=plan, words=words(text, "en"), vector=None, reply_to=None, now=self.now)
        return [self.ids[one.key] for one in sources["full_text"].find(self.ghost, asked)]


class Okapi:
    """BM25 over the same words, by the book."""

    def __init__(self, said: Sequence[Said]) -> None:
        self.said, texts = said, [index_words(one.text) for one in said]
        self.lengths = [len(text) for text in texts]
        self.mean = fmean(self.lengths)
        self.places: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            for word in text:
                self.places[word].append(place)

    def finds(self, text: str) -> list[str]:
        return self._best(self._scores(text))

    def finds_with_neighbours(self, text: str) -> list[str]:
        scores = self._scores(text)
        shared = dict(scores)
        for place, score in scores.items():
            for step in (*range(-REACH, 0), *range(1, REACH + 1)):
                near = place + step
                if 0 <= near < len(self.said) and self.said[near].session == self.said[place].session:
                    shared[near] = shared.get(near, 0.0) + score * SHARE ** abs(step)
        return self._best(shared)

    def _scores(self, text: str) -> dict[int, float]:
        scores: dict[int, float] = defaultdict(float)
        for places in (self.places.get(word, []) for word in words(text, "en")):
            rarity = log(1 + (len(self.said) - len(places) + 0.5) / (len(places) + 0.5))
            for place in places:
                scores[place] += rarity * (K1 + 1) / (1 + K1 * (1 - B + B * self.lengths[place] / self.mean))
        return scores

    def _best(self, scores: dict[int, float]) -> list[str]:
        return [self.said[place].id for place in sorted(scores, key=lambda place: (-scores[place], -place))]


WAYS: dict[str, Callable[[Sequence[Said]], Answer]] = {
    "recall (the product's)": lambda said: Listener(said).recalls,
    "full text alone": lambda said: Listener(said).finds_words,
    "BM25": lambda said: Okapi(said).finds,
    "BM25 with neighbours": lambda said: Okapi(said).finds_with_neighbours,
    "recall, with names": lambda said: Listener(said, named=True).recalls,
}


def shares(way: Callable[[Sequence[Said]], Answer], every: Sequence[Talk]) -> list[float]:
    """The mean share of the evidence that is among the first ones of each number."""
    found = [
        [len(one.evidence & set(best[:most])) / len(one.evidence) for most in FIRST]
        for talk in every
        for one, best in _answers(way(talk.said), talk.asked)
    ]
    return [fmean(column) for column in zip(*found, strict=True)]


def _answers(answer: Answer, asked: Sequence[Asked]) -> Iterator[tuple[Asked, Sequence[str]]]:
    for one in asked:
        yield one, answer(one.text)


def main(one_of: int) -> None:
    every = [Talk(one.said, one.asked[::one_of]) for one in talks(FOLDER)]
    if not every:
        print(f"  not measured: there is no LoCoMo in {FOLDER}")
        return
    print(f"  share of the evidence among the first, {sum(len(one.asked) for one in every):,} questions")
    print(f"  {'':<24}" + "".join(f"{most:>8}" for most in FIRST))
    for name, way in WAYS.items():
        print(f"  {name:<24}" + "".join(f"{share:>8.1%}" for share in shares(way, every)))
