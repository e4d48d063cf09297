"""The clauses of a Japanese stage direction: its verbs, their noun phrases, and whether they are really done."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from sudachipy import Dictionary, Morpheme, SplitMode, Tokenizer

from hakoniwa.pack import frame_of, pack
from hakoniwa.stage.names import NameTable

LANGUAGE = "ja"
MAX_NAME_WORDS = 8
MAX_PHRASE_WORDS = 16
SENTENCE_ENDS = "。！？!?"
MAX_PHRASES = 16
# Sudachi takes at most 49,149 bytes at a time; a stage direction that long is cut into lines of this many characters.
MAX_LINE = 2_000
LATELY = 16
NOMINAL = frozenset({"名詞", "代名詞", "接頭辞", "接尾辞", "記号"})
CASES = ("格助詞", "係助詞", "副助詞")
OBJECT, TO = "を", ("に", "へ", "まで")
# No name is read across these, though の, と or も may be part of one.
NOT_IN_NAMES = frozenset("をにでがはへ、。")
JOINTS = ("と", "や", "、", "・")
MAX_KANA_NAME = 8
_HIRAGANA = re.compile(r"[ぁ-ゖー]{3,}")
# So many or so much of a thing, which the dictionary has for one noun: 一房, ひと口.
_COUNTED = re.compile(
    r"(?:[一二三四五六七八九十数幾何半]|ひと|ふた)(?:[房口枚本個杯粒片匙滴冊束輪]|切れ|かけら?|欠片|つまみ|掴み)"
)
_TO_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}
_TO_HIRAGANA = {kata: hira for hira, kata in _TO_KATAKANA.items()}
_PARTICLES = "をにでへがはもとの、"
ASKED = ("何", "誰", "どれ", "いくつ")
HANDS = ("手", "片手", "両手", "右手", "左手")
UNREAL = frozenset({"ない", "無い", "ず", "ぬ", "まい", "たい", "たがる", "れる", "られる", "べし", "らしい"})
CAUSED = frozenset({"せる", "させる"})
TRIED = frozenset({"みる", "見る"})
BUT = frozenset({"が", "けど", "けれど", "けれども", "も", "ども"})
VAIN = frozenset({"ない", "無い", "ず", "ぬ", "無駄", "駄目"})
DOING = frozenset({"する", "為る", "いたす", "致す", "なさる"})
ORDERS = {"う": "え", "く": "け", "ぐ": "げ", "す": "せ", "つ": "て", "ぬ": "ね", "ぶ": "べ", "む": "め", "る": "れ"}
STEMS = {"う": "い", "く": "き", "ぐ": "ぎ", "す": "し", "つ": "ち", "ぬ": "に", "ぶ": "び", "む": "み", "る": "り"}


class Word(NamedTuple):
    """One word as the dictionary sees it; `known` if it is a name of this world."""

    surface: str
    lemma: str
    pos: str
    sub: str = ""
    use: str = ""
    form: str = ""
    spelled: str = ""
    known: bool = False


class Phrase(NamedTuple):
    """A noun phrase with the particle behind it; `head` is its last noun."""

    text: str
    head: str
    particle: str
    known: bool
    use: str = ""
    # It means what is on top of the thing: 箱の上に.
    on_top: bool = False


@dataclass(slots=True)
class Predicate:
    """One verb with its noun phrases; `real` unless it is wished, denied, broken off, or only describes."""

    lemma: str
    spelled: str = ""
    # The verb joined to it, where the two are no verb of the lexicon: the 出す of 挟み出す.
    second: str = ""
    phrases: list[Phrase] = field(default_factory=list)
    real: bool = True
    # It only describes a person or a scene, or is only said: 本を読む沙耶, 本を読む姿, 本を読むね、と言う.
    describes: bool = False
    # The name of this world that it describes as something done: the 財布 of 懐から出した財布.
    described: str = ""
    # It goes on into the next clause: 取って, 取り.
    goes_on: bool = False
    # … without a pause between them.
    flows: bool = False
    # Its state lasts while something else is done: くわえたまま.
    lasting: bool = False
    # What the clause before it only meant to handle: 地図を広げようと手に取る.
    meant: list[Phrase] = field(default_factory=list)
    # Its own words.
    text: str = ""

    def with_particle(self, *particles: str) -> list[Phrase]:
        return [one for one in self.phrases if one.particle in particles]


@cache
def _tokenizer() -> Tokenizer:
    return Dictionary().tokenizer(mode=SplitMode.C, fields={"pos", "dictionary_form", "normalized_form"})


def predicates_of(text: str, names: NameTable) -> list[Predicate]:
    """The verbs of a text, each with the noun phrases before it."""
    lines = [text[at : at + MAX_LINE] for at in range(0, len(text), MAX_LINE)]
    return [clause for line in lines for clause in _with_scenes(list(_clauses(words_of(line, names))))]


def words_of(text: str, names: NameTable) -> list[Word]:
    """The words of a text, the world's own names taken whole."""
    plain = _plain(_HIRAGANA.sub(lambda run: _set_off(run.group(), names), text))
    words, at = [], 0
    while at < len(plain):
        length = _name_length(plain, at, names)
        if length:
            name = "".join(word.surface for word in plain[at : at + length])
            words.append(Word(name, name, "名詞", known=True))
        else:
            words.append(_verb_at(plain, at))
        at += length or 1
    return words


def _verb_at(words: Sequence[Word], at: int) -> Word:
    """A word, as a verb where the dictionary has it for a noun or another verb: 鍵を手渡し、 and ご飯をよそう."""
    word, after = words[at], words[at + 1] if at + 1 < len(words) else None
    surfaces = pack(LANGUAGE).surfaces
    if word.form.startswith("意志推量形") and word.surface in surfaces:
        return word._replace(lemma=word.surface, form="終止形-一般", spelled=word.surface)
    if word.lemma == "とる" and word.pos == "助動詞" and at and words[at - 1].pos == "名詞":
        return word._replace(pos="動詞", sub="一般", spelled="取る")  # 台本とる
    ends = after is None or after.pos == "補助記号"
    if ends and word.pos == "動詞" and (ordered := ordering_forms().get(word.surface)) and word.lemma not in surfaces:
        return word._replace(lemma=ordered, form="命令形", spelled=ordered)
    if word.pos != "名詞" or not ends or not _done_to(words[max(0, at - 2) : at]):
        return word
    if f"{word.surface}する" in surfaces:
        return Word(word.surface, f"{word.surface}する", "動詞", "一般", form="終止形-一般")
    verb = joining_forms().get(word.surface)
    return Word(word.surface, verb, "動詞", "一般", form="連用形-一般", spelled=verb) if verb else word


def _done_to(before: Sequence[Word]) -> bool:
    """Whether a verb may follow: behind 〜を, 〜に, or how it is done (ぱらぱらと)."""
    if not before:
        return False
    last, how = before[-1], before[0] if before[-1].surface == "と" else before[-1]
    return last.surface in (OBJECT, *TO) or how.pos == "副詞" or last.sub == "数詞"


@cache
def joining_forms() -> dict[str, str]:
    """The verbs of the lexicon by the form in which they join another: 取り, 投げ."""
    verbs = [form for form in pack(LANGUAGE).surfaces if form[-1] in STEMS and len(form) > 1]
    one_row = {form[:-1]: form for form in verbs if form.endswith("る")}
    return one_row | {form[:-1] + STEMS[form[-1]]: form for form in verbs}


@cache
def ordering_forms() -> dict[str, str]:
    """The verbs of the lexicon by the form that gives an order, where it looks like that of 行ける: 行け, 使え."""
    return {form[:-1] + ORDERS[form[-1]]: form for form in pack(LANGUAGE).surfaces if form[-1] in ORDERS}


@lru_cache(maxsize=LATELY)
def _plain(text: str) -> tuple[Word, ...]:
    """The words of a text as the dictionary has them. A turn asks for the same few again: raw, sanitized, led."""
    return tuple(
        Word(m.surface(), m.dictionary_form(), pos[0], pos[1], pos[2], pos[5], _spelled(m, pos[0]))
        for m in _tokenizer().tokenize(text)
        for pos in (m.part_of_speech(),)
    )


def _set_off(run: str, names: NameTable) -> str:
    """A run of hiragana with a name in it put into katakana, where the dictionary would tear it: おたまで."""
    for start in range(min(len(run), MAX_KANA_NAME)):
        for end in range(min(len(run), start + MAX_KANA_NAME), start + 1, -1):
            if (end == len(run) or run[end] in _PARTICLES) and _is_name(run, start, end, names):
                return run[:start] + run[start:end].translate(_TO_KATAKANA) + run[end:]
    return run


def _is_name(run: str, start: int, end: int, names: NameTable) -> bool:
    """Whether a name stands here, as it is or, where a word may begin, in the other kana: ここあ for ココア."""
    begins = start == 0 or run[start - 1] in _PARTICLES
    return names.spells(run[start:end]) or (begins and names.spells(run[start:end].translate(_TO_KATAKANA)))


def _name_length(words: Sequence[Word], at: int, names: NameTable) -> int:
    """How many words from here spell a name, the longest first."""
    if words[at].pos in ("助詞", "助動詞", "補助記号"):
        return 0
    text, best = "", 0
    for length, word in enumerate(words[at : at + MAX_NAME_WORDS], start=1):
        if word.surface in NOT_IN_NAMES:
            break
        text += word.surface
        if names.spells(text) or ("ァ" <= text[0] <= "ヺ" and names.spells(text.translate(_TO_HIRAGANA))):
            best = length
    return best


def _clauses(words: Sequence[Word]) -> Iterator[Predicate]:
    phrases: list[Phrase] = []
    meant: list[Phrase] = []
    latest: list[Phrase] = []
    at = begin = 0
    while at < len(words):
        if _connects(words, at):
            at += 2
        elif _nominal(words[at]):
            before = len(phrases)
            at = _noun_phrases(words, at, phrases)
            fresh = [one for one in phrases[before:] if one.particle == OBJECT]
            latest = fresh or latest
            del phrases[:-MAX_PHRASES]
        elif words[at].pos == "動詞" and not _is_sound(words, at):
            form = words[at].form
            clause, at = _clause(words, at, _without_manner(phrases))
            clause.text, begin = "".join(word.surface for word in words[begin:at]).strip("、。 "), at
            clause.meant = meant
            if clause.lemma not in DOING or form.startswith("意志推量形"):
                only = form.startswith("意志推量形") or _as_if(words, at)
                meant = clause.with_particle(OBJECT) if only else []
            carried = _carried(clause, latest) if at < len(words) and words[at].surface not in SENTENCE_ENDS else []
            passed = _passed_on(clause, words, at)
            phrases = [*carried, *passed, *_on_errand(clause, words, at), *_on_place(clause, words, at)]
            yield from _in_hand(clause)
            yield clause
        else:
            if _breaks_off(words, at):
                phrases = []
            at += 1
    if held := [one for one in phrases if one.particle == OBJECT]:
        yield Predicate("持つ", phrases=held, real=any(one.head in HANDS for one in phrases))


def _on_place(clause: Predicate, words: Sequence[Word], end: int) -> list[Phrase]:
    """Where something is put that is handled first: the 机 of 本を机に揃えて置く."""
    surfaces = pack(LANGUAGE).surfaces
    follows = clause.flows and end < len(words) and words[end].pos == "動詞"
    if not follows or not frame_of(surfaces.get(words[end].lemma, "")).placed:
        return []
    first = frame_of(surfaces.get(clause.lemma, ""))
    return [] if first.placed or first.posture else clause.with_particle("に", "へ")


def _carried(clause: Predicate, latest: Sequence[Phrase]) -> list[Phrase]:
    """What a clause leaves to the next: no verb has を twice, so the 箱 of 箱を、袖をまくって開ける is opened."""
    earlier = [at for at, one in enumerate(clause.phrases) if one.particle == OBJECT and one not in latest]
    if not earlier or not any(one in latest for one in clause.phrases):
        return []
    carried, rest = clause.phrases[: earlier[-1] + 1], clause.phrases[earlier[-1] + 1 :]
    subjects = [one for one in carried if one.particle in ("が", "は")]
    clause.phrases = [*subjects, *rest]
    return carried


def _passed_on(clause: Predicate, words: Sequence[Word], end: int) -> list[Phrase]:
    """What only stands before a verb that describes a noun: the cloth of 布巾で濡れた台を拭く, and any topic."""
    last = words[end - 1]
    if _as_if(words, end) and end < len(words) and words[end].surface != "、":
        return clause.with_particle(*TO)  # 食堂車へ滑るように入る
    describes = end < len(words) and (_nominal(words[end]) or _adjective(words[end]))
    if not describes or not last.form.startswith(("連体形", "終止形")):
        return []
    acts = pack(LANGUAGE).surfaces
    own = clause.lemma in acts or clause.spelled in acts or last.lemma != "た"
    return clause.with_particle("は") if own else clause.with_particle("は", "で")


def _connects(words: Sequence[Word], at: int) -> bool:
    """Whether it only says that something comes next, not that it comes out of it: それから中に入る."""
    then = [word.surface for word in words[at : at + 2]] == ["それ", "から"]
    return then and at + 2 < len(words) and words[at + 2].pos not in ("動詞", "助詞")


def _breaks_off(words: Sequence[Word], at: int) -> bool:
    """Whether a clause ends before its verb, in a dash and a thought: 冷蔵庫から牛乳を――と思って."""
    after = words[at + 1].surface if at + 1 < len(words) else ""
    return words[at].surface[-1:] in "―─—…" and after in ("と", "って")


def _as_if(words: Sequence[Word], end: int) -> bool:
    """Whether a verb only says how the next is done: スープを包むように持ち上げる."""
    return words[end - 1].surface == "に" and words[end - 2].surface == "よう"


def _is_sound(words: Sequence[Word], at: int) -> bool:
    """Whether the dictionary takes とん of とんと置く for 飛ん: such a form stands before て and た alone."""
    after = words[at + 1].surface if at + 1 < len(words) else ""
    return "音便" in words[at].form and after == "と"


def _on_errand(clause: Predicate, words: Sequence[Word], end: int) -> list[Phrase]:
    """Where one goes in order to do something: the 待合室 of 待合室に健太を呼びに行く."""
    goes = end + 1 < len(words) and words[end].surface == "に" and words[end + 1].pos == "動詞"
    grammar = pack(LANGUAGE).grammar
    if not goes or words[end - 1].pos != "動詞" or words[end + 1].lemma not in grammar["roaming"]:
        return []
    places = [one for one in clause.with_particle(*TO) if one.use != "人名" and one.head not in grammar["persons"]]
    given = frame_of(pack(LANGUAGE).surfaces.get(clause.lemma, "")).placed or clause.lemma in grammar["serving"]
    return [one for one in places if one.known or one.particle != "に" or not given]


def _without_manner(phrases: list[Phrase]) -> list[Phrase]:
    """Without pairs that only say how something is done: 明かりを頼りに, ストローもなしに."""
    manners, kept = pack(LANGUAGE).grammar["manners"], list[Phrase]()
    for one in phrases:
        by = one.particle == "に" and one.text in manners and kept and kept[-1].particle == OBJECT
        without = one.text == "なし" and one.particle in ("に", "で") and kept and kept[-1].particle in ("も", "")
        if by or without:
            kept.pop()
        else:
            kept.append(one)
    return kept


def _in_hand(clause: Predicate) -> Iterator[Predicate]:
    """カップを片手に微笑む holds the cup besides smiling."""
    idioms = pack(LANGUAGE).idioms
    for place, (thing, hand) in enumerate(pairwise(clause.phrases)):
        holds = thing.particle == OBJECT and hand.particle == "に" and hand.text in HANDS
        if holds and not _is_idiom(hand, clause, idioms):
            del clause.phrases[place : place + 2]
            yield Predicate("持つ", phrases=[thing], real=clause.real, goes_on=True, flows=True)
            return


def _is_idiom(phrase: Phrase, clause: Predicate, idioms: dict[str, str]) -> bool:
    return any(f"{phrase.head}{phrase.particle}{verb}" in idioms for verb in (clause.lemma, clause.spelled))


def _with_scenes(found: list[Predicate]) -> list[Predicate]:
    """What leads into a clause that only describes belongs to the description: 本を取って読む沙耶を見る."""
    for before, after in reversed(list(pairwise(found))):
        if after.describes and before.flows:
            before.real, before.describes = False, True
        if before.lemma == "向かう" and before.goes_on and not _sets_out(after):
            before.real = False
    return found


def _sets_out(clause: Predicate) -> bool:
    """Whether 〜に向かって leads somewhere: towards a step or something to handle, not towards a gesture."""
    handled = any(one.known and one.particle == OBJECT for one in clause.phrases)
    return handled or clause.lemma in pack(LANGUAGE).grammar["roaming"]


# --- noun phrases --------------------------------------------------------------------------------------------------


def _nominal(word: Word) -> bool:
    return word.pos in NOMINAL and not _counts(word)


def _adjective(word: Word) -> bool:
    """A word that only says what the noun behind it is like: 机の古い引き出し, 箱の頑丈な蓋."""
    return word.pos in ("連体詞", "形状詞") or (word.pos == "形容詞" and word.form.startswith("連体形"))


def _counts(word: Word) -> bool:
    """A numeral or a counter: it begins no phrase, but may go on with one (梯子の二段目)."""
    return word.sub == "数詞" or word.use == "助数詞" or _COUNTED.fullmatch(word.surface) is not None


def _noun_phrases(words: Sequence[Word], at: int, phrases: list[Phrase]) -> int:
    """Read nouns joined by の, と, や or a comma, up to the particle that marks them all."""
    joined: list[Phrase] = []
    noun = _Noun()
    near = words[at : at + MAX_PHRASE_WORDS]
    for word, after in zip(near, [*near[1:], None], strict=True):
        if noun.known and noun.text[-1] != "の" and word.surface in HANDS and after and after.surface == "に":
            phrases.append(noun.phrase(OBJECT))  # 団扇片手に, 団扇を片手に
            noun = _Noun()
            noun.add(word)
        elif _nominal(word):
            if not (_adverbial(word) and after is not None and _nominal(after) and after.pos != "接尾辞"):
                noun.add(word)
        elif word.surface == "の" and after is not None and (_nominal(after) or _counts(after) or _adjective(after)):
            noun.text += "の"
        elif noun.text[-1:] == "の" and (_adjective(word) or word.form.startswith("連体形")):
            pass
        elif noun.text in ASKED and word.surface == "か":
            noun.text = noun.head = f"{noun.text}か"  # 何か, 誰か
        elif noun.text and _counts(word):
            if noun.text[-1] == "の" or (after is not None and _nominal(after)):
                noun.add(word)  # 梯子の二段目, but not 座布団二枚
        elif noun.text and word.surface in JOINTS and after is not None and _nominal(after) and _same_list(words, at):
            joined.append(noun.phrase(""))
            noun = _Noun()
        else:
            break
        at += 1
    particle, at = _particle(words, at)
    if particle in ("から", "へ", "で", "と") and words[at - 1].surface == "の":
        particle = ""  # 窓からの光
    if noun.head:
        phrases += [Phrase(one.text, one.head, particle, one.known, one.use) for one in [*joined, noun.phrase("")]]
    return at


class _Noun:
    """A noun phrase in the making."""

    def __init__(self) -> None:
        self.text = self.head = self.use = ""
        self.known = False

    def add(self, word: Word) -> None:
        fresh = word.known or self.text[-1:] == "の" or (word.pos != "接尾辞" and not self.text)
        self.head = word.surface if fresh else self.head + word.surface
        self.text += word.surface
        self.known = word.known
        self.use = word.use if word.pos == "名詞" else self.use

    def phrase(self, particle: str) -> Phrase:
        return Phrase(self.text, self.head, particle, self.known, self.use)


def _adverbial(word: Word) -> bool:
    return word.use == "副詞可能" and not word.known


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
    while at < len(words) and words[at].pos == "助詞" and words[at].sub in CASES:
        surface = words[at].surface
        if found == "で" and surface == "も":
            found = "でも"
        elif found not in ("に", "へ", "から", "で"):
            found = surface
        at += 1
    return found, at


# --- verbs ---------------------------------------------------------------------------------------------------------


def _spelled(morpheme: Morpheme, pos: str) -> str:
    """The usual spelling of a verb, so that つかむ meets 掴む."""
    return morpheme.normalized_form() if pos == "動詞" else ""


def _clause(words: Sequence[Word], at: int, phrases: list[Phrase]) -> tuple[Predicate, int]:
    """The verb at this place with everything that hangs on it."""
    verb = words[at]
    lemma, spelled = _dictionary_form(words, at, phrases)
    tail, end = _tail(words, at + 1)
    if caused := next((word.lemma for word in tail if word.lemma in CAUSED), ""):
        # 走らせる is a verb of its own where the lexicon has it; otherwise somebody else acts.
        by_noun = lemma.endswith("する") and lemma != "する"
        lemma, spelled = (f"{lemma[:-2]}させる", lemma) if by_noun else (verb.surface + caused,) * 2
    elif joined := _joined(verb, tail):
        lemma = spelled = joined
    second = tail[0].lemma if tail and tail[0].pos == "動詞" else ""
    clause = Predicate(lemma, spelled, second, list(phrases))
    last = tail[-1] if tail else verb
    clause.real = not (_unreal(verb, tail) or _unreal_after(words, end, last) or _fails(tail, words, end))
    clause.describes = _describes(words, end, last) or _said(words, end)
    clause.real = clause.real and not clause.describes
    if last.lemma == "た" and end < len(words) and words[end].known:
        clause.described = words[end].surface
    clause.lasting = end < len(words) and words[end].surface in ("まま", "っぱなし")
    clause.goes_on = _goes_on(last) and end < len(words)
    clause.flows = clause.goes_on and words[end].surface != "、"
    return clause, end


def _joined(verb: Word, tail: Sequence[Word]) -> str | None:
    """A verb of the lexicon that the dictionary takes for two: 引っぱり出す, spelled 引っ張り出す."""
    if not tail or tail[0].pos != "動詞":
        return None
    usual = verb.spelled[:-1] + (verb.surface[-1] if len(verb.surface) == len(verb.lemma) else "")
    forms = (f"{stem}{tail[0].lemma}" for stem in (verb.surface, usual))
    return next((one for one in forms if one in pack(LANGUAGE).surfaces), None)


def _dictionary_form(words: Sequence[Word], at: int, phrases: list[Phrase]) -> tuple[str, str]:
    """The verb as the lexicon lists it, and in its usual spelling; `noun + する` is one verb."""
    verb, before = words[at], words[at - 1] if at else None
    if verb.lemma not in DOING:
        return verb.lemma, verb.spelled
    if before is not None and before.pos == "名詞" and phrases and phrases[-1].particle == "":
        noun = f"{phrases.pop().head}する"
        return noun, noun
    if phrases and phrases[-1].particle in (OBJECT, "も") and f"{phrases[-1].head}する" in pack(LANGUAGE).surfaces:
        noun = f"{phrases.pop().head}する"
        return noun, noun
    return "する", "する"


def _tail(words: Sequence[Word], at: int) -> tuple[list[Word], int]:
    """Auxiliaries and helper verbs behind a verb."""
    tail: list[Word] = []
    while at < len(words):
        word = words[at]
        helps = word.pos == "動詞" and word.sub == "非自立可能" and not word.surface.startswith(("置", "点"))
        helper = helps and _leans_on(tail, words[at - 1])
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


def _goes_on(last: Word) -> bool:
    return last.surface in ("て", "で", "ながら") or last.form.startswith("連用形")


def _unreal(verb: Word, tail: Sequence[Word]) -> bool:
    """Wished, intended, denied, suffered, broken off, hypothetical."""
    grammar = pack(LANGUAGE).grammar
    if verb.form.startswith(("意志推量形", "仮定形")) or _broken_off(verb):
        return True
    lemmas = [word.lemma for word in tail]
    return (
        not UNREAL.isdisjoint(lemmas)
        or any(word.form.startswith(("仮定形", "意志推量形")) for word in tail)
        or any(lemma in grammar["broken"] or lemma in grammar["benefits"] for lemma in lemmas)
        or any(_stem(word) and word.surface in ("そう", "よう", "みたい") for word in tail)
        or any(word.surface in ("ば", "たら", "なら") for word in tail)
    )


def _fails(tail: Sequence[Word], words: Sequence[Word], end: int) -> bool:
    """Whether it is only tried, and nothing comes of it: 回してみるが、びくともしない."""
    tried = any(word.lemma in TRIED for word in tail) and tail[-1].surface in BUT
    rest = takewhile(lambda word: word.surface not in SENTENCE_ENDS, words[end : end + MAX_PHRASE_WORDS])
    return tried and any(word.lemma in VAIN for word in rest)


def _broken_off(verb: Word) -> bool:
    """伸ばしかける: the dictionary takes the helper for part of the verb; 振りかける is a verb of its own."""
    if verb.lemma in pack(LANGUAGE).surfaces:
        return False
    return len(verb.lemma) >= 4 and verb.lemma.endswith("かける") and verb.lemma[-4] in "いきぎしちにびみり"


def _describes(words: Sequence[Word], end: int, last: Word) -> bool:
    """Whether a verb stands before the person or the scene it describes."""
    if end >= len(words) or last.pos == "助詞" or last.form.startswith("連用形"):
        return False
    following, grammar = words[end], pack(LANGUAGE).grammar
    if following.surface in ("の", "ん") and following.pos == "助詞":
        return end + 1 >= len(words) or words[end + 1].lemma not in ("だ", "です", "である")
    person = (
        following.use == "人名" or following.surface in grammar["persons"] or following.surface in grammar["selves"]
    )
    return _nominal(following) and (following.known or person or following.surface in grammar["scenes"])


def _said(words: Sequence[Word], end: int) -> bool:
    """Whether words are quoted without quotation marks: 借りるね、と断って; 開けて、と頼む."""
    at = end
    while at < len(words) and at < end + 4 and (words[at].sub == "終助詞" or words[at].surface == "、"):
        at += 1
    asks = at > end or words[end - 1].surface in ("て", "で")
    told = [word.surface for word in words[at : at + 2]]
    return asks and told[:1] in (["と"], ["って"]) and words[at].pos == "助詞" and told[1:] != ["同時"]


def _unreal_after(words: Sequence[Word], end: int, last: Word) -> bool:
    """What follows makes the verb a description, a purpose or a plan instead of an act."""
    if end >= len(words):
        return False
    following, grammar = words[end], pack(LANGUAGE).grammar
    if (last.lemma == "だ" and following.surface == "も") or (following.surface == "な" and following.sub == "終助詞"):
        return True
    if last.pos == "助詞":
        return _given_up(words, end) or _ruled(words, end) or following.lemma in grammar["benefits"]
    if last.form.startswith("連用形"):
        made = end + 1 < len(words) and words[end + 1].lemma in DOING  # 鷲掴みにする
        return following.surface == "に" and not made
    if following.pos == "形状詞" and following.surface in ("よう", "みたい"):
        return True
    if _nominal(following) or following.pos == "形容詞":
        return following.surface not in grammar["real"] and following.surface != "まま"
    quoted = following.surface in ("と", "か", "かどうか") and following.sub != "接続助詞"
    return following.pos == "助詞" and (quoted or following.surface in ("まで", "より", "ほど", "くらい", "ぐらい"))


def _ruled(words: Sequence[Word], end: int) -> bool:
    """What must not or may be done: 開けてはいけない, 開けてもいい, 開けちゃだめ."""
    told = [word.surface for word in words[end : end + 2]]
    return not pack(LANGUAGE).grammar["ruled"].isdisjoint((told[0], "".join(told)))


def _given_up(words: Sequence[Word], end: int) -> bool:
    """Right after a て-form: やめる, 諦める … take the act back."""
    rest = [word for word in words[end : end + 2] if word.pos != "補助記号"]
    return bool(rest) and rest[0].pos == "動詞" and rest[0].lemma in pack(LANGUAGE).grammar["abandoned"]
