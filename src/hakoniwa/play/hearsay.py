"""What passes between people: claims that are heard and put to the test, promises, and what they come to feel."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hakoniwa.actor.character import Character
from hakoniwa.play.promises import add_promises, addressees, settle_promises, speech_acts
from hakoniwa.stage.belief import Belief, check_claims, hear, with_deeds
from hakoniwa.stage.claims import UNSURE, Claim, deed_facts, live_claims, matter, stands
from hakoniwa.stage.patch import touched_names
from hakoniwa.stage.relations import Bond, Feeling, Promise, Relations, confidence, move_relations
from hakoniwa.stage.shared import Shared, share, share_claim, shared_by
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import ActionIntent, Event, Fact, SpeechVerb, Take, Turn

MAX_ASKED = 16


class Hearsay:
    """Everything of a garden's state that is between people: relations, shared knowledge, promises, open questions."""

    def __init__(self, cast: Mapping[str, Character], beliefs: Mapping[str, Belief], world: WorldState) -> None:
        self.cast = cast
        self.relations: Relations = {}
        self.shared: Shared = {}
        self.promises: tuple[Promise, ...] = ()
        self.asked: tuple[tuple[str, str], ...] = ()  # who asked, and after what
        share(self.shared, cast, (), cast, beliefs, world)

    def copy(self) -> "Hearsay":
        """The same, which goes its own way from here."""
        twin = object.__new__(Hearsay)
        vars(twin).update(vars(self) | {"relations": dict(self.relations), "shared": dict(self.shared)})
        return twin

    def feeling(self, who: str, other: str) -> Feeling:
        """What somebody feels for somebody, from the sheet on."""
        return self.relations.get((who, other)) or Feeling(bond=first_bond(self.cast.get(who), other))

    def knows_of(self, who: str, other: str) -> tuple[str, ...]:
        """The things that somebody thinks another knows of."""
        known = shared_by(self.shared, who, other)
        told = (claim.fact.subject for claim in known.claims.get(other, ()))
        return tuple(dict.fromkeys([*known.props, *told]))

    def move(self, event: str, doer: str, other: str, turn: int) -> None:
        for pair in ((doer, other), (other, doer)):
            if pair[0] in self.cast and pair[1] in self.cast:
                self.relations.setdefault(pair, self.feeling(*pair))
        move_relations(self.relations, event, doer, other, turn)

    # --- what is seen -------------------------------------------------------------------------------------------------

    def see(self, event: Event, before: WorldState, world: WorldState, beliefs: dict[str, Belief]) -> None:
        """Take in what an event showed to those who witnessed it, and what it proves of what they were told."""
        touched = touched_names(event.world_delta, "props")
        bodies = touched_names(event.world_delta, "characters")
        moved = [who for who in bodies if who in before.characters and _room(before, who) != _room(world, who)]
        if not touched and not moved:
            return
        witnesses = [who for who in event.witnesses if who in beliefs]
        share(self.shared, witnesses, touched, moved, beliefs, world)
        for who in witnesses:
            beliefs[who], found = check_claims(beliefs[who], world)
            for proof in found:
                self.move("told_true" if proof.holds else "told_false", proof.claim.source, who, event.turn)

    # --- what is said and done ----------------------------------------------------------------------------------------

    def take_in(self, turn: Turn, witnesses: Sequence[str], beliefs: dict[str, Belief], world: WorldState) -> None:
        """Take in a turn's words and deeds."""
        known = [who for who in witnesses if who in beliefs]
        if turn.take.ruling.allowed:
            seen = deed_facts(turn.speaker, turn.deeds, turn.number)
            for who in known:
                beliefs[who] = with_deeds(beliefs[who], seen)
            self._gifts(turn)
        self._promises(turn, [who for who in known if who != turn.speaker], world)
        for intent in speech_acts(turn.take):
            self._speech(intent, turn, known, beliefs, world)
        if any(one.rule == "tone.forbidden" for one in turn.take.evaluation.findings):
            for other in _addressees(turn, known):
                self.move("rude", turn.speaker, other, turn.number)

    def _speech(
        self, intent: ActionIntent, turn: Turn, known: Sequence[str], beliefs: dict[str, Belief], world: WorldState
    ) -> None:
        others = [who for who in known if who != turn.speaker]
        match SpeechVerb(intent.verb or ""), intent.about:
            case SpeechVerb.TELL, Fact() as fact:
                self._tell(fact, intent.sure, turn, others, beliefs, world)
            case SpeechVerb.ASK, Fact() as fact:
                self.asked = (*self.asked, (turn.speaker, fact.subject))[-MAX_ASKED:]
            case SpeechVerb.REFUSE, _:
                for one in addressees(intent, others):
                    self.move("refused", turn.speaker, one, turn.number)

    def _tell(
        self, fact: Fact, sure: bool, turn: Turn, others: Sequence[str], beliefs: dict[str, Belief], world: WorldState
    ) -> None:
        told = _with_origin(fact, turn.number, beliefs.get(turn.speaker))
        for who in others:
            worth = confidence(self.feeling(who, turn.speaker).bond, self.cast[who].personality.openness)
            claim = Claim(
                fact=told.fact, source=turn.speaker, turn=turn.number, hops=told.hops,
                confidence=round(worth * (1 if sure else UNSURE), 4),
            )  # fmt: skip
            beliefs[who], found = check_claims(hear(beliefs[who], claim), world)
            if any(proof.claim == claim and not proof.holds for proof in found):
                self.move("told_false", turn.speaker, who, turn.number)
            if (who, fact.subject) in self.asked:
                self.asked = tuple(one for one in self.asked if one != (who, fact.subject))
                self.move("helped", turn.speaker, who, turn.number)
        share_claim(self.shared, told, others, [turn.speaker, *others])

    def _promises(self, turn: Turn, others: Sequence[str], world: WorldState) -> None:
        """What became of promises, and those that this turn makes."""
        self.promises, settled = settle_promises(self.promises, turn, world.language)
        for one in settled:
            self.move(one.outcome, one.promise.who, one.promise.to, turn.number)
        self.promises = add_promises(self.promises, turn, others)

    def _gifts(self, turn: Turn) -> None:
        given = {target for verb, target in turn.deeds if verb == "GIVE"}
        for one in turn.take.ruling.parsed.action_intents if given else ():
            if one.target in given and one.destination:
                self.move("gave", turn.speaker, one.destination, turn.number)


def first_bond(character: Character | None, other: str) -> Bond:
    """What somebody feels for another before anything has happened: as their sheet says, or by their kindness."""
    if character is None:
        return Bond()
    return character.relations.get(other) or Bond(trust=round(0.6 * character.personality.agreeableness, 4))


def told_facts(take: Take) -> list[Fact]:
    """The facts that a take tells."""
    return [one.about for one in speech_acts(take) if one.about and one.verb == SpeechVerb.TELL]


def _room(world: WorldState, who: str) -> str | None:
    return world.characters[who].location if who in world.characters else None


def _addressees(turn: Turn, known: Sequence[str]) -> Iterator[str]:
    to = turn.take.performance.to or turn.take.ruling.parsed.addressee
    return (who for who in known if who == to)


def _with_origin(fact: Fact, turn: int, teller: Belief | None) -> Claim:
    """A fact with when it was so, as far as its teller knows, and through how many mouths it has come."""
    memory = teller.props.get(fact.subject) if teller else None
    heard = [one for one in live_claims(teller.claims) if matter(one.fact) == matter(fact)] if teller else []
    if heard and memory is None:
        since, hops = heard[-1].fact.turn, heard[-1].hops + 1
    else:
        since, hops = turn if memory is None else memory.turn, 1
    return Claim(fact=fact.with_field("turn", since), source=teller.who if teller else "", turn=turn, hops=hops)


def lies_in(facts: Iterable[Fact], believed: WorldState) -> tuple[Fact, ...]:
    """The facts among those somebody tells that they take for false themselves."""
    return tuple(fact for fact in facts if stands(fact, believed) is False)
