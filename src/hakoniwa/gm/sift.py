"""Sifting: patterns over what happened recognise story moments. One pass, with a bounded memory for each pattern."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hakoniwa.gm.pattern import ANYTHING, Inequality, MomentFilter, StoryMoment, StoryPattern, variable
from hakoniwa.turn import Value

REMEMBERED = 256
Binding = tuple[str | None, ...]
ThreadSlot = tuple[int, Binding]


class Match(Value):
    """A pattern found: the turns of its events, what its variables stand for, and how often what repeats did so."""

    pattern: StoryPattern
    turns: tuple[int, ...]
    names: dict[str, str]
    times: int = 1

    @property
    def span(self) -> int:
        return self.turns[-1] - self.turns[0]


def sift(patterns: Iterable[StoryPattern], moments: Sequence[StoryMoment], until: int | None = None) -> list[Match]:
    """Every match in the order in which they came to their end; `until` is the turn the story has reached."""
    sieves = [PatternMatcher(pattern) for pattern in patterns]
    concerned: dict[tuple[str, str | None], list[PatternMatcher]] = {}
    found: list[Match] = []
    for moment in moments:
        sort = (moment.kind, moment.verb)
        if sort not in concerned:
            concerned[sort] = [sieve for sieve in sieves if sieve.concerned(moment)]
        for sieve in concerned[sort]:
            found += sieve.feed(moment)
    last = max(until or 0, moments[-1].turn if moments else 0)
    found += [match for sieve in sieves for match in sieve.settle(last)]
    return sorted(found, key=lambda match: match.turns[-1])


class PartialMatch(NamedTuple):
    """A match in the making: the beat it waits for, what is bound so far, and how it came there."""

    beat: int
    bound: Binding
    turns: tuple[int, ...]
    begun: int
    so_far: int = 0
    times: int = 1
    seen: frozenset[str | None] = frozenset()

    @property
    def place(self) -> ThreadSlot:
        return self.beat, self.bound


@dataclass(frozen=True, slots=True)
class BeatMatcher:
    """A shape made ready: the values it asks for by trait, and its variables by their slot in a binding."""

    kinds: frozenset[str]
    fixed: tuple[tuple[str, frozenset[str]], ...]
    present: tuple[str, ...]
    slots: tuple[tuple[str, int], ...]

    def may_be(self, kind: str, verb: str | None) -> bool:
        """Whether a moment of this sort could be what is asked for."""
        verbs = dict(self.fixed).get("verb")
        return kind in self.kinds and (verbs is None or verb in verbs)

    def plainly(self, moment: StoryMoment) -> bool:
        """Whether a moment is what is asked for, variables aside."""
        if moment.kind not in self.kinds:
            return False
        for name, wanted in self.fixed:
            if getattr(moment, name) not in wanted:
                return False
        return not self.present or all(getattr(moment, name) is not None for name in self.present)

    def fits(self, moment: StoryMoment, bound: Binding) -> Binding | None:
        """The binding with what this moment adds to it, or None where the moment is not what is asked for."""
        if not self.plainly(moment):
            return None
        for name, slot in self.slots:
            value = getattr(moment, name)
            if value is None or bound[slot] not in (None, value):
                return None
            if bound[slot] is None:
                bound = (*bound[:slot], value, *bound[slot + 1 :])
        return bound


@dataclass(frozen=True, slots=True)
class ThreadIndex:
    """The threads that wait for one test, filed under the values they ask of a moment."""

    test: BeatMatcher
    known: tuple[tuple[str, int], ...]
    filed: dict[Binding, dict[ThreadSlot, PartialMatch]] = field(default_factory=dict)

    def asked_for(self, moment: StoryMoment) -> dict[ThreadSlot, PartialMatch]:
        """The threads to which this moment may matter."""
        if not self.test.plainly(moment):
            return {}
        return self.filed.get(tuple([getattr(moment, name) for name, _ in self.known]), {})

    def add(self, thread: PartialMatch) -> None:
        self.filed.setdefault(self._label(thread), {})[thread.place] = thread

    def drop(self, thread: PartialMatch) -> None:
        label = self._label(thread)
        del self.filed[label][thread.place]
        if not self.filed[label]:
            del self.filed[label]

    def _label(self, thread: PartialMatch) -> Binding:
        return tuple([thread.bound[slot] for _, slot in self.known])


class PatternMatcher:
    """Follows one pattern. Of threads that wait for the same beat with the same binding, the newest is kept."""

    def __init__(self, pattern: StoryPattern) -> None:
        self.pattern = pattern
        self.beats = pattern.events
        names = [name for beat in self.beats for name in beat.variables()]
        self.slots = {name: slot for slot, name in enumerate(dict.fromkeys(names))}
        self.tests = [self._test(beat) for beat in self.beats]
        self.without = [[self._test(shape) for shape in beat.without] for beat in self.beats]
        self.apart = [self._sides(apart) for apart in pattern.where]
        self.shelves = [self._shelves(place) for place in range(len(self.beats))]
        self.sorts: dict[tuple[str, str | None], list[ThreadIndex]] = {}
        self.unbound: Binding = (None,) * len(self.slots)
        self.waits = any(beat.passes for beat in self.beats)
        self.threads: dict[ThreadSlot, PartialMatch] = {}
        self.begun = 0
        self.settled = 0

    def concerned(self, moment: StoryMoment) -> list[ThreadIndex]:
        """The shelves to which a moment of this kind and verb can matter, whatever else it is."""
        sort = (moment.kind, moment.verb)
        if sort not in self.sorts:
            shelves = [shelf for group in self.shelves for shelf in group]
            self.sorts[sort] = [shelf for shelf in shelves if shelf.test.may_be(*sort)]
        return self.sorts[sort]

    # --- making ready ---

    def _test(self, shape: MomentFilter) -> BeatMatcher:
        traits = [(name, wanted, variable(wanted[0])) for name, wanted in shape.traits()]
        fixed = [(name, frozenset(wanted)) for name, wanted, known in traits if not known and wanted[0] != ANYTHING]
        return BeatMatcher(
            kinds=frozenset(shape.kind),
            fixed=tuple(fixed),
            present=tuple(name for name, wanted, _ in traits if wanted[0] == ANYTHING),
            slots=tuple((name, self.slots[known]) for name, _, known in traits if known),
        )

    def _sides(self, apart: Inequality) -> tuple[int, int | None, str]:
        """The two slots of a comparison, or a slot and a word."""
        name = variable(apart.other)
        return self.slots[apart.one], self.slots[name] if name else None, apart.other

    def _shelves(self, place: int) -> list[ThreadIndex]:
        """Every test that matters to a thread which waits for this beat; one that waits for the first has begun it."""
        bound = {self.slots[name] for beat in self.beats[: place or 1] for name in beat.variables()}
        repeats = place > 0 and self.beats[place - 1].times > 1
        tests = [self.tests[place], *([self.tests[place - 1]] if repeats else []), *self.without[place]]
        return [ThreadIndex(test, tuple(pair for pair in test.slots if pair[1] in bound)) for test in tests]

    # --- following ---

    def feed(self, moment: StoryMoment) -> list[Match]:
        """The matches that this moment brings to their end."""
        found = self.settle(moment.turn - 1) if self.waits and moment.turn > self.settled + 1 else []
        waiting: dict[ThreadSlot, PartialMatch] = {}
        for shelf in self.concerned(moment):
            if shelf.filed:
                waiting |= shelf.asked_for(moment)
        begins = self.tests[0].plainly(moment)
        if not waiting and not begins:
            return found
        moved = [after for thread in waiting.values() for after in self._followed(thread, moment)]
        moved += self._begun(moment, moved) if begins else []
        return found + self._kept(moved) if moved else found

    def settle(self, turn: int) -> list[Match]:
        """The matches that end because enough turns have passed, up to and with this one."""
        self.settled = turn
        moved: list[PartialMatch] = []
        for thread in list(self.threads.values()):
            passes = self.beats[thread.beat].passes
            if passes and thread.turns[-1] + passes <= turn:
                self._drop(thread)
                moved.append(thread._replace(beat=thread.beat + 1, turns=(*thread.turns, thread.turns[-1] + passes)))
        return self._kept(moved)

    def _begun(self, moment: StoryMoment, moved: Sequence[PartialMatch]) -> list[PartialMatch]:
        """A new thread, unless what the pattern begins with repeats and is still being counted."""
        bound = self._fitting(0, moment, self.unbound)
        if bound is None or (self.beats[0].times > 1 and self._counted(bound, moved)):
            return []
        self.begun += 1
        return [self._taken(PartialMatch(0, bound, (), self.begun), bound, moment)]

    def _followed(self, thread: PartialMatch, moment: StoryMoment) -> Iterator[PartialMatch]:
        """Where a thread goes from a moment; it stays behind too if the moment named somebody or something new."""
        if self._too_late(thread, moment):
            self._drop(thread)
            return
        bound, forbidden = self._next(thread, moment), self._forbidden(thread, moment)
        after: PartialMatch | None = None
        if bound is not None:
            after = self._taken(thread, bound, moment)
        elif not forbidden and self._once_more(thread, moment):
            after = self._taken(thread._replace(beat=thread.beat - 1, so_far=thread.times), thread.bound, moment)
        if after:
            yield after
        moved_on = after is not None and after.bound == thread.bound
        if (forbidden or moved_on) and (after is None or after.place != thread.place):
            self._drop(thread)

    def _too_late(self, thread: PartialMatch, moment: StoryMoment) -> bool:
        """Whether time has run out; while turns pass it cannot, unless what repeats goes on for too long."""
        beat = self.beats[thread.beat]
        if moment.turn - thread.turns[0] > self.pattern.within:
            return not beat.passes or self._once_more(thread, moment)
        return beat.within is not None and moment.turn - thread.turns[-1] > beat.within

    def _next(self, thread: PartialMatch, moment: StoryMoment) -> Binding | None:
        beat = self.beats[thread.beat]
        if beat.passes or (not thread.so_far and moment.turn - thread.turns[-1] < beat.after):
            return None
        if beat.each and getattr(moment, beat.each) in thread.seen:
            return None
        return self._fitting(thread.beat, moment, thread.bound)

    def _once_more(self, thread: PartialMatch, moment: StoryMoment) -> bool:
        """Whether the beat before, one that repeats, happens once more than it had to."""
        before = self.beats[thread.beat - 1] if thread.beat and not thread.so_far else None
        if before is None or before.times == 1 or (before.each and getattr(moment, before.each) in thread.seen):
            return False
        return self._fitting(thread.beat - 1, moment, thread.bound) is not None

    def _fitting(self, beat: int, moment: StoryMoment, bound: Binding) -> Binding | None:
        after = self.tests[beat].fits(moment, bound)
        return after if after is not None and self._differ(after) else None

    def _differ(self, bound: Binding) -> bool:
        for one, other, word in self.apart:
            against = word if other is None else bound[other]
            if bound[one] is not None and bound[one] == against:
                return False
        return True

    def _forbidden(self, thread: PartialMatch, moment: StoryMoment) -> bool:
        return any(test.fits(moment, thread.bound) == thread.bound for test in self.without[thread.beat])

    def _counted(self, bound: Binding, moved: Sequence[PartialMatch]) -> bool:
        """Whether there is a thread that counts how often the first beat has happened with this binding."""
        places = {thread.place for thread in moved}
        return any(place in self.threads or place in places for place in ((0, bound), (1, bound)))

    def _taken(self, thread: PartialMatch, bound: Binding, moment: StoryMoment) -> PartialMatch:
        """The thread after a moment of the beat it waits for: at the next beat once there were enough of them."""
        beat = self.beats[thread.beat]
        count = thread.so_far + 1
        enough = count >= beat.times
        seen = thread.seen if thread.so_far else frozenset[str | None]()
        return thread._replace(
            beat=thread.beat + enough,
            bound=bound,
            turns=(*thread.turns, moment.turn),
            so_far=0 if enough else count,
            times=count if beat.times > 1 else thread.times,
            seen=seen | {getattr(moment, beat.each)} if beat.each else seen,
        )

    # --- keeping ---

    def _kept(self, moved: Sequence[PartialMatch]) -> list[Match]:
        """The threads that are complete as matches; the others wait on. What one moment began ends only once."""
        ended = [thread for thread in moved if thread.beat == len(self.beats)]
        for thread in moved:
            if thread.beat < len(self.beats):
                self._add(thread)
        if not ended:
            return []
        found: dict[int, Match] = {}
        for thread in sorted(ended, key=lambda one: one.turns[-2:], reverse=True):
            found.setdefault(thread.begun, self._match(thread))
        for thread in [one for one in self.threads.values() if one.begun in found]:
            self._drop(thread)
        return list(found.values())

    def _add(self, thread: PartialMatch) -> None:
        place = thread.place
        self.threads.pop(place, None)
        self.threads[place] = thread
        for shelf in self.shelves[thread.beat]:
            shelf.add(thread)
        if len(self.threads) > REMEMBERED:
            self._drop(next(iter(self.threads.values())))

    def _drop(self, thread: PartialMatch) -> None:
        del self.threads[thread.place]
        for shelf in self.shelves[thread.beat]:
            shelf.drop(thread)

    def _match(self, thread: PartialMatch) -> Match:
        names = {name: value for name, slot in self.slots.items() if (value := thread.bound[slot]) is not None}
        return Match(pattern=self.pattern, turns=thread.turns, names=names, times=thread.times)
