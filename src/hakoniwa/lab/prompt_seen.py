"""PromptSeen: what a weak model makes out in a prompt. It looks at the text alone, as a model does."""

import re
from dataclasses import dataclass
from functools import cached_property

_JAPANESE = re.compile(r"[ぁ-ん]")
_OBJECT = re.compile(r'<object name="([^"]+)"')
_OBJECTS = re.compile(r"<objects>([^<]*)</objects>")
_ACTOR = re.compile(r'<actor id="([^"]+)"')
_ME = re.compile(r"^(?:あなたは(.+?)。|You are (.+?)\.)$", re.MULTILINE)
_ACTS = re.compile(r"^(?:いまできる行動の例|できること|Acts that are possible now|Possible): (.+)$", re.MULTILINE)
_CHOSEN = re.compile(r"（([^（）]+)）「台詞」の形|in the form \(([^()]+)\) \"words\"")
_NUMBERED = re.compile(r"^[1-9]\d* .+$", re.MULTILINE)
_GUIDANCE = ("【GMより】", "[GM] ")
_PLACEHOLDERS = frozenset({"行動", "しぐさ", "act", "gesture"})
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
        listed = [name.strip() for one in _OBJECTS.findall(self.text) for name in one.split(",")]
        return tuple(sorted({*_OBJECT.findall(self.text), *(one for one in listed if one)}))

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
        chosen = [one for pair in _CHOSEN.findall(self.text) for one in pair if one and one not in _PLACEHOLDERS]
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
