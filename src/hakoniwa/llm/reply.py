"""A reply, read as it comes from the wire, and looked at once it is whole: is there anything in it besides thinking, is
it the JSON that was asked for, is it in the language?

Nothing here mends: what cannot be used as it is, is a fault with a name."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, InstanceOf, ValidationError

from hakoniwa.llm import Usage
from hakoniwa.llm.faults import fault, fault_key

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_END_OF_THOUGHT = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.IGNORECASE | re.DOTALL)
_LIKE_JSON = re.compile(r"""\A(?:```json\b|```\s*\n\s*[{\[]|\{\s*["}]|\[\s*[{"\]])""", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?:(")|\\?\Z)', re.DOTALL)
_SIGNS = re.compile(r"\[[^\[\]]{0,80}\]|</?\w+>|\b(?i:thought|output)\s*:|\b[A-Z][A-Z_]+\b")

_SCRIPTS = {"HIRAGANA": "kana", "KATAKANA": "kana", "CJK": "han", "IDEOGRAPHIC": "han", "LATIN": "latin"}
_A_WORD, _A_PHRASE, _A_SENTENCE = 4, 8, 12
_HARDLY, _HARDLY_ANY = 0.1, 0.05


def without_thinking(text: str) -> str:
    """What is left of a reply when the model's own thinking is taken out, closed or not."""
    return _END_OF_THOUGHT.sub("", _THOUGHT.sub("", text)).strip()


# --- JSON ------------------------------------------------------------------------------------------------------------


def extract_json(text: str, schema: dict[str, Any], finish: str | None) -> str:
    """The JSON of a reply that was to follow a schema."""
    found = _strip_fence(without_thinking(text))
    try:
        value = json.loads(found)
    except (ValueError, RecursionError):
        raise fault("model.json-cut" if finish == "length" or _open_ended(found) else "model.json-shape") from None
    if not fits(value, schema):
        raise fault("model.json-shape")
    return found


def _strip_fence(text: str) -> str:
    """What stands in a block of Markdown, if the text is one."""
    first, _, rest = text.partition("\n")
    return rest[:-3].strip() if first.startswith("```") and rest.endswith("```") else text


def _open_ended(text: str) -> bool:
    """Whether JSON stops before it is closed."""
    bare = _STRING.sub(lambda found: "" if found[1] else '"', text)
    return '"' in bare or bare.count("{") > bare.count("}") or bare.count("[") > bare.count("]")


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value has the shape a schema asks for, as far as the schemas of short calls go."""
    if "anyOf" in schema:
        return any(fits(value, one) for one in schema["anyOf"])
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = schema.get("type", [])
    if kinds and not any(_is_kind(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, dict):
        return _members_fit(value, schema)
    return not isinstance(value, list) or all(fits(one, schema.get("items", {})) for one in value)


def _members_fit(value: dict[str, Any], schema: dict[str, Any]) -> bool:
    known: dict[str, Any] = schema.get("properties", {})
    more = schema.get("additionalProperties", True)
    others = [one for name, one in value.items() if name not in known]
    if any(name not in value for name in schema.get("required", ())) or (others and more is False):
        return False
    return all(fits(value[name], known[name]) for name in known if name in value) and (
        not isinstance(more, dict) or all(fits(one, more) for one in others)
    )


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    types: dict[str, tuple[type, ...]] = {
        "object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float),
        "null": (type(None),),
    }  # fmt: skip
    return isinstance(value, types.get(kind, ()))


# --- prose -----------------------------------------------------------------------------------------------------------


def prose(text: str, language: str, names: Iterable[str] = ()) -> str:
    """A reply that was to be words in a language: not JSON, and not words in another."""
    bare = without_thinking(text)
    if _LIKE_JSON.match(bare) and not _json_before_words(bare):
        raise fault("model.json-cut" if _open_ended(bare) else "model.json-shape")
    if is_foreign(bare, language, names):
        raise fault("model.wrong-language", language=language)
    return text


def _json_before_words(text: str) -> bool:
    """Whether JSON stands before words, as a sign to whoever speaks next may."""
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return bool(text[end:].strip())


def is_foreign(text: str, language: str, names: Iterable[str] = ()) -> bool:
    """Whether a text is as a whole in the script of another language; signs, names and a few words do not count."""
    bare = _SIGNS.sub(" ", unicodedata.normalize("NFKC", text))
    for name in names:
        bare = bare.replace(name, " ")
    letters = [letter for letter in bare if letter.isalpha()]
    scripts = Counter(map(_script, letters))
    japanese, latin = scripts["kana"] + scripts["han"], scripts["latin"]
    if language != "ja":
        return len(letters) >= _A_WORD and latin < len(letters) / 2
    if len(letters) - japanese - latin > len(letters) / 2:
        return len(letters) >= _A_WORD
    return (latin >= _A_SENTENCE and japanese < len(letters) * _HARDLY) or (
        scripts["kana"] < japanese * _HARDLY_ANY and (japanese >= _A_PHRASE or not _spelled_in_japan(letters))
    )


@lru_cache(maxsize=8192)
def _script(letter: str) -> str:
    return _SCRIPTS.get(re.split(r"[ -]", unicodedata.name(letter, ""), maxsplit=1)[0], "other")


def _spelled_in_japan(letters: Iterable[str]) -> bool:
    """Whether every character is one of those Japanese is written with, unlike 这 or 们."""
    try:
        "".join(letters).encode("cp932")
    except UnicodeEncodeError:
        return False
    return True


UNIT, TIMES, BLANKS = 32, 4, 64
_WINDOW = 4096


class LoopDetector:
    """Listens to a text as it comes and raises as soon as it goes in circles."""

    def __init__(self) -> None:
        self._tail = ""
        self._blanks = 0

    def hear(self, text: str) -> None:
        for letter in text:
            self._tail += letter
            self._blanks = self._blanks + 1 if is_blank(letter) else 0
            if self._blanks >= BLANKS:
                raise fault("model.blanks")
            if is_looping(self._tail):
                raise fault("model.repetition")
        self._tail = self._tail[-_WINDOW:]


def is_blank(letter: str) -> bool:
    """Whether there is nothing to see: spaces of all widths, and signs of none."""
    return letter.isspace() or letter in "\u200b\u200c\u200d\u2060\ufeff\u3164"


def is_looping(text: str) -> bool:
    """Whether a text ends in a unit of at least 32 characters, four times back to back."""
    end = len(text)
    last = text[-UNIT:]
    place = text.rfind(last, 0, end - UNIT) if end >= UNIT * TIMES else -1
    while place >= 0 and (period := end - UNIT - place) * TIMES <= end:
        if text[-period:] * TIMES == text[-period * TIMES :]:
            return True
        place = text.rfind(last, 0, place + UNIT - 1)
    return False


LONGEST = 32 * 1024
_LONG, _VARIED = 8, 3


class _Words(BaseModel):
    """Text that may still hold half a character, which a plain `str` field refuses."""

    content: InstanceOf[str] | None = None
    reasoning_content: InstanceOf[str] | None = None
    reasoning: InstanceOf[str] | None = None


class _Choice(BaseModel):
    index: int | None = None
    delta: _Words | None = None
    message: _Words | None = None
    finish_reason: str | None = None

    @property
    def words(self) -> _Words:
        return self.delta or self.message or _Words()


class _Cached(BaseModel):
    cached_tokens: int | None = None


class _Counts(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None


class _Chunk(BaseModel):
    """A piece of a reply, or a whole one, as far as we read it."""

    id: Any = None
    choices: list[_Choice] | None = None
    usage: Any = None


class ReplyReader:
    """One reply being read."""

    def __init__(self, schema: dict[str, Any] | None = None) -> None:
        self.schema = schema
        self.finish: str | None = None
        self.begun = False
        self._counts = _Counts()
        self._text = ""
        self._held = ""
        self._pieces: list[str] = []
        self._thoughts = 0
        self._drivel, self._drivel_of_thought = LoopDetector(), LoopDetector()
        self._id: Any = None
        self._former: set[str] = set()
        self._any_choice = False

    def take(self, data: Any) -> str:
        """Take in a chunk; the text that may be handed out now."""
        chunk = _chunk(data)
        self._counts = _counts(chunk.usage) or self._counts
        self._follow(chunk.id)
        for choice in chunk.choices or ():
            self._any_choice = True
            if not choice.index:
                self._take_words(choice.words)
                self.finish = choice.finish_reason or self.finish
        return self._hand_out()

    def _follow(self, id: Any) -> None:
        """Two replies whose chunks come mixed are neither; an id of its own for every chunk says nothing."""
        if isinstance(id, str) and id != self._id:
            if id in self._former:
                raise fault("model.mixed-chunks")
            self._former.add(id)
            self._id = id

    def _take_words(self, words: _Words) -> None:
        thought, text = words.reasoning_content or words.reasoning or "", words.content or ""
        self.begun = self.begun or bool(thought or text)
        self._thoughts += bool(thought)
        self._drivel_of_thought.hear(thought)
        if not text:
            return
        if self.finish:
            raise fault("model.mixed-chunks")
        self._drivel.hear(text)
        self._pieces.append(text)
        self._held += text

    def _hand_out(self) -> str:
        """As much as is whole: half a character waits for its other half."""
        half = "\ud800" <= self._held[-1:] <= "\udbff"
        ready, self._held = (self._held[:-1], self._held[-1:]) if half else (self._held, "")
        joined = _join_halves(ready)
        self._text += joined
        if len(self._text) > LONGEST:
            raise fault("model.too-long", limit=LONGEST)
        return joined

    def end(self) -> str:
        """The reply has ended: raise if it cannot be used; what is left to hand out."""
        if not self._any_choice:
            raise fault("model.not-a-server")
        if self.finish is None:
            raise fault("model.truncated")
        _join_halves(self._held)
        if _has_doubles(self._pieces) and not self._accounted_for:
            raise fault("model.mixed-chunks")
        if all(map(is_blank, without_thinking(self._text))):
            raise fault("model.only-thinking" if self._has_thought else "model.empty")
        return extract_json(self._text, self.schema, self.finish) if self.schema else ""

    @property
    def _has_thought(self) -> bool:
        """Whether an empty reply is one that thought and did not come to speak; some servers hide the thoughts."""
        return bool(self._thoughts) or self.finish == "length" or not all(map(is_blank, self._text))

    @property
    def _accounted_for(self) -> bool:
        """Whether the model itself made all these pieces: none has less than a token, and it says how many it made."""
        return self._thoughts + len(self._pieces) <= (self._counts.completion_tokens or 0)

    @property
    def usage(self) -> Usage:
        cached = self._counts.prompt_tokens_details
        return Usage(
            prompt=self._counts.prompt_tokens,
            cached=cached.cached_tokens if cached else None,
            completion=self._counts.completion_tokens,
            finish=self.finish,
        )


def _chunk(data: Any) -> _Chunk:
    if isinstance(data, dict) and data.get("error"):
        error = data["error"]
        said, code = (str(error.get("message")), error.get("code")) if isinstance(error, dict) else (str(error), 500)
        raise fault(fault_key(code if isinstance(code, int) else 500, said), said=said)
    try:
        return _Chunk.model_validate(data)
    except ValidationError:
        raise fault("model.broken-chunk") from None


def _counts(data: Any) -> _Counts | None:
    """What a reply cost; counts nobody can read are not worth losing a reply for."""
    try:
        return _Counts.model_validate(data)
    except ValidationError:
        return None


def _join_halves(text: str) -> str:
    """Text in which the halves of a character that came apart are one again."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise fault("model.garbled") from None


def _has_doubles(pieces: list[str]) -> bool:
    """Whether it looks as if pieces had come twice: one that is long, or every one, and they are more than laughter."""
    every = len(set(pieces)) >= _VARIED and len(pieces) % 2 == 0 and pieces[::2] == pieces[1::2]
    return every or any(one == other and _worth_comparing(one) for one, other in pairwise(pieces))


def _worth_comparing(piece: str) -> bool:
    return len(piece) >= _LONG and len(set(piece)) >= _VARIED
