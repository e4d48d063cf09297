"""Session: one garden at play. It commits events, and lets the user take part, rewind and fork."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from hakoniwa.actor.lore import Lorebook, perceived_texts, recall_lore
from hakoniwa.actor.mind import Decision, MindState
from hakoniwa.actor.view import CharacterView
from hakoniwa.actor.window import Transcript
from hakoniwa.director.evaluate import Director, DirectorMinimal
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import MAIN, GardenRecord, Journal, Row
from hakoniwa.pack import pack
from hakoniwa.play.standing import turn_of
from hakoniwa.play.state_hash import WorldHasher
from hakoniwa.play.timeline import Rows, Timeline
from hakoniwa.play.transcript import Transcripts
from hakoniwa.stage.belief import believed_world
from hakoniwa.stage.patch import apply
from hakoniwa.stage.scene import look
from hakoniwa.stage.world import WorldState, people_in, sight
from hakoniwa.turn import Event, PatchOp, Performance, Status, Thought, Turn

WORLDS_KEPT, LINES_SHOWN = 8, 6


class Mind(Protocol):
    """Thinks and performs for a character whose mind is made up by the numbers.

    `reminisces`: whether what comes to a character's mind makes a difference to it; `invited`: whether what things and
    people suggest is to count among the desires."""

    name: str
    reminisces: bool
    invited: bool = False

    async def think(self, view: CharacterView, decision: Decision) -> Thought: ...

    async def perform(
        self, view: CharacterView, decision: Decision, thought: Thought
    ) -> tuple[Performance, MindState]: ...

    async def retake(
        self, view: CharacterView, decision: Decision, thought: Thought, guidance: str
    ) -> Performance | None: ...


class Reminders(Protocol):
    """What comes to the minds of a garden's characters."""

    async def recalled(self, who: str) -> Sequence[tuple[int, str]]: ...

    async def follow(self) -> None: ...


class Session:
    """A garden at play and its minds, on a timeline that others may look at. Nothing here overwrites a turn.

    What is done here is done on the `standing` at its head; what others write meanwhile keeps it from being written."""

    def __init__(
        self, journal: Journal, garden: GardenRecord, mind: Mind, branch: str = MAIN, timeline: Timeline | None = None
    ) -> None:
        self.journal, self.garden, self.mind = journal, garden, mind
        self.timeline = timeline or Timeline(journal, garden, branch)
        self.scenario, self.cast = self.timeline.scenario, self.timeline.cast
        self.director: Director = DirectorMinimal()
        self.leak_status = Status.PASS
        self.common_knowledge = (self.scenario.description, self.scenario.opening.text)
        self.ghosts: Reminders | None = None
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._fingerprint = WorldHasher()
        self._believed: dict[str, WorldState] = {}
        self._lorebooks: dict[str, Lorebook] = {}
        self._foreseen: deque[tuple[WorldState, Sequence[PatchOp], WorldState]] = deque(maxlen=WORLDS_KEPT)
        self._transcripts = Transcripts(self.timeline)
        self._written: int | None = None
        self._go_on()

    @property
    def branch(self) -> str:
        return self.timeline.branch

    @property
    def rows(self) -> Rows:
        return self.timeline.rows

    @property
    def world(self) -> WorldState:
        return self.standing.world

    @property
    def unasked(self) -> bool:
        """Whether no model can have been asked anything at this head: this session has just written it."""
        return self._written is not None and self._written == self.head

    def asked(self) -> None:
        """A model is asked for the turn that comes after this head."""
        self._written = None

    def _go_on(self) -> None:
        """From where the line is now."""
        now = self.timeline.now
        self.standing, self.head = now.state, now.head

    async def follow(self) -> None:
        """Go on from what others have written on this line, such as an errand."""
        await self._beside(self.timeline.follow)
        self._go_on()

    def catch_up(self) -> None:
        """The same, where there is no event loop."""
        self.timeline.follow()
        self._go_on()

    async def commit(self, events: Sequence[Event]) -> list[Row]:
        """Write events in one transaction, off the event loop, then take them in."""
        worlds = self._ahead(events)
        hashed = [*events[:-1], events[-1].with_field("state_hash", self._fingerprint.of(worlds[-1]))]
        writing = self._in_writer(self._write, hashed, worlds)
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:  # too late to stop: what is being written has happened
            await writing
            raise
        finally:
            self._go_on()

    def _write(self, events: Sequence[Event], worlds: Sequence[WorldState]) -> list[Row]:
        rows = self.journal.append(self.garden.id, self.branch, events, self.head)
        self.timeline.extend(rows, worlds)
        self._written = rows[-1].seq
        return rows

    def _ahead(self, events: Sequence[Event]) -> list[WorldState]:
        """The worlds that events lead to, one after the other."""
        worlds = [self.world]
        for event in events:
            worlds.append(self.after(worlds[-1], event.world_delta))
        return worlds[1:]

    def after(self, world: WorldState, delta: Sequence[PatchOp]) -> WorldState:
        """The world after a delta. All who play a part in a turn ask for the same few, which are worked out once."""
        if not delta:
            return world
        for before, change, known in self._foreseen:
            if before is world and change == delta:
                return known
        after = apply(world, delta)
        self._foreseen.append((world, delta, after))
        return after

    def view(self, who: str, memories: Sequence[tuple[int, str]] = ()) -> CharacterView:
        """Everything `who` may know now, and what has come to their mind."""
        standing = self.standing
        belief = standing.beliefs[who]
        character = self.cast[who]
        extra = self.scenario.cast[who].desires
        here = [one for one in people_in(self.world, self.world.characters[who].location) if one != who]
        return CharacterView(
            who=who,
            character=character.with_field("desires", (*character.desires, *extra)) if extra else character,
            scene=look(self.world, who, belief, witnessed=standing.chronicles[who]),
            belief=belief,
            believed=self.believed_by(who),
            recent=standing.recent[who],
            urges=standing.urges[who],
            dice=standing.dice(self.garden.seed, self.branch, who),
            facts=self._facts(who),
            lore=recall_lore(self._lorebook(who), perceived_texts(standing.recent[who]), character.lore_scan),
            bonds={other: standing.hearsay.feeling(who, other).bond for other in here},
            knows_of={other: standing.hearsay.knows_of(who, other) for other in here if belief.claims},
            promises=[one for one in standing.hearsay.promises if one.who == who],
            cast=self.cast,
            memories=memories,
            witnessed=lambda: self.transcript(who),
        )

    def _lorebook(self, who: str) -> Lorebook:
        """What somebody knows of the world, made ready when it is first asked for."""
        if who not in self._lorebooks:
            self._lorebooks[who] = Lorebook(self.cast[who].lore)
        return self._lorebooks[who]

    def believed_by(self, who: str) -> WorldState:
        """The world as somebody takes it to be; its index follows from the last one, unless things have gone."""
        world, last = believed_world(self.standing.beliefs[who], self.world), self._believed.get(who)
        if last and _continues(last, world):
            props = [name for name, prop in world.props.items() if last.props.get(name) is not prop]
            figures = [name for name, figure in world.characters.items() if last.characters[name] != figure]
            world.indexed(last.index.moved(last, world, props, figures))
        self._believed[who] = world
        return world

    def _facts(self, who: str) -> tuple[str, ...]:
        """At most three: what one's own last turn calls for, and that nothing happens any more, if so.

        Whoever is to go on from their own last words is told that first."""
        own, warning = self.standing.facts.get(who, ()), self.standing.warnings.get(who, ())
        going_on = (pack(self.world.language).phrases["goes-on"],) if self._goes_on(who) else ()
        return (*going_on, *own[:1], *warning, *own[1:])[:3]

    def _goes_on(self, who: str) -> bool:
        return self.standing.goes_on and self.standing.cued == who

    def transcript(self, who: str) -> Transcript:
        """Everything somebody has witnessed, line by line."""
        return self._transcripts.of(who)

    def turns(self) -> Iterator[Turn]:
        """Every turn of this line, the oldest first."""
        return (turn_of(row.event) for row in self.rows if row.event.kind == "turn")

    def turn(self, number: int) -> Turn | None:
        """The turn of that number, if there is one."""
        place = self.timeline.index.turn_at(number)
        return None if place is None else turn_of(self.rows[place].event)

    def speaker(self) -> str:
        """Whose turn it is."""
        order = [who for who in self.cast if who not in self.standing.muted] or list(self.cast)
        first = self.scenario.speakers.first or order[0]
        chosen = self.standing.pinned or self.standing.cued or self.standing.next_speaker or first
        return chosen if chosen in order else order[0]

    def everyone(self) -> tuple[str, ...]:
        return tuple(self.world.characters)

    # --- what a user can do ---

    async def open(self) -> list[Row]:
        """The curtain rises: the opening words are the first event."""
        if self.rows:
            return []
        opening = self.scenario.opening
        payload = {"speaker": opening.speaker, "text": opening.text}
        event = Event(kind="opening", turn=0, origin="gm", witnesses=self.everyone(), payload=payload)
        return await self.commit([event])

    async def say(self, text: str, urges: Sequence[dict[str, Any]] = ()) -> list[Row]:
        """The user speaks as a voice that everyone where the camera is can hear."""
        room = self.world.location.current
        payload: dict[str, Any] = {"speaker": "user", "text": text, **({"urges": list(urges)} if urges else {})}
        perceived_texts = tuple(people_in(self.world, room)) or self.everyone()
        return await self.commit(
            [Event(kind="user", turn=self.world.time.turn, origin="user", witnesses=perceived_texts, payload=payload)]
        )

    async def undo(self, turns: int = 1) -> int:
        """Take back whole turns; they stay in the journal. Returns the turn the garden stands at."""
        ends = self.timeline.index.turn_places
        if not 0 < turns <= len(ends):
            raise UsageError("play.cannot-undo", wanted=turns, played=len(ends))
        keep = ends[-turns]
        wished = self._wishes()
        target = self.rows.seqs[keep - 1] if keep else None
        await self.in_journal(self.journal.move_head, self.garden.id, self.branch, target)
        await self.follow()
        now = self.world.time.turn
        # Who is muted or pinned is how the user wants to watch, no part of the story: it stays as it is.
        cue = Event(kind="cue", turn=now, origin="user", payload=wished)
        undo = Event(kind="undo", turn=now, origin="user", payload={"turns": turns})
        await self.commit([undo] if wished == self._wishes() else [undo, cue])
        return now

    def _wishes(self) -> dict[str, Any]:
        return {"muted": list(self.standing.muted), "pin": self.standing.pinned}

    async def fork(self, name: str) -> None:
        """Go on in a new branch from here; the old one stays as it is."""
        await self.in_journal(self.journal.fork, self.garden.id, self.branch, name, self.head)
        self.timeline.branch = name

    async def in_journal(self, act: Callable[..., Any], *details: Any) -> Any:
        """Do something with the journal, off the event loop and in its turn."""
        return await self._in_writer(act, *details)

    def _in_writer(self, act: Callable[..., Any], *details: Any) -> asyncio.Future[Any]:
        """Beside the event loop, if it has to wait for anything; else when the loop comes to it."""
        if self.journal.waits:
            return self._beside(act, *details)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        loop.call_soon(_settle, done, act, details)
        return done

    def _beside(self, act: Callable[..., Any], *details: Any) -> asyncio.Future[Any]:
        """In the writer's own thread, one thing after the other."""
        return asyncio.get_running_loop().run_in_executor(self._writer, act, *details)

    async def backup(self, to: Path) -> None:
        await self.in_journal(self.journal.backup, to)

    def member(self, name: str) -> str:
        """The character of that name or nickname."""
        for who, figure in self.world.characters.items():
            known = (who, *figure.aliases, self.cast[who].display_name, self.cast[who].short_name)
            if name in known:
                return who
        raise UnknownName("unknown.character", name=name, known=", ".join(self.world.characters))

    async def aclose(self) -> None:
        """Let go of the model's connections, in the loop that opened them, and close."""
        if closing := getattr(getattr(self.mind, "model", None), "aclose", None):
            await closing()
        self.close()

    def close(self) -> None:
        self._writer.shutdown(wait=True)


def _settle(done: asyncio.Future[Any], act: Callable[..., Any], details: Sequence[Any]) -> None:
    """Do it, unless nobody waits for it any more, and hand over what came of it."""
    if done.cancelled():
        return
    try:
        done.set_result(act(*details))
    except BaseException as error:  # as an executor would: whoever waits is to hear of it
        done.set_exception(error)


def _continues(last: WorldState, world: WorldState) -> bool:
    """Whether one believed world is another with the same rooms and people, in which nothing has been forgotten."""
    same = last.locations is world.locations and last.characters.keys() == world.characters.keys()
    return same and last.props.keys() <= world.props.keys()


def surroundings(session: Session, who: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The things in sight of somebody, and the latest lines of the garden with who said them."""
    lines = (f"{turn.speaker} {turn.take.performance.text}" for turn in session.standing.turns[-LINES_SHOWN:])
    return tuple(sight(session.world, who)), tuple(lines)
