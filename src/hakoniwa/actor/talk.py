"""What to say: an answer owed, a reply to what happened, a word to someone, a murmur, or nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hakoniwa.actor.mind import Decision
from hakoniwa.actor.phrasebook import choose
from hakoniwa.actor.view import View
from hakoniwa.turn import Witnessed

TOPIC_REST = 60


@dataclass(frozen=True)
class Words:
    """A line, whom it is for and what it is about."""

    line: str
    to: str | None = None
    topic: str | None = None
    asks: bool = False


def speak(view: View, decision: Decision) -> Words | None:
    """The first of the things one might say that there is a fresh line for."""
    steps: list[Callable[[View, Decision], Words | None]] = [
        _answer, _follow, _calling, _failure, _happening, _greeting,
        _conversation, _doing, _remark, _small_talk, _murmur,
    ]  # fmt: skip
    for step in steps:
        if words := step(view, decision):
            return words
    return None


def _line(
    view: View,
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


def _question(view: View) -> Witnessed | None:
    """What was asked of this character by someone still here, or said by the user."""
    asked = [
        seen
        for seen in view.recent
        if (seen.asked == view.who and seen.who in view.company) or (seen.who == "user" and seen.speech)
    ]
    return asked[-1] if asked else None


def _answer(view: View, decision: Decision) -> Words | None:
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
            return Words(line, to, question.topic)
    return None


def _follow(view: View, decision: Decision) -> Words | None:
    if decision.state.awaiting is None:
        return None
    topic, whom = decision.state.awaiting
    answered = whom in view.company and any(seen.who == whom and seen.speech for seen in view.recent)
    subject = view.character.phrasebook.topics.get(topic)
    if not answered or subject is None or not subject.follow:
        return None
    line = _line(view, decision, {"*": subject.follow}, "*", to=whom)
    return Words(line, whom) if line else None


def _calling(view: View, decision: Decision) -> Words | None:
    """Calling somebody takes words."""
    for act in decision.acts:
        if act.verb.id == "CALL":
            line = _line(view, decision, view.character.phrasebook.do, "CALL", None, act.target)
            return Words(line, act.target) if line else None
    return None


def _failure(view: View, decision: Decision) -> Words | None:
    if decision.state.failed is None:
        return None
    to = view.company[0] if view.company else None
    verb, what = decision.state.failed
    line = _line(view, decision, view.character.phrasebook.failed, verb, what, to)
    return Words(line, to) if line else None


def _happening(view: View, decision: Decision) -> Words | None:
    for seen in view.recent:
        dealt_with = any(other.turn > seen.turn and other.deeds for other in view.recent if other.kind == "turn")
        if seen.incident is None or dealt_with:
            continue
        if line := _line(view, decision, view.character.phrasebook.happened, seen.incident):
            return Words(line)
    return None


def _greeting(view: View, decision: Decision) -> Words | None:
    for other in [] if _leaving(decision) else view.company:
        if other not in decision.state.met:
            known = view.character.phrasebook.greet
            for key in (other, "*"):
                if line := _line(view, decision, {"*": known.get(key, ())}, "*", to=other):
                    return Words(line, other)
    return None


def _conversation(view: View, decision: Decision) -> Words | None:
    """Company was what they wanted most, or they are the kind to start talking anyway."""
    eager = view.dice.random() < 0.1 + 0.3 * view.character.personality.extraversion
    return _topic(view, decision) if decision.means == "talk" or eager else None


def _leaving(decision: Decision) -> bool:
    """Nobody starts a conversation on the way out."""
    return any(act.verb.id == "MOVE" for act in decision.acts)


def _topic(view: View, decision: Decision) -> Words | None:
    if _leaving(decision):
        return None
    topics = list(view.character.phrasebook.topics.items())
    for name, topic in view.dice.sample(topics, len(topics)):
        if view.turn - decision.state.topics.get(name, -TOPIC_REST) < TOPIC_REST:
            continue
        for other in view.company:
            if topic.to and other not in topic.to:
                continue
            if line := _line(view, decision, {"*": topic.ask}, "*", to=other):
                return Words(line, other, name, asks=True)
    return None


def _doing(view: View, decision: Decision) -> Words | None:
    if not decision.acts or view.dice.random() > 0.8:
        return None
    act, to = decision.acts[-1], view.company[0] if view.company else None
    line = _line(view, decision, view.character.phrasebook.do, act.verb.id, act.target, to)
    return Words(line, to) if line else None


def _remark(view: View, decision: Decision) -> Words | None:
    """A word about what somebody else has just done."""
    if view.dice.random() > 0.35 + 0.5 * view.character.personality.extraversion:
        return None
    for seen in reversed(view.recent):
        if seen.who in view.company and (seen.deeds or seen.failed):
            verb, thing = ("FAIL", None) if seen.failed else seen.deeds[-1]
            if line := _line(view, decision, view.character.phrasebook.saw, verb, thing, seen.who, seen.who):
                return Words(line, seen.who)
    return None


def _small_talk(view: View, decision: Decision) -> Words | None:
    return _topic(view, decision) if view.dice.random() < 0.5 else None


def _murmur(view: View, decision: Decision) -> Words | None:
    if view.dice.random() > 0.6:
        return None
    line = _line(view, decision, view.character.phrasebook.idle, "*")
    return Words(line) if line else None
