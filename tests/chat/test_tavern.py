"""Chats of SillyTavern: what was said there is said here, remembered, and comes out again as it went in."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.app.chats import ghost_of
from hakoniwa.app.imports import export_chat, import_chat, remember
from hakoniwa.app.user_files import UserFiles
from hakoniwa.chat.lineage import ChatLine
from hakoniwa.chat.rewriting import kept_takes
from hakoniwa.chat.tavern import moment_of, read_chat
from hakoniwa.errors import ChatFileError, UsageError
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.persona.generated import unseal
from hakoniwa.settings import Settings

SHEET = "display_name: アリア\npersona: 歌姫。\npersonality: {openness: 0.5}\n"
HEAD = {
    "user_name": "ナオ",
    "character_name": "アリア",
    "create_date": "2024-5-1 @9h 00m 00s 000ms",
    "chat_metadata": {},
}


def line(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "is_user": name == "ナオ", "is_system": False, "mes": text, **more}


SAID = [
    line("アリア", "久しぶり、{{user}}。", send_date="May 1, 2024 9:00am"),
    line("ナオ", "猫を飼いはじめたよ", send_date="May 1, 2024 9:01am", extra={"x": [1, None]}),
    line("アリア", "名前は？", send_date="May 1, 2024 9:02am", swipes=["何色？", "名前は？"], swipe_id=1),
]


def written(*messages: dict[str, Any], head: dict[str, Any] | None = HEAD) -> bytes:
    lines = [one for one in (head, *messages) if one is not None]
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in lines).encode()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(f"sqlite:///{tmp_path}/journal.db")) as found:
        yield found


@pytest.fixture
def shelf(tmp_path: Path) -> UserFiles:
    files = UserFiles(tmp_path)
    files.characters.mkdir(parents=True)
    (files.characters / "aria.yaml").write_text(SHEET, encoding="utf-8")
    return files


def talk(journal: Journal, id: str) -> list[tuple[Any, Any]]:
    rows = journal.lineage(id, MAIN)
    return [(row.event.payload["user_text"], row.event.payload["assistant_text"]) for row in rows]


def test_what_was_said_becomes_exchanges_with_the_time_and_the_order_it_had(journal: Journal, shelf: UserFiles) -> None:
    chat = import_chat(journal, shelf, written(*SAID), "chat.jsonl")
    assert talk(journal, chat.id) == [(None, "久しぶり、ナオ。"), ("猫を飼いはじめたよ", "名前は？")]
    first, second = journal.lineage(chat.id, MAIN)
    assert second.event.payload["reply_to"] == first.seq
    assert datetime.fromisoformat(second.event.payload["at"]) == datetime(2024, 5, 1, 9, 2).astimezone()


def test_swipes_of_the_newest_message_are_takes_in_their_order(journal: Journal, shelf: UserFiles) -> None:
    chat = import_chat(journal, shelf, written(*SAID), "chat.jsonl")
    ghost = ghost_of(journal, Settings(embedder="none"), chat, MAIN)
    takes = kept_takes(journal, ChatLine(chat.id, MAIN, "aria"))
    said = [(unseal(one.text), one.current) for one in takes if one.text is not None]
    assert said == [("何色？", False), ("名前は？", True)]
    assert len(ghost.memories.recent(ghost.scope, 10)) == 2


def test_an_export_gives_back_what_came_and_what_was_said_since(journal: Journal, shelf: UserFiles) -> None:
    chat = import_chat(journal, shelf, written(*SAID), "chat.jsonl")
    out = [json.loads(one) for one in export_chat(journal, chat)]
    assert out[0] | {"create_date": ""} == HEAD | {"create_date": ""}
    assert out[1:] == SAID


def test_a_group_chat_is_one_conversation_in_which_the_others_are_named(journal: Journal, shelf: UserFiles) -> None:
    group = [line("ナオ", "みんないる？"), line("ノクス", "いるぞ"), line("アリア", "はい"), line("ノクス", "行こう")]
    chat = import_chat(journal, shelf, written(*group, head=None), "group.jsonl")
    assert talk(journal, chat.id) == [("みんないる？\nノクス: いるぞ", "はい"), ("ノクス: 行こう", None)]
    assert [json.loads(one)["mes"] for one in list(export_chat(journal, chat))[1:]] == [one["mes"] for one in group]


def test_what_was_hidden_is_not_said_and_not_lost(journal: Journal, shelf: UserFiles) -> None:
    hidden = line("System", "canary", is_system=True)
    chat = import_chat(journal, shelf, written(SAID[0], hidden, SAID[1], SAID[2]), "chat.jsonl")
    assert "canary" not in str(talk(journal, chat.id))
    assert hidden in [json.loads(one) for one in export_chat(journal, chat)]


def test_memory_is_made_piece_by_piece_and_goes_on_where_it_was(journal: Journal, shelf: UserFiles) -> None:
    many = [line(*said) for n in range(150) for said in (("ナオ", f"{n}匹目の猫だよ"), ("アリア", f"{n}匹も！"))]
    chat = import_chat(journal, shelf, written(*many), "chat.jsonl")
    ghost = ghost_of(journal, Settings(embedder="none"), chat, MAIN)
    now = datetime.now(UTC)
    assert remember(ghost, now) == (100, 50)
    again = ghost_of(journal, Settings(embedder="none"), chat, MAIN)  # another process, after the first was ended
    assert remember(again, now) == (50, 0)
    assert remember(again, now) == (0, 0)


def test_the_same_file_is_not_imported_twice(journal: Journal, shelf: UserFiles) -> None:
    import_chat(journal, shelf, written(*SAID), "chat.jsonl")
    with pytest.raises(UsageError) as refused:
        import_chat(journal, shelf, written(*SAID), "chat.jsonl")
    assert refused.value.key == "tavern.known"


@pytest.mark.parametrize(
    ("raw", "key", "at"),
    [
        (written(*SAID) + b"\n{\"mes\": ", "tavern.not-json", 5),
        (written(*SAID) + b"\n[1]", "tavern.not-json", 5),
        (written(SAID[0]) + b"\n\xff\xfe", "tavern.not-utf8", 3),
        (written(SAID[0], {"name": "アリア", "mes": 5}), "tavern.field", 3),
        (written(SAID[0], {"name": "アリア"}), "tavern.field", 3),
        (written(SAID[0], line("アリア", "あ" * 60_000)), "tavern.too-long", 3),
        (written(), "tavern.empty", None),
        (written(line("誰か", "やあ")), "tavern.whose", None),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_line_and_leaves_nothing(
    journal: Journal, shelf: UserFiles, raw: bytes, key: str, at: int | None
) -> None:
    with pytest.raises(ChatFileError) as refused:
        import_chat(journal, shelf, raw, "chat.jsonl")
    assert (refused.value.key, refused.value.details.get("line")) == (key, at)
    assert journal.plates() == []


def test_a_fault_while_it_is_written_leaves_nothing(
    journal: Journal, shelf: UserFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hakoniwa.app.imports.add_takes", full)
    with pytest.raises(OSError, match="No space"):
        import_chat(journal, shelf, written(*SAID), "chat.jsonl")
    assert journal.plates() == []


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("June 19, 2023 2:20pm", datetime(2023, 6, 19, 14, 20)),
        ("2023-6-19 @14h 20m 30s 123ms", datetime(2023, 6, 19, 14, 20, 30)),
        ("2023-6-19@14h20m30s", datetime(2023, 6, 19, 14, 20, 30)),
        ("2023-06-19T14:20:30.500Z", datetime(2023, 6, 19, 14, 20, 30, 500_000, UTC)),
        (1_687_184_430_000, datetime(2023, 6, 19, 14, 20, 30, tzinfo=UTC)),
        ("February 30, 2023 2:20pm", None),
        ("yesterday", None),
        (True, None),
        (10**30, None),
    ],
)
def test_every_form_of_a_date_is_read(told: Any, wanted: datetime | None) -> None:
    assert moment_of(told) == (wanted and wanted.astimezone())


def test_a_byte_order_mark_and_empty_lines_are_no_fault() -> None:
    found = read_chat(b"\xef\xbb\xbf" + written(*SAID).replace(b"\n", b"\r\n\r\n"), "chat.jsonl")
    assert (found.user, found.speakers, len(found.messages)) == ("ナオ", ["アリア"], 3)
