"""The files a card comes in: PNG pictures with text chunks, and CHARX archives. Nothing is unpacked onto the disk."""

import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any, NamedTuple

from hakoniwa.errors import CardError

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_CHUNKS, MAX_TEXT = 20_000, 16 << 20
TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_PLAIN_SIZE, _PLAIN_COLOUR = (256, 384), (0xD9, 0xCF, 0xBF)


class Chunk(NamedTuple):
    """One chunk of a PNG file: its four-letter kind, and its data without length and checksum."""

    kind: bytes
    data: bytes


def chunks_of(raw: bytes, file: str) -> list[Chunk]:
    """Every chunk up to the end of the picture, each with a sound length and checksum."""
    found = list(_chunks(raw, file))
    if found[0].kind != b"IHDR" or len(found[0].data) != 13 or 0 in struct.unpack(">II", found[0].data[:8]):
        raise CardError("card.png-header", file=file)
    return found


def _chunks(raw: bytes, file: str) -> Iterator[Chunk]:
    at = len(PNG_SIGNATURE)
    for _ in range(MAX_CHUNKS):
        if at + 12 > len(raw):
            raise CardError("card.png-cut-off", file=file, at=at)
        length, kind = struct.unpack_from(">I4s", raw, at)
        end = at + 12 + length
        if end > len(raw):
            raise CardError("card.png-cut-off", file=file, at=at)
        if zlib.crc32(raw[at + 4 : end - 4]) != struct.unpack_from(">I", raw, end - 4)[0]:
            raise CardError("card.png-checksum", file=file, at=at, chunk=kind.decode("latin-1"))
        yield Chunk(kind, raw[at + 8 : end - 4])
        if kind == b"IEND":
            return
        at = end
    raise CardError("card.png-chunks", file=file, limit=MAX_CHUNKS)


def keyword_of(chunk: Chunk) -> str | None:
    """The keyword of a text chunk."""
    keyword, end, _ = chunk.data[:80].partition(b"\0")
    return keyword.decode("latin-1") if chunk.kind in TEXTS and end else None


def text_of(chunk: Chunk, file: str) -> bytes:
    """The text of a text chunk, unpacked if it was packed."""
    keyword, _, rest = chunk.data.partition(b"\0")
    if chunk.kind == b"tEXt":
        return rest
    if chunk.kind == b"zTXt":
        return _unpack_text(rest[1:], file, keyword)
    packed, (_, _, text) = rest[:1] == b"\1", _split(rest[2:])
    return _unpack_text(text, file, keyword) if packed else text


def _split(rest: bytes) -> tuple[bytes, bytes, bytes]:
    """Language, translated keyword and text of an iTXt chunk."""
    language, _, rest = rest.partition(b"\0")
    translated, _, text = rest.partition(b"\0")
    return language, translated, text


def _unpack_text(data: bytes, file: str, keyword: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    chunk = keyword.decode("latin-1")
    try:
        text = unpacker.decompress(data, MAX_TEXT + 1)
    except zlib.error:
        raise CardError("card.png-text", file=file, chunk=chunk) from None
    if len(text) > MAX_TEXT:
        raise CardError("card.png-text-size", file=file, chunk=chunk, limit=MAX_TEXT)
    if not unpacker.eof:
        raise CardError("card.png-text", file=file, chunk=chunk)
    return text


def text_chunk(keyword: str, text: bytes) -> Chunk:
    return Chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + text)


def build_png(chunks: Iterable[Chunk]) -> bytes:
    """A PNG file of these chunks."""
    parts = [PNG_SIGNATURE]
    for kind, data in chunks:
        body = kind + data
        parts += [struct.pack(">I", len(data)), body, struct.pack(">I", zlib.crc32(body))]
    return b"".join(parts)


def plain_picture() -> bytes:
    """A small picture in one colour, for a character who has none."""
    width, height = _PLAIN_SIZE
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(_PLAIN_COLOUR) * width) * height
    pixels = zlib.compress(rows, 9)
    return build_png([Chunk(b"IHDR", header), Chunk(b"IDAT", pixels), Chunk(b"IEND", b"")])


ZIP_SIGNATURE = b"PK\x03\x04"
CARD = "card.json"
MAX_FILES, MAX_RATIO, MAX_UNPACKED, MAX_FILE = 256, 100, 256 << 20, 16 << 20
READABLE = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})  # of the others, zipfile unpacks all or nothing
_PACKINGS = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA", 9: "Deflate64", 93: "Zstandard", 95: "XZ"}
_DIRECTORY_ENTRY = b"PK\x01\x02"
_EMBEDDED = ("embeded://", "embedded://")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError, MemoryError)


class Archive:
    """An archive whose listing has been looked at and found modest."""

    def __init__(self, raw: bytes, file: str) -> None:
        self.file = file
        # Listing a hostile archive is work in itself; an archive within an archive may hold such marks too.
        if raw.count(_DIRECTORY_ENTRY) > 16 * MAX_FILES:
            raise CardError("card.archive-size", file=file, limit=MAX_FILES)
        try:
            self._zip = zipfile.ZipFile(BytesIO(raw))
        except _BROKEN:
            raise CardError("card.archive-broken", file=file, name=CARD) from None
        listed = self._zip.infolist()
        total = sum(one.file_size for one in listed)
        if len(listed) > MAX_FILES or total > min(MAX_UNPACKED, MAX_RATIO * len(raw)):
            raise CardError("card.archive-size", file=file, limit=MAX_FILES)

    def card(self) -> bytes:
        """The text of the card."""
        if CARD not in self._zip.namelist():
            raise CardError("card.archive-empty", file=self.file)
        return self._read(CARD)

    def picture(self, fields: dict[str, Any]) -> bytes | None:
        """The main icon, if it is in the archive and a PNG."""
        assets = fields.get("assets")
        icons = [one for one in assets if _is_icon(one)] if isinstance(assets, list) else []
        for icon in sorted(icons, key=lambda one: one.get("name") != "main"):
            name = next((icon["uri"].removeprefix(one) for one in _EMBEDDED if icon["uri"].startswith(one)), "")
            if name in self._zip.namelist():
                found = self._read(name)
                return found if found.startswith(PNG_SIGNATURE) else None
        return None

    def _read(self, name: str) -> bytes:
        listed = self._zip.getinfo(name)
        if listed.compress_type not in READABLE:
            packing = _PACKINGS.get(listed.compress_type, f"ZIP {listed.compress_type}")
            raise CardError("card.archive-packing", file=self.file, name=name, packing=packing)
        try:
            with self._zip.open(listed) as inner:
                found = inner.read(min(listed.file_size, MAX_FILE) + 1)
        except _BROKEN:
            raise CardError("card.archive-broken", file=self.file, name=name) from None
        if len(found) > MAX_FILE:
            raise CardError("card.too-large", file=f"{self.file}/{name}", limit=MAX_FILE)
        return found


def _is_icon(asset: Any) -> bool:
    return isinstance(asset, dict) and asset.get("type") == "icon" and isinstance(asset.get("uri"), str)
