"""Views of a garden for people and programs: a printed script, a page, the canonical export, and its figures."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from jinja2 import Environment

from hakoniwa.journal import canonical
from hakoniwa.pictures.faces import figure_svg
from hakoniwa.play.highlights import highlights
from hakoniwa.play.script import ScriptEntry, script_of
from hakoniwa.play.session import Session
from hakoniwa.play.standing import changes_world
from hakoniwa.prompts import environment
from hakoniwa.stage.world import story_name
from hakoniwa.turn import RankedDesire, Turn, Value

NEAR = 15
PLAYED = frozenset({"speech", "direction", "told", "denied"})
_FOLD = re.compile(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])")
_MARKS = re.compile(r"([\\`*_\[\]<>#|~&])")
_SENTENCE = re.compile(r".+?(?:。|[.!?](?=\s|$)|$)")
ONE_LINE = 64


class GardenStatistics(Value):
    """What can be counted in a garden; a line is repeated when the very same words were spoken before."""

    turns: int = 0
    moved: int = 0
    lines: int = 0
    repeated_near: int = 0
    repeated: int = 0
    denied: int = 0
    incidents: int = 0

    @property
    def moved_share(self) -> float:
        return self.moved / self.turns if self.turns else 0.0

    @property
    def repeated_share(self) -> float:
        return self.repeated / self.lines if self.lines else 0.0


@dataclass(frozen=True)
class CastEntry:
    """One of the cast, as a programme lists them; `alias` is the name on the sheet where nothing else gives it, and
    `face` is drawn as SVG, empty where there is no art."""

    who: str
    name: str
    alias: str
    line: str
    face: str


@dataclass(frozen=True)
class TurnReasons:
    """What stands behind a turn: what was thought and wanted, and how it was ruled."""

    thought: str
    means: str | None
    desires: tuple[RankedDesire, ...]
    allowed: bool
    reason: str | None
    rule: str | None
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """The entries of one turn with what stands behind them, or entries that are nobody's turn."""

    turn: int
    entries: tuple[ScriptEntry, ...]
    why: TurnReasons | None = None


def to_jsonl(session: Session) -> str:
    """The canonical export: one event a line, without timestamps and ids."""
    return "".join(f"{canonical(row)}\n" for row in session.rows)


def to_markdown(session: Session, lang: str | None = None) -> str:
    """The script as Markdown, its few interface words in `lang` or in the garden's own language."""
    return _render("script.md.j2", session, lang or session.scenario.language)


def to_html(session: Session, lang: str | None = None) -> str:
    """The script as one page that needs nothing else: no network, no script, every text escaped."""
    style = _page.get_template("script.css.j2").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _render("script.html.j2", session, lang or session.scenario.language, style=style, digest=digest)


def garden_statistics(session: Session) -> GardenStatistics:
    """The garden in numbers."""
    events = [row.event for row in session.rows]
    turns = list(session.turns())
    spoken = [(turn.number, turn.take.ruling.parsed.speech) for turn in turns if turn.take.ruling.parsed.speech]
    gaps = _gaps(spoken)
    return GardenStatistics(
        turns=len(turns),
        moved=sum(event.kind == "turn" and changes_world(event) for event in events),
        lines=len(spoken),
        repeated_near=sum(gap <= NEAR for gap in gaps),
        repeated=len(gaps),
        denied=sum(not turn.take.ruling.allowed for turn in turns),
        incidents=sum(event.kind == "incident" for event in events),
    )


def _gaps(spoken: Sequence[tuple[int, str]]) -> list[int]:
    """For every line that was spoken before: how many turns ago."""
    last: dict[str, int] = {}
    gaps = []
    for turn, line in spoken:
        if line in last:
            gaps.append(turn - last[line])
        last[line] = turn
    return gaps


def passages(session: Session) -> list[Passage]:
    """The script, turn by turn."""
    turns = {turn.number: turn for turn in session.turns()}
    script = script_of(session.scenario.world, session.rows)
    groups = groupby(script, key=lambda entry: (entry.turn, entry.kind in PLAYED))
    return [
        Passage(turn, tuple(entries), reasons_of(turns[turn]) if played else None) for (turn, played), entries in groups
    ]


def reasons_of(turn: Turn) -> TurnReasons:
    ruling = turn.take.ruling
    return TurnReasons(
        thought=turn.thought.text,
        means=turn.thought.means,
        desires=turn.thought.desires[:3],
        allowed=ruling.allowed,
        reason=ruling.denied_reason,
        rule=ruling.explanation.rule if ruling.explanation else None,
        changes=tuple(
            f"{one.path} → {json.dumps(one.value, ensure_ascii=False)}" if one.op != "remove" else f"{one.path} ×"
            for one in ruling.world_delta
            if not one.path.startswith("/events")
        ),
    )


def cast_entries(session: Session) -> list[CastEntry]:
    """The cast, each with a line about who they are."""
    return [_cast_entry(session, who) for who in session.cast]


def _cast_entry(session: Session, who: str) -> CastEntry:
    sheet, name = session.cast[who], story_name(session.scenario.world, who)
    line = _one_line(sheet.persona)
    given = name == sheet.display_name or line.startswith(sheet.display_name)
    face = figure_svg(sheet.look, "content") or ""
    return CastEntry(who=who, name=name, alias="" if given else sheet.display_name, line=line, face=face)


def _one_line(persona: str) -> str:
    """As many whole sentences of the first line as a programme has room for."""
    first, *_ = persona.strip().splitlines() or [""]
    line = ""
    for sentence in _SENTENCE.findall(first):
        if line and len(line + sentence) > ONE_LINE:
            break
        line += sentence
    return line.strip()


def _render(template: str, session: Session, lang: str, **more: str) -> str:
    environment = _page if template.endswith(".html.j2") else _plain
    cast = cast_entries(session)
    return environment.get_template(template).render(
        lang=lang,
        scenario=session.scenario,
        personae=cast,
        passages=passages(session),
        highlights=highlights(session),
        figures=garden_statistics(session),
        near=NEAR,
        ended=session.standing.ended,
        voices={who: place % 8 for place, who in enumerate(session.cast)},
        faces={one.who: one.face for one in cast if one.face},
        **more,
    )


def _join_lines(text: str) -> str:
    """A text written over several lines as one: Japanese knows no blank where a line ended."""
    return _FOLD.sub("", re.sub(r"[ \t\r\n]+", " ", text.strip()))


def _plain_markdown(text: str) -> str:
    """A text on one line that means nothing to Markdown."""
    return _MARKS.sub(r"\\\1", re.sub(r"[ \t\r\n]+", " ", text))


def _templates(autoescape: bool) -> Environment:
    templates = environment("hakoniwa.play", autoescape=autoescape)
    templates.filters |= {"plain": _plain_markdown, "flowing": _join_lines}
    return templates


_page, _plain = _templates(autoescape=True), _templates(autoescape=False)
