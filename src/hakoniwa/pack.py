"""Language packs: the verbs of a language, and the sentences in which the GM narrates and explains."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal, cast

import yaml

from hakoniwa.errors import ScenarioError
from hakoniwa.messages import LOADER

Manner = Literal["go", "hand", "touch", "sight", "voice"]
Part = Literal[
    "object", "receiver", "to", "into", "onto", "toward", "beside", "from", "through", "with", "at", "about"
]  # fmt: skip
LANGUAGES = ("ja", "en")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb the referee knows: its intent, and what it asks of the body (a hand, a touch, a look, a voice)."""

    id: str
    intent: str
    manner: Manner = "hand"


@dataclass(frozen=True)
class ClaimPatterns:
    """How a language asserts something about the time, the weather or who is here, and how it hedges.

    A hedge takes the force out of its whole sentence, one that is nearby only out of its own clause."""

    hedges: tuple[re.Pattern[str], ...]
    nearby: tuple[re.Pattern[str], ...]
    pauses: re.Pattern[str]
    time: dict[str, re.Pattern[str]]
    during: dict[str, tuple[str, ...]]
    weather: dict[str, re.Pattern[str]]
    skies: dict[str, tuple[str, ...]]
    here: re.Pattern[str]
    being: re.Pattern[str]


@dataclass(frozen=True)
class LanguagePack:
    """One language: verbs by surface form, sentences by key, closed word lists by name, and what its reader needs."""

    language: str
    verbs: dict[str, Verb]
    surfaces: dict[str, str]
    acts: dict[str, str]
    told: dict[str, str]
    denied: dict[str, str]
    phrases: dict[str, str]
    words: dict[str, frozenset[str]]
    grammar: dict[str, frozenset[str]]
    idioms: dict[str, str]
    agreement: dict[str, str]
    # The part that the noun phrase behind a preposition plays, and verbs by their irregular forms.
    roles: dict[str, Part]
    irregular: dict[str, str]
    # The verbs that leave a thing in a state, by the word that says it: open, shut, lit.
    outcomes: dict[str, str]
    claims: ClaimPatterns

    def act(self, verb: str, people: Collection[str] = (), **names: Any) -> str:
        """An act as a stage direction: マグカップを手に取る. `people` are the blanks that somebody's name fills."""
        return _without_articles(self.acts.get(verb, self.acts["*"]), people).format(verb=verb, **names)

    def narrate(self, verb: str, people: Collection[str] = (), **names: Any) -> str:
        """An act as it is told once done: やなはマグカップを手に取った。"""
        told = _without_articles(self.told.get(verb, self.told["*"]), people)
        return told.format(verb=self.spelled(verb), **names)

    def explained(self, sentence: str, people: Collection[str] = (), **names: str) -> str:
        """A sentence about things with their names, in the number that they have: the matches are inside."""
        for blank, name in names.items():
            if blank not in people and is_plural(name):
                for one, several in self.agreement.items():
                    sentence = sentence.replace(one.format(f"{{{blank}}}"), several.format(f"{{{blank}}}"))
        return _without_articles(sentence, people).format(**names)

    def spelled(self, verb: str) -> str:
        return self.phrases.get(f"verb.{verb}", verb)


def _without_articles(sentence: str, people: Collection[str]) -> str:
    for blank in people:
        sentence = sentence.replace(f"the {{{blank}}}", f"{{{blank}}}")
    return sentence


ALWAYS_SEVERAL = frozenset({"people", "men", "women", "children", "mice", "feet", "teeth", "geese", "cattle"})
ONE_IN_S = ("ss", "us", "is", "as", "ens", "news", "series", "species", "chess", "bus", "gas")


@lru_cache(maxsize=1024)
def is_plural(name: str) -> bool:
    """Whether the name of a thing stands for several: matches, the king's spectacles; not a pair of gloves."""
    noun = name.split(" of ")[0].casefold().rpartition(" ")[2]
    return noun in ALWAYS_SEVERAL or (noun.isascii() and noun.endswith("s") and not noun.endswith(ONE_IN_S))


@dataclass(frozen=True, slots=True)
class Frame:
    """What a verb does with the phrases around it; frames.yaml says what each word means."""

    light: bool = False
    made: bool = False
    onto: bool = False
    complete: bool = False
    goes_to: bool = False
    stays: bool = False
    gives: bool = False
    lifts: bool = False
    unlids: bool = False
    takes: bool = False
    near: bool = False
    travels: bool = False
    switched: bool = False
    posture: bool = False
    contents: bool = False
    placed: bool = False
    loosens: bool = False
    bares: bool = False
    turns: bool = False
    sips: bool = False
    keeps_state: bool = False
    brings: bool = False
    picked: bool = False
    bars: bool = False
    powers: bool = False
    starts: bool = False
    bears: bool = False
    keys: bool = False
    dusts: bool = False
    applies: bool = False
    bound: bool = False
    dons: bool = False
    opens: bool = False
    closes: bool = False
    feels: bool = False
    grips: bool = False
    picks: bool = False
    lays: bool = False
    flips: bool = False
    throws: bool = False
    hands: bool = False
    wraps: bool = False
    cuts: bool = False
    wears: bool = False
    stows: bool = False
    rises: bool = False
    cleans: bool = False
    palmed: bool = False


NO_FRAME = Frame()


@cache
def _frames() -> dict[str, Frame]:
    text = files("hakoniwa").joinpath("lexicon", "frames.yaml").read_text(encoding="utf-8")
    listed: dict[str, list[str]] = yaml.load(text, Loader=LOADER)
    return {verb: Frame(**dict.fromkeys(words, True)) for verb, words in listed.items()}


def frame_of(verb: str) -> Frame:
    """The frame of a verb, by its id; one that is not listed takes an object and does nothing else."""
    return _frames().get(verb, NO_FRAME)


@cache
def nouns(kind: str, language: str) -> frozenset[str]:
    """Common nouns that are or may be things one can handle, or places one can go to; none where no file lists them."""
    return frozenset(_listed_words(kind, language))


def _listed_words(kind: str, language: str) -> list[str]:
    """The words of a derived list, without its preface."""
    path = files("hakoniwa").joinpath("lexicon", f"{kind}.{language}.txt")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def _manners(language: str) -> Iterator[tuple[str, str]]:
    """Verbs that are a manner of a listed one, each with the id of that; none where no file lists them."""
    for word in _listed_words("verbs", language):
        if word.endswith(":"):
            verb = word.removesuffix(":")
        else:
            yield word, verb


@cache
def pack(language: str) -> LanguagePack:
    """The pack of one language, read once."""
    path = files("hakoniwa").joinpath("lexicon", f"{language}.yaml")
    return pack_in(path.read_text(encoding="utf-8"), str(path), language)


def pack_in(text: str, file: str, language: str) -> LanguagePack:
    """The pack that a lexicon file holds, or a ScenarioError that names both places of what stands there twice."""
    loader = LOADER(text)
    root = cast(yaml.Node, loader.get_single_node())
    _refuse_doubled_keys(root, file)
    listed = list(_list_forms(root, file))
    _refuse_doubled(listed, file)
    data = loader.construct_document(root)
    return LanguagePack(
        language=language,
        verbs={one.verb.id: one.verb for one in listed},
        surfaces=dict(_manners(language)) | {one.form: one.verb.id for one in listed},
        acts=data["acts"],
        told=data["told"],
        denied=data["denied"],
        phrases=data["phrases"],
        words=_words(data["words"], language),
        grammar={name: frozenset(words) for name, words in data["grammar"].items()}
        | {
            "nouns": nouns("nouns", language),
            "objects": nouns("objects", language),
            "sites": nouns("places", language),
            "adverbs": frozenset(data["grammar"].get("adverbs", ())) | nouns("adverbs", language),
        },
        idioms=data["idioms"],
        agreement=data["agreement"],
        roles={word: part for part, words in data["roles"].items() for word in words},
        irregular={form: verb for verb, forms in data["irregular"].items() for form in forms},
        outcomes=data["outcomes"],
        claims=_claims(data["claims"]),
    )


def _words(data: dict[str, list[str]], language: str) -> dict[str, frozenset[str]]:
    """The closed lists; the surroundings, the body and the clothes together are whatever is always at hand."""
    words = {name: frozenset(listed) for name, listed in data.items()}
    clothes = words["clothes"] | nouns("garments", language)
    return words | {"clothes": clothes, "ambient": words["surroundings"] | words["body"] | clothes}


@dataclass(frozen=True, slots=True)
class _ListedForm:
    """A surface form, the verb it is listed under, and its line."""

    form: str
    verb: Verb
    line: int


def _list_forms(root: yaml.Node, file: str) -> Iterator[_ListedForm]:
    """Every surface form of a lexicon, in the order of the file."""
    for intent, group in _entries(dict(_entries(root))["verbs"]):
        for manner, verbs in _entries(group) if intent == "USE" else [(_MANNER_OF[intent], group)]:
            for verb, forms in _entries(verbs):
                known = Verb(verb, intent, cast(Manner, manner))
                if not isinstance(forms, yaml.SequenceNode):
                    raise ScenarioError("lexicon.no-list", file=file, line=forms.start_mark.line + 1, verb=verb)
                yield from (
                    _ListedForm(fold_surface(form.value), known, form.start_mark.line + 1) for form in forms.value
                )


def _entries(mapping: yaml.Node) -> list[tuple[str, yaml.Node]]:
    return [(key.value, child) for key, child in mapping.value]


def _refuse_doubled(listed: Sequence[_ListedForm], file: str) -> None:
    """A form means one verb, and a verb stands in one place: of two, neither wins unnoticed."""
    forms: dict[str, _ListedForm] = {}
    verbs: dict[str, _ListedForm] = {}
    for one in listed:
        if (other := forms.setdefault(one.form, one)) is not one:
            raise ScenarioError(
                "lexicon.form-twice", file=file, form=one.form,
                line=one.line, verb=one.verb.id, first=other.line, other=other.verb.id,
            )  # fmt: skip
        if (other := verbs.setdefault(one.verb.id, one)).verb != one.verb:
            raise ScenarioError("lexicon.key-twice", file=file, key=one.verb.id, line=one.line, first=other.line)


def _refuse_doubled_keys(node: yaml.Node, file: str) -> None:
    """YAML lets the later of two equal keys win unnoticed; a file of the lexicon may have no such two."""
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, child in node.value:
            line = key.start_mark.line + 1
            if key.value in first:
                raise ScenarioError("lexicon.key-twice", file=file, key=key.value, line=line, first=first[key.value])
            first[key.value] = line
            _refuse_doubled_keys(child, file)


def _claims(data: dict[str, Any]) -> ClaimPatterns:
    return ClaimPatterns(
        hedges=tuple(re.compile(one, re.IGNORECASE) for one in data["hedges"]),
        nearby=tuple(re.compile(one, re.IGNORECASE) for one in data["nearby"]),
        pauses=re.compile(data["pauses"], re.IGNORECASE),
        time={name: re.compile(one, re.IGNORECASE) for name, one in data["time"].items()},
        during={name: tuple(words) for name, words in data["during"].items()},
        weather={name: re.compile(one, re.IGNORECASE) for name, one in data["weather"].items()},
        skies={name: tuple(words) for name, words in data["skies"].items()},
        here=re.compile(data["here"], re.IGNORECASE),
        being=re.compile(data["being"], re.IGNORECASE),
    )


_MANNER_OF: dict[str, Manner] = {"MOVE": "go", "GET": "hand", "PUT": "hand", "EAT_DRINK": "hand"}


def fold_surface(surface: str) -> str:
    return unicodedata.normalize("NFKC", surface).strip().casefold()


@lru_cache(maxsize=1024)
def verb_of(written: str) -> Verb:
    """The verb meant by an id or a surface form of any language; one nobody knows is a USE with that very name."""
    form = fold_surface(written)
    for language in LANGUAGES:
        known = pack(language)
        if form.upper() in known.verbs:
            return known.verbs[form.upper()]
        if form in known.surfaces:
            return known.verbs[known.surfaces[form]]
    return Verb(written.strip(), "USE")


@lru_cache(maxsize=2048)
def word_in(name: str, written: str) -> bool:
    """Whether a word belongs to a closed list (pronouns, ambient things …) of any language."""
    form = fold_surface(written)
    return any(form in pack(language).words[name] for language in LANGUAGES)
