"""What personas do by themselves under kill -9: every trigger comes to its end, every message is heard once, and what
must not be repeated is not."""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from hakoniwa.app.autonomy import autonomy_log_of
from hakoniwa.app.chats import new_chat
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.chat.autonomy_rows import DecisionRow, EndRow, MessageRow, ResultRow, Trigger
from hakoniwa.jobs.dbos import PULSE
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.open import open_journal
from tests.jobs.contract import until
from tests.jobs.nursery import POINTS, ROOT, Diary, Entry, Nursery, nursery
from tests.real.autonomy_nursery import ROWS, STEPS, WRITTEN
from tests.real.prompter import Prompter, prompter, wish
from tests.trust.scratch import scratch

KILLS = int(os.environ.get("KILLS", "0"))  # on both databases together; 0: as few as show it at every step
DATABASES = ("sqlite", "postgres")
CONSOLES = 5
CHATS = 4
PULSES = 0.05
PATIENCE = 180.0
RESUMED_WITHIN = 5.0
RESTARTS = 3


class Fatal(NamedTuple):
    """Where a worker is killed, and what the persona does there: leave a keepsake, or remind itself of something."""

    step: str
    point: str
    deed: str = "keepsake"


STEP_BY_STEP = [Fatal(step, point) for step in STEPS for point in POINTS] + [Fatal("act", "done", "remind")]
EVERYWHERE = [
    *STEP_BY_STEP,
    *(Fatal("act", point, "remind") for point in ("begun", "kept")),
    *(Fatal(WRITTEN, row) for row in ROWS),
    Fatal(WRITTEN, "trigger", "remind"),
]
AT_RANDOM = max(1, KILLS // len(DATABASES) - len(EVERYWHERE))


class Console(threading.Thread):
    """Somebody who watches a chat and is cut off again and again; all that is kept then is the last row seen."""

    def __init__(self, url: str, garden: str, seed: int) -> None:
        super().__init__(daemon=True)
        self._url, self._garden, self._chance = url, garden, random.Random(seed)
        self._over = threading.Event()
        self._seen = 0
        self._heard: list[int] = []

    def run(self) -> None:
        while not self._over.is_set():
            with closing(open_journal(self._url)) as journal:
                for _ in range(self._chance.randint(1, 20)):
                    self._read(journal)
                    self._over.wait(self._chance.uniform(0.1, 0.5))

    def _read(self, journal: Journal) -> bool:
        rows = journal.since(self._seen, self._chance.randint(1, 20), self._garden)
        for row in rows:
            self._seen = row.seq
            self._heard += [row.seq] if row.event.payload.get("source") == "autonomy_message" else []
        return bool(rows)

    def leave(self) -> list[int]:
        """Everything heard, once all that is there has been read."""
        self._over.set()
        self.join()
        with closing(open_journal(self._url)) as journal:
            while self._read(journal):
                pass
        return self._heard


class Account(NamedTuple):
    """What came of a trigger, how many messages and ends it had, and how often the world shows what was done."""

    status: str
    messages: int = 1
    deeds: int = 1
    ends: int = 1


class House:
    """A journal of chats whose personas live by themselves, seen from outside."""

    def __init__(self, url: str, diary: Diary, workers: Nursery, model: Prompter) -> None:
        self.url, self.diary, self.workers, self.model = url, diary, workers, model
        self.journal = open_journal(url)
        self.chats: list[AutonomyLog] = []
        self.asked: dict[str, tuple[AutonomyLog, str]] = {}
        self.let_live()

    def let_live(self) -> None:
        """Let somebody more live by themselves, in a chat of their own."""
        name = f"chat-{len(self.chats)}"
        doings = autonomy_log_of(self.journal, new_chat(self.journal, "yana", name), MAIN)
        doings.control("start", datetime.now(UTC))
        self.chats.append(doings)

    def bear(self, *fatal: str) -> int:
        return self.workers.bear(self.url, self.diary, fatal, PULSES, self.model.url)

    def ask(self, deed: str, chat: int = 0) -> str:
        """Have a persona do something; the key of the trigger."""
        doings, name = self.chats[chat], f"n{len(self.asked)}"
        key = doings.prompt(datetime.now(UTC), wish(deed, name))
        self.asked[key] = doings, name
        return key

    def over(self) -> bool:
        """Whether all that was asked for has come to its end."""
        return {one.trigger for chat in self.chats for _, one in chat.follow().of(EndRow)} >= self.asked.keys()

    def begun(self, key: str, step: str) -> list[Entry]:
        """Every time somebody has begun a step of a trigger's flow."""
        return [one for one in self.diary.entries() if one.words[0].endswith(key) and one.words[1:] == [step]]

    def account(self, key: str) -> Account:
        doings, name = self.asked[key]
        decisions = {seq for seq, one in doings.of(DecisionRow) if one.trigger.key == key}
        (status,) = [one.result.result_status for _, one in doings.of(ResultRow) if one.decision_id in decisions]
        return Account(
            status,
            messages=sum(one.decision_id in decisions for _, one in doings.of(MessageRow)),
            deeds=sum(one.note == name for _, one in doings.of(Trigger)) + self.diary.count("keepsake", name),
            ends=sum(one.trigger == key for _, one in doings.of(EndRow)),
        )

    def messages(self, chat: AutonomyLog) -> list[int]:
        rows = self.journal.lineage(chat.garden, MAIN)
        return [row.seq for row in rows if row.event.payload.get("source") == "autonomy_message"]


@pytest.fixture(scope="module")
def workers() -> Iterator[Nursery]:
    with nursery("tests.real.autonomy_nursery") as found:
        yield found


@pytest.fixture(scope="module")
def model() -> Iterator[Prompter]:
    with prompter() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """A journal on a server, or in memory if there is room: a kill is no other one for want of a slow disk."""
    if request.param == "postgres":
        yield request.getfixturevalue("url")
    else:
        with scratch() as folder:
            yield f"sqlite:///{folder}/garden.db"


@contextmanager
def inhabited(url: str, folder: Path, workers: Nursery, model: Prompter) -> Iterator[House]:
    house = House(url, Diary(folder / "diary"), workers, model)
    yield house
    workers.kill_all()
    house.journal.close()


@pytest.fixture
def house(place: str, tmp_path: Path, workers: Nursery, model: Prompter) -> Iterator[House]:
    with inhabited(place, tmp_path, workers, model) as found:
        yield found


@pytest.fixture
def shared_house(url: str, tmp_path: Path, workers: Nursery, model: Prompter) -> Iterator[House]:
    """One whose workers may be on several machines."""
    with inhabited(url, tmp_path, workers, model) as found:
        yield found


@contextmanager
def watched(house: House, chat: AutonomyLog) -> Iterator[None]:
    """Every console hears every message once and in order, however often it is cut off."""
    consoles = [Console(house.url, chat.garden, seed) for seed in range(CONSOLES)]
    for console in consoles:
        console.start()
    try:
        yield
    finally:
        heard = [console.leave() for console in consoles]
    assert heard == [house.messages(chat)] * CONSOLES


def points(place: str) -> list[Fatal]:
    """Everywhere, on both databases, if there is time; else every step, half of the points on each database."""
    return EVERYWHERE if KILLS else STEP_BY_STEP[place.startswith("sqlite") :: 2]


def expected(fatal: Fatal) -> Account:
    """A deed that cannot be repeated is not: killed in the middle, nobody knows whether it was done."""
    if fatal.step == "act" and fatal.deed == "keepsake" and fatal.point != "kept":
        return Account("unknown", deeds=int(fatal.point == "done"))
    return Account("success")


@pytest.mark.timeout(300 + 10 * KILLS)
def test_a_kill_at_any_point_loses_no_message_and_repeats_no_deed(place: str, house: House) -> None:
    asked: dict[str, Fatal] = {}
    with watched(house, house.chats[0]):
        for fatal in points(place):
            key = house.ask(fatal.deed)
            asked[key] = fatal
            one = house.bear(key, fatal.step, fatal.point)
            until(lambda one=one: not house.workers.alive(one), PATIENCE)
        house.bear()
        until(house.over, PATIENCE)
    assert {fatal: house.account(key) for key, fatal in asked.items()} == {one: expected(one) for one in asked.values()}
    assert not house.chats[0].claims


@pytest.mark.long
@pytest.mark.timeout(300 + 10 * KILLS)
def test_kills_at_random_lose_no_message_and_repeat_no_deed(house: House) -> None:
    chance = random.Random(20240229)
    while len(house.chats) < CHATS:
        house.let_live()
    with watched(house, house.chats[0]):
        for number in range(AT_RANDOM):
            for chat in range(CHATS):
                house.ask(("keepsake", "remind")[(number + chat) % 2], chat)
            born, ready = house.bear(), house.diary.count("ready")
            until(lambda ready=ready: house.diary.count("ready") > ready, PATIENCE)
            time.sleep(chance.uniform(0.2, 1.2))
            house.workers.kill(born)
        house.bear()
        until(house.over, PATIENCE + AT_RANDOM)
    accounts = [house.account(key) for key in house.asked]
    unknown = [one for one in accounts if one.status == "unknown"]
    assert {one for one in accounts if one not in unknown} <= {Account("success")}
    assert set(unknown) <= {Account("unknown", deeds=0), Account("unknown", deeds=1)}
    assert len(unknown) <= AT_RANDOM * CHATS


@pytest.mark.parametrize(
    ("deed", "step", "came_to"),
    [
        ("slowly", "act", Account("unknown")),
        ("keepsake", "speak", Account("success")),
    ],
)
def test_of_two_workers_the_other_finishes_what_one_was_killed_in_the_middle_of(
    deed: str, step: str, came_to: Account, shared_house: House
) -> None:
    house = shared_house
    both = {house.bear() for _ in range(2)}
    house.model.free.clear()
    key = house.ask(deed)
    (first,) = until(lambda: house.begun(key, step), PATIENCE)
    time.sleep(0.3)
    house.workers.kill(first.writer)
    until(lambda: house.begun(key, "speak")[-1:] and house.begun(key, "speak")[-1].writer != first.writer, PATIENCE)
    house.model.free.set()
    until(house.over, PATIENCE)
    assert house.account(key) == came_to
    assert {one.writer for one in house.begun(key, "end")} == both - {first.writer}


def restarted(house: House, key: str) -> float:
    """The seconds from a restart until somebody is again at the words they were killed over; killed over them again."""
    before = len(house.begun(key, "speak"))
    how = (house.url, str(house.diary.path), [], PULSE, house.model.url)
    program = f"from tests.real.autonomy_nursery import worker; worker(*{how!r})"
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) as process:
        again = until(lambda: house.begun(key, "speak")[before:], PATIENCE)[0]
        process.kill()
    ready = house.diary.found("ready")[-1]
    assert {ready.writer, again.writer} == {process.pid}
    # Until it is ready it only computes. What others on this machine take from it is not its own time.
    return float(ready.busy + (again.at - ready.at) - (again.queued - ready.queued))


@pytest.mark.pace
def test_a_restart_goes_on_within_seconds(shared_house: House, capsys: pytest.CaptureFixture[str]) -> None:
    """On PostgreSQL, where the dead are given a moment to show that they live."""
    house = shared_house
    house.model.free.clear()
    key = house.ask("keepsake")
    one = house.bear()
    until(lambda: house.begun(key, "speak"), PATIENCE)
    house.workers.kill(one)
    took = float("inf")
    for _ in range(RESTARTS):
        took = min(took, restarted(house, key))
        if took < RESUMED_WITHIN:
            break
    with capsys.disabled():
        print(f"\n  a restarted worker goes on after {took:.1f} s", end=" ")
    assert took < RESUMED_WITHIN
    house.model.free.set()
    house.bear()
    until(house.over, PATIENCE)
    assert house.account(key) == Account("success")
