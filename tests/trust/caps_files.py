"""Caps on files: cards, archives, YAML and XML."""

import base64
import json
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from os import truncate
from pathlib import Path
from typing import Any

from hakoniwa.actor.cards import containers
from hakoniwa.actor.cards.read import MAX_CARD, MAX_DEPTH, MAX_MARKS, card_in, limited_bytes
from hakoniwa.stage import document, import_xml
from hakoniwa.stage.scenario import Scenario
from hakoniwa.stage.world import MAX_CHARACTERS
from tests.actor.deck import packed, pictured
from tests.trust.cap import MEBIBYTE, Cap, refusal
from tests.trust.house import TINY
from tests.trust.scratch import scratch

SCENE = b"<scene_state><actors><actor><name>a</name></actor></actors></scene_state>"
PACKED = (b"zTXtchara\0\0", b"iTXtchara\0\1\0\0\0")


def card(**fields: Any) -> bytes:
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "アリア", **fields}}).encode()


def padded(size: int) -> bytes:
    """A card of so many bytes, the rest of it blanks."""
    short = card()
    return short[:-1] + b" " * (size - len(short)) + short[-1:]


def card_bytes(size: int) -> Callable[[], str]:
    raw = padded(size)
    return lambda: refusal(lambda: card_in(raw))


def card_file(size: int) -> Callable[[], str]:
    """A file of so many bytes, most of which are never written."""

    def read() -> str:
        with scratch() as folder:
            path = folder / "card.json"
            path.touch()
            truncate(path, size)
            return refusal(lambda: limited_bytes(path))

    return read


def card_depth(wrapped: Callable[[bytes], bytes]) -> Callable[[int], Callable[[], str]]:
    def prepared(size: int) -> Callable[[], str]:
        raw = wrapped(b'{"name": "x", "a": ' + b"[" * (size - 1) + b"]" * (size - 1) + b"}")
        return lambda: refusal(lambda: card_in(raw))

    return prepared


def card_values(size: int) -> Callable[[], str]:
    raw = b'{"name":"x","a":[' + b"0," * (size - 3) + b"0]}"
    return lambda: refusal(lambda: card_in(raw))


def card_chunks(size: int) -> Callable[[], str]:
    raw = pictured([packed("chara", card()), *[containers.Chunk(b"tEXt", b"")] * (size - 4)])
    return lambda: refusal(lambda: card_in(raw))


def packed_text(head: bytes) -> Callable[[int], Callable[[], str]]:
    """A text in a picture that takes next to no room until it is unpacked."""

    def prepared(size: int) -> Callable[[], str]:
        raw = pictured([containers.Chunk(head[:4], head[4:] + _packed(size))])
        return lambda: refusal(lambda: card_in(raw))

    return prepared


@lru_cache(maxsize=3)
def _packed(size: int) -> bytes:
    """A card's text of so many bytes, which takes far longer to pack than to look at."""
    return zlib.compress(base64.b64encode(card()).ljust(size), level=1)


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
    stated = size * len(raw) - (1 if size == containers.MAX_RATIO else 0)
    return lambda: refusal(lambda: card_in(_zipped(card(), stated)))


def archive_bytes(size: int) -> Callable[[], str]:
    """An archive large enough that its ratio says nothing, with so many bytes in it by its own account."""
    raw = _zipped(card(), size, b"x" * (4 * MEBIBYTE))
    return lambda: refusal(lambda: card_in(raw))


def archive_file(size: int) -> Callable[[], str]:
    """A card in an archive that takes next to no room until it is unpacked; beside it lies what makes up for it."""
    raw = _archived(size)
    return lambda: refusal(lambda: card_in(raw))


@lru_cache(maxsize=3)
def _archived(size: int) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        target.writestr(containers.CARD, padded(size))
        target.writestr("more", b"x" * (size // containers.MAX_RATIO + MEBIBYTE), zipfile.ZIP_STORED)
    return out.getvalue()


def lying_file(size: int) -> Callable[[], str]:
    """A file in an archive that is so large; if that is too much, it is packed best and says it is small."""
    raw = _lying(size)
    return lambda: refusal(lambda: card_in(raw))


@lru_cache(maxsize=3)
def _lying(size: int) -> bytes:
    out, fits = BytesIO(), size <= containers.MAX_FILE
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if fits else zipfile.ZIP_BZIP2, compresslevel=1) as target:
        target.writestr(containers.CARD, padded(size))
        target.writestr("more", bytes(MEBIBYTE), zipfile.ZIP_STORED)
        target.infolist()[0].file_size = size if fits else 900
    return out.getvalue()


def _zipped(text: bytes, stated: int, more: bytes = b"") -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("card.json", text)
        target.writestr("more", more)
        if stated:
            target.infolist()[1].file_size = stated - len(text)
    return out.getvalue()


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


def other_operations(size: int) -> Callable[[], str]:
    """What an incident of a scenario brings about by operations that a delta has not."""
    delta = [
        {"op": "test", "path": "/time/turn", "value": 0},
        *[{"op": "move", "path": "/rules/0", "value": ""}] * size,
    ]
    told = json.dumps([{"id": "wind", "text": "風が吹いた。", "delta": delta}], ensure_ascii=False)
    text = TINY.replace("cast:", f"incidents: {told}\ncast:")
    return lambda: refusal(lambda: document.Document(text, "x.yaml").to(Scenario))


CAPS: dict[str, Cap] = {
    "bytes of a card": Cap(MAX_CARD, card_bytes, memory=16 * MAX_CARD),
    "bytes of a card's file": Cap(MAX_CARD, card_file, memory=2 * MAX_CARD),
    "depth of a card": Cap(MAX_DEPTH, card_depth(bytes)),
    "depth of a card in a picture": Cap(MAX_DEPTH, card_depth(lambda raw: pictured([packed("chara", raw)]))),
    "depth of a card in an archive": Cap(MAX_DEPTH, card_depth(lambda raw: _zipped(raw, 0))),
    "values in a card": Cap(MAX_MARKS, card_values),
    "chunks of a picture": Cap(containers.MAX_CHUNKS, card_chunks),
    **{f"bytes of a text in a picture: {head[:4].decode()}":
       Cap(containers.MAX_TEXT, packed_text(head), seconds=1.0, memory=8 * containers.MAX_TEXT) for head in PACKED},
    "bytes in an archive": Cap(containers.MAX_UNPACKED, archive_bytes),
    "bytes of a file in an archive": Cap(
        containers.MAX_FILE, archive_file, seconds=1.0, memory=4 * containers.MAX_FILE
    ),
    "bytes of a file that lies": Cap(containers.MAX_FILE, lying_file),
    "files in an archive": Cap(containers.MAX_FILES, archive_files),
    "ratio of an archive": Cap(containers.MAX_RATIO, archive_ratio),
    "bytes of YAML": Cap(document.MAX_BYTES, file_bytes(".yaml", b"a: 1", document.Document.read)),
    "bytes of XML": Cap(import_xml._LIMIT, file_bytes(".xml", SCENE, import_xml.read_scene)),
    "depth of YAML": Cap(document.MAX_DEPTH, yaml_depth),
    "operations of a scenario that no delta has": Cap(0, other_operations),
    "people of a scenario": Cap(MAX_CHARACTERS, scenario_people, seconds=1.0),
}  # fmt: skip
