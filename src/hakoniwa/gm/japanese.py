"""Reading Japanese stage directions: which of their verbs are acts, on what, and where to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from sudachipy import Dictionary, SplitMode, Tokenizer

from hakoniwa.pack import Pack, Verb, pack, word_in
from hakoniwa.stage.names import NameTable, nfkc
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ActionIntent, IntentKind

LANGUAGE = "ja"
MAX_NAME_WORDS = 8
NOMINAL = frozenset({"名詞", "代名詞", "接頭辞", "接尾辞", "記号"})
OBJECT, TO, SUBJECT = "を", ("に", "へ"), ("が", "は", "も")
JOINTS = ("と", "や", "、", "・")
UNREAL = frozenset({"ない", "無い", "ず", "ぬ", "まい", "たい", "たがる", "れる", "られる", "せる", "させる"})
LIGHTLY = frozenset({"TOUCH", "HUG", "LEAN", "STAND", "SHAKE", "POINT_AT"})
ONTO = frozenset({"WRITE", "WATER", "FEED", "LIGHT", "ANSWER_PHONE", "PRAY", "SPREAD", "DRINK", "READ"})


@cache
def _tokenizer() -> Tokenizer:
    return Dictionary().create(mode=SplitMode.C)


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the dictionary sees it; `known` if it is a name of this world."""

    surface: str
    lemma: str
    pos: str
    sub: str = ""
    use: str = ""
    form: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase with the particle behind it; `head` is its last noun."""

    text: str
    head: str
    particle: str
    known: bool
    use: str = ""


@dataclass(slots=True)
class Clause:
    """One verb with its noun phrases; `real` unless it is wished, denied, broken off, or only describes;
    `towards` where it only says which way somebody faces."""

    lemma: str
    phrases: list[Phrase] = field(default_factory=list)
    real: bool = True
    towards: bool = False

    def with_particle(self, *particles: str) -> list[Phrase]:
        return [one for one in self.phrases if one.particle in particles]


def acts_in(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The physical acts a stage direction describes, in order; gestures give none."""
    language, found = pack(LANGUAGE), list[ActionIntent]()
    for clause in clauses(words_of(nfkc(direction), world.index.names)):
        if clause.real:
            found += _acts(clause, world, who, language, found[-1].target if found else None)
    return found


# --- words and clauses ---------------------------------------------------------------------------------------------


def words_of(text: str, names: NameTable) -> list[Word]:
    """The words of a text, the world's own names taken whole."""
    plain = [
        Word(m.surface(), m.dictionary_form(), pos[0], pos[1], pos[2], pos[5])
        for m in _tokenizer().tokenize(text)
        for pos in (m.part_of_speech(),)
    ]
    words, at = [], 0
    while at < len(plain):
        length = _name_length(plain, at, names)
        if length:
            name = "".join(word.surface for word in plain[at : at + length])
            words.append(Word(name, name, "名詞", known=True))
        else:
            words.append(plain[at])
        at += length or 1
    return words


def _name_length(words: Sequence[Word], at: int, names: NameTable) -> int:
    """How many words from here spell a name, the longest first."""
    if words[at].pos in ("助詞", "助動詞", "補助記号"):
        return 0
    text, best = "", 0
    for length, word in enumerate(words[at : at + MAX_NAME_WORDS], start=1):
        text += word.surface
        if names.spells(text):
            best = length
    return best


def clauses(words: Sequence[Word]) -> Iterator[Clause]:
    """The verbs of a direction, each with the noun phrases before it."""
    phrases: list[Phrase] = []
    at = 0
    while at < len(words):
        if _nominal(words[at]):
            at = _noun_phrases(words, at, phrases)
        elif words[at].pos == "動詞":
            clause, at = _clause(words, at, phrases)
            if clause.lemma:
                yield clause
                phrases = []
        else:
            at += 1
    if held := [one for one in phrases if one.particle == OBJECT]:
        yield Clause("持つ", held, real=any(one.head in ("片手", "手", "両手") for one in phrases))


def _nominal(word: Word) -> bool:
    return word.pos in NOMINAL and word.sub != "数詞"


def _noun_phrases(words: Sequence[Word], at: int, phrases: list[Phrase]) -> int:
    """Read nouns joined by の, と, や or a comma, up to the particle that marks them all."""
    joined: list[tuple[str, str, bool, str]] = []
    text, head, known, use = "", "", False, ""
    while at < len(words):
        word, after = words[at], words[at + 1] if at + 1 < len(words) else None
        if _nominal(word):
            fresh = word.known or (word.pos != "接尾辞" and text[-1:] in ("", "の"))
            head = word.surface if fresh else head + word.surface
            text, known, use = text + word.surface, word.known, word.use if word.pos == "名詞" else use
        elif word.surface == "の" and after is not None and _nominal(after):
            text += "の"
        elif text and word.surface in JOINTS and after is not None and _nominal(after) and _same_list(words, at):
            joined.append((text, head, known, use))
            text, head, known, use = "", "", False, ""
        else:
            break
        at += 1
    particle, at = _particle(words, at)
    for each in [*joined, (text, head, known, use)]:
        phrases.append(Phrase(each[0], each[1], particle, each[2], each[3]))
    return at


def _same_list(words: Sequence[Word], at: int) -> bool:
    """Whether the nouns on both sides of a joint share the particle behind the second."""
    for word in words[at + 1 : at + 8]:
        if word.surface in (OBJECT, "に", "へ", "が", "は"):
            return words[at].surface != "、" or word.surface == OBJECT
        if not _nominal(word) and word.surface not in ("の", "と", "や"):
            return False
    return False


def _particle(words: Sequence[Word], at: int) -> tuple[str, int]:
    """The case particle at this place, and where reading goes on."""
    found = ""
    while at < len(words) and words[at].pos == "助詞" and words[at].sub in ("格助詞", "係助詞", "副助詞"):
        found = found if found in ("に", "へ", "から") else words[at].surface
        at += 1
    return found, at


def _clause(words: Sequence[Word], at: int, phrases: list[Phrase]) -> tuple[Clause, int]:
    """The verb at this place with everything that hangs on it."""
    verb = words[at]
    lemma = _compound_lemma(words, at, phrases)
    if lemma == "":
        return Clause(""), at + 1
    tail, end = _tail(words, at + 1)
    clause = Clause(lemma, list(phrases))
    clause.towards = lemma == "向かう" and bool(tail) and tail[-1].surface == "て" and end < len(words)
    clause.real = not (_unreal_tail(verb, tail) or _unreal_after(words, end, tail))
    return clause, end


def _compound_lemma(words: Sequence[Word], at: int, phrases: list[Phrase]) -> str:
    """The verb's dictionary form; `noun + する` is one verb, and a mere する or なる is none."""
    verb, before = words[at], words[at - 1] if at else None
    if verb.lemma in ("する", "為る", "いたす", "致す", "なさる"):
        if before is not None and before.pos == "名詞" and phrases and phrases[-1].particle == "":
            noun = phrases.pop()
            return f"{noun.head}する"
        if phrases and phrases[-1].particle in (OBJECT, "も") and f"{phrases[-1].head}する" in pack(LANGUAGE).surfaces:
            return f"{phrases.pop().head}する"
        return "する"
    return verb.lemma


def _tail(words: Sequence[Word], at: int) -> tuple[list[Word], int]:
    """Auxiliaries and helper verbs behind a verb."""
    tail: list[Word] = []
    while at < len(words):
        word = words[at]
        helper = word.pos == "動詞" and word.sub == "非自立可能" and _leans_on(tail, words[at - 1])
        if word.pos == "助動詞" or (word.pos == "助詞" and word.sub == "接続助詞") or helper or _stem(word):
            tail.append(word)
        else:
            break
        at += 1
    return tail, at


def _leans_on(tail: Sequence[Word], before: Word) -> bool:
    """A helper verb stands behind て or behind a bare stem."""
    return before.surface in ("て", "で") if tail else before.form.startswith("連用形")


def _stem(word: Word) -> bool:
    return word.pos == "形状詞" and word.sub == "助動詞語幹"


def _unreal_tail(verb: Word, tail: Sequence[Word]) -> bool:
    """Wished, intended, denied, made or suffered by others, broken off, hypothetical."""
    grammar = pack(LANGUAGE).grammar
    if verb.form.startswith(("意志推量形", "仮定形")) or _broken_off(verb):
        return True
    lemmas = [word.lemma for word in tail]
    return (
        not UNREAL.isdisjoint(lemmas)
        or any(word.form.startswith(("仮定形", "意志推量形")) for word in tail)
        or any(lemma in grammar["broken"] or lemma in grammar["benefits"] for lemma in lemmas)
        or any(_stem(word) and word.surface in ("そう", "よう") for word in tail)
        or any(word.surface in ("ば", "たら", "なら") for word in tail)
    )


def _broken_off(verb: Word) -> bool:
    """伸ばしかける: the dictionary takes the helper for part of the verb."""
    return len(verb.lemma) >= 4 and verb.lemma.endswith("かける") and verb.lemma[-4] in "いきぎしちにびみり"


def _unreal_after(words: Sequence[Word], end: int, tail: Sequence[Word]) -> bool:
    """What follows makes the verb a description, a purpose or a plan instead of an act."""
    if end >= len(words):
        return False
    following = words[end]
    grammar = pack(LANGUAGE).grammar
    if tail and tail[-1].pos == "助詞":
        return _given_up(words, end)
    if following.surface == "の" and following.pos == "助詞":
        return True
    if following.pos == "形状詞" and following.surface == "よう":
        return True
    if following.surface == "に" and end + 1 < len(words) and not tail:
        return True
    if _nominal(following):
        return following.surface in grammar["unreal"] or following.surface not in ("まま", "後", "あと", "うち")
    return following.surface in ("と", "か", "かどうか") and following.pos == "助詞" and following.sub != "接続助詞"


def _given_up(words: Sequence[Word], end: int) -> bool:
    """Right after a て-form: やめる, 諦める … take the act back."""
    rest = [word for word in words[end : end + 2] if word.pos != "補助記号"]
    return bool(rest) and rest[0].pos == "動詞" and rest[0].lemma in pack(LANGUAGE).grammar["abandoned"]


# --- from a clause to acts -----------------------------------------------------------------------------------------


def _acts(clause: Clause, world: WorldState, who: str, language: Pack, last: str | None) -> Iterator[ActionIntent]:
    """The acts one clause describes."""
    others = _subject(clause, world, who, language)
    if others is not None:
        if others:
            yield ActionIntent(intent=IntentKind.MOVE, target=others, detail="ARRIVE", verb="ARRIVE")
        return
    verb, rest = _verb(clause, language)
    if verb is None:
        return
    objects = [one for one in rest if one.particle == OBJECT or (one.particle in ("は", "も") and not one.known)]
    goals = [one for one in rest if one.particle in TO]
    if verb.intent == IntentKind.MOVE:
        yield from _moves(verb, clause, goals, objects, language)
    elif verb.intent in (IntentKind.PUT, IntentKind.GET, IntentKind.EAT_DRINK) or verb.manner == "hand":
        yield from _handlings(verb, clause, objects, goals, world, language, last)
    else:
        yield from _glances(verb, objects, goals, world, language)


def _subject(clause: Clause, world: WorldState, who: str, language: Pack) -> str | None:
    """Who else does it: "" for one of this world, a noun for a stranger to it, None for the speaker."""
    for phrase in clause.with_particle(*SUBJECT):
        named = world.index.names.find(phrase.text)
        people = [name for how, (kind, name) in named if kind == "character" and how != "part"]
        if who in people:
            continue
        if people:
            return ""
        if any(phrase.head.endswith(noun) for noun in language.grammar["persons"]):
            return phrase.text if clause.lemma in language.grammar["arrivals"] else ""
        if phrase.particle == "が":
            return ""
    return None


def _verb(clause: Clause, language: Pack) -> tuple[Verb | None, list[Phrase]]:
    """The verb meant, and the phrases that are left once an idiom has used one up."""
    for place, phrase in enumerate(clause.phrases):
        idiom = language.idioms.get(f"{phrase.head}{phrase.particle}{clause.lemma}")
        if idiom:
            whole = "" if word_in("ambient", phrase.head) else phrase.text[: -len(phrase.head)].removesuffix("の")
            owner = [Phrase(whole, whole, OBJECT, True)] if whole else []
            return language.verbs[idiom], [*clause.phrases[:place], *owner, *clause.phrases[place + 1 :]]
    known = language.surfaces.get(clause.lemma)
    return (language.verbs[known] if known else None), clause.phrases


def _thing(phrase: Phrase, language: Pack) -> str:
    """What a phrase is about: 机の上 is 机, パンの横 is パン."""
    whole, joint, place = phrase.text.rpartition("の")
    return whole if joint and whole and place in language.grammar["places"] else phrase.text


def _concrete(phrase: Phrase, verb: Verb, world: WorldState, language: Pack) -> bool:
    """Whether an object is a thing (be it missing), and not a glance, a word, a while or a part of the body."""
    if phrase.known or _names_something(phrase, world, language):
        return True
    grammar, head = language.grammar, phrase.head
    if not head or word_in("ambient", head) or word_in("ambient", phrase.text):
        return False
    if head in grammar["abstract"] or head in grammar["places"]:
        return False
    if head in grammar["things"]:
        return True
    if verb.manner in ("sight", "voice") or verb.id in LIGHTLY:
        return False
    if verb.intent == IntentKind.EAT_DRINK:
        return True
    abstract = phrase.use in ("サ変可能", "副詞可能", "形状詞可能") or head.endswith(tuple(grammar["abstract_endings"]))
    return not abstract


def _names_something(phrase: Phrase, world: WorldState, language: Pack) -> bool:
    return bool(world.index.names.find(_thing(phrase, language)) or world.index.names.find(phrase.text))


def _moves(
    verb: Verb, clause: Clause, goals: list[Phrase], objects: list[Phrase], language: Pack
) -> Iterator[ActionIntent]:
    """Where to: the last goal that is a place; leaving a room by itself says nothing about where to."""
    places = [one for one in goals if one.head not in language.grammar["abstract"] and not _vague_place(one)]
    if places and (places[-1].known or not clause.towards):
        yield ActionIntent(
            intent=IntentKind.MOVE, target=_thing(places[-1], language), detail=verb.id, verb=verb.id
        )
    elif objects and not goals:
        yield ActionIntent(intent=IntentKind.MOVE, target=objects[0].text, detail="LEAVE", verb="LEAVE")


def _vague_place(phrase: Phrase) -> bool:
    return phrase.text != "外" and word_in("ambient", phrase.text) and phrase.text != "部屋"


def _handlings(
    verb: Verb,
    clause: Clause,
    objects: list[Phrase],
    goals: list[Phrase],
    world: WorldState,
    language: Pack,
    last: str | None,
) -> Iterator[ActionIntent]:
    """Taking, putting, using, eating: what is handled, and where it goes."""
    things = [one for one in objects if _concrete(one, verb, world, language)]
    if not things and goals and verb.id in ONTO:
        things = objects = [one for one in goals if _concrete(one, verb, world, language)]
    if objects and not things:
        return
    targets = [_whole(one, language) for one in things]
    if not targets:
        vague = [one.text for one in clause.phrases if word_in("vague", one.text) or word_in("pronouns", one.text)]
        targets = vague[:1] or ([last] if last else [])
    destination = next((_thing(one, language) for one in goals if _is_place(one, verb, language)), None)
    for target in targets:
        yield ActionIntent(
            intent=IntentKind(verb.intent), target=target, detail=verb.id, verb=verb.id, destination=destination
        )


def _whole(phrase: Phrase, language: Pack) -> str:
    return _thing(phrase, language) or phrase.text


def _is_place(phrase: Phrase, verb: Verb, language: Pack) -> bool:
    """Whether a に-phrase says where something goes."""
    if verb.intent != IntentKind.PUT or phrase.head in language.grammar["abstract"]:
        return False
    return phrase.known or not word_in("ambient", phrase.head) or word_in("ambient", phrase.text)


def _glances(
    verb: Verb, objects: list[Phrase], goals: list[Phrase], world: WorldState, language: Pack
) -> Iterator[ActionIntent]:
    """Looking, touching, sitting: what it is done to; a person, a part of the body or the air is a gesture."""
    for phrase in [*objects, *goals][:1]:
        if _concrete(phrase, verb, world, language):
            yield ActionIntent(
                intent=IntentKind(verb.intent), target=_thing(phrase, language), detail=verb.id, verb=verb.id
            )
        elif word_in("vague", phrase.text):
            yield ActionIntent(intent=IntentKind(verb.intent), target=phrase.text, detail=verb.id, verb=verb.id)
