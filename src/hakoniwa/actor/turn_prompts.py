"""The prompts of one turn, ordered for the server's cache: frame, what was witnessed, scene, offered acts, request."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import Decision
from hakoniwa.actor.view import CharacterView
from hakoniwa.actor.window import TranscriptWindow
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.options import likely, possible_acts, vary_order
from hakoniwa.llm import Message, quote_text
from hakoniwa.messages import say
from hakoniwa.pack import pack
from hakoniwa.prompts import render
from hakoniwa.stage.goal import Goal
from hakoniwa.stage.scene import Scene, to_brief_xml
from hakoniwa.turn import Thought

SEARCHED, OFTEN = 400, 2


def offered_acts(view: CharacterView, decision: Decision, limit: int) -> list[Act]:
    """The act that is meant, possible or not (some things must be tried); then acts on what the desires are about,
    strongest first; then the rest, on as many things as there are. What was done time and again lately is left out."""
    lately = decision.state.last_acts
    stale = {tag for tag in lately if lately.count(tag) >= OFTEN}
    possible = likely(view.believed, possible_acts(view.believed, view.who, limit=SEARCHED))
    acts = vary_order(act for act in possible if not stale or act.tag not in stale)
    known = {one.name: one.goal for one in (*view.character.desires, *decision.state.urges)}
    goals = [known[one.desire] for one in decision.ranked if one.desire in known]
    wanted = {name: rank for rank, goal in reversed([*enumerate(goals)]) for name in _about(goal)}
    places = {place for goal in goals for place in _places(goal)}
    ranked = sorted(acts, key=lambda act: _rank(act, wanted, places))
    meant = decision.acts[:1]
    return [*meant, *(act for act in ranked if act not in meant)][:limit]


def _about(goal: Goal) -> set[str | None]:
    """The things and rooms a goal speaks of."""
    deed = {*goal.did.target, *goal.did.destination} if goal.did else set()
    return {*deed, *goal.state, *goal.placed, goal.holding, goal.at, goal.seen} - {None}


def _places(goal: Goal) -> set[str]:
    """Where a goal wants things to go."""
    return {*goal.placed.values(), *(goal.did.destination if goal.did else ())}


def _rank(act: Act, wanted: Mapping[str | None, int], places: Collection[str]) -> tuple[bool, float, bool]:
    """Laying things where nobody wants anything, and putting them away, comes last; before that the rank of the first
    desire an act may serve, looks after deeds."""
    laid = act.verb.id == "PUT" and act.destination is not None and act.destination not in places
    idle = laid or act.verb.id == "STOW"
    return idle, wanted.get(act.target, math.inf), act.verb.id == "INSPECT"


Mode = Literal["think", "choose", "once"]

LOW = -0.1
LISTED_ACTS, CHOICES, NEAR, MAX_DESIRES, EXAMPLES = 6, 8, 2, 3, 2
REMINDERS, REMINDER_LENGTH = 2, 48  # memories, and the characters of each
FRAMES = 16  # of so many gardens the part that never changes is kept
MAX_BELIEFS: dict[Mode, int] = {"think": 8, "choose": 3, "once": 8}  # a list of acts leaves less room for them


@dataclass(frozen=True)
class TurnPrompts:
    """A character's part in one turn. Each piece is put together once and stays as it is, whatever is learnt meanwhile
    about the model. `room` says how many characters of transcript go with a frame of so many."""

    view: CharacterView
    decision: Decision
    mode: Mode
    room: Callable[[int], int]

    @cached_property
    def options(self) -> list[Act]:
        """The acts that may be chosen; where they are only examples, the first few of them are shown."""
        return offered_acts(self.view, self.decision, CHOICES)

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
        acts = self._in_words(self.options[:LISTED_ACTS]) if self.mode == "think" else []  # else they stand in the tail
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
        return _render_frame(self.view.language, cast, self.view.scene.rules)

    def _story(self, seen: TranscriptWindow) -> str:
        """What only has lines added, until it is cut."""
        return quote_text(render("actor/story", self.view.language, earlier=seen.earlier, lines=seen.lines))

    def _tail(self, shown_from: int) -> str:
        """What is this turn's own: the scene, who one is in it, how one sees it, what one wants, what is asked."""
        view, decision = self.view, self.decision
        acts = self.options if self.mode == "choose" else self.options[:LISTED_ACTS]
        near = [] if self.mode == "choose" else [name for act in acts for name in (act.target, act.destination) if name]
        return render(
            "actor/think", view.language, me=view.who, mode=self.mode, acts=self._in_words(acts),
            scene=_brief_scene(view.scene, list(dict.fromkeys(near))[:NEAR], view.language),
            beliefs=decision.beliefs[: MAX_BELIEFS[self.mode]],
            desires=[one.desire for one in decision.ranked[:MAX_DESIRES]],
            intention=self.intention, tries=_tries_in_words(view, decision), facts=view.facts,
            temper=_mood_in_words(view, decision), lore=view.lore, memories=_memories(view, shown_from),
        )  # fmt: skip

    def _in_words(self, acts: Sequence[Act]) -> list[str]:
        return [stage_direction(self.view.believed, act, self.view.language) for act in acts]


class _PublicSheet(NamedTuple):
    """What everybody may know of somebody."""

    name: str
    called: str
    me: str
    persona: str
    tone: str
    examples: tuple[str, ...]


def _public(name: str, one: Character) -> _PublicSheet:
    speech = one.speech
    return _PublicSheet(
        name, one.display_name, speech.first_person, one.persona.strip(), speech.tone, one.examples[:EXAMPLES]
    )


@lru_cache(maxsize=FRAMES)
def _render_frame(language: str, cast: tuple[_PublicSheet, ...], rules: tuple[str, ...]) -> str:
    return quote_text(render("actor/frame", language, cast=cast, rules=rules))


def _brief_scene(scene: Scene, near: Sequence[str], language: str) -> str:
    """The scene in short; what somebody holds is named with them, and not once more among the things."""
    things = tuple(one for one in scene.things if one.held_by is None or one.name in near)
    return to_brief_xml(scene.with_field("things", things), near, language)


def _memories(view: CharacterView, shown_from: int) -> list[str]:
    """What has come to mind and is not in the transcript above anyway, in a few words each."""
    older = [" ".join(text.split()) for seq, text in view.memories if seq < shown_from]
    return [text if len(text) <= REMINDER_LENGTH else f"{text[:REMINDER_LENGTH]}…" for text in older[:REMINDERS]]


def _mood_in_words(view: CharacterView, decision: Decision) -> str:
    """The mood, unless it is an even one, and whether one is the first to speak."""
    phrases, mood = pack(view.language).phrases, decision.state.mood
    felt = "bad" if mood.valence < LOW else mood.label
    talkative = view.character.personality.extraversion
    bearing = "bearing.open" if talkative >= 0.7 else "bearing.shy" if talkative <= 0.3 else ""
    known = [say(f"mood.{felt}", view.language) if felt != "calm" else "", phrases.get(bearing, "")]
    return phrases["list"].join(one for one in known if one)


def _tries_in_words(view: CharacterView, decision: Decision) -> str:
    """How much will is left for a desire that met resistance."""
    struggle = decision.state.struggles.get(decision.desire.name) if decision.desire else None
    if struggle is None:
        return ""
    phrases = pack(view.language).phrases
    others = struggle.tries_left - 1
    return phrases["tries.left"].format(count=others) if others > 0 else phrases["tries.none"]
