"""Who the user is: personas are kept, named in prompts and sheets, and one can be somebody in a garden."""

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.character import Character
from hakoniwa.app.chats import chat_as, chat_with, ghost_of, ghosts_of
from hakoniwa.app.gardens import new_garden
from hakoniwa.app.user_files import UserFiles
from hakoniwa.app.user_personas import UserPersona, UserPersonas, import_personas, personas_file, with_player
from hakoniwa.chat.lineage import ME
from hakoniwa.errors import CardError, UnknownName, UsageError
from hakoniwa.journal import MAIN
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.persona.generated import unseal
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.settings import Settings
from hakoniwa.stage.scenario import scenario_in
from tests.actor.deck import pictured

NAO = UserPersona(name="ナオ", description="隣に住む絵描き。")


@pytest.fixture
def kept(tmp_path: Path) -> UserPersonas:
    return UserPersonas(tmp_path)


def test_a_persona_is_kept_found_changed_and_removed(kept: UserPersonas) -> None:
    made = kept.save(NAO, picture=pictured([]))
    assert (made.id, made.portrait) == ("ナオ", True)
    assert kept.find("ナオ") == made
    changed = kept.save(UserPersona(name="直"), made.id)
    assert (changed.id, changed.name, changed.portrait) == ("ナオ", "直", True)
    assert kept.save(NAO).id == "ナオ-2"
    kept.delete("ナオ")
    assert [one.id for one in kept.all()] == ["ナオ-2"]
    with pytest.raises(UnknownName):
        kept.portrait("ナオ")


def test_a_picture_that_is_none_changes_nothing(kept: UserPersonas) -> None:
    with pytest.raises(CardError):
        kept.save(NAO, picture=b"GIF89a")
    assert kept.all() == []


@pytest.mark.parametrize("id", ["../nao", "a/b", ".hidden", "con"])
def test_no_id_leads_out_of_the_folder(kept: UserPersonas, id: str) -> None:
    with pytest.raises(UsageError):
        kept.save(NAO, id)


def test_personas_of_sillytavern_come_and_go(kept: UserPersonas) -> None:
    told = {"1.png": {"description": "{{user}} paints.", "position": 0}, "2.png": 5}
    backup = {"personas": {"1.png": "Nao", "2.png": "Kei", "3.png": 7}, "persona_descriptions": told}
    for data in (backup, {"power_user": backup}):
        import_personas(kept, json.dumps(data).encode(), "personas.json")
    assert [(one.name, one.description) for one in kept.all()] == [("Kei", ""), ("Nao", "Nao paints.")]
    again = json.loads(personas_file(kept))
    assert set(again["personas"].values()) == {"Nao", "Kei"}


def test_a_prompt_knows_who_the_user_is() -> None:
    sheet = Character(display_name="アリア", persona="{{user}}の友人。{{persona}}")
    journal, model = MemoryJournal(), ScriptedModel({"ghost.reply": ["うん。"]})
    chat = chat_as(journal, "aria", "aria", sheet, None, None, {ME: NAO.model_dump()})
    talk = chat_with(journal, chat, ghost_of(journal, Settings(embedder="none"), chat, MAIN), model)

    async def say() -> None:
        async for _ in talk.say("やあ"):
            pass

    asyncio.run(say())
    prompt = model.calls[0][1][0].content
    assert "ナオの友人。隣に住む絵描き。" in prompt
    assert "ナオ：隣に住む絵描き。" in prompt


# --- in a garden ------------------------------------------------------------------------------------------------------


def garden_with(me: UserPersona, tmp_path: Path) -> Session:
    journal, kept = MemoryJournal(), UserPersonas(tmp_path)
    garden = new_garden(journal, UserFiles(tmp_path), "kitchen_morning", 1, "g", kept.save(me))
    return Session(journal, garden, BuiltinMind())


def test_the_user_is_in_the_world_and_nobody_else_plays_them(tmp_path: Path) -> None:
    with closing(garden_with(NAO, tmp_path)) as session:
        asyncio.run(session.open())
        for _ in range(6):
            asyncio.run(next_turn(session))
        assert "ナオ" not in {turn.speaker for turn in session.turns()}
        assert session.world.characters["ナオ"].location == session.scenario.world.location.current


def test_the_referee_judges_the_user_and_the_others_remember_them(tmp_path: Path) -> None:
    with closing(garden_with(NAO, tmp_path)) as session:
        asyncio.run(session.open())
        cup = next(name for name, one in session.world.props.items() if not one.fixed and one.location == "キッチン")
        asyncio.run(user_turn(session, "ナオ", f"（{cup}を手に取る）「これ、借りるね」"))
        assert session.world.characters["ナオ"].holding == (cup,)
        denied = asyncio.run(user_turn(session, "ナオ", "（剣を手に取る）", confirmed=True))
        assert not denied.take.ruling.allowed
        ghosts = ghosts_of(session, Settings(embedder="none"))
        asyncio.run(ghosts.follow())
        assert "ナオ" not in ghosts
        (yana,) = [ghosts[who] for who in session.cast if who == "やな"]
        assert any("ナオ" in unseal(one.text) for one in yana.memories.recent(yana.scope, 20))


def test_a_name_of_somebody_there_is_refused() -> None:
    found = scenario_in(UserFiles(Path()).scenario("kitchen_morning"))
    for name in ("やな", "冷蔵庫"):
        with pytest.raises(UsageError) as refused:
            with_player(found, {}, UserPersona(name=name))
        assert refused.value.key == "persona.name-taken"
