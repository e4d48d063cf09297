"""Reading English stage directions: the same design as the Japanese reader, with the word order of English."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from hakoniwa.gm.phrases import (
    LANGUAGE,
    Clause,
    base,
    clause_of,
    is_any,
    phrases,
    stretches,
)
from hakoniwa.pack import LanguagePack, Verb, pack, word_in
from hakoniwa.stage.names import Kind
from hakoniwa.stage.world import Prop, WorldState, holder
from hakoniwa.turn import ActionIntent, IntentKind

MAX_BEFORE_VERB = 10
# Where something goes, and what a look or a touch is for.
INTO = ("into", "onto", "in", "inside", "on", "upon", "to", "over")
AT = ("at", "on", "in", "into", "onto", "to", "through", "against", "upon", "over", "of")
WITH = ("with", "using")
OUT_OF = ("from", "out of", "off")
# Verbs that say too little about their object for an unknown noun to count as a missing thing.
LIGHTLY = frozenset({"ADJUST", "TILT", "TOUCH", "HUG", "LEAN", "STAND", "POINT_AT", "SHIFT", "SHAKE"})
# Verbs that bring forth what they name, verbs whose object goes somewhere, verbs that need no object.
FORTH = frozenset({"WRITE", "SING", "PRAY", "PLAY", "PHOTOGRAPH", "DIG", "SEW"})
PLACED = frozenset({"DISCARD", "HANG", "SPREAD", "POUR", "TIE", "FILL", "STIR", "BREAK"})
# Verbs that move a thing somewhere, or whoever does it.
MOVING = frozenset({"PUT", "CLIMB", "SHIFT"})
SENDING = frozenset({"MOVE", "PUSH", "SHIFT", "THROW", "WIELD"})
# What is done to a lid opens what it covers; any other part is only touched.
LIFTING = frozenset({"GET", "HOLD", "REMOVE", "TILT"})
# What the body does in order to do something else.
STOOPING = frozenset({"SIT", "STAND", "LEAN"})
# Whatever is drawn out of something is taken; a chair is only drawn.
DRAWING = frozenset({"pull", "draw", "drag", "tug", "yank", "haul"})
COMPLETE = FORTH | {"COOK", "MAKE", "BREW", "GET", "USE", "WEAR", "LOCK", "UNLOCK", "TURN_OFF", "TURN_ON", "COOL"}


@dataclass(slots=True)
class Reading:
    """One stage direction being read: its acts so far, and the clause that further objects would belong to."""

    world: WorldState
    who: str
    language: LanguagePack
    acts: list[ActionIntent] = field(default_factory=list)
    open: Clause | None = None
    unreal: bool = False
    # What was last spoken of is no thing: `it` is her mouth.
    gesture: bool = False
    # The thing the latest act of the hands was done to.
    handled: str | None = None
    # What was last opened.
    opened: str | None = None
    # The thing that was last named at all: crosses to the door and flings it open.
    noticed: str | None = None

    def names(self, text: str, *kinds: Kind) -> bool:
        """Whether a text names a thing, a person or a place of this world."""
        found = self.world.index.names.find(text)
        if "prop" in kinds and "'s " in text:
            found += [one for one in self.world.index.names.find(text.rpartition("'s ")[2]) if one[1][0] == "prop"]
        return any(kind in kinds for _, (kind, _) in found)

    def lists(self, name: str, text: str) -> bool:
        """Whether the last word of a text is in one of the language's lists."""
        return text.split()[-1].casefold() in self.language.grammar[name]

    def add(self, acts: Iterable[ActionIntent]) -> None:
        """Note acts, and what the hands are on after them."""
        for one in acts:
            self.acts.append(one)
            self.opened = one.target if one.verb == "OPEN" else self.opened
            if one.verb in self.language.verbs and self.language.verbs[one.verb].manner == "hand":
                self.handled = one.target


def acts_in(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The physical acts an English stage direction describes, in order."""
    reading = Reading(world, who, pack(LANGUAGE))
    for words in stretches(direction):
        if stranger := _read(words, reading):
            arrival = ActionIntent(intent=IntentKind.MOVE, target=stranger, detail="ARRIVE", verb="ARRIVE")
            return [*reading.acts, arrival]
    return reading.acts


# --- one stretch ---------------------------------------------------------------------------------------------------


def _read(words: list[str], reading: Reading) -> str | None:
    """Read one stretch; somebody new who walks on is returned."""
    place = _verb_place(words, reading)
    if place is None:
        _without_verb(words, reading)
        _notice(words, reading)
        return None
    subject, verb, grammar = words[:place], words[place], reading.language.grammar
    if is_any(verb, grammar["arrivals"]) and (stranger := _stranger(subject, reading)):
        return stranger
    goes_on = reading.unreal and verb.casefold() == base(verb)
    reading.unreal = (
        goes_on
        or any(is_any(one, grammar["unreal"]) for one in words[: place + 1])
        or _only_named(words, place, reading)
        or (words[place - 1 : place] == ["to"] and "too" in words[:place])
    )
    reading.open = None
    if not reading.unreal and _is_own(subject, reading):
        told = _without_description(words[place:], reading)
        _act(told, reading)
        purpose = words[place + len(told) :]
        if purpose[:1] == ["to"] and _leads_on(told, reading):
            _act(purpose[1:], reading)
    _notice(words, reading)
    return None


def _leads_on(words: list[str], reading: Reading) -> bool:
    """Whether what is done for a purpose reaches it: uses the key to open the door, crouches to pick it up."""
    clause = clause_of(words, reading.world.index.names)
    if clause is None:
        return False
    return (
        clause.verb.intent == IntentKind.MOVE
        or clause.verb.id in STOOPING
        or (clause.head == "use" and bool(reading.open))
    )


def _only_named(words: Sequence[str], place: int, reading: Reading) -> bool:
    """refrains from grabbing, wonders who opened it: what is spoken of and not done."""
    grammar = reading.language.grammar
    before = words[place - 1].casefold() if place else ""
    asked = any(one.casefold() in grammar["describing"] and one.casefold() != "that" for one in words[1:place])
    return asked or (words[place].casefold().endswith("ing") and before in grammar["naming"])


def _notice(words: Sequence[str], reading: Reading) -> None:
    """Keep in mind the thing that was named last: `it` may be that."""
    objects, places = phrases(words, reading.world.index.names)
    named = [one for one in [*objects, *(place.text for place in places)] if reading.names(one, "prop")]
    reading.noticed = named[-1] if named else reading.noticed


def _act(words: list[str], reading: Reading) -> None:
    """Read what the speaker does."""
    clause = clause_of(words, reading.world.index.names)
    if clause is None:
        return
    found = list(_acts(clause, reading))
    reading.gesture = not found and bool(clause.objects)
    reading.open = clause if found else None
    reading.add(found or _absent(words, reading))


def _verb_place(words: Sequence[str], reading: Reading) -> int | None:
    """Where the verb stands: the first known one that is not a noun; one that only begins another is passed over."""
    grammar = reading.language.grammar
    for place, word in enumerate(words[:MAX_BEFORE_VERB]):
        before = words[place - 1].casefold() if place else ""
        if before in grammar["determiners"] or reading.names(word, "prop", "character"):
            continue
        if word_in("ambient", word) and words[place + 1 : place + 2] and words[place + 1].endswith("ing"):
            continue  # hand hovering over the lid
        begins = is_any(word, grammar["beginning"]) and _verb_follows(words, place)
        if not begins and (
            base(word) is not None or is_any(word, grammar["unreal"]) or is_any(word, grammar["arrivals"])
        ):
            return _bringing_about(words, place, reading)
    return None


def _bringing_about(words: Sequence[str], place: int, reading: Reading) -> int:
    """The place of the verb, be it one nobody knows, behind whose object an adjective stands: heaves the door open."""
    grammar = reading.language.grammar
    if words[place].casefold() not in grammar["opened"] | grammar["closed"]:
        return place
    article = next((one for one in range(place - 1, 0, -1) if words[one].casefold() in grammar["determiners"]), None)
    return article - 1 if article and article + 1 < place else place


def _verb_follows(words: Sequence[str], place: int) -> bool:
    """start to pour, begin pouring."""
    after = [one for one in words[place + 1 : place + 3] if one.casefold() not in ("to", "on")]
    return bool(after) and base(after[0]) is not None


def _stranger(subject: Sequence[str], reading: Reading) -> str | None:
    people = [word for word in subject if word.casefold() in reading.language.grammar["persons"]]
    known = any(reading.names(word, "character", "prop") for word in subject)
    return people[0] if people and not known else None


def _is_own(subject: Sequence[str], reading: Reading) -> bool:
    """Whether the speaker does it: nobody is named, or a pronoun, or the speaker."""
    grammar = reading.language.grammar
    plain = [
        word for word in subject if not word.casefold().endswith("ly") and word.casefold() not in grammar["adverbs"]
    ]
    if not plain or reading.names(" ".join(plain), "character"):
        return not plain or reading.who in _people(" ".join(plain), reading)
    first = plain[0].casefold()
    if len(plain) == 1 and first in grammar["pronouns"]:
        return True
    adverbial = first in grammar["with"] or first in grammar["aside"] or first in grammar["to"]
    return adverbial or not (any(_people(word, reading) for word in plain) or first in grammar["determiners"])


def _people(text: str, reading: Reading) -> list[str]:
    return [name for _, (kind, name) in reading.world.index.names.find(text) if kind == "character"]


def _without_description(words: list[str], reading: Reading) -> list[str]:
    """Up to a clause that describes, or a purpose: the cup which …, to see better, Ann reading a letter."""
    grammar = reading.language.grammar
    for place in range(1, len(words)):
        word, before = words[place].casefold(), words[place - 1].casefold()
        named = word in grammar["naming"] and _is_gerund(words[place + 1 : place + 2], reading)
        seen = _is_gerund(words[place : place + 1], reading) and bool(_people(words[place - 1], reading))
        relative = word in grammar["describing"] and (word != "that" or (place > 1 and before not in grammar["to"]))
        purpose = word == "to" and place + 1 < len(words) and _is_plain_verb(words[place + 1], reading)
        if relative or purpose or named or seen:
            return words[:place]
    return words


def _is_gerund(words: Sequence[str], reading: Reading) -> bool:
    return any(one.casefold().endswith("ing") and base(one) and not reading.names(one, "prop") for one in words)


def _is_plain_verb(word: str, reading: Reading) -> bool:
    return word.casefold() == base(word) and not reading.names(word, "prop", "character", "location")


def _without_verb(words: list[str], reading: Reading) -> None:
    """`and the plate` behind `takes the cup` is one more thing; otherwise a verb nobody knows is still a verb."""
    if words[0].casefold() not in reading.language.grammar["determiners"]:
        reading.add(_absent(words[_subject_length(words, reading) :], reading))
        return
    objects, _ = phrases(words, reading.world.index.names)
    if reading.open is None or not objects or not _concrete(objects[0], reading.open.verb, reading):
        return
    reading.add([reading.acts[-1].model_copy(update={"target": objects[0]})])


def _subject_length(words: Sequence[str], reading: Reading) -> int:
    """How many words name who does it, and how: Hugo idly drums his fingers."""
    named = (
        reading.names(one, "character") or one.casefold() in reading.language.grammar["pronouns"] or one.endswith("ly")
        for one in words[:-1]
    )
    return len(list(takewhile(bool, named)))


def _absent(words: Sequence[str], reading: Reading) -> list[ActionIntent]:
    """Whatever is done with it, a common thing must be there; one may only think or speak of it, or look for it."""
    if is_any(words[0], reading.language.grammar["tolerant"]):
        return []
    objects, places = phrases(words[1:], reading.world.index.names)
    for text in [*objects, *(one.text for one in places if one.preposition not in ("like", "about", "than"))]:
        common = reading.lists("things", text) or reading.lists("animals", text)
        if common and not reading.lists("abstract", text) and not _resolves(text, reading):
            return [ActionIntent(intent=IntentKind.USE, target=text, detail="INSPECT", verb="INSPECT")]
    return []


def _resolves(text: str, reading: Reading) -> bool:
    kinds: tuple[Kind, ...] = ("prop", "character", "location")
    return reading.names(text, *kinds) or reading.names(text.split()[-1], *kinds)


# --- from a clause to acts -----------------------------------------------------------------------------------------


def _acts(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """The acts one clause describes."""
    if reading.gesture and clause.objects and all(word_in("pronouns", one) for one in clause.objects):
        return
    drawn = clause.verb.id == "DRAW" or clause.head in ("scoop", "slip")
    if drawn and clause.behind(*OUT_OF) and not any(_held(one, reading) for one in clause.objects):
        clause.verb = reading.language.verbs["GET"]
    if clause.verb.id in SENDING and (put := _brought(clause, reading)):
        yield put
    elif clause.verb.intent == IntentKind.MOVE or _slips_away(clause, reading):
        yield from _moves(clause, reading)
    elif clause.verb.manner == "hand":
        yield from _handlings(clause, reading)
    else:
        yield from _glances(clause, reading)


def _brought(clause: Clause, reading: Reading) -> ActionIntent | None:
    """returns it to the shelf, tosses the key to Ann: what is in the hand is put there."""
    things = [_meant(one, clause.verb, reading) for one in clause.objects[:1]]
    goals = [_taker(one, reading) for one in clause.behind(*INTO)]
    places = [one for one in goals if reading.names(one, "prop", "character")]
    given = clause.verb.intent != IntentKind.MOVE and any(reading.names(one, "character") for one in places)
    handled = [one for one in things if given or one == reading.handled or _held(one, reading)]
    if not handled or not places or reading.names(handled[0], "location", "character"):
        return None
    return ActionIntent(intent=IntentKind.PUT, target=handled[0], detail="PUT", verb="PUT", destination=places[0])


def _taker(text: str, reading: Reading) -> str:
    """Where something goes: into Ann's palm is to Ann, into it is into what was just opened or named."""
    if word_in("pronouns", text):
        return reading.opened or reading.noticed or text
    whose, owned, part = text.partition("'s ")
    taken = owned and reading.lists("hands", part) and reading.names(whose, "character")
    return whose if taken else text


def _slips_away(clause: Clause, reading: Reading) -> bool:
    """slips out into the kitchen, climbs into the cellar: nothing is put, somebody goes."""
    if clause.verb.id not in MOVING or any(not reading.names(one, "location") for one in clause.objects):
        return False
    goals = [*clause.objects, *clause.behind("to", "into", "out")]
    return any(reading.names(one, "location") for one in goals)


def _moves(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Where to; towards a thing is a gesture, and a room left leads nowhere yet."""
    grammar = reading.language.grammar
    goals = [one for one in clause.behind("to", "into", "onto") if _is_destination(one, reading)]
    goals += [one for one in clause.behind(*grammar["to"]) if reading.names(one, "location")]
    goals = [one for one in goals if one not in clause.behind("around") or not _is_here(one, reading)]
    goals += [one for one in clause.behind(*grammar["towards"]) if not reading.names(one, "prop", "character")]
    passed = [_meant(one, clause.verb, reading) for one in clause.behind("through", "out")]
    goals += [one for one in passed if reading.names(one, "prop")]
    goals += [one for one in clause.objects if reading.names(one, "location") and not _leaves(clause)]
    away = clause.behind("out of", "off", "from")
    rooms = [one for one in [*clause.objects, *away] if reading.names(one, "location") or one in grammar["rooms"]]
    gone = [one for one in away if _is_destination(one, reading) and not reading.names(one, "prop")]
    if places := [one for one in goals if _is_destination(one, reading)]:
        yield ActionIntent(intent=IntentKind.MOVE, target=places[0], detail="MOVE", verb="MOVE")
    elif rooms:
        yield ActionIntent(intent=IntentKind.MOVE, target=rooms[0], detail="LEAVE", verb="LEAVE")
    elif gone:
        yield ActionIntent(intent=IntentKind.MOVE, target=gone[0], detail="MOVE", verb="MOVE")


def _is_here(text: str, reading: Reading) -> bool:
    """Whether a place is where the speaker is: wanders around the shop."""
    here = reading.world.characters[reading.who].location if reading.who in reading.world.characters else ""
    return any(name == here for _, (_, name) in reading.world.index.names.find(text))


def _leaves(clause: Clause) -> bool:
    return bool(clause.behind("out of", "off", "from"))


def _is_destination(text: str, reading: Reading) -> bool:
    if reading.names(text, "location", "prop", "character"):
        return True
    if word_in("ambient", text) or word_in("ambient", text.split()[-1]):
        return word_in("outside", text.split()[-1])
    return not reading.lists("abstract", text) and not word_in("pronouns", text)


def _handlings(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Taking, putting, using, eating: what is handled, with what, out of what, and where it goes."""
    verb, objects, into = clause.verb, list(clause.objects), clause.behind(*INTO)
    if verb.id in ("WRITE", "PLAY") and (
        sheets := [one for one in clause.behind("in", "on") if reading.names(one, "prop")]
    ):
        objects = sheets[:1]
    elif not objects and verb.intent in (IntentKind.USE, IntentKind.EAT_DRINK):
        objects, into = [*clause.behind("of", "from", "on", "in", "at", "with"), *into][:1], []
    elif not objects:
        objects = clause.behind("of")[:1]
    things = [_meant(one, verb, reading) for one in _objects(objects, clause, reading) if _concrete(one, verb, reading)]
    tool = next((one for one in clause.behind(*WITH) if _is_tool(one, reading)), None)
    if not things and tool is not None:
        things, tool, verb = [tool], None, verb if verb.intent == IntentKind.USE else reading.language.verbs["USE"]
    if verb.id == "GIVE" and tool and reading.names(things[0], "character"):
        clause.receiver, things, tool = things[0], [tool], None  # presents Ann with the cup
    if objects and not things:
        return
    verb = _sense(verb, things, into, clause, reading)
    goal = clause.receiver or next((_taker(one, reading) for one in into if _receives(one, verb, reading)), "")
    if not goal and clause.inward and verb.id == "PUT":
        goal = _container(reading.opened, reading)
    for target in things or _unspoken(verb, reading):
        yield ActionIntent(
            intent=IntentKind(verb.intent),
            target=target,
            detail=verb.id,
            verb=verb.id,
            destination=goal or None,
            instrument=tool,
            source=_source(clause, reading),
        )


def _objects(objects: list[str], clause: Clause, reading: Reading) -> list[str]:
    """The page of the magazine is the magazine's, a strand of hair is hair; what is done to a person is a gesture."""
    if any(reading.names(one, "character") for one in objects[:1]) and clause.verb.intent == IntentKind.USE:
        return []
    covers = any(reading.lists("lids", one) for one in objects[:1])
    whole = clause.behind(*("of", *(OUT_OF if covers else ())))[:1]
    part = [one for one in objects[:1] if reading.lists("parts", one) or _measures(one, whole, reading)]
    return whole if whole and (part or word_in("ambient", whole[0].split()[-1])) else objects


def _measures(text: str, whole: Sequence[str], reading: Reading) -> bool:
    """A piece of the cake, a cup of the tea that is here."""
    named = any(reading.names(one, "prop") for one in whole)
    return named and reading.lists("measures", text) and not reading.names(text, "prop")


def _sense(verb: Verb, things: Sequence[str], into: Sequence[str], clause: Clause, reading: Reading) -> Verb:
    """Lifting what is in the hand onto something puts it there, lifting a lid opens what it covers; what is put into
    the mouth is eaten, or held there."""
    verbs = reading.language.verbs
    part = next((one for one in clause.objects[:1] if reading.lists("parts", one)), None)
    if verb.id in LIFTING and part and not reading.names(part, "prop") and not reading.lists("measures", part):
        return verbs["OPEN" if reading.lists("lids", part) else "TOUCH"]
    if verb.intent == IntentKind.PUT and any(reading.lists("mouths", one) for one in clause.behind(*INTO)):
        return verbs["EAT" if any(one.edible for one in _props(things, reading)) else "HOLD"]
    if verb.id == "GET" and any(reading.names(one, "character") for one in things[:1]):
        return verbs["TOUCH"]
    if verb.id == "GET" and clause.head in DRAWING and any(one.fixed for one in _props(things, reading)):
        return verbs["DRAW"]
    onto = any(reading.names(one, "prop") for one in into) and any(_held(one, reading) for one in things)
    return verbs["PUT"] if onto and (verb.intent == IntentKind.GET or verb.id == "CLOSE") else verb


def _props(things: Iterable[str], reading: Reading) -> list[Prop]:
    props, names = reading.world.props, reading.world.index.names
    return [props[name] for one in things for _, (_, name) in names.find(one) if name in props]


def _held(text: str, reading: Reading) -> bool:
    world = reading.world
    named = world.index.names.find(text)
    return any(kind == "prop" and holder(world, name) == reading.who for _, (kind, name) in named)


def _meant(text: str, verb: Verb, reading: Reading) -> str:
    """`it`, or a part of what was just handled; what one closes is what one opened."""
    part = reading.lists("parts", text) and "'s" not in text
    refers = (part or word_in("pronouns", text)) and not reading.names(text, "prop")
    opened = reading.opened if verb.id == "CLOSE" else None
    if verb.id in ("LOCK", "UNLOCK"):
        opened = _container(reading.noticed, reading)  # not the key
    return (opened or reading.handled or reading.noticed or text) if refers else text


def _container(text: str | None, reading: Reading) -> str:
    """What something opened is called, if things can be in it."""
    props = reading.world.props
    named = [name for _, (_, name) in reading.world.index.names.find(text or "") if name in props]
    return (text or "") if any(props[name].container for name in named) else ""


def _unspoken(verb: Verb, reading: Reading) -> list[str]:
    """A verb without an object: what was just handled."""
    if verb.id in COMPLETE or reading.handled is None:
        return []
    if verb.id == "CLOSE" and (opened := reading.opened):
        return [opened]
    eaten = reading.acts[-1].intent == verb.intent == IntentKind.EAT_DRINK
    return [] if eaten else [reading.handled]


def _glances(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Looking, touching, sitting: what it is done to; a part of the body or the air is a gesture."""
    verb = clause.verb
    where = [*clause.objects, *clause.behind(*AT)]
    things = [one for one in where if _concrete(one, verb, reading)]
    vague = [one for one in where if word_in("vague", one)] if verb.manner == "touch" else []
    tool = next((one for one in clause.behind(*WITH) if _is_tool(one, reading)), None)
    if verb.id == "STAND" and not things and not vague and _is_down(reading):
        yield ActionIntent(intent=IntentKind.USE, detail=verb.id, verb=verb.id)
    for target in (things or vague)[:1]:
        yield ActionIntent(
            intent=IntentKind(verb.intent),
            target=_meant(target, verb, reading),
            detail=verb.id,
            verb=verb.id,
            instrument=tool,
        )


def _is_down(reading: Reading) -> bool:
    """Whether there is something to get up from; whoever stands only straightens up."""
    figure = reading.world.characters.get(reading.who)
    return figure is not None and figure.posture is not None


# --- what a phrase is about ----------------------------------------------------------------------------------------


def _concrete(text: str, verb: Verb, reading: Reading) -> bool:
    """Whether an object is a thing (be it missing), and not a breath, a look or a part of the body."""
    if reading.names(text, "prop", "character") or word_in("pronouns", text) or word_in("vague", text):
        return verb.manner == "hand" or not word_in("vague", text)
    whole, owned, _ = text.partition("'s ")
    if owned and (reading.names(whole, "prop") or _is_away(whole, reading)):
        return True
    if text.split()[0].casefold() in reading.language.grammar["pronouns"]:
        return False
    if reading.lists("parts", text) and not owned:
        return reading.handled is not None
    if reading.names(text, "location") or word_in("ambient", text.split()[-1]) or reading.lists("abstract", text):
        return False
    if verb.id in FORTH or verb.manner != "hand" or verb.id in LIGHTLY:
        return reading.lists("things", text)
    return True


def _is_away(text: str, reading: Reading) -> bool:
    """Whether somebody is in another room: nobody ruffles hair that is there."""
    people = reading.world.characters
    here = people[reading.who].location if reading.who in people else ""
    return any(people[name].location != here for name in _people(text, reading) if name in people)


def _is_tool(text: str, reading: Reading) -> bool:
    """The thing an act is done with; not with care, with a smile, with both hands."""
    return reading.names(text, "prop") or (reading.lists("things", text) and not reading.names(text, "character"))


def _source(clause: Clause, reading: Reading) -> str | None:
    """What something is taken out of."""
    if clause.verb.intent not in (IntentKind.GET, IntentKind.PUT):
        return None
    places = [one for one in clause.behind(*OUT_OF) if not reading.names(one, "character", "location")]
    return next((one for one in places if reading.names(one, "prop") or reading.lists("things", one)), None)


def _receives(text: str, verb: Verb, reading: Reading) -> bool:
    """Whether a phrase says where something goes."""
    if reading.lists("abstract", text) and not reading.names(text, "prop", "character"):
        return False
    return verb.intent == IntentKind.PUT or (
        verb.id in PLACED and _concrete(text, reading.language.verbs["PUT"], reading)
    )
