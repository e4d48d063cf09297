"""Reply: what a persona answers, with what it has called to mind."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Protocol

from hakoniwa.actor.cards.book import spoken_words
from hakoniwa.actor.cards.macros import ORIGINAL
from hakoniwa.actor.character import Character
from hakoniwa.actor.phrasebook import choose
from hakoniwa.llm import ChatModel, Message
from hakoniwa.messages import say
from hakoniwa.persona.generated import Generated, join_texts, marks, unseal
from hakoniwa.persona.persona import USER, Persona
from hakoniwa.persona.records import Memory, Vad
from hakoniwa.prompts import render

REPLY_TOKENS = 300
LONGEST_LINE = 600
INTERESTS = 4
EXAMPLES = 3
CLEAR = 0.2  # how far from even a mood must be to have a name
NAMED = frozenset({"topic", "person", "preference", "entity_person", "entity_place", "entity_org", "entity_project"})


@dataclass(frozen=True)
class Surroundings:
    """Where a persona is in a garden while it is spoken with: what it sees, has witnessed, believes, wants and can do.

    `asked`: whether what it was just asked for is something it now means to do (None: it was asked for nothing)."""

    scene: str
    witnessed: Sequence[str] = ()
    beliefs: Sequence[str] = ()
    desires: Sequence[str] = ()
    acts: Sequence[str] = ()
    asked: bool | None = None


@dataclass(frozen=True)
class ReplyContext:
    """Everything an answer is made from: what was said, to whom, and what that persona has in mind."""

    persona: Persona
    sheet: Character
    heard: str
    now: str
    history: Sequence[Memory]
    memories: Sequence[tuple[str, Generated]]
    mood: Vad
    likings: Mapping[str, Any]
    interests: Sequence[str]
    dice: Random
    around: Surroundings | None = None
    lore: Sequence[str] = ()
    user: Mapping[str, str] = field(default_factory=dict)  # name and description, where the user has said who they are
    again: bool = False  # what came first had been said before, word for word
    begun: str = ""  # what has been said of the answer already


class Respondent(Protocol):
    """Answers for a persona, piece by piece."""

    name: str

    def answer(self, occasion: ReplyContext) -> AsyncGenerator[Generated]: ...


class ModelRespondent(Respondent):
    """A language model in the persona's place."""

    def __init__(self, model: ChatModel) -> None:
        self.model, self.name = model, model.name

    async def answer(self, occasion: ReplyContext) -> AsyncGenerator[Generated]:
        """The answer, from where it differs from all that was said before; if it never does, asked for once more."""
        known, held = _said_before(occasion), list[Generated]()
        async with aclosing(self._ask(occasion)) as first:
            async for piece in first:
                held.append(piece)
                if not is_beginning(join_texts(held), known):
                    break
            else:
                if is_repetition(join_texts(held), known):
                    held = [piece async for piece in self._ask(replace(occasion, again=True))]
            if held:
                yield join_texts(held)
            async for piece in first:
                yield piece

    async def _ask(self, occasion: ReplyContext) -> AsyncGenerator[Generated]:
        async for piece in self.model.chat(prompt_of(occasion), "ghost.reply", REPLY_TOKENS):
            if isinstance(piece, str):
                yield Generated(piece)


def is_beginning(text: Generated, known: Sequence[Generated]) -> bool:
    """Whether one of these begins with the very words of the text."""
    found = marks(text)
    return not found or any(found[-1] in marks(one) for one in known)


def is_repetition(text: Generated, known: Sequence[Generated]) -> bool:
    """Whether one of these says just this."""
    found = marks(text)
    return bool(found) and any(found == marks(one) for one in known)


def _said_before(occasion: ReplyContext) -> list[Generated]:
    """What need not be said again: the other's own words just now, one's own lately, and one's examples."""
    own = [one.assistant_text for one in occasion.history if one.assistant_text is not None]
    return [Generated(occasion.heard), *own, *map(Generated, examples_of(occasion.sheet))]


def examples_of(sheet: Character) -> list[str]:
    """A few of somebody's lines, to show how they sound."""
    return list(dict.fromkeys(spoken_words(sheet.examples)))[:EXAMPLES]


class BuiltinRespondent(Respondent):
    """No model: a line of the character's phrasebook."""

    name = "builtin"

    async def answer(self, occasion: ReplyContext) -> AsyncGenerator[Generated]:
        book, mood = occasion.sheet.phrasebook, mood_label(occasion.mood)
        slots = {"me": occasion.sheet.speech.first_person, "you": occasion.persona.second_person_label}
        situation = {"verb": "*", "thing": None, "mood": mood, "to": USER}
        greeting = {"*": (*book.greet.get(USER, ()), *book.greet.get("*", ()))} if not occasion.history else {}
        for section in (_of_request(book.answer, occasion.around), greeting, book.answer, book.idle):
            if line := choose(section, situation, slots, book.words, (), occasion.dice):
                yield Generated(line)
                return
        yield Generated(say("chat.silence", occasion.persona.language))


def _of_request(section: Mapping[str, Sequence[str]], around: Surroundings | None) -> Mapping[str, Sequence[str]]:
    """What a phrasebook has to say to a request, where there was one."""
    if around is None or around.asked is None:
        return {}
    return {"*": section.get("yes" if around.asked else "no", ())}


# --- the prompt: frame, the conversation so far, this turn ---


def prompt_of(occasion: ReplyContext) -> list[Message]:
    """Who one is, what was said before, and what is said now; only the last message is new from turn to turn."""
    language = occasion.persona.language
    opening = render(
        "ghost/reply_frame", language,
        persona=occasion.persona, first_person=occasion.sheet.speech.first_person, examples=examples_of(occasion.sheet),
        in_garden=occasion.around is not None, user=occasion.user,
    )  # fmt: skip
    asked = occasion.sheet.instructions
    head = asked.system.replace(ORIGINAL, "").strip()
    lines = [("user", f"{head}\n\n{opening}" if head else opening)]
    for one in occasion.history:
        lines += [
            ("user", one.user_text or ""),
            ("assistant", unseal(one.assistant_text) if one.assistant_text is not None else ""),
        ]
    lines.append(("user", _this_turn(occasion)))
    lines.insert(max(1, len(lines) - asked.depth), ("user", asked.at_depth))
    return _alternate_roles([(role, text) for role, text in lines if text])


def _this_turn(occasion: ReplyContext) -> str:
    language = occasion.persona.language
    return render(
        "ghost/reply_turn", language,
        me=occasion.persona.name, again=occasion.again,
        now=occasion.now,
        around=occasion.around,
        mood=say(f"mood.{mood_label(occasion.mood)}", language),
        likes=_subjects(occasion.likings, "like"),
        dislikes=_subjects(occasion.likings, "dislike"),
        interests=list(occasion.interests)[:INTERESTS],
        lore=occasion.lore,
        memories=[{"when": when, "text": _one_line(unseal(text))} for when, text in occasion.memories],
        heard=occasion.heard, begun=occasion.begun, direction=occasion.sheet.instructions.after_history,
    )  # fmt: skip


def _alternate_roles(lines: Sequence[tuple[str, str]]) -> list[Message]:
    """Messages in turns, as templates want them: what one side said in a row is one message."""
    merged: list[Message] = []
    for role, text in lines:
        if merged and merged[-1].role == role:
            merged[-1] = Message(role=merged[-1].role, content=f"{merged[-1].content}\n\n{text[: LONGEST_LINE * 4]}")
        else:
            merged.append(Message.model_validate({"role": role, "content": text}))
    return merged


def _subjects(likings: Mapping[str, Any], polarity: str) -> list[str]:
    return [one["subject"] for domain in likings.values() for one in domain.get(polarity, ())]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_LINE]


def mood_label(vad: Vad) -> str:
    """The name of a mood, by its numbers."""
    if vad.v <= -CLEAR:
        return "tense" if vad.a >= CLEAR else "bad"
    return "good" if vad.v >= CLEAR else "tense" if vad.a >= 2 * CLEAR else "calm"
