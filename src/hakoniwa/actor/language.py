"""LanguageMind: the same numbers decide, and a language model finds the words. Two phases: think, then perform."""

import logging
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import ValidationError

from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.turn_prompts import Mode, TurnPrompts
from hakoniwa.actor.view import CharacterView
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.gm.act import act_of
from hakoniwa.gm.second import UNDECIDED, Doubt
from hakoniwa.llm import ChatModel, Message, join_stream
from hakoniwa.pack import pack
from hakoniwa.prompts import render
from hakoniwa.turn import Performance, Thought, Value

log = logging.getLogger("hakoniwa.actor")

# Tail, thought, question and performance together stay within some 430 tokens where they can: a llama.cpp server with a
# model of sliding attention, here Gemma 3, was seen to go back that far to take up its cache, and seldom further.
THINK_TOKENS, CHOOSE_TOKENS, PERFORM_TOKENS, MEANT_TOKENS = 80, 100, 120, 16
LONGEST_THOUGHT = {"ja": 40, "en": 100}  # characters of the one sentence that goes with a choice
CONTEXT, TAIL, SPARE, LEAST = 4096, 450, 64, 200

Acts = Literal["free", "choose"]


class ActChoice(Value):
    """What the first phase says where acts are chosen: a thought, and the number of an act (0: none)."""

    thought: str
    act: int


class MeantChoice(Value):
    """Which reading of a clause is meant: its number (0: none of them)."""

    meant: int


async def ask_what_is_meant(model: ChatModel, doubt: Doubt, language: str) -> int | None:
    """Which of a doubt's readings a model takes a clause for; None if none of them. Where the model fails, everything
    stays as it was read."""
    count = len(doubt.candidates)
    prompt = render(
        "gm/second", language,
        clause=" ".join(doubt.clause.split()), names=doubt.names, candidates=_readings_in_words(doubt, language),
    )  # fmt: skip
    schema = _object_schema({"meant": _number_up_to(count)})
    try:
        reply = await join_stream(model.chat([Message(role="user", content=prompt)], "gm.second", MEANT_TOKENS, schema))
        meant = MeantChoice.model_validate_json(reply.strip()).meant
    except (ModelError, ValidationError) as error:
        log.warning("a second reading is not to be had: %s", error)
        return UNDECIDED
    return meant - 1 if 0 < meant <= count else None


def _readings_in_words(doubt: Doubt, language: str) -> list[str]:
    """The readings as stage directions."""
    acts = [act_of(tag) for tag in doubt.candidates]
    known = pack(language)
    return [
        known.act(act.verb.id, what=act.target or "", other=act.destination or "") if act else tag
        for tag, act in zip(doubt.candidates, acts, strict=True)
    ]


class LanguageMind:
    """Plays a character through a ChatModel. `history` is how many tokens of transcript a prompt has at most."""

    reminisces = True
    part = TurnPrompts  # what a turn's prompts are made by

    def __init__(self, model: ChatModel, acts: Acts = "free", one_pass: bool = False, history: int = 750) -> None:
        self.model = model
        self.name = model.name
        self.acts = acts
        self.one_pass = one_pass
        self.history = history
        self._latest: TurnPrompts | None = None

    @property
    def mode(self) -> Mode:
        """What the first phase asks for."""
        return "once" if self.one_pass else "choose" if self.acts == "choose" else "think"

    async def think(self, view: CharacterView, decision: Decision) -> Thought:
        """The first phase; with one pass for both, the thought comes with the performance."""
        part = self._part(view, decision)
        if self.one_pass:
            return _thought(part, "")
        if self.acts == "choose":
            return await self._choose(part)
        return _thought(part, await self._ask("actor.think", [part.opening], THINK_TOKENS))

    async def perform(self, view: CharacterView, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        part = self._part(view, decision)
        text = await self._ask("actor.perform", part.script(thought), PERFORM_TOKENS)
        return Performance(text=part.tagged(text, thought)), decision.state

    async def retake(
        self, view: CharacterView, decision: Decision, thought: Thought, guidance: str
    ) -> Performance | None:
        """The second phase again, with a card that says what was wrong."""
        part = self._part(view, decision)
        again = render("actor/retake", view.language, me=view.who, guidance=guidance, chosen=part.in_words(thought))
        *before, last = part.script(thought)
        messages = [*before, Message(role=last.role, content=f"{last.content}\n\n{again}")]
        text = await self._ask("actor.retake", messages, PERFORM_TOKENS)
        return Performance(text=part.tagged(text, thought))

    async def _choose(self, part: TurnPrompts) -> Thought:
        options = part.options
        schema = _choice_schema(len(options), LONGEST_THOUGHT[part.view.language])
        reply = await self._ask("actor.think", [part.opening], CHOOSE_TOKENS, schema)
        try:
            choice = ActChoice.model_validate_json(reply)
        except ValidationError:
            raise ModelMisbehaved("model.json-shape") from None
        act = options[choice.act - 1] if 0 < choice.act <= len(options) else None
        return _thought(part, choice.thought.strip(), chosen=act.tag if act else None)

    async def _ask(
        self, purpose: str, messages: Sequence[Message], limit: int, schema: dict[str, Any] | None = None
    ) -> str:
        return (await join_stream(self.model.chat(messages, purpose, limit, schema))).strip()

    async def read_again(self, doubt: Doubt, language: str) -> int | None:
        """What is meant by a clause of a performance; where acts are chosen off a list, none is looked for in words."""
        if self.acts == "choose":
            return UNDECIDED
        return await ask_what_is_meant(self.model, doubt, language)

    def _part(self, view: CharacterView, decision: Decision) -> TurnPrompts:
        """The prompts of a turn; all of its phases go on from the same one."""
        latest = self._latest
        if latest is None or latest.view is not view or latest.decision is not decision:
            latest = self._latest = self.part(view, decision, self.mode, self._room_for_history)
        return latest

    def _room_for_history(self, frame: int) -> int:
        """How many characters of transcript fit: the budget, or what the model's context leaves of it."""
        # In quarters, so that what is learnt about the model seldom moves the place where the transcript is cut.
        per_token = round(4 * getattr(self.model, "chars_per_token", 2.0)) / 4
        left = (self.model.context or CONTEXT) - frame / per_token - TAIL - CHOOSE_TOKENS - 2 * PERFORM_TOKENS - SPARE
        # Beside a short frame there is less of it, so that a prompt never grows to more than twice its first size.
        short = frame / per_token + LEAST
        return int(max(LEAST, min(self.history, short, left)) * per_token)


def _thought(part: TurnPrompts, text: str, chosen: str | None = None) -> Thought:
    decision = part.decision
    struggle = decision.state.struggles.get(decision.desire.name) if decision.desire else None
    return Thought(
        text=text,
        beliefs=decision.beliefs,
        desires=decision.ranked,
        intention=part.intention or None,
        means=decision.means,
        tries_left=struggle.tries_left if struggle else None,
        chosen=chosen,
    )


def _choice_schema(acts: int, longest: int) -> dict[str, Any]:
    return _object_schema({"thought": {"type": "string", "maxLength": longest}, "act": _number_up_to(acts)})


def _number_up_to(most: int) -> dict[str, Any]:
    return {"type": "integer", "enum": list(range(most + 1))}


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip
