"""Everything has an end: at its cap it is taken, one above it is refused or cut by name, and ten times as much is too,
quickly and in little memory; and sessions that want more than there is leave the server as it was for others."""

import random
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator

from hakoniwa.actor import lore
from hakoniwa.actor.cards import book, containers
from hakoniwa.actor.cards import read as cards
from hakoniwa.autonomy import policy
from hakoniwa.gm import history, step
from hakoniwa.llm import bounded
from hakoniwa.play import between
from hakoniwa.service import gm_sessions, requests, streams
from hakoniwa.stage import patch as patches
from tests.pace import busy, slowness
from tests.service.door import Door
from tests.trust import caps_files, caps_lore, caps_play
from tests.trust.cap import Cap
from tests.trust.caps_http import Doorstep
from tests.trust.greed import WISHES, Server
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch


def check(count: int, seed: int) -> Tries:
    """Let so many hostile sessions in; then try every cap, in an order of the dice."""
    chance = random.Random(seed)
    if count:
        yield from _hostile(count, random.Random(seed))
    with Door() as door:
        caps = list({**caps_files.CAPS, **caps_lore.CAPS, **caps_play.CAPS, **Doorstep(door).caps()}.items())
        for name, cap in chance.sample(caps, len(caps)):
            yield Try("at the cap", [f"{name}: {one}" for one in _at_its_cap(cap)])
            yield Try("one above", [f"{name}: {one}" for one in _above(cap)])
            yield Try("ten times", [f"{name}: {one}" for one in _far_beyond(cap)])


def _at_its_cap(cap: Cap) -> Iterator[str]:
    try:
        if refused := cap.prepared(cap.size)():
            yield f"{cap.size} is refused: {refused}"
    except Exception as error:
        yield f"{cap.size} ends in {error!r:.300}"


def _above(cap: Cap) -> Iterator[str]:
    try:
        if not cap.prepared(cap.size + 1)():
            yield f"{cap.size + 1} is taken"
    except Exception as error:
        yield f"{cap.size + 1} ends in {error!r:.300}"


def _far_beyond(cap: Cap) -> Iterator[str]:
    """Ten times as much: the same, in time, and in little memory."""
    size = 10 * (cap.size or 1)
    try:
        name, seconds, peak = _traced(cap.prepared(size))
        if name and seconds > cap.seconds:  # being traced takes its time too
            seconds = busy(cap.prepared(size), cap.seconds, tries=3)
    except Exception as error:
        yield f"{size} ends in {error!r:.300}"
        return
    if not name:
        yield f"{size} is taken"
        return
    if seconds > cap.seconds and seconds > cap.seconds * slowness():
        yield f"{size} takes {seconds:.2f} s"
    if peak > cap.memory:
        yield f"{size} takes {peak >> 20} MiB"


def _traced(tried: Callable[[], str]) -> tuple[str, float, int]:
    """The name under which something is refused, and what finding that out takes of the processor and of memory."""
    tracemalloc.start()
    began = time.process_time()
    try:
        name = tried()
        return name, time.process_time() - began, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _hostile(count: int, chance: random.Random) -> Tries:
    """Sessions that each want too much; after each, others are as well off as before."""
    with scratch() as folder, Server(folder) as server:
        for number in range(count):
            wish = WISHES[number % len(WISHES)]
            found = [*wish(server, f"s{number}", chance), *server.harmed()]
            yield Try(wish.__name__, [f"{wish.__name__}: {one}" for one in found])
        yield Try("what is left of them", list(server.overgrown()))


# --- mutants ----------------------------------------------------------------------------------------------------------

ENDLESS = 1 << 40


def _without(module: object, name: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(module, name, ENDLESS)


def _remembered_whole(patch: Patch) -> None:
    """Whatever was said and asked stays, however long it was."""
    patch.setattr(step, "MAX_SPEECH", ENDLESS)
    patch.setattr(history, "MAX_MARK", ENDLESS)


def _endless_line(patch: Patch) -> None:
    patch.setattr(gm_sessions.GMSessions, "_able_to_write", lambda _: None)


def _any_pattern(patch: Patch) -> None:
    """Patterns are read by an engine that reads them all, however long that takes."""
    patch.setattr(lore, "_compile_pattern", lambda key, _: re.compile(key.strip("/")))


def _any_packing(patch: Patch) -> None:
    patch.setattr(containers, "READABLE", frozenset(range(100)))


def _uncounted(patch: Patch) -> None:
    patch.setattr(policy, "fetched_today", lambda *_: 0)


PROMISE = Promise(
    name="bounds",
    says="Everything has an end: bodies, depth, names, deltas, tokens, denials, days, watchers, queues, the store.",
    check=check,
    short=14,
    long=1_000,
    share=250,
    mutants=(
        Mutant("a body is as long as one likes", _without(requests, "MAX_BODY"), 0, seed=106),
        Mutant("a world is as deep as one likes", _without(requests, "MAX_DEPTH"), 0, seed=50),
        Mutant("a delta is as long as one likes", _without(patches, "MAX_OPERATIONS"), 0, seed=77),
        Mutant("a card is as large as one likes", _without(cards, "MAX_CARD"), 0, seed=139),
        Mutant("a lorebook is as thick as one likes", _without(book, "MAX_ENTRIES"), 0, seed=20),
        Mutant("any pattern is a pattern", _any_pattern, 0, seed=166),
        Mutant("lore calls for lore without end", _without(lore, "MAX_RECURSION"), 0, seed=59),
        Mutant("a file in an archive is as large as one likes", _without(containers, "MAX_FILE"), 0, seed=89),
        Mutant("an archive is packed as one likes", _any_packing, 0, seed=55, shows="file that lies"),
        Mutant("a model server sends what it likes", _without(bounded, "LARGEST"), 0, seed=7),
        Mutant("denials go on for ever", _without(between, "DENIALS_END"), 0, seed=44),
        Mutant("anybody may watch", _without(streams, "MOST_STREAMS"), 0, seed=9),
        Mutant("what is to be written waits without limit", _endless_line, 0, seed=40),
        Mutant("research takes from the web what it likes", _uncounted, 0, seed=24),
        Mutant("all that was said is remembered", _remembered_whole, 14),
        Mutant("answers are kept for ever", _without(gm_sessions, "KEPT_BYTES"), 14),
    ),
)
