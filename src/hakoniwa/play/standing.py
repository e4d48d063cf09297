"""Standing: where a garden stands. Everything in it follows from the opening and the journal, event by event."""

from collections.abc import Collection, Iterable
from random import Random
from typing import Any

from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import MindState
from hakoniwa.gm.history import History, PastTurn
from hakoniwa.gm.stall import WARNING
from hakoniwa.play.hearsay import Hearsay
from hakoniwa.stage.belief import Belief, first_belief, perceive, witness
from hakoniwa.stage.goal import Desire
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.patch import apply, touched_names
from hakoniwa.stage.scenario import Incident, Scenario, Urge
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Event, IntentKind, PatchOp, Process, Turn, WitnessedEvent

CHRONICLE, LATELY = 20, 64


class GardenState:
    """The fold of a journal: the world, what each character believes and has on their mind, what is under way."""

    def __init__(self, scenario: Scenario, cast: dict[str, Character]) -> None:
        self.scenario = scenario
        self.cast = cast
        self.world: WorldState = scenario.world
        self.history = History()
        self.beliefs: dict[str, Belief] = {
            who: first_belief(scenario.world, who, role.knows) for who, role in scenario.cast.items()
        }
        self.hearsay = Hearsay(cast, self.beliefs, scenario.world)
        self.minds: dict[str, MindState] = {who: MindState() for who in cast}
        self.recent: dict[str, list[WitnessedEvent]] = {who: [] for who in cast}
        self.urges: dict[str, list[Desire]] = {who: [] for who in cast}
        self.chronicles: dict[str, tuple[str, ...]] = dict.fromkeys(cast, scenario.world.events)
        self.processes: list[Process] = []
        self.rung: list[str] = [act.id for act in scenario.acts[:1]]  # the first act is there from the beginning
        self.turns: list[Turn] = []  # the latest; the journal has them all
        self.scene: tuple[str, int] = ("", 0)  # where the story is, and for how many turns in a row
        self.last_turns: dict[str, int] = {}
        self.still = 0
        self.stall = 0.0
        self.injected: list[int] = []
        self.undone = 0
        self.next_speaker: str | None = None
        self.cued: str | None = None
        self.goes_on = False  # whether whoever was cued is to go on from their own last words
        self.pinned: str | None = None
        self.muted: tuple[str, ...] = tuple(who for who, role in scenario.cast.items() if role.player)
        self.facts: dict[str, tuple[str, ...]] = {}
        self.warnings: dict[str, tuple[str, ...]] = {}
        self.denied_row = 0
        self.faults_row = 0
        self.ended: str | None = None
        self.endings: list[str] = []  # those that were reached so far; one may go on after each
        self.next_scenario: str | None = None

    def absorb(self, event: Event, after: WorldState | None = None) -> None:
        """Take one event in; live play, which knows the world `after` it, and replay both come through here."""
        before = self.world
        self.world = after or apply(before, event.world_delta)
        news = chronicle_lines(event.world_delta)
        self._forget_stale_facts(touched_names(event.world_delta, "props"))
        for who in event.witnesses:
            if who in self.beliefs:
                self.beliefs[who] = witness(self.beliefs[who], event.world_delta, before, self.world)
            if who in self.chronicles:
                self.chronicles[who] = (*self.chronicles[who], *news)[-CHRONICLE:]
        self.hearsay.see(event, before, self.world, self.beliefs)
        take_in = getattr(self, f"_take_in_{event.kind}", None)
        if take_in:
            take_in(event)
        if event.kind == "turn":
            self._follow_scene(event.payload["speaker"], before)

    def _forget_stale_facts(self, changed: Collection[str]) -> None:
        """A fact about a thing that has changed since is none any more."""
        for who, facts in self.facts.items() if changed else ():
            self.facts[who] = tuple(fact for fact in facts if not any(name in fact for name in changed))

    def _take_in_turn(self, event: Event) -> None:
        turn = turn_of(event)
        moved = changes_world(event)
        self.turns = [*self.turns[1 - LATELY :], turn]
        self.still = 0 if moved else self.still + 1
        self.stall = turn.take.ruling.stall_score
        self.next_speaker, self.cued, self.goes_on = turn.next_speaker, None, False
        self.facts[turn.speaker] = turn.facts
        self.warnings = dict.fromkeys(event.witnesses, warning_in(turn))
        self.denied_row = 0 if turn.take.ruling.allowed else self.denied_row + 1
        self.faults_row = 0
        self.processes += turn.processes
        self.history.add(past_of(turn, moved))
        if turn.speaker in self.minds:
            self.minds[turn.speaker] = MindState.model_validate(turn.mind)
            if event.origin.startswith("actor:"):  # what a user plays, or an errand, passes through no mind here
                self.recent[turn.speaker] = []
                self.urges[turn.speaker] = []
        if turn.speaker in self.beliefs:
            self.beliefs[turn.speaker] = perceive(self.beliefs[turn.speaker], self.world, turn.speaker)
        self.hearsay.take_in(turn, event.witnesses, self.beliefs, self.world)
        self._perceived(event, seen_turn(turn, self.world.characters[turn.speaker].location), but=turn.speaker)

    def _follow_scene(self, speaker: str, before: WorldState) -> None:
        """Where the story is, and for how many turns in a row."""
        room, length = self.scene
        place = story_place(room, before, self.world, speaker)
        self.scene = (place, length + 1 if place == room else 1)
        self.last_turns[speaker] = self.world.time.turn + 1

    def _take_in_opening(self, event: Event) -> None:
        self.scene = (self.world.location.current, 0)
        self._heard(event, "opening")
        self._raise(self.scenario.opening.urges, event.witnesses, event.payload.get("speaker", "user"))

    def _take_in_user(self, event: Event) -> None:
        self._heard(event, "user")
        urges = [Urge.model_validate(one) for one in event.payload.get("urges", [])]
        self._raise(urges, event.witnesses, event.payload.get("speaker", "user"))

    def _take_in_chat(self, event: Event) -> None:
        """Words in private ask for something; what they say is remembered, and was answered then and there."""
        self._raise([Urge.model_validate(one) for one in event.payload.get("urges", [])], event.witnesses, "user")

    def _take_in_prop(self, event: Event) -> None:
        self._raise([Urge.model_validate(one) for one in event.payload.get("urges", [])], event.witnesses)

    def _take_in_incident(self, event: Event) -> None:
        incident = self.incident(event.payload["id"])
        self.rung.append(event.payload["id"])
        self.still = 0
        if event.payload.get("cause") == "stall":
            self.injected.append(event.turn)
        seen = WitnessedEvent(turn=event.turn, kind="incident", who="gm", incident=event.payload["id"])
        self._perceived(event, seen)
        if incident:
            self._raise(incident.urges, event.witnesses)

    def _take_in_process(self, event: Event) -> None:
        done = Process.model_validate(event.payload["process"])
        self.processes = [one for one in self.processes if one != done]

    def _take_in_cue(self, event: Event) -> None:
        if "next" in event.payload:
            self.cued, self.goes_on = event.payload["next"], event.payload.get("goes_on", False)
        self.pinned = event.payload.get("pin", self.pinned)
        self.muted = tuple(event.payload.get("muted", self.muted))

    def _take_in_fault(self, event: Event) -> None:
        self.faults_row += 1
        self.next_speaker, self.cued, self.goes_on = event.payload.get("next"), None, False

    def _take_in_undo(self, event: Event) -> None:
        self.undone += 1

    def _take_in_end(self, event: Event) -> None:
        self.ended, self.next_scenario = event.payload["reason"], event.payload.get("next")
        if self.ended == "goal":
            self.endings.append(event.payload.get("ending", "goal"))

    def _take_in_resume(self, event: Event) -> None:
        self.ended, self.denied_row, self.faults_row = None, 0, 0

    def _heard(self, event: Event, kind: str) -> None:
        text, to = event.payload.get("text", ""), event.payload.get("to")
        if text:
            who = event.payload.get("speaker", "user")
            self._perceived(event, WitnessedEvent(turn=event.turn, kind=kind, who=who, speech=text, asked=to))

    def _perceived(self, event: Event, seen: WitnessedEvent, but: str | None = None) -> None:
        for who in event.witnesses:
            if who in self.recent and who != but:
                self.recent[who] = [*self.recent[who][-11:], seen]

    def _raise(self, urges: Iterable[Urge], witnesses: Iterable[str], by: str = "") -> None:
        """Desires that somebody's words raise (`by`), or what happens, in those who perceive it."""
        for who in witnesses:
            mine = [one.model_dump(exclude={"who"}) for one in urges if not one.who or who in one.who]
            self.urges.get(who, []).extend(Desire.model_validate({**one, "by": one["by"] or by}) for one in mine)

    def incident(self, name: str) -> Incident | None:
        """The incident of that id or title; else the only one whose title has the word in it."""
        word, known = nfkc(name).casefold(), self.scenario.happenings
        exact = [one for one in known if word in (one.id.casefold(), nfkc(one.title).casefold())]
        near = [one for one in known if word in nfkc(one.title).casefold()]
        return exact[0] if exact else near[0] if len(near) == 1 else None

    def due(self) -> list[Process]:
        return [one for one in self.processes if one.due <= self.world.time.turn]

    def dice(self, seed: int, *purpose: object) -> Random:
        """Dice for one throw: the same garden throws the same, a retold turn throws anew."""
        return Random(f"{seed}/{self.undone}/{self.world.time.turn}/" + "/".join(map(str, purpose)))


def story_place(room: str, before: WorldState, world: WorldState, who: str) -> str:
    """Where a turn belongs: in the room where it began; who comes in where the story already is, comes on there."""
    return (
        room if who in world.characters and world.characters[who].location == room else before.characters[who].location
    )


def event_of(turn: Turn, witnesses: Iterable[str], origin: str) -> Event:
    """A turn as the journal keeps it: the delta in its own column, everything else in the payload."""
    own_column = {"take": {"ruling": {"world_delta"}}}
    payload: dict[str, Any] = turn.model_dump(mode="json", exclude_defaults=True, exclude=own_column)
    delta = turn.take.ruling.world_delta
    return Event(
        kind="turn", turn=turn.number, origin=origin, witnesses=tuple(witnesses), payload=payload, world_delta=delta
    )


def turn_of(event: Event) -> Turn:
    """The turn that an event keeps."""
    turn = Turn.model_validate(event.payload)
    ruling = turn.take.ruling.with_field("world_delta", event.world_delta)
    return turn.with_field("take", turn.take.with_field("ruling", ruling))


def chronicle_lines(delta: Iterable[PatchOp]) -> list[str]:
    """The lines a delta adds to the world's chronicle."""
    return [
        line
        for one in delta
        if one.op == "add" and one.path in ("/events", "/events/-")
        for line in (one.value if one.path == "/events" else [one.value])
    ]


def warning_in(turn: Turn) -> tuple[str, ...]:
    """The GM's card that nothing happens any more, for whoever comes next; a denial's card goes to who was denied."""
    ruling = turn.take.ruling
    return ruling.fact_cards[:1] if ruling.allowed and ruling.stall_score > WARNING else ()


def changes_world(event: Event) -> bool:
    """Whether an event moves more than the clock and the chronicle."""
    return any(not one.path.startswith(("/events", "/time", "/location/")) for one in event.world_delta)


def past_of(turn: Turn, moved: bool) -> PastTurn:
    """What the GM remembers of a turn."""
    parsed = turn.take.ruling.parsed
    return PastTurn(
        turn=turn.number,
        speaker=turn.speaker,
        marks=turn.marks,
        asked=_asked_whom(turn),
        speech=parsed.speech or "",
        moved=moved,
        acted=any(one.intent not in (IntentKind.SAY, IntentKind.EMOTE) for one in parsed.action_intents),
    )


def _asked_whom(turn: Turn) -> str | None:
    asks = [one for one in turn.take.ruling.parsed.action_intents if one.intent == IntentKind.ASK]
    return (turn.take.performance.to or asks[-1].target or "*") if asks else None


def seen_turn(turn: Turn, room: str) -> WitnessedEvent:
    """A turn as somebody in the room perceives it."""
    ruling = turn.take.ruling
    return WitnessedEvent(
        turn=turn.number,
        kind="turn",
        who=turn.speaker,
        deeds=turn.deeds if ruling.allowed else (),
        failed=not ruling.allowed,
        speech=ruling.parsed.speech or "",
        asked=_asked_whom(turn),
        topic=turn.take.performance.topic,
        room=room,
    )
