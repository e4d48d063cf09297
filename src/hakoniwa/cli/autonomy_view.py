"""Autonomy in the terminal: how things stand, what was done while the user was away, and why."""

import re
import string
from collections.abc import Iterator
from datetime import datetime, time, timedelta

from rich.text import Text

from hakoniwa.autonomy.inspect import AutonomyStatus, DailyUse, DeliberationRecord, Digest, DigestEntry
from hakoniwa.chat.autonomy_rows import Trigger
from hakoniwa.cli.memory_view import shorten
from hakoniwa.cli.screen import printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.errors import UsageError
from hakoniwa.messages import catalogue, format_time
from hakoniwa.persona.action import ActionDecision, OnEnd
from hakoniwa.persona.generated import Generated, unseal

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "秒": 1, "分": 60, "時間": 3600, "日": 86_400}
LONGEST_SPAN = timedelta(days=366)
DAY = timedelta(days=1)
_PART = re.compile(rf"(\d{{1,9}})({'|'.join(UNITS)})")
_SPAN = re.compile(rf"(?:{_PART.pattern})+")
_HOUR = re.compile(r"\d{1,2}:\d{2}")


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


FEW_DEEDS = 3
TELLING = ("query", "task_instruction", "note", "act", "text")  # what of an order says what it is about
LONGEST = 60


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
        yield from (
            Text(f"  {hour(terminal, one.at, dated=True)}　{deed_line(terminal, one)}", "dim") for one in unspoken
        )
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
    yield from (f"  {hour(terminal, one.at)}　{deed_line(terminal, one)}" for one in unspoken[-FEW_DEEDS:])
    yield terminal.say("autonomy.away.more")


def message(
    terminal: Terminal, name: str, said: Generated, mode: OnEnd | None, at: datetime, *, dated: bool = False
) -> Text:
    """Something the persona said of its own accord: always in its name; a notice is told apart by its colour."""
    notice = mode == "notify"
    return Text.assemble(
        (f"{hour(terminal, at, dated=dated)}　", "dim"),
        (f"{name} ", "bold yellow" if notice else "bold cyan"),
        (terminal.say("autonomy.notice") if notice else "", "yellow"),
        printable(unseal(said)),
    )


def deed_line(terminal: Terminal, one: DigestEntry) -> str:
    """What was done, about what, and how it ended."""
    telling = [one.asked.get(name) for name in TELLING]
    asked = next((text for text in telling if isinstance(text, str) and text.strip()), "")
    about = terminal.say("autonomy.about", text=shorten(Generated(asked), LONGEST)) if asked else ""
    ended = terminal.say(f"autonomy.result.{one.result_status}")
    return terminal.say("autonomy.deed", action=action(terminal, one.action_type), about=about, ended=ended)


def action(terminal: Terminal, action_type: str) -> str:
    """A kind of action in words; a tool of somebody else's goes by its own name."""
    family, _, tool = action_type.partition(":")
    if f"autonomy.action.{family}" not in catalogue(terminal.lang):
        return printable(action_type)
    return terminal.say(f"autonomy.action.{family}", tool=printable(tool))


def hour(terminal: Terminal, at: datetime, *, dated: bool = False) -> str:
    return format_time(at, terminal.lang) if dated else f"{at.astimezone():%H:%M}"


OWN = "autonomy."
FEW = 5
LONGEST_NOTE, LONGEST_REASON = 60, 300
NEUTRAL = "neutral"


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
    for trigger in now.waiting[:FEW]:
        when = format_time(trigger.due, terminal.lang)
        yield terminal.say("autonomy.status.waiting", when=when, trigger=trigger_words(terminal, trigger))
    if len(now.waiting) > FEW:
        yield terminal.say("cli.and-more", count=len(now.waiting) - FEW)
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
    note = shorten(Generated(trigger.note), LONGEST_NOTE)
    return terminal.say("autonomy.noted", kind=kind, note=note) if note else kind


def _budget_line(terminal: Terminal, one: DailyUse) -> str:
    return terminal.say("autonomy.status.used" if one.limit else "autonomy.status.unlimited", **one.model_dump())


def _span(terminal: Terminal, length: timedelta) -> str:
    days, rest = divmod(int(length.total_seconds()), 86_400)
    parts = {"days": days, "hours": rest // 3600, "minutes": rest % 3600 // 60}
    told = [terminal.say(f"autonomy.span.{name}", count=count) for name, count in parts.items() if count]
    return terminal.say("autonomy.span.joint").join(told) or terminal.say("autonomy.span.moment")


# --- why -------------------------------------------------------------------------------------------------------------


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
    until = _time_text(terminal, made.next_deliberation_at)
    sure = f"{made.confidence:.0%}"
    outcome = terminal.say(f"autonomy.outcome.{made.decision_outcome}", action=doing, until=until, confidence=sure)
    yield terminal.say("autonomy.why.outcome", outcome=outcome)
    yield terminal.say("autonomy.why.reason", text=shorten(made.reason, LONGEST_REASON))
    if made.defer_reason is not None:
        yield terminal.say("autonomy.why.defer", text=shorten(made.defer_reason, LONGEST_REASON))
    persona, mood = made.persona_influence, made.mood_influence
    traits = terminal.say("memory.list").join(printable(trait) for trait in (*persona.traits, *persona.concerns))
    direction = terminal.say(f"autonomy.direction.{persona.preferred_direction}")
    yield terminal.say("autonomy.why.persona", text=shorten(persona.summary), traits=traits, direction=direction)
    biases = {"threshold": mood.action_threshold_bias, "defer": mood.defer_bias}
    leaning = [terminal.say(f"autonomy.bias.{name}-{bias}") for name, bias in biases.items() if bias != NEUTRAL]
    vad = {axis: f"{value:+.2f}" for axis, value in mood.vad.model_dump().items()}
    yield terminal.say("autonomy.why.mood", text=shorten(mood.summary), leaning="".join(leaning), **vad)


def _message_line(terminal: Terminal, one: DeliberationRecord) -> str:
    if one.message is not None:
        return terminal.say("autonomy.why.said", text=shorten(one.message, LONGEST_REASON))
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


def _time_text(terminal: Terminal, at: datetime | None) -> str:
    return format_time(at, terminal.lang) if at else ""
