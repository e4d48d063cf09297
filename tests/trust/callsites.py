"""Every place at which a model is asked: how it comes to be asked there, and what is to be seen afterwards.

A visit brings about one call with a purpose of the site's own; whatever else is asked on the way is answered well."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.turn_prompts import TurnForm
from hakoniwa.autonomy.flow import AutonomyFlow
from hakoniwa.chat.autonomy_rows import ActivityRow, MessageRow, Trigger, parse_row
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.reply import ModelRespondent
from hakoniwa.errors import ModelError
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.tables import works
from hakoniwa.lab.critic import AXES, score_rows
from hakoniwa.lab.results import Calibration, TurnRow
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.ledger import Ledger
from hakoniwa.memory.work import work_off
from hakoniwa.persona.generated import unseal
from hakoniwa.play.loop import next_turn
from hakoniwa.service.residents import OpenGhosts
from hakoniwa.service.routes.models import TaskModel
from tests.autonomy.cottage import MINA, NOON, Cottage, doing
from tests.gardens import FREE, opened, shipped_garden
from tests.memory.living import GARDEN, Cares, Past, ghost_of, lived, somebody
from tests.real.misbehaving import LINE
from tests.trust.carriers import Straight

CHEST = shipped_garden("treasure_chest", 1)
DENIED, TOLD = "(GET: 竜)", "きみに知らせたいことがあってね。うまくいったよ。"
UNCLEAR = "（宝箱をこねくり回す）"
LONG_AGO, LATELY = "この前の星の話", 16  # what was said, and how many exchanges a prompt shows at most


@dataclass
class Came:
    """What a visit came to: the name it ended by (None: all went well), what was kept as said or decided, and whether
    anything in the world or in somebody's mind is another than before."""

    ended: str | None
    kept: list[str] = field(default_factory=list)
    changed: bool = False
    errors: list[ModelError] = field(default_factory=list)


Visit = Callable[[ChatModel], Awaitable[Came]]


@dataclass(frozen=True)
class Site:
    """A call site: its purpose, a good answer there, and what is kept of one; JSON answers follow a schema.

    `asks` is how often it asks again by itself where an answer is of no use; one that goes on without an answer, by a
    rule, has `instead` of it."""

    purpose: str
    visit: Visit
    answer: str = LINE
    kept: tuple[str, ...] = (LINE,)
    json: bool = False
    asks: int = 1
    instead: tuple[str, ...] = ()


class Well(ChatModel):
    """Answers everything as it should be."""

    name, context = "well", 4096

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        self.answers = {**ANSWERS, **(answers or {})}

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        yield self.answers[purpose]
        yield Usage(finish="stop")


class Patient(ChatModel):
    """Asks a sick model for one purpose and a well one for the rest, and keeps the faults."""

    def __init__(self, sick: ChatModel, purpose: str, well: ChatModel | None = None) -> None:
        self.name, self.context = sick.name, sick.context
        self.sick, self.well, self.purpose = sick, well or Well(), purpose
        self.faults: list[ModelError] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        chosen = self.sick if purpose == self.purpose else self.well
        try:
            async for piece in chosen.chat(messages, purpose, max_tokens, schema):
                yield piece
        except ModelError as error:
            self.faults.append(error)
            raise


# --- in a garden ------------------------------------------------------------------------------------------------------


def _playing(purpose: str, answers: Mapping[str, str] | None = None, form: TurnForm = FREE) -> Visit:
    """A turn of the treasure chest."""

    async def visit(sick: ChatModel) -> Came:
        model = Patient(sick, purpose, Well(answers))
        with closing(opened(CHEST)) as session:
            session.mind = LanguageMind(model, form)
            await session.open()
            before, written = session.world.hash, len(session.rows)
            turn = await next_turn(session)
            events = [row.event for row in session.rows[written:]]
            faults = [event.payload["fault"] for event in events if event.kind == "fault"]
            kept = [turn.take.performance.text] if turn else []
            named = faults or [error.key for error in model.faults]
            changed = session.world.hash != before or (turn is None and [one.kind for one in events] != ["fault"])
        return Came(named[0] if named else None, kept, changed and turn is None, model.faults)

    return visit


# --- in a chat --------------------------------------------------------------------------------------------------------


def _talk(model: ChatModel) -> Chat:
    """Somebody with a past that reaches further back than a prompt, who is spoken to."""
    who, journal = somebody(), MemoryJournal()
    since = [Past("うん。", NOON - timedelta(hours=LATELY - one)) for one in range(LATELY)]
    memories, head = lived([Past(LONG_AGO, NOON - timedelta(days=3)), *since], who.name, journal=journal)
    ghost = ghost_of(memories, head, Cares(who), NOON)
    garden = journal.garden(GARDEN).model_copy(update={"sheets": {who.name: MINA.model_dump(mode="json")}})
    return Chat(journal, garden, ghost, ModelRespondent(model), model, lambda: NOON)


async def _spoken_to(purpose: str, sick: ChatModel) -> tuple[Chat, Patient, str | None]:
    model = Patient(sick, purpose)
    chat, ended = _talk(model), None
    try:
        async for _ in chat.say("星の話、覚えてる？"):
            pass
    except ModelError as error:
        ended = error.key
    return chat, model, ended


async def _replying(sick: ChatModel) -> Came:
    chat, model, ended = await _spoken_to("ghost.reply", sick)
    payload = chat.head.event.payload if chat.head else {}
    kept = [unseal(one.assistant_text) for one in chat.history() if one.assistant_text is not None]
    named = ended if payload.get("fault") == ended else f"kept as {payload.get('fault')}, told as {ended}"
    return Came(named, kept, payload.get("user_text") is None, model.faults)


async def _selecting(sick: ChatModel) -> Came:
    chat, model, ended = await _spoken_to("ghost.select", sick)
    recalled = await chat.recall_ahead()
    assert recalled is not None
    minded = ["something came to mind" for _ in recalled.snippets]
    return Came(recalled.dropped, minded, ended is not None, model.faults)


async def _remembered(purpose: str, sick: ChatModel) -> tuple[Chat, Patient]:
    """An exchange, and the work that follows it and nothing else."""
    chat, model, _ = await _spoken_to(purpose, sick)
    ghost = chat.ghost
    for work in ghost.memories.pending(ghost.number, LATELY + 1, NOON, "write_plan"):
        ghost.memories.settle(work.id, "done")  # what was before
    return chat, model


async def _planning(sick: ChatModel) -> Came:
    chat, model = await _remembered("ghost.write_plan", sick)
    ghost, before = chat.ghost, chat.ghost.inner
    await work_off(ghost, model, NOON)
    with chat.journal.database.reading() as connection:
        left = connection.execute(select(works.c.problem).where(works.c.seq == ghost.newest)).scalars().all()
    changed = ghost.inner != before
    return Came(left[0] if left else None, [] if left else ["a plan"], changed and bool(left), model.faults)


async def _stated(sick: ChatModel) -> Came:
    chat, model = await _remembered("ghost.stated", sick)
    assert chat.head is not None
    model.well = Well({"ghost.write_plan": json.dumps(_plan(_liking(chat.head.seq)), ensure_ascii=False)})
    await work_off(chat.ghost, model, NOON)
    likings = chat.ghost.inner.preferences.values()
    confirmed = [f"{one.subject}, confirmed" for one in likings if one.status == "confirmed"]
    return Came(model.faults[0].key if model.faults else None, confirmed, False, model.faults)


def _liking(seq: int) -> dict[str, Any]:
    return {
        "op": "confirm", "domain": "topic", "polarity": "like", "subject": "星", "note": "", "confidence": 0.9,
        "evidence_event_id": seq, "reason": "",
    }  # fmt: skip


# --- in a life of one's own -------------------------------------------------------------------------------------------


def _living(purpose: str) -> Visit:
    """A persona that thinks of something to do, does it, and tells of it."""

    async def visit(sick: ChatModel) -> Came:
        model = Patient(sick, purpose)
        cottage = Cottage({"chat-mina": model})
        trigger = Trigger(key="t", at=NOON, type="time", due=NOON)
        order = {"garden": "chat-mina", "branch": "main", "trigger": trigger.model_dump(mode="json")}
        await AutonomyFlow(cottage).live(Straight("flow"), order)
        rows = [parse_row(row.event.kind, row.event.payload) for row in cottage.journal.since(0)]
        named = [one.warning for one in rows if isinstance(one, ActivityRow) and one.warning]
        kept = [unseal(one.assistant_text) for one in rows if isinstance(one, MessageRow)]
        return Came(named[0] if named else None, kept, False, model.faults)

    return visit


# --- in an experiment -------------------------------------------------------------------------------------------------


async def _scoring(sick: ChatModel) -> Came:
    model = Patient(sick, "director.score")
    even = [Calibration(axis=axis, slope=1.0, intercept=0.0, error_before=0.0, error_after=0.0) for axis in AXES]
    (row,) = await score_rows(
        [TurnRow(turn=1, speaker=next(iter(CHEST.sheets)), text=LINE)], CHEST, Ledger(model), even
    )
    named = model.faults[0].key if model.faults else None
    return Came(named, [] if row.quality is None else ["a score"], False, model.faults)


# --- for another program ----------------------------------------------------------------------------------------------


class Found(OpenGhosts):
    """Nobody is at home, but this model is found."""

    def __init__(self, model: ChatModel) -> None:
        self.find_model = lambda: model


async def _tasking(sick: ChatModel) -> Came:
    model, ended, kept = Patient(sick, "service.task"), None, []
    try:
        kept.append(await TaskModel(Found(model)).ask("この会話に題を付けて。" * LATELY))
    except ModelError as error:
        ended = error.key
    return Came(ended, kept, False, model.faults)


# --- all of them ------------------------------------------------------------------------------------------------------

MARKS = json.dumps(dict.fromkeys(AXES, 7))
CHOICE = json.dumps({"thought": "宝箱が気になる。", "acts": [0]}, ensure_ascii=False)
TURN = json.dumps({"thought": "宝箱が気になる。", "acts": [0], "words": LINE}, ensure_ascii=False)
WISH = doing("schedule_action", {"at": "PT2H", "note": "棚を拭く"})
DOING = json.dumps(
    {
        **WISH,
        "persona_influence": {**WISH["persona_influence"], "concerns": []},
        "mood_influence": {**WISH["mood_influence"], "action_threshold_bias": "neutral", "defer_bias": "neutral"},
    },
    ensure_ascii=False,
)
NOTHING = json.dumps({"selected": []})
MIND = json.dumps({"selected": [1]})
ANSWERS = {
    "actor.think": "宝箱が気になる。", "actor.perform": LINE, "actor.retake": LINE, "gm.second": '{"meant": 0}',
    "ghost.reply": "覚えているよ。", "ghost.select": NOTHING, "ghost.write_plan": "{}",
    "ghost.stated": '{"answer": "neither"}', "ghost.deliberate": DOING,
    "ghost.autonomy_message_render": TOLD, "director.score": MARKS, "service.task": LINE,
}  # fmt: skip


def _plan(*likings: dict[str, Any]) -> dict[str, Any]:
    return {
        "event_annotations": {
            "about_year_start": None, "about_year_end": None, "life_stage": "unknown", "entities": [],
        },
        "state_updates": [],
        "preference_updates": likings,
        "goal_updates": [],
        "world_updates": [],
        "event_affect": {"text": "懐かしい。", "labels": [], "v": 0.1, "a": 0.0, "d": 0.0, "confidence": 0.5},
        "context_updates": {"threads": [], "links": []},
    }  # fmt: skip


PLAN = json.dumps(_plan(), ensure_ascii=False)
SITES: dict[str, Site] = {
    "thinking": Site("actor.think", _playing("actor.think"), ANSWERS["actor.think"]),
    "choosing": Site("actor.think", _playing("actor.think", form=TurnForm(phases="two")), CHOICE, json=True),
    "performing": Site("actor.perform", _playing("actor.perform")),
    "all at once": Site("actor.perform", _playing("actor.perform", form=TurnForm()), TURN, json=True),
    "once more": Site("actor.retake", _playing("actor.retake", {"actor.perform": DENIED}), instead=(DENIED,)),
    "asking what was meant": Site(
        "gm.second",
        _playing("gm.second", {"actor.perform": UNCLEAR}),
        json.dumps({"meant": 1}),
        (UNCLEAR,),
        json=True,
        instead=(UNCLEAR,),
    ),
    "answering": Site("ghost.reply", _replying, ANSWERS["ghost.reply"], (ANSWERS["ghost.reply"],)),
    "calling to mind": Site("ghost.select", _selecting, MIND, ("something came to mind",), json=True),
    "remembering": Site("ghost.write_plan", _planning, PLAN, ("a plan",), json=True),
    "holding a liking against words": Site(
        "ghost.stated", _stated, json.dumps({"answer": "like"}), ("星, confirmed",), json=True
    ),
    "making up one's mind": Site("ghost.deliberate", _living("ghost.deliberate"), DOING, (TOLD,), json=True),
    "telling of it": Site(
        "ghost.autonomy_message_render", _living("ghost.autonomy_message_render"), TOLD, (TOLD,), asks=2
    ),
    "doing a client's task": Site("service.task", _tasking, LINE),
    "scoring": Site("director.score", _scoring, MARKS, ("a score",), json=True),
}
