"""Who the user is: personas with name, description and portrait, one of which is chosen for a chat or a garden."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from hakoniwa.actor.cards.book import clean, clean_name
from hakoniwa.actor.cards.containers import PNG_SIGNATURE, chunks_of
from hakoniwa.actor.cards.macros import MacroRoles
from hakoniwa.actor.cards.read import MAX_CARD, json_in
from hakoniwa.actor.character import Character
from hakoniwa.app.user_files import MOST_OWN, is_name, shelf_name
from hakoniwa.errors import CardError, UnknownName, UsageError
from hakoniwa.own_files import private_folder, write_atomically
from hakoniwa.stage.scenario import Role, Scenario
from hakoniwa.stage.world import MAX_NAME, Figure
from hakoniwa.turn import Value

LONGEST_DESCRIPTION = 8_000
CALLED_SO = ("exact", "alias", "derived")  # how a name is another's already
PERSONAS = "personas"  # the folder, and the key of SillyTavern's files

PersonaName = Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(clean_name), Field(min_length=1)]
Description = Annotated[str, Field(max_length=LONGEST_DESCRIPTION), AfterValidator(clean)]


class UserPersona(Value):
    """One of those the user can be: the name they are called by, and what others know of them."""

    name: PersonaName
    description: Description = ""


class KeptPersona(UserPersona):
    """A persona as it is kept: under which id, and whether there is a portrait to ask for."""

    id: str
    portrait: bool = False


class UserPersonas:
    """The personas of the user, in a folder of their home."""

    def __init__(self, home: Path) -> None:
        self.folder = home / PERSONAS

    def all(self) -> list[KeptPersona]:
        """Every persona, by id; a file that holds none is left out."""
        found = (self._read(path) for path in sorted(self.folder.glob("*.json")) if is_name(path.stem))
        return [one for one in found if one is not None]

    def find(self, name: str) -> KeptPersona:
        """A persona by its id, or by its name where only one is called so."""
        known = self.all()
        found = [one for one in known if one.id == name] or [one for one in known if one.name == name]
        if len(found) != 1:
            raise UnknownName("unknown.persona", name=name, known=", ".join(one.id for one in known) or "-")
        return found[0]

    def _read(self, path: Path) -> KeptPersona | None:
        try:
            told = UserPersona.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        return KeptPersona(**dict(told), id=path.stem, portrait=self._picture(path.stem).is_file())

    def _picture(self, id: str) -> Path:
        return self.folder / f"{id}.png"

    def save(self, persona: UserPersona, id: str | None = None, picture: bytes | None = None) -> KeptPersona:
        """Keep a persona under its id, or a new one under an id of its name; its picture stays if none is given."""
        known = {one.id for one in self.all()}
        chosen = id or _free_id(shelf_name(persona.name), known)
        if not is_name(chosen):
            raise UsageError("shelf.bad-name", name=chosen)
        if chosen not in known and len(known) >= MOST_OWN:
            raise UsageError("shelf.full", limit=MOST_OWN)
        if picture is not None:
            check_picture(picture, persona.name)
        private_folder(self.folder)
        if picture is not None:
            write_atomically(self._picture(chosen), picture)
        plain = UserPersona(name=persona.name, description=persona.description)
        write_atomically(self.folder / f"{chosen}.json", plain.model_dump_json(indent=1).encode())
        return self.find(chosen)

    def delete(self, id: str) -> None:
        """Remove a persona and its portrait; chats and gardens keep what they were begun with."""
        found = self.find(id)
        (self.folder / f"{found.id}.json").unlink()
        self._picture(found.id).unlink(missing_ok=True)

    def portrait(self, id: str) -> bytes:
        """The portrait of a persona, a PNG."""
        found = self.find(id)
        if not found.portrait:
            raise UnknownName("unknown.portrait", name=id)
        return self._picture(found.id).read_bytes()


def _free_id(wanted: str, taken: set[str]) -> str:
    """The id, or with a number after it the first that nobody has."""
    numbered = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
    return next(one for one in numbered if one not in taken)


def check_picture(raw: bytes, file: str) -> None:
    """Refuse what is no sound PNG picture."""
    if len(raw) > MAX_CARD:
        raise CardError("card.too-large", file=file, limit=MAX_CARD)
    if not raw.startswith(PNG_SIGNATURE):
        raise CardError("card.not-png", file=file)
    chunks_of(raw, file)


# --- SillyTavern's file of personas -----------------------------------------------------------------------------------


def personas_in(data: Any) -> list[UserPersona] | None:
    """The personas in a backup of SillyTavern's or in its settings; None where there are none."""
    held = data.get("power_user", data) if isinstance(data, dict) else None
    names = held.get(PERSONAS) if isinstance(held, dict) else None
    if not isinstance(names, dict) or not isinstance(held, dict):
        return None
    told = held.get("persona_descriptions")
    return list(_read_personas(names, told if isinstance(told, dict) else {}))


def _read_personas(names: Mapping[Any, Any], told: Mapping[Any, Any]) -> Iterator[UserPersona]:
    for avatar, name in names.items():
        entry = told.get(avatar)
        described = entry.get("description") if isinstance(entry, dict) else None
        text = described if isinstance(described, str) else ""
        if isinstance(name, str) and clean_name(name):
            yield UserPersona(name=clean_name(name), description=MacroRoles(user=name).fill(text)[:LONGEST_DESCRIPTION])


def import_personas(kept: UserPersonas, raw: bytes, file: str) -> list[KeptPersona]:
    """Keep the personas of a file that are not here yet; those that were new."""
    found = personas_in(json_in(raw, file)) or []
    known = {(one.name, one.description) for one in kept.all()}
    return [kept.save(one) for one in found if (one.name, clean(one.description)) not in known]


def personas_file(kept: UserPersonas) -> bytes:
    """Every persona as SillyTavern's backup has them."""
    every = kept.all()
    told = {f"{one.id}.png": {"description": one.description, "position": 0} for one in every}
    names = {f"{one.id}.png": one.name for one in every}
    return json.dumps({PERSONAS: names, "persona_descriptions": told}, ensure_ascii=False, indent=2).encode()


# --- a player of one's own --------------------------------------------------------------------------------------------


def with_player(
    scenario: Scenario, sheets: Mapping[str, Character], me: UserPersona | None
) -> tuple[Scenario, dict[str, Character]]:
    """A scenario with the user as one of its people: where the story begins, with empty hands, played by them alone."""
    if me is None:
        return scenario, dict(sheets)
    if any(how in CALLED_SO for how, _ in scenario.world.index.names.find(me.name)):
        raise UsageError("persona.name-taken", name=me.name)
    figure = Figure(location=scenario.world.location.current)
    world = scenario.world.with_field("characters", {**scenario.world.characters, me.name: figure})
    cast = {**scenario.cast, me.name: Role(sheet=me.name, player=True)}
    sheet = Character(display_name=me.name, persona=me.description)
    return scenario.with_fields({"world": world, "cast": cast}), {**sheets, me.name: sheet}
