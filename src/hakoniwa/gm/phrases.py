"""The phrases of an English stage direction: its verbs, their objects, and what stands behind prepositions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from hakoniwa.pack import LanguagePack, Verb, pack
from hakoniwa.stage.names import NameTable, fold_name
from hakoniwa.turn import IntentKind

LANGUAGE = "en"
MAX_NAME_WORDS = 6
MAX_STRETCH = 40
# What the hands can give a thing, as a push or a look: gives the pot a stir.
BRIEFLY = frozenset({"SHAKE", "STIR", "CLEAN", "ADJUST", "WASH", "TILT", "READ"})
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d+|[,.;:—]")
_IRREGULAR = {
    "took": "take", "taken": "take", "ate": "eat", "eaten": "eat", "drank": "drink", "sat": "sit", "stood": "stand",
    "lay": "lie", "lying": "lie", "held": "hold", "gave": "give", "given": "give", "went": "go", "left": "leave",
    "wrote": "write", "read": "read", "hung": "hang", "threw": "throw", "made": "make", "broke": "break",
    "wore": "wear", "wound": "wind", "lit": "light", "shook": "shake", "caught": "catch", "got": "get", "ran": "run",
    "came": "come", "shut": "shut", "put": "put", "set": "set", "hit": "hit", "cut": "cut", "swept": "sweep",
    "does": "do", "goes": "go", "lies": "lie", "ties": "tie", "tied": "tie", "stole": "steal", "drew": "draw",
    "fed": "feed", "sang": "sing", "rang": "ring", "bit": "bite", "stuck": "stick", "slid": "slide", "hid": "hide",
    "felt": "feel", "fled": "flee", "tore": "tear", "swung": "swing", "knelt": "kneel", "blew": "blow", "sank": "sink",
    "thought": "think", "meant": "mean", "forgot": "forget", "told": "tell", "began": "begin", "kept": "keep",
    "dug": "dig", "flew": "fly", "drove": "drive", "rose": "rise", "beat": "beat", "struck": "strike", "shot": "shoot",
    "crept": "creep", "slunk": "slink", "flung": "fling", "wrung": "wring", "spun": "spin", "wove": "weave",
}  # fmt: skip
_ENDINGS = (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ing", ("", "e")), ("ied", ("y",)), ("ed", ("", "e")))


@dataclass(frozen=True, slots=True)
class Place:
    """A noun phrase behind a preposition."""

    preposition: str
    text: str


@dataclass(slots=True)
class Clause:
    """A verb with its object (two where one is for somebody) and the phrases behind prepositions."""

    verb: Verb
    objects: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    receiver: str = ""
    # The verb itself, as the lexicon lists it: pull, whatever comes of it.
    head: str = ""
    # It ends with a word that puts a thing into what was just opened: tucks it inside.
    inward: bool = False

    def behind(self, *prepositions: str) -> list[str]:
        return [one.text for one in self.places if one.preposition in prepositions]


def stretches(text: str) -> Iterator[list[str]]:
    """What stands between commas, full stops and joining words."""
    links = pack(LANGUAGE).grammar["links"]
    stretch: list[str] = []
    last = "."
    for word in [*_WORD.findall(text.replace("’", "'")), "."]:
        joins = word.casefold() in links and not _not_yet(word, last, stretch)
        if joins or len(stretch) >= MAX_STRETCH:
            if stretch:
                yield stretch
            stretch = []
        if not joins:
            stretch.append(word)
        last = word


def _not_yet(word: str, last: str, stretch: Sequence[str]) -> bool:
    """Whether what follows is still to come: before opening it …, hesitates before opening it."""
    if word.casefold() != "before":
        return False
    halting = pack(LANGUAGE).grammar["halting"]
    return last == "." or any(is_any(one, halting) for one in stretch)


# --- verbs ---------------------------------------------------------------------------------------------------------


@cache
def lemmas(word: str) -> tuple[str, ...]:
    """What a word may be a form of."""
    low = word.casefold()
    if low in _IRREGULAR:
        return (_IRREGULAR[low], low)
    stems = [low]
    for ending, swaps in _ENDINGS:
        if low.endswith(ending) and len(low) > len(ending) + 1:
            stem = low[: -len(ending)]
            stems += [stem + swap for swap in swaps]
            stems += [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
    return tuple(stems)


@cache
def _starts() -> frozenset[str]:
    """The first word of every verb and every idiom."""
    language = pack(LANGUAGE)
    return frozenset(form.split()[0] for form in [*language.surfaces, *language.idioms])


@cache
def base(word: str) -> str | None:
    """The verb a word is a form of."""
    return next((one for one in lemmas(word) if one in _starts()), None)


def is_any(word: str, listed: frozenset[str]) -> bool:
    """Whether some form of a word is in a list."""
    return any(one in listed for one in lemmas(word))


def clause_of(words: Sequence[str], names: NameTable) -> Clause | None:
    """The verb at the head of these words with what belongs to it; None for a figure of speech."""
    language = pack(LANGUAGE)
    head = base(words[0]) or ""
    idiom, rest = _idiom(words, language)
    if idiom == IntentKind.EMOTE and _is_literal(words[1 : len(words) - len(rest)], names):
        idiom, rest = None, words[1:]
    elif idiom == IntentKind.EMOTE:
        if language.surfaces.get(head) != IntentKind.MOVE or not _leads_away(rest, names):
            return None
        idiom = None
    name = idiom or language.surfaces.get(head)
    if name is None:
        return None
    objects, places = phrases(rest, names)
    if light := _light(head, objects, language):
        return Clause(light, objects[:-1], places, head=head)
    inward = words[-1].casefold() in language.grammar["inward"]
    clause = Clause(language.verbs[name], objects, places, head=head, inward=inward)
    if clause.verb.id == "GIVE" and len(objects) > 1:
        clause.receiver, clause.objects = objects[0], objects[1:]
    return clause


def _is_literal(phrase: Sequence[str], names: NameTable) -> bool:
    """stirs the pot: where there is one, that is what is stirred."""
    named = phrase[1:] if phrase[:1] == ["the"] else ()
    return any(kind == "prop" for word in named for _, (kind, _) in names.find(word))


def _leads_away(words: Sequence[str], names: NameTable) -> bool:
    """runs out into the garden: whoever gets somewhere goes there, whatever the phrase means otherwise."""
    goals = [one.text for one in phrases(words, names)[1] if one.preposition in ("to", "into")]
    return any(kind == "location" for goal in goals for _, (kind, _) in names.find(goal))


def _idiom(words: Sequence[str], language: LanguagePack) -> tuple[str | None, Sequence[str]]:
    """A verb with the words that make another of it, also apart: puts the cup down, nudges the door shut."""
    verb, grammar = base(words[0]) or "", language.grammar
    following = ["oneself" if one in grammar["reflexive"] else one for one in map(str.casefold, words[1:4])]
    for length in (3, 2, 1):
        close = " ".join([verb, *following[:length]])
        if len(words) > length and close in language.idioms:
            return language.idioms[close], words[1 + length :]
    for place in range(2, len(words)):
        word = words[place].casefold()
        if not (place + 1 == len(words) or is_preposition(words[place + 1], language)):
            continue
        if word in grammar["opened"] or word in grammar["closed"]:
            result = "OPEN" if word in grammar["opened"] else "CLOSE"
            lasting = verb in grammar["lasting"]
            return IntentKind.EMOTE if lasting else result, [*words[1:place], *words[place + 1 :]]
        found = language.idioms.get(f"{verb} {word}")
        if found and word in grammar["particles"]:
            pronoun = words[1].casefold() in language.words["pronouns"]
            if found != IntentKind.EMOTE or pronoun:
                return found, [*words[1:place], *words[place + 1 :]]
    return None, words[1:]


def _light(verb: str, objects: Sequence[str], language: LanguagePack) -> Verb | None:
    """takes a big bite, gives the door a kick: the noun says what is done."""
    if not objects:
        return None
    noun = objects[-1].split()[-1].casefold()
    found = language.idioms.get(f"{verb} a {noun}")
    if found is None and verb == "give" and len(objects) > 1 and noun not in language.grammar["things"]:
        done = language.verbs.get(language.surfaces.get(noun, ""))
        return done if done and (done.manner in ("touch", "sight") or done.id in BRIEFLY) else None
    itself = (IntentKind.EMOTE, language.surfaces.get(verb))
    return language.verbs[found] if found and found not in itself else None


# --- noun phrases --------------------------------------------------------------------------------------------------


def is_preposition(word: str, language: LanguagePack) -> bool:
    """Whether a noun phrase behind this word says where, whence or with what."""
    return any(word.casefold() in language.grammar[name] for name in ("to", "towards", "from", "with", "aside"))


def phrases(words: Sequence[str], names: NameTable) -> tuple[list[str], list[Place]]:
    """The objects, and the phrases behind prepositions."""
    found, at = _Phrases(names), 0
    while at < len(words):
        at += found.take(words, at)
    found.close()
    return found.objects, found.places


class _Phrases:
    """Noun phrases in the making."""

    def __init__(self, names: NameTable) -> None:
        self.names = names
        self.language = pack(LANGUAGE)
        self.objects: list[str] = []
        self.places: list[Place] = []
        self._preposition = ""
        self._noun: list[str] = []
        # Where in it the latest name begins.
        self._named = 0

    def take(self, words: Sequence[str], at: int) -> int:
        """Read on from here; how many words that took."""
        word, grammar = words[at].casefold(), self.language.grammar
        length = _name_length(words, at, self.names, self.language)
        if self._noun and self._is_person():
            self.close()
        if length:
            self._named = len(self._noun)
            self._noun += words[at : at + length]
        elif is_preposition(word, self.language):
            self.close()
            self._preposition = "out of" if word == "of" and self._preposition == "out" else word
        elif word in grammar["determiners"] or word in grammar["particles"] or word in grammar["reflexive"]:
            self.close()
        elif not word.endswith("ly") and word not in grammar["adverbs"]:
            self._noun.append(words[at])
        return length or 1

    def close(self) -> None:
        """End the phrase that is being read."""
        if self._noun and self._preposition:
            self.places.append(Place(self._preposition, self._text()))
        elif self._noun:
            self.objects.append(self._text())
        self._noun, self._named = [], 0

    def _text(self) -> str:
        """The phrase without what only describes the thing it names: the heavy old trapdoor, ripe pears."""
        whole = " ".join(self._noun)
        if self.names.find(whole):
            return whole
        for start in sorted({0, self._named, len(self._noun) - 1}):
            text = " ".join(self._noun[start:])
            either = (text,) if text.casefold() in self.language.grammar["parts"] else _numbers(text)
            name = next((one for one in either if self._means(one, self._noun[:start])), None)
            if name:
                return " ".join([*(one for one in self._noun[:start] if one.endswith("'s")), name])
        return whole

    def _means(self, name: str, before: Sequence[str]) -> bool:
        """Whether these words before it leave a name what it is: a rusty key, not a golden one or that of a car."""
        named = [one for _, (kind, one) in self.names.find(name) if kind == "prop"]
        if not named or not before:
            return bool(named)
        grammar = self.language.grammar
        telling = any(one.casefold() in grammar["telling"] for one in before)
        told = any(word in grammar["telling"] for one in named for word in one.split())
        return not (telling and told) and not any(
            one.casefold() in grammar["things"] or self.names.find(one) for one in before
        )

    def _is_person(self) -> bool:
        return any(kind == "character" for _, (kind, _) in self.names.find(" ".join(self._noun)))


def _numbers(name: str) -> tuple[str, ...]:
    """A name, and the same for one or for several."""
    return (name, name[:-1]) if name.endswith("s") else (name, f"{name}s")


def _name_length(words: Sequence[str], at: int, names: NameTable, language: LanguagePack) -> int:
    if words[at].casefold() in language.grammar["determiners"]:
        return 0
    best = 0
    for length in range(1, min(MAX_NAME_WORDS, len(words) - at) + 1):
        if fold_name(" ".join(words[at : at + length])) in names.derived:
            best = length
    return best
