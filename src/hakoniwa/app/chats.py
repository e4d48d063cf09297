"""Chats and Ghosts from settings: which conversation, with whom, and who speaks for them."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from hakoniwa.actor import character
from hakoniwa.actor.cards.macros import fill_macros
from hakoniwa.actor.character import Character
from hakoniwa.app import ledger_of, places_of, resumed_session
from hakoniwa.app.gardens import garden_at
from hakoniwa.app.user_files import UserFiles
from hakoniwa.app.user_personas import KeptPersona
from hakoniwa.chat.chat import Chat
from hakoniwa.chat.clock import Clock
from hakoniwa.chat.lineage import CHAT, ME, ChatLine, catch_up
from hakoniwa.chat.reply import BuiltinRespondent, ModelRespondent, Respondent
from hakoniwa.chat.rewriting import open_with
from hakoniwa.errors import ModelError, PersonaMissing, UnknownName, UsageError
from hakoniwa.journal import MAIN, GardenRecord, GardenSummary, Journal
from hakoniwa.llm import ChatModel
from hakoniwa.llm.find import ServerSearch, missing_model, search
from hakoniwa.llm.reply import is_foreign
from hakoniwa.memory.embedding import Embedder, name_of
from hakoniwa.memory.embedding.filling import EmbedderHandover
from hakoniwa.memory.embedding.ginza import LANGUAGE as GINZA_LANGUAGE
from hakoniwa.memory.embedding.ginza import GinzaEmbedder
from hakoniwa.memory.embedding.ginza import is_installed as ginza_found
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.embedding.server import ServerEmbedder
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Chooser
from hakoniwa.memory.store import Memories
from hakoniwa.persona.inner import InnerState
from hakoniwa.persona.persona import USER, Persona, persona_of
from hakoniwa.play.errand import GardenResidence
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.private import PrivateChat
from hakoniwa.play.session import Session
from hakoniwa.settings import Settings

DEFAULT_SHEETS = {"ja": "yana", "en": "marian"}  # whom to meet, by the language of whoever comes
LIVES_IN = "lives_in"  # where a chat of former times says in which garden its persona lives, apart from who is there
PRIVATE = "private"  # where a chat says which garden its words belong to, and with whom they are
VECTORS = "vectors"  # the folder for what can be made again


def time_of(ghost: Ghost) -> datetime:
    """What time it is for whoever remembers: by the clock of their chat."""
    return Clock(ghost.memories, ghost.garden, ghost.branch).now()


def chats(journal: Journal) -> list[GardenSummary]:
    """Every chat, the one that was talked in last at the end."""
    every = journal.plates()
    newest = {one.id: one.newest for one in every}
    found = [one for one in every if one.settings.get("kind") == CHAT]
    return sorted(found, key=lambda one: (newest.get(_home(one) or one.id, 0), one.id))


def chat_at(journal: Journal, id: str) -> GardenRecord:
    """The chat of that id, or UnknownName; a garden is none."""
    found = journal.garden(id)
    if found.settings.get("kind") != CHAT:
        raise UnknownName("unknown.chat", name=id, known=", ".join(one.id for one in chats(journal)))
    return found


NOWHERE = Path()  # where nobody has sheets of their own


def new_chat(
    journal: Journal, sheet_name: str, name: str | None = None, call_me: str | None = None, home: str | None = None,
    me: KeptPersona | None = None, own: Path = NOWHERE,
) -> GardenRecord:  # fmt: skip
    """A new conversation with the character of a sheet, by name or by file; or the one with a person of a garden."""
    if home is not None:
        return private_chat(journal, home, sheet_name, name, call_me)
    who, sheet = sheet_at(sheet_name, own)
    return chat_as(journal, sheet_name, who, sheet, name, call_me, {ME: me.model_dump(mode="json")} if me else {})


def private_chat(
    journal: Journal, home: str, person: str, name: str | None = None, call_me: str | None = None
) -> GardenRecord:
    """The conversation with a person of a garden: there is one, for it is part of the garden's own story."""
    with closing(resumed_session(journal, garden_at(journal, home).id)) as session:
        who = session.member(person)
        sheet = session.cast[who]
    known = next((one for one in chats(journal) if one.settings.get(PRIVATE) == {"garden": home, "who": who}), None)
    if known is not None and (call_me or name not in (None, known.id)):
        raise UsageError("chat.exists", name=known.id)
    if known is not None:
        return journal.garden(known.id)
    return chat_as(journal, person, who, sheet, name, call_me, {PRIVATE: {"garden": home, "who": who}})


def chat_as(
    journal: Journal, sheet_name: str, who: str, sheet: Character, name: str | None, call_me: str | None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> GardenRecord:  # fmt: skip
    """A new conversation with the character of this very sheet."""
    garden = chat_garden(sheet_name, who, sheet, name or f"chat-{who}-{secrets.token_hex(3)}", call_me, settings)
    journal.create(garden)
    if PRIVATE not in settings:
        open_with(journal, garden.id, who, garden.sheets[who].get("greetings", ()))
    return garden


def chat_garden(
    sheet_name: str, who: str, sheet: Character, id: str, call_me: str | None,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> GardenRecord:  # fmt: skip
    """What the journal keeps of a conversation before its first words: the sheet as it is played with this user."""
    me = settings.get(ME, {})
    call_me = call_me or me.get("name")
    if call_me:
        address = {**sheet.speech.address, USER: call_me}
        sheet = sheet.model_copy(update={"speech": sheet.speech.model_copy(update={"address": address})})
    persona_of(sheet, language_of(sheet))
    data = sheet.model_dump(mode="json", exclude_unset=True)
    return GardenRecord(
        id=id,
        scenario={},
        sheets={who: fill_macros(data, call_me or "", language_of(sheet), Random(id), me.get("description", ""))},
        seed=0,
        settings={"kind": CHAT, "persona": sheet_name, **settings},
    )


def sheet_at(name: str, own: Path = NOWHERE) -> tuple[str, Character]:
    """A sheet by path, or by name among the user's own and those shipped, and what its character is called in the
    journal."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise UnknownName("unknown.sheet", name=name, known=", ".join(character.shipped_sheets()))
        return path.stem, character.load(path.stem, path.parent)
    return name, character.load(name, own)


def language_of(sheet: Character) -> str:
    """The language somebody speaks: that of their sheet."""
    return "en" if is_foreign(sheet.persona, "ja") else "ja"


def choose_chat(
    journal: Journal,
    persona: str | None,
    name: str | None,
    call_me: str | None,
    home: str | None = None,
    me: KeptPersona | None = None,
    own: Path = NOWHERE,
    *,
    new: bool,
    language: str,
) -> GardenRecord:
    """The conversation that was asked for: a named one, the last one with that persona, or a new one."""
    if home is not None and persona is not None and name is None:
        return private_chat(journal, home, persona, call_me=call_me)
    known = chats(journal)
    if name is not None and any(one.id == name for one in known):
        if new:
            raise UsageError("chat.exists", name=name)
        return journal.garden(name)
    if name is not None and not new:
        raise UnknownName("unknown.chat", name=name, known=", ".join(one.id for one in known))
    before = [one for one in known if persona in (None, one.settings.get("persona")) and _home(one) == home]
    if before and not new and not call_me and not me:
        return journal.garden(before[-1].id)
    return new_chat(journal, persona or DEFAULT_SHEETS[language], name, call_me, home, me, own)


def _home(chat: GardenSummary) -> str | None:
    home: str | None = chat.settings.get(PRIVATE, {}).get("garden")
    return home


def residence_of(chat: GardenRecord) -> GardenResidence | None:
    """The person of a garden whom a chat is with, if it is with one."""
    return GardenResidence.model_validate(chat.settings[PRIVATE]) if PRIVATE in chat.settings else None


def line_of(chat: GardenRecord, branch: str) -> ChatLine:
    """Where a chat is written: on its own line, or on that of the garden whose person it is with."""
    if home := residence_of(chat):
        return ChatLine(home.garden, branch, home.who, private=True)
    return ChatLine(chat.id, branch, next(iter(chat.sheets)))


def ghost_of(journal: Journal, settings: Settings, garden: GardenRecord, branch: str, who: str | None = None) -> Ghost:
    """The Ghost of a character on a branch, which remembers everything up to now; of a chat, the one it is with."""
    if home := residence_of(garden):
        return ghost_of(journal, settings, journal.garden(home.garden), branch, home.who)
    _require(journal, garden.id, branch)
    name = who or next(iter(garden.sheets))
    if name not in garden.sheets:
        raise UnknownName("unknown.character", name=name, known=", ".join(garden.sheets))
    if garden.scenario:
        return _garden_ghost(journal, settings, garden, branch, name)
    return chat_ghost(journal, settings, garden, branch, name)


def chat_ghost(journal: Journal, settings: Settings, garden: GardenRecord, branch: str, name: str) -> Ghost:
    """The Ghost that lives on a chat's own line."""
    sheet = Character.model_validate(garden.sheets[name])
    persona = persona_of(sheet, language_of(sheet))
    memories = Memories(journal)
    head = catch_up(memories, journal, garden.id, branch)
    index = index_of(settings, memories, memories.ghost(garden.id, name), persona.language)
    return Ghost(memories, garden.id, branch, name, persona, index.embedder if index else None, index, head)


def _garden_ghost(journal: Journal, settings: Settings, garden: GardenRecord, branch: str, who: str) -> Ghost:
    """The Ghost of somebody in a garden, once all that was played has been worked into memory."""
    with closing(resumed_session(journal, garden.id, branch)) as session:
        ghosts = ghosts_of(session, settings)
        asyncio.run(ghosts.follow())
        return ghosts[who]


def ghosts_of(session: Session, settings: Settings) -> GardenGhosts:
    """Everyone's Ghost in a garden at play."""
    memories = Memories(session.journal)
    return GardenGhosts(memories, session, partial(index_of, settings, memories))


def _require(journal: Journal, garden: str, branch: str) -> None:
    known = [one.name for one in journal.branches(garden)]
    if branch not in known:
        raise UnknownName("unknown.branch", name=branch, known=", ".join(known))


def index_of(settings: Settings, memories: Memories, ghost: int, language: str) -> VectorIndex | None:
    """The vectors of a Ghost; where the embedder has changed, the old ones answer until the new ones are complete."""
    embedder = embedder_of(settings, settings.embedder, language)
    if embedder is None:
        return None
    before = next((name for space in memories.embedded(ghost) if (name := name_of(space)) != embedder.name), None)
    going = _former_embedder(settings, before, language) if before else None
    return VectorIndex(
        memories, ghost, EmbedderHandover(embedder, going) if going else embedder, settings.home / VECTORS
    )


def embedder_of(settings: Settings, name: str, language: str) -> Embedder | None:
    """Who turns memories into vectors: nobody, the word vectors of a wheel, or a model of the server's.

    The word vectors are Japanese: of another language they know nothing, and lead astray."""
    match name:
        case "none":
            return None
        case "auto":
            return GinzaEmbedder() if language == GINZA_LANGUAGE and ginza_found() else None
        case "ginza":
            return GinzaEmbedder()
    found = search(places_of(settings), name)
    if found.server is None or found.model is None:
        raise missing_model(found, name)
    return ServerEmbedder(found.server.url, found.server.key, found.model.name)


def _former_embedder(settings: Settings, name: str, language: str) -> Embedder | None:
    """The embedder that made earlier vectors, if it can still be asked."""
    words = embedder_of(settings, "auto", language)
    if words is not None and words.name == name:
        return words
    with suppress(ModelError):
        return embedder_of(settings, name, language)
    return None


def chat_of(
    journal: Journal, settings: Settings, found: ServerSearch, garden: GardenRecord, branch: str = MAIN
) -> Chat:
    """A conversation, ready to go on."""
    model = ledger_of(settings, found)
    if home := residence_of(garden):
        session = resumed_session(journal, home.garden, branch)
        return private_chat_in(session, ghosts_of(session, settings), garden, home.who, model, settings.recall)
    return chat_with(journal, garden, ghost_of(journal, settings, garden, branch), model, settings.recall)


def chat_with(
    journal: Journal, garden: GardenRecord, ghost: Ghost, model: ChatModel | None, chooser: Chooser = "rule"
) -> Chat:
    """A conversation with a Ghost, for whom a model speaks or, without one, its phrasebook."""
    clock = Clock(ghost.memories, garden.id, ghost.branch)
    return Chat(journal, garden, ghost, _respondent(model), model, clock.now, chooser)


def private_chat_in(
    session: Session, ghosts: GardenGhosts, chat: GardenRecord, who: str, model: ChatModel | None,
    chooser: Chooser = "rule",
) -> PrivateChat:  # fmt: skip
    """A conversation with a person of a garden that is open."""
    if who not in ghosts:
        raise PersonaMissing("ghost.no-persona", name=who)
    return PrivateChat(session, ghosts, who, chat, _respondent(model), model, chooser)


def _respondent(model: ChatModel | None) -> Respondent:
    return ModelRespondent(model) if model else BuiltinRespondent()


def persona_by_name(
    journal: Journal, settings: Settings, name: str, sheet: Character | None = None
) -> tuple[Persona, InnerState]:
    """A persona by the name of a sheet, with the inner life it has from the last chat with it, if there was one."""
    before = [one for one in chats(journal) if one.settings.get("persona") == name]
    if before:
        ghost = ghost_of(journal, settings, journal.garden(before[-1].id), MAIN)
        return ghost.persona, ghost.inner
    found = sheet or sheet_at(name, UserFiles(settings.home).folder)[1]
    return persona_of(found, language_of(found)), InnerState()
