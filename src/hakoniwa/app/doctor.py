"""The doctor's visit: which model servers there are, which one would be used, and what is to be said of it."""

import secrets
from collections.abc import Callable, Iterator
from typing import Any

from hakoniwa.app import places_of
from hakoniwa.llm.bench import Bench, Finding
from hakoniwa.llm.find import Search, visited
from hakoniwa.llm.probe import examined, offered, reached
from hakoniwa.llm.server import Model, Server
from hakoniwa.messages import catalogue, say
from hakoniwa.settings import AUTO, BUILTIN, Settings


def choose(settings: Settings) -> Search:
    """Every server there is, and the one to try: the address that is set, or the first that has the model."""
    usual = places_of(settings.model_copy(update={"base_url": ""}))
    named = places_of(settings) if settings.base_url else []
    servers = tuple(visited([*named, *(one for one in usual if one.url not in {place.url for place in named})]))
    candidates = servers[:1] if settings.base_url else [one for one in servers if one.trouble is None]
    with_it = [(one, found) for one in candidates if (found := _wanted(one, settings)) is not None]
    server, model = with_it[0] if with_it else (next(iter(candidates), None), None)
    return Search(servers=servers, server=server, model=model)


def _wanted(server: Server, settings: Settings) -> Model | None:
    return server.named(_name(settings)) if _name(settings) else server.best()


def _name(settings: Settings) -> str:
    """The model that is asked for by name, if any."""
    return "" if settings.model in (AUTO, BUILTIN) else settings.model


def at_first_sight(chosen: Search, settings: Settings) -> Iterator[Finding]:
    """What can be said without talking to the model."""
    if chosen.server is None:
        yield Finding(about="reach", grade="problem", key="reach.nothing", fix="install")
        return
    yield reached(chosen.server, [one for one in chosen.servers if one.url != chosen.server.url])
    if chosen.server.trouble is None:
        yield offered(chosen.server, _name(settings))


def diagnosed(chosen: Search, settings: Settings, began: Callable[[str], None] = lambda _: None) -> Iterator[Finding]:
    """Everything there is to say about the server that was chosen."""
    yield from at_first_sight(chosen, settings)
    if chosen.server is not None and chosen.server.trouble is None and chosen.model is not None:
        code = str(secrets.randbelow(80_000) + 10_000)
        yield from examined(Bench(chosen.server, chosen.model, code, choose=settings.acts == "choose"), began)


def told(finding: Finding, lang: str) -> str:
    """A finding in words."""
    return _filled(f"doctor.said.{finding.key}", finding, lang)


def remedy(finding: Finding, server: Server | None, model: Model | None, lang: str) -> str:
    """The one line that says what to do, for this kind of server; nothing where nothing is to be done."""
    if not finding.fix:
        return ""
    own = f"doctor.fix.{finding.fix}.{server.kind if server else 'any'}"
    key = own if own in catalogue(lang) else f"doctor.fix.{finding.fix}.any"
    return _filled(key, finding, lang, model=model.name if model else "")


def _filled(key: str, finding: Finding, lang: str, **more: str) -> str:
    details: dict[str, Any] = {**more, **finding.details}
    fault = f"doctor.fault.{details.get('problem')}"
    if fault in catalogue(lang):
        details["problem"] = catalogue(lang)[fault]
    return say(key, lang, **details)
