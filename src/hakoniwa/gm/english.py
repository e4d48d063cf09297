"""Reading English stage directions: the same design as the Japanese reader, with the word order of English."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from hakoniwa.pack import Pack, Verb, pack, word_in
from hakoniwa.stage.names import Kind, folded
from hakoniwa.stage.world import WorldState, holder
from hakoniwa.turn import ActionIntent, IntentKind

LANGUAGE = "en"
MAX_NAME_WORDS = 6
MAX_BEFORE_VERB = 10
MAX_CLAUSE = 40
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
}  # fmt: skip
_ENDINGS = (("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ing", ("", "e")), ("ed", ("", "e")), ("ied", ("y",)))
# Verbs that say too little about their object for an unknown noun to count as a missing thing.
LIGHTLY = frozenset({"ADJUST", "TILT", "TOUCH", "HUG", "LEAN", "STAND", "POINT_AT"})
FORTH = frozenset({"WRITE", "SING", "PRAY", "PLAY", "PHOTOGRAPH", "DIG", "SEW"})
INTO = frozenset({"DISCARD", "HANG", "SPREAD", "POUR", "TIE", "FILL", "STIR", "BREAK"})
COMPLETE = FORTH | {"COOK", "MAKE", "BREW", "GET", "USE", "WEAR", "LOCK", "UNLOCK", "STOP", "TURN_OFF", "TURN_ON"}


@dataclass(frozen=True, slots=True)
class Place:
    """A noun phrase behind a preposition."""

    preposition: str
    text: str


@dataclass(slots=True)
class Clause:
    """A verb with its object and the phrases behind prepositions."""

    verb: Verb
    objects: list[str] = field(default_factory=list)
    receiver: str = ""
    places: list[Place] = field(default_factory=list)

    def behind(self, *prepositions: str) -> list[str]:
        return [one.text for one in self.places if one.preposition in prepositions]


@dataclass(slots=True)
class Reading:
    """One stage direction being read: its acts so far, and the clause that further objects would belong to."""

    world: WorldState
    who: str
    language: Pack
    acts: list[ActionIntent] = field(default_factory=list)
    open: Clause | None = None
    unreal: bool = False

    def names(self, text: str, *kinds: Kind) -> bool:
        return any(kind in kinds for _, (kind, _) in self.world.index.names.find(text))

    def handled(self) -> str | None:
        """The thing the latest act of the hands was done to."""
        for one in reversed(self.acts):
            if one.verb in self.language.verbs and self.language.verbs[one.verb].manner == "hand":
                return one.target
        return None


def acts_in(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The physical acts an English stage direction describes, in order."""
    reading = Reading(world, who, pack(LANGUAGE))
    for words in _stretches(_WORD.findall(direction.replace("’", "'")), reading.language):
        if not _read(words, reading):
            break
    return reading.acts


def _stretches(words: Sequence[str], language: Pack) -> Iterator[list[str]]:
    """What stands between commas, full stops and joining words."""
    stretch: list[str] = []
    for word in [*words, "."]:
        if word.casefold() in language.grammar["links"] or len(stretch) >= MAX_CLAUSE:
            if stretch:
                yield stretch
            stretch = [] if word.casefold() in language.grammar["links"] else [word]
        else:
            stretch.append(word)


@cache
def _lemmas(word: str) -> tuple[str, ...]:
    """What a word may be a form of, itself first."""
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
def _base(word: str) -> str | None:
    """The verb a word is a form of."""
    return next((one for one in _lemmas(word) if one in _starts()), None)


def _is_any(word: str, listed: frozenset[str]) -> bool:
    return any(one in listed for one in _lemmas(word))


# --- one stretch ---------------------------------------------------------------------------------------------------


def _read(words: list[str], reading: Reading) -> bool:
    """Read one stretch; False when somebody new walks on, which ends the matter."""
    grammar = reading.language.grammar
    place = _verb_place(words, reading)
    if place is None:
        _further_objects(words, reading)
        return True
    subject, base = words[:place], _base(words[place]) or ""
    arrives = _is_any(words[place], grammar["arrivals"])
    if arrives and (stranger := _stranger(subject, reading)):
        reading.acts.append(ActionIntent(intent=IntentKind.MOVE, target=stranger, detail="ARRIVE", verb="ARRIVE"))
        return False
    goes_on = reading.unreal and words[place].casefold() == base
    reading.unreal = goes_on or any(_is_any(one, grammar["unreal"]) for one in words[: place + 1])
    reading.open = None
    if reading.unreal or not _is_own(subject, reading):
        return True
    clause = _clause(_without_description(words[place:], reading), reading)
    if clause is not None:
        reading.open = clause
        reading.acts += _acts(clause, reading)
    return True


def _verb_place(words: Sequence[str], reading: Reading) -> int | None:
    """Where the verb stands: the first known one that is not a noun; one that only begins another is passed over."""
    grammar, first = reading.language.grammar, None
    for place, word in enumerate(words[:MAX_BEFORE_VERB]):
        before = words[place - 1].casefold() if place else ""
        if before in grammar["determiners"] or reading.names(word, "prop", "character"):
            continue
        if _is_any(word, grammar["unreal"]):
            return place
        if _is_any(word, grammar["beginning"]) and _begins(words, place, reading):
            first = None
            continue
        if _base(word) is not None or _is_any(word, grammar["arrivals"]):
            first = place
            break
    return first


def _begins(words: Sequence[str], place: int, reading: Reading) -> bool:
    """start to pour, begin pouring: another verb follows."""
    after = [one for one in words[place + 1 : place + 3] if one.casefold() not in ("to", "on")]
    return (
        bool(after)
        and _base(after[0]) is not None
        and after[0].casefold() not in reading.language.grammar["determiners"]
    )


def _stranger(subject: Sequence[str], reading: Reading) -> str | None:
    people = [word for word in subject if word.casefold() in reading.language.grammar["persons"]]
    known = any(reading.names(word, "character", "prop") for word in subject)
    return people[0] if people and not known else None


def _is_own(subject: Sequence[str], reading: Reading) -> bool:
    """Whether the speaker does it: nobody is named, or a pronoun, or the speaker."""
    grammar = reading.language.grammar
    plain = [word for word in subject if not word.casefold().endswith("ly")]
    if not plain or reading.names(" ".join(plain), "character"):
        return not plain or reading.who in _people(" ".join(plain), reading)
    first = plain[0].casefold()
    if first in grammar["pronouns"] and len(plain) == 1:
        return True
    adverbial = first in grammar["with"] or first in grammar["aside"] or first in grammar["to"]
    names_one = any(_people(word, reading) for word in plain)
    return adverbial or (not names_one and first not in grammar["determiners"])


def _people(text: str, reading: Reading) -> list[str]:
    return [name for _, (kind, name) in reading.world.index.names.find(text) if kind == "character"]


def _without_description(words: list[str], reading: Reading) -> list[str]:
    """Up to a clause that describes, or a purpose: the cup which …, to see better."""
    grammar = reading.language.grammar
    for place in range(1, len(words)):
        word, before = words[place].casefold(), words[place - 1].casefold()
        relative = word in grammar["describing"] and (word != "that" or (place > 1 and before not in grammar["to"]))
        purpose = word == "to" and place + 1 < len(words) and _is_plain_verb(words[place + 1], reading)
        if relative or purpose:
            return words[:place]
    return words


def _is_plain_verb(word: str, reading: Reading) -> bool:
    return word.casefold() == _base(word) and not reading.names(word, "prop", "character", "location")


def _further_objects(words: Sequence[str], reading: Reading) -> None:
    """`and the plate` behind `takes the cup`: the same act on one more thing."""
    grammar = reading.language.grammar
    if reading.open is None or not reading.acts or words[0].casefold() not in grammar["determiners"]:
        return
    objects, _ = _phrases(words, reading)
    things = [one for one in objects[:1] if _concrete(one, reading.open.verb, reading)]
    if things and reading.acts[-1].verb == reading.open.verb.id:
        reading.acts.append(reading.acts[-1].model_copy(update={"target": things[0]}))


# --- verb and phrases ----------------------------------------------------------------------------------------------


def _clause(words: Sequence[str], reading: Reading) -> Clause | None:
    """The verb at the head of these words, its object and its places; None for a figure of speech."""
    idiom, rest = _idiom(words, reading)
    if idiom == IntentKind.EMOTE:
        return None
    name = idiom or reading.language.surfaces.get(_base(words[0]) or "")
    if name is None:
        return None
    objects, places = _phrases(rest, reading)
    clause = Clause(reading.language.verbs[name], objects, places=places)
    if light := _light(words[0], objects, reading):
        clause = Clause(light, [], places=places)
    if clause.verb.id == "GIVE" and len(objects) > 1:
        clause.receiver, clause.objects = objects[0], objects[1:]
    return clause


def _idiom(words: Sequence[str], reading: Reading) -> tuple[str | None, Sequence[str]]:
    """A verb with the words that make another of it, also apart: puts the cup down."""
    idioms, particles = reading.language.idioms, reading.language.grammar["particles"]
    base = _base(words[0]) or ""
    for length in (2, 1):
        close = " ".join([base, *(word.casefold() for word in words[1 : 1 + length])])
        if len(words) > length and close in idioms and not _is_place(words, length, reading):
            return idioms[close], words[1 + length :]
    for place in range(2, len(words)):
        word = words[place].casefold()
        ends = place + 1 == len(words) or _is_preposition(words[place + 1], reading)
        if word in particles and ends and (found := idioms.get(f"{base} {word}")) and found != IntentKind.EMOTE:
            return found, [*words[1:place], *words[place + 1 :]]
    return None, words[1:]


def _is_place(words: Sequence[str], length: int, reading: Reading) -> bool:
    """puts on the table: the table is a place, not something to wear."""
    wears = " ".join(word.casefold() for word in words[1 : 1 + length]) == "on" and (_base(words[0]) in ("put", "set"))
    things = _phrases(words[1 + length :], reading)[0]
    return wears and any(reading.names(one, "prop") for one in things[:1]) and reading.handled() is not None


def _is_preposition(word: str, reading: Reading) -> bool:
    grammar = reading.language.grammar
    return any(word.casefold() in grammar[name] for name in ("to", "towards", "from", "with", "aside"))


def _light(word: str, objects: Sequence[str], reading: Reading) -> Verb | None:
    """takes a big bite: the noun says what is done."""
    if not objects:
        return None
    found = reading.language.idioms.get(f"{_base(word)} a {objects[-1].split()[-1].casefold()}")
    return reading.language.verbs[found] if found else None


def _phrases(words: Sequence[str], reading: Reading) -> tuple[list[str], list[Place]]:
    """The object (two where one is for somebody), and the phrases behind prepositions."""
    objects: list[str] = []
    places: list[Place] = []
    preposition, noun, at = "", list[str](), 0

    def close() -> None:
        if noun and preposition:
            places.append(Place(preposition, " ".join(noun)))
        elif noun:
            objects.append(" ".join(noun))
        noun.clear()

    while at < len(words):
        word = words[at].casefold()
        length = _name_length(words, at, reading)
        if noun and reading.names(" ".join(noun), "character"):
            close()
        if length:
            noun += words[at : at + length]
        elif _is_preposition(word, reading):
            close()
            preposition = f"{preposition} of" if word == "of" and preposition == "out" else word
        elif noun and (
            word in reading.language.grammar["determiners"] or word in reading.language.grammar["particles"]
        ):
            close()
        elif not (word in reading.language.grammar["determiners"] or _is_adverb(word, reading)):
            noun.append(words[at])
        at += length or 1
    close()
    return objects, places


def _is_adverb(word: str, reading: Reading) -> bool:
    return word.endswith("ly") or word in reading.language.grammar["adverbs"]


def _name_length(words: Sequence[str], at: int, reading: Reading) -> int:
    derived = reading.world.index.names.derived
    if words[at].casefold() in reading.language.grammar["determiners"]:
        return 0
    best = 0
    for length in range(1, min(MAX_NAME_WORDS, len(words) - at) + 1):
        if folded(" ".join(words[at : at + length])) in derived:
            best = length
    return best


# --- from a clause to acts -----------------------------------------------------------------------------------------


def _acts(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """The acts one clause describes."""
    if clause.verb.intent == IntentKind.MOVE:
        yield from _moves(clause, reading)
    elif clause.verb.manner == "hand":
        yield from _handlings(clause, reading)
    else:
        yield from _glances(clause, reading)


def _moves(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Where to; towards a thing is a gesture, and a room left leads nowhere yet."""
    language = reading.language
    goals = [one for one in clause.behind(*language.grammar["to"]) if _is_destination(one, reading)]
    goals += [one for one in clause.behind("toward", "towards", "for") if not reading.names(one, "prop", "character")]
    goals += [one for one in clause.behind("through", "out") if reading.names(one, "prop")]
    away = clause.behind("out of", "off", "from")
    places = [one for one in [*goals, *clause.objects] if _is_destination(one, reading)]
    if goals or (places and clause.objects and reading.names(places[0], "location")):
        yield (
            ActionIntent(intent=IntentKind.MOVE, target=places[0], detail="MOVE", verb="MOVE")
            if places
            else _leave(goals)
        )
    elif left := [one for one in [*clause.objects, *away] if reading.names(one, "location") or one in reading.language.grammar["rooms"]]:
        yield _leave(left)
    elif gone := [one for one in away if _is_destination(one, reading) and not reading.names(one, "prop")]:
        yield ActionIntent(intent=IntentKind.MOVE, target=gone[0], detail="MOVE", verb="MOVE")


def _leave(rooms: Sequence[str]) -> ActionIntent:
    return ActionIntent(intent=IntentKind.MOVE, target=rooms[0], detail="LEAVE", verb="LEAVE")


def _is_destination(text: str, reading: Reading) -> bool:
    if reading.names(text, "location", "prop", "character"):
        return True
    if word_in("ambient", text) or word_in("ambient", text.split()[-1]):
        return word_in("outside", text.split()[-1])
    return not _abstract(text, reading)


def _handlings(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Taking, putting, using, eating: what is handled, with what, out of what, and where it goes."""
    verb, objects, into = (
        clause.verb,
        list(clause.objects),
        clause.behind("into", "onto", "in", "inside", "on", "upon", "to", "over"),
    )
    if not objects and verb.intent in (IntentKind.USE, IntentKind.EAT_DRINK):
        objects, into = [*clause.behind("of", "from", "on", "in", "at", "with"), *into][:1], []
    things = [_meant(one, reading) for one in objects if _concrete(one, verb, reading)]
    tool = next((one for one in clause.behind("with", "using") if _is_tool(one, reading)), None)
    if not things and tool is not None:
        things, tool, verb = [tool], None, verb if verb.intent == IntentKind.USE else reading.language.verbs["USE"]
    if objects and not things:
        return
    verb = _sense(verb, things, into, reading)
    targets: Sequence[str | None] = things or _unspoken(verb, reading)
    goal = clause.receiver or next((one for one in into if _receives(one, verb, reading)), "")
    for target in targets:
        yield ActionIntent(
            intent=IntentKind(verb.intent),
            target=target,
            detail=verb.id,
            verb=verb.id,
            destination=goal or None,
            instrument=tool,
            source=_source(clause, reading),
        )


def _sense(verb: Verb, things: Sequence[str], into: Sequence[str], reading: Reading) -> Verb:
    """Lifting what is in the hand onto something puts it there."""
    if verb.intent != IntentKind.GET:
        return verb
    goal = any(reading.names(one, "prop") for one in into)
    if goal and any(_held(one, reading) for one in things):
        return reading.language.verbs["PUT"]
    return verb


def _held(text: str, reading: Reading) -> bool:
    world = reading.world
    return any(
        kind == "prop" and holder(world, name) == reading.who for _, (kind, name) in world.index.names.find(text)
    )


def _meant(text: str, reading: Reading) -> str:
    """`it`, or a part of what was just handled."""
    part = text.split()[-1].casefold() in reading.language.grammar["parts"] and "'s" not in text
    handled = reading.handled()
    return handled if handled and (part or word_in("pronouns", text)) and not reading.names(text, "prop") else text


def _unspoken(verb: Verb, reading: Reading) -> Sequence[str | None]:
    """A verb without an object: what was just handled."""
    handled = reading.handled()
    if verb.id in COMPLETE or handled is None:
        return []
    eaten = reading.acts[-1].intent == verb.intent == IntentKind.EAT_DRINK
    return [] if eaten else [handled]


def _glances(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Looking, touching, sitting: what it is done to; a part of the body or the air is a gesture."""
    verb = clause.verb
    where = [
        *clause.objects,
        *clause.behind("at", "on", "in", "into", "onto", "to", "through", "against", "upon", "over"),
    ]
    things = [one for one in where if _concrete(one, verb, reading)]
    vague = [one for one in where if word_in("vague", one)] if verb.manner == "touch" else []
    tool = next((one for one in clause.behind("with", "using") if _is_tool(one, reading)), None)
    for target in (things or vague)[:1]:
        yield ActionIntent(
            intent=IntentKind(verb.intent),
            target=_meant(target, reading),
            detail=verb.id,
            verb=verb.id,
            instrument=tool,
        )


# --- what a phrase is about ----------------------------------------------------------------------------------------


def _abstract(text: str, reading: Reading) -> bool:
    return text.split()[-1].casefold() in reading.language.grammar["abstract"]


def _concrete(text: str, verb: Verb, reading: Reading) -> bool:
    """Whether an object is a thing (be it missing), and not a breath, a look or a part of the body."""
    grammar, head = reading.language.grammar, text.split()[-1].casefold()
    if reading.names(text, "prop", "character") or word_in("pronouns", text) or word_in("vague", text):
        return verb.manner == "hand" or not word_in("vague", text)
    whole, owned, _ = text.partition("'s ")
    if owned and reading.names(whole, "prop"):
        return True
    if head in grammar["parts"] and not owned:
        return reading.handled() is not None
    if reading.names(text, "location") or word_in("ambient", head) or _abstract(text, reading):
        return False
    if verb.id in FORTH or verb.manner != "hand" or verb.id in LIGHTLY:
        return head in grammar["things"]
    return True


def _is_tool(text: str, reading: Reading) -> bool:
    """The thing an act is done with; not with care, with a smile, with both hands."""
    if reading.names(text, "prop"):
        return True
    return text.split()[-1].casefold() in reading.language.grammar["things"] and not reading.names(text, "character")


def _source(clause: Clause, reading: Reading) -> str | None:
    """What something is taken out of."""
    things = [one for one in clause.behind("from", "out of", "off") if not reading.names(one, "character", "location")]
    known = [
        one
        for one in things
        if reading.names(one, "prop") or one.split()[-1].casefold() in reading.language.grammar["things"]
    ]
    return known[0] if known and clause.verb.intent in (IntentKind.GET, IntentKind.PUT) else None


def _receives(text: str, verb: Verb, reading: Reading) -> bool:
    """Whether a phrase says where something goes."""
    if _abstract(text, reading) and not reading.names(text, "prop", "character"):
        return False
    if verb.intent == IntentKind.PUT:
        return True
    return verb.id in INTO and _concrete(text, reading.language.verbs["PUT"], reading)
