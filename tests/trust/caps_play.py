"""Caps on worlds, deltas, models and plays."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from itertools import cycle, islice
from typing import Any
from unittest.mock import patch

import httpx2
from pydantic_core import to_json

from hakoniwa import gm_step
from hakoniwa.actor.window import Transcript, TranscriptLine
from hakoniwa.autonomy.policy import DELEGATION, RESEARCH, AutonomyPolicy, action_hindrance
from hakoniwa.capabilities import spool
from hakoniwa.capabilities.capability import make_result
from hakoniwa.capabilities.means import FETCHED, WEB
from hakoniwa.chat import chat
from hakoniwa.chat.autonomy_rows import IntentRow, ResultRow
from hakoniwa.chat.lineage import ChatLine
from hakoniwa.gm import sessions
from hakoniwa.gm.facts import MAX_CARD, MAX_CARDS, cards
from hakoniwa.journal import MAIN, GardenRecord
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Usage
from hakoniwa.llm import reply as reading
from hakoniwa.llm.bounded import bound_response
from hakoniwa.llm.ledger import Budget, Ledger
from hakoniwa.llm.reply import TIMES, UNIT
from hakoniwa.llm.wire import LARGEST
from hakoniwa.play.between import DENIALS_END, DENIALS_INCIDENT
from hakoniwa.play.loop import play
from hakoniwa.play.standing import CHRONICLE
from hakoniwa.service import chat_events, gm_sessions
from hakoniwa.service.streams import MOST_STREAMS, EventStreams
from hakoniwa.stage.patch import MAX_OPERATIONS, apply
from hakoniwa.stage.world import MAX_CHARACTERS, MAX_LOCATIONS, MAX_NAME, MAX_PROPS, MAX_WORLD, WorldState
from hakoniwa.turn import DeniedReason, Event, PatchOp, Ruling
from tests.autonomy.cottage import NOON, Cottage
from tests.llm.test_ledger import Counting, ask
from tests.play.test_loop import DENIED, garden
from tests.service.door import Door, request
from tests.service.plot import G
from tests.service.plot import garden as open_garden
from tests.service.test_gm import FullJournal
from tests.trust.cap import CUT, FEW, MEBIBYTE, Cap, refusal, whole_or_cut
from tests.trust.scratch import scratch
from tests.worlds import kitchen, tiny

A_WHILE, ROOM = timedelta(minutes=10), 1_000
OUTSIDE = ("/secrets/-", "/rules/-/x", "/meta/../x", "rules/-")

# --- worlds and deltas ------------------------------------------------------------------------------------------------


def operations(size: int) -> Callable[[], str]:
    delta = [PatchOp(op="add", path="/rules/-", value="静かに")] * size
    return lambda: refusal(lambda: apply(tiny(), delta))


def paths_outside(size: int) -> Callable[[], str]:
    inside = PatchOp(op="add", path="/rules/-", value="静かに")
    delta = [inside, *(PatchOp(op="add", path=path, value="x") for path in islice(cycle(OUTSIDE), size))]
    return lambda: refusal(lambda: apply(tiny(), delta))


def added(branch: str, value: dict[str, Any]) -> Callable[[int], Callable[[], str]]:
    """As many things of a kind as a world may have, the last one by a delta."""

    def prepared(size: int) -> Callable[[], str]:
        have = {f"名{place}": value for place in range(size - 1 - len(getattr(tiny(), branch)))}
        plain = tiny().model_dump(mode="json")
        plain[branch] |= have
        delta = [PatchOp(op="add", path=f"/{branch}/末", value=value)]
        return lambda: refusal(lambda: apply(checked(plain), delta))

    return prepared


def checked(plain: dict[str, Any], who: str = "楓") -> WorldState:
    """A world as the referee's door takes it; one that is too large is refused there already."""
    return sessions.checked_request(request(speaker=who, world_state=plain)).world_state


def added_name(size: int) -> Callable[[], str]:
    delta = [PatchOp(op="add", path=f"/props/{'匙' * size}", value={"location": "茶室"})]
    return lambda: refusal(lambda: apply(tiny(), delta))


def laden(size: int) -> Callable[[], str]:
    """A world of so many bytes after a delta."""
    bare = len(to_json(apply(tiny(), [PatchOp(op="add", path="/rules/-", value="")])))
    delta = [PatchOp(op="add", path="/rules/-", value="x" * (size - bare))]
    return lambda: refusal(lambda: apply(tiny(), delta))


def remembered(size: int) -> Callable[[], str]:
    """Sessions of the referee in one process: of more than may be, here a few, the oldest are forgotten."""
    book = sessions.SessionCache()
    body = request(raw_output="「やあ」")

    def asked() -> str:
        with patch.object(sessions, "MAX_SESSIONS", FEW):
            for place in range(size):
                book.answer({**body, "session_id": f"s{place}"})
        again = {name: value for name, value in body.items() if name != "world_state"}
        return refusal(lambda: book.answer({**again, "session_id": "s0", "turn_number": 1}))

    return asked


def fact_cards(size: int) -> Callable[[], str]:
    """A ruling with so many things to be told of: a change, that nothing happens, what nobody touched, a denial."""
    wanted, world = min(size, 4), checked(kitchen(), "やな")
    denied = DeniedReason.MISSING_OBJECT if wanted > MAX_CARDS else None
    told = ruled(allowed=denied is None, denied_reason=denied, stall_score=1.0, told=("風が吹いた。",))
    return lambda: "" if len(cards(told, world, "やな")) == wanted else CUT


def fact_card(size: int) -> Callable[[], str]:
    told = ruled(told=("あ" * (size - len("FACT: ")),))
    return lambda: whole_or_cut(max(cards(told, tiny(), "楓"), key=len), size, MAX_CARD)


def ruled(**details: Any) -> Ruling:
    """A ruling, with something else in it than the referee would say."""
    return gm_step(request(raw_output="「やあ」")).model_copy(update=details)


# --- models and plays -------------------------------------------------------------------------------------------------


def chunk(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


def reply_length(size: int) -> Callable[[], str]:
    pieces = [chr(0x4E00 + place % 20_000) for place in range(size)]

    def read() -> None:
        one = reading.ReplyReader()
        for start in range(0, size, 64):
            one.take(chunk("".join(pieces[start : start + 64])))

    return lambda: refusal(read)


class Body(httpx2.AsyncByteStream):
    """So many bytes, as they come from a model server."""

    def __init__(self, size: int) -> None:
        self.size = size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, self.size, 65_536):
            yield bytes(min(65_536, self.size - start))


def answer_bytes(size: int) -> Callable[[], str]:
    async def read() -> None:
        response = httpx2.Response(200, stream=Body(size))
        await bound_response(response)
        await response.aread()

    return lambda: refusal(lambda: asyncio.run(read()))


def repetition(size: int) -> Callable[[], str]:
    """A unit of 32 characters, one time fewer than is too often, and so on."""
    unit = "".join(chr(0x3041 + place) for place in range(UNIT))
    return lambda: refusal(lambda: reading.ReplyReader().take(chunk(unit * size)))


class Refusing(FullJournal):
    """A journal that counts how often it had no room."""

    refused = 0

    def _room(self) -> None:
        self.refused += self.full
        super()._room()


def unwritten(size: int) -> Callable[[], str]:
    """Steps of the referee while its journal is full: they wait in a line that has an end, here a short one."""
    journal = Refusing()

    def asked() -> str:
        with patch.multiple(gm_sessions, MAX_UNWRITTEN=FEW, RETRY=0.01, DELAY=0.001), Door(journal) as door:
            door.step()
            while not journal.lineage("gm/朝-1", MAIN):
                door.pause(0.01)
            journal.full = True
            answers = [door.step(turn_number=1)]
            while not journal.refused:
                door.pause(0.01)
            door.pause(0.01)
            answers += [door.step(turn_number=turn) for turn in range(2, size + 1)]
            journal.full = False
        return next((str(one.json()["key"]) for one in answers if one.status_code != 200), "")

    return asked


def tokens(**budget: int) -> Callable[[int], Callable[[], str]]:
    """Calls of ten tokens each, where a hundred may be spent."""

    def prepared(size: int) -> Callable[[], str]:
        ledger = Ledger(Counting(Usage(prompt=7, completion=3, finish="stop")), Budget(**budget))

        def asked() -> None:
            for _ in range(size):
                ask(ledger)

        return lambda: refusal(asked)

    return prepared


def denials(size: int) -> Callable[[], str]:
    """A garden in which everything that is tried is denied, for so many turns."""
    session = garden([DENIED], still_turns=99)

    async def through() -> str:
        played = [turn async for turn in play(session, size)]
        return "" if len(played) == size else str(session.standing.ended)

    return lambda: asyncio.run(through())


def denials_alone(size: int) -> Callable[[], str]:
    """The same, until something happens of itself."""
    session = garden([DENIED], still_turns=99, incidents=[{"id": "wind", "text": "風が吹いた。", "chance": 0.0}])

    async def through() -> str:
        async for _ in play(session, size):
            pass
        events = [row.event for row in session.rows if row.event.kind == "incident"]
        return str(events[0].payload["cause"]) if events else ""

    return lambda: asyncio.run(through())


def past(size: int) -> Callable[[], str]:
    """So many characters, in lines of ten, where a prompt has room for a thousand."""
    lengths = [10] * (size // 10) + [size % 10] * (size % 10 > 0)
    transcript = Transcript(TranscriptLine("あ" * (length - 1), seq=place) for place, length in enumerate(lengths))
    return lambda: "" if len(transcript.window(ROOM).lines) == len(transcript) else CUT


def known_of(size: int) -> Callable[[], str]:
    """So many things that happened before somebody's eyes: of how many a prompt could tell."""
    session = garden([DENIED])
    (who, *_) = session.cast
    noted = [PatchOp(op="add", path="/events/-", value=f"風が吹いた（{place}）。") for place in range(size)]

    def seen() -> str:
        for one in noted:
            session.standing.absorb(Event(kind="clock", turn=0, origin="gm", witnesses=(who,), world_delta=(one,)))
        return "" if len(session.standing.chronicles[who]) == size else CUT

    return seen


def missed(size: int) -> Callable[[], str]:
    """Somebody who comes back to a chat after so many rows; here there are few that are told one by one."""
    journal = MemoryJournal()
    journal.create(GardenRecord(id="c", scenario={}, sheets={}, seed=1))
    row = Event(kind="chat", turn=1, origin="user", payload={"user_text": "やあ"})
    journal.append("c", MAIN, [row] * (size + 1), None)

    def looked() -> str:
        with patch.object(chat_events, "BEHIND", FEW):
            line = chat_events.ChatFeed(journal, ChatLine("c", MAIN, "yana"))
            line.begin("1")
            found = line.look()
        return next((one.what.reason for one in found if isinstance(one.what, chat_events.Reset)), "")

    return looked


def alone(size: int) -> Callable[[], str]:
    """A garden that nobody says a word in, for so many turns."""

    def played() -> str:
        with open_garden(turns_alone=FEW) as door:
            door.post(f"{G}/run", {"speed": 0})
            door.sooner_or_later(lambda: not door.get(G)["pace"]["running"])
            view = door.get(G)
        return "" if view["turn"] >= size else str(view["pace"]["reason"])

    return played


def a_day(action_type: str, limits: dict[str, int], fetched: int = 0) -> Callable[[int], Callable[[], str]]:
    """So many acts of one kind, ten minutes apart: why the last is not begun, if it is not."""
    manners = AutonomyPolicy(**{"actions_per_day": 0, "tasks_per_day": 0, "megabytes_per_day": 0, **limits})

    def prepared(size: int) -> Callable[[], str]:
        cottage = Cottage({"chat-mina": None})
        doings, why = cottage.home("chat-mina", MAIN).doings, list[str | None]()

        def tried() -> str:
            for number in range(size):
                at = NOON + number * A_WHILE
                why.append(action_hindrance(doings, manners, action_type, f"{action_type}:{number}", at))
                if why[-1]:
                    break
                intent = doings.write(IntentRow(key=f"i{number}", at=at, decision_id=1, action_type=action_type,
                                             action_key=f"{action_type}:{number}"))  # fmt: skip
                result = make_result(WEB, "success", "", {}, {FETCHED: fetched})
                doings.write(ResultRow(key=f"r{number}", at=at, decision_id=1, intent_id=intent,
                                      action_type=action_type, result=result))  # fmt: skip
            return why[-1] or ""

        return tried

    return prepared


def tasks(size: int) -> Callable[[], str]:
    """Tasks that wait for a runner who does not come; here there is room for a few."""

    def given() -> str:
        with scratch() as folder, patch.object(spool, "MOST_WAITING", FEW):
            line = spool.Spool(folder)
            jobs = [spool.AgentJob(id=spool.job_id(str(place)), command="c", instruction="i") for place in range(size)]
            taken = [line.submit(job) for job in jobs]
            return "" if all(taken) else CUT

    return given


def watchers(size: int) -> Callable[[], str]:
    journal, streams = MemoryJournal(), EventStreams()

    def admitted() -> None:
        for _ in range(size):
            streams.open(chat_events.ChatWatcher(chat_events.ChatFeed(journal, ChatLine("c", MAIN, "yana"))), None)

    return lambda: refusal(admitted)


CAPS: dict[str, Cap] = {
    "operations of a delta": Cap(MAX_OPERATIONS, operations),
    "things by a delta": Cap(MAX_PROPS, added("props", {"location": "茶室"})),
    "people by a delta": Cap(MAX_CHARACTERS, added("characters", {"location": "茶室"})),
    "rooms by a delta": Cap(MAX_LOCATIONS, added("locations", {})),
    "a name by a delta": Cap(MAX_NAME, added_name),
    "paths outside the world": Cap(0, paths_outside),
    "events that somebody knows of": Cap(CHRONICLE, known_of),
    "sessions remembered": Cap(FEW, remembered),
    "characters of a model's reply": Cap(reading.LONGEST, reply_length, seconds=1.0),
    "bytes of a model server's answer": Cap(LARGEST, answer_bytes),
    "repetitions by a model": Cap(TIMES - 1, repetition),
    "tokens of a session": Cap(10, tokens(session_tokens=100)),
    "tokens of an hour": Cap(10, tokens(hour_tokens=100)),
    "characters of a message": Cap(chat.LONGEST, lambda size: lambda: refusal(lambda: chat.check_text("あ" * size))),
    "turns without a user": Cap(FEW, alone, seconds=2.0),
    "acts of a day": Cap(FEW, a_day("garden_act", {"actions_per_day": FEW})),
    "tasks of a day": Cap(FEW, a_day(DELEGATION, {"tasks_per_day": FEW})),
    "megabytes of a day": Cap(FEW, a_day(RESEARCH, {"megabytes_per_day": FEW}, fetched=MEBIBYTE)),
    "bytes by a delta": Cap(MAX_WORLD, laden),
    "tasks that wait": Cap(FEW, tasks),
    "denials in a row": Cap(DENIALS_END, denials, seconds=2.0),
    "denials before something happens": Cap(DENIALS_INCIDENT - 1, denials_alone, seconds=2.0),
    "fact cards": Cap(MAX_CARDS, fact_cards),
    "characters of a fact card": Cap(MAX_CARD, fact_card),
    "characters of the past in a prompt": Cap(ROOM, past),
    "rows that somebody missed": Cap(FEW, missed),
    "steps to be written": Cap(FEW, unwritten, seconds=1.0),
    "watchers": Cap(MOST_STREAMS, watchers),
}
