"""Judging: act by act on the state the earlier acts left; one denied act and the whole turn changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from hakoniwa.gm import intents as package
from hakoniwa.gm.act import Act, Denial, Effect, intents
from hakoniwa.gm.contradict import contradiction
from hakoniwa.gm.history import History, signature
from hakoniwa.gm.resolve import meaning
from hakoniwa.pack import verb_of
from hakoniwa.stage.patch import apply
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
    state, acts, effects, notes = world, [], [], []  # type: ignore[var-annotated]
    for intent in parsed.action_intents:
        if intent.intent not in PHYSICAL:
            continue
        meant = meaning(state, who, intent, acts[-1] if acts else None)
        notes += meant.resolution
        if meant.denial:
            return Verdict(tuple(acts), meant.denial, intent, resolution=tuple(notes))
        if meant.act is None:
            continue
        steps = _with_take(state, who, meant.act) if implicit_take else [meant.act]
        for act in steps:
            if denial := denial_of(state, who, act):
                return Verdict((*acts, act), denial, intent, resolution=tuple(notes))
            effect = effect_of(state, who, act)
            state = apply(state, effect.delta)
            acts.append(act)
            effects.append(effect)
    wrong = contradiction(parsed, world, who) or _third_time(history, who, parsed.action_intents, acts)
    if wrong:
        return Verdict(tuple(acts), wrong, resolution=tuple(notes))
    return Verdict(
        acts=tuple(acts),
        world_delta=tuple(operation for effect in effects for operation in effect.delta),
        told=tuple(effect.told for effect in effects),
        processes=tuple(process for effect in effects for process in effect.processes),
        resolution=tuple(notes),
    )


def _with_take(world: WorldState, who: str, act: Act) -> list[Act]:
    """The act, preceded by silently taking its thing if that is all it lacks."""
    denial = denial_of(world, who, act)
    take = Act(verb_of("GET"), act.target)
    lacks_hand = denial is not None and denial.rule == "owned.in-hand" and denial.what == act.target
    return [take, act] if lacks_hand and denial_of(world, who, take) is None else [act]


def _third_time(
    history: History | None, who: str, wanted: Sequence[ActionIntent], acts: Sequence[Act]
) -> Denial | None:
    if not history:
        return None
    marks = signature(wanted, acts)
    repeated = [mark for mark in marks if history.in_a_row(who, mark) >= 2]
    return Denial("rate.same", DeniedReason.RATE_LIMITED, repeated[0]) if repeated else None
