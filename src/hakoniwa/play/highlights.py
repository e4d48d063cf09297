"""Highlights: the journal as a story pattern sees it, and the story moments that are worth showing."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hakoniwa.actor.mind import MindState
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.pattern import StoryMoment, shipped_patterns
from hakoniwa.gm.sift import Match, sift
from hakoniwa.journal import Row
from hakoniwa.pack import Verb, verb_of
from hakoniwa.play.promises import SettledPromise, add_promises, settle_promises, speech_acts
from hakoniwa.play.session import Session
from hakoniwa.play.standing import turn_of
from hakoniwa.stage.belief import first_belief
from hakoniwa.stage.relations import Promise
from hakoniwa.stage.scenario import Scenario, Urge
from hakoniwa.stage.world import story_name
from hakoniwa.turn import PHYSICAL, Event, IntentKind, PatchOp, Process, SpeechVerb, Turn, Value

LOOKS = ("OPEN", "INSPECT")
SPEECH = {IntentKind.SAY: "said", IntentKind.ASK: "asked", IntentKind.ANSWER: "answered"}


def moments(scenario: Scenario, rows: Iterable[Row]) -> list[StoryMoment]:
    """Everything that happened, in order."""
    onlooker = MomentReader(scenario)
    return [moment for row in rows for moment in onlooker.read(row.event)]


class MomentReader:
    """Reads one event after the other, and knows who is where, what is in what, and who has set what going."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.urges = {one.id: one.urges for one in scenario.happenings}
        self.rooms = {who: figure.location for who, figure in scenario.world.characters.items()}
        self.things = {name: prop.inside for name, prop in scenario.world.props.items()}
        self.known = {
            who: frozenset(first_belief(scenario.world, who, role.knows).props) for who, role in scenario.cast.items()
        }
        self.starter: dict[str, tuple[str | None, str | None]] = {}
        self.found: set[str] = set()
        self.content: dict[str, frozenset[str]] = {}
        # By hearer and thing: who told them of it, and where it should be.
        self.heard: dict[tuple[str, str], tuple[str, str]] = {}
        self.promises: tuple[Promise, ...] = ()

    def read(self, event: Event) -> list[StoryMoment]:
        """The moments of one event."""
        seen = list(self._read(event))
        before = dict(self.rooms)
        for operation in event.world_delta:
            if operation.op != "test":
                self._follow(operation)
        return [*seen, *(self._company(event.turn, before) if before != self.rooms else ())]

    def _read(self, event: Event) -> Iterator[StoryMoment]:
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
                yield StoryMoment(turn=event.turn, kind="goal", text=event.payload.get("text") or None)

    # --- a turn ---

    def _turn(self, event: Event, turn: Turn) -> Iterator[StoryMoment]:
        mind = MindState.model_validate(turn.mind)
        met = self._fulfilled(turn.speaker, mind)
        base = StoryMoment(
            turn=turn.number, kind="act", who=turn.speaker, room=self.rooms[turn.speaker], want=_want(turn, mind, met)
        )
        if turn.take.ruling.allowed:
            yield from self._deeds(base, event, turn)
        else:
            yield self._denied(base, turn)
        yield from _speech_moments(base, turn)
        others = [who for who in event.witnesses if who != turn.speaker]
        yield from self._promises(base, turn, others)
        yield from self._telling(base, turn, others)
        for want in met:
            yield _derive(base, kind="fulfilled", want=want)

    def _deeds(self, base: StoryMoment, event: Event, turn: Turn) -> Iterator[StoryMoment]:
        places = {one.target: one.destination for one in turn.take.ruling.parsed.action_intents if one.destination}
        for name, target in turn.deeds:
            verb = verb_of(name)
            other = places.get(target) if verb.intent == "PUT" else None
            yield self._deed(base, verb, target, other)
            if verb.intent == "GET" or verb.id == "GIVE":
                yield from _got_moments(base, verb, target, other)
            if verb.id == "OPEN" and target:
                yield from self._uncovered(base, target)
        targets = {target for _, target in turn.deeds}
        for operation in event.world_delta:
            match _steps(operation):
                case ["props", thing] if operation.op == "add" and thing not in targets:
                    yield _derive(base, kind="made", target=thing, want=self._still_wanted(base))
        self.starter |= {process.prop: (turn.speaker, self._still_wanted(base)) for process in turn.processes}

    def _deed(self, base: StoryMoment, verb: Verb, target: str | None, other: str | None) -> StoryMoment:
        words = (
            stage_direction(self.scenario.world, Act(verb, target, other), self.scenario.language) if target else None
        )
        kind = {"MOVE": "moved", "GIVE": "gave"}.get(verb.id, "act")
        return _derive(base, kind=kind, verb=verb.id, target=target, other=other, deed=words)

    def _uncovered(self, base: StoryMoment, container: str) -> Iterator[StoryMoment]:
        """What lay in a thing that is now open, if whoever opened it could not know."""
        for thing in [name for name, box in self.things.items() if box == container and name not in self.found]:
            self.found.add(thing)
            if thing not in self.known.get(base.who or "", ()):
                yield _derive(base, kind="found", target=thing, other=container)

    def _denied(self, base: StoryMoment, turn: Turn) -> StoryMoment:
        """The act that was refused, by the world's own names where it has any."""
        ruling = turn.take.ruling
        written = ruling.explanation.written if ruling.explanation else None
        target = next((one.resolved for one in ruling.resolution if one.written == written and one.resolved), written)
        wanted = [one for one in ruling.parsed.action_intents if one.intent in PHYSICAL and one.target == target]
        if written is None or not wanted:
            return _derive(base, kind="denied", reason=ruling.denied_reason)
        refused = wanted[-1]
        tried = self._deed(base, verb_of(refused.verb or refused.intent), target, refused.destination)
        return _derive(tried, kind="denied", reason=ruling.denied_reason)

    def _still_wanted(self, base: StoryMoment) -> str | None:
        """What something was done for, if doing it was not all there was to it."""
        return None if base.want in self.content.get(base.who or "", ()) else base.want

    def _fulfilled(self, who: str, mind: MindState) -> list[str]:
        """The wishes that have come true with this turn."""
        content = frozenset(name for name, urgency in mind.urgency.items() if urgency == 0.0)
        new = [name for name in mind.urgency if name in content - self.content.get(who, frozenset())]
        self.content[who] = content
        return new

    def _telling(self, base: StoryMoment, turn: Turn, others: Sequence[str]) -> Iterator[StoryMoment]:
        """What was told, made up, promised or kept back, to each who heard it; and what turns out to be untrue."""
        for one in speech_acts(turn.take):
            thing, place = (one.about.subject, one.about.object) if one.about else (None, None)
            for who in others:
                match SpeechVerb(one.verb or ""):
                    case SpeechVerb.TELL if thing and place:
                        heard = _derive(base, other=who, target=thing, topic=place)
                        yield from self._told(heard, one.about in turn.lies)
                    case SpeechVerb.PROMISE if place:
                        verb, _, what = place.partition(" ")
                        yield _derive(base, kind="promised", other=who, verb=verb, target=what)
                    case SpeechVerb.REFUSE if who == (one.target or others[0]):
                        yield _derive(base, kind="refused", other=who, target=thing)
        yield from self._exposed(base, turn)

    def _promises(self, base: StoryMoment, turn: Turn, others: Sequence[str]) -> Iterator[StoryMoment]:
        """What has become of a promise; those that are made now are followed."""
        self.promises, settled = settle_promises(self.promises, turn, self.scenario.language)
        for one in settled:
            yield _settled_moment(base, one)
        self.promises = add_promises(self.promises, turn, others)

    def _told(self, told: StoryMoment, lie: bool) -> Iterator[StoryMoment]:
        """What one hearer was told, which may be a lie, and is remembered until they look."""
        self.heard[told.other or "", told.target or ""] = (told.who or "", told.topic or "")
        yield _derive(told, kind="told")
        if lie:
            yield _derive(told, kind="lied")

    def _exposed(self, base: StoryMoment, turn: Turn) -> Iterator[StoryMoment]:
        """Who looks where a thing should be, by what they were told, and does not find it."""
        looked = {target for verb, target in turn.deeds if verb in LOOKS} if turn.take.ruling.allowed else set()
        for (who, thing), (teller, place) in list(self.heard.items()):
            if who == turn.speaker and place in looked:
                del self.heard[who, thing]
                if self.things.get(thing) != place:
                    yield _derive(base, kind="exposed", other=teller, target=thing, topic=place)

    # --- what is nobody's turn ---

    def _voice(self, event: Event, urges: Iterable[Urge]) -> Iterator[StoryMoment]:
        speaker, text = event.payload.get("speaker", "user"), event.payload.get("text")
        if text:
            yield StoryMoment(turn=event.turn, kind="said", who=speaker, other=event.payload.get("to"), text=text)
        yield from self._urged(event, urges, other=speaker)

    def _incident(self, event: Event) -> Iterator[StoryMoment]:
        name = event.payload["id"]
        yield StoryMoment(turn=event.turn, kind="incident", topic=name, text=event.payload["text"])
        yield from self._urged(event, self.urges.get(name, ()), topic=name)

    def _urged(self, event: Event, urges: Iterable[Urge], **source: str) -> Iterator[StoryMoment]:
        """Who has been given something to want: by whom (`other`), or by what (`topic`)."""
        for urge in urges:
            base = StoryMoment(turn=event.turn, kind="urged", want=urge.name, text=event.payload.get("text") or None)
            did = urge.goal.did
            if did and len(did.target) == 1 and did.target[0] in self.things:
                base = _derive(self._deed(base, verb_of(did.verb), did.target[0], None), kind="urged")
            for who in event.witnesses:
                if not urge.who or who in urge.who:
                    yield _derive(base, who=who, **source)

    def _process(self, event: Event, process: Process) -> Iterator[StoryMoment]:
        who, want = self.starter.get(process.prop, (None, None))
        text = event.payload.get("text") or None
        base = StoryMoment(turn=event.turn, kind="process", who=who, target=process.prop, want=want, text=text)
        yield base
        for operation in event.world_delta:
            match _steps(operation):
                case ["props", thing] if operation.op == "add":
                    yield _derive(base, kind="made", target=thing, other=process.prop, want=self._still_wanted(base))

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

    def _company(self, turn: int, before: dict[str, str]) -> Iterator[StoryMoment]:
        """Who has left whom, who has come to whom, and who is alone now."""
        movers = [who for who, room in self.rooms.items() if before.get(who) != room]
        for who in movers:
            for other in self.rooms:
                if other != who and before.get(other) == before.get(who):
                    yield StoryMoment(turn=turn, kind="parted", who=who, other=other, room=before.get(who))
                    yield StoryMoment(turn=turn, kind="parted", who=other, other=who, room=before.get(who))
            for other in self.rooms:
                if other not in movers and self.rooms[other] == self.rooms[who]:
                    yield StoryMoment(turn=turn, kind="met", who=who, other=other, room=self.rooms[who])
        for who, room in self.rooms.items():
            if _is_alone(who, self.rooms) and who in before and not _is_alone(who, before):
                yield StoryMoment(turn=turn, kind="alone", who=who, room=room)


def _derive(moment: StoryMoment, **traits: str | None) -> StoryMoment:
    return moment.with_fields(traits)


def _urges(event: Event) -> list[Urge]:
    return [Urge.model_validate(one) for one in event.payload.get("urges", [])]


def _steps(operation: PatchOp) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in operation.path.split("/")[1:]]


def _want(turn: Turn, mind: MindState, met: list[str]) -> str | None:
    """What the turn was for: what is still intended, else what it fulfilled, else what was wanted most."""
    ranked = [one.desire for one in turn.thought.desires]
    return mind.intention or next((one for one in ranked if one in met), ranked[0] if ranked else None)


def _settled_moment(base: StoryMoment, one: SettledPromise) -> StoryMoment:
    verb, _, what = (one.promise.deed.object or "").partition(" ")
    return _derive(base, kind=one.outcome, who=one.promise.who, other=one.promise.to, verb=verb, target=what)


def _speech_moments(base: StoryMoment, turn: Turn) -> Iterator[StoryMoment]:
    """What was said; of several lines, the question and the answer count."""
    parsed, spoken = turn.take.ruling.parsed, turn.take.performance
    said = {one.intent: one.target for one in parsed.action_intents if one.intent in SPEECH}
    if len(said) > 1:
        said.pop(IntentKind.SAY, None)
    for intent, target in said.items():
        other = spoken.to or target or parsed.addressee
        yield _derive(base, kind=SPEECH[intent], other=other, topic=spoken.topic, text=parsed.speech)


def _got_moments(base: StoryMoment, verb: Verb, target: str | None, other: str | None) -> Iterator[StoryMoment]:
    """Whose hands a thing has come into."""
    if verb.id == "GIVE" and other:
        yield _derive(base, kind="got", who=other, target=target, other=base.who, want=None)
    elif verb.id != "GIVE":
        yield _derive(base, kind="got", target=target)


def _is_alone(who: str, rooms: dict[str, str]) -> bool:
    return not any(room == rooms[who] for other, room in rooms.items() if other != who)


PER_TURN, MOST, FEWEST, FLOOR = 0.08, 40, 3, 0.4


class Highlight(Value):
    """A story moment, told in the garden's own language: the pattern it is, and the turns that make it up."""

    name: str
    turns: tuple[int, ...]
    title: str
    told: str


def highlights(session: Session) -> list[Highlight]:
    """What is worth showing of a garden."""
    return highlights_of(session.scenario, session.rows, session.world.time.turn)


def highlights_of(scenario: Scenario, rows: Iterable[Row], reached: int) -> list[Highlight]:
    """What is worth showing of some rows, in the order of the story: at most about eight in a hundred turns."""
    found = sift(shipped_patterns(), moments(scenario, rows), reached)
    limit = min(MOST, max(FEWEST, math.ceil(PER_TURN * reached)))
    return [told(match, scenario) for match in best(found, limit)]


def told(match: Match, scenario: Scenario) -> Highlight:
    """A match in words."""
    pattern, language = match.pattern, scenario.language
    names = {name: story_name(scenario.world, value) for name, value in match.names.items()}
    sentence: str = getattr(pattern.told, language).format(**names, turns=match.span, times=match.times)
    title: str = getattr(pattern.title, language)
    return Highlight(name=pattern.name, turns=tuple(dict.fromkeys(match.turns)), title=title, told=sentence)


def best(matches: Sequence[Match], limit: int) -> list[Match]:
    """The most telling matches, in the order of the story: what is rare and long first, and not all of one kind."""
    common = Counter(match.pattern.name for match in matches)
    left = sorted(matches, key=lambda match: -weight(match, common[match.pattern.name]))
    chosen: list[Match] = []
    while left and len(chosen) < limit:
        shown = Counter(match.pattern.name for match in chosen)
        value = [weight(match, common[match.pattern.name]) / (1 + shown[match.pattern.name]) ** 2 for match in left]
        if max(value) < FLOOR:
            break
        pick = left[value.index(max(value))]
        chosen.append(pick)
        left = [match for match in left if not _same_story(match, pick)]
    return sorted(chosen, key=lambda match: (match.turns[0], match.turns[-1]))


def weight(match: Match, found: int) -> float:
    """What a match is worth: more if its pattern was rarely found here, and if it took long to come about."""
    return match.pattern.worth * (1 + math.log10(1 + match.span)) / math.sqrt(found)


def _same_story(one: Match, other: Match) -> bool:
    """Whether two matches tell the same: one pattern with the same names, or one end with a name in common."""
    if one.pattern.name == other.pattern.name and one.names == other.names:
        return True
    return one.turns[-1] == other.turns[-1] and not set(one.names.values()).isdisjoint(other.names.values())
