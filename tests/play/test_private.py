"""Private words: a chat with a person of a garden is part of the garden's story, and theirs alone."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from hakoniwa.app import new_session, resumed_session
from hakoniwa.app.chats import chats, private_chat, private_chat_in
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.memory.store import Memories
from hakoniwa.persona.generated import unseal
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.loop import next_turn
from hakoniwa.play.private import PrivateChat
from hakoniwa.play.session import Session
from hakoniwa.play.standing import GardenState
from hakoniwa.play.turn import user_turn
from hakoniwa.turn import Turn

NOTHING = '{"selected": []}'


def scripted(*replies: str) -> ScriptedModel:
    return ScriptedModel({"ghost.reply": replies, "ghost.select": [NOTHING] * 20})


@pytest.fixture
def session() -> Session:
    made = new_session(MemoryJournal(), "kitchen_morning", seed=3, garden_id="g")
    asyncio.run(made.open())
    return made


def chat_with(session: Session, who: str, *replies: str) -> PrivateChat:
    model = scripted(*replies) if replies else None
    ghosts = GardenGhosts(Memories(session.journal), session)
    chat = private_chat_in(session, ghosts, private_chat(session.journal, "g", who), who, model)
    chat.catch_up()
    return chat


def say(chat: PrivateChat, *lines: str) -> list[str]:
    async def answered(line: str) -> str:
        return "".join([unseal(piece) async for piece in chat.say(line)])

    return [asyncio.run(answered(line)) for line in lines]


def act(session: Session, who: str, text: str) -> Turn:
    return asyncio.run(user_turn(session, who, text))


def prompt(chat: PrivateChat) -> str:
    assert isinstance(chat.model, ScriptedModel)
    return next("\n".join(one.content for one in messages) for purpose, messages in reversed(chat.model.calls)
                if purpose == "ghost.reply")  # fmt: skip


def remembered(chat: PrivateChat, who: str) -> str:
    ghost = chat.ghosts[who]
    return "\n".join(unseal(one.text) for one in ghost.memories.recent(ghost.scope, 100))


def test_the_person_knows_where_they_are_and_what_happened_there(session: Session) -> None:
    act(session, "あゆ", "（両手を広げる）「お湯が沸きました」")
    chat = chat_with(session, "あゆ", "お湯を沸かしていました。")
    assert say(chat, "さっき何をしてたの？") == ["お湯を沸かしていました。"]
    asked = prompt(chat)
    assert "お湯が沸きました" in asked
    assert 'location="キッチン"' in asked
    assert "1日目" in asked
    assert "2026" not in asked
    assert "2000" not in asked


def test_what_the_model_chooses_after_private_words_serves_the_next_ones(session: Session) -> None:
    act(session, "あゆ", "（両手を広げる）「お湯が沸きました」")
    chat = chat_with(session, "あゆ", "お湯を沸かしていました。", "はい。")
    assert isinstance(chat.model, ScriptedModel)
    chat.model.replies["ghost.select"] = ['{"selected": [1]}']
    say(chat, "お湯は？")
    chosen = asyncio.run(chat.recall_ahead())
    assert chosen is not None
    assert (chosen.by, len(chosen.chosen)) == ("model", 1)
    say(chat, "うん")
    assert chat.recalled is not None
    assert [one.id for one in chat.recalled.candidates if "own_choice" in one.ranks] == [chosen.chosen[0].id]


def test_words_in_private_are_remembered_by_one_and_by_nobody_else(session: Session) -> None:
    chat = chat_with(session, "あゆ", "秘密ですね。")
    say(chat, "金庫の番号は4711だよ")
    assert "4711" in remembered(chat, "あゆ")
    assert "4711" not in remembered(chat, "やな")
    assert any("4711" in one.text for one in session.transcript("あゆ").newest(3))
    assert not any("4711" in one.text for one in session.transcript("やな").newest(99))
    act(session, "あゆ", "「そういえば金庫の番号の話がありました」")
    asyncio.run(chat.ghosts.follow())
    found = asyncio.run(chat.ghosts.recalled("あゆ"))
    assert any("4711" in text for _, text in found)
    assert not any("4711" in text for _, text in asyncio.run(chat.ghosts.recalled("やな")))


def test_what_is_asked_for_in_private_is_done_in_the_garden(session: Session) -> None:
    chat = chat_with(session, "あゆ")
    say(chat, "ラジオのスイッチを入れて")
    doers = [turn.speaker for _ in range(6) if (turn := asyncio.run(next_turn(session)))
             for verb, target in turn.deeds if (verb, target) == ("TURN_ON", "ラジオ")]  # fmt: skip
    assert doers == ["あゆ"]
    asyncio.run(chat.ghosts.follow())
    assert "ラジオのスイッチを入れて" in remembered(chat, "あゆ")
    assert "ラジオ" in remembered(chat, "やな"), "the deed is seen by all in the room"


def test_what_an_answer_says_is_done_the_referee_judges(session: Session) -> None:
    replies = ["（ラジオのスイッチを入れる）はい、どうぞ。", "（ピアノを弾く）いかがですか。", "（微笑む）ええ。"]
    chat = chat_with(session, "あゆ", *replies)
    before = session.world.time.turn
    assert say(chat, "ラジオのスイッチを入れて") == ["（ラジオのスイッチを入れる）はい、どうぞ。"]
    assert session.world.props["ラジオ"].state == ("on",)
    assert (session.world.time.turn, session.speaker()) == (before + 1, "やな")
    assert not any("ラジオ" in one.name for one in session.standing.urges["あゆ"]), "it is done already"
    (denied,) = say(chat, "何か弾いて")
    assert denied.startswith("（ピアノを弾く）いかがですか。\n（そうはならなかった：")
    assert session.world.time.turn == before + 1
    say(chat, "ありがとう")
    assert session.world.time.turn == before + 1, "a smile moves no clock"


def test_taking_words_back_takes_back_what_was_done_meanwhile(session: Session) -> None:
    chat = chat_with(session, "あゆ", "（ラジオのスイッチを入れる）はい。", "いえ、静かなほうが。")
    world = session.world
    say(chat, "ラジオのスイッチを入れて")
    chat.undo()
    assert session.world == world
    assert "ラジオのスイッチを入れて" not in remembered(chat, "あゆ")
    with pytest.raises(UsageError, match=r"chat\.cannot-undo"):
        chat.undo()


def test_an_answer_is_made_anew_with_what_it_did(session: Session) -> None:
    chat = chat_with(session, "あゆ", "（ラジオのスイッチを入れる）はい。", "いえ、静かなほうが。")
    closed = session.world.props["ラジオ"]
    say(chat, "ラジオのスイッチを入れて")

    async def again() -> str:
        return "".join([unseal(piece) async for piece in chat.retake()])

    assert asyncio.run(again()) == "いえ、静かなほうが。"
    assert session.world.props["ラジオ"] == closed
    assert [one.current for one in chat.takes()] == [False, True]
    chat.choose(1)
    assert session.world.props["ラジオ"].state == ("on",)


def test_what_was_played_since_keeps_words_from_being_taken_back_but_not_from_being_rewritten(session: Session) -> None:
    chat = chat_with(session, "あゆ", "はい。")
    say(chat, "こっそり言うけど、青い傘がいいよ")
    act(session, "やな", "（両手を広げる）")
    with pytest.raises(UsageError, match=r"chat\.played-on"):
        chat.undo()
    assert chat.newest is not None
    turns = session.world.time.turn
    chat.edit(chat.newest.seq, "赤い傘がいいよ")
    assert ("青い傘" in remembered(chat, "あゆ"), "赤い傘" in remembered(chat, "あゆ")) == (False, True)
    assert session.world.time.turn == turns
    assert session.turn(turns) is not None
    asyncio.run(session.undo())
    chat.catch_up()
    chat.undo()
    assert chat.newest is None


def test_a_garden_turn_taken_back_takes_the_words_after_it_along(session: Session) -> None:
    chat = chat_with(session, "あゆ", "はい。")
    act(session, "やな", "（両手を広げる）")
    say(chat, "さっきの見た？")
    asyncio.run(session.undo())
    chat.catch_up()
    assert "さっきの見た？" not in remembered(chat, "あゆ")


def test_a_fork_has_its_own_words(session: Session) -> None:
    chat = chat_with(session, "あゆ", "はい。", "ええ。")
    say(chat, "分かれる前")
    other = resumed_session(session.journal, "g")
    asyncio.run(other.fork("other"))
    elsewhere = chat_with(other, "あゆ", "別の話ですね。")
    say(elsewhere, "分かれたあと")
    chat.catch_up()
    assert "分かれたあと" not in remembered(chat, "あゆ")
    assert "分かれる前" in remembered(elsewhere, "あゆ")


def test_there_is_one_conversation_with_a_person(session: Session) -> None:
    first = private_chat(session.journal, "g", "やな")
    assert private_chat(session.journal, "g", "やな") == first
    assert [one.id for one in chats(session.journal)] == [first.id]
    with pytest.raises(UsageError, match=r"chat\.exists"):
        private_chat(session.journal, "g", "やな", "another")
    with pytest.raises(UnknownName):
        private_chat(session.journal, "g", "だれか")


def test_words_are_written_though_somebody_else_wrote_meanwhile(session: Session) -> None:
    chat = chat_with(session, "あゆ", "（ラジオのスイッチを入れる）はい。")

    async def spoken() -> None:
        answer = chat.say("ラジオのスイッチを入れて")
        await anext(answer)
        other = resumed_session(session.journal, "g")
        await user_turn(other, "やな", "（両手を広げる）")
        async for _ in answer:
            pass

    asyncio.run(spoken())
    assert [row.event.kind for row in session.rows if row.event.kind in ("turn", "chat")] == ["turn", "turn", "chat"]
    assert session.world.props["ラジオ"].state == ("on",)


def test_the_garden_is_the_same_when_it_is_read_again(session: Session) -> None:
    chat = chat_with(session, "あゆ", "（ラジオのスイッチを入れる）はい。", "ええ。")
    say(chat, "ラジオのスイッチを入れて", "やなに手を振って")
    asyncio.run(next_turn(session))
    again = resumed_session(session.journal, "g")
    assert again.world == session.world
    assert _plain(again.standing) == _plain(session.standing)


def _plain(standing: GardenState) -> Sequence[Any]:
    return json.dumps([standing.urges, standing.minds], default=lambda one: one.model_dump(mode="json"))
