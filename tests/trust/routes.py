"""Every route answers whatever comes, never fails and never hangs, and what comes twice happens once.

The routes are those that OpenAPI lists. Requests go in below any HTTP client; some come over a real socket."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.service import experiments, gm_sessions, requests
from hakoniwa.service.requests import NotJson
from hakoniwa.service.routes import gm, staging
from tests.pace import slowness
from tests.service.rulings import sound
from tests.trust import house as houses
from tests.trust.asking import Maker
from tests.trust.described import described
from tests.trust.house import HOST, Answer, Asked, House, furnished
from tests.trust.made_up import made_up
from tests.trust.mangling import Draft, a_step, draft, mangled, sent
from tests.trust.postgres import new_database
from tests.trust.promise import ROOT, Mutant, Patch, Promise, Tries, Try
from tests.trust.repeats import REPEATS, twice_in
from tests.trust.scratch import scratch
from tests.trust.wire import over_a_socket

SHARE = 20_000
A_HOUSE = 2_500  # tries; more would fill it with gardens nobody looks at
REPEATED, AMONG_THEM = 200, 10  # every so many tries, at that place, something comes more than once
SECONDS, A_FEW_SECONDS = 60.0, 0.5  # of the processor, for what schemathesis makes up: ten minutes in the long form
MANY = 500  # tries of which there must be all sorts
BUSIEST = 5.0  # seconds of the processor for one request


def check(count: int, seed: int) -> Tries:
    """Fuzz all routes, house by house; every fifth share on PostgreSQL, which does not take all that SQLite takes."""
    chance = Random(seed)
    for start in range(0, count, A_HOUSE):
        on_a_server = count == SHARE and seed % 5 == 4
        yield from _in_a_house(min(A_HOUSE, count - start), chance, new_database() if on_a_server else "")
    yield from _made_up(chance, SECONDS if count == SHARE else A_FEW_SECONDS)
    yield from _over_a_socket()


def _in_a_house(count: int, chance: Random, url: str) -> Tries:
    with scratch() as home, patch.object(experiments, "MOST_RUNS", 0):  # else one would be played beside everything
        url = url or f"sqlite:///{home}/journal.db"
        journal = open_journal(url)
        with furnished(journal, home) as house:
            crowd = Crowd(house, chance, home)
            for number in range(count):
                yield crowd.comes(number)
                if number % REPEATED == AMONG_THEM:
                    repeat = REPEATS[number // REPEATED % len(REPEATS)]
                    yield Try(f"{repeat.__name__} again", list(repeat(house, journal, chance, number)))
            yield Try("still there", _gone(house))
            yield Try("all sorts", _too_alike(crowd.told) if count > MANY else [])
        yield Try("all adds up", list(_wrong_in(url)))


def _made_up(chance: Random, seconds: float) -> Tries:
    """What others make up from the same document, on a journal in memory: it is the door that is tried here."""
    with scratch() as home, patch.object(experiments, "MOST_RUNS", 0), furnished(MemoryJournal(), home) as house:
        for kind, (asked, answer, found) in made_up(house, chance, seconds):
            about = [*described(house).breaches(asked, answer), *_of_body(asked, answer), *_of_places(answer, home)]
            told = [*found, *about]
            yield Try(kind, [f"{one}: {str(asked)[:3000]}" for one in told])


def _over_a_socket() -> Tries:
    with scratch() as home, furnished(MemoryJournal(), home) as house:
        for name, found in house.do(over_a_socket(house.app, home / "door")):
            yield Try("over a socket", [f"{name}: {one}" for one in found])


def _gone(house: House) -> list[str]:
    answer = house.ask(Asked("GET", "/health", (("host", HOST),)))
    return [] if answer.status == 200 else [f"/health: {answer}"]


def _too_alike(told: Counter[int]) -> list[str]:
    """Whether hardly anything was taken, or hardly anything refused: then little was tried."""
    taken, refused = told[200], sum(told[status] for status in (400, 422))
    return [] if min(taken, refused) > told.total() / 10 else [f"of {told.total()}, {taken} taken, {refused} refused"]


def _wrong_in(url: str) -> Iterator[str]:
    """Whatever does not add up in what the house leaves behind."""
    journal = open_journal(url)
    for garden in journal.gardens():
        yield from (f"{garden.id}: {one}" for one in journal.check(garden.id))
    yield from twice_in(journal)
    journal.close()


# --- requests, and what may be answered ------------------------------------------------------------------------------


class Crowd:
    """Everybody who comes to a house with something."""

    def __init__(self, house: House, chance: Random, home: Path) -> None:
        self._house, self._chance, self._home = house, chance, home
        self._maker = Maker(house.document, chance)
        self._described = described(house)
        self.told: Counter[int] = Counter()

    def comes(self, number: int) -> Try:
        """One request, seven of eight to the referee."""
        asked = a_step(self._chance, number) if number % 8 else sent(self._chance, self._made())
        begun = time.process_time()
        answer = self._house.ask(asked)
        busy = time.process_time() - begun
        self.told[answer.status] += 1
        found = [*self._described.breaches(asked, answer), *_of_body(asked, answer), *_of_places(answer, self._home)]
        if busy > BUSIEST and busy > BUSIEST * slowness():
            found.append(f"{busy:.1f} s of the processor")
        return Try(_kind(asked.path), [f"{one}: {str(asked)[:3000]}" for one in found])

    def _made(self) -> Draft:
        operation = self._chance.choice(self._described.operations)
        return mangled(self._chance, draft(self._chance, self._maker, operation))


def _kind(path: str) -> str:
    """To which part of the door a request went."""
    parts = path.split("/")
    return parts[2] if parts[1:2] == ["v1"] and parts[2:3] in ([one] for one in PARTS) else "elsewhere"


PARTS = (
    "autonomy", "cards", "chats", "connection", "gardens", "gm", "lab", "memory", "models", "scenarios", "servers",
    "settings",
)  # fmt: skip


def _of_body(asked: Asked, answer: Answer) -> Iterator[str]:
    body = b"".join(asked.pieces)
    if asked.method != "POST" or not 200 <= answer.status < 300:
        return
    if not readable(body):
        yield f"{answer.status} for JSON that only some can read"
    elif asked.path == gm.PATH:
        try:
            sound(json.loads(answer.body), body)
        except Exception as error:
            yield f"a ruling that is not sound: {error!r}"


def _of_places(answer: Answer, home: Path) -> Iterator[str]:
    """Where on this machine something lies, a file or the code, is not told to whoever is refused something."""
    if answer.status >= 400:
        yield from (f"the refusal tells of {place}" for place in (home, ROOT) if str(place).encode() in answer.body)


def readable(body: bytes) -> bool:
    """Whether this is JSON that any program can read: text, and numbers that fit 64 bits."""
    try:
        data = json.loads(body.decode(), parse_constant=_fits, parse_int=_fits, parse_float=_fits)
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _fits(number: str) -> float:
    whole = number.lstrip("-").isdigit()
    if not (-(2**63) <= int(number) < 2**63 if whole else isfinite(float(number))):
        raise ValueError(number)
    return float(number)


# --- mutants ----------------------------------------------------------------------------------------------------------


def _falls_over(patch: Patch) -> None:
    """A route that somebody's words can make fall over."""

    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    patch.setattr(gm, "parse_json", broken)


def _hangs(patch: Patch) -> None:
    """Whoever sends a step waits for ever."""

    async def waiting(*_: Any) -> None:
        await asyncio.sleep(3600)

    patch.setattr(gm, "read_body", waiting)
    patch.setattr(houses, "DEADLINE", 2.0)


def _forgetful(patch: Patch) -> None:
    """What was answered before is judged anew."""
    honest = gm_sessions.GMSessions.step

    async def anew(self: Any, request: Any, raw: bytes) -> bytes:
        (await self._session(request.session_id)).answers.clear()
        return await honest(self, request, raw)

    patch.setattr(gm_sessions.GMSessions, "step", anew)


def _whoever_speaks(patch: Patch) -> None:
    """A turn is one speaker's, and whoever else has it comes too late."""

    class Turns(dict[Any, Any]):
        def get(self, key: Any, default: Any = None) -> Any:
            return next((one for (turn, _), one in self.items() if turn == key[0]), default)

    honest = gm_sessions.GMSession.__init__

    def begun(self: Any, *details: Any, **more: Any) -> None:
        honest(self, *details, **more)
        self.answers = Turns()

    patch.setattr(gm_sessions.GMSession, "__init__", begun)


def _doubled(patch: Patch) -> None:
    """An act is carried out twice, as by somebody who tries again what has succeeded."""
    honest = staging.user_turn

    async def eager(*details: Any) -> Any:
        await honest(*details)
        return await honest(*details)

    patch.setattr(staging, "user_turn", eager)


def _any_json(patch: Patch) -> None:
    """JSON is read as Python reads it."""

    def read(raw: bytes) -> Any:
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise NotJson(str(error)) from None

    for module in (gm, requests):
        patch.setattr(module, "parse_json", read)


def _undescribed(patch: Patch) -> None:
    """An error nobody gave a status is a bad request, in whatever form."""
    patch.setattr(requests, "refusal", lambda error, _: requests.Response(str(error), 400))


PROMISE = Promise(
    name="routes",
    says="Every route answers whatever comes, never fails and never hangs; what comes twice happens once.",
    check=check,
    short=1_500,
    long=200_000,
    share=SHARE,
    mutants=(
        Mutant("a route lets an exception through", _falls_over, 50),
        Mutant("a route hangs", _hangs, 50),
        Mutant("a step that comes again happens again", _forgetful, 60),
        Mutant("a step is answered whoever speaks", _whoever_speaks, 60, seed=2),
        Mutant("an act happens twice", _doubled, 420),
        Mutant("JSON is read as Python reads it", _any_json, 200),
        Mutant("refusals have any form", _undescribed, 50),
    ),
)
