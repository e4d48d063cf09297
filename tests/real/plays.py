"""Gardens played on a real model: its replies kept short, and every turn with the world it began in."""

import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

from hakoniwa.actor.view import CharacterView
from hakoniwa.director.direct import scene_items
from hakoniwa.director.reply_check import written_words
from hakoniwa.director.sanitize import ActionSanitizer
from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import after_act, denial_of
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import GMStep, rule_on
from hakoniwa.llm import Call, ChatModel, Message, Piece
from hakoniwa.play.loop import next_turn, resume
from hakoniwa.play.session import Session
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import DeniedReason, Turn

NOT_THERE = {DeniedReason.MISSING_OBJECT, DeniedReason.WRONG_LOCATION}
LEADS = {
    "ja": ("（スマホを", "（テーブルを", "（眼鏡を", "（マグカップを", "（新聞を"),
    "en": ("(pick up the", "(open the umbrella", "(eat the", "(wipe the", "(sit down on the"),
}


class Brief(ChatModel):
    """A model whose replies end early. A base model does not act unless it is led to: its performances begin with one
    of the `leads`, in turn, and what becomes of them is its own."""

    def __init__(self, model: ChatModel, think: int, perform: int, leads: Sequence[str] = ()) -> None:
        self.model, self.name, self.context = model, model.name, model.context
        self.limits = {"actor.think": think}
        self.longest = perform
        self.leads = itertools.cycle(leads or ("",))

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        limit = max_tokens if schema else min(max_tokens, self.limits.get(purpose, self.longest))
        lead = "" if schema or purpose == "actor.think" else next(self.leads)
        begun = [Message(role="assistant", content=lead)] if lead else []
        if lead:
            yield lead
        async for piece in self.model.chat([*messages, *begun], purpose, limit, schema):
            yield piece


class Played(NamedTuple):
    """One turn: what there was before it, what was asked and answered, and the turn or the fault it came to."""

    world: WorldState
    after: WorldState
    view: CharacterView
    calls: Sequence[Call]
    turn: Turn | None
    fault: str | None

    @property
    def replies(self) -> list[str]:
        """The performances as the model wrote them."""
        return [written_words(call.reply)[0] for call in self.calls if _performs(call)]

    @property
    def tries(self) -> list[GMStep]:
        """The same, judged by the world as it was."""
        return [rule_on(self.world, self.view.who, reply) for reply in self.replies]

    @property
    def reached(self) -> bool:
        """Whether a performance was after something that is not there, nor where the chosen act leads."""
        return any(all(self._absent(reply, world) for world in self._worlds) for reply in self.replies)

    @property
    def _worlds(self) -> list[WorldState]:
        """The world as it was and, where an act was chosen, as that act leaves it."""
        world, who, chosen = self.world, self.view.who, self.chosen
        possible = chosen is not None and denial_of(world, who, chosen) is None
        return [world, after_act(world, who, chosen)] if chosen and possible else [world]

    def _absent(self, reply: str, world: WorldState) -> bool:
        who = self.view.who
        blocked = ActionSanitizer().sanitize(reply, scene_items(world, who)).blocked_props
        return bool(blocked) or rule_on(world, who, reply).ruling.denied_reason in NOT_THERE

    @property
    def outcome(self) -> str:
        """What became of a performance that could not stand as it was; empty where it could."""
        if self.turn is None:
            return "fault"
        take = self.turn.take
        if take.gave_up:
            return "told as a failure" if take.ruling.explanation and take.ruling.explanation.told else ""
        left_out = "left out" if take.drift else ""
        return "replaced" if take.sanitized.triggered else "retaken" if take.retakes else left_out

    @property
    def out_of_sight(self) -> list[str]:
        """What the turn's allowed acts touched although the speaker saw it neither before nor after."""
        if self.turn is None or not self.turn.take.ruling.allowed:
            return []
        there = {*_there(self.world, self.view.who), *_there(self.after, self.view.who)}
        return [name for _, name in self.turn.deeds if name and name not in there]

    @property
    def chosen(self) -> Act | None:
        """The first act that was picked, if it is possible by what the speaker knows."""
        tags = (self.turn.thought.chosen or ())[:1] if self.turn else ()
        return next((act for act in possible_acts(self.view.believed, self.view.who) if act.tag in tags), None)

    @property
    def done(self) -> bool:
        """Whether the act read from the performance that stands is the one that was chosen."""
        chosen = self.chosen
        return bool(self.turn and chosen and (chosen.verb.id, chosen.target) in self.turn.deeds)

    @property
    def written(self) -> bool:
        """Whether the model wrote the chosen act by itself."""
        return any(self.chosen in one.acts for one in self.tries)


def _there(world: WorldState, who: str) -> list[str]:
    """Whatever somebody can touch, meet or go to."""
    room = world.locations.get(world.characters[who].location)
    return [*scene_items(world, who), *world.characters, *(room.exits if room else ())]


def _performs(call: Call) -> bool:
    return call.purpose in ("actor.perform", "actor.retake") and call.fault is None


async def watched(
    session: Session, turns: int, until: Callable[[Played], bool] = lambda _: True, most: int = 0
) -> list[Played]:
    """So many turns, whether or not the model is up to them, and on to the first that tells something, up to a limit;
    a garden that ends goes on."""
    await session.open()
    played: list[Played] = []
    known = 0
    while len(played) < turns or (len(played) < most and not any(map(until, played))):
        world, view = session.world, session.view(session.speaker())
        turn = await next_turn(session)
        rows = session.journal.calls(session.garden.id, session.branch, prompts=True)
        calls = [Call.model_validate(row.call) for row in rows[known:]]
        played.append(Played(world, session.world, view, calls, turn, None if turn else _newest_fault(session)))
        known = len(rows)
        await resume(session)
    return played


def _newest_fault(session: Session) -> str | None:
    return next((row.event.payload["fault"] for row in reversed(session.rows) if row.event.kind == "fault"), None)


def rates(played: Sequence[Played]) -> str:
    """How the acts of some turns fared, in a line."""
    turns = [one.turn for one in played if one.turn]
    reached = [one.outcome for one in played if one.reached]
    chosen = [one for one in played if one.chosen]
    parts = [
        f"{len(turns)} turns",
        f"{sum(bool(turn.deeds) for turn in turns)} with an act",
        f"{sum(not turn.take.ruling.allowed for turn in turns)} denied",
        f"{sum(bool(turn.take.retakes) for turn in turns)} retaken",
        f"{sum(turn.take.sanitized.triggered for turn in turns)} replaced",
        f"after what is not there {_tally(reached)}",
    ]
    if chosen:
        read, own = sum(one.done for one in chosen), sum(one.written for one in chosen)
        seen = sum(not one.out_of_sight for one in chosen)
        parts.append(f"chosen {len(chosen)}: read {read}, in the model's own words {own}, in the scene {seen}")
    return "; ".join([*parts, f"faults {_tally([one.fault for one in played if one.fault])}"])


def _tally(names: Sequence[str]) -> str:
    """How many there are, and how many of each."""
    each = ", ".join(f"{count} {name}" for name, count in sorted(Counter(names).items()))
    return f"{len(names)} ({each})" if each else "0"
