"""Sessions that want more of a server than is good for the others: each tries to have too much of something."""

import gc
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hakoniwa.gm.facts import MAX_CARD, MAX_CARDS
from hakoniwa.journal.open import open_journal
from hakoniwa.service.gm_sessions import KEPT_BYTES, OPEN_SESSIONS, GMSessions
from hakoniwa.stage.patch import MAX_OPERATIONS
from tests.pace import slowness
from tests.service.door import Door, request
from tests.trust.caps_http import compact, crowded, deep, heavy, tower
from tests.trust.payloads import FAMILIES, payload
from tests.worlds import kitchen

PATIENCE = 0.5  # seconds of the processor that somebody else may be kept waiting
A_SESSION = KEPT_BYTES + (256 << 10)  # bytes that one of a dozen turns may be remembered by
ON_DISK = 16  # bytes kept for each that was sent, at the most
Session = str
Wish = Callable[["Server", Session, random.Random], Iterator[str]]


class Server:
    """A referee with its journal on disk, and somebody who wants nothing but an answer now and then."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal.db"
        self.door = Door(open_journal(f"sqlite:///{self.journal}"))
        self.received = 0
        self._turn = 0

    def __enter__(self) -> "Server":
        self.door.__enter__()
        self.sessions = next(one for one in gc.get_objects() if isinstance(one, GMSessions) and not one._closing)
        return self

    def __exit__(self, *how: Any) -> None:
        self.door.__exit__(*how)

    def send(self, body: bytes) -> tuple[int, Any]:
        """The status of an answer, and what it says."""
        self.received += len(body)
        response = self.door.send(body)
        return response.status_code, response.json()

    def step(self, session: Session, **changes: Any) -> tuple[int, Any]:
        return self.send(compact(request(session_id=session, **changes)))

    def harmed(self) -> Iterator[str]:
        """What is worse for everybody else than it may be."""
        self._turn += 1
        began = time.thread_time()
        status, _ = self.step("somebody else", turn_number=self._turn, raw_output="「おはよう」")
        took = time.thread_time() - began
        if status != 200 or (took > PATIENCE and took > PATIENCE * slowness()):
            yield f"somebody else is answered {status} after {took:.2f} s"
        if len(self.sessions._open) > OPEN_SESSIONS:
            yield f"{len(self.sessions._open)} sessions are open"

    def overgrown(self) -> Iterator[str]:
        """What has become larger than all that was sent can explain, once everything is written."""
        while any(one.unwritten for one in self.sessions._open.values()):
            self.door.pause(0.05)
        for name, one in self.sessions._open.items():
            if (size := _size(one)) > A_SESSION:
                yield f"session {name} is remembered by {size} bytes"
        kept = sum(path.stat().st_size for path in self.journal.parent.glob(f"{self.journal.name}*"))
        if kept > ON_DISK * self.received + (1 << 20):
            yield f"{kept} bytes on disk for {self.received} that were sent"


def _size(session: Any) -> int:
    """About how many bytes of texts are remembered of a session."""
    history = session.history
    pasts = {id(one): one for row in (*history._by_speaker.values(), history.recent) for one in row}
    words = sum(len(one.speech) + sum(map(len, one.marks)) for one in pasts.values())
    return 3 * words + sum(len(one.body or b"") for one in session.answers.values())


# --- wishes -----------------------------------------------------------------------------------------------------------


def _answered(found: tuple[int, Any], *statuses: int) -> Iterator[str]:
    status, told = found
    if status not in statuses:
        yield f"{status}: {str(told)[:200]}"
    if status == 200 and len(told["world_delta"]) > MAX_OPERATIONS + 2:
        yield f"{len(told['world_delta'])} operations"
    facts = told["fact_cards"] if status == 200 else []
    if len(facts) > MAX_CARDS or any(len(one) > MAX_CARD for one in facts):
        yield f"too many facts, or too long ones: {facts}"


def to_talk_for_ever(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """A stranger at every turn, each with as many words as there may be."""
    for turn in range(12):
        who = f"客{chance.randrange(10**9)}"
        words = "".join(chr(chance.randint(0x3041, 0x3096)) for _ in range(10_000))
        world = kitchen(characters={who: {"location": "キッチン"}})
        said = chance.choice((f"「{words}」", f"「{words}？」", words))
        yield from _answered(
            server.step(session, turn_number=turn, speaker=who, raw_output=said, world_state=world), 200
        )


def to_be_refused(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """The same turn again and again, and each time something that cannot be."""
    for number in range(20):
        yield from _answered(server.step(session, raw_output=f"(GET: 竜の鱗{number})"), 200)


def to_do_everything(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """More acts and questions in one reply than a delta has room for."""
    act = chance.choice(
        ("(GET: マグカップ)(PUT: マグカップ)", "「何？」", "（マグカップを取って、置く）", "(USE: コーヒーメーカー)")
    )
    for turn in range(4):
        reply = act * chance.choice((65, 300, 900))
        yield from _answered(server.step(session, turn_number=turn, raw_output=reply[:10_000]), 200)


def to_have_a_world(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """A world too large in one way or another."""
    times = chance.choice((1.01, 2, 5))
    worlds = [
        crowded(props=int(2_001 * times)), crowded(people=int(65 * times)), crowded(rooms=int(257 * times)),
        tower(int(33 * times)), deep(int(34 * times)), heavy(int(262_150 * min(times, 3))),
    ]  # fmt: skip
    for one in chance.sample(worlds, 2):
        yield from _answered(server.step(session, **one), 400, 413, 422)


def to_be_many(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """Sessions without end."""
    for number in range(30):
        yield from _answered(server.step(f"{session}-{number}"), 200)


def to_repeat(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """One request, many times: there is one answer."""
    body = compact(request(session_id=session, raw_output=payload(chance.choice(tuple(FAMILIES)), chance)))
    answers = [json.dumps(server.send(body)) for _ in range(15)]
    if len(set(answers)) != 1:
        yield f"{len(set(answers))} answers to one request"


def to_talk_nonsense(server: Server, session: Session, chance: random.Random) -> Iterator[str]:
    """What is no JSON, or more of it than anybody reads."""
    odd = (
        b"[" * 60_000,
        b'{"a":' * 20_000,
        b"9" * 900_000,
        b'"' + b"\\u0000" * 100_000 + b'"',
        chance.randbytes(50_000),
    )
    for one in chance.sample(odd, 3):
        yield from _answered(server.send(one), 400, 422)


WISHES: tuple[Wish, ...] = (
    to_talk_for_ever, to_be_refused, to_do_everything, to_have_a_world, to_be_many, to_repeat, to_talk_nonsense,
)  # fmt: skip
