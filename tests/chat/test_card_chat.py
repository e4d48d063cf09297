"""A chat with somebody of a card: they greet, in words that name the user, and what only people may read stays away."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hakoniwa.actor.cards.read import card_in
from hakoniwa.actor.cards.sheet import sheet_of
from hakoniwa.actor.cards.write import card_of
from hakoniwa.actor.character import Character, Instructions
from hakoniwa.actor.lore import LoreEntry, LoreScan
from hakoniwa.app.chats import chat_as, chat_with, ghost_of
from hakoniwa.chat.chat import Chat
from hakoniwa.journal import MAIN, Journal
from hakoniwa.journal.open import open_journal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.memory.work import work_off
from hakoniwa.persona.generated import unseal
from hakoniwa.settings import Settings

CANARY = "notes-for-people-only"
SHEET = Character(
    display_name="アリア・ベル",
    short_name="アリア",
    persona="{{char}}は歌姫。{{user}}の幼なじみ。",
    examples=("「聞いていく、{{user}}？」",),
    greetings=("「久しぶり、{{user}}！」", "「また会えたね」", "「やっと来た」"),
    notes=CANARY,
)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(f"sqlite:///{tmp_path}/journal.db")) as found:
        yield found


def talk(
    journal: Journal, model: ScriptedModel | None = None, call_me: str | None = "ナオ", sheet: Character = SHEET
) -> Chat:
    garden = chat_as(journal, "aria", "aria", sheet, None, call_me)
    return chat_with(journal, garden, ghost_of(journal, Settings(embedder="none"), garden, MAIN), model)


def answered(chat: Chat, text: str) -> str:
    async def listen() -> str:
        return "".join([unseal(piece) async for piece in chat.say(text)])

    return asyncio.run(listen())


def spoken(chat: Chat) -> list[str]:
    return [unseal(one.assistant_text) for one in chat.history() if one.assistant_text is not None]


def test_a_chat_opens_with_the_greeting_which_calls_the_user_by_name(journal: Journal) -> None:
    chat = talk(journal)
    assert spoken(chat) == ["「久しぶり、ナオ！」"]
    assert spoken(talk(journal, call_me=None)) == ["「久しぶり、ユーザー！」"]


def test_the_other_greetings_are_takes_of_it_until_the_user_has_answered(journal: Journal) -> None:
    chat = talk(journal)
    assert [unseal(one.text) for one in chat.takes() if one.text is not None] == [
        "「久しぶり、ナオ！」", "「また会えたね」", "「やっと来た」",
    ]  # fmt: skip
    chat.choose(2)
    assert spoken(chat) == ["「また会えたね」"]
    answered(chat, "ただいま")
    assert spoken(chat)[0] == "「また会えたね」"
    assert chat.turn == 2


def test_every_prompt_of_a_chat_names_the_user_and_none_has_what_is_for_people(journal: Journal) -> None:
    model = ScriptedModel({"ghost.reply": ["うん。", "そうだね。"], "ghost.write_plan": ["{}"] * 3})
    chat = talk(journal, model)
    answered(chat, "ただいま")
    answered(chat, "歌って")
    asyncio.run(work_off(chat.ghost, model, chat.now()))
    prompts = {purpose: "\n".join(one.content for one in asked) for purpose, asked in model.calls}
    assert set(prompts) >= {"ghost.reply", "ghost.write_plan"}
    assert all("ナオの幼なじみ" in one for one in prompts.values())
    assert all(CANARY not in one and "{{" not in one for one in prompts.values())


def test_a_cards_instructions_stand_where_the_specification_puts_them(journal: Journal) -> None:
    asked = Instructions(system="{{original}} First.", at_depth="At depth.", depth=1, after_history="Last.")
    model = ScriptedModel({"ghost.reply": ["うん。", "そうだね。"]})
    chat = talk(journal, model, sheet=SHEET.model_copy(update={"instructions": asked}))
    answered(chat, "ただいま")
    answered(chat, "歌って")
    prompt = [one.content for one in model.calls[-1][1]]
    assert prompt[0].startswith("First.\n\n")
    assert prompt[-1].startswith("At depth.\n\n")  # one message before what was said just now, which it joins
    assert prompt[-1].index("歌って") < prompt[-1].index("Last.")
    assert "ただいま" not in prompt[-1]


def test_instructions_go_out_on_a_card_as_they_came_in() -> None:
    raw = {
        "name": "Ada", "system_prompt": "Be {{char}}.", "post_history_instructions": "Short.",
        "extensions": {"depth_prompt": {"prompt": "Rain.", "depth": 2, "role": "system"}, "x": 1},
    }  # fmt: skip
    card = card_in(json.dumps(raw).encode())
    sheet = sheet_of(card).sheet
    assert sheet.instructions == Instructions(system="Be {{char}}.", at_depth="Rain.", depth=2, after_history="Short.")
    edited = sheet.model_copy(update={"instructions": sheet.instructions.model_copy(update={"at_depth": "Snow."})})
    assert card_of(sheet, card).raw == raw
    assert card_of(edited, card).fields["extensions"]["depth_prompt"]["prompt"] == "Snow."


def test_what_is_spoken_of_calls_up_lore_and_lore_calls_up_lore(journal: Journal) -> None:
    lore = (
        LoreEntry(keys=("月琴",), content="月琴は鯨骨でできている。"),
        LoreEntry(keys=("鯨骨",), content="鯨骨は北の浜に上がる。"),
        LoreEntry(keys=("剣",), content="剣は折れた。"),
    )
    sheet = SHEET.model_copy(update={"lore": lore, "lore_scan": LoreScan(recursive=True)})
    model = ScriptedModel({"ghost.reply": ["うん。", "そうだね。"], "ghost.write_plan": ["{}"] * 3})
    chat = talk(journal, model, sheet=sheet)
    answered(chat, "ただいま")
    answered(chat, "月琴を弾いて")
    before, after = (messages[-1].content for purpose, messages in model.calls if purpose == "ghost.reply")
    assert "鯨骨" not in before
    assert "月琴は鯨骨でできている。" in after
    assert "鯨骨は北の浜に上がる。" in after
    assert "剣は折れた。" not in after
