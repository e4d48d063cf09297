"""A card becomes a sheet: names, persona, sample lines, greetings, lore. What a sheet has no place for is named."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from pydantic import ValidationError

from hakoniwa.actor.cards.book import (
    ImportNote,
    book_of,
    card_text,
    clean,
    clean_name,
    entries_in,
    is_japanese,
    lore_in,
    sample_lines,
    scan_in,
    spoken_words,
    visible_text,
)
from hakoniwa.actor.cards.macros import USER, MacroRoles
from hakoniwa.actor.cards.read import Card, Raw, wrong_field
from hakoniwa.actor.character import Character, Instructions, Phrasebook
from hakoniwa.errors import CardError
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import MAX_NAME

# What of a sheet stands in the fields of a card itself; everything else goes into an extension.
CARRIED_PARTS = (
    "display_name", "short_name", "persona", "examples", "greetings", "notes", "instructions", "lore", "lore_scan",
)  # fmt: skip
LABELS = {"ja": ("性格", "状況"), "en": ("Personality", "Scenario")}
_SPEAKING = ("name", "nickname", "description", "personality", "scenario", "first_mes")


def text_in(fields: Raw, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def language_of(fields: Raw) -> str:
    """The language of a card, as far as the words between its texts are concerned."""
    return "ja" if is_japanese("\n".join(text_in(fields, name) for name in _SPEAKING)) else "en"


def roles_of(user: str) -> MacroRoles:
    """Whom the macros of a card mean in its sheet: `user`, where one is given; the others are filled in at play."""
    return MacroRoles(user=clean_name(user) or USER)


def persona_in(fields: Raw, roles: MacroRoles) -> str:
    """Description, personality and scenario as one text."""
    return "\n\n".join(filter(None, _persona_parts(fields, roles)))


def _persona_parts(fields: Raw, roles: MacroRoles) -> tuple[str, str, str]:
    """The three parts of a persona, the latter two with what they are called."""
    described, *others = (card_text(text_in(fields, one), roles) for one in ("description", "personality", "scenario"))
    labels = LABELS[language_of(fields)]
    personality, scenario = (f"{label}: {text}" if text else "" for label, text in zip(labels, others, strict=True))
    return described, personality, scenario


def fields_for(sheet: Character, user: str = "") -> Raw:
    """The fields of a card that say what a sheet says, as far as cards have fields for it."""
    fields: Raw = {}
    for name in CARRIED_PARTS:
        fields |= part_fields(name, sheet, fields, user)
    return fields


def part_fields(part: str, sheet: Character, fields: Raw, user: str) -> Raw:
    """One part of a sheet as fields of a card; `fields` are those of the card before."""
    match part:
        case "display_name":
            return {"name": sheet.display_name}
        case "short_name":
            return {"nickname": sheet.short_name} if sheet.short_name or "nickname" in fields else {}
        case "persona":
            return _persona(sheet.persona, fields, roles_of(user))
        case "examples":
            lines = (" ".join(line.split()) for line in sheet.examples)
            return {"mes_example": "\n".join(f"<START>\n{{{{char}}}}: {line}" for line in lines)}
        case "greetings":
            return {"first_mes": "".join(sheet.greetings[:1]), "alternate_greetings": list(sheet.greetings[1:])}
        case "notes":
            return {"creator_notes": sheet.notes}
        case "instructions":
            return _instruction_fields(sheet.instructions, fields)
    book = fields.get("character_book")
    if not sheet.lore and not entries_in(book):
        return {}
    return {"character_book": book_of(sheet.lore, sheet.lore_scan, book, partial(card_text, roles=roles_of(user)))}


def _instruction_fields(asked: Instructions, fields: Raw) -> Raw:
    """Instructions as fields of a card; the note at a depth is an extension that other programs know."""
    extensions = fields.get("extensions")
    others = extensions if isinstance(extensions, dict) else {}
    note = {"prompt": asked.at_depth, "depth": asked.depth, "role": "system"}
    known = {"extensions": {**others, DEPTH_NOTE: {**_depth_note(fields), **note}}} if asked.at_depth else {}
    return {"system_prompt": asked.system, "post_history_instructions": asked.after_history, **known}


def _instructions_in(fields: Raw, roles: MacroRoles) -> Instructions:
    """What a card asks of a model that plays it."""
    note = _depth_note(fields)
    depth = note.get("depth")
    return Instructions(
        system=card_text(text_in(fields, "system_prompt"), roles)[:MOST_ASKED],
        after_history=card_text(text_in(fields, "post_history_instructions"), roles)[:MOST_ASKED],
        at_depth=card_text(text_in(note, "prompt"), roles)[:MOST_ASKED],
        depth=depth if isinstance(depth, int) and depth in range(MOST_DEPTH) else Instructions().depth,
    )


def _depth_note(fields: Raw) -> Raw:
    """The note at a depth, as it is on a card."""
    extensions = fields.get("extensions")
    note = extensions.get(DEPTH_NOTE) if isinstance(extensions, dict) else None
    return note if isinstance(note, dict) else {}


def _persona(text: str, fields: Raw, roles: MacroRoles) -> Raw:
    """A persona as the three fields; personality and scenario keep theirs where the text still ends with them."""
    _, *others = _persona_parts(fields, roles)
    rest = text.strip()
    kept: Raw = {}
    for name, part in (("scenario", others[1]), ("personality", others[0])):
        if part and rest.endswith(f"\n\n{part}"):
            rest = rest.removesuffix(f"\n\n{part}").rstrip()
        else:
            kept[name] = ""
    return {"description": rest, **kept}


EXTENSION, DEPTH_NOTE = "hakoniwa", "depth_prompt"
MOST_ASKED, MOST_DEPTH = 8_000, 1_000
MAX_LINES, MAX_MURMURS = 100, 20
_TEXTS = ("name", "nickname", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes")
_NAMES = ("display_name", "short_name")


@dataclass(frozen=True)
class ImportedSheet:
    """A sheet made from a card, and what its user should know about it."""

    sheet: Character
    notes: tuple[ImportNote, ...] = ()


def sheet_of(card: Card, user: str = "") -> ImportedSheet:
    """The character on a card; `user` is whom `{{user}}` means, if it is somebody in particular."""
    fields = card.fields
    _check_types(fields, card.file)
    plain, notes = _sheet_from_fields(fields, user)
    if not plain.display_name:
        raise CardError("card.no-name", file=card.file)
    kept, problem = _extension_sheet(fields)
    return ImportedSheet(_merge_sheets(plain, kept, user) if kept else plain, (*notes, *problem))


def _merge_sheets(plain: Character, kept: Character, user: str) -> Character:
    """A sheet from a card's extension with what has changed in the card since.

    Where the card still says what this sheet would make it say, the sheet is closer to what its author wrote.
    """
    echo, _ = _sheet_from_fields(fields_for(kept, user), user)
    newer = [name for name in CARRIED_PARTS if name in _NAMES or getattr(plain, name) != getattr(echo, name)]
    aliases = tuple(filter(None, map(clean_name, kept.aliases)))
    return kept.model_copy(update={"aliases": aliases, **{name: getattr(plain, name) for name in newer}})


def _check_types(fields: Raw, file: str) -> None:
    """Refuse fields of a type that says nothing; one that is missing or null is merely empty."""
    for name in _TEXTS:
        if not isinstance(fields.get(name), str | None):
            raise wrong_field(file, name, fields[name], "a valid string")
    greetings = fields.get("alternate_greetings")
    if not isinstance(greetings, list | None):
        raise wrong_field(file, "alternate_greetings", greetings, "a valid list")
    for place, greeting in enumerate(greetings or []):
        if not isinstance(greeting, str):
            raise wrong_field(file, f"alternate_greetings.{place}", greeting, "a valid string")


def _sheet_from_fields(fields: Raw, user: str) -> tuple[Character, list[ImportNote]]:
    """The sheet that follows from the fields every application knows."""
    texts = {name: fields.get(name) or "" for name in _TEXTS}
    name, nickname = clean_name(texts["name"]), clean_name(texts["nickname"])
    roles = roles_of(user)
    lore, notes = lore_in(fields.get("character_book"), partial(card_text, roles=roles))
    examples = tuple(islice(sample_lines(texts["mes_example"], roles, (name, nickname)), MAX_LINES))
    said = (texts["first_mes"], *(fields.get("alternate_greetings") or [])[:MAX_LINES])
    sheet = Character(
        display_name=name,
        short_name=nickname,
        persona=persona_in(fields, roles),
        examples=examples,
        greetings=tuple(filter(None, (card_text(one, roles) for one in said))),
        notes=clean(texts["creator_notes"]),
        instructions=_instructions_in(fields, roles),
        lore=lore,
        lore_scan=scan_in(fields.get("character_book")),
        phrasebook=_phrasebook(examples),
    )
    changed = [] if name == nfkc(texts["name"][: 2 * MAX_NAME]) else [ImportNote(key="name", details={"name": name})]
    return sheet, [*changed, *notes]


def _phrasebook(examples: tuple[str, ...]) -> Phrasebook:
    """A few words for a mind without a model to murmur: what is quoted in the samples."""
    murmurs = tuple(islice(dict.fromkeys(spoken_words(examples)), MAX_MURMURS))
    return Phrasebook(idle={"*": murmurs}) if murmurs else Phrasebook()


# --- what only Hakoniwa knows --------------------------------------------------------------------------------------


def _extension_sheet(fields: Raw) -> tuple[Character | None, list[ImportNote]]:
    """The sheet that an export of ours has put into the card."""
    extensions = fields.get("extensions")
    held = extensions.get(EXTENSION) if isinstance(extensions, dict) else None
    if held is None:
        return None, []
    data = held.get("sheet") if isinstance(held, dict) else None
    try:
        return Character.model_validate(_visible({**data, "card": None} if isinstance(data, dict) else data)), []
    except ValidationError:
        return None, [ImportNote(key="extension")]


def _visible(data: Any) -> Any:
    if isinstance(data, str):
        return visible_text(data)
    if isinstance(data, list):
        return [_visible(one) for one in data]
    return {visible_text(key): _visible(value) for key, value in data.items()} if isinstance(data, dict) else data


def with_extension(fields: Raw, sheet: Character) -> Raw:
    """The fields of a card with the whole sheet; the name of a file on somebody's disk is no part of it."""
    held = {"version": 1, "sheet": sheet.model_dump(mode="json", exclude_defaults=True, exclude={"card"})}
    known = fields.get("extensions")
    return {**fields, "extensions": {**(known if isinstance(known, dict) else {}), EXTENSION: held}}


REMOTE = ("http:", "https:", "ftp:", "//")


def unused_notes(card: Card) -> Iterator[ImportNote]:
    """A note on what of a card is left alone."""
    assets = card.fields.get("assets")
    uris = [_words(one.get("uri")) for one in assets if isinstance(one, dict)] if isinstance(assets, list) else []
    if remote := sum(uri.casefold().startswith(REMOTE) for uri in uris):
        yield ImportNote(key="remote", details={"count": remote})


def _words(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
