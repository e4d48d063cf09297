"""The doctor's visit: which model servers there are, which one would be used, and what is to be said of it."""

import secrets
from collections.abc import Callable, Iterator
from typing import Any

from hakoniwa.app import places_of
from hakoniwa.llm.bench import ProbeBench, ProbeFinding
from hakoniwa.llm.find import ModelServer, OfferedModel, ServerSearch, visit_all
from hakoniwa.llm.probe import check_address, check_model, run_probes
from hakoniwa.messages import catalogue, say
from hakoniwa.settings import AUTO, BUILTIN, Settings


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
    chosen: ServerSearch, settings: Settings, began: Callable[[str], None] = lambda _: None
) -> Iterator[ProbeFinding]:
    """Everything there is to say about the server that was chosen."""
    yield from quick_findings(chosen, settings)
    if chosen.server is not None and chosen.server.trouble is None and chosen.model is not None:
        code = str(secrets.randbelow(80_000) + 10_000)
        yield from run_probes(ProbeBench(chosen.server, chosen.model, code, choose=settings.acts == "choose"), began)


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
