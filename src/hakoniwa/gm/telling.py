"""What words say of the world: facts that are told, things that are asked for, and what kind of speech it is.

Read where it is plain and marked unsure where it is not; who says it, and whether it is so, makes no difference."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from hakoniwa.messages import LOADER
from hakoniwa.pack import Verb, pack
from hakoniwa.stage.claims import WHERE
from hakoniwa.stage.names import Candidate, nfkc
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ActionIntent, Fact, IntentKind, Relation, SpeechVerb

MAX_SPEECH, MAX_FACTS = 2_000, 8
ARTICLES = frozenset({"the", "a", "an", "my", "your", "his", "her", "this", "that"})
_SENTENCE = re.compile(r"[^。！!？?\n]+?(?:[。！!？?\n]+|\.(?=\s|$)|$)")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
_KANJI, _KATAKANA = "㐀-鿿々", "ァ-ヺー"
Meanings = dict[str, tuple[Candidate, ...]]
_MARKS = {"prop": "T", "character": "P", "location": "R"}
_BLANKS = {
    "{thing}": "(?P<x>⟦T\\d+⟧)", "{person}": "(?P<x>⟦P\\d+⟧)", "{place}": "(?P<y>⟦T\\d+⟧)", "{room}": "(?P<y>⟦R\\d+⟧)",
    "{holder}": "(?P<y>⟦P\\d+⟧)", "{gap}": "[^⟦⟧。!?]{0,14}?", "{what}": "⟦T\\d+⟧",
    "{article}": "(?:(?:the|that|this|a|an|my|your|his|her|their|our) )?",
}  # fmt: skip
_SUBJECT_VERB = {"ja": "(?P<verb>[^⟦⟧。]{1,16})", "en": "(?P<verb>[a-z]+(?: (?:up|on|off|out|down|open|away|at))?)"}


@dataclass(frozen=True)
class NameMention:
    """A name of the world in a text, and everything it may stand for."""

    start: int
    end: int
    means: tuple[Candidate, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.means)


@dataclass(frozen=True)
class ReadFact:
    """A fact that a sentence states."""

    fact: Fact
    sure: bool
    sentence: str


@dataclass(frozen=True)
class TellingLexicon:
    """How a language states where things are, asks for them, hedges and promises."""

    own: frozenset[str]
    nothing: tuple[re.Pattern[str], ...]
    unsure: tuple[re.Pattern[str], ...]
    speech: Mapping[SpeechVerb, tuple[re.Pattern[str], ...]]
    said: tuple[tuple[Relation, re.Pattern[str]], ...]
    states: Mapping[str, re.Pattern[str]]
    holding: re.Pattern[str]
    asked_after: re.Pattern[str]
    polite: re.Pattern[str]
    lines: Mapping[SpeechVerb, Mapping[str, Sequence[str]]]

    def claims_nothing(self, sentence: str) -> bool:
        """Whether a sentence is a question, a wish or the like."""
        return any(one.search(sentence) for one in self.nothing)


@cache
def telling_lexicon(language: str) -> TellingLexicon:
    text = files("hakoniwa").joinpath("lexicon", f"telling.{language}.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=LOADER)
    states = {state: re.compile(form, re.IGNORECASE) for state, form in data["states"].items()}
    return TellingLexicon(
        own=frozenset(data["self"]),
        nothing=_compiled(data["nothing"]),
        unsure=_compiled(data["unsure"]),
        speech={SpeechVerb(verb): _compiled(forms) for verb, forms in data["speech"].items()},
        said=tuple(
            (relation, re.compile(_with_blanks(form, data["states"], language), re.IGNORECASE))
            for relation, forms in data["said"].items()
            for form in forms
        ),
        states=states,
        holding=re.compile(data["holding"], re.IGNORECASE),
        asked_after=re.compile(data["asked after"], re.IGNORECASE),
        polite=re.compile(data["polite"], re.IGNORECASE),
        lines={SpeechVerb(verb): forms for verb, forms in data["lines"].items()},
    )


def _compiled(forms: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in forms)


def _with_blanks(form: str, states: Mapping[str, str], language: str) -> str:
    form = form.replace("{verb}", _SUBJECT_VERB[language])
    for blank, pattern in _BLANKS.items():
        form = form.replace(blank, pattern)
    return form.replace("{state}", f"(?P<state>{'|'.join(states.values())})")


def language_of_telling(text: str) -> str:
    return "ja" if _JAPANESE.search(text) else "en"


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each with the mark at its end."""
    plain = nfkc(text[:MAX_SPEECH])
    return [found.group().strip() for found in _SENTENCE.finditer(plain) if found.group().strip()]


# --- names --------------------------------------------------------------------------------------------------------


def names_in(text: str, world: WorldState) -> list[NameMention]:
    """The names of the world in a text, the longest wins where they overlap."""
    pattern, means = _spelled_names(world)
    return [
        NameMention(found.start(), found.end(), means[found.group()]) for found in pattern.finditer(text.lower())
    ]


def _spelled_names(world: WorldState) -> tuple[re.Pattern[str], Meanings]:
    """Every spelling of every name there is now as one pattern; looked up once until something changes."""
    notes = world.index.notes
    if "telling.names" not in notes:
        notes["telling.names"] = _pattern_of(tuple(_spellings(world)))
    known: tuple[re.Pattern[str], Meanings] = notes["telling.names"]
    return known


def _spellings(world: WorldState) -> Iterator[tuple[str, Candidate]]:
    for name, prop in world.props.items():
        yield from ((form, ("prop", name)) for form in (name, *prop.aliases))
    for name, figure in world.characters.items():
        yield from ((form, ("character", name)) for form in (name, *figure.aliases))
    for name, location in world.locations.items():
        yield from ((form, ("location", name)) for form in (name, *location.aliases))


@lru_cache(maxsize=128)
def _pattern_of(spellings: tuple[tuple[str, Candidate], ...]) -> tuple[re.Pattern[str], Meanings]:
    """A pattern for these spellings, and what each means. Believed worlds come and go with the same names."""
    means: Meanings = {}
    for form, one in spellings:
        folded = nfkc(form).lower()
        means[folded] = (*means.get(folded, ()), one)
    forms = sorted(means, key=len, reverse=True)
    return re.compile("|".join(_bounded(form) for form in forms) or r"(?!)"), means


def _bounded(form: str) -> str:
    """A spelling that is not a piece of another word: 箱 in 郵便箱, パン in パンツ, tin in tint."""
    escaped = re.escape(form)
    if form.isascii():
        return rf"(?<![a-z]){escaped}(?![a-z])"
    if len(form) == 1:
        return rf"(?<![{_KANJI}]){escaped}(?![{_KANJI}])"
    if re.match(f"[{_KATAKANA}]", form[-1]):
        return rf"{escaped}(?![{_KATAKANA}])"
    return escaped


# --- facts --------------------------------------------------------------------------------------------------------


def facts_in(text: str, world: WorldState, who: str) -> list[ReadFact]:
    """What a text plainly states of things and people of this world; `who` says it."""
    found: dict[Fact, ReadFact] = {}
    for sentence in sentences_of(text):
        known = telling_lexicon(language_of_telling(sentence))
        if not known.claims_nothing(sentence):
            for one in _facts_of(sentence, known, world, who):
                found.setdefault(one.fact, one)
    return list(found.values())[:MAX_FACTS]


def _facts_of(sentence: str, known: TellingLexicon, world: WorldState, who: str) -> Iterator[ReadFact]:
    marked, mentions = _with_marks(sentence, known, world, who)
    unsure = any(one.search(sentence) for one in known.unsure)
    settled: set[tuple[str, bool]] = set()
    for relation, pattern in known.said:
        for match in pattern.finditer(marked):
            subject = mentions[match["x"]]
            fact = _fact(relation, match, mentions, known, world)
            key = (match["x"], relation in WHERE)
            if fact and key not in settled:
                settled.add(key)
                yield ReadFact(fact, not unsure and len(subject.means) == 1, sentence)


def _with_marks(
    sentence: str, known: TellingLexicon, world: WorldState, who: str
) -> tuple[str, dict[str, NameMention]]:
    """A sentence with a mark for every name, so that patterns need not know any."""
    mentions: dict[str, NameMention] = {}
    marked, end = "", 0
    for place, one in enumerate(names_in(sentence, world)):
        mark = f"⟦{_MARKS[one.means[0][0]]}{place}⟧"
        mentions[mark] = one
        marked, end = marked + sentence[end : one.start] + mark, one.end
    marked += sentence[end:]
    for place, form in enumerate(sorted(known.own)):
        mark, bounded = f"⟦P{900 + place}⟧", rf"(?<![\w⟦]){form}(?=[はがのもに、\s'])"
        if re.search(bounded, marked):
            marked = re.sub(bounded, mark, marked)
            mentions[mark] = NameMention(0, 0, (("character", who),))
    return marked, mentions


def _fact(
    relation: Relation,
    match: re.Match[str],
    mentions: Mapping[str, NameMention],
    known: TellingLexicon,
    world: WorldState,
) -> Fact | None:
    groups = match.groupdict()
    subject = mentions[match["x"]].names[0]
    if relation == "state":
        word = next((state for state, form in known.states.items() if form.match(groups["state"])), None)
        return Fact(subject=subject, relation="state", object=word) if word else None
    if relation == "did":
        verb = verb_in(groups["verb"] + (groups.get("after") or ""), world.language)
        return Fact(subject=subject, relation="did", object=f"{verb.id} {_done_to(match, mentions)}") if verb else None
    place = mentions[groups["y"]].names[0]
    return Fact(subject=subject, relation=relation, object=place) if place != subject else None


def _done_to(match: re.Match[str], mentions: Mapping[str, NameMention]) -> str:
    return next(mentions[mark].names[0] for mark in re.findall("⟦T\\d+⟧", match.group()))


@cache
def _stems(language: str) -> tuple[tuple[str, str], ...]:
    """The beginnings of verbs that stay the same in the past, longest first."""
    forms = pack(language).surfaces.items()
    cut = [(form[:-1] if language == "ja" and len(form) > 1 else form, verb) for form, verb in forms]
    return tuple(sorted(cut, key=lambda one: -len(one[0])))


def verb_in(text: str, language: str) -> Verb | None:
    """The verb that a text begins with, in the past."""
    known = pack(language)
    if language == "en":
        word = text.strip().split(" ")[0].casefold()
        base = known.irregular.get(word) or _plain_past(word, known.surfaces)
        whole = [f"{base}{text.strip()[len(word) :]}".casefold(), base or ""]
        return next((known.verbs[known.surfaces[form]] for form in whole if form in known.surfaces), None)
    if not re.search("[ただ]", text):
        return None
    return next((known.verbs[verb] for stem, verb in _stems("ja") if text.startswith(stem)), None)


def _plain_past(word: str, surfaces: Mapping[str, str]) -> str | None:
    """The verb of a regular past: switched, wiped, carried, stopped."""
    stems = (word[:-2], word[:-1], word[:-3], f"{word[:-3]}y") if word.endswith("ed") else ()
    return next((one for one in stems if one in surfaces or any(form.startswith(f"{one} ") for form in surfaces)), None)


def speaks_of_verb(sentence: str, verb: str) -> bool:
    """Whether a sentence has some form of a verb in it, by its id."""
    known = pack(language_of_telling(sentence))
    meant = {verb, *(one for one, kin in known.verbs.items() if _alike(kin, known.verbs.get(verb)))}
    if known.language == "ja":
        return any(stem in sentence for stem, one in _stems("ja") if one in meant)
    words = re.findall(r"[a-z]+", sentence.casefold())
    bases = {known.irregular.get(word) or _plain_past(word, known.surfaces) or word for word in words}
    return any(one in meant and form.split(" ")[0] in bases for form, one in known.surfaces.items())


def _alike(one: Verb, other: Verb | None) -> bool:
    """Whether two verbs are the same deed to one who tells of it: taking and picking up, but not opening and wiping."""
    return other is not None and one.intent == other.intent != IntentKind.USE


# --- speech acts --------------------------------------------------------------------------------------------------


def with_telling(spoken: Sequence[ActionIntent], world: WorldState, who: str) -> list[ActionIntent]:
    """What was said, with what it is about; a line that tells several things is an intent for each."""
    return [intent for one in spoken for intent in _speech_acts(one, world, who)]


def _speech_acts(one: ActionIntent, world: WorldState, who: str) -> Iterator[ActionIntent]:
    text = one.detail or ""
    facts = facts_in(text, world, who) if one.intent != IntentKind.ASK else []
    verb = speech_verb(text, one.intent)
    if verb in (None, SpeechVerb.ASK) and facts:
        verb = SpeechVerb.TELL
    if verb == SpeechVerb.PROMISE:
        facts = []
    about = _spoken_of(text, verb, world, who)
    if verb is None or (verb == SpeechVerb.ASK and about is None):
        yield one
        return
    if not facts:
        yield one.with_fields({"verb": verb.value, "about": about})
    for place, fact in enumerate(facts):
        detail = fact.sentence if place else one.detail
        yield one.with_fields({"verb": verb.value, "detail": detail, "about": fact.fact, "sure": fact.sure})


def speech_verb(text: str, intent: IntentKind) -> SpeechVerb | None:
    """What kind of speech a line is, where its words say so."""
    known = telling_lexicon(language_of_telling(text))
    for verb, forms in known.speech.items():
        if (verb == SpeechVerb.ASK) == (intent == IntentKind.ASK) and any(one.search(text) for one in forms):
            return verb
    return None


def _spoken_of(text: str, verb: SpeechVerb | None, world: WorldState, who: str) -> Fact | None:
    """What a line is about that tells no fact: a thing that is asked for or kept back, a deed that is promised."""
    if verb == SpeechVerb.PROMISE:
        return _promised_deed(nfkc(text), world, who)
    return _wanted(text, world) if verb in (SpeechVerb.ASK, SpeechVerb.REFUSE) else None


def _promised_deed(text: str, world: WorldState, who: str) -> Fact | None:
    """The first thing of which a line says what will be done with it."""
    known = pack(language_of_telling(text))
    for one in names_in(text, world):
        if known.language == "ja":
            after = text[one.end :].removeprefix("を")
            verb = next((verb for stem, verb in _stems("ja") if after.startswith(stem)), None)
        else:
            words = [word for word in re.findall(r"[a-z]+", text[: one.start].lower()) if word not in ARTICLES]
            forms = (" ".join(words[-2:]), *words[-1:])
            verb = next((known.surfaces[form] for form in forms if form in known.surfaces), None)
        if verb and one.means[0][0] == "prop":
            return Fact(subject=who, relation="did", object=f"{verb} {one.names[0]}")
    return None


def _wanted(text: str, world: WorldState) -> Fact | None:
    """What a question asks the place of."""
    plain = nfkc(text)
    named = names_in(plain, world)
    found = [one.names[0] for one in named if one.means[0][0] == "prop"]
    found += [one.names[0] for one in named if one.means[0][0] == "character" and _is_subject(plain, one)]
    return Fact(subject=found[0], relation="at") if found else None


def _is_subject(text: str, one: NameMention) -> bool:
    """Whether somebody is asked after, and not addressed."""
    known = telling_lexicon(language_of_telling(text))
    return known.asked_after.search(f"{text[: one.start]}⟦⟧{text[one.end :]}") is not None


def thing_asked_for(text: str, world: WorldState) -> str | None:
    """The thing or person whose place somebody asks in a line, if they do."""
    for sentence in sentences_of(text):
        if speech_verb(sentence, IntentKind.ASK) and (about := _wanted(sentence, world)):
            return about.subject
    return None
