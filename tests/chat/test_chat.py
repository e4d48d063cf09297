"""Chat: an exchange is kept however it ends, memory follows, and taking back takes back both."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from hakoniwa.actor.character import Character
from hakoniwa.app.memory_inspection import forget
from hakoniwa.chat.chat import LONGEST, STEP, Chat
from hakoniwa.chat.lineage import CHAT, catch_up
from hakoniwa.chat.reply import BuiltinRespondent, ModelRespondent
from hakoniwa.errors import ModelMisbehaved, ModelUnavailable, PersonaMissing, UsageError
from hakoniwa.journal import MAIN, GardenRecord, Journal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.memory.ghost import Ghost
from hakoniwa.memory.recall import Chooser, Recall
from hakoniwa.memory.store import Memories
from hakoniwa.memory.work import work_off
from hakoniwa.persona.generated import unseal
from hakoniwa.persona.persona import persona_of

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
SHEET = Character.model_validate(
    {
        "display_name": "ミナ",
        "persona": "ミナ。古道具屋の店主。物の来歴を聞くのが好き。",
        "speech": {"tone": "ゆっくりした話し方。", "address": {"user": "きみ"}},
        "examples": ["（棚を指して）「いつもの棚にあるよ。」"],
        "phrasebook": {"answer": {"*": ["そうなんだ。"]}, "greet": {"*": ["いらっしゃい。"]}},
    }
)
NOTHING = '{"selected": []}'
PLAN: dict[str, Any] = {
    "event_annotations": {"about_year_start": None, "about_year_end": None, "life_stage": "unknown",
                          "entities": [{"type": "person", "name": "ミケ"}]},
    "state_updates": [{"kind": "fact", "op": "upsert", "state_id": 0, "body_text": "きみの猫はミケ。", "entities": [],
                       "confidence": 0.8, "links": [], "reason": "聞いた"}],
    "preference_updates": [{"op": "confirm", "domain": "food", "polarity": "like", "subject": "紅茶",
                            "evidence_event_id": 1, "confidence": 0.9}],
    "event_affect": {"text": "うれしい", "labels": ["joy"], "v": 0.8, "a": 0.4, "d": 0.2, "confidence": 1.0},
    "context_updates": {"threads": ["猫"], "links": []},
}  # fmt: skip


def chat(model: ChatModel | None = None, journal: Journal | None = None, chooser: Chooser = "rule") -> Chat:
    """A chat with Mina, new or where it was left; the clock moves a minute with every look."""
    journal = journal or MemoryJournal()
    if not journal.gardens():
        sheet = SHEET.model_dump(mode="json", exclude_unset=True)
        journal.create(GardenRecord(id="c", scenario={}, sheets={"mina": sheet}, seed=1, settings={"kind": CHAT}))
    memories = Memories(journal)
    head = catch_up(memories, journal, "c", MAIN)
    ghost = Ghost(memories, "c", MAIN, "mina", persona_of(SHEET, "ja"), head=head)
    minutes = iter(range(10_000))
    respondent = ModelRespondent(model) if model else BuiltinRespondent()
    now = lambda: NOON + timedelta(minutes=next(minutes))  # noqa: E731
    return Chat(journal, journal.garden("c"), ghost, respondent, model, now, chooser)


def said(talk: Chat, *lines: str) -> list[str]:
    """The answers to some lines."""

    async def answered(line: str) -> str:
        return "".join([unseal(piece) async for piece in talk.say(line)])

    return [asyncio.run(answered(line)) for line in lines]


def scripted(replies: Sequence[str | Exception], **more: Sequence[str | Exception]) -> ScriptedModel:
    return ScriptedModel(
        {
            "ghost.reply": replies,
            "ghost.select": [NOTHING] * 40,
            "ghost.write_plan": more.get("plans", ()),
            "ghost.stated": more.get("stated", [json.dumps({"answer": "like"})] * 4),
        }
    )


def payloads(talk: Chat) -> list[dict[str, Any]]:
    return [row.event.payload for row in talk.journal.lineage("c", MAIN)]


def test_an_exchange_is_an_event_that_the_persona_remembers() -> None:
    talk = chat(scripted(["いい猫だね。"]))
    assert said(talk, "猫を飼いはじめたよ") == ["いい猫だね。"]
    (payload,) = payloads(talk)
    assert (payload["source"], payload["user_text"], payload["assistant_text"]) == (
        "chat", "猫を飼いはじめたよ", "いい猫だね。",
    )  # fmt: skip
    (memory,) = talk.history()
    assert memory.user_text == "猫を飼いはじめたよ"
    assert memory.assistant_text is not None
    assert unseal(memory.assistant_text) == "いい猫だね。"


def test_without_a_model_the_phrasebook_answers_and_a_rule_chooses() -> None:
    talk = chat()
    assert said(talk, "こんにちは", "猫の話をしよう") == ["いらっしゃい。", "そうなんだ。"]
    assert talk.recalled is not None
    assert talk.recalled.by == "rule"


def test_a_reply_is_asked_with_the_persona_and_what_came_to_mind() -> None:
    lines = [f"{number}番目の話" for number in range(2 * STEP - 1)]
    replies = [f"{number}番目の返事。" for number in range(2 * STEP + 1)]
    model = ScriptedModel({"ghost.reply": replies, "ghost.select": ['{"selected": [1]}'] * 2 * STEP})
    said(chat_ := chat(model, chooser="model"), "猫のミケが吐いた", *lines, "猫のこと、覚えてる？")
    prompt = model.calls[-1][1]
    assert [message.role for message in prompt[:3]] == ["user", "assistant", "user"]
    for part in ("古道具屋の店主", "ゆっくりした話し方。", "きみ", "いつもの棚にあるよ。"):
        assert part in prompt[0].content
    assert "相手「猫のミケが吐いた」 ミナ「0番目の返事。」" in prompt[-1].content
    assert "相手「猫のこと、覚えてる？」" in prompt[-1].content
    assert chat_.recalled is not None
    assert chat_.recalled.by == "model"


@pytest.mark.parametrize(
    ("model", "seen"), [(scripted(["そうか。", "よかった。", "元気だよ。"]), set()), (None, {1, 2})]
)
def test_what_stands_in_the_prompt_anyway_is_not_called_to_mind(model: ChatModel | None, seen: set[int]) -> None:
    talk = chat(model)
    said(talk, "猫のミケが吐いた", "猫のミケは元気", "猫のミケは？")
    assert talk.recalled is not None
    assert {one.key for one in talk.recalled.candidates if one.type == "event"} == seen


@pytest.mark.parametrize(
    ("first", "heard", "asked_again"),
    [
        ("「きょうは、疲れた！」", "きょうは疲れた。", True),  # their own words
        ("そうなんだ", "もう一度", True),  # what was just said
        ("いつもの棚にあるよ。", "どこ？", True),  # an example's
        ("そうなんだね、大変だったね。", "もう一度", False),  # only begins like it
        ("お疲れさま。", "きょうは疲れた。", False),
    ],
)
def test_what_was_said_before_word_for_word_is_quietly_asked_for_anew(
    first: str, heard: str, asked_again: bool
) -> None:
    model = scripted(["そうなんだ。", first, "もうお休みよ。"])
    *_, answer = said(chat(model), "猫の話", heard)
    assert answer == ("もうお休みよ。" if asked_again else first)
    assert sum(purpose == "ghost.reply" for purpose, _ in model.calls) == (3 if asked_again else 2)


def test_what_says_the_same_twice_is_said() -> None:
    model = scripted(["ただいま。", "ただいま。"])
    assert said(chat(model), "ただいま") == ["ただいま。"]


@pytest.mark.parametrize("bad", ["", "{}", '{"selected": [99]}', "ミケのことを思い出します"])
def test_a_selection_that_is_none_is_dropped_and_the_reply_comes_all_the_same(bad: str) -> None:
    model = ScriptedModel({"ghost.reply": ["うん。", "覚えてる。"], "ghost.select": [bad]})
    talk = chat(model, chooser="model")
    assert said(talk, "ミケが吐いた") == ["うん。"]
    talk.history = list  # type: ignore[method-assign]  # as if it were long ago
    assert said(talk, "ミケのこと") == ["覚えてる。"]
    assert talk.recalled is not None
    assert talk.recalled.dropped is not None
    assert talk.recalled.snippets == ()
    assert talk.ghost.memories.runs(talk.ghost.scope, 1)[0].dropped == talk.recalled.dropped


def test_what_the_user_said_is_kept_when_the_model_fails() -> None:
    talk = chat(scripted([ModelMisbehaved("model.empty")]))
    with pytest.raises(ModelMisbehaved):
        said(talk, "聞いて")
    (payload,) = payloads(talk)
    assert (payload["user_text"], payload["assistant_text"], payload["fault"]) == ("聞いて", None, "model.empty")


def test_what_came_before_a_fault_is_on_record_and_was_never_said() -> None:
    class Broken(ScriptedModel):
        async def chat(self, *details: Any, **more: Any) -> Any:
            yield "それはね、"
            raise ModelMisbehaved("model.reset")

    talk = chat(Broken({}))
    with pytest.raises(ModelMisbehaved):
        said(talk, "どうして？")
    (payload,) = payloads(talk)
    assert (payload["assistant_text"], payload["fault"]) == ("それはね、", "model.reset")
    assert [(one.user_text, one.assistant_text) for one in talk.history()] == [("どうして？", None)]


def test_an_answer_that_is_stopped_keeps_what_came() -> None:
    talk = chat(scripted(["長い長い話をはじめます。それはむかしむかしのことでした。"]))

    async def stopped() -> None:
        async with aclosing(talk.say("話して")) as pieces:
            async for _ in pieces:
                return

    asyncio.run(stopped())
    (payload,) = payloads(talk)
    assert payload["fault"] == "model.stopped"
    assert "長い長い話をはじめます。それは".startswith(payload["assistant_text"])


def test_taking_back_takes_it_out_of_memory_and_leaves_it_in_the_journal() -> None:
    talk = chat()
    said(talk, "猫の話", "犬の話")
    talk.undo()
    assert [one.user_text for one in talk.history()] == ["猫の話"]
    assert talk.turn == 1
    assert len(talk.journal.since(0)) == 2
    talk.undo()
    assert talk.history() == []
    with pytest.raises(UsageError, match=r"chat\.cannot-undo"):
        talk.undo()


def test_a_crash_between_journal_and_memory_is_made_up_for() -> None:
    journal = MemoryJournal()
    talk = chat(journal=journal)
    talk.ghost.memories.take_in = lambda *_: None  # type: ignore[method-assign]
    talk.ghost.refresh = lambda *_: None  # type: ignore[method-assign]
    said(talk, "猫の話")
    assert [one.user_text for one in chat(journal=journal).history()] == ["猫の話"]


def test_the_conversation_in_a_prompt_is_cut_in_steps() -> None:
    talk = chat()
    lengths = []
    for turn in range(4 * STEP):
        lengths.append(len(talk.history()))
        said(talk, f"{turn}番目の話")
    assert max(lengths) < 2 * STEP
    assert sum(after < before for before, after in pairwise(lengths)) == 2
    assert lengths[-1] >= STEP


@pytest.mark.parametrize("line", ["", "  \n", "あ" * (LONGEST + 1)])
def test_nothing_and_a_whole_book_are_refused(line: str) -> None:
    talk = chat()
    with pytest.raises(UsageError):
        said(talk, line)
    assert payloads(talk) == []


@pytest.mark.parametrize("persona", ["", " \n"])
def test_without_a_persona_there_is_nobody_to_talk_to(persona: str) -> None:
    with pytest.raises(PersonaMissing, match=r"ghost\.no-persona"):
        persona_of(SHEET.model_copy(update={"persona": persona}), "ja")


# --- what the model would call to mind ---


def ahead(talk: Chat) -> Recall | None:
    return asyncio.run(talk.recall_ahead())


def talked(model: ScriptedModel, journal: Journal | None = None) -> Chat:
    """A chat of which only the latter half stands in a prompt."""
    talk = chat(model, journal)
    said(talk, "青い皿を買った", *(f"{number}番目の話" for number in range(2 * STEP - 1)))
    return talk


def choosing(*numbers: int) -> ScriptedModel:
    replies = [f"{number}番目の返事。" for number in range(3 * STEP)]
    return ScriptedModel({"ghost.reply": replies, "ghost.select": [json.dumps({"selected": numbers})] * 3})


@pytest.mark.parametrize(("chooser", "asked"), [("rule", ["ghost.reply"]), ("model", ["ghost.select", "ghost.reply"])])
def test_no_call_comes_before_the_replys_unless_the_model_is_to_be_waited_for(
    chooser: Chooser, asked: list[str]
) -> None:
    talk = talked(model := choosing())
    talk.chooser, before = chooser, len(model.calls)
    said(talk, "皿の話")
    assert [purpose for purpose, _ in model.calls[before:]] == asked
    assert talk.recalled is not None
    assert talk.recalled.by == chooser


def test_what_the_model_chooses_after_a_reply_serves_the_next_one_and_is_asked_for_once() -> None:
    talk = talked(model := choosing(2))
    chosen = ahead(talk)
    assert chosen is not None
    (choice,) = chosen.chosen
    assert (chosen.by, ahead(talk), [purpose for purpose, _ in model.calls].count("ghost.select")) == ("model", None, 1)
    kept = talk.ghost.memories.runs(talk.ghost.scope, 1)[0]
    assert (kept.id, kept.input) == (chosen.run, f"{2 * STEP - 2}番目の話")
    assert kept.plan
    assert len(kept.candidates) == len(chosen.candidates)
    said(talk, "うん")
    assert talk.recalled is not None
    assert talk.recalled.by == "rule"
    (found,) = [one for one in talk.recalled.chosen if one.id == choice.id]
    assert found.ranks["own_choice"] == 1


def test_what_a_crash_kept_from_being_chosen_is_chosen_by_the_next_process() -> None:
    journal = MemoryJournal()
    talked(choosing(), journal)
    again = chat(choosing(1), journal)
    assert ahead(again) is not None
    assert ahead(chat(choosing(1), journal)) is None


def test_a_choice_goes_with_the_exchange_it_was_made_after() -> None:
    talk = talked(choosing(1))
    ahead(talk)
    talk.undo()
    said(talk, "うん")
    assert talk.recalled is not None
    assert not any("own_choice" in one.ranks for one in talk.recalled.candidates)


def test_a_choice_is_forgotten_with_the_words_it_was_made_for() -> None:
    talk = talked(choosing(1))
    chosen, newest = ahead(talk), talk.newest
    assert chosen is not None
    assert newest is not None
    assert chosen.run in {one.id for one in talk.ghost.memories.runs(talk.ghost.scope, 50)}
    forget(talk.ghost, [newest.seq])
    talk.catch_up()
    assert chosen.run not in {one.id for one in talk.ghost.memories.runs(talk.ghost.scope, 50)}


def test_what_is_forgotten_while_the_model_chooses_is_not_written_down() -> None:
    class Slow(ScriptedModel):
        async def chat(self, *details: Any, **more: Any) -> Any:
            forget(talk.ghost, [1])
            yield '{"selected": [1]}'

    talk = talked(choosing())
    talk.model, before = Slow({}), talk.ghost.memories.runs(talk.ghost.scope, 1)
    chosen = ahead(talk)
    assert chosen is not None
    assert chosen.run == 0
    assert all(one.by == "rule" for one in talk.ghost.memories.runs(talk.ghost.scope, 50))
    assert before


def test_without_a_model_nothing_is_chosen_ahead() -> None:
    talk = chat()
    said(talk, "猫の話")
    assert ahead(talk) is None


# --- work ---


def worked(talk: Chat) -> int:
    return asyncio.run(work_off(talk.ghost, talk.model, NOON + timedelta(hours=1)))


def test_a_write_plan_is_made_in_the_personas_view_and_applied() -> None:
    model = scripted(["へえ。"], plans=[json.dumps(PLAN)])
    talk = chat(model)
    said(talk, "猫のミケと紅茶を飲んだ。紅茶が好きなんだ")
    assert worked(talk) == 1
    (prompt,) = [asked[0].content for purpose, asked in model.calls if purpose == "ghost.write_plan"]
    assert "古道具屋の店主" in prompt  # persona_text
    assert "ゆっくりした話し方。" in prompt  # addon_text
    inner = talk.ghost.inner
    assert [unseal(one.body_text) for one in inner.states.values()] == ["きみの猫はミケ。"]
    assert [one["subject"] for one in inner.confirmed_preferences["food"]["like"]] == ["紅茶"]
    assert inner.mood.shock_vad.v > 0
    assert any(one.value == "ミケ" for one in inner.interest.attention_targets)
    assert inner.interest.updated_from_event_ids == (1,)
    assert worked(talk) == 0


@pytest.mark.parametrize(
    ("answer", "status", "polarity"),
    [
        ('{"answer": "like"}', "confirmed", "like"),
        ('{"answer": "dislike"}', "candidate", "dislike"),
        ('{"answer": "neither"}', "candidate", "like"),
        ("好きだと思います", "candidate", "like"),
        (ModelMisbehaved("model.empty"), "candidate", "like"),
    ],
)
def test_a_liking_is_confirmed_only_if_the_very_words_say_so(
    answer: str | Exception, status: str, polarity: str
) -> None:
    model = scripted(["へえ。"], plans=[json.dumps(PLAN)], stated=[answer])
    talk = chat(model)
    said(talk, "紅茶はもう見たくもない")
    assert worked(talk) == 1
    assert [(one.status, one.polarity) for one in talk.ghost.inner.preferences.values()] == [(status, polarity)]
    assert "紅茶はもう見たくもない" in model.calls[-1][1][0].content


def test_years_people_and_threads_that_nothing_leads_to_are_not_kept() -> None:
    made_up = json.loads(json.dumps(PLAN))
    made_up["event_annotations"] |= {
        "about_year_start": 1987, "about_year_end": 1990,
        "entities": [{"type": "person", "name": "太郎"}, {"type": "person", "name": "ミケ"}],
    }  # fmt: skip
    made_up["context_updates"]["threads"] = ["税金", "猫の健康"]
    talk = chat(scripted(["へえ。"], plans=[json.dumps(made_up)]))
    said(talk, "猫のミケが吐いた")
    worked(talk)
    kept = talk.ghost.memories.load(talk.ghost.scope, [1])[1]
    assert (kept.about.year_start, kept.about.year_end) == (None, None)
    assert ([one.name for one in kept.entities], kept.threads) == (["ミケ"], ("猫の健康",))


BAD_PLANS = (
    "",
    "ミケのことを覚えました",
    "{}}",
    json.dumps({**PLAN, "extra": 1}),
    json.dumps({**PLAN, "event_affect": {"v": 7}}),
)


@pytest.mark.parametrize("plan", BAD_PLANS)
def test_a_plan_that_is_none_is_dropped_whole(plan: str) -> None:
    talk = chat(scripted(["へえ。"], plans=[plan]))
    said(talk, "ミケだよ")
    assert worked(talk) == 1
    assert talk.ghost.inner.states == {}
    assert talk.ghost.memories.stats(talk.ghost.scope).works == {"dropped": 1}


def test_work_for_a_server_that_is_away_waits_three_times_at_most() -> None:
    away: list[str | Exception] = [ModelUnavailable("model.refused") for _ in range(3)]
    talk = chat(scripted(["へえ。"], plans=away))
    said(talk, "ミケだよ")
    assert [worked(talk) for _ in range(4)] == [0, 0, 1, 0]


def test_what_was_taken_back_leaves_no_trace() -> None:
    talk = chat(scripted(["へえ。", "ふうん。"], plans=[json.dumps(PLAN)]))
    said(talk, "残る話", "消える話")
    talk.undo()
    assert worked(talk) == 2
    assert len(talk.ghost.inner.states) == 1


def test_a_restart_finds_mood_interest_and_states_as_they_were() -> None:
    journal = MemoryJournal()
    talk = chat(scripted(["へえ。"], plans=[json.dumps(PLAN)]), journal)
    said(talk, "ミケだよ")
    worked(talk)
    again = chat(journal=journal)
    assert again.ghost.inner.mood.model_dump() == talk.ghost.inner.mood.model_dump()
    assert again.ghost.inner.interest == talk.ghost.inner.interest
    assert {id: one.model_dump() for id, one in again.ghost.inner.states.items()} == {
        id: one.model_dump() for id, one in talk.ghost.inner.states.items()
    }


def test_what_the_model_was_asked_for_a_chat_is_on_record() -> None:
    model = Ledger(scripted(["へえ。", "うん。"], plans=[json.dumps(PLAN)]))
    talk = chat(model)
    talk.history = list  # type: ignore[method-assign]  # as if all were long ago
    said(talk, "ミケだよ", "元気かな")
    ahead(talk)
    worked(talk)
    asked = [(one.turn, one.speaker, one.call["purpose"]) for one in talk.journal.calls("c", MAIN)]
    assert asked[0] == (1, "mina", "ghost.reply")
    assert (2, "mina", "ghost.select") in asked
    assert (2, "mina", "ghost.write_plan") in asked
