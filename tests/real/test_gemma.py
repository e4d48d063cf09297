"""Gardens on a real Gemma 3 behind a real server: whatever it says, a turn is committed or has a fault with a name."""

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind, ask_what_is_meant
from hakoniwa.actor.turn_prompts import Acts, TurnForm
from hakoniwa.errors import ModelMisbehaved
from hakoniwa.gm.second import UNDECIDED, Doubt
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Message, Piece, Usage, join_stream
from hakoniwa.llm.faults import KINDS
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.openai import OpenAIChat
from hakoniwa.play.session import Session
from hakoniwa.play.state_hash import verify
from tests.gardens import garden_of, shipped_garden
from tests.real.gemma import NAME
from tests.real.plays import LEADS, Brief, Played, rates, watched

TURNS, MOST, THINK, PERFORM = 2, 15, 8, 14
CONTEXT, STORY = 4096, 2000
ROOMS: dict[str, dict[str, Any]] = {
    "ja": {
        "time": {"label": "夕方", "clock": "17:00"},
        "location": {"current": "台所"},
        "locations": {"台所": {"exits": ["居間"]}, "居間": {"exits": ["台所"]}},
        "characters": {"やな": {"location": "台所"}, "あゆ": {"location": "台所"}},
        "props": {
            "マグカップ": {"location": "台所", "affordances": ["洗う"]},
            "テーブル": {"location": "台所", "fixed": True, "affordances": ["拭く"]},
            "りんご": {"location": "台所", "edible": True, "affordances": ["食べる"]},
            "新聞": {"location": "居間", "affordances": ["読む"]},
        },
    },
    "en": {
        "time": {"label": "evening", "clock": "17:00"},
        "location": {"current": "parlour"},
        "locations": {"parlour": {"exits": ["hall"]}, "hall": {"exits": ["parlour"]}},
        "characters": {"Marian": {"location": "parlour"}, "Theo": {"location": "parlour"}},
        "props": {
            "mug": {"location": "parlour", "affordances": ["wash"]},
            "table": {"location": "parlour", "fixed": True, "affordances": ["wipe"]},
            "apple": {"location": "parlour", "edible": True, "affordances": ["eat"]},
            "umbrella": {"location": "hall", "affordances": ["open"]},
        },
    },
}
CASTS = {"ja": "kitchen_morning", "en": "tea_room"}


@pytest.fixture
def server(model_server: str) -> str:
    return model_server


def garden(language: str, acts: Acts, server: str) -> Session:
    """Two people of a shipped garden in a room with little in it, so that a turn takes no longer than it must."""
    sheets = {who: {**sheet, "desires": []} for who, sheet in shipped_garden(CASTS[language], 1).sheets.items()}
    journal = MemoryJournal()
    journal.create(plot := garden_of(ROOMS[language], sheets, language=language))
    model = Brief(OpenAIChat(NAME, server, context=CONTEXT), THINK, PERFORM, LEADS[language])
    return Session(journal, plot, LanguageMind(Ledger(model), TurnForm(acts=acts, phases="two")))


def asked(server: str, *messages: tuple[str, str]) -> str:
    model = OpenAIChat(NAME, server, context=CONTEXT)
    prompt = [Message.model_validate({"role": role, "content": text}) for role, text in messages]
    return asyncio.run(join_stream(model.chat(prompt, "test", 4)))


def check_every_turn(session: Session, played: list[Played]) -> None:
    """What holds for any garden, whatever the model says."""
    assert len(played) >= TURNS
    assert all(one.turn or one.fault in KINDS or one.fault == "model.says-nothing" for one in played)
    assert verify(session.journal, session.garden.id) == []
    for one in played:
        assert one.out_of_sight == []
        assert {call.fault for call in one.calls} & {"model.bad-request", "model.context-too-long"} == set()
        if one.turn and not any(call.fault for call in one.calls):
            most = 2 + len(one.turn.take.retakes)  # where an act was chosen, a take may be cut down to it instead
            assert len(one.calls) <= most if one.turn.thought.chosen else len(one.calls) == most
        for call in one.calls:
            assert [message.role for message in call.messages] in (
                ["system", "user"], ["system", "user", "assistant", "user"]
            )  # fmt: skip


def picked_an_act(one: Played) -> bool:
    return bool(one.turn and one.turn.thought.chosen)


def test_with_free_acts_whoever_reaches_for_what_is_not_there_does_not_get_it(server: str) -> None:
    session = garden("en", "free", server)
    played = asyncio.run(watched(session, TURNS, lambda one: one.reached, MOST))
    print(f"\nfree: {rates(played)}")
    check_every_turn(session, played)
    reached = [one for one in played if one.reached]
    assert reached, "nobody reached for anything: the test shows nothing"
    assert [one.calls[-1].reply for one in reached if not one.outcome] == []


@pytest.mark.long
def test_a_chosen_act_is_possible_and_is_what_the_referee_reads(server: str) -> None:
    session = garden("ja", "choose", server)
    played = asyncio.run(watched(session, TURNS, picked_an_act, MOST))
    print(f"\nchoose: {rates(played)}")
    check_every_turn(session, played)
    picked = [one for one in played if picked_an_act(one)]
    assert picked, "nothing was chosen: the test shows nothing"
    assert all(one.chosen for one in picked)
    assert all(one.done for one in picked if one.turn and one.turn.take.ruling.allowed)


@pytest.mark.parametrize(
    "messages",
    [
        [("user", "おはよう"), ("user", "元気？")],
        [("user", "おはよう"), ("assistant", "うん"), ("assistant", "元気"), ("user", "そう？")],
        [("system", "短く話す"), ("assistant", "うん"), ("user", "元気？")],
    ],
)
def test_gemmas_own_template_refuses_roles_that_do_not_alternate(messages: list[tuple[str, str]], server: str) -> None:
    with pytest.raises(ModelMisbehaved) as refused:
        asked(server, *messages)
    assert refused.value.key == "model.bad-request"
    assert posted(server, messages) == (400, True)


def posted(server: str, messages: list[tuple[str, str]]) -> tuple[int, bool]:
    """The status of a plain request, and whether the answer speaks of roles."""
    body = {"messages": [{"role": role, "content": text} for role, text in messages], "max_tokens": 1}
    request = urllib.request.Request(f"{server}/chat/completions", json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, False
    except urllib.error.HTTPError as error:
        return error.code, "roles must alternate" in error.read().decode()


def test_roles_that_alternate_are_answered(server: str) -> None:
    assert asked(server, ("user", "おはよう"), ("assistant", "うん"), ("user", "元気？"))
    assert asked(server, ("system", "短く話す"), ("user", "おはよう"))


def written(server: str) -> int:
    """How many tokens of a reply the server has written that it still writes; 0 where it writes none."""
    with urllib.request.urlopen(f"{server.removesuffix('/v1')}/slots", timeout=60) as answer:
        return sum(one["next_token"][0]["n_decoded"] for one in json.load(answer) if one["is_processing"])


def test_a_reply_streams_and_closing_it_frees_the_slot(server: str) -> None:
    async def through() -> tuple[list[str], int, int]:
        model = OpenAIChat(NAME, server, context=CONTEXT)
        story = [Message(role="user", content="Once upon a time there was a small garden, and in it")]
        stream: Any = model.chat(story, "test", STORY)
        pieces = [str(await anext(stream)) for _ in range(3)]
        busy = last = written(server)
        await stream.aclose()
        while more := written(server):
            last = more
            await asyncio.sleep(0.05)
        return pieces, busy, last

    pieces, busy, last = asyncio.run(through())
    assert all(pieces)
    assert busy, "the reply was over before it was stopped"
    assert last < STORY / 2


def test_the_server_counts_what_it_read_and_wrote(server: str) -> None:
    async def through() -> list[Piece]:
        model = OpenAIChat(NAME, server, context=CONTEXT)
        return [piece async for piece in model.chat([Message(role="user", content="One, two,")], "test", 5)]

    *texts, usage = asyncio.run(through())
    assert isinstance(usage, Usage)
    assert len(texts) > 1
    assert usage.prompt is not None
    assert usage.prompt > 5
    assert usage.cached is not None
    assert usage.completion == 5


@pytest.mark.parametrize(
    ("language", "clause", "thing"),
    [
        ("ja", "マグカップをこねくり回す", "マグカップ"),
        ("en", "worries the mug", "mug"),
    ],
)
def test_a_second_reading_is_among_those_that_were_offered(server: str, language: str, clause: str, thing: str) -> None:
    """A base model says nothing to the point now and then: then it is as if nobody had been asked."""
    doubt = Doubt(clause=clause, read=False, candidates=(f"(WASH: {thing})", f"(GET: {thing})"), names=(thing,))

    async def asked() -> int | None:
        model = OpenAIChat(NAME, server, "", CONTEXT)
        try:
            return await ask_what_is_meant(Ledger(model), doubt, language)
        finally:
            await model.aclose()

    answers = (asyncio.run(asked()) for _ in range(9))
    assert next(one for one in answers if one != UNDECIDED) in (None, 0, 1)
