"""Reading Japanese stage directions into clauses: which verb is meant, and the part each phrase plays."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hakoniwa.gm.clause import Clause, Doer, Role, Sort, Telling
from hakoniwa.gm.clauses import LANGUAGE as LANGUAGE
from hakoniwa.gm.clauses import OBJECT, Phrase, Predicate, Word, joining_forms, predicates_of, words_of
from hakoniwa.pack import LanguagePack, Part, Verb, frame_of, pack, word_in
from hakoniwa.stage.names import PREFIXES, NameTable, nfkc
from hakoniwa.turn import IntentKind

MAX_SENTENCES = 8
POLITE = ("です", "ます")
# Contracted helper verbs, which the dictionary has for endings: 消しとく, 閉めちゃう.
HELPERS = ("とく", "どく", "ちゃう", "じゃう")
_SENTENCE_END = re.compile(r"[。！!\n]+")
SUBJECT = ("が", "は", "も")
LIKE_OBJECT = ("は", "も", "でも", "だけ", "ばかり", "さえ", "すら")
LOOSE = ("副詞可能", "サ変可能", "形状詞可能", "サ変形状詞可能")
PARTS: dict[str, Part] = {OBJECT: "object", "から": "from", "で": "with", "に": "to", "へ": "to", "まで": "to"}


def clauses_of(text: str, names: NameTable, who: str) -> Iterator[Clause]:
    """The clauses of a Japanese text, in order."""
    reader = _Reader(names, who, pack(LANGUAGE))
    for predicate in predicates_of(nfkc(text), names):
        yield reader.clause(predicate)


def telling(text: str, names: NameTable, who: str) -> Telling:
    """How a text without quotation marks and brackets puts what its speaker does; "" where it is only said."""
    sentences = [one for one in _SENTENCE_END.split(nfkc(text)) if one.strip()]
    ends = [_ending(words_of(one, names)) for one in sentences[:MAX_SENTENCES]]
    if not ends or not all(ends) or "？" in text or "?" in text:
        return ""
    named = any(kind == "character" and name == who for _, (kind, name) in names.find(_subject(sentences[0])))
    if named and "asked" not in ends:
        return "told"
    return "" if "tale" in ends else "asked" if "asked" in ends else "ordered"


def _subject(sentence: str) -> str:
    """The words before the first particle that marks a subject, or the comma behind a name in a play."""
    return re.split("[はがも、]", sentence, maxsplit=1)[0].strip()


def _ending(words: Sequence[Word]) -> str:
    """How a sentence ends: with the plain form of a verb, as an order to oneself or a stage direction does, with a form
    that asks for it (開けて, 開けろ), or told."""
    said = [one for one in words if one.pos != "補助記号" and one.surface.strip()]
    if not said or said[-1].pos not in ("動詞", "助動詞", "形容詞", "助詞"):
        return ""
    if said[-1].form == "命令形" or (said[-1].surface in ("て", "で") and said[-1].sub == "接続助詞"):
        return "asked"
    if (said[-1].pos == "動詞" or said[-1].lemma in HELPERS) and said[-1].form.startswith(("終止形", "連体形")):
        return "order"
    if not said[-1].form.startswith("終止形"):
        return ""
    return "tale" if said[-1].lemma in ("た", "だ") and not any(one.lemma in POLITE for one in said) else ""


class _Reader:
    """One text being read: who acts, and a stranger who is doing something."""

    def __init__(self, names: NameTable, who: str, language: LanguagePack) -> None:
        self.names = names
        self.who = who
        self.language = language
        self.others_act = False
        # 侍が障子を開けて、入ってくる
        self.stranger: str | None = None

    def clause(self, predicate: Predicate) -> Clause:
        """The clause of a predicate: its verb, its roles, and whose act it is."""
        stranger, doer = self._newcomer(predicate), self._whose(predicate)
        verb, phrases = self._verb(predicate)
        known = self.language.verbs.get(verb or "")
        if before := self._done_before(predicate, known):
            predicate.real, phrases = True, [*phrases, before]
        roles = self._roles(phrases, predicate, known)
        verb = self._sense(known, predicate, roles) if known else verb
        lasting = predicate.lasting and known is not None and known.id != "HOLD" and known.manner != "sight"
        results = self._results(predicate, roles)
        return Clause(
            predicate.text, verb, predicate.lemma, predicate.spelled, self._plain(predicate), roles, results,
            doer, predicate.real and not lasting, stranger if predicate.real else None, unplaced=bool(before),
            subject=self._subject_of(predicate),
        )  # fmt: skip

    def _subject_of(self, predicate: Predicate) -> str:
        """The thing that is somewhere or does something: 中には手紙が入っている."""
        things = [one.text for one in predicate.with_particle("が") if self.names.means(one.text, "prop")]
        return things[-1] if things else ""

    # --- who does it ---

    def _newcomer(self, predicate: Predicate) -> str | None:
        """Somebody who is not of this world and comes in."""
        subjects = predicate.with_particle(*SUBJECT)
        unknown = [one for one in subjects if self._is_unknown(one)]
        found = unknown[0].text if unknown else None if subjects else self.stranger
        self.stranger = found if predicate.real and predicate.goes_on else None
        verbs = {predicate.lemma, predicate.spelled}
        idioms = {f"{one.head}{one.particle}{verb}" for one in predicate.with_particle(OBJECT) for verb in verbs}
        return None if self.language.grammar["arrivals"].isdisjoint(verbs | idioms) else found

    def _is_unknown(self, phrase: Phrase) -> bool:
        alive = self._is_person(phrase) or phrase.head in self.language.grammar["animals"]
        return alive and not self.names.means(phrase.text, "character", "prop")

    def _is_person(self, phrase: Phrase) -> bool:
        if phrase.text in self.language.grammar["selves"]:
            return False
        ending = len(phrase.head) > 1 and phrase.head.endswith(tuple(self.language.grammar["person_endings"]))
        return phrase.use == "人名" or ending or phrase.head in self.language.grammar["persons"]

    def _whose(self, predicate: Predicate) -> Doer:
        """Whose act it is; who is named as doing one thing also does what is joined to it."""
        doers = [doer for one in predicate.with_particle(*SUBJECT) if (doer := self._doer(one))]
        others = doers[0] == "other" if doers else self.others_act
        self.others_act = others and predicate.goes_on and not predicate.describes
        return "other" if others else "thing" if "thing" in doers else "self"

    def _doer(self, phrase: Phrase) -> Doer | None:
        """Who a subject is; None where it says nothing."""
        people = [name for how, (kind, name) in self.names.find(phrase.text) if kind == "character" and how != "part"]
        if self.who in people or phrase.text in self.language.grammar["selves"]:
            return "self"
        if people or self._is_person(phrase):
            return "other"
        return "thing" if phrase.particle == "が" else None

    # --- which verb ---

    def _verb(self, predicate: Predicate) -> tuple[str | None, list[Phrase]]:
        """The verb meant, and the phrases that are left once an idiom has used one up."""
        for place, phrase in enumerate(predicate.phrases):
            idiom = None if self._is_others(phrase) else _idiom(phrase, predicate, self.language)
            if idiom == IntentKind.EMOTE:
                return idiom, []
            if idiom:
                owner, after = self._owner(phrase, idiom, predicate), predicate.phrases[place + 1 :]
                return idiom, [*predicate.phrases[:place], *owner, *after]
        surfaces, lemma = self.language.surfaces, predicate.lemma
        spelled = predicate.spelled if not self._has_others_do(predicate) else lemma
        if not self.language.grammar["homeward"].isdisjoint((lemma, spelled)):
            return "MOVE", predicate.phrases
        return surfaces.get(lemma) or surfaces.get(spelled) or _compound(lemma) or self._bestowed(
            predicate
        ), predicate.phrases

    def _is_others(self, phrase: Phrase) -> bool:
        """Whether it is the body of another: 蓮の口に放り込む is not to eat."""
        whose = phrase.text[: -len(phrase.head)].removesuffix("の")
        return bool(whose) and self._doer(Phrase(whose, whose, "の", True)) == "other" and word_in("body", phrase.head)

    def _bestowed(self, predicate: Predicate) -> str | None:
        """ポチに骨をやる gives; any other やる says nothing."""
        to = any(self.names.means(one.text, "character") for one in predicate.with_particle("に"))
        what = any(self.names.means(one.text, "prop") for one in predicate.with_particle(OBJECT))
        return "GIVE" if predicate.lemma in self.language.grammar["bestowing"] and to and what else None

    def _done_before(self, predicate: Predicate, verb: Verb | None) -> Phrase | None:
        """What is said to have been taken out of something, where it is only named: 懐から出した財布."""
        out_of = [one for one in predicate.with_particle("から") if not self._doer(one._replace(particle="の"))]
        taken = verb is not None and verb.intent == IntentKind.GET and not predicate.with_particle(OBJECT)
        name = predicate.described if out_of and taken and self.names.means(predicate.described, "prop") else ""
        return Phrase(name, name, OBJECT, True) if name else None

    def _has_others_do(self, predicate: Predicate) -> bool:
        """健太に掃除させる: they do it; 装置を停止させる is done to a thing."""
        if not predicate.lemma.endswith("させる"):
            return False
        people = [one for one in predicate.with_particle(OBJECT, "に") if self.names.means(one.text, "character")]
        return bool(people) or not any(self.names.means(one.text, "prop") for one in predicate.with_particle(OBJECT))

    def _owner(self, phrase: Phrase, idiom: str, predicate: Predicate) -> list[Phrase]:
        """What an idiom is done to: the ランプ of ランプの明かりをつける, the 電話 of 電話に出る."""
        whole = phrase.text[: -len(phrase.head)].removesuffix("の")
        if whole and (self.names.means(whole, "prop") or not word_in("ambient", whole)):
            return [Phrase(whole, whole, OBJECT, True)]
        named = self.names.means(phrase.head, "prop") or phrase.head in self.language.grammar["things"]
        onto = any(self.names.means(one.text, "prop") for one in predicate.with_particle("に"))
        own = named and not frame_of(idiom).bound and not onto
        return [Phrase(phrase.head, phrase.head, OBJECT, True)] if own or idiom == "ANSWER_PHONE" else []

    def _sense(self, verb: Verb, predicate: Predicate, roles: Sequence[Role]) -> str:
        """Which of its senses a verb has here: 茶を入れる brews, 箱に入れる puts; パンにつける spreads."""
        grammar, lemma = self.language.grammar, predicate.lemma
        objects, goals = [one for one in roles if one.part == "object"], [one for one in roles if one.part == "to"]
        thing = any(one.sort in ("thing", "plain") or self.names.means(one.text, "prop", "character") for one in goals)
        if lemma in grammar["brewing"] and verb.id == "PUT" and objects and not goals:
            return "BREW"
        if frame_of(verb.id).palmed and any(one.head in grammar["palms"] for one in predicate.with_particle("で")):
            return "HOLD"
        if lemma in grammar["applying"] and frame_of(verb.id).applies and thing:
            return "SPREAD"
        if lemma in grammar["entering"] and (not goals or any(self.names.means(one.text, "location") for one in goals)):
            return "MOVE"
        climbs = verb.intent == IntentKind.MOVE and lemma in grammar["climbing"] and not goals
        return "CLIMB" if climbs and any(self.names.means(one.text, "prop") for one in objects) else verb.id

    def _plain(self, predicate: Predicate) -> str | None:
        """What taking hold of something comes to where it cannot be taken."""
        grammar = self.language.grammar
        return "TOUCH" if {predicate.lemma, predicate.spelled} & (grammar["gripping"] | grammar["mouthing"]) else None

    def _results(self, predicate: Predicate, roles: Sequence[Role]) -> tuple[str, ...]:
        """Storing away without saying where, or going in: into what was just opened. Blinds go up and down."""
        for word in ("up", "down", "out"):
            if (predicate.second if word == "out" else predicate.lemma) in self.language.grammar[word]:
                return (word,)
        if f"{predicate.lemma}{predicate.second}".endswith(tuple(self.language.grammar["again"])):
            return ("again",)
        goals = [one.text for one in roles if one.part == "to"]
        enters = predicate.lemma in self.language.grammar["entering"] and not goals
        if enters or (goals and (self.language.grammar["inward"] | self.language.grammar["insides"]).issuperset(goals)):
            return ("in",)
        places = self.language.grammar["places"] | self.language.grammar["nowhere"]
        stored = predicate.lemma in self.language.grammar["storing"]
        return ("in",) if stored and all(one.text in places for one in roles if one.part == "to") else ()

    # --- which parts ---

    def _roles(self, phrases: Sequence[Phrase], predicate: Predicate, verb: Verb | None) -> list[Role]:
        still = verb is not None and frame_of(verb.id).posture
        about = self._without_doer([self._about(one, still) for one in phrases])
        objects = self._objects(about, predicate.lemma, verb)
        objects = [one for one in objects if one.particle != "まで" or one in phrases]
        if not objects and verb and verb.intent == IntentKind.GET:
            objects = [one._replace(particle=OBJECT) for one in predicate.meant]
            about += objects
        return [
            self._role(one, part, verb) for one in about if (part := self._part(one, one in objects, predicate, verb))
        ]

    def _without_doer(self, phrases: list[Phrase]) -> list[Phrase]:
        """Without a person before the objects, whom only a comma parts from them: 松吉、煙草盆を引き寄せ."""
        objects = [one for one in phrases if one.particle == OBJECT]
        people = [self.names.means(one.text, "character") for one in objects]
        doer = objects[0] if len(objects) > 1 and people[0] and not any(people[1:]) else None
        return [one for one in phrases if one is not doer]

    def _objects(self, phrases: Sequence[Phrase], lemma: str, verb: Verb | None) -> list[Phrase]:
        """What a verb is done to: を, or where there is none は, も, でも, or a bare name right before it."""
        if plain := [one for one in phrases if one.particle == OBJECT]:
            return plain
        if lemma in self.language.grammar["swapping"]:
            return [one for one in phrases if one.particle == "に"]
        like = LIKE_OBJECT if verb is None or verb.intent == IntentKind.MOVE else (*LIKE_OBJECT, "まで")
        loose = [one for one in phrases if one.particle in like and not self.names.means(one.text, "character")]
        bare = [one for one in phrases if one.particle == "" and self._is_thing(one, one is phrases[-1])][-1:]
        return loose or bare

    def _is_thing(self, phrase: Phrase, last: bool) -> bool:
        """Whether a noun without a particle is what a verb is done to: a name, or a thing right before the verb."""
        counted = "ぁ" <= phrase.head[0] <= "ゖ"  # ひとかけら
        thing = last and not counted and self._sort(phrase, None) in ("thing", "plain")
        return thing or self.names.means(phrase.head, "prop")

    def _part(self, phrase: Phrase, is_object: bool, predicate: Predicate, verb: Verb | None) -> Part | None:
        grammar = self.language.grammar
        if is_object:
            goes = verb is not None and verb.intent == IntentKind.MOVE and phrase.particle == OBJECT
            return self._path(phrase, predicate) if goes else "object"
        if phrase.particle == "で" and not self._is_means(phrase, verb):
            return "at" if phrase.head in grammar["things"] or phrase.known else None
        if word_in("vague", phrase.text) or word_in("pronouns", phrase.text):
            return PARTS.get(phrase.particle, "about")
        if phrase.particle == "" and verb is not None and verb.intent == IntentKind.MOVE:
            return "to" if self.names.means(phrase.text, "location") else None
        here = phrase.head in grammar["places"] and predicate.lemma not in grammar["clasping"]
        here = here or phrase.head in grammar["grounds"]
        worn = phrase.particle == "に" and word_in("body", phrase.head) and not here
        return "onto" if worn else PARTS.get(phrase.particle)

    def _path(self, phrase: Phrase, predicate: Predicate) -> Part | None:
        """What を marks for a verb of going: where to, where from, or what one goes along."""
        grammar = self.language.grammar
        if predicate.lemma in grammar["aiming"]:
            return "to"
        if predicate.lemma in grammar["climbing"] and self.names.means(phrase.text, "prop"):
            return "object"
        place = phrase.text in grammar["rooms"] or word_in("home", phrase.text)
        place = place or self.names.means(phrase.text, "location")
        return "from" if place and predicate.lemma not in grammar["roaming"] else "beside"

    def _is_place(self, phrase: Phrase) -> bool:
        """Whether a noun that is a name of nothing here is surely that of a place: 図書室, 駅."""
        grammar = self.language.grammar
        return phrase.head.endswith(tuple(grammar["place_endings"])) or phrase.head in grammar["errands"]

    def _is_means(self, phrase: Phrase, verb: Verb | None) -> bool:
        """Whether something is done with it: 布巾で, スパナで; not 台所で, 笑顔で or 椅子で."""
        grammar, head = self.language.grammar, phrase.head
        if head in grammar["furniture"] or self.names.means(phrase.text, "location", "character"):
            return False
        if self.names.means(phrase.text, "prop") or head in grammar["things"]:
            return True
        placed = head in grammar["places"] or head.endswith(tuple(grammar["place_endings"])) or "の" in phrase.text
        plain = phrase.use == "一般" and not placed and verb is not None and verb.manner in ("hand", "touch")
        return plain and self._sort(phrase, None) == "plain" and not word_in("vague", head)

    def _role(self, phrase: Phrase, part: Part, verb: Verb | None) -> Role:
        whole = phrase.text[: -len(phrase.head)].removesuffix("の") if phrase.text.endswith(phrase.head) else ""
        sort = self._sort(phrase, verb)
        if part == "with" and sort == "plain":
            sort = "thing"
        owner = Phrase(whole, whole.rpartition("の")[2], phrase.particle, known=False)
        return Role(
            phrase.text, part, sort, whole, phrase.head, self._sort(owner, None) if whole else "", phrase.on_top
        )

    def _about(self, phrase: Phrase, still: bool) -> Phrase:
        """What a phrase is about: 机の上に is about 机, パンの横に about パン; 机の前で only says where."""
        whole, joint, place = phrase.text.rpartition("の")
        grammar = self.language.grammar
        edge = phrase.particle == OBJECT and place in grammar["parts"]
        if not (joint and whole and place in grammar["places"]) or phrase.known or phrase.particle == "で" or edge:
            return phrase
        if place in grammar["beside"] and word_in("body", whole):
            return phrase._replace(text="足元", head="足元")  # 膝の横に置く
        if place in grammar["beside"] and (still or self.names.means(whole, "character")):
            return phrase  # 早紀の隣に寄せる, 竈の前にしゃがむ
        about = self._about(Phrase(whole, whole.rpartition("の")[2], phrase.particle, known=False), still)
        return about._replace(
            on_top=place in grammar["tops"], head=place if self.names.means(whole, "location") else about.head
        )

    def _sort(self, phrase: Phrase, verb: Verb | None) -> Sort:
        """What kind of noun the last one of a phrase is, by the lists and by the dictionary."""
        grammar, head, whole = self.language.grammar, phrase.head, phrase.text.rpartition("の")[0]
        eaten = verb is not None and verb.intent == IntentKind.EAT_DRINK
        cleaned = verb is not None and frame_of(verb.id).cleans
        if whole in grammar["inward"]:
            return ""  # 中の小銭: whatever is in it
        if cleaned and not whole and head in grammar["dirt"]:
            return "abstract"
        if eaten and head in grammar["meals"]:
            return "thing"
        return self._listed_sort(phrase, whole, verb) or self._sort_by_form(phrase, whole, eaten)

    def _listed_sort(self, phrase: Phrase, whole: str, verb: Verb | None) -> Sort:
        """What the lists say of a noun: a part of something, nothing one can handle, a thing, an animal, a place."""
        grammar, head = self.language.grammar, phrase.head
        owned = whole and not self.names.means(whole, "character") and whole not in grammar["selves"]
        if owned and (head in grammar["lids"] or head in grammar["parts"]):
            return "lid" if head in grammar["lids"] else "part"
        if not head or any(grammar[name] & _polite(head) for name in ("abstract", "nowhere", "places")):
            return "abstract"
        if head in grammar["things"] and not word_in("ambient", phrase.text):
            return "thing"
        if word_in("ambient", head) or word_in("ambient", phrase.text) or head.endswith(_worn()):
            return "ambient"
        if head in grammar["animals"]:
            return "animal"
        goes = verb is not None and verb.intent == IntentKind.MOVE
        errand = phrase.particle in ("へ", "まで") and head in grammar["errands"]
        return "place" if errand or (goes and self._is_place(phrase)) else ""

    def _sort_by_form(self, phrase: Phrase, whole: str, eaten: bool) -> Sort:
        """What a noun that no list has looks like."""
        grammar, head = self.language.grammar, phrase.head
        if not whole and _is_part(head, grammar):
            return "part"
        loose = phrase.use == "副詞可能" if eaten else phrase.use in LOOSE
        if loose or head in grammar["parts"] or (not eaten and head.endswith(tuple(grammar["abstract_endings"]))):
            return "abstract"
        return "person" if self._is_person(phrase) else "plain" if _is_solid(head, grammar) else ""


def _polite(head: str) -> frozenset[str]:
    """A noun as it is, and without a polite prefix: ご意見."""
    return frozenset((head, head.removeprefix(next((one for one in PREFIXES if head.startswith(one)), ""))))


def _in_kana(text: str) -> bool:
    return all("ぁ" <= char <= "ゖ" for char in text)


@cache
def _worn() -> tuple[str, ...]:
    """The ends of what is worn: 麦わら帽子."""
    return tuple(word for word in pack(LANGUAGE).words["clothes"] if len(word) > 1)


def _is_part(head: str, grammar: dict[str, frozenset[str]]) -> bool:
    """Whether a noun is by itself the part of something: 蓋, 録画ボタン."""
    return head in grammar["parts"] or any(len(end) > 2 and head.endswith(end) for end in grammar["parts"])


def _is_solid(head: str, grammar: dict[str, frozenset[str]]) -> bool:
    """Whether a noun that no list has looks like that of a thing: short, with kana in it, or with such an end. A verb
    in it (上がり框, 落ち着き) says nothing."""
    kana = any("ァ" <= char <= "ヺ" for char in head) or _in_kana(head[0]) or (len(head) > 2 and _in_kana(head[-2:]))
    return kana or (len(head) == 1 and head > "ゟ") or head.endswith(tuple(grammar["thing_endings"]))


def _idiom(phrase: Phrase, predicate: Predicate, language: LanguagePack) -> str | None:
    words = f"{phrase.head}{phrase.particle}"
    return language.idioms.get(words + predicate.lemma) or language.idioms.get(words + predicate.spelled)


@cache
def _compound(lemma: str) -> str | None:
    """The verb that 投げ渡す or 食べ始める is, by its parts."""
    language = pack(LANGUAGE)
    for second, verb in language.idioms.items():
        if second.startswith("〜") and lemma.endswith(second[1:]) and lemma[: 1 - len(second)] in stems():
            return verb
    for second in language.grammar["following"]:
        if lemma.endswith(second) and lemma[: -len(second)] in stems():
            return stems()[lemma[: -len(second)]]
    return None


@cache
def stems() -> dict[str, str]:
    """What is done, by the joining form of its verb."""
    return {stem: pack(LANGUAGE).surfaces[form] for stem, form in joining_forms().items()}
