"""BuiltinMind: a real mind without a language model. It plans, acts, and speaks from the character's phrasebook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.phrasebook import choose, expand, mark
from hakoniwa.actor.telling import SpeechAct, first_of, offered_speech_acts, question_of, spoken_line
from hakoniwa.actor.view import CharacterView
from hakoniwa.actor.wording import COMPOSED, speaking_view
from hakoniwa.gm.act import act_of
from hakoniwa.pack import pack
from hakoniwa.turn import Performance, SpeechVerb, Thought, WitnessedEvent

TOPIC_REST, GOSSIP_REST, MAX_SPEECH_ACTS = 24, 60, 24


@dataclass(frozen=True)
class CharacterLine:
    """A line, whom it is for and what it is about."""

    line: str
    to: str | None = None
    topic: str | None = None
    asks: bool = False


def speak(view: CharacterView, decision: Decision) -> CharacterLine | None:
    """The first of the things one might say that there is a fresh line for."""
    steps: list[Callable[[CharacterView, Decision], CharacterLine | None]] = [
        _tell_or_refuse, _answer, _ask_after, _follow, _call_line, _failure, _happening, _greeting,
        _conversation, _act_line, _remark, _small_talk, _murmur,
    ]  # fmt: skip
    for step in steps:
        if words := step(view, decision):
            return words
    return None


def spare_line(view: CharacterView, decision: Decision, thought: Thought) -> str:
    """What the phrasebook has to say to the acts that were chosen, for a mind that found no words for them."""
    chosen = tuple(act for tag in thought.chosen or () if (act := act_of(tag)))
    words = speak(speaking_view(view, None), replace(decision, acts=chosen))
    return words.line if words else ""


def _line(
    view: CharacterView,
    decision: Decision,
    section: Mapping[str, Sequence[str]],
    verb: str,
    thing: str | None = None,
    to: str | None = None,
    doer: str | None = None,
) -> str | None:
    book = view.character.phrasebook
    slots = {
        "me": view.character.speech.first_person,
        "you": view.address(to) if to else "",
        "what": thing or "",
        "who": view.address(doer) if doer else "",
        "where": view.scene.location,
        "time": view.scene.time.split(" ")[0],
    }
    situation = {"verb": verb, "thing": thing, "mood": decision.state.mood.label, "to": to}
    return choose(section, situation, slots, book.words, decision.state.said, view.dice)


def _question(view: CharacterView) -> WitnessedEvent | None:
    """What was asked of this character by someone still here, or said by the user."""
    asked = [
        seen
        for seen in view.recent
        if (seen.asked == view.who and seen.who in view.company) or (seen.who == "user" and seen.speech)
    ]
    return asked[-1] if asked else None


def _answer(view: CharacterView, decision: Decision) -> CharacterLine | None:
    question = _question(view)
    if question is None:
        return None
    to = question.who if question.who in view.company else None
    section = view.character.phrasebook.answer
    topics = [question.topic] if question.topic else []
    if question.topic is None and question.who == "user" and view.urges:
        willing = view.character.personality.agreeableness >= 0.4
        topics += ["yes"] if decision.desire in view.urges else [] if willing else ["no"]
    for topic in (*topics, "*"):
        known = {key: lines for key, lines in section.items() if key.split("@")[0].split(">")[0].split(" ")[0] == topic}
        if line := _line(view, decision, known, topic, to=to, doer=question.who if to else None):
            return CharacterLine(line, to, question.topic)
    return None


def _tell_or_refuse(view: CharacterView, decision: Decision) -> CharacterLine | None:
    """Whoever was asked where a thing is, and knows, tells or does not."""
    if question_of(view) is None:
        return None
    act = first_of(offered_speech_acts(view, decision), SpeechVerb.TELL, SpeechVerb.REFUSE)
    return _telling_line(view, decision, act)


def _ask_after(view: CharacterView, decision: Decision) -> CharacterLine | None:
    """Whoever needs a thing and does not know where it is asks, each person once in a while; then there is gossip."""
    acts = offered_speech_acts(view, decision, limit=MAX_SPEECH_ACTS)
    fresh = [one for one in acts if view.turn - decision.state.topics.get(_subject(one), -GOSSIP_REST) >= GOSSIP_REST]
    asking = first_of(fresh, SpeechVerb.ASK)
    gossip = first_of(fresh, SpeechVerb.TELL)
    if asking is None and gossip and view.dice.random() > view.character.personality.extraversion:
        return None
    return _telling_line(view, decision, asking or gossip)


def _telling_line(view: CharacterView, decision: Decision, act: SpeechAct | None) -> CharacterLine | None:
    if act is None:
        return None
    line = spoken_line(act, view)
    return None if mark(line) in decision.state.said else CharacterLine(line, act.to, _subject(act), asks=True)


def _subject(act: SpeechAct) -> str:
    return f"{act.verb} {act.about.subject if act.about else ''} {act.to}"


def _follow(view: CharacterView, decision: Decision) -> CharacterLine | None:
    if decision.state.awaiting is None:
        return None
    topic, whom = decision.state.awaiting
    answered = whom in view.company and any(seen.who == whom and seen.speech for seen in view.recent)
    subject = view.character.phrasebook.topics.get(topic)
    if not answered or subject is None or not subject.follow:
        return None
    line = _line(view, decision, {"*": subject.follow}, "*", to=whom)
    return CharacterLine(line, whom) if line else None


def _call_line(view: CharacterView, decision: Decision) -> CharacterLine | None:
    """Calling somebody takes words."""
    for act in decision.acts:
        if act.verb.id == "CALL":
            line = _line(view, decision, view.character.phrasebook.do, "CALL", None, act.target)
            return CharacterLine(line, act.target) if line else None
    return None


def _failure(view: CharacterView, decision: Decision) -> CharacterLine | None:
    if decision.state.failed is None:
        return None
    to = view.company[0] if view.company else None
    verb, what = decision.state.failed
    line = _line(view, decision, view.character.phrasebook.failed, verb, what, to)
    return CharacterLine(line, to) if line else None


def _happening(view: CharacterView, decision: Decision) -> CharacterLine | None:
    for seen in view.recent:
        dealt_with = any(other.turn > seen.turn and other.deeds for other in view.recent if other.kind == "turn")
        if seen.incident is None or dealt_with:
            continue
        if line := _line(view, decision, view.character.phrasebook.happened, seen.incident):
            return CharacterLine(line)
    return None


def _greeting(view: CharacterView, decision: Decision) -> CharacterLine | None:
    for other in [] if _is_leaving(decision) else view.company:
        if other not in decision.state.met:
            known = view.character.phrasebook.greet
            for key in (other, "*"):
                if line := _line(view, decision, {"*": known.get(key, ())}, "*", to=other):
                    return CharacterLine(line, other)
    return None


def _conversation(view: CharacterView, decision: Decision) -> CharacterLine | None:
    """Company was what they wanted most, or they are the kind to start talking anyway."""
    eager = view.dice.random() < 0.3 + 0.4 * view.character.personality.extraversion
    return _topic(view, decision) if decision.means == "talk" or eager else None


def _is_leaving(decision: Decision) -> bool:
    """Nobody starts a conversation on the way out."""
    return any(act.verb.id == "MOVE" for act in decision.acts)


def _topic(view: CharacterView, decision: Decision) -> CharacterLine | None:
    if _is_leaving(decision):
        return None
    topics = list(view.character.phrasebook.topics.items())
    shuffled = view.dice.sample(topics, len(topics))
    for name, topic in sorted(shuffled, key=lambda one: one[0].startswith(COMPOSED)):
        if view.turn - decision.state.topics.get(name, -TOPIC_REST) < TOPIC_REST:
            continue
        for other in view.company:
            if topic.to and other not in topic.to:
                continue
            if line := _line(view, decision, {"*": topic.ask}, "*", to=other):
                return CharacterLine(line, other, name, asks=True)
    return None


def _act_line(view: CharacterView, decision: Decision) -> CharacterLine | None:
    if not decision.acts or view.dice.random() > 0.8:
        return None
    act, to = decision.acts[-1], view.company[0] if view.company else None
    line = _line(view, decision, view.character.phrasebook.do, act.verb.id, act.target, to)
    return CharacterLine(line, to) if line else None


def _remark(view: CharacterView, decision: Decision) -> CharacterLine | None:
    """A word about what somebody else has just done."""
    if view.dice.random() > 0.35 + 0.5 * view.character.personality.extraversion:
        return None
    for seen in reversed(view.recent):
        if seen.who in view.company and (seen.deeds or seen.failed):
            verb, thing = ("FAIL", None) if seen.failed else seen.deeds[-1]
            if line := _line(view, decision, view.character.phrasebook.saw, verb, thing, seen.who, seen.who):
                return CharacterLine(line, seen.who)
    return None


def _small_talk(view: CharacterView, decision: Decision) -> CharacterLine | None:
    return _topic(view, decision) if view.dice.random() < 0.5 else None


def _murmur(view: CharacterView, decision: Decision) -> CharacterLine | None:
    if view.dice.random() > 0.6:
        return None
    line = _line(view, decision, view.character.phrasebook.idle, "*")
    return CharacterLine(line) if line else None


MEMORY, MUSED = 500, 30


class BuiltinMind:
    """What plays when no model is found, in tests and in large simulations; it says so itself."""

    name = "builtin"
    reminisces = False
    invited = True

    async def think(self, view: CharacterView, decision: Decision) -> Thought:
        return Thought(
            text=_monologue(view, decision),
            beliefs=decision.beliefs,
            desires=decision.ranked,
            intention=" ".join(act.tag for act in decision.acts) or None,
            means=decision.means,
            tries_left=_tries_left(decision),
        )

    async def perform(self, view: CharacterView, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        view = speaking_view(view, _own_wish(decision))
        decision = replace(decision, state=_having_heard(view, decision.state))
        words = speak(view, decision)
        if words is None and not decision.acts:
            decision = replace(decision, acts=decision.instead)
        gesture = None if decision.acts else _gesture(view, decision)
        japanese = view.language == "ja"
        quoted, bracketed = ("「{}」", "（{}）") if japanese else ('"{}"', "({})")
        parts = [act.tag for act in decision.acts]
        parts += [bracketed.format(gesture)] if gesture else []
        parts += [quoted.format(words.line)] if words else []
        performance = Performance(
            text=" ".join(parts) or bracketed.format("……" if japanese else "..."),
            topic=words.topic if words else None,
            to=words.to if words else None,
        )
        return performance, _update_mind(view, decision, words, gesture, thought)

    async def retake(self, view: CharacterView, decision: Decision, thought: Thought, guidance: str) -> None:
        """This mind never tries the same turn twice: what is denied becomes part of the story."""
        return


def _having_heard(view: CharacterView, state: MindState) -> MindState:
    """The mind with the lines of others, which it will not repeat in their very words."""
    heard = (mark(seen.speech) for seen in view.recent if seen.speech)
    return state.with_field("said", (*state.said, *heard)[-MEMORY:])


def _own_wish(decision: Decision) -> str | None:
    """What somebody wants most, of what things suggest: it is a verb with its thing, in their language."""
    offered = {one.name for one in decision.offered}
    return next((one.desire for one in decision.ranked if one.desire in offered), None)


def _raised_topic(view: CharacterView, words: CharacterLine | None) -> dict[str, int]:
    return {words.topic: view.turn} if words and words.asks and words.topic else {}


def _fresh_topics(state: MindState, turn: int) -> dict[str, int]:
    return {name: at for name, at in state.topics.items() if turn - at < GOSSIP_REST}


def _tries_left(decision: Decision) -> int | None:
    struggle = decision.state.struggles.get(decision.desire.name) if decision.desire else None
    return struggle.tries_left if struggle else None


def _monologue(view: CharacterView, decision: Decision) -> str:
    phrases = pack(view.language).phrases
    if decision.desire is None or (decision.desire in decision.offered and view.character.desires):
        return phrases["thought.idle"]
    me = {"me": view.character.speech.first_person}
    lines = [expand(line, me, view.character.phrasebook.words, view.dice) for line in decision.desire.thoughts]
    fresh = [line for line in lines if line and mark(line) not in decision.state.mused]
    return view.dice.choice(fresh) if fresh else phrases["thought.desire"].format(desire=decision.desire.name)


def _gesture(view: CharacterView, decision: Decision) -> str | None:
    fresh = [one for one in view.character.phrasebook.gestures if mark(one) not in decision.state.said[-24:]]
    return view.dice.choice(fresh) if fresh and view.dice.random() < 0.7 else None


def _update_mind(
    view: CharacterView, decision: Decision, words: CharacterLine | None, gesture: str | None, thought: Thought
) -> MindState:
    """The mind with what it has just said, to whom and about what."""
    state = decision.state
    own = tuple(mark(one) for one in (words.line if words else None, gesture) if one)
    said = (*state.said, *own)[-MEMORY:]
    asked = words is not None and words.asks and words.topic is not None and words.to is not None
    update = {
        "said": said,
        "mused": (*state.mused, mark(thought.text))[-MUSED:],
        "awaiting": (words.topic, words.to) if asked and words else None,
        "met": tuple(dict.fromkeys([*state.met, words.to])) if words and words.to else state.met,
        "topics": {**_fresh_topics(state, view.turn), **_raised_topic(view, words)},
    }
    return state.with_fields(update)
