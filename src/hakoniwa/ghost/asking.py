"""Asking every source what it finds: in turn while all are quick, at once where one keeps the others waiting."""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Literal, NamedTuple

from hakoniwa.ghost.candidate import Found
from hakoniwa.ghost.ghost import Ghost
from hakoniwa.ghost.source import Asked, CandidateSource, sources
from hakoniwa.turn import Value

log = logging.getLogger("hakoniwa.ghost")

Finds = Mapping[str, Sequence[Found]]  # by source

# Two, so that those who ask in turn and have to wait for a slow embedder leave room for asking at once.
one_thread_each = ThreadPoolExecutor(max_workers=16, thread_name_prefix="recall-in-turn")
threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="recall")


class Missed(Value):
    """A source that did not answer, and how it failed."""

    source: str
    problem: Literal["timeout", "failed"]


class Answers(NamedTuple):
    """What the sources found, and those of them that did not answer."""

    found: Finds
    missed: tuple[Missed, ...] = ()


Ask = Callable[[Ghost, Asked, bool], Answers]


def all_brief() -> bool:
    """Whether there is no source that needs a thread to itself."""
    return all(sources[name].brief for name in sources)


def in_turn(ghost: Ghost, asked: Asked, expanding: bool) -> Answers:
    """Ask one source after the other: quicker than waking threads, but where one hangs or fails, so does everything."""
    if asked.vector is not None:
        asked.vector.result()  # it may take long, and nothing should be held open in the database meanwhile
    return Answers({name: one.find(ghost, asked) for name, one in _concerned(asked, expanding).items()})


def at_once(ghost: Ghost, asked: Asked, expanding: bool) -> Answers:
    """Ask each source on its own thread; one that fails or takes too long is missed, the others count."""
    chosen, began = _concerned(asked, expanding), monotonic()
    looking = {name: threads.submit(one.find, ghost, asked) for name, one in chosen.items()}
    answers = {name: _answer(name, one, began + chosen[name].timeout) for name, one in looking.items()}
    found = {name: answer for name, answer in answers.items() if not isinstance(answer, Missed)}
    return Answers(found, tuple(answer for answer in answers.values() if isinstance(answer, Missed)))


def _concerned(asked: Asked, expanding: bool) -> dict[str, CandidateSource]:
    every = {name: sources[name] for name in sources}
    return {name: one for name, one in every.items() if one.expands is expanding and one.concerned(asked)}


def _answer(name: str, looking: "Future[list[Found]]", until: float) -> Sequence[Found] | Missed:
    try:
        return looking.result(max(0.0, until - monotonic()))
    except TimeoutError:
        looking.cancel()
        log.warning("%s has not answered in time", name)
        return Missed(source=name, problem="timeout")
    except Exception:
        log.warning("%s failed", name, exc_info=True)
        return Missed(source=name, problem="failed")
