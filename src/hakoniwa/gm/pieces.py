"""Taking a reply apart by its form: thought, stage directions, speech, and what is not part of the play."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from hakoniwa.stage.names import HONORIFICS
from hakoniwa.stage.world import WorldState

_WIDE = tuple(zip("（）［］＜＞：＊｛｝／｜", "()[]<>:*{}/|", strict=True))
_THINK = re.compile(r"<\s*+(/?)\s*+(?:think|thought|thinking)\s*+>", re.IGNORECASE)
_THOUGHTS = ("thought", "thinking", "思考", "心の声", "内心")
_ACTIONS = ("action", "行動", "動作")
_SPEECHES = ("output", "speech", "dialogue", "発話", "出力", "発言", "台詞", "セリフ")
_MARKER = re.compile(
    rf"^(?:[ \t]*+[*#]*+[ \t]*+({'|'.join((*_THOUGHTS, *_ACTIONS, *_SPEECHES))})[*]*+[ \t]*+:(?:[*][*])?[ \t]*+)+",
    re.IGNORECASE | re.MULTILINE,
)
_SAME_LINE = re.compile(r"[ \t]output[ \t]*:[ \t]*", re.IGNORECASE)
_END = re.compile(
    r"<\|(?:im_end|eot_id|end|endoftext)\|?>|</s>|<end_of_turn>|<eos>|<\|?/?(?:assistant|user|system)\|?>"
)
_TOKEN = re.compile(
    r"<\|[^|\n]{0,40}\|?>|<start_of_turn>(?:model|user)?|\[/?INST\]|^```\w*$|</?[A-Za-z][\w .-]{0,40}>",
    re.MULTILINE,
)
_NEXT = re.compile(r"\[\s*+next\s*+:[^\]\n]{0,120}\]?", re.IGNORECASE)
_CONTROL = re.compile(r'\{\s*+"type"\s*+:\s*+"control"[^}\n]{0,200}\}?')
_OPEN, _CLOSE = "「『“", "」』”"
_STRAY = " \t\n　*)）]"
# Ends of sentences that are spoken, and of those that tell.
_SPOKEN = re.compile(
    r"(?:です|ます|ました|ません|でした|でしょう|ください|ましょう|[よねかなさわぞぜ])(?:[。…\n]|$)|[!！?？]"
)
_LISTED = re.compile(r"\n[ \t]*+(?:[-・]|\d{1,2}[.)])[ \t]*+[*]*+$")
_TELLS = re.compile(r"[たるい](?:。|\n|$)")
_STOPS = '。！？!?…‥—~〜～)*」』"\n:：'
_SAYING = re.compile(
    r"\s*(?:と|って)?、?(?:$|[。\n]|(?:言|い[いうっ]|呟|つぶや|答|叫|囁|ささや|返|尋|たず|聞|告|声|笑|漏|独|口|挨拶|話|続|問|呼|\())"
)
# Kana are called by their sound in Unicode; these are the ones that people write otherwise.
_SOUNDS = {"si": "shi", "ti": "chi", "tu": "tsu", "hu": "fu", "zi": "ji"}

Kind = Literal["direction", "quoted", "bare"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a reply: a stage direction, quoted speech, or text that is neither."""

    kind: Kind
    text: str


def narrowed(text: str) -> str:
    """The same text with narrow brackets and colons, one character for one: places in it are places in the original."""
    for wide, narrow in _WIDE:
        if wide in text:
            text = text.replace(wide, narrow)
    return text


@dataclass(slots=True)
class Apart:
    """A reply taken apart, and what had to be mended to do so."""

    thought: str | None = None
    pieces: list[Piece] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)


def take_apart(text: str, world: WorldState, who: str) -> Apart:
    """The thought and the pieces of a reply; what belongs to nobody in the play is cut."""
    apart = Apart()
    inner, rest = _split_think(text, apart.repairs)
    thoughts, body = _split_markers(rest, apart.repairs)
    apart.thought = _joined([*inner, *thoughts])
    apart.pieces = list(_pieces(_own_lines(_clean(body, apart.repairs), world, who, apart.repairs), apart.repairs))
    return apart


# --- thought -------------------------------------------------------------------------------------------------------


def _split_think(text: str, repairs: list[str]) -> tuple[list[str], str]:
    """What stands inside think tags, and what outside; a tag that was never opened closes all before it."""
    inside: list[str] = []
    outside: list[str] = []
    depth = last = 0
    for mark in _THINK.finditer(narrowed(text)):
        stray = mark[1] and not depth and not inside
        (inside if depth or stray else outside).append(text[last : mark.start()])
        if stray:
            inside, outside = [*outside, *inside], []
            repairs.append("THINK_NOT_OPENED")
        depth = max(0, depth - 1) if mark[1] else depth + 1
        last = mark.end()
    tail = text[last:]
    if depth:
        repairs.append("THINK_NOT_CLOSED")
        said = re.search(r"[「『\n]|^\s*output\s*:", narrowed(tail), re.IGNORECASE)
        cut = said.start() if said else len(tail)
        inside.append(tail[:cut])
        tail = tail[cut:]
    return inside, "".join([*outside, tail])


def _split_markers(text: str, repairs: list[str]) -> tuple[list[str], str]:
    """What is marked as thought, and the rest without its markers; a marked action becomes a stage direction."""
    parts = list(_marked(text))
    inner: list[str] = []
    outer: list[str] = []
    for place, (marker, part) in enumerate(parts):
        if marker not in _THOUGHTS:
            outer.append(f"（{part.strip()}）\n" if marker in _ACTIONS and part.strip() else part)
            continue
        later = [said for other, said in parts[place + 1 : place + 9] if other not in _THOUGHTS]
        aside, left = (part, "") if any(said.strip() for said in later) else _aside(part)
        if later and "「" not in left:
            aside, left = part, ""
        inner.append(aside)
        outer.append(left)
        if not any(said.strip() for said in later):
            repairs.append("NO_OUTPUT")
    return inner, "\n".join(outer)


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """The stretches of a text by the marker before them, "" before the first; of several in a row the last counts."""
    narrow = narrowed(text)
    markers = [(found.start(), found.end(), found[1].casefold()) for found in _MARKER.finditer(narrow)]
    last, name = 0, ""
    for start, end, marker in markers:
        yield from _on_one_line(name, text[last:start])
        last, name = end, marker
    yield from _on_one_line(name, text[last:])


def _on_one_line(marker: str, part: str) -> Iterator[tuple[str, str]]:
    """A stretch, cut where its output begins on the line of its thought."""
    found = _SAME_LINE.search(narrowed(part)) if marker in _THOUGHTS else None
    if found is None:
        yield marker, part
        return
    yield marker, part[: found.start()]
    yield "output", part[found.end() :]


def _aside(part: str) -> tuple[str, str]:
    """A thought that no output follows: its bracket, else its line; the rest is said aloud."""
    narrow = narrowed(part)
    start = len(narrow) - len(narrow.lstrip())
    if narrow[start : start + 1] == "(":
        end = _balanced(narrow, start, "(", ")")
        return part[:end], part[end:]
    aside, _, left = part.partition("\n")
    return aside, left


def _joined(parts: Sequence[str]) -> str | None:
    text = "\n".join(part.strip() for part in parts if part.strip())
    return text or None


# --- what is not part of the play ----------------------------------------------------------------------------------


def _clean(body: str, repairs: list[str]) -> str:
    """Without control tokens and nominations, and without whatever follows the end of the turn."""
    narrow = narrowed(body)
    end = next((found.start() for found in _END.finditer(narrow) if body[: found.start()].strip()), len(body))
    if _END.sub("", narrow[end:]).strip():
        repairs.append("TRAILING_GARBAGE")
    spans = sorted(found.span() for pattern in (_TOKEN, _NEXT, _CONTROL) for found in pattern.finditer(narrow, 0, end))
    kept, last = [], 0
    for start, stop in spans:
        if start >= last:
            kept.append(body[last:start])
            last = stop
    return "".join([*kept, body[last:end]])


def _own_lines(body: str, world: WorldState, who: str, repairs: list[str]) -> str:
    """The speaker's own lines, without their label; a line that speaks for somebody else goes, and what follows it."""
    own, others = _labels(who, tuple((name, figure.aliases) for name, figure in world.characters.items()))
    kept, unsure, silenced = [], list[str](), False
    for line in body.split("\n"):
        narrow = narrowed(line)
        mine = own.match(narrow)
        foreign = mine is None and others is not None and others.match(narrow) is not None
        silenced = foreign or (silenced and mine is None)
        if not silenced:
            kept.append(line[mine.end() :] if mine else line)
        elif not foreign:
            unsure.append(line)
    if len(kept) < body.count("\n") + 1:
        repairs.append("SPOKE_FOR_OTHERS")
    return "\n".join(kept if any(line.strip() for line in kept) else unsure)


@lru_cache(maxsize=256)
def _labels(
    who: str, people: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Patterns for `name:` and `name「` at the head of a line, of the speaker and of everybody else."""
    own = [form for name, aliases in people if name == who for form in (name, *aliases)] or [who]
    others = [form for name, aliases in people if name != who for form in (name, *aliases)]
    return _label(own), _label(others) if others else None


def _label(names: Sequence[str]) -> re.Pattern[str]:
    spelled = {form for name in names for form in (name, _romaji(name)) if form}
    either = "|".join(re.escape(form) for form in sorted(spelled, key=len, reverse=True))
    polite, gap = "|".join(HONORIFICS), r"[ \t　]{0,8}"
    name = rf"[*\[【]{{0,2}}(?:{either})(?:{polite})?[*\]】]{{0,2}}"
    return re.compile(rf"{gap}{name}{gap}(?::[*]{{0,2}}{gap}|(?=[「『]))", re.IGNORECASE)


def _romaji(name: str) -> str:
    """A name written in kana, in Latin letters; "" for any other."""
    called = [unicodedata.name(char, "").split() for char in name]
    if not all(len(words) == 3 and words[0] in ("HIRAGANA", "KATAKANA") for words in called):
        return ""
    sounds = [words[-1].casefold() for words in called]
    return "".join(_SOUNDS.get(sound, sound) for sound in sounds)


# --- directions, quotations and the rest ---------------------------------------------------------------------------


def _pieces(body: str, repairs: list[str]) -> Iterator[Piece]:
    """Directions in brackets or asterisks, quoted speech, and what stands between."""
    narrow, place, bare = narrowed(body), 0, 0
    pairs = _pairs(narrow)
    spoken = _plainly_spoken(narrow, pairs)
    quote = '"' if narrow.count('"') >= 2 else ""
    while place < len(body):
        end = _end_of(narrow, place, quote, pairs)
        if end is None or (spoken and narrow[place] in _OPEN) or _inline(narrow, bare, place, end):
            place = end or place + 1
            continue
        yield from _bare(body[bare:place])
        closed = end - place > 1 and narrow[end - 1] in ')*"' + _CLOSE
        if not closed:
            repairs.append("BRACKET_NOT_CLOSED")
        inner = body[place + 1 : end - 1] if closed else body[place + 1 : end]
        kind: Kind = "direction" if narrow[place] in "(*" else "quoted"
        text = inner.strip(" *") if kind == "direction" else _unquoted(inner)
        if text.strip(" *（()）"):
            yield Piece(kind, text)
        place = bare = end
    yield from _bare(body[bare:])


def _plainly_spoken(narrow: str, pairs: dict[int, int]) -> bool:
    """Whether all of a reply is said, and what stands in quotation marks in it only quotes: no line begins with one."""
    rest: list[str] = []
    last = 0
    for start in (one for one in sorted(pairs) if one >= last):
        before = narrow[last:start].rstrip(" \t　")
        listed = _LISTED.search(before)
        if not listed and (before[-1:] in ("\n", ")", "*", ":") or not narrow[:start].strip()):
            return False
        rest.append(before)
        last = pairs[start]
    outside = "".join([*rest, narrow[last:]])
    return len(_SPOKEN.findall(outside)) > len(_TELLS.findall(outside))


def _inline(narrow: str, bare: int, start: int, end: int) -> bool:
    """Whether a quotation only names something in the middle of plain speech: あゆ、「カフェ」に行こう."""
    before = narrow[max(bare, start - 40) : start].rstrip(" \t　")
    ends = not before or before[-1] in _STOPS
    sentence = any(mark in narrow[start:end] for mark in "。！？!?")
    return narrow[start] in "「『" and not ends and not sentence and _SAYING.match(narrow, end) is None


def _unquoted(text: str) -> str:
    """Quoted words; a mark that was opened twice and closed once is only a slip."""
    plain = text.strip()
    opener = _OPEN.find(plain[0]) if plain else -1
    slipped = opener >= 0 and plain.count(_OPEN[opener]) > plain.count(_CLOSE[opener])
    return plain[1:].strip() if slipped else plain


def _bare(text: str) -> Iterator[Piece]:
    """Text outside all brackets, without the brackets and asterisks that were left over."""
    if plain := text.strip(_STRAY):
        yield Piece("bare", plain)


def _pairs(narrow: str) -> dict[int, int]:
    """Where each quotation that is closed ends, over as many lines as it has."""
    ends: dict[int, int] = {}
    waiting: list[int] = []
    for place, char in enumerate(narrow):
        if char in _OPEN:
            waiting.append(place)
        elif char in _CLOSE and waiting:
            ends[waiting.pop()] = place + 1
    return ends


def _end_of(narrow: str, start: int, quote: str, pairs: dict[int, int]) -> int | None:
    """Where the bracket that opens at `start` ends; None where none opens."""
    opener = narrow[start]
    if opener == "(":
        return _balanced(narrow, start, "(", ")")
    if opener in _OPEN:
        return pairs.get(start) or _balanced(narrow, start, _OPEN, _CLOSE)
    if opener in ("*", quote or "*"):
        end = narrow.find(opener, start + 1)
        return end + 1 if end > start + 1 and "\n" not in narrow[start:end] else None
    return None


def _balanced(narrow: str, start: int, opening: str, closing: str) -> int:
    """The end of a nested bracket; one that never closes ends with its line."""
    depth = 0
    for place in range(start, len(narrow)):
        char = narrow[place]
        if char in opening:
            depth += 1
        elif char in closing:
            depth -= 1
            if depth == 0:
                return place + 1
        elif char == "\n":
            return place
    return len(narrow)
