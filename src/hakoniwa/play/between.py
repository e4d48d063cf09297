"""Between turns: the clock moves, what was under way is finished, and incidents happen."""

from collections.abc import Iterator, Sequence

from hakoniwa.actor.plan import deed_done, holds_true
from hakoniwa.gm.act import Act
from hakoniwa.gm.incident import (
    chance_incident,
    draw_incident,
    finish_process,
    incident_delta,
    is_time,
    ready,
    where_it_happens,
)
from hakoniwa.gm.stall import COOLDOWN, STUCK
from hakoniwa.pack import verb_of
from hakoniwa.play.session import Session
from hakoniwa.play.standing import changes_world
from hakoniwa.stage.goal import Goal
from hakoniwa.stage.scenario import Ending, Incident, StoryAct
from hakoniwa.stage.status import status_delta
from hakoniwa.stage.world import WorldState, people_in
from hakoniwa.turn import Event, PatchOp, Turn

CHRONICLE, DENIALS_INCIDENT, DENIALS_END = 50, 5, 10
LABELS = ((5, "深夜"), (10, "朝"), (16, "昼"), (18, "夕方"), (23, "夜"), (24, "深夜"))
LABELS_EN = {"深夜": "midnight", "朝": "morning", "昼": "afternoon", "夕方": "evening", "夜": "night"}


def follow_up_events(session: Session, turn: Turn, event: Event) -> Iterator[Event]:
    """Everything that follows from one more turn having passed, each on the world the one before left."""
    world = session.after(session.world, event.world_delta)
    clock = tick(world, turn, session.scenario.minutes_per_turn)
    world = session.after(world, clock)
    yield Event(kind="clock", turn=turn.number, origin="gm", witnesses=session.everyone(), world_delta=clock)
    for felt in _body_events(world, turn, session.scenario.minutes_per_turn):
        world = session.after(world, felt.world_delta)
        yield felt
    for done in _finish_processes(session, world, turn):
        world = session.after(world, done.world_delta)
        yield done
    denied = 0 if turn.take.ruling.allowed else session.standing.denied_row + 1
    incident, cause = _incident(session, world, turn, changes_world(event), denied)
    rung = list(session.standing.rung)
    if incident:
        yield (came := ring(incident, world, turn.number, cause))
        world, rung = session.after(world, came.world_delta), [*rung, incident.id]
    if act := next_act(session, world, rung, turn):
        yield (came := ring(act, world, turn.number, "act"))
        world, rung = session.after(world, came.world_delta), [*rung, act.id]
    if ending := reached_ending(session, world, rung, turn):
        yield _end(session, turn, "goal", **_curtain(ending))
    elif denied >= DENIALS_END:
        yield _end(session, turn, "denials")


def _body_events(world: WorldState, turn: Turn, minutes: int) -> Iterator[Event]:
    """How the minute, and what the speaker did in it, are felt: those in the room see it."""
    hour, minute = map(int, (world.time.clock or "00:00").split(":"))
    for who, figure in world.characters.items():
        verbs = [verb for verb, _ in turn.deeds] if who == turn.speaker and turn.take.ruling.allowed else []
        if delta := status_delta(world, who, verbs, hour * 60 + minute - minutes, minutes):
            seen = people_in(world, figure.location)
            yield Event(kind="status", turn=turn.number, origin="gm", witnesses=tuple(seen), world_delta=delta)


def _finish_processes(session: Session, world: WorldState, turn: Turn) -> Iterator[Event]:
    """The processes that are due."""
    for process in [*session.standing.processes, *turn.processes]:
        if process.due <= world.time.turn:
            delta, told = finish_process(world, process)
            seen = people_in(world, world.props[process.prop].location) if process.prop in world.props else []
            payload = {"process": process.model_dump(mode="json"), "text": told}
            world = session.after(world, delta)
            yield Event(
                kind="process", turn=turn.number, origin="gm", witnesses=tuple(seen), payload=payload, world_delta=delta
            )


def _curtain(ending: Ending) -> dict[str, str]:
    """How an ending is told, and what it leads to."""
    told = "\n".join(part.strip() for part in (ending.told, ending.epilogue) if part)
    named = "" if ending.id == "goal" else ending.id
    details = {"ending": named, "title": ending.title, "next": ending.next}
    return {"text": told, **{key: words for key, words in details.items() if words}}


def _end(session: Session, turn: Turn, reason: str, **details: str) -> Event:
    payload = {"reason": reason, "text": "", **details}
    return Event(kind="end", turn=turn.number, origin="gm", witnesses=session.everyone(), payload=payload)


def tick(world: WorldState, turn: Turn, minutes: int) -> tuple[PatchOp, ...]:
    """The clock, the time of day, the camera, and a chronicle that forgets its oldest lines."""
    delta = [PatchOp(op="replace", path="/time/turn", value=turn.number)]
    if world.time.clock:
        hour, minute = map(int, world.time.clock.split(":"))
        total = (hour * 60 + minute + minutes) % 1440
        delta.append(PatchOp(op="replace", path="/time/clock", value=f"{total // 60:02d}:{total % 60:02d}"))
        label = label_at(total // 60, world.language)
        if label != world.time.label and total // 60 != hour:
            delta.append(PatchOp(op="replace", path="/time/label", value=label))
    room = world.characters[turn.speaker].location
    if room != world.location.current:
        delta.append(PatchOp(op="replace", path="/location/current", value=room))
    delta += [PatchOp(op="remove", path="/events/0")] * max(0, min(20, len(world.events) - CHRONICLE))
    return tuple(delta)


def label_at(hour: int, language: str) -> str:
    """朝 5–10, 昼 10–16, 夕方 16–18, 夜 18–23, 深夜 23–5."""
    label = next(name for end, name in LABELS if hour < end)
    return label if language == "ja" else LABELS_EN[label]


def _incident(session: Session, world: WorldState, turn: Turn, moved: bool, denied: int) -> tuple[Incident | None, str]:
    """One drawn from the deck when the story stalls or runs against a wall, or one that comes unasked."""
    standing = session.standing
    dice = standing.dice(session.garden.seed, session.branch, "incident")
    still = 0 if moved else standing.still + 1
    rested = not standing.injected or turn.number - standing.injected[-1] > COOLDOWN
    if rested and (turn.take.ruling.stall_score > STUCK or still >= session.scenario.still_turns):
        return draw_incident(session.scenario, world, standing.rung, dice), "stall"
    if denied == DENIALS_INCIDENT:
        return draw_incident(session.scenario, world, standing.rung, dice), "denials"
    return chance_incident(session.scenario, world, standing.rung, dice), "chance"


def ring(incident: Incident, world: WorldState, turn: int, cause: str = "user") -> Event:
    """An incident as an event, with those who perceive it."""
    rooms = where_it_happens(incident, world)
    seen = [who for who, figure in world.characters.items() if rooms is None or figure.location in rooms]
    payload = {"id": incident.id, "text": incident.text, "cause": cause}
    return Event(
        kind="incident",
        turn=turn,
        origin="gm",
        witnesses=tuple(seen),
        payload=payload,
        world_delta=incident_delta(incident),
    )


def next_act(session: Session, world: WorldState, rung: Sequence[str], turn: Turn) -> StoryAct | None:
    """The act that opens now; nothing opens before the one that comes before it."""
    act = next((one for one in session.scenario.acts if one.id not in rung), None)
    opens = act is not None and ready(act, world, rung) and came_true(act.opens, world, turn)
    return act if opens else None


def reached_ending(session: Session, world: WorldState, rung: Sequence[str], turn: Turn) -> Ending | None:
    """The ending that is reached now; one that the garden went on from is not reached again."""
    for ending in session.scenario.all_endings:
        fresh = ending.id not in session.standing.endings and is_time(ending.when, world, rung)
        if fresh and came_true(ending, world, turn, ending.who):
            return ending
    return None


def came_true(goal: Goal, world: WorldState, turn: Turn, who: Sequence[str] = ()) -> bool:
    """Whether a goal has come true for one of these (none named: for anybody), by this turn if it asks for a deed."""
    people = who or tuple(world.characters)
    if goal.did:
        acts = [Act(verb_of(verb), target) for verb, target in turn.deeds]
        done = turn.take.ruling.allowed and turn.speaker in people and deed_done(goal.did, acts)
        return done and holds_true(goal.with_field("did", None), world, turn.speaker)
    return any(holds_true(goal, world, one) for one in people)
