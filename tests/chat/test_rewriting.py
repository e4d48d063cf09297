"""Chat: what was said is said otherwise. The line follows, and so does memory; the journal keeps every take."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from hakoniwa.app.memory_inspection import forget
from hakoniwa.chat.chat import Chat
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal import MAIN
from hakoniwa.journal.open import open_journal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.persona.generated import Generated, unseal
from tests.chat.test_chat import chat, said, scripted


def retaken(talk: Chat) -> str:
    return asyncio.run(whole(talk.retake()))


def gone_on(talk: Chat) -> str:
    return asyncio.run(whole(talk.go_on()))


async def whole(answer: AsyncGenerator[Generated]) -> str:
    return "".join([unseal(piece) async for piece in answer])


def exchanges(talk: Chat) -> list[tuple[str | None, str | None]]:
    """What is remembered of the line, oldest first."""
    found = [(one.user_text, one.assistant_text) for one in talk.history()]
    return [(heard, None if answer is None else unseal(answer)) for heard, answer in found]


def takes(talk: Chat) -> list[tuple[str | None, bool]]:
    return [(None if one.text is None else unseal(one.text), one.current) for one in talk.takes()]


def test_another_answer_takes_the_place_of_the_last_one_which_stays_as_a_take() -> None:
    talk = chat(Ledger(scripted(["へえ。", "いい猫だね。", "名前は？"])))
    said(talk, "ただいま", "猫を飼ったよ")
    assert retaken(talk) == "名前は？"
    assert exchanges(talk) == [("ただいま", "へえ。"), ("猫を飼ったよ", "名前は？")]
    assert takes(talk) == [("いい猫だね。", False), ("名前は？", True)]
    assert talk.turn == 2
    assert len(talk.journal.since(0)) == 3


def test_what_another_take_said_stands_in_no_prompt_and_is_not_called_to_mind() -> None:
    model = scripted(["ひみつの返事。", "別の返事。"])
    talk = chat(model)
    said(talk, "猫の話")
    retaken(talk)
    assert "ひみつの返事。" not in "".join(one.content for one in model.calls[-1][1])
    assert talk.recalled is not None
    assert talk.recalled.candidates == ()


def test_one_can_swipe_to_and_fro_between_takes_and_go_on_from_any() -> None:
    talk = chat(scripted(["一。", "二。", "三。", "それから？"]))
    said(talk, "猫の話")
    retaken(talk)
    retaken(talk)
    seen = []
    for number in (1, 3, 2):
        talk.choose(number)
        seen.append((exchanges(talk)[-1][1], [current for _, current in takes(talk)]))
    assert seen == [
        ("一。", [True, False, False]), ("三。", [False, False, True]), ("二。", [False, True, False]),
    ]  # fmt: skip
    said(talk, "つづき")
    assert exchanges(talk) == [("猫の話", "二。"), ("つづき", "それから？")]
    assert takes(talk) == [("それから？", True)]


@pytest.mark.parametrize("number", [0, 3])
def test_a_take_that_is_not_there_is_refused(number: int) -> None:
    talk = chat(scripted(["一。", "二。"]))
    said(talk, "猫の話")
    retaken(talk)
    with pytest.raises(UsageError, match=r"chat\.no-take"):
        talk.choose(number)


def test_before_anything_was_said_there_is_nothing_to_answer_anew() -> None:
    talk = chat(scripted([]))
    assert talk.takes() == []
    with pytest.raises(UsageError, match=r"chat\.cannot-retake"):
        retaken(talk)


def test_any_line_can_be_edited_and_what_came_after_stands() -> None:
    talk = chat(scripted(["へえ。", "ふうん。", "そう。"]))
    said(talk, "猫の名前はタマ", "犬もいる", "鳥もいる")
    first, second, _ = (one.seq for one in talk.history())
    talk.edit(first, user_text="猫の名前はミケ")
    assert exchanges(talk) == [("猫の名前はミケ", "へえ。"), ("犬もいる", "ふうん。"), ("鳥もいる", "そう。")]
    with pytest.raises(UnknownName):
        talk.edit(second, assistant_text="古い行はもうこの線にない")
    talk.edit(talk.history()[1].seq, assistant_text="わん。")
    assert exchanges(talk)[1] == ("犬もいる", "わん。")
    assert talk.turn == 3
    replies = [row.event.payload["reply_to"] for row in talk.journal.lineage("c", MAIN)]
    assert replies == [None, *[one.seq for one in talk.history()][:-1]]


def test_what_was_edited_away_is_not_remembered_and_stays_in_the_journal() -> None:
    talk = chat()
    said(talk, "猫の名前はタマ", "犬もいる")
    talk.edit(talk.history()[0].seq, user_text="猫の名前はミケ")
    said(talk, "タマのこと")
    assert talk.recalled is not None
    assert not any("タマ" in unseal(one.text) for one in talk.recalled.candidates)
    assert any("タマ" in str(row.event.payload) for row in talk.journal.since(0))
    assert talk.journal.check("c") == []


def test_any_exchange_can_be_deleted_and_what_came_after_stands() -> None:
    talk = chat(scripted(["へえ。", "ふうん。", "そう。"]))
    said(talk, "猫の話", "犬の話", "鳥の話")
    talk.delete(talk.history()[1].seq)
    assert exchanges(talk) == [("猫の話", "へえ。"), ("鳥の話", "そう。")]
    assert talk.turn == 2
    talk.delete(talk.history()[1].seq)
    assert exchanges(talk) == [("猫の話", "へえ。")]
    assert len(takes(talk)) == 1


def test_forgetting_an_exchange_forgets_its_takes_and_what_was_written_again(tmp_path: Path) -> None:
    journal = open_journal(f"sqlite:///{tmp_path}/journal.db")
    talk = chat(scripted(["ひみつだね。", "ひみつだよ。", "うん。"]), journal)
    said(talk, "合言葉はカボチャ")
    retaken(talk)
    said(talk, "ほかの話")
    talk.edit(talk.history()[0].seq, assistant_text="カボチャね。")
    forget(talk.ghost, [talk.history()[0].seq])
    assert not any(word in str(row.event.payload) for row in journal.since(0) for word in ("カボチャ", "ひみつ"))
    assert b"\xe3\x82\xab\xe3\x83\x9c\xe3\x83\x81\xe3\x83\xa3" not in (tmp_path / "journal.db").read_bytes()
    journal.close()


def test_an_answer_goes_on_where_it_ends_and_stays_as_it_was_as_a_take() -> None:
    model = scripted(["猫が好き。", "三毛がいい。"])
    talk = chat(model)
    said(talk, "何が好き？")
    assert gone_on(talk) == "猫が好き。三毛がいい。"
    assert exchanges(talk) == [("何が好き？", "猫が好き。三毛がいい。")]
    assert takes(talk) == [("猫が好き。", False), ("猫が好き。三毛がいい。", True)]
    assert "猫が好き。" in model.calls[-1][1][-1].content
