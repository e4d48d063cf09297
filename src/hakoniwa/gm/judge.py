"""Judging: act by act on the state the earlier acts left; one denied act and the whole turn changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakoniwa.gm import intents as package
from hakoniwa.gm.act import Act, Denial, Effect, intents
from hakoniwa.gm.checks import NOT_TAKEN
from hakoniwa.gm.contradict import contradiction
from hakoniwa.gm.history import History, signature
from hakoniwa.gm.person import as_it_is, going_out
from hakoniwa.gm.resolve import Meant, meaning
from hakoniwa.pack import verb_of
from hakoniwa.stage.patch import MAX_OPERATIONS, apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PHYSICAL, ActionIntent, DeniedReason, ParsedOutput, PatchOp, Process, Resolution

intents.load(package)


@dataclass(frozen=True)
class Verdict:
    """The outcome of a turn's acts: what was meant, what is denied, what it all does."""

    acts: tuple[Act, ...] = ()
    denial: Denial | None = None
    denied_act: ActionIntent | None = None
    world_delta: tuple[PatchOp, ...] = ()
    told: tuple[str, ...] = ()
    processes: tuple[Process, ...] = ()
    resolution: tuple[Resolution, ...] = ()


def denial_of(world: WorldState, who: str, act: Act) -> Denial | None:
    """Why this act cannot be done now, if so."""
    return intents[act.verb.intent].deny(world, who, act)


def effect_of(world: WorldState, who: str, act: Act) -> Effect:
    """What an allowed act does."""
    return intents[act.verb.intent].effect(world, who, act)


def after_act(world: WorldState, who: str, act: Act) -> WorldState:
    """The world once an allowed act is done."""
    return apply(world, effect_of(world, who, act).delta)


def judge(
    world: WorldState,
    who: str,
    parsed: ParsedOutput,
    history: History | None = None,
    implicit_take: bool = False,
) -> Verdict:
    """All the acts of one performance, in order."""
    trial = TurnJudge(world, who)
    for intent in parsed.action_intents:
        if intent.intent in PHYSICAL and (denial := trial.attempt(intent, implicit_take)):
            return Verdict(tuple(trial.acts), denial, intent, resolution=tuple(trial.notes))
    wrong = contradiction(parsed, world, who) or repetition_denial(history, who, parsed.action_intents, trial.acts)
    if wrong:
        return Verdict(tuple(trial.acts), wrong, resolution=tuple(trial.notes))
    return Verdict(
        acts=tuple(trial.acts),
        world_delta=tuple(operation for effect in trial.effects for operation in effect.delta),
        told=tuple(effect.told for effect in trial.effects),
        processes=tuple(process for effect in trial.effects for process in effect.processes),
        resolution=tuple(trial.notes),
    )


class TurnJudge:
    """The acts of one turn, tried one after the other, each on the world the earlier ones left."""

    def __init__(self, world: WorldState, who: str) -> None:
        self.world = world
        self.who = who
        self.acts: list[Act] = []
        self.effects: list[Effect] = []
        self.notes: list[Resolution] = []
        self._applied = 0

    def attempt(self, intent: ActionIntent, implicit_take: bool) -> Denial | None:
        """Do what an intent means, or say why it cannot be done."""
        state = self._so_far()
        meant = self._meant(state, intent)
        self.notes += meant.resolution
        if meant.denial or meant.act is None:
            return meant.denial if intent.sure else None
        for act in _with_take(state, self.who, meant.act) if implicit_take else [meant.act]:
            state = self._so_far()
            denial = self._denial(state, act)
            if denial and not intent.sure:
                return None
            self.acts.append(act)
            if denial:
                return denial
            self.effects.append(effect_of(state, self.who, act))
        return self._too_much()

    def _meant(self, state: WorldState, intent: ActionIntent) -> Meant:
        if intent.verb == "GO_OUT":
            return going_out(state, self.who, intent)
        meant = meaning(state, self.who, intent, self.acts[-1] if self.acts else None)
        return as_it_is(state, self.who, intent, meant)

    def _denial(self, state: WorldState, act: Act) -> Denial | None:
        return denial_of(state, self.who, act)

    def _too_much(self) -> Denial | None:
        too_much = sum(len(effect.delta) for effect in self.effects) > MAX_OPERATIONS
        return Denial("state.too-much", DeniedReason.INVALID_STATE) if too_much else None

    def _so_far(self) -> WorldState:
        """The world as the acts so far leave it; the last one is only applied if another follows."""
        for effect in self.effects[self._applied :]:
            self.world = apply(self.world, effect.delta)
        self._applied = len(self.effects)
        return self.world


def _with_take(world: WorldState, who: str, act: Act) -> list[Act]:
    """The act, preceded by silently taking its thing if that is all it lacks."""
    denial = denial_of(world, who, act)
    take = Act(verb_of("GET"), act.target)
    lacks_hand = denial is not None and denial.rule in NOT_TAKEN and denial.what == act.target
    return [take, act] if lacks_hand and denial_of(world, who, take) is None else [act]


def repetition_denial(
    history: History | None, who: str, wanted: Sequence[ActionIntent], acts: Sequence[Act]
) -> Denial | None:
    """Why an act is not done again: it has been done twice in a row."""
    if not history:
        return None
    marks = signature(wanted, acts)
    repeated = [mark for mark in marks if history.in_a_row(who, mark) >= 2]
    return Denial("rate.same", DeniedReason.RATE_LIMITED, repeated[0]) if repeated else None
