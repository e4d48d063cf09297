"""LanguageMind: the same numbers decide, and a language model finds the words and picks the acts off a list."""

import logging
import re
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from pydantic import ValidationError
from rapidfuzz.fuzz import ratio

from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.picked import PickedTurn, read_picked_turn
from hakoniwa.actor.telling import SpeechAct, is_said
from hakoniwa.actor.turn_prompts import TurnForm, TurnPrompts
from hakoniwa.actor.view import CharacterView
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.gm.act import Act, act_of
from hakoniwa.gm.second import UNDECIDED, Doubt
from hakoniwa.llm import ChatModel, Message, PartialReply, join_stream
from hakoniwa.pack import pack
from hakoniwa.prompts import render
from hakoniwa.stage.names import nfkc
from hakoniwa.turn import Performance, Thought, Value

log = logging.getLogger("hakoniwa.actor")

THINK_TOKENS, PERFORM_TOKENS, MEANT_TOKENS = 80, 120, 16
PICK_TOKENS, TURN_TOKENS = 110, 260  # a thought and numbers; with the words beside them
LONGEST_THOUGHT, LONGEST_WORDS = {"ja": 30, "en": 80}, {"ja": 80, "en": 200}  # characters
MOST_ACTS = 3
ALMOST = 85  # of a hundred: how much like the name of an act words are that are taken for it
REFUSALS = 2  # turns in a row whose form a server refuses before it is taken to know none
CONTEXT, TAIL, SPARE, LEAST = 4096, 800, 64, 200
SHARE, LEAST_HISTORY, MOST_HISTORY = 6, 750, 3000  # of the context; tokens of transcript
QUOTED = {"ja": "「{}」", "en": '"{}"'}
_MARKED = re.compile(r"[「『“\"（(*]")
_TAGS = re.compile(r"[(（]\s*[A-Z][A-Z_]*\s*(?:[:：][^()（）]*)?[)）]")
_WHOLE = re.compile(r"[。．.!?！？…‥」』”\"'’)）~〜♪]$")
_SENTENCES = re.compile(r".*[。．.!?！？…]", re.DOTALL)
_NOMINATION = re.compile(r"(\[\s*next\s*[:：][^\[\]]{1,80}\])", re.IGNORECASE)
_CUT = frozenset({"model.json-cut", "model.json-shape"})


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
    """Plays a character through a ChatModel."""

    reminisces = True
    invited = False
    part = TurnPrompts  # what a turn's prompts are made by

    def __init__(self, model: ChatModel, form: TurnForm | None = None) -> None:
        self.model = model
        self.name = model.name
        self.form = self._wanted = form or TurnForm()
        self._refused = 0  # turns in a row
        self._latest: TurnPrompts | None = None
        self._words: str | None = None  # those that came with the newest thought
        self._meant: list[tuple[SpeechAct, str]] = []  # what is to be said, as it was picked
        self._named = ""  # who is to speak next
        self._thought = ""

    async def think(self, view: CharacterView, decision: Decision) -> Thought:
        """The first phase. In one phase the words come with it, and the performance has only to say them."""
        if self._refused < REFUSALS:
            self._use_form(self._wanted)
        thought = await self._think(self._part(view, decision))
        self._thought = thought.text
        return thought

    async def _think(self, part: TurnPrompts) -> Thought:
        self._words, self._meant, self._named = None, [], ""
        if self.form.acts == "choose":
            try:
                thought = await self._pick(part)
            except ModelMisbehaved as error:
                if error.key != "model.bad-request":
                    raise
                log.warning("%s refuses a fixed form (%s): acts are asked for as tags", self.name, error)
            else:
                self._refused = 0
                return thought
            self._refused += 1
            self._use_form(self._wanted.with_field("acts", "tags"))
            part = self._part(part.view, part.decision)
        whole = self.form.phases == "one"
        if whole:
            reply = await self._ask("actor.perform", part.opening, PERFORM_TOKENS + THINK_TOKENS)
        else:
            reply = await self._ask("actor.think", part.opening, THINK_TOKENS)
        tags = None
        if self.form.acts == "tags":
            reply, tags = _TAGS.sub("", reply).strip(), _tags_in(reply, part.options)
        self._words = reply if whole else None
        return _thought(part, "" if whole else reply, tags)

    async def perform(self, view: CharacterView, decision: Decision, thought: Thought) -> tuple[Performance, MindState]:
        part = self._part(view, decision)
        text = self._words
        if text is None:
            text = await self._ask("actor.perform", part.script(thought), PERFORM_TOKENS)
        return Performance(text=self._line(text, part, thought)), decision.state

    async def retake(
        self, view: CharacterView, decision: Decision, thought: Thought, guidance: str
    ) -> Performance | None:
        """The words again, with a card that says what was wrong."""
        part = self._part(view, decision)
        again = render("actor/retake", view.language, me=view.who, guidance=guidance, acts=self.form.acts)
        *before, last = part.script(thought)
        messages = [*before, Message(role=last.role, content=f"{last.content}\n\n{again}")]
        text = await self._ask("actor.retake", messages, PERFORM_TOKENS)
        return Performance(text=self._line(text, part, thought))

    async def _pick(self, part: TurnPrompts) -> Thought:
        """Acts off the list and, in one phase, the words with them; without the form, everything is in the words."""
        whole = self.form.phases == "one"
        schema = _turn_schema(part, whole)
        if whole:
            reply = await self._ask_data("actor.perform", part.opening, TURN_TOKENS, schema)
        else:
            reply = await self._ask_data("actor.think", part.opening, PICK_TOKENS, schema)
        picked = read_picked_turn(reply)
        if picked is None:
            self._words = reply if whole else None
            return _thought(part, "" if whole else reply)
        tags = _tags_of(picked, part.options) or _tag_in_words(picked, part)
        self._named = picked.next
        self._meant = [part.lines[place] for place in _places_after(picked, part.options) if place < len(part.lines)]
        if whole:
            self._words = _whole_sentences(picked.words, part.view.language)
        return _thought(part, picked.thought.strip(), tags)

    def _use_form(self, form: TurnForm) -> None:
        """Ask in this form; prompts that were put together for another are let go."""
        if form != self.form:
            self.form, self._latest = form, None

    async def _ask(self, purpose: str, messages: Sequence[Message], limit: int) -> str:
        return (await join_stream(self.model.chat(messages, purpose, limit))).strip()

    async def _ask_data(self, purpose: str, messages: Sequence[Message], limit: int, schema: dict[str, Any]) -> str:
        """A reply after a schema, or as much of it as came: half a turn is better than none."""
        whole, draft = "", ""
        try:
            async with aclosing(self.model.chat(messages, purpose, limit, schema)) as stream:  # type: ignore[type-var]
                async for piece in stream:
                    draft += piece.text if isinstance(piece, PartialReply) else ""
                    whole += piece if isinstance(piece, str) else ""
        except ModelMisbehaved as error:
            if error.key not in _CUT or not draft or ("{" in draft and read_picked_turn(draft) is None):
                raise
        return (whole or draft).strip()

    async def read_again(self, doubt: Doubt, language: str) -> int | None:
        """What is meant by a clause of a performance; where acts are picked off a list, none is looked for in words."""
        if self.form.listed:
            return UNDECIDED
        return await ask_what_is_meant(self.model, doubt, language)

    @property
    def told(self) -> str:
        """What the model was told in the newest turn, and what it thought."""
        return f"{self._latest.told}\n{self._thought}" if self._latest else ""

    def _line(self, text: str, part: TurnPrompts, thought: Thought) -> str:
        """What came as a line: without the acts that were picked, and in quotation marks where nothing is marked."""
        if thought.chosen is None:
            return text
        for words in part.in_words(part.chosen(thought)):
            for direction in (f"（{words}）", f"({words})"):
                text = text.replace(direction, "", 1)
        said, nomination, _ = _NOMINATION.split(text, maxsplit=1) if _NOMINATION.search(text) else (text, "", "")
        nomination = nomination or (f"[Next: {self._named}]" if self._named else "")
        said = re.sub(rf"^\s*{re.escape(part.view.who)}\s*(?:[:：]|(?=[「『]))", "", said).strip()
        if _named_act(said, part):
            said = ""
        quoted = QUOTED[part.view.language]
        meant = [quoted.format(line) for act, line in self._meant if not is_said(act, said, part.view)]
        said = said if not said or _MARKED.search(said) else quoted.format(said)
        return " ".join(one for one in (*meant, said, nomination) if one)

    def _part(self, view: CharacterView, decision: Decision) -> TurnPrompts:
        """The prompts of a turn; all of its phases go on from the same one."""
        latest = self._latest
        if latest is None or latest.view is not view or latest.decision is not decision:
            latest = self._latest = self.part(view, decision, self.form, self._room_for_history)
        return latest

    def _room_for_history(self, frame: int) -> int:
        """How many characters of transcript fit: what is set or a share of the context, and never more than is left."""
        # In quarters, so that what is learnt about the model seldom moves the place where the transcript is cut.
        per_token = round(4 * getattr(self.model, "chars_per_token", 2.0)) / 4
        context = self.model.context or CONTEXT
        left = context - frame / per_token - TAIL - TURN_TOKENS - PERFORM_TOKENS - SPARE
        usual = min(max(context // SHARE, LEAST_HISTORY), MOST_HISTORY)
        return int(max(LEAST, min(self.form.history or usual, left)) * per_token)


def _tag_in_words(picked: PickedTurn, part: TurnPrompts) -> tuple[str, ...]:
    """The act that stands where words should, if it is the speaker's own and no number was given."""
    if picked.acts != (0,) or any(one in picked.words for one in part.view.company):
        return ()
    act = _named_act(picked.words, part)
    return (act.tag,) if act else ()


def _named_act(said: str, part: TurnPrompts) -> Act | None:
    """The act off the list that what should be words is the name of, whoever is said to do it."""
    names = "|".join(map(re.escape, (part.view.who, *part.view.company)))
    bare = re.sub(rf"^(?:\W*(?:{names})(?:が|は)?[\s:：、]*)+", "", nfkc(said)).strip("「」\"“”.。 ")
    acts = zip(part.options, map(nfkc, part.in_words(part.options)), strict=True)
    return next((act for act, one in acts if ratio(bare, one) >= ALMOST and bare[-1:] == one[-1]), None)


def _tags_of(picked: PickedTurn, options: Sequence[Act]) -> tuple[str, ...]:
    numbers = dict.fromkeys(number for number in picked.acts if 0 < number <= len(options))
    return tuple(options[number - 1].tag for number in numbers)[:MOST_ACTS]


def _places_after(picked: PickedTurn, options: Sequence[Act]) -> list[int]:
    """Which of what stands behind the acts was picked."""
    return [number - len(options) - 1 for number in dict.fromkeys(picked.acts) if number > len(options)]


def _tags_in(text: str, options: Sequence[Act]) -> tuple[str, ...]:
    """The offered acts whose tags stand in a reply."""
    known = {act.tag for act in options}
    written = [act.tag for tag in _TAGS.findall(text) if (act := act_of(nfkc(tag)))]
    return tuple(dict.fromkeys(tag for tag in written if tag in known))[:MOST_ACTS]


def _whole_sentences(words: str, language: str) -> str:
    """Words; of those that ran into their limit, the sentences that are whole."""
    said = words.strip()
    cut = len(words) >= LONGEST_WORDS[language] and not _WHOLE.search(said)
    return sentences[0] if cut and (sentences := _SENTENCES.match(said)) else said


def _thought(part: TurnPrompts, text: str, chosen: tuple[str, ...] | None = None) -> Thought:
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


def _turn_schema(part: TurnPrompts, whole: bool) -> dict[str, Any]:
    """A thought and acts, words for a whole turn and, where there is somebody to choose, who speaks next."""
    language, others = part.view.language, part.view.company
    numbers = _number_up_to(len(part.options) + len(part.lines))
    acts = {"type": "array", "items": numbers, "minItems": 1, "maxItems": MOST_ACTS}
    properties: dict[str, Any] = {"thought": _text_up_to(LONGEST_THOUGHT[language]), "acts": acts}
    if whole:
        properties["words"] = _text_up_to(LONGEST_WORDS[language])
    if len(others) > 1:
        properties["next"] = {"type": "string", "enum": list(others)}
    return _object_schema(properties)


def _text_up_to(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


def _number_up_to(most: int) -> dict[str, Any]:
    return {"type": "integer", "enum": list(range(most + 1))}


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip
