"""PNG as far as a card needs it: the chunks of a picture and the texts in them. The image itself is never decoded."""

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hakoniwa.errors import CardError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
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
    at = len(SIGNATURE)
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
        return _unpacked(rest[1:], file, keyword)
    packed, (_, _, text) = rest[:1] == b"\1", _split(rest[2:])
    return _unpacked(text, file, keyword) if packed else text


def _split(rest: bytes) -> tuple[bytes, bytes, bytes]:
    """Language, translated keyword and text of an iTXt chunk."""
    language, _, rest = rest.partition(b"\0")
    translated, _, text = rest.partition(b"\0")
    return language, translated, text


def _unpacked(data: bytes, file: str, keyword: bytes) -> bytes:
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


def assembled(chunks: Iterable[Chunk]) -> bytes:
    """A PNG file of these chunks."""
    parts = [SIGNATURE]
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
    return assembled([Chunk(b"IHDR", header), Chunk(b"IDAT", pixels), Chunk(b"IEND", b"")])
