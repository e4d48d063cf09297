"""LanguageMind: the same numbers decide, and a language model finds the words. Two phases: think, then perform.

A prompt is ordered for the server's cache: rules and the whole cast, then the transcript, then the turn's own tail.
What stands before the tail is the same, letter for letter, from turn to turn and for all who witnessed the same.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import ValidationError

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.offer import offered
from hakoniwa.actor.view import View
from hakoniwa.actor.window import Window, window
from hakoniwa.errors import ModelMisbehaved
from hakoniwa.gm.act import Act, shown
from hakoniwa.gm.step import rule_on
from hakoniwa.llm import ChatModel, Message, whole
from hakoniwa.messages import say
from hakoniwa.pack import pack
from hakoniwa.prompts import render
from hakoniwa.stage.scene import to_brief_xml
from hakoniwa.turn import Performance, Thought, Value

# Tail, thought, question and performance together stay within 512 tokens where they can: a llama.cpp server with a
# model of sliding attention, such as Gemma 3, goes back no further than that to take up what it has in its cache.
THINK_TOKENS, CHOOSE_TOKENS, PERFORM_TOKENS = 80, 100, 120
LONGEST_THOUGHT = 90
LOW = -0.1
CONTEXT, TAIL, SPARE, LEAST = 4096, 450, 64, 200
LISTED, CHOICES, NEAR, WANTED, REMEMBERED, EXAMPLES = 6, 12, 2, 3, 60, 2

Acts = Literal["free", "choose"]


class Choice(Value):
    """What the first phase says where acts are chosen: a thought, and the number of an act (0: none)."""

    thought: str
    act: int


class LanguageMind:
    """Plays a character through a ChatModel. `history` is how many tokens of transcript a prompt has at most."""

    def __init__(self, model: ChatModel, acts: Acts = "free", one_pass: bool = False, history: int = 750) -> None:
        self.model = model
        self.name = model.name
        self.acts = acts
        self.one_pass = one_pass
        self.history = history

    @property
    def mode(self) -> str:
        """What the first phase asks for."""
        return "once" if self.one_pass else "choose" if self.acts == "choose" else "think"

    async def think(self, view: View, decision: Decision) -> Thought:
        """The first phase; with one pass for both, the thought comes with the performance."""
        if self.one_pass:
            return _thought(view, decision, "")
        if self.acts == "choose":
            return await self._choose(view, decision)
        text = await self._ask("actor.think", [self._opening(view, decision)], THINK_TOKENS)
        return _thought(view, decision, text)

    async def perform(self, view: View, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        text = await self._ask("actor.perform", self._script(view, decision, thought), PERFORM_TOKENS)
        if chosen := _chosen(view, decision, thought):
            text = _with_act(view, chosen, text)
        state = decision.state.model_copy(update={"said": (*decision.state.said, text)[-REMEMBERED:]})
        return Performance(text=text), state

    async def retake(self, view: View, decision: Decision, thought: Thought, guidance: str) -> Performance | None:
        """The second phase again, with a card that says what was wrong."""
        again = render("actor/retake", view.language, me=view.who, guidance=guidance)
        *before, last = self._script(view, decision, thought)
        messages = [*before, last.model_copy(update={"content": f"{last.content}\n\n{again}"})]
        return Performance(text=await self._ask("actor.retake", messages, PERFORM_TOKENS))

    async def _choose(self, view: View, decision: Decision) -> Thought:
        options = offered(view, decision, CHOICES)
        reply = await self._ask(
            "actor.think", [self._opening(view, decision)], CHOOSE_TOKENS, schema=_choice_schema(len(options))
        )
        try:
            choice = Choice.model_validate_json(reply)
        except ValidationError:
            raise ModelMisbehaved("model.json-shape") from None
        act = options[choice.act - 1] if 0 < choice.act <= len(options) else None
        return _thought(view, decision, choice.thought.strip(), chosen=act.tag if act else None)

    async def _ask(
        self, purpose: str, messages: Sequence[Message], limit: int, schema: dict[str, Any] | None = None
    ) -> str:
        return (await whole(self.model.chat(messages, purpose, limit, schema))).strip()

    # --- prompts: rules and cast, transcript, tail ---

    def _opening(self, view: View, decision: Decision) -> Message:
        """Everything up to the first question, in one user message: many templates want a user to begin."""
        return Message(role="user", content=f"{self._frame(view)}\n\n{_tail(view, decision, self.mode)}")

    def _frame(self, view: View) -> str:
        """What does not change from turn to turn, but for the lines that are added."""
        empty = _frame_of(view, Window((), ()))
        return _frame_of(view, window(view.transcript, self._room_for_history(len(empty))))

    def _room_for_history(self, frame: int) -> int:
        """How many characters of transcript fit: the budget, or what the model's context leaves of it."""
        # In quarters, so that what is learnt about the model seldom moves the place where the transcript is cut.
        per_token = round(4 * getattr(self.model, "chars_per_token", 2.0)) / 4
        left = (self.model.context or CONTEXT) - frame / per_token - TAIL - CHOOSE_TOKENS - 2 * PERFORM_TOKENS - SPARE
        return int(max(LEAST, min(self.history, left)) * per_token)

    def _script(self, view: View, decision: Decision, thought: Thought) -> list[Message]:
        """The prompt of the second phase: it goes on where the first one ended."""
        chosen = _chosen(view, decision, thought)
        acts = [] if chosen or self.one_pass else _in_words(view, offered(view, decision, LISTED))
        ask = render(
            "actor/perform", view.language, me=view.who, acts=acts, others=view.company, mode=self.mode,
            chosen=shown(view.believed, chosen, view.language) if chosen else "",
        )  # fmt: skip
        opening = self._opening(view, decision)
        if self.one_pass:
            return [opening.model_copy(update={"content": f"{opening.content}\n{ask}"})]
        return [opening, Message(role="assistant", content=thought.text), Message(role="user", content=ask)]


def _thought(view: View, decision: Decision, text: str, chosen: str | None = None) -> Thought:
    struggle = decision.state.struggles.get(decision.desire.name) if decision.desire else None
    return Thought(
        text=text,
        beliefs=decision.beliefs,
        desires=decision.ranked,
        intention=_intention(view, decision) or None,
        means=decision.means,
        tries_left=struggle.tries_left if struggle else None,
        chosen=chosen,
    )


def _chosen(view: View, decision: Decision, thought: Thought) -> Act | None:
    """The act that was picked in the first phase."""
    if thought.chosen is None:
        return None
    return next((act for act in offered(view, decision, CHOICES) if act.tag == thought.chosen), None)


def _with_act(view: View, act: Act, text: str) -> str:
    """The performance with the chosen act in it: as the model put it, or before what it wrote."""
    done = rule_on(view.believed, view.who, text).acts
    return text if act in done else f"{act.tag} {text}"


def _choice_schema(acts: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": LONGEST_THOUGHT},
            "act": {"type": "integer", "enum": list(range(acts + 1))},
        },
        "required": ["thought", "act"],
        "additionalProperties": False,
    }


def _frame_of(view: View, shown: Window) -> str:
    cast = [_public(name, one) for name, one in view.cast.items()]
    return render(
        "actor/frame", view.language, cast=cast, rules=view.scene.rules, earlier=shown.earlier, lines=shown.lines
    )


def _public(name: str, one: Character) -> dict[str, Any]:
    """What everybody may know of somebody."""
    return {
        "name": name, "called": one.display_name, "me": one.speech.first_person, "persona": one.persona.strip(),
        "tone": one.speech.tone, "examples": one.examples[:EXAMPLES],
    }  # fmt: skip


def _tail(view: View, decision: Decision, mode: str) -> str:
    """What is this turn's own: the scene, who one is in it, how one sees it, what one wants, what is asked."""
    acts = offered(view, decision, CHOICES if mode == "choose" else LISTED)
    near = [] if mode == "choose" else [name for act in acts for name in (act.target, act.destination) if name]
    return render(
        "actor/think", view.language, me=view.who, mode=mode, acts=_in_words(view, acts),
        scene=to_brief_xml(view.scene, list(dict.fromkeys(near))[:NEAR], view.language),
        beliefs=decision.beliefs, desires=[one.desire for one in decision.ranked[:WANTED]],
        intention=_intention(view, decision), tries=_tries(view, decision), facts=view.facts,
        temper=_temper(view, decision),
    )  # fmt: skip


def _intention(view: View, decision: Decision) -> str:
    return pack(view.language).phrases["list"].join(_in_words(view, decision.acts))


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


def _in_words(view: View, acts: Sequence[Act]) -> list[str]:
    return [shown(view.believed, act, view.language) for act in acts]
