"""The prompts of one turn, ordered for the server's cache: frame, what was witnessed, scene, offered acts, request."""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import Decision
from hakoniwa.actor.telling import SpeechAct, offered_speech_acts, spoken_line
from hakoniwa.actor.view import CharacterView
from hakoniwa.actor.window import TranscriptWindow
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.options import likely, possible_acts, vary_order
from hakoniwa.llm import Message, quote_text
from hakoniwa.messages import say
from hakoniwa.pack import pack
from hakoniwa.prompts import render
from hakoniwa.stage.goal import Goal
from hakoniwa.stage.scene import SceneForm, scene_xml
from hakoniwa.turn import Thought, Value

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


def _rank(act: Act, wanted: Mapping[str | None, int], places: Collection[str]) -> tuple[int, float, bool]:
    """Laying things where nobody wants anything, and putting them away, comes last, and looking at what nobody wants
    before that; else the rank of the first desire an act may serve, looks after deeds."""
    laid = act.verb.id == "PUT" and act.destination is not None and act.destination not in places
    looks = act.verb.id == "INSPECT"
    idle = 2 if laid or act.verb.id == "STOW" else int(looks and act.target not in wanted)
    return idle, wanted.get(act.target, math.inf), looks


Acts = Literal["choose", "tags", "free"]
Phases = Literal["one", "two"]


class TurnForm(Value):
    """How a model is asked for a turn: acts off a list, as tags or in its own words; in one call or in two; with which
    form of the scene; with at most how many tokens of transcript (0: by its context)."""

    acts: Acts = "choose"
    phases: Phases = "one"
    scene: SceneForm = "compact"
    history: int = 0

    @property
    def listed(self) -> bool:
        """Whether acts are picked off a list."""
        return self.acts != "free"


LOW = -0.1
LISTED_ACTS, CHOICES, MAX_DESIRES, EXAMPLES = 6, 10, 3, 2
SPOKEN_LINES = 8  # of the transcript, where only words are asked for
REMINDERS, REMINDER_LENGTH = 2, 48  # memories, and the characters of each
FRAMES = 16  # of so many gardens the part that never changes is kept
MAX_BELIEFS = {True: 3, False: 8}  # a list of acts leaves less room for them
_DIRECTION = re.compile(r"^\s*[(（*][^)）*]*[)）*]\s*")


@dataclass(frozen=True)
class TurnPrompts:
    """A character's part in one turn. Each piece is put together once and stays as it is, whatever is learnt meanwhile
    about the model. `room` says how many characters of transcript go with a frame of so many."""

    view: CharacterView
    decision: Decision
    form: TurnForm
    room: Callable[[int], int]

    @cached_property
    def options(self) -> list[Act]:
        """The acts that may be picked; where the model finds its own, they are examples."""
        return offered_acts(self.view, self.decision, CHOICES)

    @cached_property
    def lines(self) -> list[tuple[SpeechAct, str]]:
        """What may be asked, told or refused, with the words for it; numbered after the acts."""
        offered = offered_speech_acts(self.view, self.decision) if self.form.listed else []
        return [(act, spoken_line(act, self.view)) for act in offered]

    @property
    def shown(self) -> list[Act]:
        """The acts that the prompt names: all that may be picked, else a few."""
        return self.options if self.form.listed else self.options[:LISTED_ACTS]

    @cached_property
    def intention(self) -> str:
        """What is meant to be done, in words."""
        return pack(self.view.language).phrases["list"].join(self.in_words(self.decision.acts))

    @cached_property
    def frame(self) -> Message:
        """What never changes."""
        cast = tuple(_public(name, one, self.form.listed) for name, one in self.view.cast.items())
        return Message(role="system", content=_render_frame(self.view.language, cast, self.view.scene.rules))

    @cached_property
    def opening(self) -> list[Message]:
        """Everything up to the first question."""
        seen = self.view.transcript.window(self.room(len(self.frame.content)))
        asked = "\n\n".join((self._story(seen), self._tail(seen.first), self._ask("opening")))
        return [self.frame, Message(role="user", content=asked)]

    def script(self, thought: Thought) -> list[Message]:
        """The prompt of the second phase. Where acts are picked, only words are left to find, and it has what speaking
        takes; else it goes on where the first one ended, if there were two of them."""
        if self.form.listed:
            return [self._voice, Message(role="user", content=self._speak(thought))]
        if self.form.phases == "one":
            return self.opening
        ask = self._ask("performance")
        return [
            *self.opening, Message(role="assistant", content=thought.text or "…"), Message(role="user", content=ask)
        ]  # fmt: skip

    def chosen(self, thought: Thought) -> list[Act]:
        """The acts that were picked."""
        known = {act.tag: act for act in self.options}
        return [known[tag] for tag in thought.chosen or () if tag in known]

    @property
    def told(self) -> str:
        """What the model is asked to do, what is believed and wanted, and the lines that show how: no words to say."""
        shown = [_words_of(one) for one in self.view.character.examples[:EXAMPLES]]
        wants = [one.desire for one in self.decision.ranked[:MAX_DESIRES]]
        asked = (self._ask("opening"), self._voice.content if self.form.listed else self._ask("performance"))
        return "\n".join((*asked, *self.decision.beliefs, *wants, *shown))

    def in_words(self, acts: Sequence[Act]) -> list[str]:
        return [stage_direction(self.view.believed, act, self.view.language) for act in acts]

    # --- rules and cast, transcript, tail ----------------------------------------------------------------------------

    def _story(self, seen: TranscriptWindow) -> str:
        """What only has lines added, until it is cut."""
        return quote_text(render("actor/story", self.view.language, earlier=seen.earlier, lines=seen.lines))

    def _tail(self, shown_from: int) -> str:
        """What is this turn's own: the scene, who one is in it, how one sees it, what one wants."""
        view, decision = self.view, self.decision
        return render(
            "actor/think", view.language, me=view.who, acts=self.in_words(self.shown), listed=self.form.listed,
            lines=[(act.to, line) for act, line in self.lines],
            scene=scene_xml(view.scene, self.form.scene, view.language),
            beliefs=decision.beliefs[: MAX_BELIEFS[self.form.listed]],
            desires=[one.desire for one in decision.ranked[:MAX_DESIRES]],
            intention=self.intention, tries=_tries_in_words(view, decision), facts=view.facts,
            temper=_mood_in_words(view, decision), lore=view.lore, memories=_memories(view, shown_from),
        )  # fmt: skip

    @property
    def _voice(self) -> Message:
        """Who one is and how one talks, and nothing of the others."""
        one = _public(self.view.who, self.view.character, listed=True)
        return Message(role="system", content=quote_text(render("actor/voice", self.view.language, one=one)))

    def _speak(self, thought: Thought) -> str:
        """What was said last, and all of the turn that words may come from."""
        view = self.view
        seen = view.transcript.window(self.room(len(self.frame.content)))
        return render(
            "actor/speak", view.language, lines=[quote_text(one) for one in seen.lines[-SPOKEN_LINES:]],
            place=view.scene.location, time=view.scene.time, others=view.company, facts=view.facts, lore=view.lore,
            memories=_memories(view, seen.first), temper=_mood_in_words(view, self.decision),
            chosen=self.in_words(self.chosen(thought)), to=self._spoken_to or next(iter(view.company), ""),
        )  # fmt: skip

    def _ask(self, part: Literal["opening", "performance"]) -> str:
        """What is asked for, of whom, to whom, and in which voice."""
        view = self.view
        return render(
            "actor/perform", view.language, part=part, acts=self.form.acts, phases=self.form.phases, me=view.who,
            others=view.company, to=self._spoken_to, tone=view.character.speech.tone,
        )  # fmt: skip

    @property
    def _spoken_to(self) -> str:
        """Who of those here spoke last."""
        heard = (one.who for one in reversed(self.view.recent) if one.speech)
        return next((who for who in heard if who in self.view.company), "")


class _PublicSheet(NamedTuple):
    """What everybody may know of somebody."""

    name: str
    called: str
    me: str
    persona: str
    tone: str
    examples: tuple[str, ...]


def _public(name: str, one: Character, listed: bool) -> _PublicSheet:
    speech, examples = one.speech, one.examples[:EXAMPLES]
    shown = tuple(map(_words_of, examples)) if listed else examples
    return _PublicSheet(name, one.display_name, speech.first_person, one.persona.strip(), speech.tone, shown)


def _words_of(example: str) -> str:
    """A line of a sheet without what is done beside it."""
    return _DIRECTION.sub("", example) or example


@lru_cache(maxsize=FRAMES)
def _render_frame(language: str, cast: tuple[_PublicSheet, ...], rules: tuple[str, ...]) -> str:
    return quote_text(render("actor/frame", language, cast=cast, rules=rules))


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
