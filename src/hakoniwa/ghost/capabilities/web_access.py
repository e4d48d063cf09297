"""web_access: search the web and read what is found."""

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar
from urllib.parse import urlencode

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from hakoniwa.ghost.action import ActionResult, Offer, Order
from hakoniwa.ghost.capabilities.addresses import Refused
from hakoniwa.ghost.capabilities.capability import Capability, asked, brought, capabilities, failed
from hakoniwa.ghost.capabilities.fetch import SPENT, fetch_page, fetch_search
from hakoniwa.ghost.capabilities.means import FETCHED, WEB, Means, Meter
from hakoniwa.ghost.capabilities.page import excerpt, read
from hakoniwa.ghost.capabilities.text import one_line, plain
from hakoniwa.ghost.capabilities.told import told
from hakoniwa.ghost.capabilities.tools import Unanswered, answer
from hakoniwa.turn import Value

EXCERPT = 1_200
SNIPPET = 400
MOST_HITS = 20
NOT_A_PAGE = frozenset({"bad-url", "port", "private-address"})  # nothing on the public web: its snippet is dropped too

Several = Annotated[tuple[str, ...], BeforeValidator(lambda given: (given,) if isinstance(given, str) else given)]


class Research(Value):
    """What is to be found out."""

    query: str = Field(min_length=1, max_length=300, pattern=r"\S")
    goal: str = Field(default="", max_length=600)
    constraints: Annotated[Several, Field(max_length=8)] = ()

    @property
    def question(self) -> str:
        return " ".join((self.query, self.goal, *self.constraints))


class Hit(BaseModel):
    """One result of a search; whatever else the server says of it is left out."""

    url: str = Field(max_length=4_000)
    title: str | None = ""
    content: str | None = ""


@dataclass(frozen=True)
class Findings:
    """What was read, where, and what could not be."""

    findings: tuple[dict[str, str], ...] = ()
    notes: tuple[dict[str, str], ...] = ()

    def facts(self) -> dict[str, Any]:
        sources = {one["url"]: one["title"] for one in self.findings if one["url"]}
        return {
            "findings": list(self.findings),
            "sources": [{"url": url, "title": title} for url, title in sources.items()],
            "notes": list(self.notes),
        }


@capabilities.add("web_access")
class WebAccess(Capability):
    name: ClassVar = WEB
    action_types: ClassVar = frozenset({"web_research"})
    idempotent: ClassVar = True

    def offers(self, means: Means) -> tuple[Offer, ...]:
        there = means.web.search_url or means.web.search_tool
        return (Offer("web_research", ("query", "goal", "constraints")),) if there else ()

    async def run(self, order: Order, means: Means) -> ActionResult:
        if not self.offers(means):
            return failed(self.name, "not-configured", means)
        if (research := asked(Research, order)) is None:
            return failed(self.name, "bad-payload", means)
        means = replace(means, web=replace(means.web, meter=Meter(means.web.room)))
        result = await self._found(research, means)
        return result.model_copy(update={"details_json": {**result.details_json, FETCHED: means.web.meter.taken}})

    async def _found(self, research: Research, means: Means) -> ActionResult:
        try:
            async with asyncio.timeout(means.web.seconds):
                return _summed_up(research, await _researched(research, means), means)
        except TimeoutError:
            return failed(self.name, "timed-out", means)
        except (Refused, Unanswered):
            return failed(self.name, SPENT if means.web.meter.over else "search", means)


def _summed_up(research: Research, found: Findings, means: Means) -> ActionResult:
    facts = found.facts()
    query = one_line(research.query, 80)
    if not found.findings:
        if means.web.meter.over:
            return failed(WEB, SPENT, means)
        return brought(WEB, "no_effect", told("web.nothing", means.language, query=query), facts)
    counts = {name: len(facts[name]) for name in ("findings", "sources")}
    summary = told("web.found", means.language, query=query, **counts)
    rest = told("web.rest", means.language) if means.web.meter.over else ""
    return brought(WEB, "partial" if found.notes else "success", f"{summary}{rest}", facts)


async def _researched(research: Research, means: Means) -> Findings:
    found = await (_asked_tool if means.web.search_tool else _searched)(research, means)
    if isinstance(found, Findings):
        return found
    read_pages = await asyncio.gather(*(_read(hit, research, means) for hit in found[: means.web.pages]))
    return Findings(
        findings=tuple(finding for finding, _ in read_pages if finding),
        notes=tuple(note for _, note in read_pages if note),
    )


async def _searched(research: Research, means: Means) -> list[Hit]:
    base = means.web.search_url
    words = urlencode({"q": research.query, "format": "json"})
    came = await fetch_search(f"{base}{'&' if '?' in base else '?'}{words}", means.web)
    try:
        return _hits(json.loads(came.body))
    except (ValueError, RecursionError):
        raise Refused("search") from None


async def _asked_tool(research: Research, means: Means) -> list[Hit] | Findings:
    """What an MCP tool found: results to be read, if it lists them as a search server does, else its words."""
    server, _, tool = means.web.search_tool.partition("/")
    if server not in means.servers:
        raise Unanswered("not-configured")
    asking = {means.web.search_argument: research.query}
    said = await answer(means.servers[server], tool, asking, means.web.meter)
    if means.web.meter.over:
        raise Refused(SPENT)
    if isinstance(said.structured, dict) and (hits := _hits(said.structured)):
        return hits
    text = plain(said.text, EXCERPT * means.web.pages)
    return Findings(({"title": tool, "url": "", "excerpt": text, "from": "tool"},) if text.strip() else ())


def _hits(answer: Any) -> list[Hit]:
    """Its results that have the shape of one, each address once."""
    results = answer.get("results") if isinstance(answer, dict) else None
    hits: dict[str, Hit] = {}
    for one in results[:MOST_HITS] if isinstance(results, list) else ():
        try:
            hit = Hit.model_validate(one)
        except ValidationError:
            continue
        hits.setdefault(hit.url, hit)
    return list(hits.values())


async def _read(hit: Hit, research: Research, means: Means) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """What a page has to say on it; where it cannot be read, what the search said of it, and why."""
    title, url = one_line(hit.title or "", 200), one_line(hit.url, 500)
    try:
        page = await fetch_page(hit.url, means.web)
        text = await asyncio.to_thread(read, page)
    except Refused as refused:
        snippet = "" if refused.fault in NOT_A_PAGE else one_line(hit.content or "", SNIPPET)
        finding = {"title": title, "url": url, "excerpt": snippet, "from": "search"} if snippet else None
        return finding, {"url": url, "fault": refused.fault}
    words = excerpt(text, research.question, EXCERPT)
    finding = {"title": text.title or title, "url": one_line(page.url, 500), "excerpt": words, "from": "page"}
    return (finding, None) if words else (None, {"url": url, "fault": "empty"})
