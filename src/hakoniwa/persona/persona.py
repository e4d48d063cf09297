"""Persona: who somebody is to themselves, the main variable of every layer of a Ghost."""

from pydantic import Field

from hakoniwa.actor.character import Character, Personality
from hakoniwa.errors import PersonaMissing
from hakoniwa.pack import pack
from hakoniwa.stage.goal import Desire
from hakoniwa.turn import Value

USER = "user"  # as sheets name the one who watches, in what they call whom


class Persona(Value):
    """The words a Ghost goes by, and the lasting desires of its sheet. There is no nameless default: without a persona
    nothing is chosen, said or kept."""

    name: str = Field(min_length=1)
    persona_text: str = Field(pattern=r"\S")
    addon_text: str = ""
    second_person_label: str = Field(pattern=r"\S")
    personality: Personality = Personality()
    desires: tuple[Desire, ...] = ()
    language: str = "ja"


def persona_of(sheet: Character, language: str) -> Persona:
    """The persona of a character's sheet, or PersonaMissing where it says nothing of who they are."""
    if not sheet.persona.strip():
        raise PersonaMissing("ghost.no-persona", name=sheet.display_name)
    return Persona(
        name=sheet.display_name,
        persona_text=sheet.persona.strip(),
        addon_text=sheet.speech.tone.strip(),
        second_person_label=sheet.speech.address.get(USER, "").strip() or pack(language).phrases["second_person"],
        personality=sheet.personality,
        desires=tuple(one for one in sheet.desires if one.term == "long"),
        language=language,
    )

