"""Chats from settings: which one is meant, and whose vectors answer."""

from collections.abc import Callable

import pytest

from hakoniwa.actor.character import Character
from hakoniwa.app import chats
from hakoniwa.app.chats import DEFAULT_SHEETS, choose_chat, index_of, language_of, new_chat
from hakoniwa.errors import ModelUnavailable, UnknownName, UsageError
from hakoniwa.journal import Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.embedding import Embedder
from hakoniwa.memory.embedding.filling import EmbedderHandover, fill
from hakoniwa.memory.store import Memories
from hakoniwa.messages import LANGUAGES
from hakoniwa.settings import Settings
from hakoniwa.turn import Event
from tests.memory.embedding.standing_in import Characters
from tests.memory.store import Told


def talked(journal: Journal, chat: str) -> None:
    head = journal.branches(chat)[0].head
    journal.append(chat, "main", [Event(kind="chat", turn=1, origin="user", payload={"user_text": "やあ"})], head)


def test_without_a_name_it_goes_on_with_whoever_was_talked_with_last() -> None:
    journal = MemoryJournal()
    first, second = new_chat(journal, "yana").id, new_chat(journal, "ayu").id
    talked(journal, second)
    talked(journal, first)
    assert choose_chat(journal, None, None, None, new=False, language="ja").id == first
    assert choose_chat(journal, "ayu", None, None, new=False, language="ja").id == second
    assert choose_chat(journal, "ayu", None, None, new=True, language="ja").id not in (first, second)
    assert choose_chat(journal, None, second, None, new=False, language="ja").id == second


def test_a_name_that_is_unknown_or_taken_is_refused() -> None:
    journal = MemoryJournal()
    name = new_chat(journal, "yana").id
    with pytest.raises(UnknownName, match=r"unknown\.chat"):
        choose_chat(journal, None, "nobody", None, new=False, language="ja")
    with pytest.raises(UsageError, match=r"chat\.exists"):
        choose_chat(journal, None, name, None, new=True, language="ja")


@pytest.mark.parametrize("language", LANGUAGES)
def test_whoever_names_nobody_meets_somebody_who_speaks_their_language(language: str) -> None:
    garden = choose_chat(MemoryJournal(), None, None, None, new=False, language=language)
    assert language_of(Character.model_validate(garden.sheets[DEFAULT_SHEETS[language]])) == language


def test_what_one_wants_to_be_called_is_in_the_sheet() -> None:
    garden = choose_chat(MemoryJournal(), "yana", None, "先輩", new=False, language="ja")
    assert garden.sheets["yana"]["speech"]["address"]["user"] == "先輩"


@pytest.fixture
def told() -> Told:
    """A memory with vectors of an embedder called old."""
    told = Told(MemoryJournal())
    told.tell("猫の話", "犬の話")
    fill(told.memories, told.scope().ghost, Characters("old"))
    return told


def embedders(**there: Embedder) -> Callable[[Settings, str, str], Embedder | None]:
    def embedder_of(_: Settings, name: str, __: str) -> Embedder | None:
        if name == "auto":
            return None
        if name not in there:
            raise ModelUnavailable("find.no-server")
        return there[name]

    return embedder_of


def test_the_old_embedder_answers_while_the_new_one_reads(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = Characters("old"), Characters("new")
    monkeypatch.setattr(chats, "embedder_of", embedders(old=old, new=new))
    index = index_of(Settings(embedder="new"), told.memories, told.scope().ghost, "ja")
    assert index is not None
    assert isinstance(index.embedder, EmbedderHandover)
    assert (index.embedder.name, index.embedder.coming) == ("old", new)


@pytest.mark.parametrize("name", ["old", "new"])
def test_where_nothing_changed_or_the_old_one_is_gone_there_is_one_embedder(
    told: Told, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Characters(name)
    monkeypatch.setattr(chats, "embedder_of", embedders(**{name: own}))
    index = index_of(Settings(embedder=name), told.memories, told.scope().ghost, "ja")
    assert index is not None
    assert index.embedder is own


def test_no_embedder_means_no_index(told: Told) -> None:
    assert index_of(Settings(embedder="none"), Memories(told.journal), told.scope().ghost, "ja") is None


@pytest.mark.parametrize(("language", "name"), [("ja", "ja_ginza-5.3.0"), ("en", None)])
def test_word_vectors_are_those_of_the_language_of_the_persona(language: str, name: str | None) -> None:
    embedder = chats.embedder_of(Settings(), "auto", language)
    assert (embedder.name if embedder else None) == name
