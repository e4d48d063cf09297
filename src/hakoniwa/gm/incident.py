"""Incidents: what the GM brings about when nothing moves, and the things that were already under way."""

from collections.abc import Sequence
from random import Random

from hakoniwa.errors import WorldError
from hakoniwa.gm.change import appear, note, set_state
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scenario import Incident, Scenario, When
from hakoniwa.stage.world import UnplacedProp, WorldState, next_states, thing
from hakoniwa.turn import PatchOp, Process


def ready(incident: Incident, world: WorldState, rung: Sequence[str]) -> bool:
    """Whether an incident may come now: its condition holds, and it has not come if it comes only once."""
    return (
        not (incident.once and incident.id in rung)
        and is_time(incident.when, world, rung)
        and _applies(incident, world)
    )


def is_time(when: When, world: WorldState, rung: Sequence[str]) -> bool:
    """Whether everything that a condition names is so."""
    return (
        (not when.label or world.time.label in when.label)
        and (not when.weather or world.meta.weather in when.weather)
        and world.time.turn >= when.after_turn
        and all(name in world.props and word in world.props[name].state for name, word in when.state.items())
        and (when.at is None or any(figure.location == when.at for figure in world.characters.values()))
        and all(one in rung for one in when.after)
        and not any(one in rung for one in when.before)
    )


def _applies(incident: Incident, world: WorldState) -> bool:
    """A delta written for the opening may no longer fit the world."""
    try:
        apply(world, incident.delta)
    except WorldError:
        return False
    return True


def chance_incident(scenario: Scenario, world: WorldState, rung: Sequence[str], dice: Random) -> Incident | None:
    """The incident that comes by itself this turn, if one does."""
    for incident in scenario.incidents:
        if incident.chance and dice.random() < incident.chance and ready(incident, world, rung):
            return incident
    return None


def draw_incident(scenario: Scenario, world: WorldState, rung: Sequence[str], dice: Random) -> Incident | None:
    """One of the incidents that may come now, by weight."""
    options = [one for one in scenario.incidents if ready(one, world, rung)]
    return dice.choices(options, weights=[one.weight for one in options])[0] if options else None


def where_it_happens(incident: Incident, world: WorldState) -> frozenset[str] | None:
    """The rooms in which an incident is perceived; None where it is everywhere.

    What changes nothing and comes of the state of things is perceived where those things are."""
    if incident.carries:
        return None
    if incident.at:
        return frozenset({incident.at})
    if incident.delta or not incident.when.state:
        return None
    return frozenset(world.props[name].location for name in incident.when.state if name in world.props)


def incident_delta(incident: Incident) -> tuple[PatchOp, ...]:
    """What an incident does to the world."""
    return (*incident.delta, *([note(incident.text)] if incident.text else ()))


def finish_process(world: WorldState, process: Process) -> tuple[tuple[PatchOp, ...], str]:
    """What a process that is due does to the world, and how it is told."""
    told = (process.told or "").format(what=process.prop)
    prop = world.props.get(process.prop)
    if prop is None:
        return (), ""
    state = next_states([word for word in prop.state if word not in process.clears], process.becomes)
    made = [
        operation
        for name, traits in process.makes.items()
        if thing(world, name) is None
        for operation in appear(world, name, UnplacedProp.model_validate(traits), prop.location)
    ]
    return (*set_state(world, process.prop, state), *made, *([note(told)] if told else [])), told
