"""The one alias table: which thing, person or place a written name means."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

from hakoniwa.stage.kinds import kinds_of

Kind = Literal["prop", "character", "location"]
Candidate = tuple[Kind, str]
How = Literal["exact", "alias", "derived", "part", "kind"]
Hit = tuple[How, Candidate]

HONORIFICS = ("さん", "ちゃん", "くん", "君", "様", "さま", "殿", "先輩", "氏")
PREFIXES = ("お", "ご", "御")
# What stands before a name and is none.
TITLES = frozenset({
    "mr", "mrs", "ms", "miss", "mister", "mme", "madam", "madame", "dr", "doctor", "prof", "professor", "sir", "dame",
    "lady", "lord", "king", "queen", "prince", "princess", "duke", "baron", "captain", "major", "sergeant", "officer",
    "lieutenant", "inspector", "detective", "constable", "nurse", "father", "mother", "brother", "sister", "aunt",
    "uncle", "grandma", "grandpa", "master", "mistress", "old", "young", "little", "big", "the", "saint", "st",
})  # fmt: skip
# What says of no place which one it is.
ANY_PLACE = frozenset({
    "room", "rooms", "area", "place", "floor", "deck", "ground", "grounds", "corner", "end", "side", "top", "bottom",
    "front", "back", "entrance", "wall", "window", "door", "stairs", "table", "counter", "bar", "desk", "bed",
})  # fmt: skip
_ARTICLE = re.compile(r"^(?:the|a|an|my|your|his|her|their|its|our)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s_.\-・]+")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}


# Names come again and again and are short; whole replies are neither, and are not kept.
_NAMES, _NAME = 2048, 80
# So many letters of a name tell whether a word may begin one.
_HEAD = 3


def nfkc(text: str) -> str:
    return _nfkc(text) if len(text) <= _NAME else unicodedata.normalize("NFKC", text).strip()


@lru_cache(maxsize=_NAMES)
def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip()


def fold_name(text: str) -> str:
    """The form in which spellings of one name meet: width, case, kana, dots, long vowel at the end, English article."""
    return _fold(text) if len(text) <= _NAME else _fold.__wrapped__(text)


@lru_cache(maxsize=_NAMES)
def _fold(text: str) -> str:
    text = _ARTICLE.sub("", nfkc(text)).casefold().translate(_TO_HIRAGANA)
    return _BETWEEN.sub("", text).rstrip("ー") or text


def _forms(written: str) -> tuple[str, ...]:
    return _short_forms(written) if len(written) <= _NAME else _short_forms.__wrapped__(written)


@lru_cache(maxsize=_NAMES // 2)
def _short_forms(written: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_variants(written)))


def _variants(written: str) -> Iterable[str]:
    """`written` folded, then without a polite prefix or an honorific."""
    base = nfkc(written)
    yield fold_name(base)
    if base.isascii():
        return
    for prefix in PREFIXES:
        if base.startswith(prefix) and len(base) > len(prefix):
            yield fold_name(base[len(prefix) :])
        yield fold_name(prefix + base)
    for honorific in HONORIFICS:
        if base.endswith(honorific) and len(base) > len(honorific):
            yield fold_name(base[: -len(honorific)])


Table = dict[str, tuple[Candidate, ...]]
Spelling = tuple[tuple[str, ...], tuple[str, ...]]
_RANK: dict[How, int] = {"exact": 0, "alias": 1, "derived": 2, "part": 3, "kind": 4}


@dataclass(frozen=True)
class NameTable:
    """Names by form. Entries may outlive their thing: whoever looks up keeps only what is still in the world."""

    exact: Table
    alias: Table
    derived: Table
    part: Table
    language: str
    known: Mapping[str, Spelling]
    newer: Mapping[str, Spelling] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        props: Mapping[str, tuple[str, ...]],
        parts: Mapping[str, tuple[str, ...]],
        characters: Mapping[str, tuple[str, ...]],
        locations: Mapping[str, tuple[str, ...]],
        merely_held: Iterable[str],
    ) -> "NameTable":
        exact: Table = {}
        alias: Table = {}
        derived: Table = {}
        part: Table = {}
        kinds: list[tuple[Kind, Mapping[str, tuple[str, ...]]]] = [
            ("prop", {**props, **dict.fromkeys(merely_held, ())}),
            ("character", characters),
            ("location", locations),
        ]
        for kind, entries in kinds:
            for name, aliases in entries.items():
                _file(exact, nfkc(name), (kind, name))
                _file(derived, fold_name(name), (kind, name))
                for other in aliases:
                    _file(alias, nfkc(other), (kind, name))
                    _file(derived, fold_name(other), (kind, name))
        for word, places in _last_words(locations).items():
            if len(places) == 1 and word not in derived:
                derived[word] = (("location", places[0]),)
        for word, people in _own_words(characters).items():
            if len(people) == 1 and word not in derived:
                derived[word] = (("character", people[0]),)
        for name in props:
            for piece in _pieces(name, parts.get(name, ())):
                _file(part, piece, ("prop", name))
        words = "".join([*props, *characters, *locations])
        known = {name: (aliases, parts.get(name, ())) for name, aliases in props.items()}
        return cls(exact, alias, derived, part, "ja" if _JAPANESE.search(words) else "en", known)

    def with_prop(self, name: str, aliases: tuple[str, ...], parts: tuple[str, ...]) -> "NameTable":
        """This table with a prop that is new or goes by other names than before, without copying the rest."""
        if self.newer.get(name, self.known.get(name)) == (aliases, parts):
            return self
        return replace(self, newer={**self.newer, name: (aliases, parts)})

    def may_begin(self, word: str) -> bool:
        """Whether a name begins as a word does; says no quickly for nearly all words of a text."""
        start = fold_name(word)[:_HEAD]
        return len(start) < _HEAD or start in self._heads

    @cached_property
    def _heads(self) -> frozenset[str]:
        return frozenset(form[:_HEAD] for form in self.derived)

    def spells(self, text: str) -> bool:
        """Whether a text is exactly a name, an alias or a part of something."""
        if text in self.exact or text in self.alias or (self.part and fold_name(text) in self.part):
            return True
        return any(text == name or text in aliases or text in parts for name, (aliases, parts) in self.newer.items())

    def find(self, written: str) -> Sequence[Hit]:
        """Everything this may mean, best match first: exact, alias, derived, part; where nothing is called so, what is
        of this kind."""
        found = self._found.get(written)
        if found is None:
            found = self._look_up(written)
            if len(written) <= _NAME and len(self._found) < _NAMES:
                self._found[written] = found
        return found

    def means(self, written: str, *kinds: Kind) -> bool:
        """Whether this may mean a thing, a person or a place of the world."""
        return any(kind in kinds for _, (kind, _) in self.find(written))

    @cached_property
    def _found(self) -> dict[str, Sequence[Hit]]:
        """What was looked up before: one text asks for the same few names again and again."""
        return {}

    def _look_up(self, written: str) -> Sequence[Hit]:
        forms = _forms(written)
        plain = nfkc(written)
        found: list[Hit] = [("exact", one) for one in self.exact.get(plain, ())]
        found += [("alias", one) for one in self.alias.get(plain, ())]
        found += [("derived", one) for form in forms for one in self.derived.get(form, ())]
        found += [("part", one) for one in self.part.get(forms[0], ())]
        found = self._with_newer(found, plain, forms) if self.newer else found
        return found or self._of_kind(forms)

    def _of_kind(self, forms: tuple[str, ...]) -> list[Hit]:
        return [hit for form in forms for hit in self._kinds.get(form, ())]

    @cached_property
    def _kinds(self) -> dict[str, tuple[Hit, ...]]:
        """The things by the common names of what they are; worked out when a name is not found otherwise."""
        filed = [one for found in self.exact.values() for one in found]
        names = [name for kind, name in filed if kind == "prop"]
        table: dict[str, dict[Hit, None]] = {}
        for room in [name for kind, name in filed if kind == "location"]:
            for word in sorted(kinds_of(nfkc(room).casefold())):
                table.setdefault(fold_name(word), {})["kind", ("location", room)] = None
        for name in dict.fromkeys([*names, *self.newer]):
            aliases, _ = self.newer.get(name) or self.known.get(name) or ((), ())
            for spelled in {nfkc(form).casefold(): None for form in (name, *aliases)}:
                for word in sorted(kinds_of(spelled)):
                    table.setdefault(fold_name(word), {})["kind", ("prop", name)] = None
        return {word: tuple(hits) for word, hits in table.items()}

    def _with_newer(self, found: list[Hit], plain: str, forms: tuple[str, ...]) -> list[Hit]:
        kept = [(how, one) for how, one in found if one[0] != "prop" or one[1] not in self.newer]
        for name, (aliases, parts) in self.newer.items():
            kept += _newer_matches(name, aliases, parts, plain, forms)
        return sorted(kept, key=lambda hit: _RANK[hit[0]])


def _own_words(characters: Iterable[str]) -> dict[str, list[str]]:
    """The first and the last names of people in Latin letters, with whose they are: Doyle is Officer Doyle."""
    found: dict[str, list[str]] = {}
    for name in characters:
        words = [one for one in name.split() if one.isascii() and one[0].isupper()]
        for word in {words[0], words[-1]} if len(words) > 1 else ():
            if word.rstrip(".").casefold() not in TITLES:
                found.setdefault(fold_name(word), []).append(name)
    return found


def _last_words(locations: Iterable[str]) -> dict[str, list[str]]:
    """What places in Latin letters are, with those that are that: the office is the sheriff's office."""
    found: dict[str, list[str]] = {}
    for name in locations:
        *before, word = name.casefold().split() or [""]
        if before and word.isascii() and word not in ANY_PLACE:
            found.setdefault(fold_name(word), []).append(name)
    return found


def _file(table: Table, form: str, candidate: Candidate) -> None:
    filed = table.get(form)
    if filed is None:
        table[form] = (candidate,)
    elif candidate not in filed:
        table[form] = (*filed, candidate)


def _newer_matches(
    name: str, aliases: tuple[str, ...], parts: tuple[str, ...], plain: str, forms: tuple[str, ...]
) -> list[Hit]:
    one: Candidate = ("prop", name)
    if nfkc(name) == plain:
        return [("exact", one)]
    if plain in [nfkc(other) for other in aliases]:
        return [("alias", one)]
    if not {fold_name(other) for other in (name, *aliases)}.isdisjoint(forms):
        return [("derived", one)]
    return [("part", one)] if forms[0] in _pieces(name, parts) else []


def _pieces(name: str, parts: tuple[str, ...]) -> list[str]:
    """What stands for a thing without being its name: its parts, and the noun of an English one (a sliding door)."""
    kind = name.split(" of ")[0].split()
    return [fold_name(piece) for piece in (*parts, *kind[-1:] * (len(kind) > 1))]
