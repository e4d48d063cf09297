"""Part: what one turn asks of a model, in prompts ordered for the server's cache.

Rules and the whole cast come first, then the transcript, then the turn's own tail. What stands before the tail is the
same, letter for letter, from turn to turn and for all who witnessed the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import Decision
from hakoniwa.actor.offer import offered
from hakoniwa.actor.view import View
from hakoniwa.actor.window import Window
from hakoniwa.gm.act import Act, shown
from hakoniwa.llm import Message
from hakoniwa.llm.quoting import quoted
from hakoniwa.messages import say
from hakoniwa.pack import pack
from hakoniwa.prompts import render
from hakoniwa.stage.scene import Scene, to_brief_xml
from hakoniwa.turn import Thought

Mode = Literal["think", "choose", "once"]

LOW = -0.1
LISTED, CHOICES, NEAR, WANTED, EXAMPLES = 6, 8, 2, 3, 2
REMINDERS, REMINDED = 2, 48  # memories, and the characters of each
FRAMES = 16  # of so many gardens the part that never changes is kept
BELIEVED: dict[Mode, int] = {"think": 8, "choose": 3, "once": 8}  # a list of acts leaves less room for them


@dataclass(frozen=True)
class Part:
    """A character's part in one turn. Each piece is put together once and stays as it is, whatever is learnt meanwhile
    about the model. `room` says how many characters of transcript go with a frame of so many."""

    view: View
    decision: Decision
    mode: Mode
    room: Callable[[int], int]

    @cached_property
    def options(self) -> list[Act]:
        """The acts that may be chosen; where they are only examples, the first few of them are shown."""
        return offered(self.view, self.decision, CHOICES)

    @cached_property
    def intention(self) -> str:
        """What is meant to be done, in words."""
        return pack(self.view.language).phrases["list"].join(self._in_words(self.decision.acts))

    @cached_property
    def opening(self) -> Message:
        """Everything up to the first question, in one user message: many templates want a user to begin."""
        frame = self._frame()
        seen = self.view.transcript.window(self.room(len(frame)))
        return Message(role="user", content=f"{frame}\n\n{self._story(seen)}\n\n{self._tail(seen.first)}")

    def script(self, thought: Thought) -> list[Message]:
        """The prompt of the second phase: it goes on where the first one ended."""
        acts = self._in_words(self.options[:LISTED]) if self.mode == "think" else []  # else they stand in the tail
        ask = render(
            "actor/perform", self.view.language, me=self.view.who, acts=acts, others=self.view.company, mode=self.mode,
            chosen=self.in_words(thought),
        )  # fmt: skip
        if self.mode == "once":
            return [Message(role="user", content=f"{self.opening.content}\n{ask}")]
        return [self.opening, Message(role="assistant", content=thought.text), Message(role="user", content=ask)]

    def chosen(self, thought: Thought) -> Act | None:
        """The act that was picked in the first phase."""
        if thought.chosen is None:
            return None
        return next((act for act in self.options if act.tag == thought.chosen), None)

    def in_words(self, thought: Thought) -> str:
        """The act that was picked, in the words in which it is to be played."""
        chosen = self.chosen(thought)
        return self._in_words([chosen])[0] if chosen else ""

    def tagged(self, text: str, thought: Thought) -> str:
        """A performance in which the picked act, where it is played in just these words, cannot be misread."""
        words = self.in_words(thought)
        for direction in (f"（{words}）", f"({words})") if words else ():
            text = text.replace(direction, thought.chosen or "", 1)
        return text

    # --- rules and cast, transcript, tail ----------------------------------------------------------------------------

    def _frame(self) -> str:
        """What never changes."""
        cast = tuple(_public(name, one) for name, one in self.view.cast.items())
        return _framed(self.view.language, cast, self.view.scene.rules)

    def _story(self, seen: Window) -> str:
        """What only has lines added, until it is cut."""
        return quoted(render("actor/story", self.view.language, earlier=seen.earlier, lines=seen.lines))

    def _tail(self, shown_from: int) -> str:
        """What is this turn's own: the scene, who one is in it, how one sees it, what one wants, what is asked."""
        view, decision = self.view, self.decision
        acts = self.options if self.mode == "choose" else self.options[:LISTED]
        near = [] if self.mode == "choose" else [name for act in acts for name in (act.target, act.destination) if name]
        return render(
            "actor/think", view.language, me=view.who, mode=self.mode, acts=self._in_words(acts),
            scene=_brief(view.scene, list(dict.fromkeys(near))[:NEAR], view.language),
            beliefs=decision.beliefs[: BELIEVED[self.mode]], desires=[one.desire for one in decision.ranked[:WANTED]],
            intention=self.intention, tries=_tries(view, decision), facts=view.facts, temper=_temper(view, decision),
            lore=view.lore, memories=_memories(view, shown_from),
        )  # fmt: skip

    def _in_words(self, acts: Sequence[Act]) -> list[str]:
        return [shown(self.view.believed, act, self.view.language) for act in acts]


class _Public(NamedTuple):
    """What everybody may know of somebody."""

    name: str
    called: str
    me: str
    persona: str
    tone: str
    examples: tuple[str, ...]


def _public(name: str, one: Character) -> _Public:
    speech = one.speech
    return _Public(
        name, one.display_name, speech.first_person, one.persona.strip(), speech.tone, one.examples[:EXAMPLES]
    )


@lru_cache(maxsize=FRAMES)
def _framed(language: str, cast: tuple[_Public, ...], rules: tuple[str, ...]) -> str:
    return quoted(render("actor/frame", language, cast=cast, rules=rules))


def _brief(scene: Scene, near: Sequence[str], language: str) -> str:
    """The scene in short; what somebody holds is named with them, and not once more among the things."""
    things = tuple(one for one in scene.things if one.held_by is None or one.name in near)
    return to_brief_xml(scene.with_field("things", things), near, language)


def _memories(view: View, shown_from: int) -> list[str]:
    """What has come to mind and is not in the transcript above anyway, in a few words each."""
    older = [" ".join(text.split()) for seq, text in view.memories if seq < shown_from]
    return [text if len(text) <= REMINDED else f"{text[:REMINDED]}…" for text in older[:REMINDERS]]


def _temper(view: View, decision: Decision) -> str:
    """The mood, unless it is an even one, and whether one is the first to speak."""
    phrases, mood = pack(view.language).phrases, decision.state.mood
    felt = "bad" if mood.valence < LOW else mood.label
    talkative = view.character.personality.extraversion
    bearing = "bearing.open" if talkative >= 0.7 else "bearing.shy" if talkative <= 0.3 else ""
    known = [say(f"mood.{felt}", view.language) if felt != "calm" else "", phrases.get(bearing, "")]
    return phrases["list"].join(one for one in known if one)


def _tries(view: View, decision: Decision) -> str:
    """How much will is left for a desire that met resistance."""
    struggle = decision.state.struggles.get(decision.desire.name) if decision.desire else None
    if struggle is None:
        return ""
    phrases = pack(view.language).phrases
    others = struggle.tries_left - 1
    return phrases["tries.left"].format(count=others) if others > 0 else phrases["tries.none"]
