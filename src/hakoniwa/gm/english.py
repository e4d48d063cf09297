"""Reading English stage directions into clauses: subjects, verbs, and the phrases behind them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from hakoniwa.gm.clause import Clause, Doer, Role, Sort, Telling
from hakoniwa.pack import Part, frame_of, pack, word_in
from hakoniwa.stage.names import NameTable, fold_name
from hakoniwa.turn import IntentKind

LANGUAGE = "en"
MAX_NAME_WORDS = 6
# The lists of verbs that have a sense of their own.
SENSES = (
    "cutting",
    "leaving",
    "reaching",
    "leading",
    "clenching",
    "glancing",
    "relieving",
    "loading",
    "tossing",
    "riding",
)
MAX_STRETCH = 40
MAX_SUBJECT = 10
MAX_SENTENCES = 8
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d+|[,.;:!?…—–]|\n")
_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr|Prof|Capt|Sgt|Lt|St)\.(?=\s)")
_ONE_BY_ONE = re.compile(r"\b(\w+) (?:by|after|upon|to) \1\b")
_AND_ALL = re.compile(r", \w+ and all\b")
_WHAT_IS_LEFT = re.compile(r"\bwhat(?:'s| is| was) left of\b")
_ONLY_THEN = re.compile(r"\b(only (?:then|now|when|after)\b[^.;!?]*?) (?:do|does|did) (he|she|they|I)\b", re.IGNORECASE)
_TWO_ADJECTIVES = re.compile(r"\b(?:an?|the|his|her|my|your|its|their|another) ([a-z-]+), ([a-z-]+)(?= [a-z])")
_STOPS = frozenset(".;!?…\n")
# Texts bring the same words again and again.
_by_word = lru_cache(maxsize=4096)
_ENDINGS = (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ing", ("", "e")), ("ied", ("y",)), ("ed", ("", "e")))


@dataclass(slots=True)
class _Stretch:
    """Words between two joints: commas, full stops, joining words."""

    words: list[str]
    link: str
    # It tells when or why what follows is done.
    leads: bool = False


def clauses_of(text: str, names: NameTable, who: str) -> Iterator[Clause]:
    """The clauses of an English text, in order."""
    words = _words_of(text, names)
    reader = _Reader(names, who, words)
    for stretch in _rejoined(_stretches(words), reader):
        for one in _without_lead(stretch):
            yield from reader.clauses(one)


def _rejoined(stretches: Iterator[_Stretch], reader: "_Reader") -> Iterator[_Stretch]:
    """The stretches, with a phrase that commas set off back behind its verb: wedges it, unlit, between her teeth."""
    whole: _Stretch | None = None
    aside: list[_Stretch] = []
    for one in stretches:
        short = len(one.words) == 1 or one.words[0].casefold() in _prepositions()
        if whole and one.link == "," and short and _predicate(one.words, reader) is None:
            if one.words[0].casefold() in _prepositions():
                whole.words += one.words
                aside = []
                continue
            if len(one.words) == 1 and not aside and not reader.names.find(one.words[0]):
                aside.append(one)
                continue
        yield from [*([whole] if whole else []), *aside]
        whole, aside = one, []
    yield from [*([whole] if whole else []), *aside]


def _gender(word: str) -> frozenset[str]:
    """The words for a man or for a woman that this is one of."""
    return next((one for one in (_grammar("male"), _grammar("female")) if word.casefold() in one), frozenset())


def _is_anybody(word: str) -> bool:
    """Whether a word says no more of somebody than that: man, girl."""
    return word.casefold() in _grammar("anybody")


def telling(text: str, names: NameTable, who: str) -> Telling:
    """How a text without quotation marks and brackets puts what its speaker does; "" where it is only said."""
    sentences = [one for one in re.split(r"(?<=[.!?…])\s|\n", _TITLE.sub(r"\1", text.replace("’", "'"))) if one.strip()]
    kinds = [_telling(one, names, who) for one in sentences[:MAX_SENTENCES]]
    if kinds and kinds[0] == "told":
        return "told"
    return "ordered" if kinds and all(one == "ordered" for one in kinds) else ""


def _telling(sentence: str, names: NameTable, who: str) -> Telling:
    said = _words_of(sentence, names)
    stretches, reader = list(_stretches(said)), _Reader(names, who, said)
    words = [one for stretch in stretches for one in stretch.words]
    first = stretches[0] if stretches else None
    found = _predicate(first.words, reader) if first else None
    if first is None or found is None or sentence.rstrip().endswith("?"):
        return ""
    start, place = found
    subject, verb = [one for one in first.words[start:place] if not _adverb(one)], first.words[place]
    anybody = bool(subject) and subject[0] == "The" and _is_anybody(subject[-1]) and not is_any(verb, _grammar("being"))
    if anybody or reader.who in reader.people(subject):
        return "told" if _inflected(verb) else ""
    plain = base(verb) == verb.casefold() or not _inflected(verb)
    acts = base(verb) in pack(LANGUAGE).surfaces or is_any(verb, _grammar("gestures"))
    if is_any(verb, _grammar("unreal")) or (not acts and is_any(verb, _grammar("tolerant"))):
        return ""
    mine = [one.casefold() for one in subject] == ["i"]
    meant = _grammar("asking") - _grammar("mine") if mine else _grammar("asking")
    asks = any(one.casefold() in meant for one in words) or sentence.rstrip().endswith("!")
    alone = not subject and start == place and (place == 0 or _leads(first.words[0]))
    if (alone or mine) and plain and not asks:
        return "ordered"
    return "told" if alone and verb.islower() and verb.endswith("s") and _known_verb(verb) else ""


@cache
def _grammar(name: str) -> frozenset[str]:
    return pack(LANGUAGE).grammar[name]


def _words_of(text: str, names: NameTable) -> list[str]:
    """The words and marks of a text."""
    return _WORD.findall(_joined(text, names))


def _stretches(words: Sequence[str]) -> Iterator[_Stretch]:
    """The stretches of a text, each with the word or mark before it."""
    links, stretch, link, last, leads = _grammar("links"), list[str](), ".", ".", False
    for word in [*words, "."]:
        joins = word.casefold() in links and not _not_yet(word, last, stretch)
        if joins or len(stretch) >= MAX_STRETCH:
            if stretch:
                yield _Stretch(stretch, link, leads)
                stretch, link, leads = [], "", False
            leads = leads or word.casefold() in _grammar("subordinate")
            if joins and (link == "" or word in _STOPS or link == ","):
                link = "." if word in _STOPS else word.casefold()
        if not joins:
            stretch.append(word)
        last = word


def _without_lead(stretch: _Stretch) -> Iterator[_Stretch]:
    """A stretch, in two where no comma parts what leads in from who acts: without waiting for her he took the cup."""
    words = stretch.words
    leads = stretch.leads or words[0].casefold() in _prepositions() or _is_gerund(words[0])
    for at in range(2, len(words) - 1 if leads else 0):
        if (words[at] == "I" or words[at].casefold() in _grammar("nominatives")) and _inflected(words[at + 1]):
            yield _Stretch(words[:at], stretch.link)
            yield _Stretch(words[at:], ",")
            return
    yield stretch


def _joined(text: str, names: NameTable) -> str:
    """The text with words that are one preposition or adverb written as one: out of, face down; titles without dots."""
    plain = _ONE_BY_ONE.sub("", _TITLE.sub(r"\1", text.replace("’", "'")))
    plain = _ONLY_THEN.sub(r"\1 \2", _WHAT_IS_LEFT.sub("the rest of", _AND_ALL.sub("", plain)))
    plain = _TWO_ADJECTIVES.sub(lambda found: _one_phrase(found, names), plain)
    return _several_words().sub(lambda found: re.sub(r"\s+", "_", found[0]).casefold().replace("_", "-"), plain)


def _one_phrase(found: re.Match[str], names: NameTable) -> str:
    """a long, thoughtful pull: two adjectives, and no noun with what is done next."""
    second = found[2]
    if names.find(found[1]):
        return found[0]
    verb = _known_verb(second) or _inflected(second) or _adverb(second) or _opens_phrase(second)
    joins = second in _grammar("links") or second in _grammar("describing") or second in _prepositions()
    return found[0] if verb or joins or sort_of(found[1]) else found[0].replace(",", "")


@cache
def _several_words() -> re.Pattern[str]:
    phrases = [*pack(LANGUAGE).roles, *_grammar("adverbs")]
    several = sorted((one for one in phrases if " " in one), key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(one.replace(" ", r"\s+") for one in several) + r")\b", re.IGNORECASE)


@cache
def _prepositions() -> dict[str, Part]:
    return {word.replace(" ", "-"): part for word, part in pack(LANGUAGE).roles.items()}


def _not_yet(word: str, last: str, stretch: Sequence[str]) -> bool:
    """Whether what follows is still to come: before opening it …, hesitates before opening it."""
    if word.casefold() != "before":
        return False
    return last in _STOPS or any(is_any(one, _grammar("halting")) for one in stretch)


# --- verbs ---------------------------------------------------------------------------------------------------------


@_by_word
def lemmas(word: str) -> tuple[str, ...]:
    """What a word may be a form of."""
    low = word.casefold()
    if irregular := pack(LANGUAGE).irregular.get(low):
        return (irregular, low)
    stems = [low]
    for ending, swaps in _ENDINGS:
        if low.endswith(ending) and len(low) > len(ending) + 1:
            stem = low[: -len(ending)]
            stems += [stem + swap for swap in swaps]
            stems += [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
    return tuple(stems)


@cache
def _starts() -> frozenset[str]:
    """The first word of every verb and every idiom, and the verbs of which a sense is known."""
    language = pack(LANGUAGE)
    senses = (language.grammar[name] for name in SENSES)
    return frozenset(form.split()[0] for form in [*language.surfaces, *language.idioms]).union(*senses)


@_by_word
def base(word: str) -> str | None:
    """The verb of the lexicon that a word is a form of."""
    return next((one for one in lemmas(word) if one in _starts()), None)


@_by_word
def is_any(word: str, listed: frozenset[str]) -> bool:
    """Whether some form of a word is in a list."""
    return any(one in listed for one in lemmas(word))


@_by_word
def _known_verb(word: str) -> bool:
    return base(word) is not None or any(
        is_any(word, _grammar(name)) for name in ("unreal", "arrivals", "tolerant", "being", "gestures")
    )


@_by_word
def _inflected(word: str) -> bool:
    """Whether a word has the form of a verb that somebody does: opens, opened, took."""
    low = word.casefold()
    return low in pack(LANGUAGE).irregular or (
        len(low) > 3
        and low.endswith(("s", "ed", "ing"))
        and not low.endswith(("ss", "us", "'s", "ous", "thing", "eed"))
    )


@_by_word
def _is_gerund(word: str) -> bool:
    return len(word) > 4 and word.casefold().endswith("ing") and not is_any(word, _grammar("no_gerunds"))


# --- one stretch ---------------------------------------------------------------------------------------------------


class _Reader:
    """One text being read: who acts, and whether what goes on is only thought of."""

    def __init__(self, names: NameTable, who: str, text: Sequence[str] = ()) -> None:
        self.names = names
        self.who = who
        self.text = text
        self.doer: Doer = "self"
        self.unreal = False
        # Whether the sentence has had a verb: only then does it list more things.
        self.begun = False
        # Whether it says more of what was named: the pouch, which she lifts out.
        self.relative = False
        # By which words the text speaks of its speaker: those of a man or of a woman.
        self.own: frozenset[str] = frozenset()
        # By which pronoun a person is spoken of who is acted on, and by which the speaker acts: he is not who hands him
        # something.
        self.others: frozenset[str] = frozenset()
        self.acting: frozenset[str] = frozenset()
        # Whether it tells in the present: then `creased` only describes.
        self.present = False

    @cached_property
    def unnamed(self) -> bool:
        """Whether nobody of this world is named in the text: the old man may be its speaker."""
        return not self.people([one for one in self.text if one[0].isupper()])

    def clauses(self, stretch: _Stretch) -> Iterator[Clause]:
        """The clauses of one stretch."""
        words, fresh = stretch.words, stretch.link == "."
        if fresh:
            self.doer, self.unreal, self.begun = "self", False, False
        found = _predicate(words, self)
        if found is None:
            yield from self._without_verb(stretch)
            return
        start, place = found
        before, self.begun = self.doer, True
        which = place > start and words[0].casefold() == "which"
        self.relative = which or (self.relative and stretch.link == "and" and place == start)
        self.present = self.present or (words[place].endswith("s") and _inflected(words[place]))
        subordinate = stretch.link in _grammar("subordinate")
        self._note_doer(words[start:place], fresh or subordinate)
        if self.doer == "self":
            self._note_pronouns(words, start, place, subordinate)
        yield from self._told(words, start, place)
        if self.doer == "thing" and not fresh:
            self.doer = before  # wand raised, …

    def _note_pronouns(self, words: Sequence[str], start: int, place: int, subordinate: bool) -> None:
        """Keep whom the pronouns of a clause of the speaker's own stand for."""
        if not self.own and not subordinate:
            self.own = next(filter(None, (_gender(one) for one in words[start:])), frozenset())
        self.acting = self.acting or next(filter(None, map(_gender, words[start:place])), frozenset())
        at = place + 2 if words[place + 1 : place + 2] == ["at"] else place + 1
        receiver = words[at].casefold() if at < len(words) else ""
        if receiver == "him" or (receiver == "her" and _ends(words, at + 1)):
            self.others = _grammar("male" if receiver == "him" else "female")

    def _told(self, words: list[str], start: int, place: int) -> Iterator[Clause]:
        """The clause of the verb at this place, and those that hang on it."""
        first, (place, described) = place, _main_verb(words, place)
        self.unreal = self._is_unreal(words, start, first, place)
        end = _complement_end(words, place, self)
        clause = _clause(words[place:end], self.names, self.own)
        clause.doer, clause.real = self.doer, not (self.unreal or described)
        if self._own_hand(words[start:place]) and not clause.parts("object"):
            clause.roles.append(Role(words[place - 1], "object", "ambient"))
        if self.relative and not clause.parts("object"):
            clause.roles.append(Role("it", "object"))  # the pouch, which she lifts out and tosses aside
            clause.verb = clause.verb or clause.plain
        clause.stranger = self._stranger(words, start, place)
        bare = first == 0 and words[0].endswith("ed") and self.present and not clause.parts("object")
        clause.real = clause.real and not bare
        subject = [one for one in words[start:first] if one.casefold() not in _grammar("determiners")]
        clause.subject = plain_name(subject, self.names) if subject and clause.doer == "thing" else ""
        clause.text = " ".join(words)
        yield clause
        yield from self._hanging(words[end:], clause)

    def _hanging(self, tail: list[str], clause: Clause) -> Iterator[Clause]:
        """What hangs on a clause: a purpose that it reaches, and what is done meanwhile."""
        if len(tail) < 2:
            return
        first = tail[0].casefold()
        meanwhile = _is_gerund(tail[0]) and not clause.parts("object")
        reached = meanwhile or (first == "to" and _leads_on(clause)) or first in _grammar("by")
        place = 0 if _is_gerund(tail[0]) else 1
        for one in self._told(tail, place, place):
            one.real = one.real and reached and clause.real
            one.unplaced = one.unplaced or (first == "to" and not clause.parts("object"))
            yield one

    def _is_unreal(self, words: Sequence[str], start: int, first: int, place: int) -> bool:
        goes_on = self.unreal and words[place].casefold() == base(words[place])
        wordless = start > 0 and words[0].casefold() == "without" and not _is_gerund(words[place])
        said = any(is_any(one, _grammar("unreal")) for one in words[start if wordless else 0 : place + 1])
        gerund = start and _is_gerund(words[place]) and words[start - 1].casefold() in _grammar("naming")
        asked = any(one.casefold() in _grammar("describing") and one.casefold() != "that" for one in words[1:first])
        too = words[place - 1 : place] == ["to"] and "too" in words[:place]
        done_before = words[first].casefold() == "had" and first < place
        return bool(goes_on or said or gerund or asked or too or done_before)

    def _without_verb(self, stretch: _Stretch) -> Iterator[Clause]:
        """`and the plate` behind `takes the cup` is one more thing; a name by itself says who acts."""
        words = stretch.words
        if self.people(words) and words[0].casefold() not in _prepositions():
            self._note_doer(words, stretch.link == ".")
        found = _Phrases(self.names)
        found.read(words)
        joint = stretch.link in _grammar("listing") and self.begun
        doer: Doer = self.doer if joint else "thing"
        yield Clause(" ".join(words), roles=found.roles, doer=doer, real=not self.unreal, more=joint)

    # --- who does it ---

    def _note_doer(self, subject: Sequence[str], fresh: bool) -> None:
        plain = [one for one in subject if not _adverb(one) and one.casefold() != "which"]
        if subject and not plain and subject[0].casefold() == "which":
            self.doer = "thing"
        if plain:
            self.doer = self._doer(plain, fresh)

    def _doer(self, plain: list[str], fresh: bool) -> Doer:
        """Who a subject is: the speaker, somebody else, or a thing."""
        people = self.people(plain)
        if people:
            return "self" if self.who in people else "other"
        first = plain[0].casefold()
        if self._own_hand(plain):
            return "self"
        if len(plain) == 1 and first in _grammar("selves"):
            another = first in self.others and not self.acting & self.others
            return "other" if another else "self"
        if any(one.casefold() in _grammar("persons") for one in plain):
            return "self" if self.unnamed and first == "the" and _is_anybody(plain[-1]) else "other"
        return "thing"

    def _own_hand(self, subject: Sequence[str]) -> bool:
        """Whether what a hand or the fingers do is done by the speaker: her fingers closed on the key."""
        owner = subject[-2] if len(subject) > 1 else ""
        if not subject or subject[-1].casefold() not in _grammar("hands"):
            return False
        return owner.casefold() in _grammar("owners") or self.people([owner.removesuffix("'s")]) == [self.who]

    def people(self, words: Sequence[str]) -> list[str]:
        """The people of this world that these words name, unless only as owners of something."""
        found, at = list[str](), 0
        while at < len(words):
            length = _name_length(words, at, self.names)
            text = " ".join(words[at : at + max(length, 1)])
            named = [name for _, (kind, name) in self.names.find(text) if kind == "character"]
            found += named
            at += length or 1
        return found

    def _stranger(self, words: Sequence[str], start: int, place: int) -> str | None:
        """Somebody who is not of this world and walks on."""
        if self.doer != "other" or not is_any(words[place], _grammar("arrivals")):
            return None
        subject = words[start:place]
        if any(self._named(one) for one in subject):
            return None
        return next((one for one in subject if one.casefold() in _grammar("persons")), None)

    def _named(self, word: str) -> bool:
        return self.names.means(word, "character", "prop")


@_by_word
def _adverb(word: str) -> bool:
    low = word.casefold()
    if low.replace("-", " ") in _grammar("adverbs"):
        return True
    return low.endswith(("ly", "-handed", "wise")) and low not in _grammar("no_adverbs")


def _predicate(words: Sequence[str], reader: _Reader) -> tuple[int, int] | None:
    """Where the subject begins and where the verb stands: the first one in its place."""
    start = _after_lead(words, reader)
    if start < 0:
        return -start, -start
    known = False
    for place in range(start, min(len(words), start + MAX_SUBJECT)):
        if place > start and words[place].casefold() in _prepositions():
            known = True
        if _stands_as_verb(words, start, place, reader, known):
            return start, place
    return None


def _after_lead(words: Sequence[str], reader: _Reader) -> int:
    """Where a stretch begins behind what only leads in (with a grunt, slowly); below 0, a verb in -ing stands there."""
    at = 0
    while at < len(words) and (_leads(words[at]) or words[at].casefold() in _grammar("leads")):
        at += 1
    at -= 1 if at and words[at - 1].casefold() in _prepositions() else 0
    if at < len(words) - 1 and _leads_in(words[at].casefold()):
        after = at + 1
        while after < len(words) - 1 and _adverb(words[after]):
            after += 1
        if _is_gerund(words[after]):
            return -after
        return _past_phrase(words, at + 1, reader)
    return at


def _leads_in(word: str) -> bool:
    return word in _prepositions() or word in _grammar("naming")


def _leads(word: str) -> bool:
    return _adverb(word) and base(word) != word.casefold()


def _past_phrase(words: Sequence[str], at: int, reader: _Reader) -> int:
    """The end of a noun phrase that leads in: its name, else its first words up to a new determiner or person."""
    begin = at
    while at < len(words):
        low = words[at].casefold()
        length = _name_length(words, at, reader.names)
        if at > begin and (
            low in _grammar("selves") or (low in _grammar("determiners") and not _governs(words[at - 1].casefold()))
        ):
            return at
        if at > begin and length and reader.people(words[at : at + length]):
            return at
        at += length or 1
    return at


def _governs(word: str) -> bool:
    return word == "of" or word in _prepositions()


def _stands_as_verb(words: Sequence[str], start: int, place: int, reader: _Reader, inside: bool) -> bool:
    """Whether the word at this place is the verb of the stretch."""
    word, before = words[place], words[place - 1].casefold() if place > start else ""
    low = word.casefold()
    if place == start and place and words[place - 1].casefold() == "no":
        return False
    determined = before in _grammar("determiners") and before not in _grammar("that")
    if determined or (low in _prepositions() and base(word) is None):
        return False
    after = words[place + 1] if place + 1 < len(words) else ""
    named = _name_length(words, place, reader.names) > 0
    if _known_verb(word) and not named:
        return _as_known_verb(words, start, place, before, after)
    if named:
        return place == start and _known_verb(word) and (after.casefold() in _grammar("determiners"))
    if not _inflected(word) or _adverb(word) or low in _grammar("determiners"):
        noun = low in _grammar("selves") or low in _grammar("determiners")
        return not noun and place == start and after.casefold() in _grammar("determiners")
    if place == start:
        return not after or _opens_phrase(after) or _name_length(words, place + 1, reader.names) > 0
    return not inside and (
        before in _grammar("selves")
        or before == "it"
        or (not reader.begun and words[0].casefold() in _grammar("determiners") and reader._named(words[place - 1]))
        or not low.endswith("s")
        or bool(reader.people(words[start:place]))
    )


def _as_known_verb(words: Sequence[str], start: int, place: int, before: str, after: str) -> bool:
    word = words[place]
    plain = base(word) == word.casefold() and not _inflected(word)
    if place == start:
        noun = plain and _inflected(after) and _known_verb(after) and not after.casefold().endswith("ing")
        hanging = _is_gerund(after) and word_in("ambient", word)
        return not (noun or hanging)
    if word_in("ambient", word) and _is_gerund(after):
        return False
    if _is_gerund(word) and before not in _grammar("selves") and not is_any(before, _grammar("being")):
        return True
    return (
        _inflected(word)
        or before in _grammar("selves")
        or is_any(before, _grammar("helping"))
        or before.endswith("s")
        or before in _grammar("persons")
        or _adverb(before)
        or before == "to"
    )


@_by_word
def _opens_phrase(word: str) -> bool:
    low = word.casefold()
    opening = ("determiners", "particles", "reflexive", "selves")
    return (
        any(low in _grammar(name) for name in opening)
        or low in _prepositions() or low in pack(LANGUAGE).words["pronouns"] or _adverb(word)
    )  # fmt: skip


def _ends(words: Sequence[str], at: int) -> bool:
    """Whether no noun can follow here; of her back pocket and his open hand one does."""
    if at >= len(words) or words[at].casefold() in _grammar("determiners"):
        return True
    describes = words[at].casefold() in _grammar("sided") and not _ends(words, at + 1)
    return _opens_phrase(words[at]) and not describes


def _main_verb(words: Sequence[str], place: int) -> tuple[int, bool]:
    """The verb that others only begin or help, and whether it is no act but a state: is holding, has left, was seen."""
    described = False
    for _ in range(4):
        word = words[place]
        after = place + 1
        while (
            after < len(words) - 1
            and (_adverb(words[after]) or words[after] == "to")
            and words[after].casefold() != "back"
        ):
            after += 1
        if after >= len(words):
            break
        being, having = is_any(word, _grammar("being")), is_any(word, _grammar("having"))
        begins = (
            is_any(word, _grammar("beginning"))
            and _known_verb(words[after])
            and (words[after - 1] == "to" or _is_gerund(words[after]))
        )
        helps = (being or having) and _known_verb(words[after]) and _inflected(words[after])
        helps = helps or (is_any(word, _grammar("helping")) and _known_verb(words[after]))
        if not (begins or helps):
            break
        described = described or (being and not _is_gerund(words[after]))
        place = after
    return place, described


def _complement_end(words: Sequence[str], place: int, reader: _Reader) -> int:
    """The end of what belongs to the verb: up to a description, a purpose, or what somebody else does."""
    for at in range(place + 1, len(words)):
        word, before = words[at].casefold(), words[at - 1].casefold()
        after = words[at + 1] if at + 1 < len(words) else ""
        relative = word != "that" or (at > place + 1 and before not in _prepositions())
        if word in _grammar("describing") and relative:
            return at
        if at > place + 1 and (word in _grammar("nominatives") or words[at] == "I"):
            return at
        if word == "to" and _is_plain_verb(words, at + 1, reader) and not _is_errand(words, at + 1):
            return at
        joins = (word in _grammar("naming") or word in _grammar("by")) and _is_gerund(after) and base(after)
        if joins and not reader._named(after):
            return at
        if _hangs(words, place, at, reader) or _theirs(words, place, at, reader):
            return at
    return len(words)


def _hangs(words: Sequence[str], place: int, at: int, reader: _Reader) -> bool:
    """Whether a verb in -ing stands here that describes what is before it, or what is done meanwhile."""
    before = words[at - 1].casefold()
    if not _is_gerund(words[at]) or before == "of" or before in _grammar("determiners"):
        return False
    if _name_length(words, at, reader.names):
        return False
    known = _known_verb(words[at]) and (at > place + 1 or not _name_length(words, at + 1, reader.names))
    return known or (at > place + 1 and not _adverb(before) and _opens_phrase(" ".join(words[at + 1 : at + 2])))


def _theirs(words: Sequence[str], place: int, at: int, reader: _Reader) -> bool:
    """Whether the person before this verb does it: watches Ann open the box."""
    word, before = words[at].casefold(), words[at - 1].casefold()
    if at <= place + 1 or base(word) != word or word in _grammar("particles") or reader._named(word):
        return False
    if not reader.people(words[at - 1 : at]) or before in _prepositions() or at + 1 >= len(words):
        return False
    return _opens_phrase(words[at + 1]) or _name_length(words, at + 1, reader.names) > 0


def _is_plain_verb(words: Sequence[str], at: int, reader: _Reader) -> bool:
    if at >= len(words) or _name_length(words, at, reader.names):
        return False
    low = words[at].casefold()
    return (low == base(low) or low in _grammar("tolerant") or low in _grammar("being")) and not _inflected(low)


def _is_errand(words: Sequence[str], at: int) -> bool:
    """Whether one goes to something and does not go to do it: goes to work."""
    return words[at].casefold() in _grammar("errands") and _ends(words, at + 1)


def _leads_on(clause: Clause) -> bool:
    """Whether what is done for a purpose reaches it: crouches to pick it up, uses the key to open the door."""
    return (
        clause.verb != IntentKind.EMOTE
        and clause.lemma in _grammar("leading")
        and not (clause.parts("object") and clause.lemma != "use")
    )


# --- the verb and its phrases --------------------------------------------------------------------------------------


def _clause(words: Sequence[str], names: NameTable, own: frozenset[str] = frozenset()) -> Clause:
    """The verb at the head of these words with what belongs to it."""
    language, lemma = pack(LANGUAGE), base(words[0]) or lemmas(words[0])[0]
    idiom, rest, results = _idiom(words, names)
    if lemma in _grammar("letting") and not idiom:
        rest, results = _let(rest)
    name = idiom or language.surfaces.get(lemma)
    found = _Phrases(names, name in _travels(), own)
    found.read(rest)
    roles, verb = found.roles, name
    results = (*results, *found.results)
    if (
        lemma in _grammar("intransitive")
        and not idiom
        and not results
        and not any(one.part == "object" for one in roles)
    ):
        verb = None
    if light := _light(lemma, [one for one in roles if one.part == "object"]):
        verb, noun = light, [one for one in roles if one.part == "object"][-1]
        whole = [noun._replace(text=noun.whole, sort=noun.whole_sort, whole="", head="")] if noun.whole else []
        roles = [one for one in roles if one is not noun] + whole
    first = next((one for one in roles if one.part == "object"), None)
    roles = [one if one is first or one.part != "object" else one._replace(part="about") for one in roles]
    return Clause("", verb, lemma, "", language.surfaces.get(lemma), roles, results)


def _let(rest: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """What is let fall, and that it goes down: lets them drop into the box."""
    at = next((at for at, word in enumerate(rest) if at and word.casefold() in _grammar("falling")), None)
    return (rest, ()) if at is None else ([*rest[:at], *rest[at + 1 :]], ("down",))


@cache
def _travels() -> frozenset[str]:
    verbs = pack(LANGUAGE).verbs.items()
    return frozenset(name for name, verb in verbs if verb.manner in ("go", "sight") or frame_of(name).posture)


def _is_literal(phrase: Sequence[str], names: NameTable) -> bool:
    """stirs the pot: where there is one, that is what is stirred."""
    return phrase[:1] == ["the"] and any(names.means(word, "prop") for word in phrase[1:])


def _idiom(words: Sequence[str], names: NameTable) -> tuple[str | None, Sequence[str], tuple[str, ...]]:
    """A verb with the words that make another of it, close by or apart: puts the cup down, nudges the door shut."""
    idioms, grammar, verb = pack(LANGUAGE).idioms, pack(LANGUAGE).grammar, base(words[0]) or ""
    following = ["oneself" if one in grammar["reflexive"] else one for one in map(str.casefold, words[1:4])]
    for length in (3, 2, 1):
        close = " ".join([verb, *following[:length]])
        if len(words) > length and close in idioms:
            if idioms[close] == IntentKind.EMOTE and _is_literal(words[1 : 1 + length], names):
                break
            said = tuple(one for one in following[:length] if one in grammar["particles"])
            kept = idioms[close] in _travels() and following[length - 1] in _prepositions()
            return idioms[close], words[1 + length - kept :], said
    for place in range(2, len(words)):
        word = words[place].casefold()
        apart = place + 1 == len(words) or words[place + 1].casefold() in _prepositions() or _adverb(words[place + 1])
        found = idioms.get(f"{verb} {word}") if apart and word in grammar["particles"] else None
        if found and (found != IntentKind.EMOTE or words[1].casefold() in pack(LANGUAGE).words["pronouns"]):
            return found, [*words[1:place], *words[place + 1 :]], (word,)
    return None, words[1:], ()


def _light(verb: str, objects: Sequence[Role]) -> str | None:
    """takes a big bite, gives the door a kick: the noun says what is done."""
    if not objects:
        return None
    language, noun = pack(LANGUAGE), objects[-1].text.split()[-1].casefold()
    found = next((one for one in map(language.idioms.get, _one_of(verb, noun)) if one), None)
    if found is None and verb == "give" and len(objects) > 1 and objects[-1].sort != "thing":
        done = language.surfaces.get(base(noun) or noun)
        return done if done in _grammar("briefly") else None
    return found if found and found not in (IntentKind.EMOTE, language.surfaces.get(verb)) else None


def _one_of(verb: str, noun: str) -> list[str]:
    """A verb with one of what it is done with: takes two sips is takes a sip."""
    return [f"{verb} a {one}" for one in (noun, *_singular(noun))]


class _Phrases:
    """Noun phrases in the making."""

    def __init__(self, names: NameTable, travels: bool = False, own: frozenset[str] = frozenset()) -> None:
        self.names = names
        self.travels = travels
        self.own = own
        # Whose the noun is, where that is somebody else: her of a man's tale.
        self._owner = ""
        self.roles: list[Role] = []
        self.results: tuple[str, ...] = ()
        self._part: Part = "object"
        self._noun: list[str] = []
        self._whole: list[str] | None = None
        # Where in the noun the latest name begins.
        self._named = 0
        self._none = False
        self._bare = True
        self._definite = False
        # A new thing is spoken of: a hat, which need not be the one that is worn.
        self._fresh = False
        self._people: list[str] = []

    def read(self, words: Sequence[str]) -> None:
        """Read all phrases of these words; of two objects, a person that comes first receives the other."""
        at = 0
        while at < len(words):
            at += self._take(words, at)
        self._close()
        objects = [at for at, one in enumerate(self.roles) if one.part == "object"]
        if len(objects) > 1 and self.roles[objects[0]].text in self._people:
            self.roles[objects[0]] = self.roles[objects[0]]._replace(part="receiver")

    def _take(self, words: Sequence[str], at: int) -> int:
        """Read on from here; how many words that took."""
        word, grammar = words[at].casefold(), pack(LANGUAGE).grammar
        length = _name_length(words, at, self.names)
        if self._noun and self._whole is None and self._is_person() and word != "'s":
            self._close()
        if length:
            self._add(words[at : at + length], named=True)
        elif word in grammar["alone"] and (word not in grammar["determiners"] or _ends(words, at + 1)):
            self._close()
            self._add([words[at]], named=False)
            self._close()
        elif word == "of" and self._noun and self._whole is None:
            self._whole = []
        elif word in grammar["whereto"] and (not self._noun or at + 1 == len(words)):
            self._close()
            self.roles.append(Role(word, "to", "place"))
        elif word in grammar["particles"] and self._is_particle(words, at):
            self._close()
            self.results = (*self.results, word)
        elif word in _prepositions():
            self._close()
            self._part = _prepositions()[word]
            if word in grammar["freeing"]:
                self.results = (*self.results, "free")
        elif word in grammar["results"] and self._is_result(words, at):
            self._close()
            self.results = (*self.results, word)
        elif word in grammar["determiners"] and words[at + 1 : at + 2] == ["of"]:
            return self._some_of(words, at)
        elif word in grammar["determiners"] or word in grammar["reflexive"]:
            if self._whole is None or self._whole:
                self._close()
            self._none, self._bare, self._definite = word == "no", False, word == "the"
            self._fresh = word in _grammar("indefinite")
            self._owner = word if self.own and (_gender(word) or self.own) is not self.own else ""
        elif not _adverb(words[at]) and words[at + 1 : at + 2] != ["enough"]:
            self._add([words[at]], named=False)
        return length or 1

    def _some_of(self, words: Sequence[str], at: int) -> int:
        """some of the pie is pie, one of them is nothing one could name."""
        if " ".join(words[at + 2 : at + 3]).casefold() in pack(LANGUAGE).words["pronouns"]:
            self._add(["something"], named=False)
            return 3
        return 2

    def _is_particle(self, words: Sequence[str], at: int) -> bool:
        """Whether a word that may be a preposition only says what becomes of the object: flips it on."""
        word, after = words[at].casefold(), words[at + 1].casefold() if at + 1 < len(words) else ""
        if at and words[at - 1].casefold() in _grammar("determiners"):
            return False
        if word not in _prepositions():
            return True
        if after == "" or after in _prepositions() or after in _grammar("results"):
            return True
        verb_near = at == 0 and not self.travels and not (word == "off" and _is_furniture(words, at + 1))
        return verb_near and word in _grammar("loose") and bool(after)

    def _is_result(self, words: Sequence[str], at: int) -> bool:
        """Whether a word says what becomes of the object, and not of what kind it is: Tobin's free hand."""
        before = words[at - 1].casefold() if at else ""
        return not before.endswith("'s") and bool(self._noun or (self.roles and before not in _grammar("determiners")))

    def _add(self, words: Sequence[str], named: bool) -> None:
        noun = self._noun if self._whole is None else self._whole
        if named and self._whole is None:
            self._named = len(noun)
        noun += words

    def _close(self) -> None:
        """End the phrase that is being read."""
        if self._noun:
            self.roles.append(self._role())
        if self._noun or not self._none:
            self._part = self._part if not self._noun else "object" if self._part == "object" else "about"
            self._bare = True
        self._noun, self._whole, self._named, self._none, self._definite = [], None, 0, False, False
        self._fresh = False

    def _role(self) -> Role:
        text = "it" if self._is_the_same() else self._text()
        whole = plain_name(self._whole, self.names) if self._whole else ""
        if whole and self._part == "object" and word_in("body", whole.split()[-1]):
            text, whole = whole, ""  # the bowl of his hands
        owner, owned, part = text.rpartition("'s ")
        if not whole and not owned and len(text.split()) > 1 and not self.names.find(text):
            owner, part = self._compound(text)
            whole, text = (owner, part) if owner else (whole, text)
        sort = sort_of(part if owned else text, bool(whole))
        if self.names.means(text, "character") or text.casefold() in _grammar("receivers") or sort == "person":
            self._people.append(text)
        head = (part if owned else text).split()[-1].casefold()
        sort = sort or _of_compound(text)
        whole_sort = sort_of(whole) if whole else ""
        if self._fresh:
            sort, whole_sort = _of_new(sort, text), _of_new(whole_sort, whole)
        top = self._part == "onto"
        owner, self._owner = owner or (self._owner if sort == "ambient" else ""), ""
        return Role(text, self._part, sort, whole or owner, head, whole_sort, top, self._none, self._bare)

    def _is_the_same(self) -> bool:
        """Whether a phrase only takes up what was spoken of: the whole thing, the lot."""
        return self._definite and not self._whole and " ".join(self._noun).casefold() in _grammar("anaphors")

    def _compound(self, text: str) -> tuple[str, str]:
        """The thing and the part of it that two nouns name: the forge door."""
        owner, _, part = text.rpartition(" ")
        named = self.names.means(owner, "prop")
        parts = (_grammar("parts"), _grammar("lids"), _grammar("doors"))
        return (owner, part) if named and any(part.casefold() in one for one in parts) else ("", text)

    def _text(self) -> str:
        """The phrase without what only describes the thing it names: the heavy old trapdoor, ripe pears."""
        return plain_name(self._noun, self.names, self._named)

    def _is_person(self) -> bool:
        text = " ".join(self._noun)
        receives = len(self._noun) == 1 and text.casefold() in _grammar("receivers")
        return receives or self.names.means(text, "character")


def plain_name(noun: Sequence[str], names: NameTable, named: int = 0) -> str:
    """A noun phrase down to the name in it, unless the words before make it another thing."""
    whole = " ".join(noun)
    if names.find(whole):
        return whole
    for start in sorted({0, named, len(noun) - 1}):
        text = " ".join(noun[start:])
        either = (text,) if text.casefold() in _grammar("parts") else _numbers(text)
        name = next((one for one in either if _means(one, noun[:start], names)), None)
        if name:
            return " ".join([*(one for one in noun[:start] if one.endswith("'s")), name])
    return whole


def _means(name: str, before: Sequence[str], names: NameTable) -> bool:
    """Whether these words before it leave a name what it is: a rusty key, not a golden one or that of a car."""
    named = [one for _, (kind, one) in names.find(name) if kind == "prop"]
    if not named or not before:
        return bool(named)
    telling = any(one.casefold() in _grammar("telling") for one in before)
    told = any(word in _grammar("telling") for one in named for word in one.split())
    return not (telling and told) and not any(
        one.casefold() in _grammar("things") or names.find(one) for one in before if not one.endswith("'s")
    )


def _is_furniture(words: Sequence[str], at: int) -> bool:
    """Whether the noun here is what one sits or lies on, and gets off: rolls off the bunk bed."""
    after = at + 1 if at < len(words) and words[at].casefold() in _grammar("determiners") else at
    return any(word_in("furniture", word) for word in words[after : after + 2])


def _of_compound(text: str) -> Sort:
    """The sort of a noun in no list behind one that is a thing: a pastry cutter, a chocolate bar."""
    before = text.split()[-2:-1]
    return "likely" if before and sort_of(before[0]) == "thing" else ""


def _of_new(sort: Sort, text: str) -> Sort:
    """The sort of a thing that has not been spoken of: what one wears is there, another hat is not."""
    worn = sort == "ambient" and word_in("clothes", text.split()[-1].casefold())
    return "thing" if worn and text.split()[-1].casefold() not in _grammar("parts") else sort


@_by_word
def sort_of(text: str, has_whole: bool = False) -> Sort:
    """What kind of noun the last word of a phrase is."""
    head, grammar = text.split()[-1].casefold(), pack(LANGUAGE).grammar
    listed = (grammar["nouns"], grammar["objects"], grammar["things"])
    known = (form for form in _singular(head) if any(form in one for one in listed))
    one = next(known, head.removesuffix("s"))
    if has_whole and (head in grammar["measures"] or one.endswith("ful")):
        return "measure"
    if has_whole and head in grammar["doors"] and head not in grammar["lids"]:
        return "part"
    if word_in("ambient", head) and not (has_whole and head in grammar["parts"]):
        return "abstract" if head in grammar["abstract"] else "ambient"
    if head in grammar["measures"] and head not in grammar["things"] and head not in grammar["nouns"]:
        return "part"
    for name, sort in _SORTS:
        if head in grammar[name] or (name != "abstract" and not grammar[name].isdisjoint((one, *_singular(head)))):
            return sort
    if (
        text.casefold() in grammar["things"]
        or not grammar["things"].isdisjoint((head, one))
        or (one in grammar["nouns"] and one not in grammar["abstract"])
        or head in grammar["nouns"]
    ):
        return "thing"
    if head in grammar["sites"]:
        return "place"
    if one in grammar["abstract"]:
        return "abstract"
    return "likely" if one in grammar["objects"] or head in grammar["objects"] else ""


def _singular(noun: str) -> tuple[str, ...]:
    """What a plural may be that of."""
    ends = (("ies", "y"), ("es", ""), ("s", ""))
    return tuple(noun.removesuffix(end) + one for end, one in ends if noun.endswith(end))


_SORTS: tuple[tuple[str, Sort], ...] = (
    ("abstract", "abstract"), ("lids", "lid"), ("parts", "part"), ("animals", "animal"), ("persons", "person"),
)  # fmt: skip


def _numbers(name: str) -> tuple[str, ...]:
    """A name, and the same for one or for several."""
    return (name, name[:-1]) if name.endswith("s") else (name, f"{name}s")


def _name_length(words: Sequence[str], at: int, names: NameTable) -> int:
    """How many words from here spell a name, at most."""
    if at >= len(words) or words[at].casefold() in _grammar("determiners") or not names.may_begin(words[at]):
        return 0
    best = 0
    for length in range(1, min(MAX_NAME_WORDS, len(words) - at) + 1):
        if fold_name(" ".join(words[at : at + length])) in names.derived:
            best = length
    return best
