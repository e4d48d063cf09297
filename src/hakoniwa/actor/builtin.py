"""BuiltinMind: a real mind without a language model. It plans, acts, and speaks from the character's phrasebook."""

from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.phrasebook import expand
from hakoniwa.actor.talk import Words, speak
from hakoniwa.actor.view import View
from hakoniwa.pack import pack
from hakoniwa.turn import Performance, Thought

MEMORY = 150


class BuiltinMind:
    """What plays when no model is found, in tests and in large simulations; it says so itself."""

    name = "builtin"
    reminisces = False

    async def think(self, view: View, decision: Decision) -> Thought:
        return Thought(
            text=_monologue(view, decision),
            beliefs=decision.beliefs,
            desires=decision.ranked,
            intention=" ".join(act.tag for act in decision.acts) or None,
            means=decision.means,
            tries_left=_tries_left(decision),
        )

    async def perform(self, view: View, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        words = speak(view, decision)
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
        return performance, _remembered(view, decision, words, gesture, thought)

    async def retake(self, view: View, decision: Decision, thought: Thought, guidance: str) -> None:
        """This mind never tries the same turn twice: what is denied becomes part of the story."""
        return


def _tries_left(decision: Decision) -> int | None:
    struggle = decision.state.struggles.get(decision.desire.name) if decision.desire else None
    return struggle.tries_left if struggle else None


def _monologue(view: View, decision: Decision) -> str:
    phrases = pack(view.language).phrases
    if decision.desire is None:
        return phrases["thought.idle"]
    me = {"me": view.character.speech.first_person}
    lines = [expand(line, me, view.character.phrasebook.words, view.dice) for line in decision.desire.thoughts]
    fresh = [line for line in lines if line and line not in decision.state.said[-30:]]
    return view.dice.choice(fresh) if fresh else phrases["thought.desire"].format(desire=decision.desire.name)


def _gesture(view: View, decision: Decision) -> str | None:
    fresh = [one for one in view.character.phrasebook.gestures if one not in decision.state.said[-24:]]
    return view.dice.choice(fresh) if fresh and view.dice.random() < 0.7 else None


def _remembered(
    view: View, decision: Decision, words: Words | None, gesture: str | None, thought: Thought
) -> MindState:
    """The mind with what it has just said, to whom and about what."""
    state = decision.state
    said = (*state.said, *(one for one in (thought.text, words.line if words else None, gesture) if one))[-MEMORY:]
    asked = words is not None and words.asks and words.topic is not None and words.to is not None
    update = {
        "said": said,
        "awaiting": (words.topic, words.to) if asked and words else None,
        "met": tuple(dict.fromkeys([*state.met, words.to])) if words and words.to else state.met,
        "topics": {**state.topics, words.topic: view.turn} if asked and words and words.topic else state.topics,
    }
    return state.with_fields(update)
