"""A chat with everything behind it but HTTP: somebody says something and is answered, what was said is remembered, and
what the persona is in the middle of is written down.

Like a garden it is played in a child process that is killed, and taken up afterwards."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing, closing, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from hakoniwa.app.chats import ghost_of, new_chat
from hakoniwa.chat.lineage import ChatLine
from hakoniwa.errors import UnknownName
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.memory.ghost import Ghost, begin_intent
from hakoniwa.persona.records import MemorySource
from hakoniwa.service.answering import AnswerDone, AnswerTasks
from hakoniwa.service.chat_events import ChatFeed, ChatWatcher
from hakoniwa.service.live_gardens import LiveGardens
from hakoniwa.service.residents import OpenGhost, OpenGhosts
from hakoniwa.service.streams import EventStreams
from hakoniwa.settings import Settings
from tests.trust.aftermath import worked_in
from tests.trust.lives import PATIENCE, Asked, Note, Place

WORDS = "猫を飼いはじめたよ。名前はまだない。"
PERSONA = "yana"
ALL = 1_000
MORNING = datetime(2026, 5, 4, 9, tzinfo=UTC)
LATER = timedelta(minutes=1)  # long enough for a board to be written down again


async def talked(place: Place, times: int, note: Note) -> None:
    """Say something so many times, and note of every answer where it is kept."""
    with closing(open_journal(place.url)) as journal:
        residents = OpenGhosts(LiveGardens(journal, _settings(place), lambda: Ledger(Asked(note))))
        resident, answers = await residents.at(_chat_at(journal, place), MAIN), AnswerTasks()
        ghost = await resident.seen()
        await asyncio.to_thread(ghost.wake, MORNING)
        note("woken", ghost.board.interrupted_intent_ids)
        for _ in range(times):
            note("deed", "say")
            answering = await answers.start(resident, lambda chat: chat.say(WORDS), "ja")
            async for news in answering.happenings(1.0):
                if isinstance(news, AnswerDone):
                    note("row", {"seq": news.seq, "turn": news.turn})
            ghost = await _noted(resident, ghost)
            note("board", ghost.board.active_intent_ids)
        await residents.close()


async def _noted(resident: OpenGhost, before: Ghost) -> Ghost:
    """The Ghost as it is now, in the middle of one thing more, which has been written down."""
    ghost, now = await resident.seen(), (before.board.snapshot_at or MORNING) + LATER
    ghost.board = begin_intent(before.board, ghost.newest or 0, now)
    await asyncio.to_thread(ghost.note, now)
    return ghost


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
        said = sum(note[0] == "deed" for note in (*notes, *again))
        if [row.event.turn for row in line] != list(range(1, len(line) + 1)) or len(line) > said:
            yield f"of {said} exchanges that do not follow each other: {[row.event.turn for row in line]}"
        ghost = ghost_of(journal, _settings(place), journal.garden(place.garden), MAIN)
        remembered = [one.seq for one in ghost.memories.recent(ghost.scope, ALL, (MemorySource.CHAT,))]
        if sorted(remembered) != [row.seq for row in line]:
            yield f"of {[row.seq for row in line]} there is {remembered} in memory"
        yield from worked_in(journal, place.garden)
        yield from asyncio.run(_come_back(journal, place, [row.seq for row in line], [one["seq"] for one in seen]))
    yield from _interrupted(notes, again)


def _interrupted(notes: Sequence[Sequence[Any]], again: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Whether a persona knows what it was in the middle of, as far as that was written down."""
    board = next((note[1] for note in reversed(notes) if note[0] == "board"), [])
    woken = next(note[1] for note in again if note[0] == "woken")
    if missing := sorted({*board} - {*woken}):
        yield f"a persona does not know any more that it was in the middle of {missing}"


async def _come_back(journal: Journal, place: Place, line: Sequence[int], seen: Sequence[int]) -> list[str]:
    """Whether the stream tells somebody who comes back what they missed, and a newcomer everything."""
    last = max(seen, default=0)
    wanted = [seq for seq in line if seq > last]
    back, new = await asyncio.gather(_told(journal, place, last, len(wanted)), _told(journal, place, 0, len(line)))
    wrong = [] if back == wanted else [f"who has heard of {last} and comes back hears of {back} of {line}"]
    return wrong if new == line else [*wrong, f"a newcomer hears of {new} of {line}"]


async def _told(journal: Journal, place: Place, after: int, count: int) -> list[int]:
    """The first exchanges that the stream tells of after a row."""
    watcher, heard = ChatWatcher(ChatFeed(journal, ChatLine(place.garden, MAIN, PERSONA))), list[int]()
    frames = EventStreams().open(watcher, str(after)).body_iterator
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE), aclosing(frames):
            async for frame in frames:
                if bytes(frame).startswith(b"event: exchange"):
                    heard.append(int(bytes(frame).rpartition(b"id: ")[2]))
                if len(heard) >= count:
                    break
    return heard


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


def _chat_at(journal: Journal, place: Place) -> GardenRecord:
    with suppress(UnknownName):
        return journal.garden(place.garden)
    return new_chat(journal, PERSONA, place.garden)
