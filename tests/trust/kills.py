"""An event that a console has seen is on the disk and stays: kill -9 at random, at every step that has a name, and of
whole servers. Then everything is held against what was seen, and the garden is taken up again."""

import asyncio
import random
import shutil
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, event

from hakoniwa.chat.chat import Chat
from hakoniwa.errors import HakoniwaError
from hakoniwa.journal import MAIN, Journal, Row, canonical, database, queries
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.rows import BranchTip, chain, utc_now
from hakoniwa.journal.sql import SqlJournal
from hakoniwa.journal.tables import COUNTER
from hakoniwa.memory.store import Memories, MemoryEntry
from hakoniwa.play.session import Session
from hakoniwa.play.timeline import Timeline
from hakoniwa.service import answering, garden_events, streams
from hakoniwa.service.chat_events import Hello
from hakoniwa.service.live_gardens import LiveGarden
from tests.trust.aftermath import aftermath, heard
from tests.trust.fatal import STATEMENT, Fatal, found_steps, killed, killed_at_birth
from tests.trust.killed_servers import killed_servers
from tests.trust.lives import EVENTFUL, PLAIN, Note, Place, played
from tests.trust.postgres import new_database
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch
from tests.trust.steps import VITAL
from tests.trust.talks import after_talk, talked

SCENARIOS = ("hermit",) * 7 + ("kitchen_morning",)  # the first is played in no time
UNDISTURBED = 8  # turns
SERVERS = 6  # one try in so many is a whole server; as many more are a chat and a journal that is being made
ON_A_SERVER = 8  # one garden in so many is kept in PostgreSQL
CHATS_ON_A_SERVER = 4
HASTE = 60.0  # seconds in which whoever watches has heard of something
LATEST = 0.3  # seconds after which a play is killed at the latest
STATEMENTS = 70  # of a journal that is being made, of which there are some less
MANY = 400  # statements of a play or a chat, of which there are always more
LATER = 60  # steps after which one of a name is fatal, at most


async def plain(place: Place, rounds: int, note: Note) -> None:
    await played(place, PLAIN, rounds, note, {"row": 0})


async def eventful(place: Place, rounds: int, note: Note) -> None:
    await played(place, EVENTFUL, rounds, note, {"row": 0})


def check(count: int, seed: int) -> Tries:
    """Kill chats, journals that are being made, whole servers, and plays."""
    chance, servers = random.Random(seed), count // SERVERS
    with scratch() as home:
        shelf = Shelf(home, seed)
        yield from _talks(servers, chance, shelf)
        yield from _births(servers, chance, home)
        yield from killed_servers(servers, chance, home)
        yield from _plays(count - servers, chance, shelf)


def _plays(count: int, chance: random.Random, shelf: "Shelf") -> Tries:
    """Kill plays at every step there is, and then, in turn, at any moment or statement and at the steps once more."""
    calm, all_steps, _ = _rehearsed()
    once, again = sorted({*all_steps}), sorted({*all_steps[len(all_steps) // 2 :]})
    chance.shuffle(once)
    hit = set[str]()
    for number in range(count):
        fatal = _fatal(number, once, again, chance)
        anywhere = fatal.step in (None, STATEMENT)
        play = plain if fatal.step in calm or (anywhere and chance.random() < 0.5) else eventful
        place = shelf.place(f"garden-{number}", chance.choice(SCENARIOS), number % ON_A_SERVER == ON_A_SERVER - 1)
        notes, dead = killed(place, play, fatal)
        hit |= {fatal.step} if fatal.step and dead else set()
        wrong = aftermath(place, heard(notes), shelf.undisturbed(place.scenario) if play is plain else None)
        yield Try(fatal.kind, [f"{place.garden}, {fatal}: {one}" for one in _to_the_end(wrong)])
    if count >= len(once):
        yield Try("every step was hit", sorted(VITAL.union(once) - hit))


@cache
def _rehearsed() -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The steps of plain plays, of eventful ones and of chats."""
    return found_steps(plain, SCENARIOS[0]), found_steps(eventful, SCENARIOS[0]), found_steps(talked, "")


def _fatal(number: int, once: Sequence[str], again: Collection[str], chance: random.Random) -> Fatal:
    if number >= len(once) and number % 2:
        return _at_a_statement(chance) if chance.random() < 0.5 else Fatal(seconds=chance.uniform(0, LATEST))
    return _at_a_step(once[number if number < len(once) else number // 2 % len(once)], again, chance)


def _at_a_step(step: str, again: Collection[str], chance: random.Random) -> Fatal:
    """At a step, perhaps after many others if there are more of its name."""
    return Fatal(step, after=chance.randrange(LATER) if step in again else 0)


def _at_a_statement(chance: random.Random) -> Fatal:
    return Fatal(STATEMENT, after=chance.randrange(MANY))


def _talks(count: int, chance: random.Random, shelf: "Shelf") -> Tries:
    """Kill chats: in turn at any of the steps that an exchange has, and at any statement."""
    if not count:
        return
    _, _, all_steps = _rehearsed()
    once, again = sorted({*all_steps}), {*all_steps[len(all_steps) // 2 :]}
    chance.shuffle(once)
    for number in range(count):
        step = once[number // 2 % len(once)]
        fatal = _at_a_statement(chance) if number % 2 else _at_a_step(step, again, chance)
        place = shelf.place(f"chat-{number}", "", number % CHATS_ON_A_SERVER == 1)
        notes, _ = killed(place, talked, fatal)
        yield Try("a chat", [f"{place.garden}, {fatal}: {one}" for one in _to_the_end(after_talk(place, notes))])


def _to_the_end(wrong: Iterator[str]) -> Iterator[str]:
    """Everything that is wrong; that something cannot be taken up again is wrong too."""
    try:
        yield from wrong
    except HakoniwaError as error:
        yield f"it cannot be taken up again: {error}"


def _births(count: int, chance: random.Random, home: Path) -> Tries:
    """Kill journals while they are being made."""
    for number in range(count):
        wrong = killed_at_birth(f"sqlite:///{home}/born-{number}.db", chance.randrange(STATEMENTS))
        yield Try("a journal that is being made", wrong)


class Shelf:
    """Where the gardens of a check are kept: each in a file of its own, some in PostgreSQL."""

    def __init__(self, home: Path, seed: int) -> None:
        self._home, self._seed = home, seed
        self._undisturbed: dict[str, list[str]] = {}
        self._server = cache(new_database)
        open_journal(f"sqlite:///{home}/empty.db").close()

    def place(self, garden: str, scenario: str, on_a_server: bool = False) -> Place:
        if on_a_server:
            return Place(self._server(), garden, scenario, self._seed, self._home)
        file = shutil.copy(self._home / "empty.db", self._home / f"{garden}.db")
        return Place(f"sqlite:///{file}", garden, scenario, self._seed, self._home)

    def undisturbed(self, scenario: str) -> list[str]:
        """A garden that nobody killed, row by row."""
        if scenario not in self._undisturbed:
            place = self.place(f"undisturbed-{scenario}", scenario)
            asyncio.run(plain(place, UNDISTURBED, lambda *_: None))
            with closing(open_journal(place.url)) as journal:
                self._undisturbed[scenario] = [canonical(row) for row in journal.lineage(place.garden, MAIN)]
        return self._undisturbed[scenario]


# --- mutants ----------------------------------------------------------------------------------------------------------


def hasty(patch: Patch) -> None:
    """Those who watch are told of what is going to be written, and it is written once it is on its way to them."""
    stages: dict[tuple[str, str], LiveGarden] = {}
    begun, commit, honest = LiveGarden.__init__, Session.commit, streams.EventNames.frame
    look, sent, ahead = Timeline.follow, set[int](), set[int]()

    def follow(self: Timeline) -> bool:
        return id(self) in ahead or look(self)

    def noted(self: LiveGarden, reel: Any, *more: Any) -> None:
        begun(self, reel, *more)
        stages[reel.garden.id, reel.branch] = self

    async def announced(self: Session, events: Any) -> list[Row]:
        stage = stages[self.garden.id, self.branch]
        places = len(stage.reel.rows)
        number, tip = _next_number(self.journal), BranchTip(seq=self.head)
        rows = chain(self.garden.id, self.branch, events, number, tip, utc_now())
        stage.reel._extend(rows)
        ahead.add(id(stage.reel))
        sent.clear()  # of what was sent in other gardens
        stage.wake()
        with suppress(TimeoutError):
            async with asyncio.timeout(HASTE):
                while stage.watchers and not sent.issuperset(row.seq for row in rows):
                    await asyncio.sleep(0.01)
        ahead.discard(id(stage.reel))
        stage.reel._rewind(places)
        return await commit(self, events)

    def frame(self: streams.EventNames, news: Any, *more: Any) -> bytes:
        made = honest(self, news, *more)
        if isinstance(news, garden_events.RowNews):
            sent.add(news.seq)
        return made

    patch.setattr(streams.EventNames, "frame", frame)
    patch.setattr(Timeline, "follow", follow)
    patch.setattr(LiveGarden, "__init__", noted)
    patch.setattr(Session, "commit", announced)


def _next_number(journal: Journal) -> int:
    with journal.database.reading() as connection:
        return queries.counter_value(connection, COUNTER) + 1


def _settled_first(patch: Patch) -> None:
    """What memory has to work on is done with, and then what came of it is written."""
    honest = Memories.write_all

    def write_all(self: Memories, entries: Sequence[MemoryEntry]) -> Any:
        for one in entries:
            if one.work is not None:
                self.settle(one.work, "done")
        return honest(self, [one.with_field("work", None) for one in entries])

    patch.setattr(Memories, "write_all", write_all)


def statement_by_statement(patch: Patch) -> None:
    """In PostgreSQL every statement is a transaction of its own."""
    honest = database._postgres

    def at_once(url: URL, patience: float) -> Engine:
        made = honest(url, patience)
        event.listen(made, "connect", lambda raw, _: setattr(raw, "autocommit", True))
        return made

    patch.setattr(database, "_postgres", at_once)


def _with_the_turn(patch: Patch) -> None:
    """Replies are written down once their turn is."""
    record, append = SqlJournal.record_call, SqlJournal.append
    waiting: list[Any] = []

    def later(_: SqlJournal, *call: Any) -> None:
        waiting.append(call)

    def all_together(self: SqlJournal, *row: Any) -> list[Row]:
        found = append(self, *row)
        while waiting:
            record(self, *waiting.pop(0))
        return found

    patch.setattr(SqlJournal, "record_call", later)
    patch.setattr(SqlJournal, "append", all_together)


def _one_by_one(patch: Patch) -> None:
    """Every event in a transaction of its own."""
    append = SqlJournal.append

    def singly(self: SqlJournal, garden: str, branch: str, events: Any, after: int | None) -> list[Row]:
        rows: list[Row] = []
        for one in events:
            rows += append(self, garden, branch, [one], rows[-1].seq if rows else after)
        return rows

    patch.setattr(SqlJournal, "append", singly)


def _from_now_on(patch: Patch) -> None:
    """Whoever comes back sees what happens from now on."""
    honest = garden_events.GardenWatcher.go_on

    def go_on(self: garden_events.GardenWatcher, after: str | None) -> list[garden_events.GardenEvent]:
        return honest(self, after) if after == "0" else [Hello(seq=self.seen)]

    patch.setattr(garden_events.GardenWatcher, "go_on", go_on)


def _twice(patch: Patch) -> None:
    """What a stream begins with is sent once more, to be on the safe side."""
    honest = streams.EventStream.__call__

    async def with_the_first_twice(frames: Any) -> AsyncGenerator[Any]:
        first = True
        async for one in frames:
            yield one
            if first and bytes(one).startswith(b"event: row"):
                yield one
                first = False

    async def call(self: streams.EventStream, *connection: Any) -> None:
        self.body_iterator = with_the_first_twice(self.body_iterator)
        await honest(self, *connection)

    patch.setattr(streams.EventStream, "__call__", call)


def _foreseen(patch: Patch) -> None:
    """That an answer is kept is said as soon as it begins."""
    honest = answering.AnswerTask._spoken

    async def spoken(self: answering.AnswerTask, text: str, chat: Chat) -> None:
        self._tell(answering.AnswerDone(seq=_next_number(chat.journal), turn=chat.turn + 1))
        await asyncio.sleep(0.05)
        await honest(self, text, chat)

    patch.setattr(answering.AnswerTask, "_spoken", spoken)


PROMISE = Promise(
    name="kills",
    says="An event that a console has seen is on the disk and stays: kill -9 at random, and at every step by name.",
    check=check,
    short=8,
    long=1_200,
    share=120,
    mutants=(
        Mutant("events are announced before they are committed", hasty, 2, seed=20),
        Mutant("replies are recorded with the turn", _with_the_turn, 2, seed=15),
        Mutant("every event is a transaction of its own", _one_by_one, 2, seed=33),
        Mutant("consoles that come back begin with the newest", _from_now_on, 2, seed=6),
        Mutant("answers are said to be kept before they are", _foreseen, 6, seed=7),
        Mutant("a server sends what a stream begins with twice", _twice, 6),
        Mutant("memory settles its work before it is written", _settled_first, 3, seed=9),
        Mutant("PostgreSQL commits every statement by itself", statement_by_statement, 12, seed=32),
    ),
    prepare=_rehearsed,
)
