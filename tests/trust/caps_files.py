"""Caps on files: cards, archives, lorebooks, YAML and XML."""

import base64
import json
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from hakoniwa.actor import lore
from hakoniwa.actor.cards import archive, png
from hakoniwa.actor.cards.book import lore_in
from hakoniwa.actor.cards.read import MAX_CARD, MAX_DEPTH, MAX_MARKS, card_in
from hakoniwa.stage import document, import_xml
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import MAX_CHARACTERS
from tests.actor.deck import packed, pictured
from tests.trust.cap import CUT, MEBIBYTE, Cap, refusal, whole_or_cut
from tests.trust.scratch import scratch

SCENE = b"<scene_state><actors><actor><name>a</name></actor></actors></scene_state>"


def card(**fields: Any) -> bytes:
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "アリア", **fields}}).encode()


def card_bytes(size: int) -> Callable[[], str]:
    short = card()
    raw = short[:-1] + b" " * (size - len(short)) + short[-1:]
    return lambda: refusal(lambda: card_in(raw))


def card_depth(size: int) -> Callable[[], str]:
    raw = b'{"name": "x", "a": ' + b"[" * (size - 1) + b"]" * (size - 1) + b"}"
    return lambda: refusal(lambda: card_in(raw))


def card_values(size: int) -> Callable[[], str]:
    raw = b'{"name":"x","a":[' + b"0," * (size - 3) + b"0]}"
    return lambda: refusal(lambda: card_in(raw))


def card_chunks(size: int) -> Callable[[], str]:
    raw = pictured([packed("chara", card()), *[png.Chunk(b"tEXt", b"")] * (size - 4)])
    return lambda: refusal(lambda: card_in(raw))


def packed_text(size: int) -> Callable[[], str]:
    """A text in a picture that takes next to no room until it is unpacked."""
    text = base64.b64encode(card()).ljust(size)
    raw = pictured([png.Chunk(b"zTXt", b"chara\0\0" + zlib.compress(text))])
    return lambda: refusal(lambda: card_in(raw))


def archive_files(size: int) -> Callable[[], str]:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("card.json", card())
        for place in range(1, size):
            target.writestr(f"a{place}", b"")
    return lambda: refusal(lambda: card_in(out.getvalue()))


def archive_ratio(size: int) -> Callable[[], str]:
    """An archive that says of itself to be so many times as large as it is."""
    raw = _zipped(card(), 0)
    stated = size * len(raw) - (1 if size == archive.MAX_RATIO else 0)
    return lambda: refusal(lambda: card_in(_zipped(card(), stated)))


def archive_bytes(size: int) -> Callable[[], str]:
    """An archive large enough that its ratio says nothing, with so many bytes in it by its own account."""
    raw = _zipped(card(), size, b"x" * (4 * MEBIBYTE))
    return lambda: refusal(lambda: card_in(raw))


def _zipped(text: bytes, stated: int, more: bytes = b"") -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("card.json", text)
        target.writestr("more", more)
        if stated:
            target.infolist()[1].file_size = stated - len(text)
    return out.getvalue()


def lorebook(size: int) -> Callable[[], str]:
    book = {"entries": [{"keys": [f"k{place}"], "content": "x"} for place in range(size)]}

    def read() -> str:
        entries, notes = lore_in(book, str.strip)
        assert len(entries) == min(size, lore.MAX_ENTRIES)
        return notes[0].key if notes else ""

    return read


def lore_of_lore(size: int) -> Callable[[], str]:
    """A chain of lore that each calls for the next: the first by what is said, so many more by the one before."""
    chain = [lore.LoreEntry(keys=(f"w{place}",), content=f"w{place + 1}") for place in range(size + 1)]
    scan = lore.LoreScan(recursive=True)
    return lambda: "" if len(lore.recalled(chain, ["w0"], scan, most=99, tokens=999)) == size + 1 else CUT


def lore_facts(size: int) -> Callable[[], str]:
    book = [lore.LoreEntry(keys=("a",), content=f"事実{place}") for place in range(size)]
    return lambda: "" if len(lore.recalled(book, ["a"])) == size else CUT


def lore_fact(size: int) -> Callable[[], str]:
    return lambda: whole_or_cut(lore.fact("あ" * size), size, lore.MAX_FACT)


def file_bytes(suffix: str, head: bytes, read: Callable[[Path], object]) -> Callable[[int], Callable[[], str]]:
    def prepared(size: int) -> Callable[[], str]:
        def tried() -> str:
            with scratch() as folder:
                path = folder / f"file{suffix}"
                path.write_bytes(head + b"\n" * (size - len(head)))
                return refusal(lambda: read(path))

        return tried

    return prepared


def yaml_depth(size: int) -> Callable[[], str]:
    text = "[" * (size + 1) + "]" * (size + 1)  # the document itself is the first of them
    return lambda: refusal(lambda: document.Document(text, "x.yaml"))


def scenario_people(size: int) -> Callable[[], str]:
    people = ", ".join(f"人{place}: {{location: 部屋}}" for place in range(size))
    cast = ", ".join(f"人{place}: {{sheet: s}}" for place in range(size))
    world = f"{{location: {{current: 部屋}}, characters: {{{people}}}}}"
    text = f"id: a\ntitle: a\nworld: {world}\ncast: {{{cast}}}\n"
    return lambda: refusal(lambda: document.Document(text, "x.yaml").to(Scenario))


CAPS: dict[str, Cap] = {
    "bytes of a card": Cap(MAX_CARD, card_bytes, memory=16 * MAX_CARD),
    "depth of a card": Cap(MAX_DEPTH, card_depth),
    "values in a card": Cap(MAX_MARKS, card_values),
    "chunks of a picture": Cap(png.MAX_CHUNKS, card_chunks),
    "bytes of a text in a picture": Cap(png.MAX_TEXT, packed_text, seconds=1.0, memory=8 * png.MAX_TEXT),
    "bytes in an archive": Cap(archive.MAX_UNPACKED, archive_bytes),
    "files in an archive": Cap(archive.MAX_FILES, archive_files),
    "ratio of an archive": Cap(archive.MAX_RATIO, archive_ratio),
    "entries of a lorebook": Cap(lore.MAX_ENTRIES, lorebook),
    "lore that calls for lore": Cap(lore.MAX_RECURSION, lore_of_lore),
    "facts of lore": Cap(lore.MAX_FACTS, lore_facts),
    "characters of a fact": Cap(lore.MAX_FACT, lore_fact),
    "bytes of YAML": Cap(document.MAX_BYTES, file_bytes(".yaml", b"a: 1", document.Document.read)),
    "bytes of XML": Cap(import_xml._LIMIT, file_bytes(".xml", SCENE, import_xml.read_scene)),
    "depth of YAML": Cap(document.MAX_DEPTH, yaml_depth),
    "people of a scenario": Cap(MAX_CHARACTERS, scenario_people, seconds=1.0),
}
