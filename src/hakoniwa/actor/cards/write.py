"""A sheet becomes a card: the card it came from with what was edited since, or a new one; as JSON or in a picture."""

import base64
import json

from hakoniwa.actor.cards import png
from hakoniwa.actor.cards.fields import CARRIED, fields_for, told
from hakoniwa.actor.cards.read import KEYWORDS, MAX_CARD, Card, Raw, Spec, card_of_chunk, fields_of, spec_of
from hakoniwa.actor.cards.sheet import sheet_of, with_extension
from hakoniwa.actor.character import Character
from hakoniwa.errors import CardError

VERSIONS: dict[Spec, Raw] = {
    "v2": {"spec": "chara_card_v2", "spec_version": "2.0"},
    "v3": {"spec": "chara_card_v3", "spec_version": "3.0"},
}
BLANK: Raw = {
    "name": "", "description": "", "personality": "", "scenario": "", "first_mes": "", "mes_example": "",
    "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [], "tags": [],
    "creator": "", "character_version": "", "extensions": {},
}  # fmt: skip
_FRAME = ("spec", "spec_version", "data")  # a V1 that has one of these all the same keeps it among its fields
_OPTIONAL = ("character_book", "nickname", "assets", "group_only_greetings", "creator_notes_multilingual", "source")


def card_of(sheet: Character, original: Card | None = None, spec: Spec | None = None) -> Card:
    """The card of a sheet: nothing that `original` holds is lost, and what was edited in the sheet wins."""
    user = sheet.card.user if sheet.card else ""
    before = original or Card({"chara": {**VERSIONS["v2"], "data": {**BLANK, **fields_for(sheet, user)}}})
    after = _edited(before, sheet, user)
    return _as(after, spec) if spec else after


def _edited(card: Card, sheet: Character, user: str) -> Card:
    wanted = sheet.model_copy(update={"card": None})
    known = sheet_of(card, user).sheet
    if known == wanted:
        return card
    changed = _unlike(known, wanted)
    texts = {keyword: _with(raw, _changes(raw, sheet, changed, user)) for keyword, raw in card.texts.items()}
    lost = _unlike(sheet_of(Card(texts, card.file), user).sheet, wanted)
    if "display_name" in changed or "short_name" in changed:  # texts that name {{char}} follow, and should
        lost &= changed
    if lost:
        texts = {keyword: _with(raw, with_extension(fields_of(raw), sheet)) for keyword, raw in texts.items()}
    return Card(texts, card.file, card.picture)


def _unlike(one: Character, other: Character) -> set[str]:
    return {name for name in Character.model_fields if getattr(one, name) != getattr(other, name)}


def _changes(raw: Raw, sheet: Character, changed: set[str], user: str) -> Raw:
    fields = fields_of(raw)
    changes: Raw = {}
    for name in (one for one in CARRIED if one in changed):
        changes |= told(name, sheet, fields, user)
    return changes


def _with(raw: Raw, changes: Raw) -> Raw:
    """A card with some fields changed; SillyTavern repeats the fields of V1 at the top, and these follow."""
    if spec_of(raw) == "v1":
        return {**raw, **changes}
    repeated = {name: value for name, value in changes.items() if name in raw}
    return {**raw, **repeated, "data": {**raw["data"], **changes}}


# --- versions ------------------------------------------------------------------------------------------------------


def _as(card: Card, spec: Spec) -> Card:
    """A card in another version; V3 in a picture has a V2 beside it for those who do not know V3."""
    if spec != "v3":
        return Card({"chara": converted(card.raw, spec)}, card.file, card.picture)
    older = converted(card.texts.get("chara", card.raw), "v2")
    return Card({"chara": older, "ccv3": converted(card.raw, "v3")}, card.file, card.picture)


def converted(raw: Raw, spec: Spec) -> Raw:
    """A card in the form of another version, with all it holds: a field a version does not know does no harm."""
    if spec_of(raw) == spec:
        return raw
    if spec == "v1":
        return {name: value for name, value in {**raw, **raw["data"]}.items() if name not in _FRAME}
    if spec_of(raw) == "v1":
        fields = {name: raw[name] for name in (*BLANK, *_OPTIONAL, *_FRAME) if name in raw}
        rest = {name: value for name, value in raw.items() if name not in fields}
        return _required({**VERSIONS[spec], "data": {**BLANK, **fields}, **rest}, spec)
    return _required({**raw, **VERSIONS[spec]}, spec)


def _required(raw: Raw, spec: Spec) -> Raw:
    """A card with the fields that only V3 insists on."""
    return {**raw, "data": {"group_only_greetings": [], **raw["data"]}} if spec == "v3" else raw


# --- files ---------------------------------------------------------------------------------------------------------


def json_of(card: Card) -> bytes:
    """The card as a JSON file."""
    return (json.dumps(card.raw, ensure_ascii=False, indent=2) + "\n").encode()


def png_of(card: Card, picture: bytes | None = None, file: str = "-") -> bytes:
    """The card in a picture: the one given, else its own, else a plain one."""
    source = picture or card.picture or png.plain_picture()
    if not source.startswith(png.SIGNATURE):
        raise CardError("card.not-png", file=file)
    chunks = png.chunks_of(source, file)
    texts = dict(card.texts)
    if not any(png.keyword_of(one) in KEYWORDS for one in chunks) and "chara" not in texts:
        texts = {"chara": converted(card.raw, "v2"), **texts}
    found = png.assembled(_with_texts(chunks, texts))
    if len(found) > MAX_CARD:
        raise CardError("card.too-large", file=file, limit=MAX_CARD)
    return found


def _with_texts(chunks: list[png.Chunk], texts: dict[str, Raw]) -> list[png.Chunk]:
    """A picture's chunks with these cards: in the place of those it had, else at its end."""
    found: list[png.Chunk] = []
    left = dict(texts)
    for chunk in chunks:
        keyword = png.keyword_of(chunk)
        if keyword in KEYWORDS:
            found += [_replaced(chunk, keyword, left.pop(keyword))] if keyword in left else []
            continue
        if chunk.kind == b"IEND":
            found += [_chunk(name, raw) for name, raw in left.items()]
        found.append(chunk)
    return found


def _replaced(chunk: png.Chunk, keyword: str, raw: Raw) -> png.Chunk:
    """The chunk itself where it already says the same."""
    try:
        return chunk if card_of_chunk(chunk, "-") == raw else _chunk(keyword, raw)
    except CardError:
        return _chunk(keyword, raw)


def _chunk(keyword: str, raw: Raw) -> png.Chunk:
    text = json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode()
    return png.text_chunk(keyword, base64.b64encode(text))
