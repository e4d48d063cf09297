"""Garden: one garden, opened, played and asked from Python. It is a Session with a plain face, and no second engine."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import cached_property
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Self, TypeVar

from hakoniwa.actor.character import Character
from hakoniwa.app import ledger_of, model_of, observed_mind, record_of, scenario_at, sheets_of
from hakoniwa.app.chats import ghosts_of
from hakoniwa.errors import UsageError
from hakoniwa.gm.options import possible_acts
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.library.minds import CastMind, CustomMind, CustomModel, as_model
from hakoniwa.library.plain_errors import plain_errors
from hakoniwa.library.records import Kind, frame_of, records_of
from hakoniwa.llm import ChatModel
from hakoniwa.play.loop import play, resume
from hakoniwa.play.session import Mind, Session
from hakoniwa.play.turn import user_turn
from hakoniwa.play.user_acts import drop_prop, ring_incident, speak
from hakoniwa.settings import BUILTIN, Settings
from hakoniwa.stage.belief import Belief
from hakoniwa.stage.relations import Feeling
from hakoniwa.stage.scenario import Incident, Scenario
from hakoniwa.stage.scene import Scene, look
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Turn

Result = TypeVar("Result")
SQLITE = "sqlite:///{}"


class Background:
    """An event loop in a thread of its own: a garden is played there, whoever waits for it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = Thread(target=self.loop.run_forever, name="hakoniwa-garden", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, Result]) -> "Future[Result]":
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        """What comes of some work; who breaks off the waiting breaks off the work."""
        under_way = self.start(work)
        try:
            return under_way.result()
        except BaseException:
            under_way.cancel()
            raise

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class Turns:
    """Turns as they are played: for `for`, and for `async for` where something else runs meanwhile."""

    def __init__(self, garden: "Garden", turns: int | None) -> None:
        self._garden, self._turns = garden, turns

    def __iter__(self) -> Iterator[Turn]:
        playing = self._play()
        while (turn := self._garden.background.wait(anext(playing, None))) is not None:
            yield turn

    async def __aiter__(self) -> AsyncIterator[Turn]:
        playing = self._play()
        while (turn := await asyncio.wrap_future(self._garden.background.start(anext(playing, None)))) is not None:
            yield turn

    async def _play(self) -> AsyncIterator[Turn]:
        await resume(self._garden.session)
        async for turn in play(self._garden.session, self._turns):
            yield turn


class Garden:
    """A garden to play and to look into. What waits for a model is `play`; all else is done when it returns."""

    def __init__(self, session: Session, settings: Settings, background: Background | None = None) -> None:
        self.session, self.settings = session, settings
        self.background = background or Background()
        self._shares_journal = background is not None
        if session.mind.reminisces and not isinstance(session.journal, MemoryJournal):
            session.ghosts = ghosts_of(session, settings)

    @classmethod
    @plain_errors()
    def open(
        cls,
        scenario: str | Path | Scenario,
        *,
        seed: int | None = None,
        journal: str | Path | Journal | None = None,
        sheets: Mapping[str, Character] | None = None,
        incidents: Sequence[Incident | Mapping[str, Any]] = (),
        model: str | CustomModel = BUILTIN,
        minds: Mapping[str, CustomMind] | None = None,
        settings: Settings | None = None,
    ) -> Self:
        """A new garden.

        `scenario` is a shipped one's name, a file, or a `Scenario`; `sheets` take the place of its own, `incidents`
        join its deck. `journal` is a file or a URL; without one nothing is kept. `model` is a server's model by name,
        `auto`, or a function from messages to text; without one the built-in mind plays. `minds` play single
        characters: each is a function from what they may know to their words."""
        found, own = cls._staged(scenario, incidents)
        settings = settings or Settings()
        mind = mind_for(model, settings)
        record = record_of(found, {**own, **(sheets or {})}, seed)
        kept = journal_at(journal)
        kept.create(record)
        return cls(Session(kept, record, CastMind.over(mind, minds or {}, found.cast)), settings)

    @classmethod
    @plain_errors()
    def resume(
        cls,
        journal: str | Path | Journal,
        id: str,
        *,
        branch: str = MAIN,
        model: str | CustomModel = BUILTIN,
        minds: Mapping[str, CustomMind] | None = None,
        settings: Settings | None = None,
    ) -> Self:
        """A garden of a journal, where it was left."""
        kept, settings = journal_at(journal), settings or Settings()
        record = kept.garden(id)
        mind = CastMind.over(mind_for(model, settings), minds or {}, record.sheets)
        return cls(Session(kept, record, mind, branch), settings)

    @staticmethod
    def _staged(
        scenario: str | Path | Scenario, incidents: Sequence[Incident | Mapping[str, Any]]
    ) -> tuple[Scenario, dict[str, Character]]:
        """A scenario with further incidents, and the sheets that are its own."""
        if isinstance(scenario, Scenario):
            found, sheets = scenario, sheets_of(scenario, Path())
        else:
            found, beside = scenario_at(str(scenario))
            sheets = sheets_of(found, beside)
        more = [Incident.model_validate(one) for one in incidents]
        return (found.with_field("incidents", (*found.incidents, *more)) if more else found), sheets

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, turns: int | None = None) -> Turns:
        """Turns to loop over, up to a number of them or to the garden's end."""
        return Turns(self, turns)

    @plain_errors()
    def say(self, text: str, to: str | None = None) -> None:
        """Speak as a voice in the room that is being looked into, or into one character's ear."""
        self._wait(speak(self.session, text, to and self.session.member(to)))

    @plain_errors()
    def act(self, who: str, text: str) -> Turn:
        """A turn in your words: `(GET: mug)`, a stage direction, or something said; it is judged like any other."""
        return self._wait(user_turn(self.session, self.session.member(who), text))

    @plain_errors()
    def drop(self, thing: str, place: str | None = None) -> None:
        """Put a new thing into the garden."""
        self._wait(self.session.commit([drop_prop(self.world, thing, place)]))

    @plain_errors()
    def ring(self, incident: str) -> None:
        """Have an incident of the deck happen now."""
        self._wait(self.session.commit([ring_incident(self.session, incident)]))

    @plain_errors()
    def undo(self, turns: int = 1) -> None:
        """Take turns back; the journal keeps them."""
        self._wait(self.session.undo(turns))

    @plain_errors()
    def fork(self, at: int | None = None, name: str | None = None) -> "Garden":
        """Another line of play from the end of a turn, or from here. It has dice of its own, by its name."""
        line, journal = self.session.timeline, self.session.journal
        places = len(line.rows) if at is None else line.until(at)
        branch = name or self._free_name(self.turn if at is None else at)
        journal.fork(self.id, self.session.branch, branch, line.rows.seqs[places - 1] if places else None)
        return Garden(Session(journal, self.record, self.session.mind, branch), self.settings, self.background)

    def _free_name(self, turn: int) -> str:
        taken = {one.name for one in self.session.journal.branches(self.id)}
        return next(name for number in count(1) if (name := f"turn-{turn}-{number}") not in taken)

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self.background.wait(work)

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def record(self) -> GardenRecord:
        return self.session.garden

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def seed(self) -> int:
        return self.record.seed

    @property
    def world(self) -> WorldState:
        """The whole truth, as it stands."""
        return self.session.world

    @property
    def turn(self) -> int:
        return self.world.time.turn

    @property
    def ended(self) -> str | None:
        """Why the garden has ended, if it has: `goal`, `none`, `denials`, `model`, `budget`."""
        return self.session.standing.ended

    @cached_property
    def cast(self) -> dict[str, Character]:
        """Everybody's sheet."""
        return dict(self.session.cast)

    @property
    def speaker(self) -> str:
        """Whose turn it is."""
        return self.session.speaker()

    def turns(self) -> list[Turn]:
        """Every turn of this line, the oldest first."""
        return list(self.session.turns())

    @plain_errors()
    def scene(self, who: str) -> Scene:
        """What somebody can perceive now; a prompt gets no more than that."""
        who = self.session.member(who)
        return look(self.world, who, self.session.standing.beliefs[who])

    @plain_errors()
    def beliefs(self, who: str) -> Belief:
        """What somebody takes to be so: what they saw, what they saw done, and what they were told, with its source."""
        return self.session.standing.beliefs[self.session.member(who)]

    @plain_errors()
    def feeling(self, who: str, other: str) -> Feeling:
        """What somebody feels for somebody: trust, warmth and debt, with what moved them last."""
        return self.session.standing.hearsay.feeling(self.session.member(who), self.session.member(other))

    @plain_errors()
    def possible_acts(self, who: str) -> list[str]:
        """Every physical act that would be allowed now, as tags that `act` takes."""
        return [act.tag for act in possible_acts(self.world, self.session.member(who))]

    @plain_errors()
    def records(self, kind: Kind = "turns") -> list[dict[str, Any]]:
        """Rows of plain values: `turns`, `acts`, `beliefs`, `relations` or `calls`."""
        return list(records_of(self.session, kind))

    @plain_errors()
    def to_frame(self, kind: Kind = "turns") -> Any:
        """The same as a pandas frame, or as a polars one where pandas is not installed."""
        return frame_of(self.records(kind))

    # --- closing ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of threads, connections and files; a fork leaves to its garden what they share."""
        if self._shares_journal:
            self.session.close()
            return
        self._wait(self.session.aclose())
        self.session.journal.close()
        self.background.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Garden {self.id} seed={self.seed} turn={self.turn}>"


def journal_at(place: str | Path | Journal | None) -> Journal:
    """The journal at a place: none is one in memory, which ends with the garden."""
    if place is None:
        return MemoryJournal()
    if not isinstance(place, str | Path):
        return place
    url = str(place) if "://" in str(place) else SQLITE.format(Path(place).absolute())
    return open_journal(url)


def mind_for(model: str | CustomModel, settings: Settings) -> Mind:
    """Who plays everybody who has no mind of their own."""
    if not isinstance(model, str):
        return observed_mind(as_model(model), settings, None)
    named = settings.with_field("model", model)
    asked: ChatModel | None = ledger_of(named, model_of(named))
    if model != BUILTIN and asked is None:
        raise UsageError("library.no-model", name=model)
    return observed_mind(asked, named, None)
