"""Solving a scenario: whether each goal can be reached, by which acts, and which deeds lose it for good."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from hakoniwa.actor.character import Character
from hakoniwa.actor.plan import deed_done, holds_true
from hakoniwa.errors import WorldError
from hakoniwa.gm.act import Act
from hakoniwa.gm.incident import finish_process, incident_delta, is_time
from hakoniwa.gm.judge import denial_of, effect_of
from hakoniwa.gm.options import possible_acts
from hakoniwa.pack import verb_of
from hakoniwa.play.relaxation import WILD, Possibility, Relaxation
from hakoniwa.stage.goal import Goal
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scenario import Ending, Incident, Scenario, StoryAct, When
from hakoniwa.stage.world import WorldState, holder, people_in
from hakoniwa.turn import PatchOp, Process, Value

ALONE, TOGETHER = 3_000, 20_000  # states that are looked at: for one person, and for all of them at once
LONELY_PLACES = frozenset({"PUT", "GIVE", "STOW"})

Verdict = Literal["reachable", "unreachable", "undecided"]
GoalKind = Literal["ending", "act", "desire"]


class Step(NamedTuple):
    """One step of a way: an act of somebody's, an incident, or a turn in which nothing is done."""

    who: str | None = None
    act: Act | None = None
    incident: str | None = None

    @property
    def typed(self) -> str:
        """The step as it is typed at the prompt of `play`."""
        if self.act:
            return f"/as {self.who} {self.act.tag}"
        return f"/ring {self.incident}" if self.incident else "/step"


class WantedGoal(NamedTuple):
    """A goal of the scenario: what it is called, and whose it is."""

    kind: GoalKind
    name: str
    goal: Goal
    people: tuple[str, ...]


class DeadEnd(Value):
    """A deed after which the goal can never be reached any more, and the way to it."""

    deed: str
    way: tuple[str, ...] = ()


class Solution(Value):
    """What is to be said of one goal: the way as lines to type, what can never be, or what loses it."""

    kind: GoalKind
    name: str
    people: tuple[str, ...]
    verdict: Verdict
    way: tuple[str, ...] = ()
    missing: Possibility = ()
    dead_ends: tuple[DeadEnd, ...] = ()
    states: int = 0


class Situation(NamedTuple):
    """The world with what is under way in it and what has come; `here` tells one from another."""

    world: WorldState
    processes: tuple[Process, ...] = ()
    rung: tuple[str, ...] = ()


class SolverBudget(NamedTuple):
    """How many situations are looked at before a goal is left undecided."""

    alone: int = ALONE
    together: int = TOGETHER


USUAL = SolverBudget()


def goals_in(scenario: Scenario, cast: Mapping[str, Character]) -> list[WantedGoal]:
    """Every goal of a scenario: its endings and acts, then what its people want from the first or come to want."""
    everyone = tuple(scenario.cast)
    found = [WantedGoal("ending", one.title or one.id, one, one.who or everyone) for one in scenario.all_endings]
    found += [WantedGoal("act", one.title, one.opens, everyone) for one in scenario.acts[1:]]
    for who, role in scenario.cast.items():
        found += [WantedGoal("desire", one.name, one.goal, (who,)) for one in (*role.desires, *cast[who].desires)]
    urges = [*scenario.opening.urges, *(urge for one in scenario.happenings for urge in one.urges)]
    found += [WantedGoal("desire", one.name, one.goal, one.who or everyone) for one in urges]
    return [one for place, one in enumerate(found) if one not in found[:place] and one.goal != Goal()]


def solve(scenario: Scenario, wanted: WantedGoal, budget: SolverBudget = USUAL) -> Solution:
    """The verdict on one goal."""
    return GoalSolver(scenario, wanted, budget).solution()


class GoalSolver:
    """One goal of a scenario, and what can be done towards it."""

    def __init__(self, scenario: Scenario, wanted: WantedGoal, budget: SolverBudget) -> None:
        self.scenario, self.wanted, self.budget = scenario, wanted, budget
        self.people, self.goal = wanted.people, wanted.goal
        self.states = 0
        self.start = Situation(scenario.world, (), tuple(act.id for act in scenario.acts[:1]))
        self.relaxed = self._relax(self.start)

    def _relax(self, situation: Situation) -> Relaxation:
        return Relaxation(self.scenario, situation.world, [self.goal], situation.rung, situation.processes)

    def solution(self) -> Solution:
        if not self.relaxed.allows(self.goal, self.people):
            return self._say("unreachable", missing=self.relaxed.missing(self.goal, self.people) or ())
        if self._is_reached(self.start):
            return self._say("reachable")
        if way := self._shortest():
            typed = tuple(step.typed for step in way)
            return self._say("reachable", way=typed, dead_ends=tuple(self._dead_ends(way)))
        way, exhausted = self._search(tuple(self.scenario.cast), self.budget.together, every=True)
        if way:
            return self._say("reachable", way=tuple(step.typed for step in way))
        return self._say("unreachable" if exhausted and WILD not in self.relaxed.possible else "undecided")

    def _say(self, verdict: Verdict, **more: object) -> Solution:
        known = {"kind": self.wanted.kind, "name": self.wanted.name, "people": self.people, "verdict": verdict}
        return Solution.model_validate({**known, "states": self.states, **more})

    @cached_property
    def _about(self) -> tuple[frozenset[str], tuple[Incident, ...]]:
        names, came = self.relaxed.names_for(self.goal, self.people)
        return names, tuple(one for one in self.scenario.happenings if one.id in came)

    # --- the search --------------------------------------------------------------------------------------------------

    def _shortest(self) -> list[Step]:
        """The shortest way for one person alone; where there is none, for all of them."""
        ways: list[list[Step]] = []
        for who in self.people:
            way, _ = self._search((who,), self.budget.alone, most=min(map(len, ways), default=None))
            ways += [way] if way else []
        if ways:
            return min(ways, key=len)
        return self._search(tuple(self.scenario.cast), self.budget.together)[0] if len(self.scenario.cast) > 1 else []

    def _search(
        self, actors: Sequence[str], limit: int, every: bool = False, most: int | None = None
    ) -> tuple[list[Step], bool]:
        """Breadth first over situations, each met once: the way, and whether everything was looked at."""
        queue: deque[tuple[Situation, tuple[Step, ...]]] = deque([(self.start, ())])
        seen = {self._mark(self.start)}
        while queue:
            situation, path = queue.popleft()
            if most is not None and len(path) + 1 >= most:
                return [], False
            for step, after in self._steps(situation, actors, every):
                self.states += 1
                if self._is_reached(after, step):
                    return [*path, step], False
                if (mark := self._mark(after)) in seen:
                    continue
                if len(seen) >= limit:
                    return [], False
                seen.add(mark)
                queue.append((after, (*path, step)))
        return [], True

    def _steps(self, situation: Situation, actors: Sequence[str], every: bool) -> Iterator[tuple[Step, Situation]]:
        names, happenings = self._about
        for who in actors:
            options = [*possible_acts(situation.world, who, names), *self._asked_acts(situation.world, who)]
            for act in dict.fromkeys(options):
                if every or self._makes_sense(situation.world, who, act):
                    yield Step(who, act), self._after_act(situation, who, act)
        for one in happenings:
            if not isinstance(one, StoryAct) and self._comes(one, situation):
                yield Step(incident=one.id), self._turn_over(self._rung(situation, one))
        if situation.processes:
            yield Step(), self._turn_over(situation)

    def _asked_acts(self, world: WorldState, who: str) -> Iterator[Act]:
        """The very deeds that a goal asks for, also those that are done to people."""
        if deed := self.goal.did:
            options = (Act(verb_of(deed.verb), name, to) for name in deed.target for to in deed.destination or (None,))
            yield from (act for act in options if denial_of(world, who, act) is None)

    def _makes_sense(self, world: WorldState, who: str, act: Act) -> bool:
        """Whether an act may be part of a shortest way: nobody lays down what is in nobody's way and has no place."""
        if act.verb.id not in LONELY_PLACES:
            return True
        if self.goal.did and deed_done(self.goal.did, [act]):
            return True
        if act.target in self.goal.placed:
            return act.destination in (self.goal.placed[act.target], None)
        figure = world.characters[who]
        return act.destination is None and act.verb.id == "PUT" and len(figure.holding) >= figure.hands

    def _after_act(self, situation: Situation, who: str, act: Act) -> Situation:
        world, processes, rung = situation
        effect = effect_of(world, who, act)
        names, _ = self._about
        begun = [one for one in effect.processes if one.prop in names or names & one.makes.keys()]
        return self._turn_over(
            Situation(apply(world, _lasting_changes(effect.delta)), (*processes, *begun), rung), who, act
        )

    def _turn_over(self, situation: Situation, who: str | None = None, act: Act | None = None) -> Situation:
        """One more turn has passed: what is due is done, and an act of the story opens when its goal has come true."""
        world, processes, rung = situation
        if processes:
            turn = world.time.turn + 1
            world = world.with_field("time", world.time.with_field("turn", turn))
            for one in (due := [one for one in processes if one.due <= turn]):
                world = apply(world, _lasting_changes(finish_process(world, one)[0]))
            processes = tuple(one for one in processes if one not in due)
        passed = Situation(world, processes, rung)
        upcoming = next((one for one in self.scenario.acts if one.id not in rung), None)
        if upcoming and self._comes(upcoming, passed) and self._came_true(upcoming.opens, passed, who, act):
            return self._rung(passed, upcoming)
        return passed

    def _comes(self, one: Incident, situation: Situation) -> bool:
        """Whether it may come: whoever waits long enough has seen every hour."""
        if (one.once and one.id in situation.rung) or not is_time(_timeless(one.when), situation.world, situation.rung):
            return False
        try:
            apply(situation.world, one.delta)
        except WorldError:
            return False
        return True

    def _rung(self, situation: Situation, one: Incident) -> Situation:
        rung = situation.rung if one.id in situation.rung else (*situation.rung, one.id)
        return situation._replace(world=apply(situation.world, _lasting_changes(incident_delta(one))), rung=rung)

    # --- goals and marks ---------------------------------------------------------------------------------------------

    def _is_reached(self, situation: Situation, step: Step | None = None) -> bool:
        goal = self.goal
        if isinstance(goal, Ending) and not is_time(_timeless(goal.when), situation.world, situation.rung):
            return False
        who, act = (step.who, step.act) if step else (None, None)
        return any(self._came_true(goal, situation, who, act, one) for one in self.people)

    def _came_true(
        self, goal: Goal, situation: Situation, who: str | None, act: Act | None, whose: str | None = None
    ) -> bool:
        world, people = situation.world, [whose] if whose else list(self.scenario.cast)
        if goal.did:
            done = act is not None and who in people and deed_done(goal.did, [act])
            return done and holds_true(goal.with_field("did", None), world, who or people[0])
        if goal.talked:
            return any(_company(world, one, goal.talked) for one in people)
        return any(holds_true(goal, world, one) for one in people)

    def _mark(self, situation: Situation) -> tuple[object, ...]:
        """What tells one situation from another, as far as the goal is concerned."""
        _, happenings = self._about
        world = situation.world
        things = tuple(
            (prop.state, prop.location, prop.parent, holder(world, name), prop.bearer)
            if (prop := world.props.get(name))
            else None
            for name in self._things
        )
        people = tuple((figure.location, figure.holding) for figure in world.characters.values())
        begun = tuple(sorted((one.prop, one.due - world.time.turn) for one in situation.processes))
        came = tuple(one.id in situation.rung for one in happenings)
        return things, people, begun, came, world.meta.weather

    @cached_property
    def _things(self) -> list[str]:
        return sorted(self._about[0] & self.relaxed.things.keys())

    # --- dead ends ---------------------------------------------------------------------------------------------------

    def _dead_ends(self, way: Sequence[Step]) -> Iterator[DeadEnd]:
        """Deeds along the way, and beside it, after which nothing leads to the goal any more."""
        situation, told = self.start, set[str]()
        for place, step in enumerate(way):
            for other, after in self._steps(situation, tuple(self.scenario.cast), every=True):
                if (
                    other == step
                    or other.typed in told
                    or not self._loses(situation, after)
                    or self._is_reached(after, other)
                ):
                    continue
                if not self._relax(after).allows(self.goal, self.people):
                    told.add(other.typed)
                    yield DeadEnd(deed=other.typed, way=tuple(one.typed for one in way[:place]))
            situation = next(
                after for one, after in self._steps(situation, tuple(self.scenario.cast), every=True) if one == step
            )

    def _loses(self, before: Situation, after: Situation) -> bool:
        """Whether something may be gone, shut away or left behind; what only adds can lose nothing."""
        old, new = before.world, after.world
        known = [(old.props[name], new.props.get(name)) for name in self._things if name in old.props]
        things = any(now is None or (now.state, now.parent) != (was.state, was.parent) for was, now in known)
        moved = any(figure.location != old.characters[who].location for who, figure in new.characters.items())
        return things or moved


def _timeless(when: When) -> When:
    return when.with_fields({"label": (), "after_turn": 0})


def _lasting_changes(delta: Iterable[PatchOp]) -> list[PatchOp]:
    """What a delta does to more than the chronicle."""
    return [one for one in delta if not one.path.startswith("/events")]


def _company(world: WorldState, who: str, wanted: str) -> bool:
    here = people_in(world, world.characters[who].location)
    return any(one != who and wanted in ("*", one) for one in here)
