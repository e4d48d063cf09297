"""Reading a reply: thought, speech, stage directions and act tags told apart. Total: any string gives an answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hakoniwa.gm import english, japanese
from hakoniwa.gm.history import History
from hakoniwa.pack import LANGUAGES, Verb, folded, pack, verb_of
from hakoniwa.stage.world import WorldState, present
from hakoniwa.turn import ActionIntent, IntentKind, ParsedOutput

# One character for one: places in the narrowed text are places in the original.
_NARROW = str.maketrans("（）［］＜＞：＊｛｝／｜", "()[]<>:*{}/|")
_THINK = re.compile(r"<\s*+(/?)\s*+(?:think|thought|thinking)\s*+>", re.IGNORECASE)
_MARKER = re.compile(r"^[ \t]*\**(thought|output|思考|発話|出力)\**[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(
    r"<\|[^|\n]{0,40}\|?>|</?s>|<(?:start|end)_of_turn>(?:model|user)?|\[/?INST\]|^```\w*$", re.MULTILINE
)
_NEXT = re.compile(r"\[\s*next\s*:[^\]\n]{0,120}\]?", re.IGNORECASE)
_TAG = re.compile(r"^\s*+(?P<verb>[^:\n]{1,40}?)\s*+:\s*+(?P<rest>[^\n]{1,200}?)\s*$")
_BARE_TAG = re.compile(r"^\s*[A-Z][A-Z_]{1,20}\s*$")
_ARROW = re.compile(r"\s*(?:->|→|=>|⇒)\s*")
_QUESTION = re.compile(r"[?？]|(?:です|ます|でしょう|だろう|の)か[。…\s]*$|かな[。…\s]*$|かしら[。…\s]*$")
_SENTENCE = re.compile(r"[^。！!？?\n]+[。！!？?]*")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
_OPEN, _CLOSE = "「『“", "」』”"

Kind = Literal["direction", "quoted", "bare"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a reply: a stage direction, quoted speech, or text that is neither."""

    kind: Kind
    text: str


def read(text: str, world: WorldState, who: str, history: History | None = None) -> ParsedOutput:
    """A reply taken apart, as a reader would."""
    thought, body = _without_thought(text)
    pieces = list(_pieces(_own_lines(_clean(body), world, who)))
    directions = [piece.text for piece in pieces if piece.kind == "direction" or _narrated(piece, pieces)]
    speech = _speech(pieces)
    acts = [(one, _acts(one, world, who)) for one in directions]
    addressee = _addressee(speech, world, who, history)
    spoken = _spoken(speech, addressee, who, history)
    return ParsedOutput(
        thought=thought,
        speech=speech,
        action_intents=(*(act for _, found in acts for act in found), *spoken),
        directions=tuple(one for one, found in acts if not _TAG.match(one.translate(_NARROW))),
        addressee=addressee,
    )


def _without_thought(text: str) -> tuple[str | None, str]:
    """The thoughts, and what is left when they are taken out."""
    inner, rest = _split_think(text)
    narrow = rest.translate(_NARROW)
    markers = list(_MARKER.finditer(narrow))
    if not markers:
        return _joined(inner), rest
    outer = [rest[: markers[0].start()]]
    for place, marker in enumerate(markers):
        end = markers[place + 1].start() if place + 1 < len(markers) else len(rest)
        part = rest[marker.end() : end]
        if marker[1].casefold() in ("thought", "思考"):
            aside, _, left = part.partition("\n") if place + 1 == len(markers) else (part, "", "")
            inner.append(aside)
            outer.append(left)
        else:
            outer.append(part)
    return _joined(inner), "\n".join(outer)


def _split_think(text: str) -> tuple[list[str], str]:
    inside: list[str] = []
    outside: list[str] = []
    depth = last = 0
    for mark in _THINK.finditer(text.translate(_NARROW)):
        (inside if depth else outside).append(text[last : mark.start()])
        depth = max(0, depth - 1) if mark[1] else depth + 1
        last = mark.end()
    tail = text[last:]
    if depth:
        said = re.search(r"[「『\n]|^\s*output\s*:", tail.translate(_NARROW), re.IGNORECASE)
        cut = said.start() if said else len(tail)
        inside.append(tail[:cut])
        tail = tail[cut:]
    return inside, "".join([*outside, tail])


def _joined(parts: Sequence[str]) -> str | None:
    text = "\n".join(part.strip() for part in parts if part.strip())
    return text or None


def _clean(body: str) -> str:
    """Without control tokens and nominations, which are not part of the play."""
    narrow = body.translate(_NARROW)
    spans = sorted(found.span() for pattern in (_TOKEN, _NEXT) for found in pattern.finditer(narrow))
    kept, last = [], 0
    for start, end in spans:
        if start >= last:
            kept.append(body[last:start])
            last = end
    return "".join([*kept, body[last:]])


def _own_lines(body: str, world: WorldState, who: str) -> str:
    """Up to the first line that speaks for somebody else; the speaker's own label goes."""
    own = re.compile(rf"^\s*{re.escape(who)}\s*(?=[:「])[:]?\s*")
    others = [name for other in world.characters if other != who for name in (other, *world.characters[other].aliases)]
    labels = tuple(f"{name}{mark}" for name in others for mark in "「:(（：")
    kept = []
    for place, line in enumerate(body.split("\n")):
        if place and labels and line.lstrip().startswith(labels):
            break
        match = own.match(line.translate(_NARROW))
        kept.append(line[match.end() :] if match else line)
    return "\n".join(kept)


def _pieces(body: str) -> Iterator[Piece]:
    """Directions in brackets or asterisks, quoted speech, and what stands between."""
    narrow, place, bare = body.translate(_NARROW), 0, 0
    quote = '"' if narrow.count('"') >= 2 else ""
    while place < len(body):
        end = _end_of(narrow, place, quote)
        if end is None:
            place += 1
            continue
        if body[bare:place].strip():
            yield Piece("bare", body[bare:place].strip())
        inner = body[place + 1 : end - 1] if _closed(narrow, place, end) else body[place + 1 : end]
        kind: Kind = "direction" if narrow[place] in "(*" else "quoted"
        if inner.strip(" *（()）"):
            yield Piece(kind, inner.strip(" *") if kind == "direction" else inner.strip())
        place = bare = end
    if body[bare:].strip():
        yield Piece("bare", body[bare:].strip())


def _closed(narrow: str, start: int, end: int) -> bool:
    return end - start > 1 and narrow[end - 1] in ")*\"" + _CLOSE


def _end_of(narrow: str, start: int, quote: str) -> int | None:
    """Where the bracket that opens at `start` ends; None where none opens."""
    opener = narrow[start]
    if opener == "(":
        return _balanced(narrow, start, "(", ")")
    if opener in _OPEN:
        return _balanced(narrow, start, _OPEN, _CLOSE)
    if opener in ("*", quote or "*"):
        end = narrow.find(opener, start + 1)
        line = narrow.find("\n", start)
        return end + 1 if end > start + 1 and (line < 0 or end < line) else None
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


def _speech(pieces: Sequence[Piece]) -> str | None:
    """Quoted words where there are any, else whatever stands outside the stage directions."""
    kind: Kind = "quoted" if any(piece.kind == "quoted" for piece in pieces) else "bare"
    return " ".join(piece.text for piece in pieces if piece.kind == kind) or None


def _narrated(piece: Piece, pieces: Sequence[Piece]) -> bool:
    """Where speech stands in quotation marks, a sentence outside them is narration."""
    return piece.kind == "bare" and len(piece.text) > 3 and any(one.kind == "quoted" for one in pieces)


def _acts(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The acts of a direction: a tag names its act, words describe theirs, and what has none is a gesture."""
    if tag := _tagged(direction, world):
        return [tag]
    language = japanese if _JAPANESE.search(direction) else english
    return language.acts_in(direction, world, who) or [ActionIntent(intent=IntentKind.EMOTE, detail=direction)]


def _is_verb(verb: Verb, world: WorldState) -> bool:
    """Whether the language packs or some thing's own affordances know the verb."""
    if any(verb.id in pack(language).verbs for language in LANGUAGES):
        return True
    return any(verb_of(one.verb) == verb for prop in world.props.values() for one in prop.affordances)


def _tagged(direction: str, world: WorldState) -> ActionIntent | None:
    narrow = direction.translate(_NARROW)
    tag = _TAG.match(narrow)
    if tag and (verb := verb_of(direction[tag.start("verb") : tag.end("verb")])) and _is_verb(verb, world):
        target, *places = _ARROW.split(direction[tag.start("rest") : tag.end("rest")], maxsplit=1)
        return ActionIntent(
            intent=IntentKind(verb.intent),
            target=target.strip() or None,
            detail=verb.id,
            verb=verb.id,
            destination=places[0].strip() if places and places[0].strip() else None,
        )
    if _BARE_TAG.match(narrow) and (verb := verb_of(narrow)).id == folded(narrow).upper():
        return ActionIntent(intent=IntentKind(verb.intent), detail=verb.id, verb=verb.id)
    return None


def _addressee(speech: str | None, world: WorldState, who: str, history: History | None) -> str | None:
    """Whom the words are for: a name in them, whoever asked, or the only other person here."""
    if speech is None:
        return None
    room = world.characters[who].location if who in world.characters else world.location.current
    others = [name for name in present(world, room) if name != who]
    named = [
        (speech.find(form), name)
        for name in others
        for form in (name, *world.characters[name].aliases)
        if form in speech
    ]
    if named:
        return min(named)[1]
    if history and (asker := history.asker_of(who)) in others:
        return asker
    return others[0] if len(others) == 1 else None


def _spoken(speech: str | None, addressee: str | None, who: str, history: History | None) -> list[ActionIntent]:
    """What is said and what is asked; words to someone who asked are an answer."""
    if speech is None:
        return []
    sentences = [found.group().strip() for found in _SENTENCE.finditer(speech) if found.group().strip()]
    asked = [one for one in sentences if _QUESTION.search(one)]
    said = [one for one in sentences if one not in asked]
    answers = history is not None and history.asker_of(who) is not None
    kind = IntentKind.ANSWER if answers else IntentKind.SAY
    words = [ActionIntent(intent=kind, target=addressee, detail=" ".join(said))] if said else []
    return words + [ActionIntent(intent=IntentKind.ASK, target=addressee, detail=one) for one in asked]
