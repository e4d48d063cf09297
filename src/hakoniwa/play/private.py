"""Private words: a user talks with one person of a garden, and nobody else there hears it.

An exchange is a row of the garden's own line, which only that person witnesses. What they say they do is judged by the
referee, and comes before it as a turn of theirs; what they are asked for is an urge of theirs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from hakoniwa.actor.mind import decide
from hakoniwa.actor.plan import deed_done, holds_true
from hakoniwa.actor.request import requested_urges
from hakoniwa.actor.turn_prompts import offered_acts
from hakoniwa.chat.chat import ALONE, Chat
from hakoniwa.chat.lineage import CHAT, ChatLine
from hakoniwa.chat.reply import Respondent, Surroundings
from hakoniwa.chat.rewriting import SINCE, replace_exchange
from hakoniwa.director.direct import direct
from hakoniwa.errors import JournalMovedOn, UsageError
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.pieces import take_apart
from hakoniwa.journal import GardenRecord
from hakoniwa.llm import ChatModel
from hakoniwa.memory.recall import Chooser
from hakoniwa.messages import say
from hakoniwa.pack import verb_of
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import Memory, Vad
from hakoniwa.play.errand import OutOfTurn
from hakoniwa.play.ghosts import BEGINNING, GardenGhosts
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn, turn_events
from hakoniwa.stage.goal import Desire
from hakoniwa.stage.scene import to_compact_xml
from hakoniwa.turn import Event, Turn

WITNESSED, BELIEFS, DESIRES, ACTS = 12, 4, 3, 6
WILLING = 0.4
TRACES = ("undo", "choice")  # rows that say how the line came to go on from here, and are no part of what happened


@dataclass(frozen=True)
class PrivateAct(OutOfTurn):
    """What somebody does while they are talked with: a turn that all in the room see, and after it the exchange."""

    payload: Mapping[str, Any] = field(default_factory=dict)

    def events(self, session: Session, turn: Turn) -> Iterator[Event]:
        yield from turn_events(session, turn, f"ghost:{turn.speaker}")
        done = [Act(verb_of(verb), target) for verb, target in turn.deeds]
        world = session.after(session.world, turn.take.ruling.world_delta)
        wishes = [Desire.model_validate(one) for one in self.payload["urges"]]
        left = [
            one.model_dump(mode="json", exclude_defaults=True)
            for one in wishes
            if not (one.goal.did and deed_done(one.goal.did, done)) and not holds_true(one.goal, world, turn.speaker)
        ]
        yield exchange_event(turn.speaker, turn.number, {**self.payload, "urges": left})


def exchange_event(who: str, turn: int, payload: Mapping[str, Any]) -> Event:
    """An exchange as the garden's journal has it."""
    return Event(kind=CHAT, turn=turn, origin="user", witnesses=(who,), payload=dict(payload))


class PrivateChat(Chat):
    """A conversation with a person of a garden: the Ghost, the scene and the clock are those they have there.

    Nothing else may be done in the session meanwhile."""

    def __init__(
        self, session: Session, ghosts: GardenGhosts, who: str, door: GardenRecord, respondent: Respondent,
        model: ChatModel | None, chooser: Chooser = "rule",
    ) -> None:  # fmt: skip
        self.session, self.ghosts, self.who = session, ghosts, who
        self._act = ""  # what the answer says is done, once the referee has allowed it
        super().__init__(session.journal, door, ghosts[who], respondent, model, lambda: ghosts.now, chooser)

    @property
    def turn(self) -> int:
        return self.session.world.time.turn

    @property
    def exchanges(self) -> int:
        newest = self.newest
        return newest.event.payload.get("number", 0) if newest else 0

    @property
    def line(self) -> ChatLine:
        return ChatLine(self.session.garden.id, self.session.branch, self.who, private=True)

    def in_words(self, at: datetime) -> str:
        """The garden has a clock and no calendar."""
        day, clock = (at.date() - BEGINNING.date()).days + 1, f"{at:%H:%M}"
        return say("chat.garden-time", self.persona.language, day=day, clock=clock)

    def mood(self, now: datetime) -> Vad:
        return self.ghosts.feeling(self.who)

    def surroundings(self, heard: str, history: Sequence[Memory]) -> Surroundings:
        """What the person sees and wants just now, with what they have just been asked for."""
        view, language = self.session.view(self.who), self.session.scenario.language
        wishes = [Desire.model_validate({**one, "by": "user"}) for one in self._wishes(heard)]
        view = replace(view, urges=[*view.urges, *wishes])
        decision, told = decide(view, self.session.standing.minds[self.who]), {one.seq for one in history}
        lines = [line.text for line in view.transcript.newest(WITNESSED) if line.seq not in told]
        acts = [] if self.session.standing.ended else offered_acts(view, decision, ACTS)
        return Surroundings(
            scene=to_compact_xml(view.scene, language),
            witnessed=lines,
            beliefs=decision.beliefs[:BELIEFS],
            desires=[one.desire for one in decision.ranked[:DESIRES]],
            acts=[stage_direction(view.believed, act, language) for act in acts],
            asked=_answer_to(wishes, decision.desire, view.character.personality.agreeableness),
        )

    def _wishes(self, heard: str) -> list[dict[str, Any]]:
        """What they are asked for, as urges of theirs."""
        found = requested_urges(heard, self.session.world)
        return [{key: one for key, one in urge.items() if key != "who"} for urge in found]

    async def carried_out(self, said: Generated) -> Generated | None:
        """Have the referee judge what the person says they do; what cannot be is said so, and does not happen."""
        self._act = ""
        text = directions_in(unseal(said), self.session, self.who)
        if not text or self.session.standing.ended:
            return None
        policy = OutOfTurn(text)
        part = await policy.perform(self.session, self.who)
        cut = await direct(policy.frame(self.session, part), part.performance, self.session.director, part.again)
        ruling = cut.take.ruling
        if ruling.allowed:
            self._act = text if cut.step.acts else ""
            return None
        told = ruling.explanation.told if ruling.explanation else ""
        return Generated("\n" + say("chat.not-done", self.persona.language, why=told))

    async def keep(self, payload: Mapping[str, Any]) -> None:
        session, urges = self.session, self._wishes(payload["user_text"] or "")
        while True:
            whole = {**payload, "number": self.exchanges + 1, "urges": urges, SINCE: session.head}
            try:
                if self._act:
                    await play_turn(session, self.who, PrivateAct(self._act, payload=whole))
                else:
                    await session.commit([exchange_event(self.who, self.turn, whole)])
                break
            except JournalMovedOn:
                await session.follow()
        self._act, self.head = "", session.rows[-1]
        await self.ghosts.follow()

    def _rewrite(self, deed: Any, *details: Any) -> None:
        """What was played since cannot be left out of the story; other words in the place of some can always be."""
        newest = self.newest
        if deed is not replace_exchange and newest is not None:
            since = self.session.rows.after(newest.seq)
            if any(row.event.origin != ALONE and row.event.kind not in TRACES for row in since):
                raise UsageError("chat.played-on", garden=self.session.garden.id)
        super()._rewrite(deed, *details)

    def catch_up(self) -> None:
        self.session.catch_up()
        self.head = self.session.rows[-1] if len(self.session.rows) else None
        self.ghosts.catch_up()


def directions_in(text: str, session: Session, who: str) -> str:
    """What a reply says is done: its stage directions, in their order."""
    pieces = take_apart(text, session.world, who).pieces
    return "".join(f"({piece.text})" for piece in pieces if piece.kind == "direction")


def _answer_to(wishes: Sequence[Desire], wanted: Desire | None, agreeable: float) -> bool | None:
    """Whether what was asked for is what they now mean to do; None where there is no saying."""
    if wanted in wishes and wishes:
        return True
    return False if wishes and agreeable < WILLING else None
