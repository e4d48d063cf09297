"""The doctor's visit: which model servers there are, which one would be used, and what is to be said of it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, NamedTuple

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.turn_prompts import Phases
from hakoniwa.app import keep_phases, mind_of, new_session, places_of
from hakoniwa.director.reply_check import ReplyCheck, ReplyScene, check_reply, evaluated_tokens
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Call
from hakoniwa.llm.bench import ProbeBench, ProbeFinding
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerSearch, visit_all
from hakoniwa.llm.probe import check_address, check_model, run_probes
from hakoniwa.messages import catalogue, say
from hakoniwa.play.loop import lines_before, next_turn, rehearse
from hakoniwa.play.session import Mind, Session
from hakoniwa.settings import AUTO, BUILTIN, Settings
from hakoniwa.turn import Performance


def choose(settings: Settings) -> ServerSearch:
    """Every server there is, and the one to try: the address that is set, or the first that has the model."""
    usual = places_of(settings.model_copy(update={"base_url": ""}))
    named = places_of(settings) if settings.base_url else []
    servers = tuple(visit_all([*named, *(one for one in usual if one.url not in {place.url for place in named})]))
    candidates = servers[:1] if settings.base_url else [one for one in servers if one.trouble is None]
    with_it = [(one, found) for one in candidates if (found := _pick_model(one, settings)) is not None]
    server, model = with_it[0] if with_it else (next(iter(candidates), None), None)
    return ServerSearch(servers=servers, server=server, model=model)


def _pick_model(server: ModelServer, settings: Settings) -> OfferedModel | None:
    return server.named(_name(settings)) if _name(settings) else server.best()


def _name(settings: Settings) -> str:
    """The model that is asked for by name, if any."""
    return "" if settings.model in (AUTO, BUILTIN) else settings.model


def quick_findings(chosen: ServerSearch, settings: Settings) -> Iterator[ProbeFinding]:
    """What can be said without talking to the model."""
    if chosen.server is None:
        yield ProbeFinding(about="reach", grade="problem", key="reach.nothing", fix="install")
        return
    yield check_address(chosen.server, [one for one in chosen.servers if one.url != chosen.server.url])
    if chosen.server.trouble is None:
        yield check_model(chosen.server, _name(settings))


def diagnose(
    chosen: ServerSearch, settings: Settings, began: Callable[[str], None] = lambda _: None, language: str = "ja"
) -> Iterator[ProbeFinding]:
    """Everything there is to say about the server that was chosen, for somebody who plays in a language."""
    yield from quick_findings(chosen, settings)
    if chosen.server is None or chosen.server.trouble is not None or chosen.model is None:
        return
    code = str(secrets.randbelow(80_000) + 10_000)
    bench = ProbeBench(chosen.server, chosen.model, code, choose=settings.acts == "choose", language=language)
    hindered = False
    for finding in run_probes(bench, began):
        hindered = hindered or finding.grade == "problem"
        yield finding
    if not hindered:  # else it cannot play whatever its form
        began("form")
        yield play_form(chosen, settings, language)


# --- three real prompts ----------------------------------------------------------------------------------------------

PROMPTS = 3
STAGES = {"ja": "kitchen_morning", "en": "tea_room"}
PHASES: Sequence[Phases] = ("two", "one")  # tried in this order; the first in which every prompt is played is kept


def play_form(chosen: ServerSearch, settings: Settings, language: str) -> ProbeFinding:
    """Whether the model can play: three prompts of a garden, in as many ways as it takes until all of them are played;
    the way in which most were, and fewest tokens went, is the one to play in, and is noted."""
    tried: list[tuple[int, float, Phases]] = []
    for phases in PHASES if settings.phases == "auto" else (settings.phases,):
        played, tokens = asyncio.run(_play_prompts(chosen, settings.with_field("phases", phases), language))
        tried.append((played, -tokens, phases))
        if played == PROMPTS:
            break
    played, _, phases = max(tried, key=lambda one: one[:2])
    if settings.phases == "auto" and chosen.model is not None and played:
        keep_phases(settings, chosen.model.name, phases)
    details: dict[str, str | int | float] = {"played": played, "of": PROMPTS, "phases": phases}
    if played == PROMPTS:
        return ProbeFinding(about="form", grade="ok", key="form.ok", details=details)
    grade: Any = "warn" if played == PROMPTS - 1 else "problem"
    return ProbeFinding(about="form", grade=grade, key="form.broken", details=details, fix="form")


async def _play_prompts(chosen: ServerSearch, settings: Settings, language: str) -> tuple[int, float]:
    """How many of the prompts were played so that the words could be used as they came, and the tokens they took."""
    played, tokens = 0, 0.0
    async for one in rehearsed_turns(mind_of(settings, chosen), language, PROMPTS):
        played += one.check.usable
        tokens += evaluated_tokens(one.calls) or 0
    return played, tokens


class RehearsedTurn(NamedTuple):
    """A turn that a model was asked for, and what stood before it."""

    session: Session
    who: str
    performance: Performance | None
    calls: list[Call]
    check: ReplyCheck


async def rehearsed_turns(mind: Mind, language: str, count: int) -> AsyncIterator[RehearsedTurn]:
    """Turns of a garden that is always the same: a model is asked for each, and the built-in mind plays it."""
    session = new_session(MemoryJournal(), STAGES[language], 1)
    await session.open()
    try:
        for _ in range(count):
            session.mind, who = mind, session.speaker()
            performance, thought, calls = await rehearse(session, who)
            as_data = thought is not None and thought.chosen is not None
            check = check_reply(calls, ReplyScene(session.world, who, lines_before(session)), as_data=as_data)
            yield RehearsedTurn(session, who, performance, calls, check)
            session.mind = BuiltinMind()
            await next_turn(session)
    finally:
        session.mind = mind
        await session.aclose()


def describe_finding(finding: ProbeFinding, lang: str) -> str:
    """A finding in words."""
    return _fill_message(f"doctor.said.{finding.key}", finding, lang)


def remedy(finding: ProbeFinding, server: ModelServer | None, model: OfferedModel | None, lang: str) -> str:
    """The one line that says what to do, for this kind of server; nothing where nothing is to be done."""
    if not finding.fix:
        return ""
    own = f"doctor.fix.{finding.fix}.{server.kind if server else 'any'}"
    key = own if own in catalogue(lang) else f"doctor.fix.{finding.fix}.any"
    return _fill_message(key, finding, lang, model=model.name if model else "")


def _fill_message(key: str, finding: ProbeFinding, lang: str, **more: str) -> str:
    details: dict[str, Any] = {**more, **finding.details}
    fault = f"doctor.fault.{details.get('problem')}"
    if fault in catalogue(lang):
        details["problem"] = catalogue(lang)[fault]
    return say(key, lang, **details)
