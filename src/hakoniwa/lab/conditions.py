"""Conditions: who plays a run, and what each arm puts into the prompt and does to the world, made of the parts that
ordinary play has.

A run has two sides. The *book* is the GM's: its world is the truth of the arm and its journal is kept. The *house* is
what the characters perceive: only in arm D is it the book itself; in the others it is the opening scene with the words
and deeds of everybody as they were written, and nobody ever says that something failed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.turn_prompts import CHOICES, Phases, TurnForm, TurnPrompts, offered_acts
from hakoniwa.app import ledger_of, model_of
from hakoniwa.director.direct import DirectedTurn
from hakoniwa.errors import UsageError
from hakoniwa.gm.act import Act, narrate_act
from hakoniwa.gm.step import GMStep
from hakoniwa.lab.clumsy import ClumsyModel
from hakoniwa.lab.results import Arm, ModelSpec, RunKey, Spec
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import RecordedModel
from hakoniwa.pack import verb_of
from hakoniwa.play.between import follow_up_events
from hakoniwa.play.session import Mind, Session
from hakoniwa.settings import Settings
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PHYSICAL, Event, PatchOp, Take, Turn

# What the passing of a turn may bring: an observing GM finishes what it has set going, and brings nothing on.
PASSING = frozenset({"clock", "status", "process"})
EVENT_KINDS = {Arm.C: PASSING, Arm.D: PASSING | {"incident"}}


class BarePrompts(TurnPrompts):
    """A part that says who one is, what one sees and wants, and not what could be done about it."""

    @cached_property
    def options(self) -> list[Act]:
        """Where an act has to be chosen the list is the question itself, and stays; elsewhere it is help."""
        return offered_acts(self.view, self.decision, CHOICES) if self.form.listed else []

    @cached_property
    def intention(self) -> str:
        return ""  # a plan is made of possible acts


class UnaidedMind(LanguageMind):
    """A language mind without Inject."""

    part = BarePrompts


def wanted_acts(cut: DirectedTurn) -> tuple[Act, ...]:
    """The physical acts of a reply as they were meant, possible or not."""
    intents = [one for one in cut.take.ruling.parsed.action_intents if one.intent in PHYSICAL]
    return tuple(Act(verb_of(one.verb or one.intent), one.target, one.destination) for one in intents)


def character_session_turn(cut: DirectedTurn, world: WorldState, who: str, inject: bool) -> DirectedTurn:
    """A cut as those in the house take it: what was written has been done, and nobody has ruled on it."""
    acts = wanted_acts(cut)
    ruling = cut.take.ruling.with_fields(
        {
            "allowed": True, "denied_reason": None, "world_delta": (), "stall_score": 0.0, "fact_cards": (),
            "explanation": None, "told": _narrate_acts(world, who, acts),
        }
    )  # fmt: skip
    take = Take(performance=cut.take.performance, ruling=ruling, evaluation=cut.take.evaluation)
    return DirectedTurn(take, GMStep(ruling, acts, (), cut.step.past), directors_facts(cut) if inject else ())


def directors_facts(cut: DirectedTurn) -> tuple[str, ...]:
    """The facts that are the Director's own, without the GM's."""
    return tuple(one for one in cut.facts if one not in cut.take.ruling.fact_cards)


def gm_session_turn(cut: DirectedTurn, world: WorldState, who: str, arm: Arm) -> DirectedTurn:
    """A cut as the journal keeps it: with the verdict in every arm, with its consequences only where there is a GM."""
    if arm == Arm.D:
        return cut
    facts = directors_facts(cut) if arm.inject else ()
    if arm.gm:
        return replace(cut, facts=facts)
    ruling = cut.take.ruling
    still = ruling.with_fields(
        {"world_delta": (), "told": _narrate_acts(world, who, cut.step.acts) if ruling.told else ()}
    )
    step = replace(cut.step, ruling=still, processes=())
    return replace(cut, take=cut.take.with_field("ruling", still), step=step, facts=facts)


def _narrate_acts(world: WorldState, who: str, acts: Sequence[Act]) -> tuple[str, ...]:
    return tuple(narrate_act(world, who, act) for act in acts)


def following_events(book: Session, turn: Turn, event: Event, arm: Arm) -> Iterator[Event]:
    """What follows a turn. Where the world stays as it opened only its number goes up; no run ends before its time."""
    if not arm.gm:
        yield tick(turn.number)
        return
    yield from (one for one in follow_up_events(book, turn, event) if one.kind in EVENT_KINDS[arm])


def tick(turn: int) -> Event:
    """The number of the turn goes up, and nothing else happens."""
    return Event(
        kind="clock", turn=turn, origin="gm", world_delta=(PatchOp(op="replace", path="/time/turn", value=turn),)
    )


# --- who plays: the built-in mind, or a language mind on the clumsy model, a cassette or a server ---------------------


def find_servers(spec: Spec, settings: Settings) -> None:
    """Complain of a server that does not answer, or lacks its model, before anything is played."""
    for model in (*spec.models, *([spec.critic] if spec.critic else [])):
        if model.kind == "server":
            ledger_for(model, 0, settings)


def mind_for(model: ModelSpec, key: RunKey, settings: Settings) -> Mind:
    """A new mind for one run. Only a language mind has a prompt, and with it something for Inject to change."""
    if model.kind == "builtin":
        return BuiltinMind()
    kind = LanguageMind if key.arm.inject else UnaidedMind
    phases: Phases = "one" if key.variant.mind == "one_pass" else "two"
    form = TurnForm(acts=key.variant.acts, phases=phases, scene=settings.scene, history=settings.history)
    return kind(ledger_for(model, key.seed, settings), form)


def ledger_for(model: ModelSpec, seed: int, settings: Settings) -> Ledger:
    """The model behind it, with its account."""
    match model.kind:
        case "clumsy":
            return Ledger(ClumsyModel(seed))
        case "recorded":
            return Ledger(RecordedModel(Path(model.cassette), loop=True))
    named = settings.model_copy(
        update={"model": model.name or settings.model, "base_url": model.base_url or settings.base_url}
    )
    found = ledger_of(named, model_of(named))
    if found is None:
        raise UsageError("lab.no-model", model=model.id)
    return found
