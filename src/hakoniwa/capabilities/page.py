"""A fetched page as text, and what of it bears on a question. What it says is data; nobody here acts on it."""

import codecs
import re
from dataclasses import dataclass
from itertools import islice, pairwise
from math import sqrt

from lxml import etree

from hakoniwa.capabilities.capability import one_line
from hakoniwa.capabilities.fetch import FetchedPage, FetchRefused

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
    for element in root.iter(*BLOCKS):
        element.text = "\n" + (element.text or "")
        element.tail = "\n" + (element.tail or "")
    return PageText(title, _passages("".join(root.itertext())))


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
