"""A sheet becomes a card: the card it came from with what was edited since, or a new one; as JSON or in a picture."""

import base64
import json

from hakoniwa.actor.cards import containers
from hakoniwa.actor.cards.read import KEYWORDS, MAX_CARD, Card, Raw, Spec, card_of_chunk, fields_of, spec_of
from hakoniwa.actor.cards.sheet import CARRIED_PARTS, fields_for, part_fields, sheet_of, with_extension
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
    after = _apply_edits(before, sheet, user)
    return _convert_card(after, spec) if spec else after


def _apply_edits(card: Card, sheet: Character, user: str) -> Card:
    wanted = sheet.model_copy(update={"card": None})
    known = sheet_of(card, user).sheet
    if known == wanted:
        return card
    changed = _changed_parts(known, wanted)
    texts = {keyword: _replace_fields(raw, _changes(raw, sheet, changed, user)) for keyword, raw in card.texts.items()}
    lost = _changed_parts(sheet_of(Card(texts, card.file), user).sheet, wanted)
    if "display_name" in changed or "short_name" in changed:  # texts that name {{char}} follow, and should
        lost &= changed
    if lost:
        texts = {keyword: _replace_fields(raw, with_extension(fields_of(raw), sheet)) for keyword, raw in texts.items()}
    return Card(texts, card.file, card.picture)


def _changed_parts(one: Character, other: Character) -> set[str]:
    return {name for name in Character.model_fields if getattr(one, name) != getattr(other, name)}


def _changes(raw: Raw, sheet: Character, changed: set[str], user: str) -> Raw:
    fields = fields_of(raw)
    changes: Raw = {}
    for name in (one for one in CARRIED_PARTS if one in changed):
        changes |= part_fields(name, sheet, fields, user)
    return changes


def _replace_fields(raw: Raw, changes: Raw) -> Raw:
    """A card with some fields changed; SillyTavern repeats the fields of V1 at the top, and these follow."""
    if spec_of(raw) == "v1":
        return {**raw, **changes}
    repeated = {name: value for name, value in changes.items() if name in raw}
    return {**raw, **repeated, "data": {**raw["data"], **changes}}


# --- versions ------------------------------------------------------------------------------------------------------


def _convert_card(card: Card, spec: Spec) -> Card:
    """A card in another version; V3 in a picture has a V2 beside it for those who do not know V3."""
    if spec != "v3":
        return Card({"chara": convert_version(card.raw, spec)}, card.file, card.picture)
    older = convert_version(card.texts.get("chara", card.raw), "v2")
    return Card({"chara": older, "ccv3": convert_version(card.raw, "v3")}, card.file, card.picture)


def convert_version(raw: Raw, spec: Spec) -> Raw:
    """A card in the form of another version, with all it holds: a field a version does not know does no harm."""
    if spec_of(raw) == spec:
        return raw
    if spec == "v1":
        return {name: value for name, value in {**raw, **raw["data"]}.items() if name not in _FRAME}
    if spec_of(raw) == "v1":
        fields = {name: raw[name] for name in (*BLANK, *_OPTIONAL, *_FRAME) if name in raw}
        rest = {name: value for name, value in raw.items() if name not in fields}
        return _add_required({**VERSIONS[spec], "data": {**BLANK, **fields}, **rest}, spec)
    return _add_required({**raw, **VERSIONS[spec]}, spec)


def _add_required(raw: Raw, spec: Spec) -> Raw:
    """A card with the fields that only V3 insists on."""
    return {**raw, "data": {"group_only_greetings": [], **raw["data"]}} if spec == "v3" else raw


# --- files ---------------------------------------------------------------------------------------------------------


def json_of(card: Card) -> bytes:
    """The card as a JSON file."""
    return (json.dumps(card.raw, ensure_ascii=False, indent=2) + "\n").encode()


def png_of(card: Card, picture: bytes | None = None, file: str = "-") -> bytes:
    """The card in a picture: the one given, else its own, else a plain one."""
    source = picture or card.picture or containers.plain_picture()
    if not source.startswith(containers.PNG_SIGNATURE):
        raise CardError("card.not-png", file=file)
    chunks = containers.chunks_of(source, file)
    texts = dict(card.texts)
    if not any(containers.keyword_of(one) in KEYWORDS for one in chunks) and "chara" not in texts:
        texts = {"chara": convert_version(card.raw, "v2"), **texts}
    found = containers.build_png(_with_texts(chunks, texts))
    if len(found) > MAX_CARD:
        raise CardError("card.too-large", file=file, limit=MAX_CARD)
    return found


def _with_texts(chunks: list[containers.Chunk], texts: dict[str, Raw]) -> list[containers.Chunk]:
    """A picture's chunks with these cards: in the place of those it had, else at its end."""
    found: list[containers.Chunk] = []
    left = dict(texts)
    for chunk in chunks:
        keyword = containers.keyword_of(chunk)
        if keyword in KEYWORDS:
            found += [_replace_chunk(chunk, keyword, left.pop(keyword))] if keyword in left else []
            continue
        if chunk.kind == b"IEND":
            found += [_chunk(name, raw) for name, raw in left.items()]
        found.append(chunk)
    return found


def _replace_chunk(chunk: containers.Chunk, keyword: str, raw: Raw) -> containers.Chunk:
    """The chunk itself where it already says the same."""
    try:
        return chunk if card_of_chunk(chunk, "-") == raw else _chunk(keyword, raw)
    except CardError:
        return _chunk(keyword, raw)


def _chunk(keyword: str, raw: Raw) -> containers.Chunk:
    text = json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode()
    return containers.text_chunk(keyword, base64.b64encode(text))
