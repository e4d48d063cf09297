"""Macros of character cards: kept in a sheet as they are written, filled in where the sheet begins to be played."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

CHAR, USER, PERSONA, ORIGINAL = "{{char}}", "{{user}}", "{{persona}}", "{{original}}"
STRANGERS = {"ja": "ユーザー", "en": "the user"}  # who the user is as long as there is no name
UNPLAYED = ("notes", "card")
MOST_SIDES = 10_000

_ROLE = re.compile(r"\{\{\s*(?P<who>char|bot|user|persona)\s*\}\}|<(?P<tag>char|bot|user)>", re.IGNORECASE)
_ASIDE = re.compile(r"\{\{(?://|comment\s*:|hidden_key\s*:)[^{}]*\}\}", re.IGNORECASE)
_DRAWN = re.compile(
    r"\{\{(?:random|pick)\s*::?(?P<options>[^{}]*)\}\}|\{\{roll\s*:\s*d?(?P<sides>\d{1,5})\s*\}\}"
    r"|\{\{reverse\s*:(?P<turned>[^{}]*)\}\}",
    re.IGNORECASE,
)
_OPTION = re.compile(r"::|(?<!\\),")


@dataclass(frozen=True)
class MacroRoles:
    """Whom `{{char}}` and `{{user}}` mean, and how the user is described; in a sheet the macros mean themselves, until
    somebody is there to be meant."""

    char: str = CHAR
    user: str = USER
    persona: str = PERSONA

    def fill(self, text: str) -> str:
        """A text with its people named, and without its comments."""
        return _ROLE.sub(self._person, _ASIDE.sub("", text))

    def _person(self, macro: re.Match[str]) -> str:
        meant = {"user": self.user, "persona": self.persona}
        return meant.get((macro["who"] or macro["tag"]).casefold(), self.char)


def without_macros(text: str) -> str:
    """A text without the people, comments and dice of macros: what is left is in the words of its author."""
    return _DRAWN.sub("", MacroRoles("", "", "").fill(text))


def fill_macros(
    sheet: Mapping[str, Any], user: str, language: str, dice: Random, persona: str = ""
) -> dict[str, Any]:
    """The data of a sheet as it is played: people named, dice thrown. What only its author may read stays as it is."""
    char = sheet.get("short_name") or sheet.get("display_name") or CHAR
    roles = MacroRoles(char, user.strip() or STRANGERS[language], persona)
    return {name: one if name in UNPLAYED else _fill(one, roles, dice) for name, one in sheet.items()}


def _fill(data: Any, roles: MacroRoles, dice: Random) -> Any:
    """Data with the macros of all its texts filled in."""
    if isinstance(data, str):
        return _DRAWN.sub(lambda macro: _draw(macro, dice), roles.fill(data)) if "{{" in data or "<" in data else data
    if isinstance(data, list):
        return [_fill(one, roles, dice) for one in data]
    return {key: _fill(one, roles, dice) for key, one in data.items()} if isinstance(data, dict) else data


def _draw(macro: re.Match[str], dice: Random) -> str:
    """One of the options, a number of a die, or a text turned round."""
    if macro["turned"] is not None:
        return macro["turned"].strip()[::-1]
    if macro["sides"] is not None:
        return str(dice.randint(1, max(1, min(int(macro["sides"]), MOST_SIDES))))
    return dice.choice(_OPTION.split(macro["options"])).replace("\\,", ",").strip()
