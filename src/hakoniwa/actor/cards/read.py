"""Reading cards from anywhere: whatever the file holds, the outcome is a card or a CardError, in bounded time."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from pydantic_core import from_json

from hakoniwa.actor.cards import containers
from hakoniwa.errors import CardError

Spec = Literal["v1", "v2", "v3"]
Raw = dict[str, Any]

SPECS: dict[str, Spec] = {"chara_card_v2": "v2", "chara_card_v3": "v3"}
KEYWORDS = ("ccv3", "chara")
MAX_CARD, MAX_DEPTH, MAX_MARKS = 16 << 20, 64, 1_000_000
_BOM = b"\xef\xbb\xbf"
_LARGEST = 2**63


@dataclass(frozen=True)
class Card:
    """A card as it came, with all that is in it: by keyword, since a picture may hold an older version beside it."""

    texts: Mapping[str, Raw]
    file: str = "-"
    picture: bytes | None = None

    @property
    def raw(self) -> Raw:
        """The newest version."""
        return next(self.texts[one] for one in KEYWORDS if one in self.texts)

    @property
    def fields(self) -> Raw:
        return fields_of(self.raw)

    @property
    def spec(self) -> Spec:
        return spec_of(self.raw)


def spec_of(raw: Raw) -> Spec:
    return SPECS[raw["spec"]] if "spec" in raw else "v1"


def fields_of(raw: Raw) -> Raw:
    """Where name, description and the rest stand: V1 has them at the top."""
    fields: Raw = raw["data"] if "spec" in raw else raw
    return fields


def read_card(path: Path) -> Card:
    """The card in a file."""
    return card_in(limited_bytes(path), str(path))


def limited_bytes(path: Path) -> bytes:
    """The bytes of a card or picture, no more of them than a card may have."""
    try:
        with path.open("rb") as source:
            raw = source.read(MAX_CARD + 1)
    except OSError as error:
        raise CardError("card.cannot-read", file=str(path), problem=error.strerror or str(error)) from None
    if len(raw) > MAX_CARD:
        raise CardError("card.too-large", file=str(path), limit=MAX_CARD)
    return raw


def card_in(raw: bytes, file: str = "-") -> Card:
    """The card in the bytes of a file: a PNG picture, JSON, or a CHARX archive."""
    if len(raw) > MAX_CARD:
        raise CardError("card.too-large", file=file, limit=MAX_CARD)
    if raw.startswith(containers.PNG_SIGNATURE):
        return Card(_texts(raw, file), file, picture=raw)
    if raw.startswith(containers.ZIP_SIGNATURE):
        found = containers.Archive(raw, file)
        data = _parse_card(found.card(), f"{file}/{containers.CARD}")
        return Card({_keyword(data): data}, file, picture=found.picture(fields_of(data)))
    if raw.removeprefix(_BOM).lstrip()[:1] not in (b"{", b"["):
        raise CardError("card.not-a-card", file=file)
    data = _parse_card(raw, file)
    return Card({_keyword(data): data}, file)


def _keyword(raw: Raw) -> str:
    return "ccv3" if spec_of(raw) == "v3" else "chara"


def _texts(raw: bytes, file: str) -> dict[str, Raw]:
    """The cards in the text chunks of a picture; of two with the same keyword the first."""
    found: dict[str, Raw] = {}
    for chunk in containers.chunks_of(raw, file):
        keyword = containers.keyword_of(chunk)
        if keyword in KEYWORDS and keyword not in found:
            found[keyword] = card_of_chunk(chunk, file)
    if not found:
        raise CardError("card.no-card", file=file)
    return found


def card_of_chunk(chunk: containers.Chunk, file: str) -> Raw:
    """The card in one text chunk: JSON in base64."""
    keyword = containers.keyword_of(chunk) or ""
    text = b"".join(containers.text_of(chunk, file).split())
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise CardError("card.png-text", file=file, chunk=keyword) from None
    return _parse_card(data, f"{file} [{keyword}]")


# --- JSON from strangers -------------------------------------------------------------------------------------------


def _parse_card(raw: bytes, file: str) -> Raw:
    """A card's JSON with the frame its version asks for; what stands in the fields is looked at where it is used."""
    data = json_in(raw, file)
    if not isinstance(data, dict):
        raise CardError("card.not-a-card", file=file)
    spec = data.get("spec")
    if "spec" not in data:
        if "name" not in data:
            raise CardError("card.not-a-card", file=file)
        return data
    if not isinstance(spec, str) or spec not in SPECS:
        raise CardError("card.spec", file=file, found=repr(spec)[:80], known=", ".join(SPECS))
    if not isinstance(data.get("data"), dict):
        raise wrong_field(file, "data", data.get("data"), "a valid dictionary")
    return data


def wrong_field(file: str, field: str, found: Any, wanted: str) -> CardError:
    """The complaint about a field of the wrong type."""
    return CardError("card.field", file=file, field=field, found=repr(found)[:80], problem=f"Input should be {wanted}")


def json_in(raw: bytes, file: str) -> Any:
    """The value of a JSON file, with or without a byte order mark, within the bounds of a card."""
    raw = raw.removeprefix(_BOM)
    # A value in JSON costs some fifty times its two bytes in memory: many of them are refused unread.
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MAX_MARKS:
        raise CardError("card.too-many", file=file, limit=MAX_MARKS)
    try:
        data = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        if "recursion" in str(error):
            raise CardError("card.too-deep", file=file, limit=MAX_DEPTH) from None
        raise CardError("card.not-json", file=file, problem=str(error)) from None
    _check_bounds(data, file)
    return data


def _check_bounds(data: Any, file: str) -> None:
    """Every number fits 64 bits, nothing is infinite, nothing nests too deep."""
    layer = [data]
    for _ in range(MAX_DEPTH):
        layer = _next_layer(layer, file)
        if not layer:
            return
    raise CardError("card.too-deep", file=file, limit=MAX_DEPTH)


def _next_layer(layer: list[Any], file: str) -> list[Any]:
    below: list[Any] = []
    for value in layer:
        if isinstance(value, dict):
            below += value.values()
        elif isinstance(value, list):
            below += value
        elif isinstance(value, int | float) and not _readable(value):
            raise CardError("card.number", file=file)
    return below


def _readable(value: float) -> bool:
    """A number that other programs can read too: an integer of 64 bits, or a float that is not infinite."""
    return isfinite(value) if isinstance(value, float) else -_LARGEST <= value < _LARGEST
