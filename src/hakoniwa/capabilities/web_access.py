"""web_access: search the web, read what is found as text, and keep what bears on the question."""

import asyncio
import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from math import sqrt
from typing import Annotated, Any, ClassVar
from urllib.parse import urlencode

from lxml import etree
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from hakoniwa.capabilities.capability import (
    Capability,
    capabilities,
    failed_result,
    format_sentence,
    make_offer,
    make_result,
    one_line,
    parse_payload,
    plain,
)
from hakoniwa.capabilities.fetch import SPENT, FetchedPage, FetchRefused, fetch_page, fetch_search
from hakoniwa.capabilities.means import FETCHED, WEB, ByteMeter, CapabilityMeans
from hakoniwa.capabilities.tools import ToolFailed, call_tool
from hakoniwa.memory.schemas import text
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult
from hakoniwa.turn import Value

EXCERPT = 1_200
SNIPPET = 400
MOST_HITS = 20
NOT_A_PAGE = frozenset({"bad-url", "port", "private-address"})  # nothing on the public web: its snippet is dropped too

Several = Annotated[tuple[str, ...], BeforeValidator(lambda given: (given,) if isinstance(given, str) else given)]


class ResearchPayload(Value):
    """What is to be found out."""

    query: str = Field(min_length=1, max_length=300, pattern=r"\S")
    goal: str = Field(default="", max_length=600)
    constraints: Annotated[Several, Field(max_length=8)] = ()

    @property
    def question(self) -> str:
        return " ".join((self.query, self.goal, *self.constraints))


class SearchHit(BaseModel):
    """One result of a search; whatever else the server says of it is left out."""

    url: str = Field(max_length=4_000)
    title: str | None = ""
    content: str | None = ""


@dataclass(frozen=True)
class WebFindings:
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

    def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
        there = means.web.search_url or means.web.search_tool
        return (make_offer("web_research", means, "web", query=text(80), goal=text(120)),) if there else ()

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        if not self.offers(means):
            return failed_result(self.name, "not-configured", means)
        if (research := parse_payload(ResearchPayload, order)) is None:
            return failed_result(self.name, "bad-payload", means)
        means = replace(means, web=replace(means.web, meter=ByteMeter(means.web.room)))
        result = await self._found(research, means)
        return result.model_copy(update={"details_json": {**result.details_json, FETCHED: means.web.meter.taken}})

    async def _found(self, research: ResearchPayload, means: CapabilityMeans) -> ActionResult:
        try:
            async with asyncio.timeout(means.web.seconds):
                return _summarize(research, await _do_research(research, means), means)
        except TimeoutError:
            return failed_result(self.name, "timed-out", means)
        except (FetchRefused, ToolFailed):
            return failed_result(self.name, SPENT if means.web.meter.over else "search", means)


def _summarize(research: ResearchPayload, found: WebFindings, means: CapabilityMeans) -> ActionResult:
    facts = found.facts()
    query = one_line(research.query, 80)
    if not found.findings:
        if means.web.meter.over:
            return failed_result(WEB, SPENT, means)
        return make_result(WEB, "no_effect", format_sentence("web.nothing", means.language, query=query), facts)
    counts = {name: len(facts[name]) for name in ("findings", "sources")}
    summary = format_sentence("web.found", means.language, query=query, **counts)
    rest = format_sentence("web.rest", means.language) if means.web.meter.over else ""
    return make_result(WEB, "partial" if found.notes else "success", f"{summary}{rest}", facts)


async def _do_research(research: ResearchPayload, means: CapabilityMeans) -> WebFindings:
    found = await (_search_by_tool if means.web.search_tool else _search_web)(research, means)
    if isinstance(found, WebFindings):
        return found
    read_pages = await asyncio.gather(*(_read_hit(hit, research, means) for hit in found[: means.web.pages]))
    return WebFindings(
        findings=tuple(finding for finding, _ in read_pages if finding),
        notes=tuple(note for _, note in read_pages if note),
    )


async def _search_web(research: ResearchPayload, means: CapabilityMeans) -> list[SearchHit]:
    base = means.web.search_url
    words = urlencode({"q": research.query, "format": "json"})
    came = await fetch_search(f"{base}{'&' if '?' in base else '?'}{words}", means.web)
    try:
        return _hits(json.loads(came.body))
    except (ValueError, RecursionError):
        raise FetchRefused("search") from None


async def _search_by_tool(research: ResearchPayload, means: CapabilityMeans) -> list[SearchHit] | WebFindings:
    """What an MCP tool found: results to be read, if it lists them as a search server does, else its words."""
    server, _, tool = means.web.search_tool.partition("/")
    if server not in means.servers:
        raise ToolFailed("not-configured")
    asking = {means.web.search_argument: research.query}
    said = await call_tool(means.servers[server], tool, asking, means.web.meter)
    if means.web.meter.over:
        raise FetchRefused(SPENT)
    if isinstance(said.structured, dict) and (hits := _hits(said.structured)):
        return hits
    text = plain(said.text, EXCERPT * means.web.pages)
    return WebFindings(({"title": tool, "url": "", "excerpt": text, "from": "tool"},) if text.strip() else ())


def _hits(answer: Any) -> list[SearchHit]:
    """Its results that have the shape of one, each address once."""
    results = answer.get("results") if isinstance(answer, dict) else None
    hits: dict[str, SearchHit] = {}
    for one in results[:MOST_HITS] if isinstance(results, list) else ():
        try:
            hit = SearchHit.model_validate(one)
        except ValidationError:
            continue
        hits.setdefault(hit.url, hit)
    return list(hits.values())


async def _read_hit(
    hit: SearchHit, research: ResearchPayload, means: CapabilityMeans
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """What a page has to say on it; where it cannot be read, what the search said of it, and why."""
    title, url = one_line(hit.title or "", 200), one_line(hit.url, 500)
    try:
        page = await fetch_page(hit.url, means.web)
        text = await asyncio.to_thread(read_page, page)
    except FetchRefused as refused:
        snippet = "" if refused.fault in NOT_A_PAGE else one_line(hit.content or "", SNIPPET)
        finding = {"title": title, "url": url, "excerpt": snippet, "from": "search"} if snippet else None
        return finding, {"url": url, "fault": refused.fault}
    words = excerpt(text, research.question, EXCERPT)
    finding = {"title": text.title or title, "url": one_line(page.url, 500), "excerpt": words, "from": "page"}
    return (finding, None) if words else (None, {"url": url, "fault": "empty"})


# --- pages as text ----------------------------------------------------------------------------------------------------


HTML = frozenset({"text/html", "application/xhtml+xml"})
TEXT = frozenset({"text/plain", "text/markdown"})
LONGEST_PASSAGE = 600
MOST_PASSAGES = 2_000

# Codecs that are quick and do nothing but read letters; Python has others.
# fmt: off
CODECS = frozenset({
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "cp1251", "cp1252", "iso8859-2", "iso8859-15", "koi8-r",
    "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "euc_kr",
})
# fmt: on
# What pages say and what they mean by it.
MEANT = {
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([\w-]{1,40})", re.I)

UNREAD = ("script", "style", "noscript", "template", "svg", "iframe", "object", "nav", "footer", "form", "select")
# fmt: off
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "td", "th", "tr",
    "ul", "title",
})
# fmt: on


@dataclass(frozen=True)
class PageText:
    """A page as a reader has it: its title and its passages in order."""

    title: str
    passages: tuple[str, ...]


def read_page(page: FetchedPage) -> PageText:
    """The text of a page; Refused if it is of a kind that has none."""
    if page.kind not in HTML | TEXT:
        raise FetchRefused("content-type")
    letters = page.body.decode(_codec(page), "replace")
    if page.kind in TEXT:
        return PageText("", _passages(letters))
    root = etree.fromstring(letters.encode("utf-8", "replace") or b"<p/>", _parser())
    return PageText("", ()) if root is None else _tree_text(root)


def _parser() -> "etree.HTMLParser[etree._Element]":
    return etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)


def _codec(page: FetchedPage) -> str:
    declared = _DECLARED.search(page.body[:2_048])
    named = page.charset or (declared.group(1).decode("ascii", "replace") if declared else "utf-8")
    try:
        found = codecs.lookup(MEANT.get(named.lower(), named)).name
    except (LookupError, ValueError):
        return "utf-8"
    found = MEANT.get(found, found)
    return found if found in CODECS else "utf-8"


def _tree_text(root: etree._Element) -> PageText:
    title = one_line(root.findtext(".//title") or "", 200)
    etree.strip_elements(root, "title", *UNREAD, with_tail=False)
    return PageText(title, _passages("".join(_pieces(root))))


def _pieces(root: etree._Element) -> Iterator[str]:
    """All texts in order, each block on lines of its own; read only, for not all of it could be written again."""
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if element.tag in BLOCKS:
            yield "\n"
        yield (element.text if event == "start" else element.tail) or ""


def _passages(letters: str) -> tuple[str, ...]:
    lines = (line for line in letters.splitlines() if not line.isspace())
    pieces = (line[at : at + LONGEST_PASSAGE] for line in lines for at in range(0, len(line), LONGEST_PASSAGE))
    return tuple(passage for piece in islice(pieces, MOST_PASSAGES) if (passage := one_line(piece, LONGEST_PASSAGE)))


def excerpt(text: PageText, question: str, room: int) -> str:
    """The passages that share most with the question, in the order of the page."""
    wanted = _pairs(question)
    ranked = sorted(enumerate(text.passages), key=lambda one: (-_overlap(one[1], wanted), one[0]))
    kept: list[tuple[int, str]] = []
    for place, passage in ranked:
        if len(passage) + 1 <= room:
            kept.append((place, passage))
            room -= len(passage) + 1
    return "\n".join(passage for _, passage in sorted(kept))


def _overlap(passage: str, wanted: frozenset[str]) -> float:
    """How much of what is wanted is there; a few words that have it all count for more than many."""
    return len(_pairs(passage) & wanted) / sqrt(len(passage) + 80)


def _pairs(text: str) -> frozenset[str]:
    """Letters two by two, which needs to know of no language where its words begin."""
    folded = "".join(text.casefold().split())
    return frozenset(map("".join, pairwise(folded)))
