"""The Ghosts of a garden: who was there remembers, a fork and an undo take memory along, and a prompt is reminded."""

import asyncio
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.app import new_session
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.memory.recall import recall
from hakoniwa.memory.store import Memories
from hakoniwa.memory.work import work_by_rule
from hakoniwa.persona.generated import unseal
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from tests.gardens import FREE


@pytest.fixture
def session() -> Session:
    return new_session(MemoryJournal(), "kitchen_morning", seed=3)


def ghosts_of(session: Session) -> GardenGhosts:
    return GardenGhosts(Memories(session.journal), session)


def texts(ghosts: GardenGhosts, who: str) -> list[str]:
    found = ghosts.memories.recent(ghosts[who].scope, 200)
    return [unseal(one.text) for one in found][::-1]


def played(session: Session, turns: int) -> None:
    async def play() -> None:
        await session.open()
        for _ in range(turns):
            await next_turn(session)

    asyncio.run(play())


def acted(session: Session, who: str, text: str) -> None:
    asyncio.run(user_turn(session, who, text))


def test_only_who_was_there_remembers(session: Session) -> None:
    played(session, 1)
    acted(session, "やな", "（リビングへ行く）")
    acted(session, "やな", "（両手を広げる）「ここだけの話だよ」")
    acted(session, "あゆ", "「お湯が沸きました」")
    ghosts = ghosts_of(session)
    asyncio.run(ghosts.follow())
    assert any("ここだけの話だよ" in text for text in texts(ghosts, "やな"))
    assert not any("ここだけの話だよ" in text for text in texts(ghosts, "あゆ"))
    assert any("お湯が沸きました" in text for text in texts(ghosts, "あゆ"))
    assert not any("お湯が沸きました" in text for text in texts(ghosts, "やな"))


def test_following_step_by_step_and_all_at_once_come_to_the_same(session: Session) -> None:
    ghosts = ghosts_of(session)
    for _ in range(6):
        played(session, 1)
        asyncio.run(ghosts.follow())
    late = new_session(MemoryJournal(), "kitchen_morning", seed=3, garden_id=session.garden.id)
    played(late, 6)
    at_once = ghosts_of(late)
    asyncio.run(at_once.follow())
    for who in session.cast:
        assert texts(ghosts, who) == texts(at_once, who) != []


def test_following_a_turn_writes_twice_however_many_were_there(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ghosts = ghosts_of(session)
    played(session, 3)
    asyncio.run(ghosts.follow())
    acted(session, "やな", "（両手を広げる）「みんな聞いて」")
    database, written = ghosts.memories.database, list[str]()
    begin = database.writing
    monkeypatch.setattr(database, "writing", lambda: (written.append("a transaction"), begin())[1])
    asyncio.run(ghosts.follow())
    assert all("みんな聞いて" in texts(ghosts, who)[-1] for who in session.cast)
    assert len(written) == 2
    asyncio.run(ghosts.follow())
    assert len(written) == 2


def test_what_somebody_else_has_done_meanwhile_is_not_done_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ghosts = ghosts_of(session)
    played(session, 2)
    asyncio.run(ghosts.follow())
    acted(session, "やな", "（両手を広げる）「みんな聞いて」")
    ghosts._take_in()
    seen = ghosts.memories.queued([ghosts["やな"].number], 9, ghosts.now, "write_plan")
    asyncio.run(ghosts_of(session).follow())
    written = ghosts.memories.newest_revision(ghosts["やな"].scope)
    monkeypatch.setattr(ghosts.memories, "queued", lambda *_: seen)
    assert work_by_rule([ghosts["やな"]], ghosts.now, 9) == len(seen) == 1
    assert ghosts.memories.newest_revision(ghosts["やな"].scope) == written == ghosts["やな"]._newest


def test_taking_turns_back_takes_their_memory_back(session: Session) -> None:
    ghosts = ghosts_of(session)
    played(session, 4)
    asyncio.run(ghosts.follow())
    before = texts(ghosts, "やな")
    acted(session, "やな", "（両手を広げる）「なかったことにして」")
    asyncio.run(ghosts.follow())
    assert texts(ghosts, "やな") != before
    asyncio.run(session.undo())
    asyncio.run(ghosts.follow())
    assert texts(ghosts, "やな") == before


def test_a_fork_remembers_what_came_before_it_and_goes_its_own_way(session: Session) -> None:
    ghosts = ghosts_of(session)
    played(session, 3)
    asyncio.run(ghosts.follow())
    shared = texts(ghosts, "あゆ")
    asyncio.run(session.fork("もしも"))
    acted(session, "あゆ", "「枝の上の出来事です」")
    asyncio.run(ghosts.follow())
    assert texts(ghosts, "あゆ")[: len(shared)] == shared
    assert "枝の上の出来事です" in texts(ghosts, "あゆ")[-1]
    main = Session(session.journal, session.garden, session.mind)
    again = ghosts_of(main)
    asyncio.run(again.follow())
    assert texts(again, "あゆ") == shared


def test_interest_and_mood_follow_from_what_was_lived_through(session: Session) -> None:
    played(session, 8)
    ghosts = ghosts_of(session)
    asyncio.run(ghosts.follow())
    inner = ghosts["やな"].inner
    known = {*session.world.props, *session.world.characters, *session.world.locations}
    named = {one.value for one in inner.interest.attention_targets if one.type.startswith("entity_")}
    assert named
    assert named <= known - {"やな"}
    assert inner.mood.updated_at is not None
    assert ghosts.world_model("やな")


def test_what_has_left_the_transcript_comes_back_when_it_fits() -> None:
    replies: dict[str, Any] = {"actor.think": ["さて。"], "actor.perform": ["（うなずく）「そうだね」"]}
    model = ScriptedModel(replies, loop=True)
    mind = LanguageMind(model, FREE.with_field("history", 60))
    session = new_session(MemoryJournal(), "kitchen_morning", seed=3, mind=mind)
    session.ghosts = ghosts_of(session)
    played(session, 1)
    acted(session, "やな", "（窓の外を見る）「むかし紙飛行機を屋根まで飛ばしたことがあるんだ」")
    for number in range(24):
        acted(session, "あゆ", f"（首をかしげる）「{number}番目のどうでもいい話です」")
    acted(session, "あゆ", "「紙飛行機の折り方、覚えていますか」")
    asyncio.run(next_turn(session))
    thinks = [messages[1].content for purpose, messages in model.calls if purpose == "actor.think"]
    reminded = thinks[-1].partition("思い出したこと:")[2].splitlines()
    assert reminded
    assert "屋根まで飛ばした" in reminded[0]


THINGS = (
    "ほうじ茶", "鼻歌", "古い本", "踊り", "帳面", "つまみ食い", "家計", "家電", "掃除当番", "植物",
    "献立", "見栄", "鍵", "思いつき", "雷", "窓", "箱", "月", "砂糖", "靴",
)  # fmt: skip
LIVED = [f"{thing}の話をしよう" for thing in THINGS]
FEW = 6


def test_people_who_lived_through_the_same_call_to_mind_what_suits_them(session: Session) -> None:
    played(session, 1)
    for text in LIVED:
        acted(session, "やな", f"「{text}」")
    ghosts = ghosts_of(session)
    asyncio.run(ghosts.follow())
    for who in session.cast:
        assert sum(any(text in line for line in texts(ghosts, who)) for text in LIVED) == len(LIVED)
    chosen = {who: asyncio.run(called_to_mind(ghosts, who)) for who in session.cast}
    shared = len(chosen["やな"] & chosen["あゆ"]) / len(chosen["やな"] | chosen["あゆ"])
    assert shared <= 0.6, chosen
    assert {"やな「家電の話をしよう」", "やな「植物の話をしよう」"} <= chosen["やな"] - chosen["あゆ"]
    assert {"やな「家計の話をしよう」", "やな「献立の話をしよう」"} <= chosen["あゆ"] - chosen["やな"]


async def called_to_mind(ghosts: GardenGhosts, who: str) -> set[str]:
    found = await recall(ghosts[who], "話をしよう", ghosts.now, None, limit=FEW, keep=False)
    return {unseal(one.text) for one in found.chosen if one.type == "event"}
