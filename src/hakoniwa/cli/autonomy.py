"""`hakoniwa autonomy`: let a persona live by itself, see what it does and why, and have it rest."""

import re
import string
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Annotated

import typer
from rich.text import Text

from hakoniwa.app import journal_of, model_of
from hakoniwa.app.autonomy import autonomy_log_of, policy_of
from hakoniwa.app.chats import chats
from hakoniwa.autonomy.inspect import (
    AutonomyStatus,
    DailyUse,
    DeliberationRecord,
    Digest,
    DigestEntry,
    autonomy_status,
    away_since,
    build_digest,
    recent_deliberations,
)
from hakoniwa.autonomy.log import AutonomyLog
from hakoniwa.autonomy.policy import AutonomyPolicy
from hakoniwa.chat.autonomy_rows import Trigger
from hakoniwa.chat.clock import Clock
from hakoniwa.cli.memory import shorten, signed_axes
from hakoniwa.cli.options import BranchOption, ChatOption, JournalOption, JsonOption, command
from hakoniwa.cli.screen import Screen, printable
from hakoniwa.cli.terminal import Terminal, as_json
from hakoniwa.errors import ModelError, UnknownName, UsageError
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.messages import catalogue, format_time
from hakoniwa.persona.action import ActionDecision, OnEnd
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.settings import Settings

app = typer.Typer()
DAY = timedelta(days=1)
LONGEST_NOTE = 400

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "秒": 1, "分": 60, "時間": 3600, "日": 86_400}
LONGEST_SPAN = timedelta(days=366)
_PART = re.compile(rf"(\d{{1,9}})({'|'.join(UNITS)})")
_SPAN = re.compile(rf"(?:{_PART.pattern})+")
_HOUR = re.compile(r"\d{1,2}:\d{2}")

FEW_DEEDS, FEW_TRIGGERS = 3, 5
TELLING = ("query", "task_instruction", "note", "act", "text")  # what of an order says what it is about
SHORT_NOTE, SHORT_REASON = 60, 300
OWN = "autonomy."
NEUTRAL = "neutral"


@dataclass(frozen=True)
class AutonomyTarget:
    """The persona a command is about, and what it lives by."""

    name: str
    garden: GardenRecord
    doings: AutonomyLog
    clock: Clock
    manners: AutonomyPolicy

    def standing(self) -> AutonomyStatus:
        return autonomy_status(self.doings.follow(), self.manners, self.clock)


@command(app)
def start(
    terminal: Terminal,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Let the persona live by itself."""
    settings = terminal.settings(journal=journal)
    with open_autonomy(settings, chat, branch) as life:
        life.doings.control("start", life.clock.now())
        _tell(terminal, life, "autonomy.started", as_data)
    if not as_data:
        terminal.print(terminal.say("autonomy.needs-worker"))
    if not _has_model(settings):
        terminal.complain(terminal.say("autonomy.needs-model"))


@command(app)
def stop(
    terminal: Terminal,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Let it only answer again."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        life.doings.control("stop", life.clock.now())
        _tell(terminal, life, "autonomy.stopped", as_data)


@command(app)
def pause(
    terminal: Terminal,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="cli.autonomy.until")] = None,
    length: Annotated[str | None, typer.Option("--for", metavar="SPAN", help="cli.autonomy.for")] = None,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Have it rest, for a while or until it is told to go on."""
    if until and length:
        raise UsageError("autonomy.until-or-for")
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        now = life.clock.now()
        end = future_time(until, now) if until else now + span(length) if length else None
        life.doings.control("pause", now, end)
        _tell(terminal, life, "autonomy.paused", as_data)


@command(app)
def resume(
    terminal: Terminal,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Have it go on."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        life.doings.control("resume", life.clock.now())
        _tell(terminal, life, "autonomy.resumed", as_data)


@command(app)
def status(
    terminal: Terminal,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """How things stand."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        now = life.standing()
    terminal.show(now, status_lines(terminal, life.name, now), as_data=as_data)


@command(app)
def why(
    terminal: Terminal,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="cli.autonomy.limit")] = 5,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What was decided lately, and why."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        found = recent_deliberations(life.doings, limit)
    lines = [line for one in reversed(found) for line in why_lines(terminal, one)]
    terminal.show(found, lines or [terminal.say("autonomy.why.none")], as_data=as_data)


@command(app, "digest")
def digest_(
    terminal: Terminal,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="cli.autonomy.since")] = None,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What was done while the user was away."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        now = life.clock.now()
        begin = past_time(since, now) if since else away_since(life.doings, now - DAY)
        made = build_digest(life.doings, begin, now)
    if as_data:
        terminal.print(as_json(made))
        return
    console = Screen()
    for line in page(terminal, life.name, made):
        console.print(line, soft_wrap=True)


@command(app)
def trigger(
    terminal: Terminal,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="cli.autonomy.note")] = "",
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """Have it think about what to do as soon as it may."""
    if len(note) > LONGEST_NOTE:
        raise UsageError("autonomy.long-note", found=len(note), limit=LONGEST_NOTE)
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        life.doings.prompt(life.clock.now(), note)
        _tell(terminal, life, "autonomy.triggered", as_data)


@command(app)
def clock(
    terminal: Terminal,
    advance: Annotated[str | None, typer.Option("--advance", metavar="SPAN", help="cli.autonomy.advance")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="cli.autonomy.reset")] = False,
    chat: ChatOption = None,
    branch: BranchOption = MAIN,
    as_data: JsonOption = False,
    journal: JournalOption = None,
) -> None:
    """What time it is in the chat, and how to move it on."""
    with open_autonomy(terminal.settings(journal=journal), chat, branch) as life:
        if reset:
            life.clock.reset()
        if advance:
            life.clock.advance(span(advance))
        now = life.standing()
    data = {"now": now.now.isoformat(), "clock_ahead": now.clock_ahead}
    terminal.show(data, [clock_line(terminal, now)], as_data=as_data)


# --- whose life ---


@contextmanager
def open_autonomy(settings: Settings, chat: str | None, branch: str) -> Iterator[AutonomyTarget]:
    """The chat a command is about; without a name, the one talked in last."""
    with closing(journal_of(settings)) as journal:
        garden = _chat(journal, chat, branch)
        doings = autonomy_log_of(journal, garden, branch)
        name = str(garden.sheets[doings.who]["display_name"])
        yield AutonomyTarget(name, garden, doings, Clock(doings.memories, garden.id, branch), policy_of(settings))


def _chat(journal: Journal, name: str | None, branch: str) -> GardenRecord:
    known = chats(journal)
    found = next((one for one in reversed(known) if name in (None, one.id)), None)
    if found is None and name is None:
        raise UnknownName("unknown.no-chat")
    if found is None:
        raise UnknownName("unknown.chat", name=name, known=", ".join(one.id for one in known))
    branches = [one.name for one in found.branches]
    if branch not in branches:
        raise UnknownName("unknown.branch", name=branch, known=", ".join(branches))
    return journal.garden(found.id)


def _has_model(settings: Settings) -> bool:
    try:
        return model_of(settings).model is not None
    except ModelError:
        return False


def _tell(terminal: Terminal, life: AutonomyTarget, key: str, as_data: bool) -> None:
    """What was done, and what stands against it; or how things stand now, as data."""
    now = life.standing()
    against = hindrance_line(terminal, now) if key != "autonomy.stopped" else None
    lines = [terminal.say(key, name=life.name, chat=life.garden.id), *([against] if against else [])]
    terminal.show(now, lines, as_data=as_data)


# --- times as they are typed -----------------------------------------------------------------------------------------


def span(text: str) -> timedelta:
    """A length of time, such as 2h30m; at most a year."""
    found = read_span(text)
    if found is None or not timedelta(0) < found <= LONGEST_SPAN:
        raise UsageError("autonomy.bad-span", found=text)
    return found


def read_span(text: str) -> timedelta | None:
    if not _SPAN.fullmatch(text):
        return None
    return sum((timedelta(seconds=int(count) * UNITS[unit]) for count, unit in _PART.findall(text)), timedelta(0))


def future_time(text: str, now: datetime) -> datetime:
    """A moment that is still to come; an hour of the day is the next one."""
    found = _moment(text, now)
    if _HOUR.fullmatch(text) and found <= now:
        found += DAY
    if found <= now:
        raise UsageError("autonomy.not-to-come", found=text)
    return found


def past_time(text: str, now: datetime) -> datetime:
    """A moment that has passed; an hour of the day is the last one, and a span is counted back from now."""
    back = read_span(text)
    if back is not None:
        return now - min(back, LONGEST_SPAN)
    found = _moment(text, now)
    return found - DAY if _HOUR.fullmatch(text) and found > now else found


def _moment(text: str, now: datetime) -> datetime:
    """By the clock on the user's wall, unless a zone is written."""
    try:
        if _HOUR.fullmatch(text):
            return datetime.combine(now.astimezone(), time.fromisoformat(text.zfill(5))).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError("autonomy.bad-time", found=text) from None


# --- in words --------------------------------------------------------------------------------------------------------


def page(terminal: Terminal, name: str, made: Digest) -> Iterator[Text]:
    """A while in one page: what the persona told, and what it told nothing of."""
    span = [format_time(one, terminal.lang) for one in (made.since, made.until)]
    yield Text(terminal.say("autonomy.digest.title", name=name, since=span[0], until=span[1]), "bold")
    spoken = [one for one in made.deeds if one.message is not None]
    unspoken = [one for one in made.deeds if one.message is None]
    for one in spoken:
        assert one.message is not None
        yield message(terminal, name, one.message, one.delivery_mode, one.at, dated=True)
        yield Text(f"  {deed_line(terminal, one)}", "dim")
    if unspoken:
        yield Text(terminal.say("autonomy.digest.unspoken"))
    for one in unspoken:
        yield Text(f"  {format_time(one.at, terminal.lang)}　{deed_line(terminal, one)}", "dim")
    if not made.deeds:
        yield Text(terminal.say("autonomy.digest.nothing"))
    if made.considered:
        yield Text(terminal.say("autonomy.digest.considered", count=made.considered, left=made.left), "dim")


def greeting(terminal: Terminal, made: Digest) -> Iterator[str]:
    """The same in a few words, for somebody who has the persona's messages before their eyes."""
    if not made.deeds:
        return
    unspoken = [one for one in made.deeds if one.message is None]
    yield terminal.say("autonomy.away.some", count=len(made.deeds), told=len(made.deeds) - len(unspoken))
    yield from (f"  {_hour(one.at)}　{deed_line(terminal, one)}" for one in unspoken[-FEW_DEEDS:])
    yield terminal.say("autonomy.away.more")


def message(
    terminal: Terminal, name: str, said: Generated, mode: OnEnd | None, at: datetime, *, dated: bool = False
) -> Text:
    """Something the persona said of its own accord: always in its name; a notice is told apart by its colour."""
    notice = mode == "notify"
    return Text.assemble(
        (f"{format_time(at, terminal.lang) if dated else _hour(at)}　", "dim"),
        (f"{name} ", "bold yellow" if notice else "bold cyan"),
        (terminal.say("autonomy.notice") if notice else "", "yellow"),
        printable(unseal(said)),
    )


def deed_line(terminal: Terminal, one: DigestEntry) -> str:
    """What was done, about what, and how it ended."""
    telling = [one.asked.get(name) for name in TELLING]
    asked = next((text for text in telling if isinstance(text, str) and text.strip()), "")
    about = terminal.say("autonomy.about", text=shorten(Generated(asked), SHORT_NOTE)) if asked else ""
    ended = terminal.say(f"autonomy.result.{one.result_status}")
    return terminal.say("autonomy.deed", action=action(terminal, one.action_type), about=about, ended=ended)


def action(terminal: Terminal, action_type: str) -> str:
    """A kind of action in words; a tool of somebody else's goes by its own name."""
    family, _, tool = action_type.partition(":")
    if f"autonomy.action.{family}" not in catalogue(terminal.lang):
        return printable(action_type)
    return terminal.say(f"autonomy.action.{family}", tool=printable(tool))


def _hour(at: datetime) -> str:
    return f"{at.astimezone():%H:%M}"


def status_lines(terminal: Terminal, name: str, now: AutonomyStatus) -> Iterator[str]:
    """How things stand, from what matters most."""
    yield terminal.say("autonomy.status.on" if now.on else "autonomy.status.off", name=name)
    if now.on:
        yield hindrance_line(terminal, now) or terminal.say("autonomy.status.free")
    for one in now.under_way:
        doing = action(terminal, one.action_type) if one.action_type else terminal.say("autonomy.status.thinking")
        yield terminal.say("autonomy.status.under-way", doing=doing, trigger=trigger_words(terminal, one.trigger))
    for trigger in now.due:
        yield terminal.say("autonomy.status.due", trigger=trigger_words(terminal, trigger))
    for trigger in now.waiting[:FEW_TRIGGERS]:
        when = format_time(trigger.due, terminal.lang)
        yield terminal.say("autonomy.status.waiting", when=when, trigger=trigger_words(terminal, trigger))
    if len(now.waiting) > FEW_TRIGGERS:
        yield terminal.say("cli.and-more", count=len(now.waiting) - FEW_TRIGGERS)
    if now.next_heartbeat and not now.paused:
        yield terminal.say("autonomy.status.heartbeat", when=format_time(now.next_heartbeat, terminal.lang))
    spent = {"actions": _budget_line(terminal, now.actions), "messages": _budget_line(terminal, now.messages)}
    yield terminal.say("autonomy.status.today", **spent)
    yield clock_line(terminal, now)


def hindrance_line(terminal: Terminal, now: AutonomyStatus) -> str | None:
    """Why nothing is begun just now, if anything stands against it."""
    if now.hindrance is None:
        return None
    if now.hindrance == "paused" and now.paused_until:
        return terminal.say("autonomy.hindered.paused-until", until=format_time(now.paused_until, terminal.lang))
    return terminal.say(f"autonomy.hindered.{now.hindrance}")


def clock_line(terminal: Terminal, now: AutonomyStatus) -> str:
    """What time it is in the chat."""
    when = format_time(now.now, terminal.lang)
    if not now.clock_ahead:
        return terminal.say("autonomy.clock.real", when=when)
    return terminal.say("autonomy.clock.ahead", when=when, by=_span(terminal, timedelta(seconds=now.clock_ahead)))


def trigger_words(terminal: Terminal, trigger: Trigger) -> str:
    """What made the persona think, and the note it was given or left itself."""
    kind = terminal.say(f"autonomy.trigger.{trigger.type}")
    note = shorten(Generated(trigger.note), SHORT_NOTE)
    return terminal.say("autonomy.noted", kind=kind, note=note) if note else kind


def _budget_line(terminal: Terminal, one: DailyUse) -> str:
    return terminal.say("autonomy.status.used" if one.limit else "autonomy.status.unlimited", **one.model_dump())


def _span(terminal: Terminal, length: timedelta) -> str:
    days, rest = divmod(int(length.total_seconds()), 86_400)
    parts = {"days": days, "hours": rest // 3600, "minutes": rest % 3600 // 60}
    told = [terminal.say(f"autonomy.span.{name}", count=count) for name, count in parts.items() if count]
    return terminal.say("autonomy.span.joint").join(told) or terminal.say("autonomy.span.moment")


def why_lines(terminal: Terminal, one: DeliberationRecord) -> Iterator[str]:
    """One deliberation: what set it off, what was decided and why, and what came of that."""
    when, trigger = format_time(one.at, terminal.lang), trigger_words(terminal, one.trigger)
    yield terminal.say("autonomy.why.title", id=one.decision_id, when=when, trigger=trigger)
    if one.offered:
        able = terminal.say("memory.list").join(dict.fromkeys(action(terminal, kind) for kind in one.offered))
        yield terminal.say("autonomy.why.offered", actions=able)
    if one.decision:
        yield from _decision_lines(terminal, one.decision)
    if one.dropped:
        yield terminal.say("autonomy.why.dropped", reason=reason_text(terminal, one.dropped))
    if one.result_status:
        yield terminal.say("autonomy.why.result", ended=terminal.say(f"autonomy.result.{one.result_status}"))
        yield _message_line(terminal, one)


def _decision_lines(terminal: Terminal, made: ActionDecision) -> Iterator[str]:
    doing = action(terminal, made.action_type) if made.action_type else ""
    until = format_time(made.next_deliberation_at, terminal.lang) if made.next_deliberation_at else ""
    sure = f"{made.confidence:.0%}"
    outcome = terminal.say(f"autonomy.outcome.{made.decision_outcome}", action=doing, until=until, confidence=sure)
    yield terminal.say("autonomy.why.outcome", outcome=outcome)
    yield terminal.say("autonomy.why.reason", text=shorten(made.reason, SHORT_REASON))
    if made.defer_reason is not None:
        yield terminal.say("autonomy.why.defer", text=shorten(made.defer_reason, SHORT_REASON))
    persona, mood = made.persona_influence, made.mood_influence
    traits = terminal.say("memory.list").join(printable(trait) for trait in (*persona.traits, *persona.concerns))
    direction = terminal.say(f"autonomy.direction.{persona.preferred_direction}")
    yield terminal.say("autonomy.why.persona", text=shorten(persona.summary), traits=traits, direction=direction)
    biases = {"threshold": mood.action_threshold_bias, "defer": mood.defer_bias}
    leaning = [terminal.say(f"autonomy.bias.{name}-{bias}") for name, bias in biases.items() if bias != NEUTRAL]
    yield terminal.say(
        "autonomy.why.mood", text=shorten(mood.summary), leaning="".join(leaning), **signed_axes(mood.vad)
    )


def _message_line(terminal: Terminal, one: DeliberationRecord) -> str:
    if one.message is not None:
        return terminal.say("autonomy.why.said", text=shorten(one.message, SHORT_REASON))
    if one.untold:
        return terminal.say("autonomy.why.untold", reason=reason_text(terminal, one.untold))
    return terminal.say("autonomy.why.unsaid")


def reason_text(terminal: Terminal, key: str) -> str:
    """Why something came to nothing, by the key it was written down with; details of a server are not written down."""
    if key.startswith(OWN):
        return terminal.say(f"autonomy.unsaid.{key.removeprefix(OWN)}")
    told = catalogue(terminal.lang).get(f"error.{key}", "")
    plain = told and not any(name for _, name, _, _ in string.Formatter().parse(told))
    return told if plain else terminal.say("autonomy.unsaid.model", key=key)
