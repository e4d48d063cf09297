"""The texts of a card: what may not stand in them, its macros, its sample lines."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import MAX_NAME

# Signs that move a cursor, turn the writing round or hide words from the eye but not from a model.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_LINE_END = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_NOT_IN_NAMES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_KANA, _LATIN = re.compile(r"[ぁ-ヺー]"), re.compile(r"[A-Za-z]")
_WIDE = re.compile(r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")
_MACRO = re.compile(
    r"\{\{\s*(?P<who>char|bot|user)\s*\}\}|<(?P<tag>char|bot|user)>"
    r"|(?P<aside>\{\{(?://|comment\s*:|hidden_key\s*:)[^{}]*\}\})"
    r"|\{\{(?:random|pick)\s*::?(?P<options>[^{}]*)\}\}",
    re.IGNORECASE,
)
_OPTION = re.compile(r"::|(?<!\\),")
_START = re.compile(r"<\s*start\s*>", re.IGNORECASE)
_COLON = re.compile(r"[:：]")
_ACTION = re.compile(r"\*{1,3}([^*\n]{1,400})\*{1,3}")
_GAP = re.compile(r"(?<=[）」』]) (?=[（「『])")
_QUOTED = re.compile(r"「([^「」]{1,80})」|“([^“”]{1,160})”|\"([^\"]{1,160})\"")
MAX_SAMPLES, MAX_SPEAKER = 200_000, 80
_USER = {"user", "you", "{{user}}", "<user>"}


def visible(text: str) -> str:
    """A text without control, bidi and zero-width characters, its lines ended in one way."""
    return _UNSEEN.sub("", _LINE_END.sub("\n", text))


def clean(text: str) -> str:
    return visible(text).strip()


def clean_name(text: str) -> str:
    """A name as names are everywhere: NFKC, on one line, at most 64 characters, nothing unseen."""
    seen = (" " if char.isspace() else char for char in nfkc(text[: 16 * MAX_NAME]))
    kept = "".join(char for char in seen if unicodedata.category(char) not in _NOT_IN_NAMES)
    return " ".join(kept.split())[:MAX_NAME].strip()


@dataclass(frozen=True)
class Roles:
    """Whom the macros of a card mean."""

    char: str
    user: str

    def resolve(self, text: str) -> str:
        """A text with the macros that have a meaning here resolved; others stay as they are written."""
        return clean(_MACRO.sub(self._meaning, text))

    def _meaning(self, macro: re.Match[str]) -> str:
        if macro["aside"]:
            return ""
        if macro["options"] is not None:
            return _OPTION.split(macro["options"])[0].replace("\\,", ",").strip()
        who = (macro["who"] or macro["tag"]).casefold()
        return self.user if who == "user" else self.char


def japanese(text: str) -> bool:
    """Whether a text is rather Japanese than English: a word of the other here and there decides nothing."""
    plain = _MACRO.sub("", text[:MAX_SAMPLES])
    return len(_KANA.findall(plain)) * 3 > len(_LATIN.findall(plain))


def sample_lines(text: str, roles: Roles, names: Sequence[str]) -> list[str]:
    """What the character says and does in the sample talk of a card, a line each."""
    found: list[str] = []
    for scene in _START.split(text[:MAX_SAMPLES]):
        lines = _own_lines(scene, roles, names)
        found += [roles.resolve(scene)] if lines is None else lines
    return list(dict.fromkeys(line for line in map(_on_one_line, found) if line))


def _own_lines(scene: str, roles: Roles, names: Sequence[str]) -> list[str] | None:
    """The character's lines of a scene; None if nobody is named in it at all."""
    own = {name.casefold() for name in (*names, roles.char) if name}
    others = {*_USER, roles.user.casefold()} - own
    lines: list[list[str]] = []
    mine: bool | None = None
    for line in scene.splitlines():
        who, words = _speaker(line, roles)
        if who in own:
            lines.append([words])
            mine = True
        elif who in others:
            mine = False
        elif mine:
            lines[-1].append(roles.resolve(line))
    return None if mine is None else [" ".join(filter(None, parts)) for parts in lines]


def _speaker(line: str, roles: Roles) -> tuple[str, str]:
    """Who speaks a line, and what."""
    who, *words = _COLON.split(line, maxsplit=1)
    return (roles.resolve(who).casefold(), roles.resolve(words[0])) if words and len(who) <= MAX_SPEAKER else ("", "")


def _on_one_line(line: str) -> str:
    """A sample as a reply is written here: acts in brackets, not between asterisks."""
    brackets = r"（\1）" if _WIDE.search(line) else r"(\1)"
    return _GAP.sub("", " ".join(_ACTION.sub(brackets, line).split()))


def spoken_words(lines: Sequence[str], longest: int = 80) -> Iterator[str]:
    """Words that can be said by themselves: what is quoted in the samples, or a short one without any act."""
    for line in lines:
        quoted = [next(filter(None, found)) for found in _QUOTED.findall(line)]
        whole = [line] if not quoted and not re.search(r"[(（*]", line) else []
        for words in (*quoted, *whole):
            if 0 < len(words.strip()) <= longest and "{" not in words and "}" not in words:
                yield words.strip()
