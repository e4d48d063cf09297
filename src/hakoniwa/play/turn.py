"""One turn, from top to bottom: look, make up one's mind, think, perform, judge, remember, hand on, commit."""

from dataclasses import replace

from hakoniwa.actor.mind import Decision, MindState, decide, learn, talked
from hakoniwa.actor.view import View
from hakoniwa.gm.history import signature
from hakoniwa.gm.step import Step, gm_step
from hakoniwa.play.between import passing
from hakoniwa.play.session import Session
from hakoniwa.play.standing import event_of
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState, present
from hakoniwa.turn import Performance, Take, Thought, Turn


async def play_turn(session: Session, speaker: str) -> Turn:
    """A character's whole turn, committed in one transaction."""
    view = session.view(speaker)  # what they see and believe
    decision = decide(view, session.standing.minds[speaker])  # what they want, and by what means
    thought = await session.mind.think(view, decision)  # Thought
    performance, state = await session.mind.perform(view, decision, thought)  # Performance
    step = judged(session, speaker, performance)  # Step: the Ruling, and what it sets going
    mind = remembered(view, replace(decision, state=state), step, performance, after(session, step))
    turn = told(session, speaker, thought, performance, step, mind)  # Turn
    await commit(session, turn, origin=f"actor:{speaker}")
    return turn


async def user_turn(session: Session, speaker: str, text: str) -> Turn:
    """A turn the user plays as one of the characters: judged like any other."""
    performance = Performance(text=text)
    step = judged(session, speaker, performance)
    turn = told(session, speaker, Thought(text=""), performance, step, session.standing.minds[speaker])
    await commit(session, turn, origin="user")
    return turn


def judged(session: Session, speaker: str, performance: Performance) -> Step:
    """The GM's answer to a performance."""
    standing = session.standing
    return gm_step(
        session.world,
        speaker,
        performance.text,
        standing.history,
        turn=session.world.time.turn + 1,
        implicit_take=session.scenario.implicit_take,
        profile="repetition",
    )


def after(session: Session, step: Step) -> WorldState:
    """The world as this step would leave it."""
    return apply(session.world, step.ruling.world_delta)


def remembered(view: View, decision: Decision, step: Step, performance: Performance, world: WorldState) -> MindState:
    """The speaker's mind after the ruling."""
    state = learn(decision, view, world, step.acts, step.ruling.allowed)
    return talked(state, view.character.desires, performance.to) if performance.to else state


def told(
    session: Session, speaker: str, thought: Thought, performance: Performance, step: Step, mind: MindState
) -> Turn:
    """The turn as the journal will keep it."""
    return Turn(
        number=session.world.time.turn + 1,
        speaker=speaker,
        thought=thought,
        take=Take(performance=performance, ruling=step.ruling),
        deeds=tuple((act.verb.id, act.target) for act in step.acts),
        marks=signature(step.ruling.parsed.action_intents, step.acts),
        processes=step.processes,
        mind=mind.model_dump(mode="json", exclude_defaults=True),
        next_speaker=following(session, speaker),
        next_reason=session.scenario.speakers.policy,
    )


def following(session: Session, speaker: str) -> str:
    """Who is next: round the whole cast, so that someone alone elsewhere goes on living there."""
    cast = list(session.cast)
    if session.scenario.speakers.policy == "random" and len(cast) > 1:
        dice = session.standing.dice(session.garden.seed, session.branch, "next", speaker)
        return dice.choice([who for who in cast if who != speaker])
    return cast[(cast.index(speaker) + 1) % len(cast)]


async def commit(session: Session, turn: Turn, origin: str) -> None:
    """The turn and what the passing minute brings, in one transaction."""
    event = event_of(turn, witnesses(session, turn), origin)
    await session.commit([event, *passing(session, turn, event)])


def witnesses(session: Session, turn: Turn) -> list[str]:
    """Who perceives a turn: everyone where it begins and where it ends; a call carries into the next rooms."""
    world = session.world
    rooms = {world.characters[turn.speaker].location}
    if turn.take.ruling.allowed:
        rooms |= {target for verb, target in turn.deeds if verb == "MOVE" and target}
        if any(verb == "CALL" for verb, _ in turn.deeds):
            rooms |= {way for room in sorted(rooms) if room in world.locations for way in world.locations[room].exits}
    return [who for room in sorted(rooms) for who in present(world, room)]
