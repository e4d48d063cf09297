"""The diary as a persona has lived through it: written, taken in and embedded as a chat is."""

from collections.abc import Mapping

from hakoniwa.chat.lineage import CHAT, witness_memories
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.memory.embedding import Embedder
from hakoniwa.memory.embedding.filling import reembed
from hakoniwa.memory.embedding.index import VectorIndex
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.store import Memories
from hakoniwa.persona.persona import Persona
from hakoniwa.persona.records import MemorySource
from hakoniwa.turn import Event
from tests.memory.diary.book import Page, pages

GARDEN, WHO = "diary", "ナギ"
COMPANIONS = {
    "ja": Persona(name=WHO, persona_text="奈緒の話し相手。穏やかで、少しいたずら好き。", second_person_label="奈緒"),
    "en": Persona(
        name="Wren", persona_text="Maddie's companion. Dry and kind.", second_person_label="Maddie", language="en"
    ),
}


class Diarist:
    """A ghost that remembers a diary, with vectors or without; `page` tells which page a row of the journal is."""

    def __init__(self, embedder: Embedder | None, language: str = "ja") -> None:
        self.embedder, self.language = embedder, language
        journal, diary = MemoryJournal(), pages(language)
        self.page = _written(journal, diary)
        memories = Memories(journal)
        rows = journal.lineage(GARDEN, MAIN)
        memories.take_in(GARDEN, [(row, witness_memories(row)) for row in rows])
        number = memories.ghost(GARDEN, WHO)
        index = VectorIndex(memories, number, embedder) if embedder else None
        if embedder:
            reembed(memories, number, embedder)
        self.ghost = Ghost(memories, GARDEN, MAIN, WHO, COMPANIONS[language], embedder, index, rows[-1].seq)


def _written(journal: Journal, diary: list[Page]) -> Mapping[int, int]:
    journal.create(GardenRecord(id=GARDEN, scenario={}, sheets={}, seed=0, settings={"kind": CHAT}))
    events = [
        Event(kind=CHAT, turn=turn, origin="user", witnesses=(WHO,), payload=_payload(page))
        for turn, page in enumerate(diary, start=1)
    ]
    rows = journal.append(GARDEN, MAIN, events, None)
    return {row.seq: page.id for row, page in zip(rows, diary, strict=True)}


def _payload(page: Page) -> dict[str, str]:
    return {
        "source": MemorySource.CHAT.value,
        "at": page.at.isoformat(),
        "user_text": page.user,
        "assistant_text": page.assistant,
    }
