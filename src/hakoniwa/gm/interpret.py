"""From clauses to acts, for every language alike: frames say what a verb does with the phrases around it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from hakoniwa.gm.clause import Clause, Role
from hakoniwa.pack import NO_FRAME, Frame, LanguagePack, Part, Verb, frame_of, verb_of, word_in
from hakoniwa.stage.names import Hit, Kind
from hakoniwa.stage.world import Condition, Figure, Prop, WorldState, in_place, is_door
from hakoniwa.turn import ActionIntent, IntentKind

TAKES = (IntentKind.GET, IntentKind.PUT)
GOALS: tuple[Part, ...] = ("to", "into", "onto")
SIDES: tuple[Part, ...] = ("at", "onto", "into", "to", "from", "through", "with")
LOOSENED = frozenset({"off", "out", "up", "free", "loose"})
LOWERED = frozenset({"down", "aside", "away", "back", "in", "inside", "over"})
ENTERED = frozenset({"in", "inside", "through", "out", "outside"})
LATELY = 4
# Of what was not read, so many clauses are reported, and so much of each.
MAX_UNREAD, MAX_WORDS = 16, 200


@dataclass(slots=True)
class Reading:
    """One reply being read: its acts so far, what the hands and eyes were last on, and what was not understood."""

    world: WorldState
    who: str
    language: LanguagePack
    acts: list[ActionIntent] = field(default_factory=list)
    taken: set[str | None] = field(default_factory=set)
    # What has left the hand.
    gone: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    # The words behind the acts that are not sure, by their places among the acts.
    doubts: dict[int, str] = field(default_factory=dict)
    # The clause to which further objects would belong, and its act.
    open: Clause | None = None
    # A clause that is still without what it takes: she chose, with care, the last pear.
    lacks: Clause | None = None
    # What a hand is stretched out for, what was last handled, what hands or eyes were on, what was opened, and what was
    # named at all.
    reached: str | None = None
    handled: str | None = None
    noticed: str | None = None
    opened: str | None = None
    named: list[str] = field(default_factory=list)
    # Another room that was named.
    beyond: str | None = None
    # What was handled last is nothing that this world knows: `it` may be that.
    strange: bool = False
    # The last clause was about no thing: `it` is her mouth.
    gesture: bool = False
    # Somebody new has come in, and nothing after that is read.
    over: bool = False

    @property
    def figure(self) -> Figure | None:
        """The speaker's body."""
        return self.world.characters.get(self.who)

    @property
    def room(self) -> str:
        """Where the speaker is after the moves of this turn."""
        for act in reversed(self.acts):
            rooms = [name for _, (kind, name) in self.find(act.target or "") if kind == "location"]
            if rooms and act.sure and act.intent == IntentKind.MOVE:
                return rooms[0]
        return self.figure.location if self.figure else ""

    # --- what a text names ---

    def find(self, text: str) -> Sequence[Hit]:
        """Everything a text may name."""
        return self.world.index.names.find(text)

    def names(self, text: str, *kinds: Kind) -> bool:
        """Whether a text names a thing, a person or a place of this world."""
        found = self.find(text)
        if "prop" in kinds and not found:
            found = [hit for hit in self._of_whose(text) if hit[1][0] == "prop"]
        return any(kind in kinds for _, (kind, _) in found)

    def props(self, text: str | None) -> list[tuple[str, Prop]]:
        props = self.world.props
        found = self.find(text or "") or self._of_whose(text or "")
        return [(name, props[name]) for _, (_, name) in found if name in props]

    def _of_whose(self, text: str) -> Sequence[Hit]:
        """What a text names that says whose it is: the princess's necklace, 壁の旗. In another room it may be."""
        whose, joint, what = text.rpartition("の") if "の" in text else text.rpartition("'s ")
        rooms = [name for _, (kind, name) in self.find(whose) if kind == "location"] if joint else [""]
        placed = {name: prop.location for name, prop in self.world.props.items()} if rooms else {}
        return [hit for hit in self.find(what) if not rooms or placed.get(hit[1][1]) in rooms]

    def held(self, text: str) -> bool:
        """Whether the speaker has in the hand what a text names, or took it just now."""
        named = [name for name, _ in self.props(text)] or [
            name for _, (kind, name) in self.find(text) if kind == "prop"
        ]
        return any(self._still_has(name) or not self.taken.isdisjoint((name, text)) for name in named)

    def _still_has(self, name: str) -> bool:
        """Whether what was in the hand at first still is; what is just being put down counts."""
        if self.figure is None or name not in self.figure.holding:
            return False
        last = self.acts[-1] if name in self.gone and self.acts else None
        return name not in self.gone or (
            last is not None
            and last.intent == IntentKind.PUT
            and any(one == name for one, _ in self.props(last.target))
        )

    def away(self, text: str) -> bool:
        """Whether a person is in another room: nobody ruffles hair that is there."""
        people = self.world.characters
        named = [name for _, (kind, name) in self.find(text) if kind == "character"]
        return any(people[name].location != self.room for name in named if name in people)

    def here(self, text: str) -> bool:
        """Whether a place is where the speaker is."""
        return self.figure is not None and any(name == self.room for _, (_, name) in self.find(text))

    def has_here(self, name: str, prop: Prop) -> bool:
        """Whether a thing is in the speaker's room, or a door that leads out of it."""
        return prop.location == self.room or self.room in self.world.index.doors.get(name, ())

    def down(self) -> bool:
        """Whether there is something to get up from."""
        return self.figure is not None and self.figure.posture is not None


def read_clauses(clauses: Iterable[Clause], reading: Reading) -> None:
    """Add the acts of these clauses to a reading."""
    for clause in clauses:
        if reading.over:
            return
        _read(clause, reading)


def _read(clause: Clause, reading: Reading) -> None:
    if clause.real and clause.stranger:
        reading.acts.append(_act(verb_of("MOVE"), clause.stranger, detail="ARRIVE"))
        reading.over = True
    elif clause.real and clause.doer == "self":
        found = _more(clause, reading) if clause.more else _found(clause, reading)
        _note_acts(found, clause.text, reading)
    elif clause.real and clause.doer == "thing":
        _note_acts(_gives_way(clause, reading), clause.text, reading)
    _notice(clause, reading)


def _gives_way(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """What the speaker has just worked at opens or goes on by itself: the door swings open, it hums to life."""
    if given := _gives_in(clause, reading):
        return [given]
    last, grammar = reading.acts[-1] if reading.acts else None, reading.language.grammar
    lid = clause.subject in grammar["lids"] or clause.subject in grammar["doors"]
    if last is None or not frame_of(last.verb or "").loosens:
        return []
    worked = reading.props(last.target)
    same = lid or word_in("pronouns", clause.subject)
    subject = reading.props(clause.subject)
    if not same and last.sure and not {name for name, _ in worked} & {name for name, _ in subject}:
        return []
    worked = subject if subject and not last.sure else worked
    target = clause.subject if subject and not last.sure else last.target
    opens = any(frame_of(reading.language.outcomes.get(one, "")).opens for one in clause.results)
    opens = opens or (lid and not {"back", "up"}.isdisjoint(clause.results))
    if opens and any(one.is_(Condition.BARRED) for _, one in worked):
        return [_act(verb_of("OPEN"), target)]
    started = "on" in clause.results or any(one.text in grammar["running"] for one in clause.parts("to"))
    lit = started and any(one.is_(Condition.OFF) for _, one in worked)
    return [_act(verb_of("TURN_ON"), target)] if lit else []


def _gives_in(clause: Clause, reading: Reading) -> ActionIntent | None:
    """A door or a lid that hands were just laid on opens: 両手をかけて引くと、岩戸が開く."""
    shut = any(one.is_(Condition.CLOSED) for _, one in reading.props(clause.subject))
    opens = bool(clause.verb) and frame_of(_verb(clause).id).opens
    lately = clause.subject in (*reading.named[:1], reading.noticed, reading.reached)
    return _act(verb_of("OPEN"), clause.subject) if opens and shut and lately else None


def _found(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """The acts of a clause of the speaker's own."""
    if clause.verb == IntentKind.EMOTE:
        clause = replace(clause, verb=None)
        sheds = "off" in clause.results and any(_is_worn(one.text, reading) for one in clause.parts("object"))
        if not sheds and not any(reading.names(one.text, "location") for one in clause.parts(*GOALS)):
            reading.gesture, reading.open = True, None
            return []
    found = list(_acts(clause, reading))
    reading.open = clause if found else None
    objects = clause.parts("object")
    reading.lacks = clause if not found and not objects and _verb(clause).intent in TAKES else None
    named = any(not word_in("pronouns", one.text) for one in objects)
    reading.gesture = not found and named and not _names_thing(clause, reading)
    found = found or _out_of_touch(clause, reading) or _absent(clause, reading)
    reaches = clause.is_any(reading.language.grammar["reaching"])
    goals = [one.text for one in clause.parts("to", "toward") if reading.names(one.text, "prop")] if reaches else []
    reading.reached = goals[0] if goals else None
    gone = _verb(clause).intent == IntentKind.MOVE and not objects
    kept = frame_of(clause.verb or "").grips and any(reading.held(one.text) for one in objects)
    if not (found or gone or kept) and _names_thing(clause, reading):
        reading.unread = [*reading.unread[: MAX_UNREAD - 1], clause.text[:MAX_WORDS]]
    return found


def _names_thing(clause: Clause, reading: Reading) -> bool:
    return any(reading.names(one.text, "prop") for one in clause.roles)


def _more(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """One more object of the clause before: `and the plate` behind `takes the cup`."""
    if reading.lacks is not None and clause.parts("object"):
        clause, reading.lacks = replace(reading.lacks, roles=[*reading.lacks.roles, *clause.roles]), None
        return _found(clause, reading)
    goes = reading.open is not None and _verb(reading.open).intent == IntentKind.MOVE
    between = reading.open is not None and reading.open.roles[-1:] and reading.open.roles[-1].part == "beside"
    if goes or between:
        return []
    things = [one for one in clause.parts("object") if reading.open and _concrete(one, _verb(reading.open), reading)]
    if not things or not reading.acts:
        return []
    return [reading.acts[-1].model_copy(update={"target": one.text, "sure": _decided(one, reading)}) for one in things]


def _note_acts(found: Sequence[ActionIntent], words: str, reading: Reading) -> None:
    """Keep acts, and what the hands and eyes are on after them."""
    for one in found:
        if _goes_on_putting(one, reading):
            continue
        if reading.acts and _is_at_hand(one, reading.acts[-1]):
            one = one.with_field("sure", False)
        if not one.sure:
            reading.doubts[len(reading.acts)] = words
        reading.acts.append(one)
        if one.intent == IntentKind.GET or (frame_of(one.verb or "").bares and _is_worn(one.target, reading)):
            reading.taken.add(one.target)
        elif one.intent == IntentKind.PUT:
            reading.taken.discard(one.target)
            reading.gone.update(name for name, _ in reading.props(one.target))
        if not one.sure:
            continue
        known = reading.language.verbs.get(one.verb or "")
        holds = any(prop.container for _, prop in reading.props(one.target))
        if frame_of(one.verb or "").opens and (holds or not reading.held(one.target or "")):
            reading.opened = _whole_of(one.target, reading)
        if known and (known.manner == "hand" or frame_of(known.id).near):
            reading.handled = _whole_of(one.target, reading)
        if known and (known.manner == "hand" or frame_of(known.id).near or known.manner == "sight"):
            reading.noticed = one.target


def _whole_of(text: str | None, reading: Reading) -> str | None:
    """The thing of this world that a phrase names a part of: the 箱 of 箱の蓋."""
    whole = (text or "").partition("の")[0]
    return whole if not reading.props(text) and reading.props(whole) else text


def _is_worn(text: str | None, reading: Reading) -> bool:
    """Whether a text names what the speaker has on."""
    return any(one.worn_by == reading.who for _, one in reading.props(text))


def _is_at_hand(act: ActionIntent, last: ActionIntent) -> bool:
    """Whether it goes on with what was drawn near or dipped just now, and may still be in the hand: 引き寄せて開く."""
    used = act.intent in (IntentKind.USE, IntentKind.EAT_DRINK, IntentKind.PUT)
    return used and act.target == last.target and frame_of(last.verb or "").brings


def _goes_on_putting(act: ActionIntent, reading: Reading) -> bool:
    """Whether an act only says more of where something goes that has just left the hand: 並べて置く, 放って渡す."""
    last = reading.acts[-1] if reading.acts else None
    if last is None or not last.intent == act.intent == IntentKind.PUT or last.target != act.target:
        return False
    if act.destination:
        reading.acts[-1] = act
    return True


def _notice(clause: Clause, reading: Reading) -> None:
    """Keep in mind the thing that was named last: `it` may be that."""
    if clause.doer == "other" and reading.language.language == "ja":
        return
    texts = [clause.subject, *(text for one in clause.roles for text in (one.text, one.whole))]
    rooms = [one for one in texts if one and reading.names(one, "location")]
    reading.beyond = next((one for one in rooms if not reading.here(one)), None if rooms else reading.beyond)
    named = [one for one in texts if one and reading.names(one, "prop")]
    named = [_alike(one, reading) or one for one in named]
    named = named if reading.language.language == "en" else named[::-1]
    reading.named = [*named, *reading.named][:LATELY]
    objects = clause.parts("object") if clause.real else []
    handled = [one.text for one in objects if reading.names(one.text, "prop")]
    reading.noticed = handled[0] if handled else reading.noticed
    things = [one for one in objects if one.sort not in ("ambient", "abstract", "part") and not one.whole]
    things = [one for one in things if not (word_in("pronouns", one.text) or reading.names(one.text, "character"))]
    reading.strange = (bool(things) or reading.strange) and not named


def _act(verb: Verb, target: str | None, **more: object) -> ActionIntent:
    detail = str(more.pop("detail", "") or verb.id)
    return ActionIntent.model_validate(
        {"intent": verb.intent, "target": target, "detail": detail, "verb": detail, **more}
    )


def _verb(clause: Clause) -> Verb:
    return verb_of(clause.verb) if clause.verb else Verb("", "USE", "hand")


# --- which sense -----------------------------------------------------------------------------------------------------


def _acts(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """The acts one clause describes."""
    objects = clause.parts("object")
    if (
        reading.gesture
        and objects
        and all(word_in("pronouns", one.text) for one in objects)
        and not _of_a_thing(clause, reading)
    ):
        return
    if clause.is_any(reading.language.grammar["relieving"]) and (robbed := _robbed(clause, reading)):
        yield robbed
        return
    if passed := _passage(clause, reading):
        yield passed
        return
    verb = _sense(clause, reading)
    if verb is None:
        return
    clause.guessed, clause.verb = clause.verb is None, verb.id
    if verb.intent == IntentKind.MOVE:
        yield from _moves(clause, reading)
    elif verb.manner == "hand":
        yield from _handlings(clause, verb, reading)
    else:
        yield from _glances(clause, verb, reading)


def _of_a_thing(clause: Clause, reading: Reading) -> bool:
    """Whether `it` can hardly be her mouth or his head: drains it, puts it down, closes it again."""
    if frame_of(clause.verb or "").closes and reading.opened:
        return True
    handled = (IntentKind.EAT_DRINK, IntentKind.GET, IntentKind.PUT)
    verb = _verb(clause)
    return reading.handled is not None and (verb.intent in handled or frame_of(verb.id).gives)


def _robbed(clause: Clause, reading: Reading) -> ActionIntent | None:
    """relieves Raf of his tray: takes it from him."""
    whom = [one for one in clause.roles if one.part == "object" and reading.names(one.text, "character")]
    what = [one for one in clause.parts("about") if reading.names(one.text, "prop")]
    what += [one._replace(text=one.whole) for one in whom if one.whole and reading.names(one.whole, "prop")]
    return _act(verb_of("GET"), what[0].text) if whom and what else None


def _passage(clause: Clause, reading: Reading) -> ActionIntent | None:
    """slips inside, behind a door that was just opened: through it."""
    inward, insides = reading.language.grammar["inward"], reading.language.grammar["insides"]
    inside = {one.text for one in clause.roles if not word_in("surroundings", _last(one))}
    within = _verb(clause).intent == IntentKind.MOVE and (
        inside <= inward or (reading.opened is not None and inside <= insides)
    )
    goes = clause.verb and (within or (_verb(clause).intent == IntentKind.PUT and not clause.roles))
    if goes and within and clause.roles and reading.beyond and not ENTERED.isdisjoint(clause.results):
        return _act(verb_of("MOVE"), reading.beyond)
    if not goes or ENTERED.isdisjoint(clause.results) or reading.opened is None:
        return None
    doors = [name for name, _ in reading.props(reading.opened) if is_door(reading.world, name)]
    beyond = [room for room in reading.world.index.doors[doors[0]] if not reading.here(room)] if doors else []
    return _act(verb_of("MOVE"), beyond[0]) if beyond else None


def _sense(clause: Clause, reading: Reading) -> Verb | None:
    """What the verb means here: the result or the particle says more than the verb, and so does where things go."""
    verb = _verb(clause) if clause.verb else None
    frame = frame_of(verb.id) if verb else NO_FRAME
    outcome = next((reading.language.outcomes[one] for one in clause.results if one in reading.language.outcomes), None)
    role, first = _first(clause, verb_of(outcome) if outcome else verb, reading)
    concrete = first and (first.sort not in ("ambient", "abstract") or reading.names(first.text, "prop"))
    if concrete and outcome and (verb is None or verb.manner not in ("sight", "voice")):
        kept = frame.keeps_state or clause.is_any(reading.language.grammar["keeping"])
        return None if kept else verb_of(outcome)
    if switched := _flicked(verb, role, clause, reading) or _switch(verb, clause, first, reading):
        return switched
    if "again" in clause.results and first and frame.picked and not reading.held(first.text):
        return verb_of("ADJUST")  # はめ直す
    if dressed := _dressed(verb, clause, first, reading):
        return dressed
    if role is None and reading.handled and (lock := _lock(clause, reading)):
        clause.roles = [Role(lock, "object"), Role(reading.handled, "with", "thing")]
        return verb_of("TOUCH")
    if keyed := _keyed(verb, role, clause, reading):
        return keyed
    if role is None or first is None:
        thrown = (clause.parts(*GOALS, "toward") or not clause.roles) and _is_thrown(verb, reading.handled, reading)
        return verb_of("PUT") if thrown else _clicked(verb, clause, reading) or _sent_off(verb, clause, reading)
    return _moved(verb, frame, role, first, clause, reading)


def _clicked(verb: Verb | None, clause: Clause, reading: Reading) -> Verb | None:
    """clicks on the lamp: what has a switch stands behind the particle."""
    frame = frame_of(verb.id) if verb else NO_FRAME
    on = [one for one in clause.parts("onto") if _is_switchable(one.text, reading)]
    moved = verb is not None and (verb.manner == "hand" or frame.near) and verb.intent == IntentKind.USE
    if not on or not moved or frame.onto or frame.complete:
        return None
    clause.roles = [on[0]._replace(part="object")]
    return verb_of("TURN_ON")


def _keyed(verb: Verb | None, role: Role | None, clause: Clause, reading: Reading) -> Verb | None:
    """To turn a key that was just put into a lock is to unlock that."""
    last = reading.acts[-1] if reading.acts else None
    if verb is None or not frame_of(verb.id).turns or last is None or not last.instrument:
        return None
    if not frame_of(last.verb or "").feels or (
        role is not None and not word_in("pronouns", role.text) and role.text != last.instrument
    ):
        return None
    clause.roles = [Role(last.target or "", "object")]
    return verb_of("UNLOCK")


def _first(clause: Clause, verb: Verb | None, reading: Reading) -> tuple[Role | None, Role | None]:
    """The object as it stands and as it is meant; a lid is that of what it is lifted off."""
    objects = clause.parts("object")
    if not objects:
        return None, None
    if (animal := _animal(objects[0], reading)) is not objects[0]:
        clause.roles = [animal if one is objects[0] else one for one in clause.roles]
        objects[0] = animal
    role, off = objects[0], clause.parts("from")
    if _comes_off(role, clause, reading):
        thing = off[0]._replace(part="object")
        clause.roles = [thing if one is role else one for one in clause.roles if one is not off[0]]
        role = thing
    if role.sort == "lid" and not role.whole and off and reading.names(off[0].text, "prop"):
        whole = role._replace(whole=off[0].text, whole_sort="thing")
        clause.roles = [whole if one is role else one for one in clause.roles if one is not off[0]]
        role = whole
    return role, _meant(_about(role, reading), verb, reading)


def _comes_off(role: Role, clause: Clause, reading: Reading) -> bool:
    """Whether it is a part of what it is taken off, or lies on it: a leg off the goose, the foil off the cup."""
    named = word_in("pronouns", role.text) or reading.names(role.text, "prop", "character")
    if named or role.sort in ("lid", "abstract"):
        return False
    verb = _verb(clause)
    it = reading.handled if verb.intent != IntentKind.GET else None
    off = [it if word_in("pronouns", one.text) else one.text for one in clause.parts("from")]
    loose = [not (prop.fixed or prop.container) for one in off for _, prop in reading.props(one)]
    taken = clause.verb is None or verb.intent in (IntentKind.GET, IntentKind.PUT) or frame_of(verb.id).takes
    return loose[:1] == [True] and not (taken and "thing" in (role.sort, role.whole_sort))


def _animal(role: Role, reading: Reading) -> Role:
    """An animal that was spoken of is him or her: lifts the dog and sets him down."""
    if role.text.casefold() not in ("him", "her"):
        return role
    spoken = [one for one in (reading.handled, *reading.named) if one]
    alive = next((one for one in spoken if any(prop.alive for _, prop in reading.props(one))), None)
    return role._replace(text=alive, sort="thing") if alive else role


def _flicked(verb: Verb | None, role: Role | None, clause: Clause, reading: Reading) -> Verb | None:
    """The switch of a thing goes the other way: flips the switch on the fan."""
    if role is None or _last(role) not in reading.language.grammar["switches"] or reading.names(role.text, "prop"):
        return None
    wholes = [role.whole, *(one.text for one in clause.parts("onto", "at"))]
    found = next((one for one in wholes if one and _is_switchable(one, reading)), None)
    if found is None or (verb and verb.manner in ("sight", "voice")):
        return None
    clause.roles = [Role(found, "object")]
    lit = any(one.is_(Condition.ON) for _, one in reading.props(found))
    return verb_of("TURN_OFF" if "off" in clause.results or (lit and "on" not in clause.results) else "TURN_ON")


def _is_switchable(text: str, reading: Reading) -> bool:
    """Whether a text names a thing that is on or off."""
    return any(one.is_(Condition.ON | Condition.OFF) for _, one in reading.props(text))


def _switch(verb: Verb | None, clause: Clause, first: Role | None, reading: Reading) -> Verb | None:
    """Whatever is done to it, what has a switch goes on or off: flips the lamp on, clicks on the radio, cuts it."""
    if first is None or not _is_switchable(first.text, reading):
        return None
    grammar = reading.language.grammar
    itself = any(how != "part" for how, _ in reading.find(first.text))
    tools = [one for one in clause.parts("with") if _is_tool(one, reading)]
    if itself and not tools and not clause.parts(*GOALS, "from"):
        if clause.is_any(grammar["cutting"]) and (verb is None or frame_of(verb.id).cuts):
            return verb_of("TURN_OFF")
        stands = all(one.fixed for _, one in reading.props(first.text))
        frame = frame_of(verb.id) if verb else NO_FRAME
        if verb and frame.bars and frame.switched and not _opens(first.text, reading):
            return verb_of("TURN_ON" if frame_of(verb.id).opens else "TURN_OFF")  # 蛇口を閉める
        if clause.is_any(grammar["powering"]) and frame.starts and (stands or not frame.near):
            return verb_of("TURN_ON")
    if verb and (verb.intent != IntentKind.USE or frame_of(verb.id).bares):
        return None
    return verb_of("TURN_ON") if "on" in clause.results else verb_of("TURN_OFF") if "off" in clause.results else None


def _opens(text: str, reading: Reading) -> bool:
    """Whether a text names a thing that is open or shut."""
    shut = Condition.OPEN | Condition.BARRED | Condition.UNLOCKED
    return any(one.container or one.is_(shut) for _, one in reading.props(text))


def _dressed(verb: Verb | None, clause: Clause, first: Role | None, reading: Reading) -> Verb | None:
    """What comes on or off the body without a verb that says so: shrugs the coat on, kicks the boots off."""
    if first is None:
        return _slipped(verb, clause, reading)
    off = clause.parts("from")
    body = any(word_in("body", _last(one)) for one in off)
    loose = verb is None or verb.manner != "hand" or frame_of(verb.id).near or verb.intent == IntentKind.PUT or body
    props = reading.props(first.text)
    if not loose or not props or clause.parts(*GOALS) or (off and not body):
        return None
    worn = any(one.worn_by == reading.who for _, one in props)
    fits = _is_garment(first, reading)
    if worn and (body or "off" in clause.results):
        return verb_of("REMOVE")
    return verb_of("WEAR") if "on" in clause.results and fits and not worn else None


def _slipped(verb: Verb | None, clause: Clause, reading: Reading) -> Verb | None:
    """Whoever gets out of what they have on takes it off, whatever the verb: shrugs out of the coat, slips into it."""
    if verb is not None and (verb.manner in ("sight", "voice") or clause.parts("object")):
        return None
    shed = [one for one in clause.parts("from") if _is_worn(one.text, reading)]
    sides: tuple[Part, ...] = ("into", "onto") if verb else ("into",)
    into = [one for one in map(_spoken_thing(reading), clause.parts(*sides)) if _is_garment(one, reading)]
    if not shed and not into:
        return None
    clause.roles = [(shed or into)[0]._replace(part="object")]
    return verb_of("REMOVE" if shed else "WEAR")


def _spoken_thing(reading: Reading) -> Callable[[Role], Role]:
    """Turns a pronoun into what it stands for."""
    return lambda one: _meant(one, verb_of("WEAR"), reading) if word_in("pronouns", one.text) else one


def _is_garment(role: Role, reading: Reading) -> bool:
    """Whether it is something to wear that is at hand: a coat, the gloves in the hand."""
    held = reading.held(role.text)
    lists = ("clothes", "worn") if held else ()
    return any(
        one.wearable or any(word_in(listed, name.split()[-1].casefold()) for listed in lists)
        for name, one in reading.props(role.text)
    )


def _is_thrown(verb: Verb | None, thing: str | None, reading: Reading) -> bool:
    """Whether a throw takes a thing out of the hand."""
    if verb is None or not frame_of(verb.id).throws or thing is None:
        return False
    return reading.held(thing) or _is_worn(thing, reading)


def _is_up(role: Role, reading: Reading) -> bool:
    """Whether what is thrown there comes back into the hand: 宙に放り上げる."""
    return role.text in reading.language.grammar["aloft"]


def _sent_off(verb: Verb | None, clause: Clause, reading: Reading) -> Verb | None:
    """Without an object, whoever gets into a room goes there, whatever the verb."""
    still = verb is not None and (verb.manner in ("sight", "voice") or frame_of(verb.id).posture)
    goals = clause.parts(*GOALS, "through") if not still or frame_of(_verb(clause).id).travels else []
    rooms = [one for one in goals if reading.names(one.text, "location") and not reading.here(one.text)]
    through = clause.parts("through") if goals else []
    rooms += [one for one in through if any(is_door(reading.world, name) for name, _ in reading.props(one.text))]
    outside = [
        one for one in goals
        if verb is None and one.part == "to" and (one.sort == "place" or word_in("outside", _last(one)))
    ]  # fmt: skip
    return verb_of("MOVE") if rooms or outside else verb


def _moved(verb: Verb | None, frame: Frame, role: Role, first: Role, clause: Clause, reading: Reading) -> Verb | None:
    """A verb with an object: where it leads, what it does to a part or to the body, and what becomes of the thing."""
    if verb and verb.intent == IntentKind.MOVE and _is_drawn_out(first, clause, reading):
        verb, frame = None, NO_FRAME
    if _leads_off(verb, frame, first, clause, reading):
        return verb_of("MOVE")
    if _is_own_seat(first, clause, reading):
        return None
    if frame.turns and word_in("furniture", _last(first)) and not reading.held(first.text):
        return verb_of("SHIFT")
    if special := _on_part(verb, frame, role, first, clause, reading):
        return special
    if role.sort in ("ambient", "abstract") and not reading.names(role.text, "prop"):
        return _with_no_thing(verb, role, clause, reading)
    if verb and verb.intent == IntentKind.GET and reading.names(first.text, "character"):
        return verb_of("TOUCH")
    if _off_oneself(clause, first, reading) and (verb is None or verb.intent != IntentKind.GET):
        return None
    return _sash(verb, frame, first, clause, reading) or _placed(verb, frame, role, first, clause, reading)


def _is_drawn_out(first: Role, clause: Clause, reading: Reading) -> bool:
    """Whether a verb of going takes a thing out: sneaks the phone out, sneaks a coin out of the purse."""
    out_of = [one for one in clause.parts("from") if reading.names(one.text, "prop")]
    return bool(LOOSENED & set(clause.results) or out_of) and first.sort != "animal"


def _leads_off(verb: Verb | None, frame: Frame, first: Role, clause: Clause, reading: Reading) -> bool:
    """Whether one goes somewhere: takes the stairs, climbs the ladder to the loft, carries the lamp into the cellar."""
    doors = [name for name, _ in reading.props(first.text) if is_door(reading.world, name)]
    elsewhere = reading.names(first.text, "location") and not reading.here(first.text)
    taken = verb is not None and verb.intent == IntentKind.GET and not clause.parts("from")
    stairs = taken and first.text in reading.language.grammar["stairs"] and (doors or elsewhere)
    if stairs or (doors and (verb is None or frame.travels) and ENTERED & set(clause.results)):
        clause.roles = [first._replace(part="through")]
        return True
    up_to = [one for one in clause.parts(*GOALS) if reading.names(one.text, "location") and not reading.here(one.text)]
    return bool(up_to) and ((frame.posture and frame.travels) or _is_carried(verb, first, reading))


def _with_no_thing(verb: Verb | None, role: Role, clause: Clause, reading: Reading) -> Verb | None:
    """What is done with a hand, the air or one's way: closes her fingers around the key, makes his way to the yard."""
    gone = _with_body(verb, role, clause, reading) or _sent_off(verb, clause, reading)
    grammar = reading.language.grammar
    led = _last(role) in grammar["ways"] or role.text.casefold() in grammar["receivers"]
    return gone if led or gone is None or gone.intent != IntentKind.MOVE else None


def _placed(verb: Verb | None, frame: Frame, role: Role, first: Role, clause: Clause, reading: Reading) -> Verb | None:
    """What is loaded, handed over, unlocked with, drunk, put down or taken: the first of these that the words say."""
    filled = [one for one in clause.parts("with") if one.sort == "thing" or reading.names(one.text, "prop")]
    loads = clause.is_any(reading.language.grammar["loading"])
    if loads and not filled and clause.parts("with"):
        return None
    if verb and frame.lays and filled and (loads or not reading.held(first.text)):
        clause.roles = [filled[0]._replace(part="object"), first._replace(part="into")]  # loads the cart with hay
        return verb
    held = reading.held(first.text) or (reading.handled is not None and first.text == reading.handled)
    if _is_handed(verb, frame, held, clause, reading):
        return verb_of("GIVE")
    if _comes_to_hand(verb, first, held, clause, reading):
        return verb_of("HOLD")
    if _is_key(verb, first, clause, reading):
        return verb_of("UNLOCK")
    drink = held and any(one.edible not in (None, False, "food") for _, one in reading.props(first.text))
    if drink and not clause.parts(*GOALS) and clause.is_any(reading.language.grammar["tossing"]):
        return verb_of("DRINK")
    if held and "down" in clause.results and not clause.parts(*GOALS) and _is_levelled(first, reading):
        return None
    put = _put_down(verb, frame, role, first, held, clause, reading)
    return put or _taken(verb, frame, first, held, clause, reading)


def _is_handed(verb: Verb | None, frame: Frame, held: bool, clause: Clause, reading: Reading) -> bool:
    """Whether it goes to a person: tosses her the cup, pushes it to him, presses it into her hands."""
    if clause.parts("receiver") and frame.gives:
        return True
    moved = verb is not None and (frame.near or verb.intent == IntentKind.PUT)
    if held and moved and _receiver(clause, verb_of("GIVE"), reading):
        return True
    pressed = held and frame.gives and "over" not in clause.results and _presses_on(clause, reading)
    clause.roles += [Role("", "receiver")] if pressed else []
    return pressed


def _put_down(
    verb: Verb | None, frame: Frame, role: Role, first: Role, held: bool, clause: Clause, reading: Reading
) -> Verb | None:
    """What leaves the hand, by where it goes, by the verb, or by a word behind it."""
    set_down = (frame.posture and frame.light) or (frame.placed and not frame.stays)
    if set_down and held and clause.parts(*GOALS, "at", "beside"):
        return verb_of("PUT")  # leans the broom against the wall, hangs the chart at the foot of the bed
    aimed = [one for one in clause.parts(*GOALS, "at", "toward") if not _is_up(one, reading)]
    if _is_thrown(verb, first.text, reading) and aimed:
        return verb_of("PUT")
    goals = _places_for(verb, frame, clause, reading)
    person = any(reading.names(_taker(one, reading).text, "character") for one in goals)
    if held and verb and verb.manner == "touch" and (person or "down" in clause.results):
        return verb_of("PUT")  # slaps it down on the bench
    hands = verb is None or verb.manner in ("hand", "touch", "go")
    goes = (held or (person and verb and frame.near)) and goals and not frame.stays and hands and not _eaten(verb)
    left = clause.lemma in reading.language.grammar["leaving"]
    lowered = (verb is None or frame.gives) and _lowered(frame) & set(clause.results)
    if goes or (held and (left or lowered)):
        return verb if verb and verb.intent == IntentKind.PUT else verb_of("PUT")
    into = [one for one in clause.parts("into", "onto") if reading.names(one.text, "prop")]
    known = verb is None and reading.names(role.text, "prop") and not clause.parts("from")
    return verb_of("PUT") if known and into else None


def _places_for(verb: Verb | None, frame: Frame, clause: Clause, reading: Reading) -> list[Role]:
    """Where a thing may go by the phrases around it; what is only raised or walked up to is put nowhere."""
    goals = [one for one in clause.parts(*GOALS) if _receives(one, reading) or _is_ground(one, reading)]
    goals += [one for one in clause.parts(*GOALS) if _is_own_pocket(one, reading)]
    if verb and verb.intent == IntentKind.MOVE:
        goals = [one for one in goals if reading.names(one.text, "prop", "character") or _is_ground(one, reading)]
    if frame.light:
        goals = [one for one in goals if one.part != "to"]  # raises it to the window
    return goals if verb else [one for one in goals if one.sort != "plain"]


def _presses_on(clause: Clause, reading: Reading) -> bool:
    """Whether what one has in the hand is pressed into a hand: another's then. Her other hand may be her own."""
    hands = reading.language.grammar["hands"]
    return any(one.text.casefold() in hands and not one.whole for one in clause.parts("into"))


def _comes_to_hand(verb: Verb | None, first: Role, held: bool, clause: Clause, reading: Reading) -> bool:
    """Whether a loose thing gets into the hand, whatever the verb: tips the key into her palm, shakes it out."""
    loose = any(not (one.fixed or one.worn_by) for _, one in reading.props(first.text))
    other = (IntentKind.GET, IntentKind.EAT_DRINK)
    moved = verb is None or (verb.manner in ("hand", "touch", "go") and verb.intent not in other)
    if not loose or held or not moved:
        return False
    inside = any(one.inside for _, one in reading.props(first.text))
    return _onto_own_hand(clause, reading) or (inside and "out" in clause.results and not clause.parts(*GOALS))


def _is_levelled(role: Role, reading: Reading) -> bool:
    """Whether it is raised to be used, and stays in the hand when it is lowered: 双眼鏡を下ろす."""
    return role.text.endswith(tuple(reading.language.grammar["levelled"]))


def _onto_own_hand(clause: Clause, reading: Reading) -> bool:
    """coaxes the cat onto his lap, scoops it into her arms: has it there."""
    hands = reading.language.grammar["hands"]
    return any(_last(one) in hands and not reading.names(one.whole, "character") for one in clause.parts(*GOALS))


def _is_key(verb: Verb | None, first: Role, clause: Clause, reading: Reading) -> bool:
    """Whether what is locked is opened with what is brought up to it: holds the badge against the gate."""
    if verb and (verb.intent == IntentKind.GET or verb.manner in ("sight", "voice")):
        return False
    laid = verb is not None and verb.intent == IntentKind.PUT
    sides = clause.parts("at", "into", "through", "to") if laid else clause.parts("at", "onto", "into", "through", "to")
    keys = {name for name, _ in reading.props(first.text)}
    for one in sides:
        locked = [prop for _, prop in reading.props(one.text) if prop.is_(Condition.LOCKED)]
        if any(keys & set(way.requires) for prop in locked for way in prop.affordances):
            clause.roles = [one._replace(part="object"), first._replace(part="with")]
            return True
    return False


def _is_carried(verb: Verb | None, first: Role, reading: Reading) -> bool:
    """Whether a thing goes along with whoever has it in the hand: takes it, carries it, brings it somewhere."""
    along = verb is None or verb.intent == IntentKind.GET
    return along and reading.held(_meant(first, verb, reading).text)


def _lowered(frame: Frame) -> frozenset[str]:
    """The words by which a thing leaves the hand; what is turned over stays in it."""
    return LOWERED - {"over"} if frame.flips else LOWERED


def _off_oneself(clause: Clause, first: Role, reading: Reading) -> bool:
    """shakes the water out of his hair, rubs the bags under his eyes: nothing that was there to be taken."""
    sides = [one for one in clause.parts("from", "beside") if not (one.whole and reading.names(one.whole, "character"))]
    body = any(word_in("body", _last(one)) for one in sides)
    return body and not reading.names(first.text, "prop", "character") and not word_in("pronouns", first.text)


def _sash(verb: Verb | None, frame: Frame, first: Role, clause: Clause, reading: Reading) -> Verb | None:
    """throws the window up, pulls the blind down; what stands there to be opened is put nowhere: pops the hatch."""
    shut = any(one.fixed and one.is_(Condition.OPEN | Condition.CLOSED) for _, one in reading.props(first.text))
    moved = verb is None or frame.near or frame.lifts or verb.intent == IntentKind.PUT or "loose" in clause.results
    if not shut or not moved or clause.parts(*GOALS, "from", "through"):
        return None
    closed = any(one.is_(Condition.CLOSED) for _, one in reading.props(first.text))
    if "up" in clause.results or "down" in clause.results:
        zipped = closed and _last(first) in reading.language.grammar["lids"]
        return verb_of("OPEN" if "up" in clause.results or zipped else "CLOSE")
    if closed and not {"aside", "back", "loose", "free"}.isdisjoint(clause.results):
        return verb_of("OPEN")
    pulled = frame.loosens and frame.near and not frame.light
    if pulled and not closed and _last(first).endswith(tuple(reading.language.grammar["drapes"])):
        return verb_of("CLOSE")  # カーテンを引く
    if closed and pulled and any(is_door(reading.world, name) for name, _ in reading.props(first.text)):
        clause.unplaced = True  # 戸を引く: it gives way, or it does not
        return verb_of("OPEN")
    lies = verb is not None and (
        verb.intent == IntentKind.PUT or (frame.brings and _last(first) in reading.language.grammar["blinds"])
    )
    return verb_of("OPEN" if closed else "CLOSE") if lies else None


def _is_ground(role: Role, reading: Reading) -> bool:
    """The floor, a wall, at her feet: what is put there is put down."""
    grammar = reading.language.grammar
    return _last(role) in grammar["grounds"] or (role.part == "at" and _last(role) in grammar["limbs"])


def _eaten(verb: Verb | None) -> bool:
    return verb is not None and verb.intent == IntentKind.EAT_DRINK


def _taken(verb: Verb | None, frame: Frame, first: Role, held: bool, clause: Clause, reading: Reading) -> Verb | None:
    """Whatever is moved out of something or off it is taken; what stands fixed is only pulled."""
    props = reading.props(first.text)
    fixed = bool(props) and all(one.fixed for _, one in props)
    out_of = [one for one in clause.parts("from") if not reading.names(one.text, "location")]
    theirs = any((one.worn_by or one.held_by or reading.who) != reading.who for _, one in props)
    sources = [one for one in out_of if theirs or verb is not None or not word_in("body", _last(one)) or one.whole]
    placed = verb is not None and verb.intent == IntentKind.PUT and clause.parts(*GOALS)
    loose = verb is None or frame.near or verb.intent == IntentKind.PUT
    worn = any(one.worn_by == reading.who for _, one in props)
    free = not {"free", "loose"}.isdisjoint(clause.results) and reading.names(first.text, "prop")
    pocketed = word_in("pockets", first.whole) and not worn  # 胸ポケットの鉛筆を抜く
    freed = sources or free or pocketed or (LOOSENED & set(clause.results) if loose and not worn else ())
    known = reading.names(first.text, "prop") or first.sort == "thing"
    known = known or (bool(sources) and _is_moved(first, clause, verb_of("GET"), None))
    lies = {one.on or one.inside for _, one in props} - {None}
    if frame.bares and held and not worn and not sources:
        return None
    if frame.bares and ("off" in clause.results or lies) and known and not (held or worn or fixed):
        return verb_of("GET")  # peels off a slice, unhooks the coat
    off = any(name in lies for one in sources for name, _ in reading.props(one.text))
    if not held and (verb is None or frame.takes or free or off) and freed and known and not fixed and not placed:
        kicked = any(_last(one) in reading.language.grammar["limbs"] for one in clause.parts("with"))
        return verb_of("TOUCH" if kicked else "GET")
    if frame.grips and any(is_door(reading.world, name) for name, _ in props):
        return verb_of("TOUCH")
    gripped = fixed and verb is not None and verb.intent == IntentKind.GET and frame.lifts
    if gripped and _onto_own_hand(clause, reading):
        return verb_of("TOUCH")  # takes the wheel in both hands
    if gripped and clause.plain and clause.plain != IntentKind.GET:
        return verb_of(clause.plain)
    if (
        frame.picks
        and reading.held(first.text)
        and not sources
        and (
            clause.lemma not in reading.language.grammar["picking"]
            or first.text in reading.taken
            or any(_on_person(one, reading) or word_in("body", _last(one)) for one in clause.parts(*GOALS))
        )
    ):
        return None
    mouthed = props or reading.props(first.whole)
    if _eaten(verb) and frame_of(clause.plain or "").feels and mouthed and not any(one.edible for _, one in mouthed):
        return verb_of("TOUCH")  # 煙管を噛む
    undone = (verb is None or frame.takes) and _is_undone(clause)
    if undone and any(one.container for _, one in props):
        return verb_of("OPEN")
    if undone and not held and any(one.carried_by == reading.who for _, one in props):
        return verb_of("GET")  # unslings the waterskin
    if undone and worn:
        return verb_of("REMOVE")
    return verb_of("USE") if undone and verb is None and props and not fixed else verb  # uncaps the marker


def _is_undone(clause: Clause) -> bool:
    """Whether it takes back what was done: unties, unbuckles."""
    return clause.lemma.startswith("un")


def _on_part(verb: Verb | None, frame: Frame, role: Role, first: Role, clause: Clause, reading: Reading) -> Verb | None:
    """A lid that is lifted opens what it covers, a key that is turned in a lock opens that; other parts are touched."""
    if (verb is None or frame.keys) and (lock := _lock(clause, reading)):
        clause.roles = [Role(lock, "object"), first._replace(part="with")]
        return verb_of("UNLOCK" if frame.turns else "TOUCH")
    if reading.names(role.text, "prop"):
        return None
    dust = (role.sort == "ambient" and bool(role.whole)) or (role.sort == "part" and not clause.parts(*GOALS))
    kept = role.sort == "part" and reading.held(role.whole)
    dust = dust or (kept and all(_is_ground(one, reading) for one in clause.parts(*GOALS)))  # 剣の切っ先を床に下ろす
    if dust and frame.dusts:
        return verb_of("TOUCH")  # taps the ash off the pipe
    if role.sort not in ("part", "lid"):
        return None
    if _is_undone(clause) and any(one.container for _, one in reading.props(role.whole)):
        clause.roles = [first if one is role else one for one in clause.roles]
        return verb_of("OPEN")  # unties the straps of his pack
    if frame.turns and role.sort == "part" and _opens(role.whole, reading):
        return verb_of("TOUCH")  # 扉のノブを回す
    if frame.bares and _is_worn(role.whole, reading):
        clause.roles = [role._replace(text=role.whole, whole="", head="", sort="thing")]
        return verb  # undoes the clasp of the necklace
    moved = verb is None or frame.lifts or frame.unlids or verb.intent == IntentKind.PUT
    if role.sort == "lid" and (moved or (frame.near and not frame.light)) and not clause.parts(*GOALS):
        closed = any(one.is_(Condition.CLOSED) for _, one in reading.props(role.whole))
        return verb_of("CLOSE" if {"down", "shut"} & set(clause.results) and not closed else "OPEN")
    return verb_of("TOUCH") if frame.lifts else None


def _lock(clause: Clause, reading: Reading) -> str | None:
    """What the lock is on that a key is put into: what it is said to be, or what was spoken of last and has one."""
    locks = [one for one in clause.parts(*GOALS) if _last(one) in reading.language.grammar["locks"]]
    wholes = [one.whole for one in locks if one.whole] or (reading.named if locks else [])
    shut = Condition.BARRED | Condition.UNLOCKED
    named = next((one for one in wholes if any(prop.is_(shut) for _, prop in reading.props(one))), None)
    return named or (_locked_by(reading.handled, reading) if locks and reading.handled else None)


def _locked_by(key: str, reading: Reading) -> str | None:
    """What a key opens of the things here."""
    keys, props = {name for name, _ in reading.props(key)}, reading.world.props
    fits = [name for name, one in props.items() if any(keys & set(way.requires) for way in one.affordances)]
    return next((one for one in fits if props[one].is_(Condition.LOCKED)), None)


def _last(role: Role) -> str:
    """The last noun of a phrase."""
    return role.head or role.text.rpartition("'s ")[2].split()[-1].casefold()


def _with_body(verb: Verb | None, role: Role, clause: Clause, reading: Reading) -> Verb | None:
    """closes her fingers around the key: holds it; works her arms into the coat: wears it."""
    if _last(role) in reading.language.grammar["limbs"]:
        worn = [_meant(one, verb_of("WEAR"), reading) for one in clause.parts(*GOALS, "through")]
        fit = [one for one in worn if any(not (prop.fixed or prop.container) for _, prop in reading.props(one.text))]
        clause.roles = [fit[0]._replace(part="object")] if fit else clause.roles
        return verb_of("WEAR") if fit else None
    if verb and verb.manner == "touch" and frame_of(verb.id).near and word_in("body", _last(role)):
        return verb_of("TOUCH")
    hand = _last(role) in reading.language.grammar["hands"]
    clenched = clause.is_any(reading.language.grammar["clenching"])
    sides = clause.parts("beside", "onto") if clenched else clause.parts("beside")
    around = [_about(one, reading) if one.sort == "measure" else one for one in sides]
    around = [one for one in around if reading.names(one.text, "prop") or one.sort == "thing"]
    if not hand or not around or (verb and not clenched and not frame_of(verb.id).wraps):
        return None
    clause.roles = [around[0]._replace(part="object")]
    return verb_of("HOLD")


# --- going -----------------------------------------------------------------------------------------------------------


def _moves(clause: Clause, reading: Reading) -> Iterator[ActionIntent]:
    """Where to; towards a thing is a gesture, and a room left leads nowhere yet."""
    objects = clause.parts("object")
    away = clause.parts("from")
    goals = [one for one in reversed(clause.parts(*GOALS)) if _is_destination(one, reading)]
    goals = [one for one in goals if one.part != "to" or not _is_shut_door(one, reading)]
    goals = [one for one in goals if one.head in one.text or not reading.here(one.text)]  # 甲板の端まで
    goals.sort(key=lambda one: (not reading.names(one.text, "location"), one.sort not in ("place", "ambient")))
    goals += [
        one
        for one in clause.parts("beside", "at", "about")
        if reading.names(one.text, "location") and not reading.here(one.text)
    ]
    goals += [
        one
        for one in clause.parts("toward")
        if not reading.names(one.text, "prop", "character") and _is_destination(one, reading)
    ]
    passed = [_meant(one, verb_of("MOVE"), reading) for one in clause.parts("through")]
    goals += [one for one in passed if reading.names(one.text, "prop", "location")]
    goals += [one for one in objects if reading.names(one.text, "location") and not away]
    rooms = [
        one
        for one in [*objects, *away]
        if reading.names(one.text, "location") or one.text in reading.language.grammar["rooms"]
    ]
    gone = [one for one in away if _is_destination(one, reading) and not reading.names(one.text, "prop", "character")]
    climbed = [one for one in goals[:1] if one.part == "onto" and reading.names(one.text, "prop")]
    if climbed and not any(is_door(reading.world, name) for name, _ in reading.props(climbed[0].text)):
        yield _act(verb_of("CLIMB"), climbed[0].text)
    elif goals:
        yield _act(verb_of("MOVE"), goals[0].text, sure=_place_decided(goals[0], reading))
    elif rooms:
        yield _act(verb_of("MOVE"), rooms[0].text, detail="LEAVE")
    elif _leaves_world(clause, reading):
        yield _act(verb_of("GO_OUT"), reading.language.phrases["outside"])
    elif clause.is_any(reading.language.grammar["returning"]) and (start := _started_from(reading)):
        yield _act(verb_of("MOVE"), start)
    elif away and reading.down():
        yield _act(verb_of("STAND"), None)
    elif gone:
        yield _act(verb_of("MOVE"), gone[0].text, sure=_place_decided(gone[0], reading))


def _started_from(reading: Reading) -> str | None:
    """The room that the speaker has left in this turn: ベランダに出て、鉢植えを抱えて戻ってくる."""
    start = reading.figure.location if reading.figure else None
    return start if start != reading.room else None


def _is_shut_door(role: Role, reading: Reading) -> bool:
    """Whether one only gets up to it: crosses to the locked door."""
    return any(is_door(reading.world, name) and not one.is_(Condition.OPEN) for name, one in reading.props(role.text))


def _leaves_world(clause: Clause, reading: Reading) -> bool:
    """goes out, 帰宅する, goes shopping: nowhere in this world, with or without saying where."""
    grammar = reading.language.grammar
    home = any(word_in("home", one.text) for one in clause.roles if one.part in ("object", "from", "beside"))
    plain = reading.language.language == "ja" and clause.is_any(grammar["going"])
    aims = [one for one in clause.parts("to", "toward", "object") if one.bare or plain]
    errand = any(_last(one) in grammar["errands"] for one in aims)
    out = clause.is_any(grammar["going"]) and "out" in clause.results and not clause.roles
    away = clause.is_any(grammar["riding"]) and not {"off", "away"}.isdisjoint(clause.results)
    return clause.is_any(grammar["homeward"]) or home or errand or out or away


def _is_destination(role: Role, reading: Reading) -> bool:
    """Whether one can go there: not a breath, not one's knees."""
    if reading.names(role.text, "location", "prop", "character"):
        return True
    if role.sort == "ambient" or word_in("ambient", role.text):
        return word_in("outside", role.text.split()[-1]) or word_in("outside", _last(role))
    return role.sort not in ("abstract", "part", "lid", "measure") and not word_in("pronouns", role.text)


def _place_decided(role: Role, reading: Reading) -> bool:
    """Whether it is settled that one can go there; in Japanese, 任務に戻る has に as 駅に戻る has."""
    if reading.names(role.text, "location", "prop", "character") or role.sort in ("place", "ambient"):
        return True
    vague = () if reading.language.language == "ja" else ("likely", "")
    return role.part in ("to", "into", "toward", "from", "object") and role.sort in ("plain", *vague)


# --- handling --------------------------------------------------------------------------------------------------------


def _handlings(clause: Clause, verb: Verb, reading: Reading) -> Iterator[ActionIntent]:
    """Taking, putting, using, eating: what is handled, with what, out of what, and where it goes."""
    objects, frame = clause.parts("object"), frame_of(verb.id)
    things = [_meant(_about(one, reading), verb, reading) for one in objects]
    things = [_in_cup(one, verb, reading) for one in things if _concrete(one, verb, reading)]
    goals = clause.parts(*GOALS)
    sheets = frame.made and [one for one in clause.parts(*GOALS) if reading.names(one.text, "prop")]
    if frame.placed and not objects and not frame.made and (taken := _last_taken(reading)):
        things = [Role(taken, "object")]
    if sheets or (not things and (frame.made or not objects)):
        things, goals = _done_on(clause, verb, frame, goals, reading)
    tool = next((one for one in clause.parts("with") if _is_tool(one, reading)), None)
    if not things and tool is not None:
        things, tool, verb = [tool], None, verb if verb.intent == IntentKind.USE else verb_of("USE")
    if objects and not things:
        return
    if frame.hands and tool and things and reading.names(things[0].text, "character"):
        clause.roles.append(things[0]._replace(part="receiver"))  # presents Ann with the cup
        things, tool = [tool], None
    if objects and reading.names(things[0].text, "character") and verb.intent == IntentKind.USE:
        return
    poured = frame.contents and not any(reading.held(one.text) for one in things)
    if poured and (vessel := _vessel(clause, reading)):
        things = [Role(vessel, "object")]
    elif poured and reading.handled and not any(_resolves(one.text, reading) for one in things):
        return  # slops water over the floor, out of the bucket that was just set down
    verb = _tasted(clause, verb, things, reading)
    verb, goal = _goal(clause, verb, frame, things, goals, reading)
    if _stays_on_person(clause, verb, things, reading):
        return
    goal = goal if goal is None or not goal.text or _decided(goal, reading) else None
    towards = goal is not None and goal.part == "to" and not reading.names(goal.text, "character")
    guessed = towards and clause.plain is None and clause.guessed
    targets: list[tuple[str | None, bool]] = [
        (one.text, _decided(one, reading) or _is_moved(one, clause, verb, goal)) for one in things
    ]
    targets = targets or [(one, True) for one in _unspoken(clause, verb, reading) if not objects]
    source = _source(clause, verb, reading)
    verb = verb if goal or not frame.dons or not _is_eyewear(targets, reading) else verb_of("WEAR")
    strange = reading.strange and any(word_in("pronouns", one.text) for one in objects)
    # Where something is taken out of or put into what is surely a thing and nowhere, it does not matter what.
    into = goal.text if goal is not None and goal.sort == "thing" else None
    used = tool.text if tool is not None and tool.sort == "thing" else None
    nowhere = any(one and not _resolves(one, reading) for one in (source, into, used))
    left = goal is not None and clause.is_any(reading.language.grammar["leaving"])
    if not things and targets and targets[0][0] == reading.reached and verb.intent == IntentKind.EAT_DRINK:
        yield _act(verb_of("GET"), reading.reached)  # コーヒーに手を伸ばし、ひと口すする
    for target, decided in targets:
        verb = verb_of("PUT") if left and reading.held(target or "") else verb  # 外して投げ捨てる
        if verb.intent == IntentKind.PUT and _is_worn(target, reading) and not reading.held(target or ""):
            yield _act(verb_of("REMOVE"), target, sure=decided)
        if frame_of(verb.id).wears and clause.plain != verb.id and _lies_free(target, reading):
            yield _act(verb_of("GET"), target, sure=decided)
        if frame_of(clause.verb or "").stows and not reading.held(target or ""):
            yield _act(verb_of("GET"), target, source=_source(clause, verb_of("GET"), reading), sure=decided)
        yield _act(
            verb, target,
            destination=(goal.text or None) if goal else None,
            instrument=tool.text if tool else None,
            source=source,
            on_top=bool(goal and goal.on_top and verb.intent == IntentKind.PUT),
            sure=(decided and not clause.unplaced and not guessed and not strange) or nowhere,
        )  # fmt: skip


def _in_cup(role: Role, verb: Verb, reading: Reading) -> Role:
    """What is eaten or drunk of something in the hand that the world calls otherwise: the 酒 of a 杯."""
    if not _eaten(verb) or role.text not in reading.language.grammar["meals"] or reading.names(role.text, "prop"):
        return role
    held = [name for name, one in reading.world.props.items() if one.edible and reading.held(name)]
    return role._replace(text=held[0]) if len(held) == 1 else role


def _last_taken(reading: Reading) -> str | None:
    """What was taken up in this turn and is still in the hand: 地図を引き抜き、席に戻って机に広げる."""
    taken = [one.target for one in reading.acts if one.intent == IntentKind.GET and one.sure and one.target]
    return taken[-1] if taken and taken[-1] in reading.taken else None


def _is_eyewear(targets: Sequence[tuple[str | None, bool]], reading: Reading) -> bool:
    """Whether a thing is worn by the verb of spreading: 眼鏡をかける."""
    ends = tuple(reading.language.grammar["eyewear"])
    return any(name.endswith(ends) for text, _ in targets for name in (text or "", *dict(reading.props(text))))


def _tasted(clause: Clause, verb: Verb, things: Sequence[Role], reading: Reading) -> Verb:
    """Whether what may be eaten or drunk by its verb is food or drink: 飴を口に含む."""
    if not _eaten(verb) or not clause.is_any(reading.language.grammar["tasting"]):
        return verb
    text = (things[0].text if things else reading.handled) or ""
    kinds = {one.edible for _, one in reading.props(text) or reading.props(text.partition("の")[0])}
    return verb_of("DRINK") if "drink" in kinds else verb_of("EAT") if "food" in kinds else verb


def _lies_free(target: str | None, reading: Reading) -> bool:
    """Whether a thing is in nobody's hands and on nobody."""
    props = reading.props(target)
    return any(one.wearable and not (one.held_by or one.worn_by or one.carried_by) for _, one in props) and not (
        reading.held(target or "")
    )


def _is_moved(role: Role, clause: Clause, verb: Verb, goal: Role | None) -> bool:
    """Whether an object is taken out of something, put somewhere or eaten, as only a thing can be."""
    if role.bare or role.sort not in ("likely", ""):
        return False
    out_of, taken = clause.parts("from"), verb.intent == IntentKind.GET
    if taken and any(word_in("clothes", _last(one)) for one in out_of):
        return True
    placed = verb.intent == IntentKind.PUT and (goal is not None or bool(clause.parts(*GOALS)))
    eaten = _eaten(verb) and not clause.guessed
    return role.sort == "likely" and (placed or eaten or (taken and bool(out_of or not clause.guessed)))


def _done_on(
    clause: Clause, verb: Verb, frame: Frame, goals: list[Role], reading: Reading
) -> tuple[list[Role], list[Role]]:
    """What a verb without an object of its own is done to or on: writes in the ledger, drinks from the cup."""
    if verb.intent in (IntentKind.GET, IntentKind.PUT):
        return [], goals
    ways: tuple[Part, ...] = ("onto", "into", "from", "about", "at", "with")
    sides = [
        one for one in clause.parts(*ways)
        if reading.names(one.text, "prop")
        or (one.sort in ("thing", "animal") and (one.part == "about" or not one.bare))
    ]  # fmt: skip
    if frame.onto:
        sides += [one for one in clause.parts("to") if _concrete(one, verb_of("PUT"), reading)]
    return sides[:1], [one for one in goals if one not in sides[:1]]


def _goal(
    clause: Clause, verb: Verb, frame: Frame, things: Sequence[Role], goals: Sequence[Role], reading: Reading
) -> tuple[Verb, Role | None]:
    """Where what is handled goes: to a person, into or onto a thing, into what was just opened; or it stays in hand."""
    receiver = next((one for one in clause.parts("receiver")), None) or _receiver(clause, verb, reading)
    if receiver and (verb.intent == IntentKind.PUT or frame.gives):
        return verb_of("GIVE"), _person(receiver, reading)
    fed = [one for one in goals if _last(one) in reading.language.grammar["mouths"]]
    if verb.intent == IntentKind.PUT and any(not reading.names(one.whole, "character") for one in fed):
        edible = any(one.edible for thing in things for _, one in reading.props(thing.text))
        return verb_of("EAT" if edible else "HOLD"), None
    taken = sorted((_taker(one, reading) for one in goals), key=lambda one: not reading.names(one.text, "character"))
    lays = frame_of(verb.id).lays
    if lays and any(_is_own_pocket(one, reading) for one in goals):
        return verb_of("HOLD" if reading.world.version == "0.1" else "STOW"), None
    put = verb.intent == IntentKind.PUT and not clause.is_any(reading.language.grammar["leaning"])
    fit = [one for one in taken if _receives(one, reading)] if put or frame.goes_to else []
    if fit:
        return verb, fit[0]
    own = [one for one in goals or clause.parts("beside") if _on_person(one, reading)]
    laid = lays or (frame_of(verb.id).grips and _is_slung(things, reading))
    if laid and any(_last(one) in reading.language.grammar["carriers"] for one in own):
        return verb_of("STOW"), None  # behind an ear, 帯に差す
    taken_up = things and (reading.held(things[0].text) or not clause.is_any(reading.language.grammar["clasping"]))
    if lays and own and taken_up and own[0].part != "to":
        return verb_of("HOLD"), None
    laid = lays or frame.placed
    inward = laid and not {"in", "inside", "away", "back", "within"}.isdisjoint(clause.results)
    container = next((one for one, prop in reading.props(reading.opened) if prop.container), None) if inward else None
    if inward and not container and not goals and _is_own_thing(things, reading):
        return verb_of("STOW"), None  # しまう, after taking it out
    return (verb_of("PUT"), Role(container, "into")) if container else (verb, None)


def _receiver(clause: Clause, verb: Verb, reading: Reading) -> Role | None:
    """Who gets what is passed to him, pressed into her palm; a glass that is raised to her stays where it is."""
    if verb.intent != IntentKind.PUT and not frame_of(verb.id).gives:
        return None
    taken = (_taker(one, reading) for one in clause.parts("to", "into", "onto"))
    known = reading.language.grammar["receivers"]
    named = reading.language.language == "en"  # the boy, whom the world calls otherwise
    return next(
        (one for one in taken if one.text.casefold() in known or (named and one.sort == "person" and not one.bare)),
        None,
    )


def _is_own_thing(things: Sequence[Role], reading: Reading) -> bool:
    """Whether what is handled is what the speaker carries about."""
    named = reading.props(things[0].text) if things else reading.props(reading.handled)
    return any(one.carried_by == reading.who for _, one in named)


def _is_slung(things: Sequence[Role], reading: Reading) -> bool:
    """Whether what is in the hand can be on one's back, and the hand is free after it: 盾を背中に背負う."""
    return any(
        reading.held(one.text) and not (prop.container or prop.alive)
        for one in things
        for _, prop in reading.props(one.text)
    )


def _stays_on_person(clause: Clause, verb: Verb, things: Sequence[Role], reading: Reading) -> bool:
    """Whether what is in the hand stays at hand: it is held, or goes under an arm."""
    sides = clause.parts(*GOALS) or clause.parts("beside", *(() if "down" in clause.results else ("at",)))
    own = any(_on_person(one, reading) for one in sides)
    held = bool(things) and reading.held(things[0].text)
    return held and (frame_of(verb.id).grips or (own and frame_of(verb.id).lays))


def _person(role: Role, reading: Reading) -> Role:
    """Him, her or you: the only other person here, whom the judge finds by no name."""
    return role if reading.names(role.text, "character") else Role("", role.part)


def _is_own_pocket(role: Role, reading: Reading) -> bool:
    """Whether it is a pocket of the speaker's own: into his jacket pocket, 懐に."""
    people = [name for _, (kind, name) in reading.find(role.whole) if kind == "character"] if role.whole else []
    inside = role.part == "into" and word_in("clothes", _last(role)) and not reading.names(role.text, "prop")
    return (inside or word_in("pockets", _last(role))) and (not people or reading.who in people)


def _on_person(role: Role, reading: Reading) -> bool:
    """Whether it is one's own body or clothes: into her pocket, under his arm."""
    things: tuple[Kind, ...] = ("prop",) if role.sort == "part" or role.part in ("at", "onto") else ()
    owned = role.whole and reading.names(role.whole, "character", *things)
    mine = word_in("clothes", _last(role)) or (role.part != "to" and word_in("body", _last(role)))
    mine = mine or (role.whole_sort == "ambient" and word_in("body", role.whole))  # the case at her hip
    return mine and not owned and not reading.names(role.text, "prop") and not _is_ground(role, reading)


def _taker(role: Role, reading: Reading) -> Role:
    """Where something goes: into Ann's palm is to Ann, into it is into what was just opened or named."""
    grammar = reading.language.grammar
    if alike := _alike(role.text, reading):
        return role._replace(text=alike)
    if role.whole.casefold() in grammar["receivers"] and _last(role) in grammar["hands"]:
        return role._replace(text=role.whole, sort="", whole="")
    if word_in("pronouns", role.text):
        several = role.text.casefold() == "them"
        spoken = [one for one in (reading.opened, *reading.named) if one]
        spoken.sort(key=lambda one: several and not one.endswith("s"))
        return role._replace(text=next((one for one in spoken if not reading.held(one)), next(iter(spoken), role.text)))
    reached = _last(role) in grammar["hands"] or _last(role) in grammar["mouths"]
    taken = role.whole and reached and reading.names(role.whole, "character")
    return role._replace(text=role.whole, sort="") if taken else _about(role, reading)


def _receives(role: Role, reading: Reading) -> bool:
    """Whether a phrase says where something goes."""
    if (
        reading.names(role.text, "prop", "character", "location")
        or word_in("vague", role.text)
        or word_in("pronouns", role.text)
    ):
        return True
    if _is_ground(role, reading):
        return False
    if role.whole and reading.names(role.whole, "prop", "character"):
        return role.sort != "abstract" or _last(role) in reading.language.grammar["hands"]
    return role.sort in ("thing", "plain", "likely") or (role.sort == "" and not role.denied)


def _source(clause: Clause, verb: Verb, reading: Reading) -> str | None:
    """What something is taken out of."""
    if verb.intent not in (IntentKind.GET, IntentKind.PUT) and not frame_of(verb.id).takes:
        return None
    taken = [prop for one in clause.parts("object") for _, prop in reading.props(one.text)]
    if any(reading.who in (prop.carried_by, prop.worn_by) for prop in taken):
        return None  # wherever one had it about one
    out_of = [one for one in clause.parts("from") if not word_in("pronouns", one.text)]
    places = [one for one in out_of if not reading.names(one.text, "character", "location")]
    places = [one for one in places if not _is_ground(one, reading)]
    return next((one.text for one in places if reading.names(one.text, "prop") or one.sort in ("thing", "plain")), None)


def _vessel(clause: Clause, reading: Reading) -> str | None:
    """What is poured out of: what is named as that, or what is in the hand."""
    named = [one.text for one in clause.parts("from") if reading.names(one.text, "prop")]
    poured, holding = [one.text for one in clause.parts("object")], reading.figure.holding if reading.figure else ()
    named += [name for name in holding if any(one in name for one in poured)]
    it = reading.handled
    held = [it] if it and reading.held(it) and not word_in("clothes", it) else []
    return next(iter([*named, *held]), None)


def _unspoken(clause: Clause, verb: Verb, reading: Reading) -> Sequence[str | None]:
    """A verb without an object: something vague, what was just handled or opened, or the one thing in the hand."""
    sides = clause.roles if reading.language.language == "ja" else clause.parts("object", "with", "about")
    if vague := [one.text for one in sides if word_in("vague", one.text) or word_in("pronouns", one.text)]:
        return vague[:1]
    frame = frame_of(verb.id)
    if frame.complete:
        return _picked_up(frame, reading)
    if frame.closes and reading.opened:
        return [reading.opened]
    drops = reading.language.language == "ja" or frame.switched or verb.intent == IntentKind.EAT_DRINK
    spoken = _spoken_of(verb, frame, reading) if drops or reading.reached else None
    if spoken:
        eaten = reading.acts and reading.acts[-1].intent == verb.intent == IntentKind.EAT_DRINK
        return [] if eaten else [spoken]
    holding = reading.figure.holding if reading.figure and reading.language.language == "ja" else ()
    alone = len(holding) == 1 and not any(one.edible is False for _, one in reading.props(holding[0]))
    return [None] if alone and verb.intent == IntentKind.EAT_DRINK else []


def _picked_up(frame: Frame, reading: Reading) -> Sequence[str | None]:
    """What was taken just now, for a verb that goes on with it: 手に取って羽織る."""
    last = reading.acts[-1] if reading.acts and frame.picked else None
    return [last.target] if last and last.intent == IntentKind.GET else []


def _spoken_of(verb: Verb, frame: Frame, reading: Reading) -> str | None:
    """The thing that a verb without an object goes on about."""
    if reading.reached:
        return reading.reached
    if verb.intent == IntentKind.GET:
        if reading.language.language != "ja" or reading.noticed is None or reading.held(reading.noticed):
            return None
        opened = reading.props(reading.opened) if reading.noticed == reading.opened else []
        return _only_content(reading) if any(one.container for _, one in opened) else reading.noticed
    if verb.intent == IntentKind.EAT_DRINK and reading.world.version != "0.1":
        food = (one for one in (reading.handled, *reading.named) if one)
        return next((one for one in food if any(prop.edible for _, prop in reading.props(one))), None)
    operated = [one for one in (reading.handled, *reading.named) if one and frame.switched]
    if fit := [one for one in operated if _fits(one, verb.id, reading)]:
        return fit[0]
    named = next((one for one in operated if _stands(one, reading)), None)
    return named if named and not _stands(reading.handled, reading) else reading.handled


def _only_content(reading: Reading) -> str | None:
    """The one thing in what was just opened: 缶を開け、一枚つまむ."""
    opened = {name for name, _ in reading.props(reading.opened)}
    inside = [name for name, one in reading.world.props.items() if one.inside in opened]
    return inside[0] if len(inside) == 1 else None


def _stands(text: str | None, reading: Reading) -> bool:
    """Whether a text names something that is operated where it stands."""
    return any(in_place(reading.world, name, prop) for name, prop in reading.props(text))


# --- looking, touching, sitting --------------------------------------------------------------------------------------


def _glances(clause: Clause, verb: Verb, reading: Reading) -> Iterator[ActionIntent]:
    """What it is done to; a part of the body or the air is a gesture."""
    where = [_about(one, reading) for one in clause.roles if one.part == "object"]
    # watches the rings spread on the water: whatever they are, they are what is watched
    watched = bool(where) and verb.manner == "sight" and reading.language.language == "en"
    sides = clause.parts("at", "onto", "into", "to", "through", "about")
    where += [_about(one, reading) for one in sides if not watched or reading.names(one.text, "prop", "character")]
    openings = reading.language.grammar["openings"]
    where = [one for one in where if _last(one) not in openings or reading.names(one.text, "prop")]
    things = [one for one in where if _concrete(one, verb, reading)]
    vague = [one for one in where if word_in("vague", one.text)] if verb.manner == "touch" else []
    tool = next((one for one in clause.parts("with") if _is_tool(one, reading)), None)
    leans = frame_of(verb.id).posture and frame_of(verb.id).light
    glances = clause.is_any(reading.language.grammar["glancing"])
    if frame_of(verb.id).rises and not things and not vague and reading.down():
        yield _act(verb, None)
    if tool and not things and not vague:
        yield _act(verb_of("USE"), tool.text)
    for role in (things or vague)[:1]:
        meant = _meant(role, verb, reading)
        sure = _decided(meant, reading) and (
            not glances or word_in("pronouns", meant.text) or _resolves(meant.text, reading)
        )
        sure = sure and (verb.manner != "sight" or not reading.opened or _resolves(meant.text, reading))
        # one has gone there to sit down: 縁側の籐椅子に身を沈める
        sure = sure and not (frame_of(verb.id).posture and reading.names(role.whole, "location"))
        sure = sure and (not leans or reading.names(meant.text, "prop", "character"))
        source = _source(clause, verb, reading)
        yield _act(verb, meant.text, instrument=tool.text if tool else None, source=source, sure=sure)


# --- what a phrase is about ------------------------------------------------------------------------------------------


def _about(role: Role, reading: Reading) -> Role:
    """The page of the magazine is the magazine's, a slice of the cake is cake; a strand of hair is hair."""
    if not role.whole or reading.names(role.text, "prop", "character") or role.whole in role.text:
        return role
    named = reading.names(role.whole, "prop") or role.whole_sort == "thing"
    if role.sort in ("part", "lid") or (role.sort == "measure" and named):
        return role._replace(text=role.whole, whole="", head="", sort=role.whole_sort)
    if role.whole_sort in ("ambient", "abstract"):
        return role._replace(sort="ambient")
    return role


def _meant(role: Role, verb: Verb | None, reading: Reading) -> Role:
    """What a pronoun or a bare part stands for."""
    part = (role.sort in ("part", "lid") and not role.whole) or _is_on_handled(role, reading)
    shut = (
        verb is not None
        and frame_of(verb.id).closes
        and role.text in reading.language.grammar["doors"]
        and reading.opened
    )
    if reading.handled and reading.handled.startswith(f"{role.text} of "):
        return role._replace(text=reading.handled)
    if verb and frame_of(verb.id).bars and (barred := _barred(role.text, reading) or _worked_at(role, reading)):
        return role._replace(text=barred, sort="thing")
    if shut and any(one.container for _, one in reading.props(reading.opened)):
        return role._replace(text=reading.opened or "", sort="thing")
    if alike := _alike(role.text, reading):
        return role._replace(text=alike)
    if reading.names(role.text, "prop") or not (part or shut or word_in("pronouns", role.text)):
        return role
    meant = _meant_text(role.text, verb.id if verb else "", reading)
    return role._replace(text=meant, sort="thing" if meant != role.text else role.sort)


def _is_on_handled(role: Role, reading: Reading) -> bool:
    """Whether it is a part of the machine that was just handled, though it may be a thing by itself: マイク."""
    part = role.text in reading.language.grammar["parts"] and not reading.names(role.text, "prop")
    part = part and not word_in("body", role.text)
    return part and reading.handled is not None and _is_switchable(reading.handled, reading)


def _barred(text: str, reading: Reading) -> str | None:
    """The closet door where the closet is opened, which is no thing by itself: the only one here of such a name."""
    if reading.names(text, "prop"):
        return None
    word, world = text.casefold(), reading.world
    named = [name for name in world.props if word in name.casefold().split()[:-1] and is_door(world, name)]
    return named[0] if len(named) == 1 else None


def _worked_at(role: Role, reading: Reading) -> str | None:
    """What a bare door is that of, where none here is called so: of what a key was just put into."""
    last = reading.acts[-1] if reading.acts else None
    if role.whole or role.text not in reading.language.grammar["doors"] or last is None or not last.instrument:
        return None
    here = any(one.location == reading.room for _, one in reading.props(role.text))
    return last.target if not here and _opens(last.target or "", reading) else None


def _alike(text: str, reading: Reading) -> str | None:
    """Of several things of that name, the one that was spoken of last, or else the only one that is here."""
    props = dict(reading.props(text))
    if len(props) < 2:
        return None
    spoken = [name for one in reading.named for name, _ in reading.props(one)]
    here = [name for name, one in props.items() if reading.has_here(name, one)]
    return next((one for one in spoken if one in props), here[0] if len(here) == 1 else None)


def _meant_text(text: str, verb: str, reading: Reading) -> str:
    """`it`, or a part of what was just handled: of the things spoken of, the latest that the verb may be about."""
    if reading.names(text, "prop", "location"):
        return text
    inside = _only_content(reading) if reading.handled and reading.handled == reading.opened else None
    if inside and frame_of(verb).picks and word_in("pronouns", text):
        return inside
    lately = (
        [*reading.named, reading.handled] if reading.language.language == "en" else [reading.handled, *reading.named]
    )
    spoken = [one for one in (reading.opened if frame_of(verb).closes else None, *lately) if one]
    fit = [one for one in spoken if _fits(one, verb, reading)]
    return (fit or spoken or [text])[0]


def _fits(text: str, verb: str, reading: Reading) -> bool:
    """Whether a thing may be what a verb is done to: one sits on nothing that one holds."""
    props, fit = reading.props(text), reading.language.verbs.get(verb)
    if fit is None or not props:
        return True
    (_, prop), frame = props[0], frame_of(verb)
    if fit.intent == IntentKind.EAT_DRINK:
        return prop.edible is not False
    if frame.bars:
        return prop.container or prop.is_(Condition.OPEN | Condition.BARRED | Condition.UNLOCKED)
    if frame.powers:
        return prop.is_(Condition.ON | Condition.OFF)
    if fit.intent == IntentKind.GET and not frame.stays:
        return not prop.fixed
    if fit.intent == IntentKind.PUT:
        return reading.held(text) and text != reading.opened
    if fit.intent == IntentKind.GET and not frame.stays:
        return not prop.fixed
    return not (frame.bears and reading.held(text))


def _concrete(role: Role, verb: Verb, reading: Reading) -> bool:
    """Whether an object is a thing (be it missing), and not a breath, a look or a part of the body."""
    text, frame = role.text, frame_of(verb.id)
    vague = word_in("vague", text)
    dressed = role.sort == "ambient" and not role.whole and _is_elsewhere(text, reading)
    if role.denied or (dressed and word_in("clothes", _last(role))):
        return False  # his own jacket, where another's is elsewhere
    if reading.names(text, "prop", "character") or word_in("pronouns", text) or vague:
        return (verb.manner == "hand" and not (vague and frame.made)) or not vague
    if role.sort == "abstract" and reading.language.language == "ja":
        return False
    if role.whole and role.whole in text and (reading.names(role.whole, "prop") or reading.away(role.whole)):
        return True
    if text.split()[0].casefold() in reading.language.grammar["selves"]:
        return False
    if role.sort in ("part", "lid") and not role.whole:
        return reading.handled is not None
    if reading.names(text, "location") or role.sort in ("ambient", "abstract", "place"):
        return False
    if verb.manner == "voice" and _is_on_handled(role, reading):
        return False
    if frame.made or verb.manner in ("sight", "voice") or frame.light:
        return role.sort == "thing"
    sort = role.whole_sort if role.sort in ("part", "lid") else role.sort
    if sort == "ambient":
        return False
    return verb.manner == "hand" or sort in ("thing", "plain")


def _decided(role: Role, reading: Reading) -> bool:
    """Whether it is settled what a phrase names: something of this world, or what is certainly a thing."""
    known = reading.names(role.text, "prop", "character", "location")
    owned = bool(role.whole) and reading.names(role.whole, "prop")
    if not known and not owned and _last(role) in reading.language.grammar["doors"]:
        return not (_any_door(reading) or reading.names(role.whole, "location"))
    if not known and _is_in_name(role.text, reading):
        return False
    sure = (
        role.sort in ("thing", "plain", "animal")
        or (role.sort == "part" and role.whole_sort in ("thing", "plain"))
        or (role.sort == "person" and not role.bare)
    )
    return (
        known
        or sure
        or word_in("pronouns", role.text)
        or word_in("vague", role.text)
        or (bool(role.whole) and (reading.names(role.whole, "prop", "character")))
    )


def _is_in_name(text: str, reading: Reading) -> bool:
    """Whether a word stands in the name of a thing that is here: the whiskey of the whiskey glass."""
    word, props = text.casefold(), reading.world.props
    return any(props[name].location == reading.room for name in props if word in name.casefold().split()[:-1])


def _any_door(reading: Reading) -> bool:
    """Whether a door that is called otherwise may be one of those here."""
    return reading.opened is not None or not reading.world.locations or any(
        reading.here(room) for rooms in reading.world.index.doors.values() for room in rooms
    )


def _is_tool(role: Role, reading: Reading) -> bool:
    """The thing an act is done with; not with care, with a smile, with both hands."""
    return reading.names(role.text, "prop") or (role.sort == "thing" and not reading.names(role.text, "character"))


def _out_of_touch(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """A hand on somebody is a gesture, but they must be here."""
    verb = _verb(clause)
    if not clause.verb or (verb.manner != "touch" and verb.intent != IntentKind.GET):
        return []
    whole = [one.whole for one in clause.parts("object", "to") if one.sort == "ambient" and one.whole]
    return [_act(verb_of("TOUCH"), one) for one in whole if reading.away(one)][:1]


def _absent(clause: Clause, reading: Reading) -> list[ActionIntent]:
    """Whatever is done with it, a common thing must be there; one may only think or speak of it, or look for it."""
    if clause.is_any(reading.language.grammar["tolerant"]) or clause.verb == IntentKind.EMOTE:
        return []
    seen = clause.parts("object") if _verb(clause).manner == "sight" and reading.language.language == "en" else []
    for one in seen or clause.roles:
        role = _owner(one, clause, reading)
        loose = one.part in ("about", "toward") or (one.bare and one.part != "object")
        loose = loose or (one.part == "from" and not clause.parts("object"))
        loose = loose or (one.part == "to" and clause.verb is None and not clause.parts("object"))
        loose = loose or (clause.verb is None and any(word_in("body", _last(one)) for one in clause.parts("at")))
        loose = loose or (one.part == "beside" and not _gets_behind(clause))
        loose = loose or (_off_oneself(clause, role, reading) and one.part == "object")
        loose = loose or _last(role) in reading.language.grammar["doors"] or _is_in_name(role.text, reading)
        loose = loose or _is_ground(role, reading) or _is_own_seat(role, clause, reading)
        loose = loose or _is_on_handled(role, reading)
        loose = loose or (one.part != "object" and _last(role) in reading.language.grammar["openings"])
        missing = role.sort in ("thing", "animal") and not loose and not _resolves(role.text, reading)
        away = (one.part == "object" or _is_worked_with(one, clause)) and _is_elsewhere(role.text, reading)
        if not role.denied and (missing or away):
            return [_act(verb_of("INSPECT"), role.text)]
    return []


def _gets_behind(clause: Clause) -> bool:
    """Whether somebody goes to where a phrase says: hides behind the curtain. Other things may happen near anything."""
    verb = verb_of(clause.verb or clause.plain or "USE")
    return verb.intent in (IntentKind.MOVE, IntentKind.PUT) and not clause.parts("object")


def _is_worked_with(role: Role, clause: Clause) -> bool:
    """Whether something is put into it, taken off it or done with it, be that only clothes."""
    moved = [one for one in clause.parts("object") if not word_in("body", _last(one))]
    return bool(moved) and role.part in ("into", "onto", "from", "with")


def _is_elsewhere(text: str, reading: Reading) -> bool:
    """Whether all that a text names stands in other rooms."""
    away = [one.location != reading.room and not is_door(reading.world, name) for name, one in reading.props(text)]
    return all(kind == "prop" and how != "part" for how, (kind, _) in reading.find(text)) and bool(away) and all(away)


def _is_own_seat(role: Role, clause: Clause, reading: Reading) -> bool:
    """Whether somebody only gets up or sits up: pushes back a chair that nobody has spoken of."""
    seat = word_in("furniture", _last(role)) and "back" in clause.results
    return seat and not (reading.held(role.text) or _is_here(role.text, reading))


def _is_here(text: str, reading: Reading) -> bool:
    """Whether a text names a thing of this room."""
    return any(reading.has_here(name, one) for name, one in reading.props(text))


def _owner(role: Role, clause: Clause, reading: Reading) -> Role:
    """What a part belongs to: the fan of its blades, the dog of its head; a smell or a sound may come from anywhere."""
    role = _about(role, reading)
    sensed = _last(role) in reading.language.grammar["sensed"] or word_in("ambient", role.text)
    if not role.whole or role.sort == "abstract" or sensed:
        return role
    manner = _verb(clause).manner if clause.verb else "hand"
    bodily = manner in ("hand", "touch") and role.part in ("object", "to") and role.sort != "ambient"
    own = role.sort in ("part", "lid", "ambient") or bodily
    return role._replace(text=role.whole, sort=role.whole_sort) if own else role


def _resolves(text: str, reading: Reading) -> bool:
    kinds: tuple[Kind, ...] = ("prop", "character", "location")
    return reading.names(text, *kinds) or reading.names(text.split()[-1], *kinds)


def without_sips(acts: Sequence[ActionIntent], reading: Reading) -> list[ActionIntent]:
    """What is set down or passed on after a sip was not all drunk: that sip was a gesture."""
    left, found = set[str](), list[ActionIntent]()
    for one in reversed(acts):
        names = {name for name, _ in reading.props(one.target)}
        left |= names if one.intent == IntentKind.PUT else set()
        sip = frame_of(one.verb or "").sips and bool(names & left)
        found.append(ActionIntent(intent=IntentKind.EMOTE, detail=one.detail) if sip else one)
    return found[::-1]


def without_way_stations(acts: Sequence[ActionIntent]) -> list[ActionIntent]:
    """Leaving a room says nothing of its own once it is said where to."""
    return [
        one
        for place, one in enumerate(acts)
        if one.verb != "LEAVE" or all(later.intent != IntentKind.MOVE for later in acts[place + 1 : place + 5])
    ]
