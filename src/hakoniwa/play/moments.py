"""Moments: the journal as a story pattern sees it, one thing that happened after the other."""

from collections.abc import Iterable, Iterator

from hakoniwa.actor.mind import MindState
from hakoniwa.gm.act import Act, shown
from hakoniwa.gm.pattern import Moment
from hakoniwa.journal import Row
from hakoniwa.pack import Verb, verb_of
from hakoniwa.play.standing import turn_of
from hakoniwa.stage.belief import first_belief
from hakoniwa.stage.scenario import Scenario, Urge
from hakoniwa.turn import PHYSICAL, Event, IntentKind, PatchOp, Process, Turn

SPEECH = {IntentKind.SAY: "said", IntentKind.ASK: "asked", IntentKind.ANSWER: "answered"}


def moments(scenario: Scenario, rows: Iterable[Row]) -> list[Moment]:
    """Everything that happened, in order."""
    onlooker = Onlooker(scenario)
    return [moment for row in rows for moment in onlooker.read(row.event)]


class Onlooker:
    """Reads one event after the other, and knows who is where, what is in what, and who has set what going."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.urges = {one.id: one.urges for one in scenario.incidents}
        self.rooms = {who: figure.location for who, figure in scenario.world.characters.items()}
        self.things = {name: prop.inside for name, prop in scenario.world.props.items()}
        self.known = {
            who: frozenset(first_belief(scenario.world, who, role.knows).props) for who, role in scenario.cast.items()
        }
        self.starter: dict[str, tuple[str | None, str | None]] = {}
        self.found: set[str] = set()
        self.content: dict[str, frozenset[str]] = {}

    def read(self, event: Event) -> list[Moment]:
        """The moments of one event."""
        seen = list(self._read(event))
        before = dict(self.rooms)
        for operation in event.world_delta:
            if operation.op != "test":
                self._follow(operation)
        return [*seen, *(self._company(event.turn, before) if before != self.rooms else ())]

    def _read(self, event: Event) -> Iterator[Moment]:
        match event.kind:
            case "turn":
                yield from self._turn(event, turn_of(event))
            case "opening":
                yield from self._voice(event, self.scenario.opening.urges)
            case "user":
                yield from self._voice(event, _urges(event))
            case "prop":
                yield from self._urged(event, _urges(event), topic=event.payload["name"])
            case "incident":
                yield from self._incident(event)
            case "process":
                yield from self._process(event, Process.model_validate(event.payload["process"]))
            case "end" if event.payload.get("reason") == "goal":
                yield Moment(turn=event.turn, kind="goal", text=event.payload.get("text") or None)

    # --- a turn ---

    def _turn(self, event: Event, turn: Turn) -> Iterator[Moment]:
        mind = MindState.model_validate(turn.mind)
        met = self._fulfilled(turn.speaker, mind)
        base = Moment(
            turn=turn.number, kind="act", who=turn.speaker, room=self.rooms[turn.speaker], want=_want(turn, mind, met)
        )
        if turn.take.ruling.allowed:
            yield from self._deeds(base, event, turn)
        else:
            yield self._denied(base, turn)
        yield from _spoken(base, turn)
        for want in met:
            yield _of(base, kind="fulfilled", want=want)

    def _deeds(self, base: Moment, event: Event, turn: Turn) -> Iterator[Moment]:
        places = {one.target: one.destination for one in turn.take.ruling.parsed.action_intents if one.destination}
        for name, target in turn.deeds:
            verb = verb_of(name)
            other = places.get(target) if verb.intent == "PUT" else None
            yield self._deed(base, verb, target, other)
            if verb.intent == "GET" or verb.id == "GIVE":
                yield from _got(base, verb, target, other)
            if verb.id == "OPEN" and target:
                yield from self._uncovered(base, target)
        targets = {target for _, target in turn.deeds}
        for operation in event.world_delta:
            match _steps(operation):
                case ["props", thing] if operation.op == "add" and thing not in targets:
                    yield _of(base, kind="made", target=thing, want=self._still_wanted(base))
        self.starter |= {process.prop: (turn.speaker, self._still_wanted(base)) for process in turn.processes}

    def _deed(self, base: Moment, verb: Verb, target: str | None, other: str | None) -> Moment:
        words = shown(self.scenario.world, Act(verb, target, other), self.scenario.language) if target else None
        kind = {"MOVE": "moved", "GIVE": "gave"}.get(verb.id, "act")
        return _of(base, kind=kind, verb=verb.id, target=target, other=other, deed=words)

    def _uncovered(self, base: Moment, container: str) -> Iterator[Moment]:
        """What lay in a thing that is now open, if whoever opened it could not know."""
        for thing in [name for name, box in self.things.items() if box == container and name not in self.found]:
            self.found.add(thing)
            if thing not in self.known.get(base.who or "", ()):
                yield _of(base, kind="found", target=thing, other=container)

    def _denied(self, base: Moment, turn: Turn) -> Moment:
        """The act that was refused, by the world's own names where it has any."""
        ruling = turn.take.ruling
        written = ruling.explanation.written if ruling.explanation else None
        target = next((one.resolved for one in ruling.resolution if one.written == written and one.resolved), written)
        wanted = [one for one in ruling.parsed.action_intents if one.intent in PHYSICAL and one.target == target]
        if written is None or not wanted:
            return _of(base, kind="denied", reason=ruling.denied_reason)
        refused = wanted[-1]
        tried = self._deed(base, verb_of(refused.verb or refused.intent), target, refused.destination)
        return _of(tried, kind="denied", reason=ruling.denied_reason)

    def _still_wanted(self, base: Moment) -> str | None:
        """What something was done for, if doing it was not all there was to it."""
        return None if base.want in self.content.get(base.who or "", ()) else base.want

    def _fulfilled(self, who: str, mind: MindState) -> list[str]:
        """The wishes that have come true with this turn."""
        content = frozenset(name for name, urgency in mind.urgency.items() if urgency == 0.0)
        new = [name for name in mind.urgency if name in content - self.content.get(who, frozenset())]
        self.content[who] = content
        return new

    # --- what is nobody's turn ---

    def _voice(self, event: Event, urges: Iterable[Urge]) -> Iterator[Moment]:
        speaker, text = event.payload.get("speaker", "user"), event.payload.get("text")
        if text:
            yield Moment(turn=event.turn, kind="said", who=speaker, other=event.payload.get("to"), text=text)
        yield from self._urged(event, urges, other=speaker)

    def _incident(self, event: Event) -> Iterator[Moment]:
        name = event.payload["id"]
        yield Moment(turn=event.turn, kind="incident", topic=name, text=event.payload["text"])
        yield from self._urged(event, self.urges.get(name, ()), topic=name)

    def _urged(self, event: Event, urges: Iterable[Urge], **source: str) -> Iterator[Moment]:
        """Who has been given something to want: by whom (`other`), or by what (`topic`)."""
        for urge in urges:
            base = Moment(turn=event.turn, kind="urged", want=urge.name, text=event.payload.get("text") or None)
            did = urge.goal.did
            if did and len(did.target) == 1 and did.target[0] in self.things:
                base = _of(self._deed(base, verb_of(did.verb), did.target[0], None), kind="urged")
            for who in event.witnesses:
                if not urge.who or who in urge.who:
                    yield _of(base, who=who, **source)

    def _process(self, event: Event, process: Process) -> Iterator[Moment]:
        who, want = self.starter.get(process.prop, (None, None))
        text = event.payload.get("text") or None
        base = Moment(turn=event.turn, kind="process", who=who, target=process.prop, want=want, text=text)
        yield base
        for operation in event.world_delta:
            match _steps(operation):
                case ["props", thing] if operation.op == "add":
                    yield _of(base, kind="made", target=thing, other=process.prop, want=self._still_wanted(base))

    # --- what follows from where everyone is ---

    def _follow(self, operation: PatchOp) -> None:
        match _steps(operation):
            case ["characters", who, "location"]:
                self.rooms[who] = operation.value
            case ["props", name, "inside"]:
                self.things[name] = operation.value
            case ["props", name] if operation.op == "remove":
                self.things.pop(name, None)
            case ["props", name]:
                self.things[name] = operation.value.get("inside")

    def _company(self, turn: int, before: dict[str, str]) -> Iterator[Moment]:
        """Who has left whom, who has come to whom, and who is alone now."""
        movers = [who for who, room in self.rooms.items() if before.get(who) != room]
        for who in movers:
            for other in self.rooms:
                if other != who and before.get(other) == before.get(who):
                    yield Moment(turn=turn, kind="parted", who=who, other=other, room=before.get(who))
                    yield Moment(turn=turn, kind="parted", who=other, other=who, room=before.get(who))
            for other in self.rooms:
                if other not in movers and self.rooms[other] == self.rooms[who]:
                    yield Moment(turn=turn, kind="met", who=who, other=other, room=self.rooms[who])
        for who, room in self.rooms.items():
            if _alone(who, self.rooms) and who in before and not _alone(who, before):
                yield Moment(turn=turn, kind="alone", who=who, room=room)


def _of(moment: Moment, **traits: str | None) -> Moment:
    return moment.with_fields(traits)


def _urges(event: Event) -> list[Urge]:
    return [Urge.model_validate(one) for one in event.payload.get("urges", [])]


def _steps(operation: PatchOp) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in operation.path.split("/")[1:]]


def _want(turn: Turn, mind: MindState, met: list[str]) -> str | None:
    """What the turn was for: what is still intended, else what it fulfilled, else what was wanted most."""
    ranked = [one.desire for one in turn.thought.desires]
    return mind.intention or next((one for one in ranked if one in met), ranked[0] if ranked else None)


def _spoken(base: Moment, turn: Turn) -> Iterator[Moment]:
    """What was said; of several lines, the question and the answer count."""
    parsed, spoken = turn.take.ruling.parsed, turn.take.performance
    said = {one.intent: one.target for one in parsed.action_intents if one.intent in SPEECH}
    if len(said) > 1:
        said.pop(IntentKind.SAY, None)
    for intent, target in said.items():
        other = spoken.to or target or parsed.addressee
        yield _of(base, kind=SPEECH[intent], other=other, topic=spoken.topic, text=parsed.speech)


def _got(base: Moment, verb: Verb, target: str | None, other: str | None) -> Iterator[Moment]:
    """Whose hands a thing has come into."""
    if verb.id == "GIVE" and other:
        yield _of(base, kind="got", who=other, target=target, other=base.who, want=None)
    elif verb.id != "GIVE":
        yield _of(base, kind="got", target=target)


def _alone(who: str, rooms: dict[str, str]) -> bool:
    return not any(room == rooms[who] for other, room in rooms.items() if other != who)
