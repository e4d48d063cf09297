"""One turn, from top to bottom: look, make up one's mind, think, perform, direct, remember, hand on, commit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from hakoniwa.actor.builtin import spare_line
from hakoniwa.actor.mind import Decision, MindState, decide, learn, learn_from_talk
from hakoniwa.actor.view import CharacterView
from hakoniwa.director.direct import DirectedTurn, DirectorInput, RetakeRequest, direct
from hakoniwa.gm.history import signature
from hakoniwa.play.between import follow_up_events
from hakoniwa.play.hearsay import lies_in, told_facts
from hakoniwa.play.order import next_by_reply
from hakoniwa.play.record_calls import record_calls
from hakoniwa.play.session import Session
from hakoniwa.play.standing import event_of
from hakoniwa.stage.world import people_in
from hakoniwa.turn import Event, Performance, Thought, Turn

OWN_LINES, OTHERS_LINES = 8, 4
NO_THOUGHT = Thought(text="")


async def play_turn(session: Session, speaker: str, policy: "TurnPolicy | None" = None) -> Turn:
    """A whole turn, committed in one transaction: a character's own, unless a policy says otherwise."""
    policy = policy or TurnPolicy()
    part = await policy.perform(session, speaker)  # Part: thought and performance
    cut = await direct(policy.frame(session, part), part.performance, session.director, part.again)  # DirectedTurn
    turn = policy.build_turn(session, part, cut)  # Turn
    await session.commit(list(policy.events(session, turn)))
    return turn


@dataclass(frozen=True)
class Part:
    """What somebody thinks, says and does in a turn, before it is directed.

    `again` asks for another performance; `learn` is their mind after the ruling; `spare` a line of theirs."""

    who: str
    thought: Thought
    performance: Performance
    again: RetakeRequest
    learn: Callable[[DirectedTurn], MindState]
    spare: Callable[[], str] = str


class TurnPolicy:
    """How a turn is played: as a character's own. Other policies change a step of it, and never their order."""

    async def perform(self, session: Session, speaker: str) -> Part:
        """Look, make up one's mind, think and perform."""
        await record_calls(session, speaker)
        view = session.view(speaker, await recall_memories(session, speaker))  # what they see and believe
        # what they want, and by what means
        decision = decide(view, session.standing.minds[speaker], session.mind.invited)
        thought = await session.mind.think(view, decision)  # Thought
        performance, state = await session.mind.perform(view, decision, thought)  # Performance
        again = partial(session.mind.retake, view, decision, thought)
        learn = partial(update_mind, session, view, replace(decision, state=state))
        return Part(speaker, thought, performance, again, learn, partial(spare_line, view, decision, thought))

    def frame(self, session: Session, part: Part) -> DirectorInput:
        shot = director_input(session, part.who, part.thought.chosen)
        again, told = getattr(session.mind, "read_again", None), getattr(session.mind, "told", "")
        ask_second = again and partial(again, language=session.scenario.language)
        return replace(shot, told=told, spare=part.spare, ask_second=ask_second)

    def build_turn(self, session: Session, part: Part, cut: DirectedTurn) -> Turn:
        return build_turn(session, part.who, part.thought, cut, part.learn(cut))

    def events(self, session: Session, turn: Turn) -> Iterator[Event]:
        """The turn and what the passing minute brings."""
        return turn_events(session, turn, f"actor:{turn.speaker}")


@dataclass(frozen=True)
class GivenWords(TurnPolicy):
    """A turn in words that are given: judged like any other, never put in other words, and never asked for again.

    `confirmed`: they were read in one way, and that is what was meant."""

    text: str
    thought: Thought = NO_THOUGHT
    confirmed: bool = False

    async def perform(self, session: Session, speaker: str) -> Part:
        mind = session.standing.minds[speaker]
        return Part(speaker, self.thought, Performance(text=self.text), never, lambda _: mind)

    def frame(self, session: Session, part: Part) -> DirectorInput:
        return replace(director_input(session, part.who), on_block=None, confirmed=self.confirmed)

    def events(self, session: Session, turn: Turn) -> Iterator[Event]:
        return turn_events(session, turn, "user")


async def never(_: str) -> Performance | None:
    """No other performance is to be had."""
    return None


async def user_turn(session: Session, speaker: str, text: str, confirmed: bool = False) -> Turn:
    """A turn in the user's words."""
    return await play_turn(session, speaker, GivenWords(text, confirmed=confirmed))


async def recall_memories(session: Session, speaker: str) -> Sequence[tuple[int, str]]:
    """What comes to the speaker's mind, where there is a mind that makes something of it."""
    if session.ghosts is None or not session.mind.reminisces:
        return ()
    return await session.ghosts.recalled(speaker)


def director_input(session: Session, speaker: str, chosen: tuple[str, ...] | None = None) -> DirectorInput:
    """What the Director needs to know of this turn."""
    own = (turn for turn in reversed(session.standing.turns) if turn.speaker == speaker)
    others = (turn for turn in reversed(session.standing.turns) if turn.speaker != speaker)
    return DirectorInput(
        world=session.world,
        who=speaker,
        character=session.cast[speaker],
        history=session.standing.history,
        turn=session.world.time.turn + 1,
        said=[turn.take.ruling.parsed.speech or "" for turn in islice(own, OWN_LINES)][::-1],
        heard=[
            session.scenario.opening.text,
            *(turn.take.ruling.parsed.speech or "" for turn in islice(others, OTHERS_LINES)),
        ],
        implicit_take=session.scenario.implicit_take,
        chosen=chosen,
        beliefs=session.standing.beliefs,
        common=session.common_knowledge,
        leak_status=session.leak_status,
    )


def update_mind(session: Session, view: CharacterView, decision: Decision, cut: DirectedTurn) -> MindState:
    """The speaker's mind after the ruling."""
    ruling, to = cut.take.ruling, cut.take.performance.to or cut.take.ruling.parsed.addressee
    world = session.after(session.world, ruling.world_delta)
    tried_in_vain = not ruling.allowed or any(act in cut.denied for act in decision.acts[:1])
    state = learn(decision, view, world, cut.step.acts, allowed=not tried_in_vain)
    return learn_from_talk(state, view, to) if to and ruling.parsed.speech else state


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
        lies=lies_in(told_facts(cut.take), session.believed_by(speaker)),
        processes=step.processes,
        mind=mind.model_dump(mode="json", exclude_defaults=True),
        facts=cut.facts,
        next_speaker=after["next_id"],
        next_reason=after["reason"],
        next_tag=after["extracted"],
    )


def turn_events(session: Session, turn: Turn, origin: str) -> Iterator[Event]:
    """The turn and what the passing minute brings, as events."""
    event = event_of(turn, witnesses(session, turn), origin)
    yield event
    yield from follow_up_events(session, turn, event)


def witnesses(session: Session, turn: Turn) -> list[str]:
    """Who perceives a turn: everyone where it begins and where it ends; a call carries into the next rooms."""
    world = session.world
    rooms = {world.characters[turn.speaker].location}
    if turn.take.ruling.allowed:
        rooms |= {target for verb, target in turn.deeds if verb == "MOVE" and target}
        if any(verb == "CALL" for verb, _ in turn.deeds):
            rooms |= {way for room in sorted(rooms) if room in world.locations for way in world.locations[room].exits}
    return [who for room in sorted(rooms) for who in people_in(world, room)]
