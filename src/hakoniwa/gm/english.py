"""Reading English stage directions: the same design as the Japanese reader, with the word order of English."""

import re
from collections.abc import Iterator, Sequence

from hakoniwa.pack import Pack, Verb, pack, word_in
from hakoniwa.stage.names import NameTable, folded
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ActionIntent, IntentKind

LANGUAGE = "en"
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d+|[,.;—]")
_IRREGULAR = {
    "took": "take", "taken": "take", "ate": "eat", "eaten": "eat", "drank": "drink", "sat": "sit", "stood": "stand",
    "lay": "lie", "lying": "lie", "held": "hold", "gave": "give", "given": "give", "went": "go", "left": "leave",
    "wrote": "write", "read": "read", "hung": "hang", "threw": "throw", "made": "make", "broke": "break",
    "wore": "wear", "wound": "wind", "lit": "light", "shook": "shake", "caught": "catch", "got": "get", "ran": "run",
    "came": "come", "shut": "shut", "put": "put", "set": "set", "hit": "hit", "cut": "cut", "swept": "sweep",
    "does": "do", "goes": "go", "lies": "lie", "ties": "tie", "tied": "tie", "stole": "steal", "drew": "draw",
    "fed": "feed", "sang": "sing", "rang": "ring", "bit": "bite",
}  # fmt: skip
MAX_NAME_WORDS = 6


def acts_in(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The physical acts an English stage direction describes, in order."""
    language, found = pack(LANGUAGE), list[ActionIntent]()
    for clause in _clauses(_WORD.findall(direction.replace("’", "'")), language):
        found += _acts(clause, world, who, language, found[-1].target if found else None)
    return found


def _clauses(words: Sequence[str], language: Pack) -> Iterator[list[str]]:
    """Stretches between commas, full stops and joining words; one that is not real takes its rest with it."""
    clause: list[str] = []
    for word in [*words, "."]:
        if word.casefold() in language.grammar["links"]:
            if clause and not any(one.casefold() in language.grammar["unreal"] for one in clause):
                yield clause
            clause = []
        else:
            clause.append(word)


def lemma(word: str, surfaces: dict[str, str]) -> str:
    """The dictionary form of a verb, by rule and by table."""
    low = word.casefold()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    stems = [low]
    for ending, swaps in (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ing", ("", "e")), ("ed", ("", "e"))):
        if low.endswith(ending) and len(low) > len(ending) + 1:
            stem = low[: -len(ending)]
            stems += [stem + swap for swap in swaps]
            stems += [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
    return next((stem for stem in stems if stem in surfaces), low)


def _acts(
    clause: Sequence[str], world: WorldState, who: str, language: Pack, last: str | None
) -> Iterator[ActionIntent]:
    names = world.index.names
    place = _verb_place(clause, language)
    if place is None:
        return
    before = " ".join(clause[:place])
    stranger = [word for word in clause[:place] if word.casefold() in language.grammar["persons"]]
    if stranger and lemma(clause[place], language.surfaces) in language.grammar["arrivals"]:
        yield ActionIntent(intent=IntentKind.MOVE, target=stranger[-1], detail="ARRIVE", verb="ARRIVE")
        return
    if _somebody_else(before, world, who) or stranger:
        return
    verb, rest = _verb(clause[place:], language)
    if verb is None:
        return
    obj, to = _arguments(rest, names, language)
    yield from _intents(verb, obj, to, world, language, last)


def _verb_place(clause: Sequence[str], language: Pack) -> int | None:
    for place, word in enumerate(clause[:6]):
        before = clause[place - 1].casefold() if place else ""
        known = lemma(word, language.surfaces) in language.surfaces or word.casefold() in _IRREGULAR
        if known and before not in language.grammar["determiners"]:
            return place
    return None


def _somebody_else(before: str, world: WorldState, who: str) -> bool:
    people = [name for _, (kind, name) in world.index.names.find(before) if kind == "character"] if before else []
    return bool(people) and who not in people


def _verb(words: Sequence[str], language: Pack) -> tuple[Verb | None, Sequence[str]]:
    """The verb, with its particle where the two are one verb (also apart: puts the cup down)."""
    base = lemma(words[0], language.surfaces)
    if len(words) > 1 and (idiom := language.idioms.get(f"{base} {words[1].casefold()}")):
        return language.verbs[idiom], words[2:]
    if len(words) > 2 and words[-1].casefold() in ("up", "down", "on", "off", "out", "away", "over"):
        idiom = language.idioms.get(f"{base} {words[-1].casefold()}")
        if idiom:
            return language.verbs[idiom], words[1:-1]
    known = language.surfaces.get(base)
    return (language.verbs[known] if known else None), words[1:]


def _arguments(words: Sequence[str], names: NameTable, language: Pack) -> tuple[str, str]:
    """The object, and where or to whom."""
    parts: dict[str, list[str]] = {"object": [], "to": [], "aside": []}
    at, slot = 0, "object"
    while at < len(words):
        word = words[at].casefold()
        length = _name_length(words, at, names)
        if length:
            parts[slot] += words[at : at + length]
            at += length
            continue
        if word in language.grammar["to"]:
            slot = "to" if not parts["to"] else "aside"
        elif word in language.grammar["from"] or word in language.grammar["with"]:
            slot = "aside"
        elif word not in language.grammar["determiners"] and not word.endswith("ly"):
            parts[slot].append(words[at])
        at += 1
    return " ".join(parts["object"]), " ".join(parts["to"])


def _name_length(words: Sequence[str], at: int, names: NameTable) -> int:
    found = [
        length for length in range(1, MAX_NAME_WORDS + 1)
        if at + length <= len(words) and folded(" ".join(words[at : at + length])) in names.derived
    ]  # fmt: skip
    return max(found, default=0)


def _intents(
    verb: Verb, obj: str, to: str, world: WorldState, language: Pack, last: str | None
) -> Iterator[ActionIntent]:
    kind = IntentKind(verb.intent)
    if verb.intent == IntentKind.MOVE:
        target = to or obj
        if target and not word_in("ambient", target) and not _abstract(target, language):
            yield ActionIntent(intent=kind, target=target, detail=verb.id, verb=verb.id)
        return
    if not obj and to and verb.intent == IntentKind.USE:
        obj, to = to, ""
    if obj in ("it", "them", "this", "that") and last:
        obj = last
    if obj and not _concrete(obj, verb, world, language):
        return
    if not obj and verb.manner != "hand":
        return
    yield ActionIntent(
        intent=kind,
        target=obj or last,
        detail=verb.id,
        verb=verb.id,
        destination=to if to and verb.intent == IntentKind.PUT else None,
    )


def _abstract(text: str, language: Pack) -> bool:
    return any(word.casefold() in language.grammar["abstract"] for word in text.split()[-1:])


def _concrete(text: str, verb: Verb, world: WorldState, language: Pack) -> bool:
    """Whether an object is a thing (be it missing), and not a breath, a look or a part of the body."""
    if world.index.names.find(text):
        return True
    head = text.split()[-1].casefold()
    if word_in("ambient", head) or _abstract(text, language):
        return False
    return verb.manner == "hand" or head in language.grammar["things"]
