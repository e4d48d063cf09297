"""A chat with everything behind it but HTTP: somebody says something and is answered, and what was said is remembered.

Like a garden it is played in a child process that is killed, and taken up afterwards."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

from hakoniwa.app.chats import ghost_of, new_chat
from hakoniwa.errors import UnknownName
from hakoniwa.ghost.memory import Source
from hakoniwa.journal import MAIN, Garden, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.service.answering import AnswerDone, Answers
from hakoniwa.service.residents import Residents
from hakoniwa.settings import Settings
from tests.trust.lives import Asked, Note, Place
from tests.trust.steps import BEGUN, COMMITTED, WRITTEN

WORDS = "猫を飼いはじめたよ。名前はまだない。"
PERSONA = "yana"
ALL = 1_000
MAKERS = ("Memories.talking", "SqlJournal.record_call", "Memories.record_run", "SqlJournal.append", "Memories.take_in",
          "Memories.pending")  # fmt: skip
STEPS = tuple(f"{maker}: {step}" for maker in MAKERS for step in (BEGUN, WRITTEN, COMMITTED))  # of every exchange


async def talked(place: Place, times: int, note: Note) -> None:
    """Say something so many times, and note of every answer where it is kept."""
    with closing(open_journal(place.url)) as journal:
        residents = Residents(journal, _settings(place), lambda: Ledger(Asked(note)))
        resident, answers = await residents.at(_chat_at(journal, place), MAIN), Answers()
        for _ in range(times):
            note("deed", "say")
            answering = await answers.start(resident, WORDS, "ja")
            async for news in answering.happenings(1.0):
                if isinstance(news, AnswerDone):
                    note("row", {"seq": news.seq, "turn": news.turn})
        await residents.close()


def after_talk(place: Place, notes: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Everything that is not as it was promised, once somebody has said something again."""
    yield from (f"a chat crashed: {note[1][-300:]}" for note in notes if note[0] == "crash")
    seen = [note[1] for note in notes if note[0] == "row"]
    again: list[Any] = []
    with closing(open_journal(place.url)) as journal:
        yield from _not_kept(journal, place, seen)
    asyncio.run(talked(place, 1, lambda *words: again.append(words)))
    with closing(open_journal(place.url)) as journal:
        yield from _not_kept(journal, place, [*seen, *(what for word, what in again if word == "row")])
        line = journal.lineage(place.garden, MAIN)
        if [row.event.turn for row in line] != list(range(1, len(line) + 1)):
            yield f"exchanges that do not follow each other: {[row.event.turn for row in line]}"
        ghost = ghost_of(journal, _settings(place), journal.garden(place.garden), MAIN)
        remembered = [one.seq for one in ghost.memories.recent(ghost.scope, ALL, (Source.CHAT,))]
        if sorted(remembered) != [row.seq for row in line]:
            yield f"of {[row.seq for row in line]} there is {remembered} in memory"


def _not_kept(journal: Journal, place: Place, seen: Sequence[dict[str, Any]]) -> Iterator[str]:
    try:
        kept = {row.seq: row.event.turn for row in journal.lineage(place.garden, MAIN)}
    except UnknownName:
        yield from (f"exchange {one['seq']} was seen in a chat that is not there" for one in seen)
        return
    lost = [one["seq"] for one in seen if kept.get(one["seq"]) != one["turn"]]
    yield from (f"exchange {seq} was seen, and is not there" for seq in lost)
    yield from journal.check(place.garden)


def _settings(place: Place) -> Settings:
    return Settings(home=place.home, embedder="none")


def _chat_at(journal: Journal, place: Place) -> Garden:
    with suppress(UnknownName):
        return journal.garden(place.garden)
    return new_chat(journal, PERSONA, place.garden)
