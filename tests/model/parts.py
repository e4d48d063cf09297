"""The parts of `make model`: some turns of a garden in one way, some exchanges of a chat, a morning. Each is a file of
lines, one for every turn that was played, made to be read by eye as well."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from hakoniwa.app import journal_of, mind_of, model_of, new_session, resumed_session
from hakoniwa.app.chats import chat_of, chats, ghosts_of, new_chat
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.chat.autonomy_rows import DecisionRow, MessageRow, ResultRow
from hakoniwa.director.checks.echo import LINE, RUN, longest_run
from hakoniwa.director.reply_check import (
    ENDED,
    LEFTOVER,
    ReplyScene,
    are_alike,
    check_reply,
    evaluated_tokens,
    other_people_in,
)
from hakoniwa.errors import HakoniwaError
from hakoniwa.gm.step import rule_on
from hakoniwa.journal import MAIN, Journal
from hakoniwa.llm import Call
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.llm.reply import is_foreign
from hakoniwa.pack import verb_of
from hakoniwa.persona.generated import unseal
from hakoniwa.play.loop import lines_before, next_turn, resume
from hakoniwa.play.session import Session
from hakoniwa.settings import Settings
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PHYSICAL, Turn
from tests.autonomy.day import NOON, SHEETS, Day
from tests.real.weights import CHAT_MODELS, QWEN_1_5B

SCENARIOS = ("tea_room", "kitchen_morning", "three_voices")
# The settings that make a way of playing; the first is how Hakoniwa plays with a model unless it is told otherwise.
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "one": {"phases": "one"},
    "free": {"acts": "free", "phases": "two"},
}
DEFAULT = "default"
ROUNDS = (12, 11, 11)  # turns of each garden in the default: a hundred in all, so that a run cut short has some of each
OTHERWISE, A_FEW = 10, 4
SPOKEN_TO = {"ja": "yana", "en": "marian"}
USER_LINES: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("user_lines.yaml").read_text("utf-8"))
BEAT, MORNING = timedelta(hours=1), timedelta(hours=4)


@dataclass(frozen=True)
class Part:
    """A piece of the run. `count` is how many lines its file has once it is done."""

    model: str
    kind: str  # garden, chat or morning
    way: str
    about: str  # the scenario, or the language of the chat
    count: int

    @property
    def name(self) -> str:
        return " ".join((self.model, self.kind, self.way, self.about))

    @property
    def id(self) -> str:
        return self.name.replace(" ", "-").replace(".", "_")


def plan(models: Sequence[str]) -> list[Part]:
    """Every part in the order of play: what the goals are about first, a part of each garden at a time."""
    found: list[Part] = []
    for model in models:
        found += _long(model) if model == QWEN_1_5B.name else _gardens(model, DEFAULT, A_FEW)
    return found


def _long(model: str) -> Iterator[Part]:
    for count in (ROUNDS[0], sum(ROUNDS[:2]), sum(ROUNDS)):
        yield from _gardens(model, DEFAULT, count)
    for way in WAYS:
        yield from _gardens(model, way, OTHERWISE) if way != DEFAULT else ()
    yield from (Part(model, "chat", "chat", language, len(USER_LINES[language])) for language in SPOKEN_TO)
    yield Part(model, "morning", "morning", "ja", 1)


def _gardens(model: str, way: str, count: int) -> list[Part]:
    return [Part(model, "garden", way, scenario, count) for scenario in SCENARIOS]


def lines_file(folder: Path, part: Part) -> Path:
    return folder / f"{part.id}.jsonl"


def lines(folder: Path, part: Part) -> list[dict[str, Any]]:
    path = lines_file(folder, part)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def counted(folder: Path, part: Part) -> int:
    return len(lines(folder, part))


def keep(folder: Path, part: Part, line: dict[str, Any]) -> None:
    with lines_file(folder, part).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


async def play_part(folder: Path, part: Part, url: str, deadline: float) -> None:
    """Go on with a part until it is done, or there is no more time."""
    settings = Settings.model_validate(
        {"home": folder, "model": part.model, "base_url": url, "turns_alone": 0, **WAYS.get(part.way, {})}
    )
    if part.kind == "morning":
        await asyncio.to_thread(_morning, folder, part, url)
        return
    with closing(journal_of(settings)) as journal:
        play = _garden if part.kind == "garden" else _chat
        async for line in play(part, journal, settings, counted(folder, part)):
            keep(folder, part, line)
            if counted(folder, part) >= part.count or time.monotonic() > deadline:
                return


# --- gardens ---------------------------------------------------------------------------------------------------------


async def _garden(part: Part, journal: Journal, settings: Settings, done: int) -> AsyncIterator[dict[str, Any]]:
    """Turn after turn of a garden that goes on where it was left; a garden that has ended goes on, too."""
    mind = mind_of(settings, model_of(settings))
    known = part.id in {one.id for one in journal.gardens()}
    if known:
        session = resumed_session(journal, part.id, MAIN, mind)
    else:
        session = new_session(journal, part.about, 1, part.id, mind)
    async with aclosing(session):
        session.ghosts = ghosts_of(session, settings)
        await session.open()
        while True:
            await resume(session)
            yield await _played(session)


async def _played(session: Session) -> dict[str, Any]:
    """One turn, and all that is counted of it."""
    before, who, lines = session.world, session.speaker(), lines_before(session)
    known = len(session.journal.calls(session.garden.id, session.branch))
    turn = await next_turn(session)
    rows = session.journal.calls(session.garden.id, session.branch, prompts=True)[known:]
    calls = [Call.model_validate(row.call) for row in rows]
    lost = None if turn else next(r.event.payload["fault"] for r in reversed(session.rows) if r.event.kind == "fault")
    seen = ReplyScene(before, who, lines)
    check = check_reply(calls, seen, as_data=bool(turn and turn.thought.chosen is not None))
    return {
        "turn": before.time.turn + 1, "speaker": who, "lost": lost,
        "thought": turn.thought.text if turn else "", "chosen": _tags(turn), "reply": [one.reply for one in calls],
        "kept": turn.take.performance.text if turn else "", "deeds": turn.deeds if turn else (),
        "told": turn.take.ruling.told if turn else (), "denied": turn.take.ruling.denied_reason if turn else None,
        "faults": check.faults, "found": check.found, **(_wrong(turn, seen) if turn else {}),
        "calls": len(calls), "retakes": sum(one.purpose == "actor.retake" for one in calls),
        "evaluated": evaluated_tokens(calls), "first": _first_word(calls), "seconds": round(_ms(calls) / 1000, 1),
    }  # fmt: skip


def _tags(turn: Turn | None) -> list[str]:
    chosen: Any = turn.thought.chosen if turn else None
    return [chosen] if isinstance(chosen, str) else list(chosen or ())


def _wrong(turn: Turn, seen: ReplyScene) -> dict[str, Any]:
    """What was done that nobody in their place meant to do, and what was told in words and not done."""
    kept, chosen = turn.take.performance.text, set(_tags(turn))
    echo = check_reply([Call(purpose="kept", model="", messages=(), max_tokens=0, reply=kept)], seen)
    others = [one for direction in other_people_in(kept, seen) for one in _deeds(f"({direction})", seen, chosen)]
    own = {*turn.deeds} if turn.take.ruling.allowed else None
    return {
        "echo_done": bool(echo.found and set(_deeds(echo.found, seen, chosen)) & set(turn.deeds)),
        "others_done": bool(set(others) & set(turn.deeds)),
        "drift": [] if own is None else [one for one in _physical(kept, seen.world, seen.who) if one not in own],
        "drift_noted": len(turn.take.drift),
    }


def _deeds(text: str, seen: ReplyScene, chosen: set[str]) -> list[tuple[str, str | None]]:
    """The acts in some words that were not chosen as data."""
    return [(one.verb.id, one.target) for one in rule_on(seen.world, seen.who, text).acts if one.tag not in chosen]


def _physical(text: str, world: WorldState, who: str) -> list[tuple[str, str | None]]:
    """The acts upon the world that a reader finds in some words."""
    found = rule_on(world, who, text).ruling.parsed.action_intents
    return [(verb_of(one.verb).id, one.target) for one in found if one.intent in PHYSICAL and one.verb]


def _first_word(calls: Sequence[Call]) -> float | None:
    """Seconds until the call that performs began to answer."""
    place = next((at for at, one in enumerate(calls) if one.purpose != "actor.think"), None)
    if place is None or calls[place].first_ms is None:
        return None
    return round((_ms(calls[:place]) + (calls[place].first_ms or 0)) / 1000, 1)


def _ms(calls: Sequence[Call]) -> float:
    return sum(one.total_ms for one in calls)


# --- chats -----------------------------------------------------------------------------------------------------------


async def _chat(part: Part, journal: Journal, settings: Settings, done: int) -> AsyncIterator[dict[str, Any]]:
    known = {one.id for one in chats(journal)}
    garden = journal.garden(part.id) if part.id in known else new_chat(journal, SPOKEN_TO[part.about], part.id)
    chat = chat_of(journal, settings, model_of(settings), garden)
    replies = [unseal(one.assistant_text) for one in chat.history() if one.assistant_text is not None]
    for text in USER_LINES[part.about][done:]:
        before, pieces, fault = len(journal.calls(part.id, MAIN)), [], None
        try:
            async for piece in chat.say(text):
                pieces.append(unseal(piece))
        except HakoniwaError as error:
            fault = error.key
        calls = [Call.model_validate(row.call) for row in journal.calls(part.id, MAIN, prompts=True)[before:]]
        reply = "".join(pieces)
        likings = {name: dict(one) for name, one in chat.ghost.inner.confirmed_preferences.items()}
        yield {
            "turn": chat.turn, "user": text, "reply": [reply], "lost": fault, "calls": len(calls), "retakes": 0,
            "faults": _chat_faults(reply, calls, replies, part.about), "evaluated": evaluated_tokens(calls),
            "first": _first_word(calls), "seconds": round(_ms(calls) / 1000, 1), "likings": str(likings),
        }  # fmt: skip
        replies.append(reply)


def _chat_faults(reply: str, calls: Sequence[Call], before: Sequence[str], language: str) -> list[str]:
    asked = next((one for one in calls if one.purpose == "ghost.reply"), None)
    if not reply.strip() or asked is None:
        return ["none"]
    told = "\n".join(one.content for one in asked.messages if one.role != "assistant")
    cut = asked.usage.finish == "length" and not ENDED.search(reply)
    wrong = {
        "form": bool(LEFTOVER.search(reply)) or cut,
        "language": is_foreign(reply, language),
        "echo": len(longest_run(reply, told)) >= RUN[language],
        "copy": any(len(one) >= LINE[language] and are_alike(reply, one) for one in before),
    }
    return [name for name, found in wrong.items() if found]


# --- a morning -------------------------------------------------------------------------------------------------------


def _morning(folder: Path, part: Part, url: str) -> None:
    """Four hours of a persona that lives by itself, from eight to noon; it has no more than one line."""
    name = next(iter(SHEETS))
    calls: list[Call] = []

    async def record(_: str, call: Call) -> None:
        calls.append(call)

    model = Ledger(OpenAIChat(part.model, url, context=CHAT_MODELS[part.model].context), record=record)
    began = time.monotonic()
    day = Day({name: model}, AutonomyPolicy(heartbeat=BEAT), glance=0.1)
    day.time = NOON - MORNING
    day.go_by(timedelta(), BEAT)
    (home,) = day.homes()
    log: AutonomyLog = home.doings.follow()
    decided = [one for _, one in log.of(DecisionRow)]
    said = [unseal(one.assistant_text) for _, one in log.of(MessageRow)]
    keep(folder, part, {
        "turn": 1, "lost": None, "calls": len(calls), "retakes": 0, "evaluated": evaluated_tokens(calls), "first": None,
        "seconds": round(time.monotonic() - began, 1), "faults": [], "reply": said,
        "decided": [one.decision.decision_outcome if one.decision else str(one.dropped) for one in decided],
        "results": [one.result.result_status for _, one in log.of(ResultRow)],
        "asked": [(one.purpose, one.usage.prompt, one.usage.completion, one.fault) for one in calls],
        "replies": [one.reply for one in calls],
    })  # fmt: skip
