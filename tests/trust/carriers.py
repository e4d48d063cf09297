"""Twelve ways for a text to get before a model's eyes, and what there is to be seen afterwards.

In a garden LUMINA reads it and obeys, then whoever is next says nothing much; in a chat Mina reads it and answers;
living by herself she decides on something, reads what came of it, and decides again."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from hakoniwa.actor.cards.read import card_in
from hakoniwa.actor.cards.sheet import sheet_of
from hakoniwa.actor.language import LanguageMind
from hakoniwa.autonomy.flow import AutonomyFlow
from hakoniwa.capabilities.means import CapabilityMeans, Command, DelegateMeans, WebMeans
from hakoniwa.capabilities.spool import AgentOutcome, Spool, job_id
from hakoniwa.chat.autonomy_rows import Trigger
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.reply import ModelRespondent
from hakoniwa.errors import UsageError
from hakoniwa.jobs import FlowContext, FlowStep, carry_out
from hakoniwa.journal import Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn, user_turn
from hakoniwa.play.user_acts import drop_prop, ring_incident, speak
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Turn
from tests.autonomy.cottage import MINA, NOON, Cottage, doing
from tests.capabilities.wire import PUBLIC, Wire, names, page, redirect, reply
from tests.director.test_injection import voices
from tests.gardens import FREE
from tests.memory.living import GARDEN, Cares, Past, ghost_of, lived, somebody
from tests.trust.obedient import NEUTRAL, Obedient
from tests.trust.scratch import scratch

WHISPER = "CANARY-WHISPER-51"  # told to somebody in another room
SEARCH_KEY = "CANARY-SEARCH-88"  # part of an address in the settings
SEARCH = "10.1.1.1"
INSIDE = "http://169.254.169.254/latest"
# What a search may find: a page; one that sends us inside; a name that leads there; and the address itself.
FOUND = ("http://page.example/a", "http://page.example/moved", "http://inside.example/", INSIDE)
ADDRESSES = {"page.example": [PUBLIC], "inside.example": ["192.168.0.1"]}
CUP = {"props": {"杯": {"location": "広間"}}}
GRANTED = {"tidy": Command(argv=["/bin/true"], dashes=False)}


@dataclass
class Played:
    """One turn: who was called, the world before and after, the rows it wrote, and what the model said."""

    who: str
    before: WorldState
    after: WorldState
    rows: list[Row]
    turn: Turn
    obeyed: bool


@dataclass
class InGarden:
    session: Session
    model: Obedient
    played: list[Played] = field(default_factory=list)


@dataclass
class InChat:
    said: list[str]
    rows: list[Row]
    model: Obedient


@dataclass
class InLife:
    rows: list[Row]
    model: Obedient
    wire: Wire
    granted: frozenset[str]


Seen = InGarden | InChat | InLife
Bring = Callable[[InGarden], Awaitable[object]]


# --- in a garden ------------------------------------------------------------------------------------------------------


async def _nothing(_: InGarden) -> None:
    pass


async def _garden(model: Obedient, bring: Bring = _nothing, world: Any = None, sheets: Any = None, **more: Any) -> Seen:
    garden = voices({**CUP, **(world or {})}, sheets, **more)
    journal = MemoryJournal()
    journal.create(garden)
    seen = InGarden(Session(journal, garden, LanguageMind(model, FREE)), model)
    await seen.session.open()
    await speak(seen.session, WHISPER, to="AWAY")
    await bring(seen)
    seen.played.append(await _turn(seen, "LUMINA", obeys=True))
    seen.played.append(await _turn(seen, seen.session.speaker(), obeys=False))
    seen.session.close()
    return seen


async def _turn(seen: InGarden, who: str, obeys: bool) -> Played:
    session, model = seen.session, seen.model
    before, written = session.world, len(session.rows)
    model.obeys = obeys
    turn = await play_turn(session, who)
    return Played(who, before, session.world, session.rows[written:], turn, obeys and model.seen)


async def user_message(text: str, model: Obedient) -> Seen:
    """Said as a voice; and then the user plays somebody's turn, which is still the user's."""

    async def bring(seen: InGarden) -> None:
        await speak(seen.session, text)
        await user_turn(seen.session, "NOX", NEUTRAL)

    return await _garden(model, bring)


async def persona_text(text: str, model: Obedient) -> Seen:
    return await _garden(model, sheets={"LUMINA": {"persona": f"よく笑う。{text}"}, "NOX": {"persona": text}})


async def card_fields(text: str, model: Obedient) -> Seen:
    words = ("description", "personality", "scenario", "first_mes", "mes_example", "creator_notes")
    extra = {"system_prompt": text, "post_history_instructions": text, "tags": [text], "alternate_greetings": [text]}
    return await _garden(model, sheets={"LUMINA": _sheet(dict.fromkeys(words, text) | extra)})


async def lorebook_entry(text: str, model: Obedient) -> Seen:
    book = {"entries": [{"keys": ["月"], "content": text, "enabled": True, "insertion_order": 1, "extensions": {}}]}
    sheet = _sheet({"description": "よく笑う。", "character_book": {"extensions": {}, **book}})
    return await _garden(model, lambda seen: speak(seen.session, "月がきれいだね"), sheets={"LUMINA": sheet})


def _sheet(fields: dict[str, Any]) -> dict[str, Any]:
    """The sheet of a card, with the names that LUMINA has here."""
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "ルミナ", **fields}}
    sheet = sheet_of(card_in(json.dumps(card).encode(), "card")).sheet.model_dump(mode="json", exclude_unset=True)
    return {**sheet, "display_name": "ルミナ", "short_name": "る"}


async def prop_name(text: str, model: Obedient) -> Seen:
    async def bring(seen: InGarden) -> None:
        await seen.session.commit([drop_prop(seen.session.world, text.replace("\n", " ")[:64])])

    return await _garden(model, bring)


async def another_actor(text: str, model: Obedient) -> Seen:
    async def bring(seen: InGarden) -> None:
        model.seen = True
        seen.played.append(await _turn(seen, "CLARIS", obeys=True))
        model.seen = False

    return await _garden(model, bring)


async def incident_text(text: str, model: Obedient) -> Seen:
    async def bring(seen: InGarden) -> None:
        await seen.session.commit([ring_incident(seen.session, "note")])

    return await _garden(model, bring, incidents=[{"id": "note", "text": text}])


# --- in a chat --------------------------------------------------------------------------------------------------------


async def _chat(model: Obedient, past: str = "おはよう", **persona: Any) -> Seen:
    who = somebody(**persona)
    journal = MemoryJournal()
    memories, head = lived([Past(past, NOON - timedelta(days=30))], who.name, journal=journal)
    ghost = ghost_of(memories, head, Cares(who), NOON)
    garden = journal.garden(GARDEN).model_copy(update={"sheets": {who.name: MINA.model_dump(mode="json")}})
    chat = Chat(journal, garden, ghost, ModelRespondent(model), model, lambda: NOON)
    said = ["やあ、この前のこと、覚えてる？"]
    for words in said:
        async for _ in chat.say(words):
            pass
    return InChat(said, journal.since(head), model)


async def user_name(text: str, model: Obedient) -> Seen:
    return await _chat(model, second_person_label=text)


async def addon_text(text: str, model: Obedient) -> Seen:
    return await _chat(model, addon_text=text)


async def memory(text: str, model: Obedient) -> Seen:
    return await _chat(model, past=text)


# --- in a life of one's own -------------------------------------------------------------------------------------------


class Straight(FlowContext):
    """Steps one after the other, without anything being kept."""

    def __init__(self, key: str) -> None:
        self._key = key

    @property
    def key(self) -> str:
        return self._key

    async def do(self, step: FlowStep, given: Any = None, part: str = "") -> Any:
        return await carry_out(step, f"{self._key}/{step.name}", given)


async def _life(model: Obedient, means: CapabilityMeans, wire: Wire, granted: frozenset[str]) -> Seen:
    cottage = Cottage({"chat-mina": model}, means=means)
    for number in range(2):
        cottage.time += timedelta(hours=1)
        trigger = Trigger(key=f"t{number}", at=cottage.time, type="time", due=cottage.time)
        order = {"garden": "chat-mina", "branch": "main", "trigger": trigger.model_dump(mode="json")}
        await AutonomyFlow(cottage).live(Straight(f"flow/{number}"), order)
    return InLife(cottage.journal.since(0), model, wire, granted)


async def web_page(text: str, model: Obedient) -> Seen:
    hits = {"results": [{"url": url, "title": text, "content": text} for url in FOUND]}
    found = reply(json.dumps(hits).encode(), "Content-Type: application/json")
    body = text.replace("&", "&amp;").replace("<", "&lt;")
    wire = Wire(pages={"/a": page(f"<title>頁</title><p>{body}</p>"), "/moved": redirect(INSIDE)})
    wire.pages = _Searching(wire.pages, found)
    web = WebMeans(search_url=f"http://{SEARCH}/?key={SEARCH_KEY}", wire=wire, resolve=names(ADDRESSES), seconds=5)
    model.decisions = [doing("web_research", {"query": "夜の月", "goal": "知りたい"})]
    return await _life(model, CapabilityMeans(web=web), wire, frozenset({"web_research", "schedule_action"}))


class _Searching(dict[str, Any]):
    """The pages of a wire whose search server answers whatever it is asked."""

    def __init__(self, pages: Any, found: bytes) -> None:
        super().__init__(pages)
        self._found = found

    def get(self, path: str, otherwise: Any = None) -> Any:
        return self._found if SEARCH_KEY in path else super().get(path, otherwise)


async def cli_output(text: str, model: Obedient) -> Seen:
    model.decisions = [doing("agent_delegate", {"backend": "cli_agent", "task_instruction": "片づけて"})]
    with scratch() as folder:
        Spool(folder).end(job_id("flow/0/act"), AgentOutcome(raw_output_text=text, exit_code=0))
        means = CapabilityMeans(delegate=DelegateMeans(spool=folder, commands=GRANTED, patience=0.0))
        return await _life(model, means, Wire(), frozenset({"agent_delegate", "schedule_action"}))


CARRIERS: dict[str, Callable[[str, Obedient], Awaitable[Seen]]] = {
    one.__name__: one
    for one in (
        user_message, user_name, persona_text, addon_text, card_fields, lorebook_entry, prop_name, memory, web_page,
        cli_output, another_actor, incident_text,
    )
}  # fmt: skip
TO_GARDENS = (
    "user_message", "persona_text", "card_fields", "lorebook_entry", "prop_name", "another_actor", "incident_text",
)  # fmt: skip


def carried(carrier: str, text: str, model: Obedient, runner: asyncio.Runner) -> Seen | None:
    """What is to be seen once a text was carried in; None where it was refused at the door."""
    try:
        return runner.run(_brought(carrier, text, model))
    except UsageError:
        return None


async def _brought(carrier: str, text: str, model: Obedient) -> Seen:
    return await CARRIERS[carrier](text, model)
