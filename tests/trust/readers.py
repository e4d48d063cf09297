"""Readers are total and linear: whatever strangers write, each reads it or refuses it by name, in time that grows no
faster than the text, and the same way every time."""

import _socket
import random
import re
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from hakoniwa.actor import request
from hakoniwa.actor.cards import read as cards
from hakoniwa.director import next_speaker, sanitize
from hakoniwa.errors import HakoniwaError, WorldError
from hakoniwa.gc_pause import pause_collector
from hakoniwa.messages import LANGUAGES, tell
from hakoniwa.stage import import_xml
from hakoniwa.stage import patch as patches
from tests.pace import slowness
from tests.trust import read_cards
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.read_cards import CARD_READER, LOREBOOK
from tests.trust.read_deltas import PATCH
from tests.trust.read_files import YAML_READER, importer
from tests.trust.read_lines import REFEREE, REQUESTS, RESOLVER, SANITIZER
from tests.trust.reader import Reader, named
from tests.trust.scratch import scratch

LONGEST = 0.5  # seconds of the processor for anything that is tried by itself
GROWING, TWICE = 100, 4  # one of so many tries of a reader is of how its time grows; one of so many is done again
SIZES = (1, 2, 4)
STEEPEST, SLACK, PATIENCE = 7.0, 0.004, 6  # four times the text: four times the time, quadratic would be sixteen


def check(count: int, seed: int) -> Tries:
    """Give every reader in turn something else to read; each has dice of its own."""
    with scratch() as folder:
        known = [(name, one, random.Random(f"{name} {seed}")) for name, one in _readers(folder).items()]
        for number in range(count):
            (name, reader, chance), turn = known[number % len(known)], number // len(known)
            if turn % GROWING == 0:
                yield Try(f"{name}, growing", [f"{name}: {one}" for one in _growth(reader, chance)])
            else:
                again = turn % TWICE == 0
                yield Try(name, [f"{name}: {one}" for one in _tried(reader, reader.made(chance), again)])


def _readers(folder: Path) -> dict[str, Reader]:
    return {
        "reply": REFEREE, "request": REQUESTS, "resolver": RESOLVER, "sanitizer": SANITIZER, "patch": PATCH,
        "card": CARD_READER, "lorebook": LOREBOOK, "yaml": YAML_READER, "xml": importer(folder),
    }  # fmt: skip


# --- one by one -------------------------------------------------------------------------------------------------------


def _tried(reader: Reader, given: Any, again: bool) -> Iterator[str]:
    with wires() as used:
        try:
            began = time.thread_time()
            found = named(lambda: reader.read(given))
            took = time.thread_time() - began
        except Exception as error:
            yield f"{error!r:.300} from {given!r:.300}"
            return
    yield from (f"{wire}: {given!r:.300}" for wire in used)
    if took > LONGEST and min(_seconds(reader, given) for _ in range(3)) > LONGEST * slowness():
        yield f"{took:.2f} s for {given!r:.300}"
    if isinstance(found, HakoniwaError):
        yield from _untold(found)
    else:
        yield from (f"{one}: {given!r:.300}" for one in reader.wrong(given, found))
    if again and not _same(named(lambda: reader.read(given)), found):
        yield f"something else the second time: {given!r:.300}"


def _same(one: object, other: object) -> bool:
    return repr(one) == repr(other)  # errors too, and a NaN


def _untold(error: HakoniwaError) -> Iterator[str]:
    """Whether a refusal cannot be told in every language."""
    for language in LANGUAGES:
        try:
            said = tell(error, language)
        except (LookupError, ValueError) as problem:
            yield f"{error.key} cannot be told ({language}): {problem!r}"
        else:
            if not said.strip():
                yield f"{error.key} says nothing ({language})"


class Wires:
    """Notes whenever somebody reaches for the network, while it listens."""

    def __init__(self) -> None:
        self.used: list[str] | None = None
        sys.addaudithook(self._heard)

    def _heard(self, event: str, about: tuple[Any, ...]) -> None:
        if self.used is not None and event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
            self.used.append(f"{event} {about[-1]!r}")

    def __enter__(self) -> list[str]:
        self.used = used = []
        return used

    def __exit__(self, *_: object) -> None:
        self.used = None


@cache
def wires() -> Wires:
    return Wires()


# --- growing ----------------------------------------------------------------------------------------------------------


def _growth(reader: Reader, chance: random.Random) -> Iterator[str]:
    """Whether four times the text takes much more than four times the time."""
    pieces, repeated = chance.sample(reader.units, 2), chance.choice((_alone, _in_turn, _one_by_one))
    frame = chance.choice(reader.frames)
    texts = [reader.long(repeated(*pieces, reader.size * times // SIZES[-1]), frame) for times in SIZES]
    times = [float("inf")] * len(texts)
    for _ in range(PATIENCE):  # others use the machine too, so each size has some tries to show its best
        try:
            times = [min(best, _seconds(reader, text)) for best, text in zip(times, texts, strict=True)]
        except Exception as error:
            yield f"{error!r:.300} from {pieces} {repeated.__name__} in {frame!r}"
            return
        if times[-1] <= STEEPEST * times[0] + SLACK:
            return
        if times[-1] > LONGEST * slowness():
            break
    took = ", ".join(f"{seconds * 1000:.1f} ms" for seconds in times)
    yield f"{pieces} {repeated.__name__} in {frame!r}: {took}"


def _alone(piece: str, _: str, size: int) -> str:
    return piece * (size // len(piece))


def _in_turn(one: str, other: str, size: int) -> str:
    return (one + other) * (size // len(one + other))


def _one_by_one(one: str, other: str, size: int) -> str:
    return _alone(one, "", size // 2) + _alone(other, "", size // 2)


def _seconds(reader: Reader, given: Any) -> float:
    with pause_collector():
        began = time.thread_time()
        named(lambda: reader.read(given))
        return time.thread_time() - began


# --- mutants ----------------------------------------------------------------------------------------------------------


def _every_prop_has_a_gesture(patch: Patch) -> None:
    patch.setattr(sanitize, "gesture_for", lambda _, blocked, words: words.by_prop[blocked[0]])


def _every_element_is_there(patch: Patch) -> None:
    patch.setattr(import_xml, "_of", lambda element, path: element.find(path).text.strip())


def _looks_ahead_at_every_comma(patch: Patch) -> None:
    patch.setattr(import_xml, "_list", re.compile(r"[,、]\s*(?![^(（]*[)）])").split)


def _looks_ahead_at_every_tag(patch: Patch) -> None:
    patch.setattr(next_speaker, "_TAG", re.compile(r"\[\s*next\s*:(.*?)\]", re.IGNORECASE | re.DOTALL))


def _nested_at_will(patch: Patch) -> None:
    patch.setattr(cards, "_check_bounds", lambda *_: None)


def _fetched(patch: Patch) -> None:
    """The first step to fetch what a card speaks of, from this very machine."""
    honest = read_cards.card_in

    def fetching(raw: bytes, file: str = "-") -> cards.Card:
        _socket.getaddrinfo("127.0.0.1", 9)
        return honest(raw, file)

    patch.setattr(read_cards, "card_in", fetching)


def _as_far_as_it_goes(patch: Patch) -> None:
    """Of a delta that cannot be carried out, as much is done as can be."""
    honest = patches._carry_out

    def half(world: Any, delta: Any, paths: Any) -> Any:
        try:
            return honest(world, delta, paths)
        except WorldError:
            return half(world, delta[:-1], paths[:-1])

    patch.setattr(patches, "_carry_out", half)


def _expanded(patch: Patch) -> None:
    honest = etree.XMLParser
    patch.setattr(import_xml.etree, "XMLParser", lambda **options: honest(**{**options, "resolve_entities": True}))


def _looks_everywhere(patch: Patch) -> None:
    patch.setattr(request, "LONGEST_CLAUSE", 10**6)


def _by_chance(patch: Patch) -> None:
    """Who follows is decided by lot, and nobody knows with which dice."""
    patch.setattr(
        next_speaker, "_choose_by_policy", lambda found, *_: {**found, "next_id": random.choice(("NOX", "CLARIS"))}
    )


PROMISE = Promise(
    name="readers",
    says="Readers are total and linear: reply, request, resolver, sanitizer, patch, card, lorebook, YAML and XML.",
    check=check,
    short=3_000,
    long=1_000_000,
    share=50_000,
    mutants=(
        Mutant("a gesture is looked up that is not there", _every_prop_has_a_gesture, 400),
        Mutant("an element is read that is not there", _every_element_is_there, 400),
        Mutant("commas in XML are looked at again and again", _looks_ahead_at_every_comma, 9, seed=11),
        Mutant("tags are looked at again and again", _looks_ahead_at_every_tag, 9, seed=31),
        Mutant("a request is looked for in all that is said", _looks_everywhere, 9, seed=5),
        Mutant("cards nest at will", _nested_at_will, 400, seed=6),
        Mutant("what a card speaks of is fetched", _fetched, 400),
        Mutant("deltas are carried out by half", _as_far_as_it_goes, 400),
        Mutant("entities of XML are expanded", _expanded, 400),
        Mutant("who speaks next is left to chance", _by_chance, 400),
    ),
)
