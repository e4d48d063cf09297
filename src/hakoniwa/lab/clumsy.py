"""ClumsyModel: a seeded stand-in for a weak language model. It errs often, and less so where its prompt helps."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any

from hakoniwa.director.critic import AXES, SCORER, TOP
from hakoniwa.llm import ChatModel, Message, Piece, Usage
from hakoniwa.llm.faults import fault
from hakoniwa.messages import read_yaml
from hakoniwa.turn import Value

_JAPANESE = re.compile(r"[ぁ-ん]")
_ENVIRONMENT = re.compile(r"<environment>([^<]*)</environment>")
_OBJECT = re.compile(r"<object [^>]*>\s*<name>([^<]+)<")
_THING = re.compile(r"^(.+?)(?: \(.*|: .*)?$", re.MULTILINE)
_ACTOR = re.compile(r'<actor id="([^"]+)"')
_ME = re.compile(r"^(?:あなたは(.+?)。|You are (.+?)\.)$", re.MULTILINE)
_ACTS = re.compile(r"^(?:いまできる行動の例|できること|Acts that are possible now|Possible): (.+)$", re.MULTILINE)
_CHOSEN = re.compile(r"はいま、こうします: (.+)。$|does this now: (.+)\.$", re.MULTILINE)
_NUMBERED = re.compile(r"^[1-9]\d* .+$", re.MULTILINE)
_GUIDANCE = ("【GMより】", "[GM] ", "【監督より】", "[Director] ")
_WARNED = ("停滞気味", "going in circles")
_CALLED = ("と呼ぶ", " calls ")
_STORY, _NOW = ("【これまで】", "[So far]"), ("【いま】", "[Now]")


@dataclass(frozen=True)
class PromptSeen:
    """A prompt as it meets the eye: what is listed, what is said to be so, what was said before."""

    text: str

    @cached_property
    def language(self) -> str:
        return "ja" if _JAPANESE.search(self.text) else "en"

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The things in the scene."""
        listed = [name for one in _ENVIRONMENT.findall(self.text) for name in _THING.findall(one)]
        return tuple(sorted({*_OBJECT.findall(self.text), *listed}))

    @cached_property
    def me(self) -> str:
        found = _ME.findall(self.text)
        return (found[-1][0] or found[-1][1]) if found else ""

    @cached_property
    def others(self) -> tuple[str, ...]:
        return tuple(one for one in _ACTOR.findall(self.text) if one != self.me)

    @cached_property
    def acts(self) -> tuple[str, ...]:
        """The acts that the prompt names as possible, the newest list alone; or the one that was chosen."""
        chosen = [one for pair in _CHOSEN.findall(self.text) for one in pair if one]
        if chosen:
            return (chosen[-1],)
        lists = _ACTS.findall(self.text)
        return tuple(one.strip() for one in re.split(r"、|, ", lists[-1])) if lists else ()

    @cached_property
    def choices(self) -> int:
        """How many acts are numbered."""
        return len(_NUMBERED.findall(self.text.rpartition("<scene_state")[2]))

    @cached_property
    def story(self) -> str:
        """What has happened and been said so far."""
        begun = max((self.text.rfind(one) for one in _STORY), default=-1)
        ended = max((self.text.rfind(one) for one in _NOW), default=-1)
        return self.text[begun:ended] if 0 <= begun < ended else ""

    @cached_property
    def own_lines(self) -> tuple[str, ...]:
        """What one has said oneself."""
        me = re.escape(self.me)
        said = re.compile(rf'^{me}(?:（[^）\n]*）)?「([^」\n]+)」|^{me}(?: \([^)\n]*\))?: "([^"\n]+)"', re.MULTILINE)
        return tuple(japanese or english for japanese, english in said.findall(self.story)) if self.me else ()

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """What the prompt asserts, and the first line of a guidance card."""
        lines = self.text.splitlines()
        return tuple(one for one in lines if one.startswith(("FACT:", *_GUIDANCE)))

    def said_to_be(self, sign: str) -> list[str]:
        """The things of the scene that are said to be so."""
        told = (f"{{}}は{sign}", f"{{}} is {sign}")
        beliefs = self.text.rpartition("</scene_state>")[2]
        return [one for one in self.things if any(form.format(one) in beliefs for form in told)]

    @property
    def guided(self) -> bool:
        return any(one.startswith(_GUIDANCE) for one in self.facts)

    def denies(self, thing: str) -> bool:
        """Whether a fact speaks of a thing; what is there is never the subject of one on its own."""
        return any(thing in fact for fact in self.facts)

    @property
    def warned(self) -> bool:
        """Whether a fact says that nothing happens any more."""
        return any(sign in fact for fact in self.facts for sign in _WARNED)

    @property
    def corrected(self) -> bool:
        """Whether a fact says what somebody is called."""
        return any(sign in fact for fact in self.facts for sign in _CALLED)

    @property
    def one_pass(self) -> bool:
        return "Output:" in self.text


PIECE, CHARS_PER_TOKEN = 16, {"ja": 1.5, "en": 3.5}
BARE, MORE = 8, 1.6  # so few things make a bare room, in which habits are so much stronger
FAULTS = ("model.empty", "model.no-first-token", "model.repetition")


class Habits(Value):
    """How often it does what."""

    imagines: float = 0.35
    swayed: float = 0.7
    loops: float = 0.25
    idles: float = 0.25
    misaddresses: float = 0.12
    breaks_form: float = 0.06
    fails: float = 0.02
    heeds_hints: float = 0.6
    heeds_list: float = 0.7
    heeds_facts: float = 0.8
    heeds_guidance: float = 0.75


class ClumsyPhrases(Value):
    """What it has to say and do in one language."""

    imagined: dict[str, str]  # a thing, and what it does with it
    handled: tuple[str, ...]
    hints: dict[str, str]  # what it does with a thing of which the prompt says that it is so
    gestures: tuple[str, ...]
    lines: tuple[str, ...]
    calls: str
    thoughts: tuple[str, ...]
    act: str
    speech: str


@dataclass(frozen=True)
class DiceThrows:
    """The dice of one reply, thrown once whatever the prompt says."""

    rest: Random
    fails: float
    heeds: float
    believes: float
    imagines: float
    loops: float
    idles: float
    misaddresses: float
    breaks: float

    @classmethod
    def of(cls, dice: Random) -> "DiceThrows":
        return cls(dice, *(dice.random() for _ in range(8)))

    def one_of(self, things: Sequence[str]) -> str:
        """One of some things; how many throws are left does not depend on how many there are."""
        return things[int(self.rest.random() * len(things))]


class ClumsyModel(ChatModel):
    """Deterministic: the same seed and the same prompts give the same replies."""

    name = "clumsy"
    context = 0

    def __init__(self, seed: int, habits: Habits | None = None) -> None:
        self.seed = seed
        self.habits = habits or Habits()
        self._turn = self._tries = 0
        self._last = ""

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        throws = self._throws(purpose)
        seen = PromptSeen("\n".join(one.content for one in messages))
        if throws.fails < self.habits.fails:
            raise fault(throws.one_of(FAULTS), model=self.name, said="", server=self.name, seconds=0.0)
        reply = self._reply(seen, throws, purpose, schema)
        for start in range(0, len(reply), PIECE):
            yield reply[start : start + PIECE]
        per_token = CHARS_PER_TOKEN[seen.language]
        yield Usage(prompt=round(len(seen.text) / per_token), completion=round(len(reply) / per_token), finish="stop")

    def _throws(self, purpose: str) -> DiceThrows:
        """Dice that depend on the turn and on how often it has been asked in it, never on what went before."""
        begins = purpose == "actor.think" or (purpose == "actor.perform" and self._last != "actor.think")
        self._turn += begins
        self._tries = self._tries + 1 if purpose == self._last and not begins else 0
        self._last = purpose
        return DiceThrows.of(Random(f"clumsy/{self.seed}/{self._turn}/{purpose}/{self._tries}"))

    def _reply(self, seen: PromptSeen, throws: DiceThrows, purpose: str, schema: dict[str, Any] | None) -> str:
        stock = phrases_for(seen.language)
        thought = throws.one_of(stock.thoughts).format(thing=throws.one_of(seen.things or ("…",)))
        if purpose == SCORER:
            return json.dumps({axis: int(throws.rest.random() * (TOP + 1)) for axis in AXES})
        if schema is not None:
            picked = 1 + int(throws.rest.random() * seen.choices) if throws.heeds < self.habits.heeds_list else 0
            said = {"words": self._said(seen, throws, stock)} if "words" in schema["properties"] else {}
            data = {"thought": thought, "acts": [picked if seen.choices else 0], **said}
            return json.dumps(data, ensure_ascii=False)
        if purpose == "actor.think":
            return thought
        played = self._performed(seen, throws, stock)
        return f"Thought: {thought}\nOutput: {played}" if seen.one_pass else played

    def _performed(self, seen: PromptSeen, throws: DiceThrows, stock: ClumsyPhrases) -> str:
        act, said = self._act(seen, throws, stock), self._said(seen, throws, stock)
        text = stock.act.format(act=act) + stock.speech.format(said=said)
        return self._broken(text, throws, seen) if throws.breaks < self.habits.breaks_form else text

    def _act(self, seen: PromptSeen, throws: DiceThrows, stock: ClumsyPhrases) -> str:
        """From what the prompt offers; else out of the air; else with something in the scene; else a gesture."""
        heeds = self.habits.heeds_guidance if seen.guided else self.habits.heeds_list
        thing, offered = throws.one_of(seen.things or ("…",)), throws.one_of(seen.acts or ("",))
        handled, gesture = self._handled(seen, throws, stock, thing), throws.one_of(stock.gestures)
        imagined = self._imagined(seen, throws, stock)
        if offered and throws.heeds < heeds:
            return offered
        if imagined and throws.imagines < self.habits.imagines * (MORE if _is_tempted(seen, stock) else 1):
            return imagined
        return gesture if throws.idles < self.habits.idles else handled

    def _handled(self, seen: PromptSeen, throws: DiceThrows, stock: ClumsyPhrases, thing: str) -> str:
        """What one does with things that are closed, or off, as the prompt has it; else something one might."""
        fitting = [way.format(thing=one) for sign, way in stock.hints.items() for one in seen.said_to_be(sign)]
        guess, sure = throws.one_of(stock.handled).format(thing=thing), throws.one_of(fitting or ("",))
        return sure if sure and throws.rest.random() < self.habits.heeds_hints else guess

    def _imagined(self, seen: PromptSeen, throws: DiceThrows, stock: ClumsyPhrases) -> str:
        """A thing nobody has seen, rather one that somebody spoke of; not one that a fact denies, if it believes it."""
        believes = throws.believes < self.habits.heeds_facts
        things = [one for one in stock.imagined if not (believes and seen.denies(one))]
        tempting = [one for one in things if one in seen.story]
        swayed, pick = throws.rest.random() < self.habits.swayed, throws.rest.random()
        pool = tempting if tempting and swayed else things
        return stock.imagined[pool[int(pick * len(pool))]] if pool else ""

    def _said(self, seen: PromptSeen, throws: DiceThrows, stock: ClumsyPhrases) -> str:
        warned = seen.warned and throws.believes < self.habits.heeds_facts
        again = throws.loops < self.habits.loops * (MORE if len(seen.things) < BARE else 1)
        line = throws.one_of(stock.lines).format(thing=throws.one_of(seen.things or ("…",)))
        if again and seen.own_lines and not warned:
            return seen.own_lines[-1]
        corrected = seen.corrected and throws.believes < self.habits.heeds_facts
        wrong = throws.misaddresses < self.habits.misaddresses and seen.others and not corrected
        return stock.calls.format(name=seen.others[0], line=line) if wrong else line

    def _broken(self, text: str, throws: DiceThrows, seen: PromptSeen) -> str:
        """The ways in which weak models leave the form."""
        other = seen.others[0] if seen.others else "?"
        ways = (f"<think>…{text}", f"{text}\n{other}: …", f"*…* {text} ```", f"**{text}**\n\n---")
        return throws.one_of(ways)


def _is_tempted(seen: PromptSeen, stock: ClumsyPhrases) -> bool:
    return any(one in seen.story for one in stock.imagined)


@cache
def phrases_for(language: str) -> ClumsyPhrases:
    return ClumsyPhrases.model_validate(read_yaml("hakoniwa.lab", "clumsy.yaml")[language])
