"""A memory in the terminal: its events, what grew from them, and two personas side by side."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from hakoniwa.app.memory_inspection import EventTrace, InnerLife, RecallComparison
from hakoniwa.chat.reply import mood_label
from hakoniwa.cli.screen import cells, printable
from hakoniwa.cli.terminal import Terminal
from hakoniwa.memory.candidate import Candidate
from hakoniwa.memory.recall import Recall
from hakoniwa.memory.store import ForgetResult
from hakoniwa.messages import format_time
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.interest import AttentionTarget, InterestState

SHORT = 72
INTERNAL = frozenset({"event_source", "state_kind", "action_type", "capability"})


def entry(terminal: Terminal, one: Candidate) -> str:
    kind = terminal.say(f"memory.type.{one.type}")
    return terminal.say(
        "memory.entry", kind=kind, id=one.key, when=format_time(one.at, terminal.lang), text=shorten(one.text)
    )


def attention_targets(interest: InterestState) -> list[AttentionTarget]:
    """What has somebody's attention, without what only the machinery minds."""
    return [one for one in interest.attention_targets if one.type not in INTERNAL]


def memory_lines(terminal: Terminal, found: InnerLife | EventTrace) -> Iterator[str]:
    """What was asked to be shown, line by line."""
    return life_lines(terminal, found) if isinstance(found, InnerLife) else trace_lines(terminal, found)


def life_lines(terminal: Terminal, life: InnerLife) -> Iterator[str]:
    vad = life.felt
    yield terminal.say("chat.mood", name=life.persona.name, mood=terminal.say(f"mood.{mood_label(vad)}"),
                       v=f"{vad.v:+.2f}", a=f"{vad.a:+.2f}", d=f"{vad.d:+.2f}")  # fmt: skip
    for target in attention_targets(life.interest):
        yield terminal.say(
            "chat.interest", type=target.type, value=printable(target.value), weight=f"{target.weight:.2f}"
        )
    for id, state in life.states.items():
        yield terminal.say(
            "memory.state", id=id, kind=terminal.say(f"memory.kind.{state.kind}"), text=shorten(state.body_text)
        )
    for liking in life.preferences.values():
        yield terminal.say(
            "memory.liking",
            subject=printable(liking.subject),
            polarity=terminal.say(f"memory.polarity.{liking.polarity}"),
            status=terminal.say(f"memory.status.{liking.status}"),
        )


def event_line(terminal: Terminal, seq: int, at: datetime, text: str) -> str:
    return terminal.say("memory.event", id=seq, when=format_time(at, terminal.lang), text=text)


def forgotten_lines(terminal: Terminal, gone: ForgetResult) -> Iterator[str]:
    """What was removed, and whether anything may be left of it."""
    counts = {name: count for name, count in gone.model_dump(exclude={"traces"}).items() if count}
    removed = [terminal.say(f"memory.gone.{name}", count=count) for name, count in counts.items()]
    yield terminal.say("memory.forgotten", what=terminal.say("memory.list").join(removed))
    if gone.traces:
        yield terminal.say("memory.traces")


def trace_lines(terminal: Terminal, found: EventTrace) -> Iterator[str]:
    memory = found.memory
    yield event_line(terminal, memory.seq, memory.at, printable(unseal(memory.text)))
    if memory.entities:
        yield terminal.say(
            "memory.about", names=terminal.say("memory.list").join(printable(one.name) for one in memory.entities)
        )
    if found.affect:
        vad = found.affect.vad
        yield terminal.say("memory.felt", v=f"{vad.v:+.2f}", a=f"{vad.a:+.2f}", d=f"{vad.d:+.2f}",
                           text=shorten(found.affect.text) if found.affect.text is not None else "")  # fmt: skip
    for link in found.links:
        other = link.target if link.source == memory.seq else link.source
        yield terminal.say("memory.link", kind=terminal.say(f"memory.linked.{link.kind}"), id=other)
    for one in found.revisions:
        yield terminal.say("memory.revision", id=one.id, kind=one.kind, reason=printable(one.reason))


def side_by_side(terminal: Terminal, made: RecallComparison, names: tuple[str, str]) -> Iterator[str]:
    """The two selections in two columns, and how much they share."""
    columns = [_column(terminal, name, side) for name, side in zip(names, (made.one, made.other), strict=True)]
    height = max(len(column) for column in columns)
    for place in range(height):
        left, right = (column[place] if place < len(column) else "" for column in columns)
        yield f"{left}{' ' * (SHORT - cells(left))} │ {right}".rstrip()
    yield terminal.say("memory.overlap", share=f"{made.overlap:.0%}", by=terminal.say(f"chat.by.{made.one.by}"))


def _column(terminal: Terminal, name: str, side: Recall) -> list[str]:
    dropped = [terminal.say(f"error.{side.dropped}")] if side.dropped else []
    return [_cut_line(line) for line in (name, *dropped, *(entry(terminal, one) for one in side.chosen))]


def _cut_line(line: str) -> str:
    while cells(line) > SHORT:
        line = line[:-1]
    return line


def shorten(text: Generated, limit: int = 120) -> str:
    line = " ".join(printable(unseal(text)).split())
    return line if len(line) <= limit else f"{line[:limit]}…"


def count_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "0"
    return str(value)
