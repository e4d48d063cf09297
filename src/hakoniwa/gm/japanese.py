"""Reading Japanese stage directions: which of their verbs are acts, on what, with what, and where to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from hakoniwa.gm.clauses import LANGUAGE, OBJECT, TO, Clause, Phrase, clauses_of, joining_forms
from hakoniwa.pack import LanguagePack, Verb, pack, word_in
from hakoniwa.stage.names import Kind, nfkc
from hakoniwa.stage.world import WorldState, holder, in_place, is_door
from hakoniwa.turn import ActionIntent, IntentKind

SUBJECT = ("が", "は", "も")
LIKE_OBJECT = ("は", "も", "でも", "だけ", "ばかり", "さえ", "すら")
LOOSE = ("副詞可能", "サ変可能", "形状詞可能", "サ変形状詞可能")
# Verbs that say too little about their object for an unknown noun to count as a missing thing.
LIGHTLY = frozenset({"TOUCH", "HUG", "LEAN", "STAND", "POINT_AT", "TILT"})
# Verbs that may be done to their に-phrase, and verbs whose に-phrase says where their object goes.
ONTO = frozenset(
    {"WRITE", "WATER", "FEED", "LIGHT", "ANSWER_PHONE", "PRAY", "SPREAD", "DRINK", "EAT", "READ", "WEAR", "SEW", "COOK"}
)
INTO = frozenset({"WRAP", "DISCARD", "HANG", "SPREAD", "POUR", "TIE", "FILL", "STIR", "WRITE"})
# Verbs that bring forth what they name: a picture one draws need not be there, what one draws it on must.
FORTH = frozenset({"WRITE", "SING", "PRAY", "PLAY", "PHOTOGRAPH", "DIG", "SEW"})
# Verbs that are complete without an object: what was handled before is not theirs.
COMPLETE = FORTH | {"COOK", "MAKE", "BREW", "USE", "WEAR", "LOCK", "UNLOCK"}
# Verbs that take what is in a thing out of it: 水差しから水を注ぐ is done with the jug.
CONTENTS = frozenset({"POUR", "FILL"})
# Verbs that are done to whatever has a switch or a lid, if none is named: to what was spoken of last.
SWITCHED = frozenset({"TURN_ON", "TURN_OFF", "OPEN", "CLOSE"})
# Verbs of the body after which a thing is at hand: what comes next may be done to it.
NEAR = frozenset({"DRAW", "SHIFT", "TOUCH"})


@dataclass(slots=True)
class Reading:
    """One stage direction being read: the acts so far, what was last in hand, and whether somebody else acts."""

    world: WorldState
    who: str
    language: LanguagePack
    acts: list[ActionIntent] = field(default_factory=list)
    others_act: bool = False
    # What a hand was last stretched out for: 林檎に手を伸ばして掴む.
    reached: str | None = None
    # What the clause before only meant to handle.
    meant: Sequence[Phrase] = ()
    # The thing that was last named at all: アンテナを伸ばして、スイッチを入れる.
    named: str | None = None
    # Somebody who is not of this world and is doing something: 侍が障子を開けて、入ってくる.
    stranger: str | None = None
    # What was last opened.
    opened: str | None = None
    # The latest act of the hands, and the latest of hands or eyes.
    by_hand: ActionIntent | None = None
    noticed: ActionIntent | None = None

    def names(self, text: str, *kinds: Kind) -> bool:
        """Whether a text names a thing, a person or a place of this world."""
        return any(kind in kinds for _, (kind, _) in self.world.index.names.find(text))

    def handled(self, verb: Verb) -> str | None:
        """What a verb without an object is done to: what the hands were last on or, to be taken, the eyes."""
        if self.reached:
            return self.reached
        taken = verb.intent == IntentKind.GET
        last = self.noticed if taken else self.by_hand
        return None if last is None or (taken and last.intent == IntentKind.GET) else last.target

    def keyed(self) -> str | None:
        """What a key was just put into: to turn it is to unlock that."""
        last = self.acts[-1] if self.acts else None
        return last.target if last and last.verb == "TOUCH" and last.instrument else None

    def add(self, acts: Iterable[ActionIntent]) -> None:
        """Note acts, and what hands and eyes are on after them."""
        for one in acts:
            self.acts.append(one)
            self.opened = one.target if one.verb == "OPEN" else self.opened
            known = self.language.verbs.get(one.verb or "")
            if known and (known.manner == "hand" or known.id in NEAR):
                self.by_hand = self.noticed = one
            elif known and known.id == "INSPECT":
                self.noticed = one


def acts_in(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The physical acts a stage direction describes, in order; gestures give none."""
    reading = Reading(world, who, pack(LANGUAGE))
    for clause in clauses_of(nfkc(direction), world.index.names):
        if stranger := _stranger(clause, reading):
            arrival = ActionIntent(intent=IntentKind.MOVE, target=stranger, detail="ARRIVE", verb="ARRIVE")
            return [*reading.acts, arrival]
        if _is_own(clause, reading):
            reading.meant = clause.meant
            reading.add(list(_acts(clause, reading)) or _out_of_touch(clause, reading) or _absent(clause, reading))
            reading.reached = _reached(clause, reading)
            reading.named = _named(clause, reading) or reading.named
    return [one for place, one in enumerate(reading.acts) if not _on_the_way(one, reading.acts[place + 1 : place + 5])]


def _named(clause: Clause, reading: Reading) -> str | None:
    """The last thing a clause names, by itself or by one of its parts."""
    texts = [text for one in clause.with_particle(OBJECT, "に") for text in (one.text.rpartition("の")[0], one.text)]
    return next((text for text in reversed(texts) if text and reading.names(text, "prop")), None)


def _on_the_way(act: ActionIntent, later: Sequence[ActionIntent]) -> bool:
    """Leaving a room says nothing of its own once it is said where to."""
    return act.verb == "LEAVE" and any(one.intent == IntentKind.MOVE for one in later)


# --- who does it ---------------------------------------------------------------------------------------------------


def _stranger(clause: Clause, reading: Reading) -> str | None:
    """Somebody who is not of this world and comes in."""
    subjects = clause.with_particle(*SUBJECT)
    known = [one for one in subjects if not _is_unknown(one, reading)]
    found = next((one.text for one in subjects if _is_unknown(one, reading)), None if known else reading.stranger)
    reading.stranger = found if clause.real and clause.goes_on else None
    return found if clause.real and _arrives(clause, reading.language.grammar["arrivals"]) else None


def _is_unknown(phrase: Phrase, reading: Reading) -> bool:
    """Whether this is a living being that the world does not know."""
    alive = _is_person(phrase, reading.language) or phrase.head in reading.language.grammar["animals"]
    return alive and not reading.names(phrase.text, "character", "prop")


def _arrives(clause: Clause, arrivals: frozenset[str]) -> bool:
    """Whether a verb, or a verb with its noun (姿を現す), brings somebody here."""
    verbs = {clause.lemma, clause.spelled}
    idioms = {f"{one.head}{one.particle}{verb}" for one in clause.with_particle(OBJECT) for verb in verbs}
    return not arrivals.isdisjoint(verbs | idioms)


def _is_person(phrase: Phrase, language: LanguagePack) -> bool:
    if phrase.text in language.grammar["selves"]:
        return False
    ending = len(phrase.head) > 1 and phrase.head.endswith(tuple(language.grammar["person_endings"]))
    return phrase.use == "人名" or ending or phrase.head in language.grammar["persons"]


def _is_own(clause: Clause, reading: Reading) -> bool:
    """Whether the speaker does it; who is named as doing one thing also does what is joined to it."""
    doers = [doer for one in clause.with_particle(*SUBJECT) if (doer := _doer(one, reading))]
    others = doers[0] == "other" if doers else reading.others_act
    reading.others_act = others and clause.goes_on and not clause.describes
    return clause.real and not others and "thing" not in doers


def _doer(phrase: Phrase, reading: Reading) -> str | None:
    """Who a subject is: the speaker, somebody else, or no person at all; None where it says nothing."""
    named = reading.world.index.names.find(phrase.text)
    people = [name for how, (kind, name) in named if kind == "character" and how != "part"]
    if reading.who in people or phrase.text in reading.language.grammar["selves"]:
        return "self"
    if people or _is_person(phrase, reading.language):
        return "other"
    return "thing" if phrase.particle == "が" else None


# --- which verb ----------------------------------------------------------------------------------------------------


def _verb(clause: Clause, reading: Reading) -> tuple[Verb | None, list[Phrase]]:
    """The verb meant, and the phrases that are left once an idiom has used one up."""
    language = reading.language
    for place, phrase in enumerate(clause.phrases):
        idiom = _idiom(phrase, clause, language)
        if idiom == IntentKind.EMOTE:
            return None, []
        if idiom:
            rest = [*clause.phrases[:place], *_owner(phrase, idiom, reading), *clause.phrases[place + 1 :]]
            return language.verbs[idiom], rest
    surfaces = language.surfaces
    spelled = clause.spelled if not _has_others_do(clause, reading) else clause.lemma
    known = surfaces.get(clause.lemma) or surfaces.get(spelled) or _compound(clause.lemma) or _bestowed(clause, reading)
    return (language.verbs[known] if known else None), clause.phrases


def _bestowed(clause: Clause, reading: Reading) -> str | None:
    """ポチに骨をやる gives; any other やる says nothing."""
    to = any(reading.names(one.text, "character") for one in clause.with_particle("に"))
    what = any(reading.names(one.text, "prop") for one in clause.with_particle(OBJECT))
    return "GIVE" if clause.lemma in reading.language.grammar["bestowing"] and to and what else None


def _has_others_do(clause: Clause, reading: Reading) -> bool:
    """健太に掃除させる: they do it; 装置を停止させる is done to a thing."""
    if not clause.lemma.endswith("させる"):
        return False
    people = [one for one in clause.with_particle(OBJECT, "に") if reading.names(one.text, "character")]
    things = [one for one in clause.with_particle(OBJECT) if reading.names(one.text, "prop")]
    return bool(people) or not things


def _idiom(phrase: Phrase, clause: Clause, language: LanguagePack) -> str | None:
    words = f"{phrase.head}{phrase.particle}"
    return language.idioms.get(words + clause.lemma) or language.idioms.get(words + clause.spelled)


def _owner(phrase: Phrase, idiom: str, reading: Reading) -> list[Phrase]:
    """What an idiom is done to: the ランプ of ランプの明かりをつける, the 電話 of 電話に出る."""
    whole = phrase.text[: -len(phrase.head)].removesuffix("の")
    if whole and not word_in("ambient", whole):
        return [Phrase(whole, whole, OBJECT, True)]
    named = reading.names(phrase.head, "prop") or phrase.head in reading.language.grammar["things"]
    own = named and idiom not in ("LOCK", "UNLOCK", "PHOTOGRAPH")
    return [Phrase(phrase.head, phrase.head, OBJECT, True)] if own or idiom == "ANSWER_PHONE" else []


@cache
def _compound(lemma: str) -> str | None:
    """The verb that 投げ渡す or 食べ始める is, by its parts."""
    language = pack(LANGUAGE)
    for second, verb in language.idioms.items():
        if second.startswith("〜") and lemma.endswith(second[1:]) and lemma[: 1 - len(second)] in _stems():
            return verb
    for second in language.grammar["following"]:
        if lemma.endswith(second) and lemma[: -len(second)] in _stems():
            return _stems()[lemma[: -len(second)]]
    return None


@cache
def _stems() -> dict[str, str]:
    """What is done, by the joining form of its verb."""
    return {stem: pack(LANGUAGE).surfaces[form] for stem, form in joining_forms().items()}


def _sense(verb: Verb, clause: Clause, objects: list[Phrase], goals: list[Phrase], reading: Reading) -> Verb:
    """Which of its senses a verb has here: 茶を入れる brews, 箱に入れる puts; パンにつける spreads."""
    language, grammar = reading.language, reading.language.grammar
    places = [one for one in goals if _concrete(one, language.verbs["PUT"], reading)]
    if clause.lemma in grammar["brewing"] and verb.id == "PUT" and objects and not goals:
        return language.verbs["BREW"]
    if clause.lemma in grammar["applying"] and verb.id in ("TURN_ON", "PUT") and places:
        return language.verbs["SPREAD"]
    if clause.lemma in grammar["entering"] and any(reading.names(one.text, "location") for one in goals):
        return language.verbs["MOVE"]
    if verb.id == "THROW" and any(one.on_top or _holds(one, reading) for one in places):
        return language.verbs["PUT"]
    if verb.intent == IntentKind.GET and objects and all(_is_part(one, reading) for one in objects):
        return language.verbs["TOUCH"]
    off = verb.id == "DRAW" or (clause.lemma in grammar["lifting_off"] and not goals)
    if off and _source(language.verbs["GET"], clause.phrases, reading):
        return language.verbs["GET"]
    grips = {clause.lemma, clause.spelled} & grammar["gripping"]
    if grips and objects and all(_is_fixed(one, reading) for one in objects):
        return language.verbs["TOUCH"]
    climbs = verb.intent == IntentKind.MOVE and clause.lemma in grammar["climbing"] and not goals
    if climbs and any(reading.names(one.text, "prop") for one in objects):
        return language.verbs["CLIMB"]
    return verb


def _is_part(phrase: Phrase, reading: Reading) -> bool:
    """裾 in ドレスの裾: taking hold of it does not take the dress."""
    whole, joint, part = phrase.text.rpartition("の")
    return bool(joint) and part in reading.language.grammar["parts"] and reading.names(whole, "prop")


def _is_fixed(phrase: Phrase, reading: Reading) -> bool:
    """舵輪 in 舵輪を握る: one takes hold of it, but takes nothing."""
    world = reading.world
    named = [name for _, (kind, name) in world.index.names.find(phrase.text) if kind == "prop" and name in world.props]
    return bool(named) and all(world.props[name].fixed or is_door(world, name) for name in named)


# --- from a clause to acts -----------------------------------------------------------------------------------------


def _acts(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """The acts one clause describes."""
    verb, phrases = _verb(clause, reading)
    if verb is None or (clause.lasting and verb.id != "HOLD" and verb.manner != "sight"):
        return
    phrases = [_about(one, reading) for one in phrases]
    objects, goals = _objects(phrases, reading), [one for one in phrases if one.particle in TO]
    verb = _sense(verb, clause, objects, goals, reading)
    if verb.id == "ADJUST" and not objects and (locked := reading.keyed()):
        verb, objects = reading.language.verbs["UNLOCK"], [Phrase(locked, locked, OBJECT, known=True)]
    if all(one.text in reading.language.grammar["places"] for one in goals):
        goals = _opened_for(verb, clause, reading) or goals
    if clause.lemma in reading.language.grammar["keying"] and (lock := _lock(goals, reading)):
        yield from _keyed(lock, objects, reading)
    elif verb.intent == IntentKind.MOVE:
        yield from _moves(verb, clause, objects, goals, reading)
    elif verb.manner == "hand":
        yield from _handlings(verb, phrases, objects, goals, reading)
    else:
        yield from _glances(verb, phrases, objects, goals, reading)


def _lock(goals: list[Phrase], reading: Reading) -> Phrase | None:
    """The lock a key is put into: 鍵穴, 宝箱の錠."""
    locks = reading.language.grammar["locks"]
    return next((one for one in goals if one.text.rpartition("の")[2] in locks), None)


def _keyed(lock: Phrase, keys: list[Phrase], reading: Reading) -> Iterator[ActionIntent]:
    """A key put into a lock stays in the hand; what is done next is done to whatever the lock is on."""
    whole = lock.text.rpartition("の")[0]
    if whole and reading.names(whole, "prop"):
        key = keys[0].text if keys else reading.by_hand.target if reading.by_hand else None
        yield ActionIntent(intent=IntentKind.USE, target=whole, detail="TOUCH", verb="TOUCH", instrument=key)


def _opened_for(verb: Verb, clause: Clause, reading: Reading) -> list[Phrase]:
    """Where things are put away that are put away nowhere else: into what was just opened."""
    if verb.id != "PUT" or clause.lemma not in reading.language.grammar["storing"]:
        return []
    into = Phrase(reading.opened or "", reading.opened or "", "に", known=True)
    return [into] if _holds(into, reading) else []


def _holds(phrase: Phrase, reading: Reading) -> bool:
    """Whether things can be in what a phrase names."""
    props, named = reading.world.props, reading.world.index.names.find(phrase.text)
    return any(name in props and props[name].container for _, (_, name) in named)


def _objects(phrases: Sequence[Phrase], reading: Reading) -> list[Phrase]:
    """What a verb is done to: を, or where there is none は, も, でも, or a bare name right before it."""
    if plain := [one for one in phrases if one.particle == OBJECT]:
        return plain
    loose = [one for one in phrases if one.particle in LIKE_OBJECT and not reading.names(one.text, "character")]
    bare = [one for one in phrases[-1:] if one.particle == "" and reading.names(one.text, "prop")]
    return loose or bare


def _moves(
    verb: Verb, clause: Clause, objects: list[Phrase], goals: list[Phrase], reading: Reading
) -> Iterator[ActionIntent]:
    """Where to: the last goal that is a place; leaving a room by itself says nothing about where to."""
    grammar = reading.language.grammar
    goals = [*goals, *objects] if clause.lemma in grammar["aiming"] else goals
    places = [one for one in goals if _is_destination(one, reading)]
    if places:
        yield ActionIntent(intent=IntentKind.MOVE, target=places[-1].text, detail=verb.id, verb=verb.id)
        return
    left = [one.text for one in objects if reading.names(one.text, "location") or one.text in grammar["rooms"]]
    if left and not goals and clause.lemma not in grammar["roaming"]:
        yield ActionIntent(intent=IntentKind.MOVE, target=left[0], detail="LEAVE", verb="LEAVE")


def _is_destination(phrase: Phrase, reading: Reading) -> bool:
    """Whether one can go there: not 奥, not 一歩, not 買い物, not 取り."""
    grammar = reading.language.grammar
    if phrase.known or reading.names(phrase.text, "location", "prop", "character"):
        return True
    if phrase.text in grammar["nowhere"] or phrase.text in grammar["places"] or phrase.head in grammar["abstract"]:
        return False
    if word_in("ambient", phrase.text):
        return word_in("outside", phrase.text)
    return phrase.use not in LOOSE and phrase.head not in _stems()


def _handlings(
    verb: Verb, phrases: list[Phrase], objects: list[Phrase], goals: list[Phrase], reading: Reading
) -> Iterator[ActionIntent]:
    """Taking, putting, using, eating: what is handled, with what, out of what, and where it goes."""
    things = [one for one in objects if _concrete(one, verb, reading) and not _done_to_people(one, verb, reading)]
    instrument = _instrument(verb, phrases, reading)
    if not things and verb.id in ONTO and (not objects or verb.id in FORTH):
        things = [one for one in goals if _concrete(one, reading.language.verbs["PUT"], reading)][:1]
    if not things and instrument is not None:
        things, instrument = [instrument], None
        verb = verb if verb.intent == IntentKind.USE else reading.language.verbs["USE"]
    source = _source(verb, phrases, reading)
    if verb.id in CONTENTS and source and not any(reading.names(one.text, "prop") for one in things):
        things = [Phrase(source, source, OBJECT, known=True)]
    targets: Sequence[str | None] = [one.text for one in things if verb.id != "HOLD" or not _held(one, reading)]
    if not things and not objects:
        meant = [one.text for one in reading.meant if _concrete(one, verb, reading)]
        targets = meant if meant and verb.intent == IntentKind.GET else _unspoken(verb, phrases, reading)
    goal = next((place for one in goals if (place := _received(one, verb, things, reading))), None)
    for target in targets:
        yield ActionIntent(
            intent=IntentKind(verb.intent),
            target=target,
            detail=verb.id,
            verb=verb.id,
            destination=goal.text if goal else None,
            instrument=instrument.text if instrument else None,
            source=source if verb.intent in (IntentKind.GET, IntentKind.PUT) else None,
            on_top=goal is not None and goal.on_top and verb.intent == IntentKind.PUT,
        )


def _done_to_people(phrase: Phrase, verb: Verb, reading: Reading) -> bool:
    """朔を拭く, 朔を包む: what hands do to a person is a gesture."""
    return verb.intent == IntentKind.USE and reading.names(phrase.text, "character")


def _held(phrase: Phrase, reading: Reading) -> bool:
    """Whether it is in the hand already: holding it is no act."""
    world = reading.world
    named = world.index.names.find(phrase.text)
    return any(kind == "prop" and holder(world, name) == reading.who for _, (kind, name) in named)


def _unspoken(verb: Verb, phrases: list[Phrase], reading: Reading) -> Sequence[str | None]:
    """A verb without an object: something vague, what was just handled, or the one thing in the hand."""
    if vague := [one.text for one in phrases if word_in("vague", one.text) or word_in("pronouns", one.text)]:
        return vague[:1]
    if verb.id in COMPLETE:
        return []
    if verb.id == "CLOSE" and (opened := reading.opened):
        return [opened]
    handled = reading.handled(verb)
    if verb.id in SWITCHED and reading.named and (reading.by_hand is None or _is_switched(reading, handled)):
        return [reading.named]
    if handled:
        eaten = reading.acts[-1].intent == verb.intent == IntentKind.EAT_DRINK
        return [] if eaten else [handled]
    figure = reading.world.characters.get(reading.who)
    alone = figure is not None and len(figure.holding) == 1
    return [None] if alone and verb.intent == IntentKind.EAT_DRINK else []


def _is_switched(reading: Reading, handled: str | None) -> bool:
    """パンをトースターに入れてスイッチを押す: what was named last has the switch, what was handled has none."""
    return _stands(reading.named, reading) and not _stands(handled, reading)


def _stands(text: str | None, reading: Reading) -> bool:
    """Whether a text names something that is operated where it stands."""
    world = reading.world
    named = [name for _, (kind, name) in world.index.names.find(text or "") if kind == "prop" and name in world.props]
    return any(in_place(world, name, world.props[name]) for name in named)


def _glances(
    verb: Verb, phrases: list[Phrase], objects: list[Phrase], goals: list[Phrase], reading: Reading
) -> Iterator[ActionIntent]:
    """Looking, touching, sitting: what it is done to; a part of the body or the air is a gesture."""
    things = [one for one in [*objects, *goals] if _concrete(one, verb, reading)][:1]
    vague = [one for one in [*objects, *goals] if word_in("vague", one.text)] if verb.manner == "touch" else []
    instrument = _instrument(verb, phrases, reading)
    for phrase in things or vague[:1]:
        yield ActionIntent(
            intent=IntentKind(verb.intent),
            target=phrase.text,
            detail=verb.id,
            verb=verb.id,
            instrument=instrument.text if instrument else None,
        )
    if instrument is not None and not things and not vague:
        yield ActionIntent(intent=IntentKind.USE, target=instrument.text, detail="USE", verb="USE")
    elif verb.id == "STAND" and not things and not vague and _is_down(reading):
        yield ActionIntent(intent=IntentKind.USE, detail=verb.id, verb=verb.id)


def _is_down(reading: Reading) -> bool:
    """Whether there is something to get up from; whoever stands only straightens up."""
    figure = reading.world.characters.get(reading.who)
    return figure is not None and figure.posture is not None


def _reached(clause: Clause, reading: Reading) -> str | None:
    """What a hand is stretched out for."""
    if clause.lemma not in reading.language.grammar["reaching"] or not clause.goes_on:
        return None
    goals = [_about(one, reading) for one in clause.with_particle(*TO)]
    return next((one.text for one in goals if reading.names(one.text, "prop")), None)


def _out_of_touch(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """平蔵の袖を掴む: a hand on somebody is a gesture, but they must be here."""
    verb, phrases = _verb(clause, reading)
    if verb is None or (verb.manner != "touch" and verb.intent != IntentKind.GET):
        return []
    for phrase in phrases:
        whole, joint, part = phrase.text.rpartition("の")
        touched = phrase.particle in (OBJECT, "に") and joint and word_in("ambient", part)
        if touched and any(_is_away(name, reading) for _, (_, name) in reading.world.index.names.find(whole)):
            return [ActionIntent(intent=IntentKind.USE, target=whole, detail="TOUCH", verb="TOUCH")]
    return []


def _is_away(name: str, reading: Reading) -> bool:
    people = reading.world.characters
    return name in people and reading.who in people and people[name].location != people[reading.who].location


def _absent(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """Whatever is done with it, a common thing must be there; one may only think or speak of it, or look for it."""
    verb, phrases = _verb(clause, reading)
    if {clause.lemma, clause.spelled} & reading.language.grammar["tolerant"] or phrases == []:
        return []
    bodily = verb is not None and verb.manner in ("hand", "touch")
    for phrase in clause.with_particle(OBJECT, "に", "で", "から"):
        name = _common(phrase.text, reading) or (_owner_of(phrase, reading) if bodily else None)
        if name and not reading.names(name, "prop", "character", "location"):
            return [ActionIntent(intent=IntentKind.USE, target=name, detail="INSPECT", verb="INSPECT")]
    return []


def _owner_of(phrase: Phrase, reading: Reading) -> str | None:
    """The common thing whose part a hand is on: the 扇風機 of 扇風機の羽根."""
    grammar, (whole, _, part) = reading.language.grammar, phrase.text.rpartition("の")
    loose = part in grammar["abstract"] or part in grammar["sensed"] or word_in("ambient", part)
    return whole if whole in grammar["things"] and not loose and phrase.particle in (OBJECT, "に") else None


def _common(text: str, reading: Reading) -> str | None:
    """The common thing or animal a phrase is about: the 鏡 of 鏡の前, the 犬 of 犬の頭."""
    grammar = reading.language.grammar
    whole, joint, part = text.rpartition("の")
    if word_in("ambient", text):
        return None
    if text in grammar["things"] or text in grammar["animals"]:
        return text
    if joint and (part in grammar["places"] or part in grammar["parts"] or word_in("ambient", part)):
        return _common(whole, reading) if part not in grammar["sensed"] else None
    return None


# --- what a phrase is about ----------------------------------------------------------------------------------------


def _about(phrase: Phrase, reading: Reading) -> Phrase:
    """What a phrase is about: 机の上に is about 机, パンの横に about パン; 机の前で only says where."""
    whole, joint, place = phrase.text.rpartition("の")
    grammar = reading.language.grammar
    edge = phrase.particle == OBJECT and place in grammar["parts"]
    if not (joint and whole and place in grammar["places"]) or phrase.known or phrase.particle == "で" or edge:
        return phrase
    about = _about(Phrase(whole, whole.rpartition("の")[2], phrase.particle, known=False), reading)
    return about._replace(on_top=place in grammar["tops"])


def _concrete(phrase: Phrase, verb: Verb, reading: Reading) -> bool:
    """Whether an object is a thing (be it missing), and not a glance, a word, a while or a part of the body."""
    if reading.names(phrase.text, "prop", "character"):
        return True
    grammar, head = reading.language.grammar, phrase.head
    whole = phrase.text.rpartition("の")[0]
    if head in grammar["parts"] and whole and not reading.names(whole, "character"):
        return _concrete(Phrase(whole, whole.rpartition("の")[2], phrase.particle, known=False), verb, reading)
    if reading.names(phrase.text, "location") or _abstract(phrase, verb, reading):
        return False
    if verb.id in FORTH:
        return phrase.text in grammar["things"] or reading.names(head, "prop")
    if head in grammar["things"] or (whole and reading.names(whole, "prop")):
        return True
    if word_in("ambient", head) or word_in("ambient", phrase.text) or verb.manner in ("sight", "voice"):
        return False
    vague = phrase.use in LOOSE or head in grammar["parts"] or head.endswith(tuple(grammar["abstract_endings"]))
    if verb.intent == IntentKind.EAT_DRINK:
        return phrase.use != "副詞可能"
    return verb.id not in LIGHTLY and not vague and not _is_person(phrase, reading.language)


def _abstract(phrase: Phrase, verb: Verb, reading: Reading) -> bool:
    grammar, head = reading.language.grammar, phrase.head
    if verb.intent == IntentKind.EAT_DRINK and head in grammar["meals"]:
        return False
    return not head or head in grammar["abstract"] or head in grammar["nowhere"] or head in grammar["places"]


def _instrument(verb: Verb, phrases: Sequence[Phrase], reading: Reading) -> Phrase | None:
    """The thing an act is done with: 布巾で, スパナで; not 台所で, 笑顔で or 椅子で."""
    grammar = reading.language.grammar
    for phrase in phrases:
        head = phrase.head
        if (
            phrase.particle != "で"
            or head in grammar["furniture"]
            or reading.names(phrase.text, "location", "character")
        ):
            continue
        if reading.names(phrase.text, "prop") or head in grammar["things"]:
            return phrase
        placed = head in grammar["places"] or head.endswith(tuple(grammar["place_endings"])) or "の" in phrase.text
        plain = phrase.use == "一般" and not placed and verb.manner == "hand" and not word_in("vague", head)
        if plain and _concrete(phrase, reading.language.verbs["GET"], reading):
            return phrase
    return None


def _source(verb: Verb, phrases: Sequence[Phrase], reading: Reading) -> str | None:
    """What something is taken out of: 財布から, 棚の上から."""
    if verb.intent not in (IntentKind.GET, IntentKind.PUT) and verb.id not in CONTENTS:
        return None
    out_of = [one for one in phrases if one.particle == "から" and not reading.names(one.text, "character", "location")]
    things = [one for one in out_of if _concrete(one, reading.language.verbs["GET"], reading)]
    return things[0].text if things else None


def _received(phrase: Phrase, verb: Verb, things: Sequence[Phrase], reading: Reading) -> Phrase | None:
    """Where a に-phrase says that something goes: into a hand is to whoever's hand it is."""
    palms = [palm for palm in reading.language.grammar["palms"] if phrase.text.endswith(f"の{palm}")]
    owner = phrase.text.removesuffix(f"の{max(palms, key=len)}") if palms else ""
    if verb.intent == IntentKind.PUT and reading.names(owner, "character"):
        return Phrase(owner, owner, phrase.particle, known=True)
    return phrase if _receives(phrase, verb, things, reading) else None


def _receives(phrase: Phrase, verb: Verb, things: Sequence[Phrase], reading: Reading) -> bool:
    """Whether a に-phrase says where something goes."""
    grammar = reading.language.grammar
    if phrase in things or phrase.text in grammar["nowhere"] or _abstract(phrase, verb, reading):
        return False
    if verb.intent == IntentKind.PUT:
        loose = phrase.use in LOOSE and not phrase.known
        return phrase.known or not (loose or (word_in("ambient", phrase.head) and not word_in("ambient", phrase.text)))
    return verb.id in INTO and _concrete(phrase, reading.language.verbs["PUT"], reading)
