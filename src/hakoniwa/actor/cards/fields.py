"""The fields of a card, and what of a sheet they carry."""

from hakoniwa.actor.cards.book import MacroRoles, book_of, clean_name, entries_in, is_japanese
from hakoniwa.actor.cards.read import Raw
from hakoniwa.actor.character import Character

# What of a sheet stands in the fields of a card itself; everything else goes into an extension.
CARRIED_PARTS = ("display_name", "short_name", "persona", "examples", "greetings", "notes", "lore", "lore_scan")
LABELS = {"ja": ("性格", "状況"), "en": ("Personality", "Scenario")}
_SPEAKING = ("name", "nickname", "description", "personality", "scenario", "first_mes")
USERS = {"ja": "ユーザー", "en": "the user"}


def text_in(fields: Raw, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def language_of(fields: Raw) -> str:
    """The language of a card, as far as the words between its texts are concerned."""
    return "ja" if is_japanese("\n".join(text_in(fields, name) for name in _SPEAKING)) else "en"


def roles_of(fields: Raw, user: str) -> MacroRoles:
    """Whom the macros mean: the character by nickname or name, and `user` if that is somebody in particular."""
    char = clean_name(text_in(fields, "nickname")) or clean_name(text_in(fields, "name"))
    return MacroRoles(char=char, user=clean_name(user) or USERS[language_of(fields)])


def persona_in(fields: Raw, roles: MacroRoles) -> str:
    """Description, personality and scenario as one text."""
    return "\n\n".join(filter(None, _persona_parts(fields, roles)))


def _persona_parts(fields: Raw, roles: MacroRoles) -> tuple[str, str, str]:
    """The three parts of a persona, the latter two with what they are called."""
    described, *others = (roles.resolve(text_in(fields, one)) for one in ("description", "personality", "scenario"))
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
            return _persona(sheet.persona, fields, roles_of(fields, user))
        case "examples":
            lines = (" ".join(line.split()) for line in sheet.examples)
            return {"mes_example": "\n".join(f"<START>\n{{{{char}}}}: {line}" for line in lines)}
        case "greetings":
            return {"first_mes": "".join(sheet.greetings[:1]), "alternate_greetings": list(sheet.greetings[1:])}
        case "notes":
            return {"creator_notes": sheet.notes}
    book = fields.get("character_book")
    if not sheet.lore and not entries_in(book):
        return {}
    return {"character_book": book_of(sheet.lore, sheet.lore_scan, book, roles_of(fields, user).resolve)}


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
