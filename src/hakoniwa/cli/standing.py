"""A life between exchanges in the terminal: how things stand with it, and why it does what it does."""

import string
from collections.abc import Iterator
from datetime import datetime, timedelta

from hakoniwa.cli.away import action
from hakoniwa.cli.recollection import short
from hakoniwa.cli.terminal import Terminal
from hakoniwa.cli.wrap import printable
from hakoniwa.ghost.action import ActionDecision
from hakoniwa.ghost.autonomy.inspect import Considered, Standing, Used
from hakoniwa.ghost.autonomy.rows import Trigger
from hakoniwa.ghost.generated import Generated
from hakoniwa.ghost.reply import told_time
from hakoniwa.messages import catalogue

OWN = "autonomy."
FEW = 5
LONGEST_NOTE, LONGEST_REASON = 60, 300
EVEN = "neutral"


def status_lines(terminal: Terminal, name: str, now: Standing) -> Iterator[str]:
    """How things stand, from what matters most."""
    yield terminal.say("autonomy.status.on" if now.on else "autonomy.status.off", name=name)
    if now.on:
        yield hindered(terminal, now) or terminal.say("autonomy.status.free")
    for one in now.under_way:
        doing = action(terminal, one.action_type) if one.action_type else terminal.say("autonomy.status.thinking")
        yield terminal.say("autonomy.status.under-way", doing=doing, trigger=trigger_words(terminal, one.trigger))
    for trigger in now.due:
        yield terminal.say("autonomy.status.due", trigger=trigger_words(terminal, trigger))
    for trigger in now.waiting[:FEW]:
        when = told_time(trigger.due, terminal.lang)
        yield terminal.say("autonomy.status.waiting", when=when, trigger=trigger_words(terminal, trigger))
    if len(now.waiting) > FEW:
        yield terminal.say("cli.and-more", count=len(now.waiting) - FEW)
    if now.next_heartbeat and not now.paused:
        yield terminal.say("autonomy.status.heartbeat", when=told_time(now.next_heartbeat, terminal.lang))
    spent = {"actions": _used(terminal, now.actions), "messages": _used(terminal, now.messages)}
    yield terminal.say("autonomy.status.today", **spent)
    yield clock_line(terminal, now)


def hindered(terminal: Terminal, now: Standing) -> str | None:
    """Why nothing is begun just now, if anything stands against it."""
    if now.hindrance is None:
        return None
    if now.hindrance == "paused" and now.paused_until:
        return terminal.say("autonomy.hindered.paused-until", until=told_time(now.paused_until, terminal.lang))
    return terminal.say(f"autonomy.hindered.{now.hindrance}")


def clock_line(terminal: Terminal, now: Standing) -> str:
    """What time it is in the chat."""
    when = told_time(now.now, terminal.lang)
    if not now.clock_ahead:
        return terminal.say("autonomy.clock.real", when=when)
    return terminal.say("autonomy.clock.ahead", when=when, by=_span(terminal, timedelta(seconds=now.clock_ahead)))


def trigger_words(terminal: Terminal, trigger: Trigger) -> str:
    """What made the persona think, and the note it was given or left itself."""
    kind = terminal.say(f"autonomy.trigger.{trigger.type}")
    note = short(Generated(trigger.note), LONGEST_NOTE)
    return terminal.say("autonomy.noted", kind=kind, note=note) if note else kind


def _used(terminal: Terminal, one: Used) -> str:
    return terminal.say("autonomy.status.used" if one.limit else "autonomy.status.unlimited", **one.model_dump())


def _span(terminal: Terminal, length: timedelta) -> str:
    days, rest = divmod(int(length.total_seconds()), 86_400)
    parts = {"days": days, "hours": rest // 3600, "minutes": rest % 3600 // 60}
    told = [terminal.say(f"autonomy.span.{name}", count=count) for name, count in parts.items() if count]
    return terminal.say("autonomy.span.joint").join(told) or terminal.say("autonomy.span.moment")


# --- why -------------------------------------------------------------------------------------------------------------


def why_lines(terminal: Terminal, one: Considered) -> Iterator[str]:
    """One deliberation: what set it off, what was decided and why, and what came of that."""
    when, trigger = told_time(one.at, terminal.lang), trigger_words(terminal, one.trigger)
    yield terminal.say("autonomy.why.title", id=one.decision_id, when=when, trigger=trigger)
    if one.offered:
        able = terminal.say("memory.list").join(dict.fromkeys(action(terminal, kind) for kind in one.offered))
        yield terminal.say("autonomy.why.offered", actions=able)
    if one.decision:
        yield from _decided(terminal, one.decision)
    if one.dropped:
        yield terminal.say("autonomy.why.dropped", reason=reason(terminal, one.dropped))
    if one.result_status:
        yield terminal.say("autonomy.why.result", ended=terminal.say(f"autonomy.result.{one.result_status}"))
        yield _told(terminal, one)


def _decided(terminal: Terminal, made: ActionDecision) -> Iterator[str]:
    doing = action(terminal, made.action_type) if made.action_type else ""
    until = _when(terminal, made.next_deliberation_at)
    sure = f"{made.confidence:.0%}"
    outcome = terminal.say(f"autonomy.outcome.{made.decision_outcome}", action=doing, until=until, confidence=sure)
    yield terminal.say("autonomy.why.outcome", outcome=outcome)
    yield terminal.say("autonomy.why.reason", text=short(made.reason, LONGEST_REASON))
    if made.defer_reason is not None:
        yield terminal.say("autonomy.why.defer", text=short(made.defer_reason, LONGEST_REASON))
    persona, mood = made.persona_influence, made.mood_influence
    traits = terminal.say("memory.list").join(printable(trait) for trait in (*persona.traits, *persona.concerns))
    direction = terminal.say(f"autonomy.direction.{persona.preferred_direction}")
    yield terminal.say("autonomy.why.persona", text=short(persona.summary), traits=traits, direction=direction)
    biases = {"threshold": mood.action_threshold_bias, "defer": mood.defer_bias}
    leaning = [terminal.say(f"autonomy.bias.{name}-{bias}") for name, bias in biases.items() if bias != EVEN]
    vad = {axis: f"{value:+.2f}" for axis, value in mood.vad.model_dump().items()}
    yield terminal.say("autonomy.why.mood", text=short(mood.summary), leaning="".join(leaning), **vad)


def _told(terminal: Terminal, one: Considered) -> str:
    if one.message is not None:
        return terminal.say("autonomy.why.said", text=short(one.message, LONGEST_REASON))
    if one.untold:
        return terminal.say("autonomy.why.untold", reason=reason(terminal, one.untold))
    return terminal.say("autonomy.why.unsaid")


def reason(terminal: Terminal, key: str) -> str:
    """Why something came to nothing, by the key it was written down with; details of a server are not written down."""
    if key.startswith(OWN):
        return terminal.say(f"autonomy.unsaid.{key.removeprefix(OWN)}")
    told = catalogue(terminal.lang).get(f"error.{key}", "")
    plain = told and not any(name for _, name, _, _ in string.Formatter().parse(told))
    return told if plain else terminal.say("autonomy.unsaid.model", key=key)


def _when(terminal: Terminal, at: datetime | None) -> str:
    return told_time(at, terminal.lang) if at else ""
