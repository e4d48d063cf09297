"""CHARX archives: the card in them and the picture that shows the character. Nothing is ever unpacked onto the disk."""

import zipfile
import zlib
from io import BytesIO
from typing import Any

from hakoniwa.actor.cards.png import SIGNATURE as PNG
from hakoniwa.errors import CardError

SIGNATURE = b"PK\x03\x04"
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
                return found if found.startswith(PNG) else None
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
