"""One turn, from top to bottom: look, make up one's mind, think, perform, direct, remember, hand on, commit."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from hakoniwa.actor.mind import Decision, MindState, decide, learn, learn_from_talk
from hakoniwa.actor.view import CharacterView
from hakoniwa.director.direct import DirectedTurn, DirectorInput, direct
from hakoniwa.gm.history import signature
from hakoniwa.play.between import follow_up_events
from hakoniwa.play.order import next_by_reply
from hakoniwa.play.record_calls import record_calls
from hakoniwa.play.session import Session
from hakoniwa.play.standing import event_of
from hakoniwa.stage.world import people_in
from hakoniwa.turn import Performance, Thought, Turn

OWN_LINES = 8
NO_THOUGHT = Thought(text="")


async def play_turn(session: Session, speaker: str) -> Turn:
    """A character's whole turn, committed in one transaction."""
    await record_calls(session, speaker)
    view = session.view(speaker, await recall_memories(session, speaker))  # what they see and believe
    decision = decide(view, session.standing.minds[speaker])  # what they want, and by what means
    thought = await session.mind.think(view, decision)  # Thought
    performance, state = await session.mind.perform(view, decision, thought)  # Performance
    cut = await direct_performance(session, view, decision, thought, performance)  # Cut: sanitized, checked, judged
    mind = update_mind(session, view, replace(decision, state=state), cut)  # MindState
    turn = build_turn(session, speaker, thought, cut, mind)  # Turn
    await commit(session, turn, origin=f"actor:{speaker}")
    return turn


async def recall_memories(session: Session, speaker: str) -> Sequence[tuple[int, str]]:
    """What comes to the speaker's mind, where there is a mind that makes something of it."""
    if session.ghosts is None or not session.mind.reminisces:
        return ()
    return await session.ghosts.recalled(speaker)


async def user_turn(session: Session, speaker: str, text: str, thought: Thought = NO_THOUGHT) -> Turn:
    """A turn in the user's words: judged like any other, and never asked for again; nobody thought, unless they did."""

    async def once(_: str) -> Performance | None:
        return None

    cut = await direct(director_input(session, speaker), Performance(text=text), session.director, once)
    turn = build_turn(session, speaker, thought, cut, session.standing.minds[speaker])
    await commit(session, turn, origin="user")
    return turn


def director_input(session: Session, speaker: str, chosen: str | None = None) -> DirectorInput:
    """What the Director needs to know of this turn."""
    own = (turn for turn in reversed(session.standing.turns) if turn.speaker == speaker)
    return DirectorInput(
        world=session.world,
        who=speaker,
        character=session.cast[speaker],
        history=session.standing.history,
        turn=session.world.time.turn + 1,
        said=[turn.take.ruling.parsed.speech or "" for turn in islice(own, OWN_LINES)][::-1],
        implicit_take=session.scenario.implicit_take,
        chosen=chosen,
    )


async def direct_performance(
    session: Session, view: CharacterView, decision: Decision, thought: Thought, performance: Performance
) -> DirectedTurn:
    """The performance in front of the Director, who may want it again."""

    async def again(guidance: str) -> Performance | None:
        return await session.mind.retake(view, decision, thought, guidance)

    return await direct(director_input(session, view.who, thought.chosen), performance, session.director, again)


def update_mind(session: Session, view: CharacterView, decision: Decision, cut: DirectedTurn) -> MindState:
    """The speaker's mind after the ruling."""
    ruling, to = cut.take.ruling, cut.take.performance.to or cut.take.ruling.parsed.addressee
    world = session.after(session.world, ruling.world_delta)
    tried_in_vain = not ruling.allowed or any(act in cut.denied for act in decision.acts[:1])
    state = learn(decision, view, world, cut.step.acts, allowed=not tried_in_vain)
    return learn_from_talk(state, view.character.desires, to) if to and ruling.parsed.speech else state


def build_turn(session: Session, speaker: str, thought: Thought, cut: DirectedTurn, mind: MindState) -> Turn:
    """The turn as the journal will keep it."""
    step, after = cut.step, next_by_reply(session, speaker, cut)
    return Turn(
        number=session.world.time.turn + 1,
        speaker=speaker,
        thought=thought,
        take=cut.take,
        deeds=tuple((act.verb.id, act.target) for act in step.acts),
        marks=signature(step.ruling.parsed.action_intents, step.acts),
        processes=step.processes,
        mind=mind.model_dump(mode="json", exclude_defaults=True),
        facts=cut.facts,
        next_speaker=after["next_id"],
        next_reason=after["reason"],
        next_tag=after["extracted"],
    )


async def commit(session: Session, turn: Turn, origin: str) -> None:
    """The turn and what the passing minute brings, in one transaction."""
    event = event_of(turn, witnesses(session, turn), origin)
    await session.commit([event, *follow_up_events(session, turn, event)])


def witnesses(session: Session, turn: Turn) -> list[str]:
    """Who perceives a turn: everyone where it begins and where it ends; a call carries into the next rooms."""
    world = session.world
    rooms = {world.characters[turn.speaker].location}
    if turn.take.ruling.allowed:
        rooms |= {target for verb, target in turn.deeds if verb == "MOVE" and target}
        if any(verb == "CALL" for verb, _ in turn.deeds):
            rooms |= {way for room in sorted(rooms) if room in world.locations for way in world.locations[room].exits}
    return [who for room in sorted(rooms) for who in people_in(world, room)]
