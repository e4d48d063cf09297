"""A whole reply: is there anything in it besides thinking, is it the JSON that was asked for, is it in the language?

Nothing here mends: what cannot be used as it is, is a fault with a name."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from hakoniwa.llm.faults import fault

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
