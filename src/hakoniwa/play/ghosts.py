"""The Ghosts of a garden: what everyone has witnessed becomes their own memory, and comes to mind when it fits.

No model is asked for any of this. Within a turn something is recalled by rule; between turns what happened is worked
into memory, mood and interest, from what the journal knows of it and not from reading it."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from hakoniwa.chat.lineage import CHAT, rows_to_remember, witness_memories
from hakoniwa.errors import PersonaMissing
from hakoniwa.journal import Row
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import recall
from hakoniwa.memory.store import Memories
from hakoniwa.memory.work import embed, work_by_rule
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.persona import persona_of
from hakoniwa.persona.records import Entity, EntityType, MemorySource, NewMemory, Vad, WorldItem
from hakoniwa.persona.world_model import world_items_of
from hakoniwa.play.session import Session
from hakoniwa.play.standing import turn_of
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Event

log = logging.getLogger("hakoniwa.memory")

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)  # gardens have a clock and no calendar: the same turns, the same moments
CUE_LINES, MAX_RECALLED = 1, 12
AT_ONCE = 200  # pieces of work

IndexOf = Callable[[int, str], VectorIndex | None]  # the vectors of a Ghost, by its number and its language


class GardenGhosts:
    """Everyone's Ghost in one garden at play, in step with its line of play."""

    def __init__(self, memories: Memories, session: Session, index_of: IndexOf = lambda *_: None) -> None:
        self.memories, self.session = memories, session
        self._ghosts = dict(self._everyone(index_of))

    def _everyone(self, index_of: IndexOf) -> Iterator[tuple[str, Ghost]]:
        session = self.session
        for who, sheet in session.cast.items():
            if session.scenario.cast[who].player:
                continue
            try:
                persona = persona_of(sheet, session.scenario.language)
            except PersonaMissing as error:
                log.warning("%s has no Ghost: %s", who, error)
                continue
            index = index_of(self.memories.ghost(session.garden.id, who), persona.language)
            embedder = index.embedder if index else None
            yield who, Ghost(self.memories, session.garden.id, session.branch, who, persona, embedder, index)

    def __getitem__(self, who: str) -> Ghost:
        return self._ghosts[who]

    def __contains__(self, who: object) -> bool:
        return who in self._ghosts

    @property
    def now(self) -> datetime:
        return moment(self.session, self.session.world.time.turn)

    async def follow(self) -> None:
        """Take in what has happened since, and work it into everyone's memory."""
        await asyncio.to_thread(self.catch_up)
        for ghost in self._ghosts.values():
            await embed(ghost)

    def catch_up(self) -> None:
        """The same, without vectors for what is new."""
        self._take_in()
        while work_by_rule(list(self._ghosts.values()), self.now, AT_ONCE, self.feeling) == AT_ONCE:
            pass

    async def recalled(self, who: str) -> list[tuple[int, str]]:
        """What comes to somebody's mind at what they have just witnessed: rows and what they remember of them."""
        if who not in self._ghosts:
            return []
        await self.follow()
        heard = self.session.transcript(who).newest(CUE_LINES)
        if not heard:
            return []
        found = await recall(
            self._ghosts[who], "\n".join(line.text for line in heard), self.now, None, limit=MAX_RECALLED
        )
        return [(one.key, unseal(one.text)) for one in found.chosen if one.type == "event"]

    def world_model(self, who: str) -> tuple[WorldItem, ...]:
        """What somebody takes the world to be: in a garden that is their belief."""
        return world_items_of(self.session.standing.beliefs[who], self.now)

    def _take_in(self) -> None:
        session = self.session
        new = rows_to_remember(self.memories, session.journal, session.garden.id, session.head)
        if new:
            before = new[0].parent or 0
            lines = {who: session.transcript(who).after(before) for who in session.cast}
            texts = {who: {one.seq: one.text for one in witnessed} for who, witnessed in lines.items()}
            self.memories.take_in(session.garden.id, [(row, self._lived(row, texts)) for row in new])
        with self.memories.database.together():
            line = self.memories.line(session.garden.id, session.head)
            for ghost in self._ghosts.values():
                ghost.branch = session.branch
                ghost.look_along(line)

    def _lived(self, row: Row, texts: Mapping[str, Mapping[int, str]]) -> dict[str, NewMemory]:
        """A row as everyone who was there remembers it; what was not worth a line is not remembered."""
        if row.event.kind == CHAT:
            return {who: memory for who, memory in witness_memories(row).items() if who in self._ghosts}
        entities = list(entities_of(row.event, self.session.world))
        at = moment(self.session, row.event.turn)
        heard = row.event.payload.get("text") if row.event.kind == "user" else None
        return {
            who: NewMemory(
                source=MemorySource.GARDEN,
                text=Generated(lines[row.seq]),
                user_text=heard,
                at=at,
                entities=tuple(one for one in entities if one.name != who),
            )
            for who, lines in texts.items()
            if row.seq in lines and who in self._ghosts
        }

    def feeling(self, who: str) -> Vad:
        """How somebody feels just now."""
        mood = self.session.standing.minds[who].mood
        return Vad(v=mood.valence, a=mood.arousal, d=mood.dominance)


def moment(session: Session, turn: int) -> datetime:
    """When a turn was, by the garden's own clock."""
    hours, minutes = map(int, (session.scenario.world.time.clock or "00:00").split(":"))
    return BEGINNING + timedelta(hours=hours, minutes=minutes + turn * session.scenario.minutes_per_turn)


def entities_of(event: Event, world: WorldState) -> Iterator[Entity]:
    """Who and what an event is about, as the referee read it."""
    if event.kind != "turn":
        return
    turn = turn_of(event)
    people = [turn.speaker, turn.take.ruling.parsed.addressee]
    things: Sequence[str] = [target for _, target in turn.deeds if target]
    for name in dict.fromkeys([*people, *things]):
        if name in world.characters:
            yield Entity(type=EntityType.PERSON, name=name)
        elif name in world.locations:
            yield Entity(type=EntityType.PLACE, name=name)
        elif name in world.props:
            yield Entity(type=EntityType.TOOL, name=name)
