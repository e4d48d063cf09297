"""A turn as data: acts off a numbered list, words beside them, as far as they come; and what becomes of the words."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.mind import Decision, decide
from hakoniwa.actor.picked import PickedTurn, read_picked_turn
from hakoniwa.actor.telling import SpeechAct
from hakoniwa.actor.turn_prompts import CHOICES, Phases, TurnForm, offered_acts
from hakoniwa.actor.view import CharacterView
from hakoniwa.errors import ModelError, ModelMisbehaved
from hakoniwa.gm.second import UNDECIDED, Doubt
from hakoniwa.llm import ChatModel, Message, PartialReply, Piece, Usage
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn
from hakoniwa.turn import Fact, SpeechVerb, Thought
from tests.actor.test_language import JAPANESE, SHEETS
from tests.gardens import garden_of, opened

LINE = "「おはよう」"


class Cut(ChatModel):
    """A model whose reply ends in the middle, as it was asked to stop or lost its way."""

    name, context = "cut", 0

    def __init__(self, begun: str, error: ModelError) -> None:
        self.begun, self.error = begun, error

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[Piece]:
        for sign in self.begun:
            yield PartialReply(text=sign)
        yield Usage(finish="length")
        raise self.error


@cache
def before() -> tuple[Session, CharacterView, Decision]:
    """The morning that every reply here is the answer to; nobody changes it."""
    session = opened(garden_of(JAPANESE, SHEETS))
    asyncio.run(session.open())
    view = session.view("やな")
    return session, view, decide(view, session.standing.minds["やな"])


def tags(*numbers: int) -> tuple[str, ...]:
    _, view, decision = before()
    options = offered_acts(view, decision, CHOICES)
    return tuple(options[number - 1].tag for number in numbers)


def in_words(number: int) -> str:
    """An act of the list, as the prompt has it."""
    _, view, decision = before()
    part = LanguageMind(ScriptedModel({}))._part(view, decision)
    return part.in_words(part.options)[number - 1]


def answered(model: ChatModel, form: TurnForm | None = None) -> tuple[Thought, str]:
    """What is made of a model's replies: the thought, and the line."""
    _, view, decision = before()
    mind = LanguageMind(model, form)

    async def through() -> tuple[Thought, str]:
        thought = await mind.think(view, decision)
        return thought, (await mind.perform(view, decision, thought))[0].text

    return asyncio.run(through())


def said(reply: str | dict[str, Any]) -> tuple[Thought, str]:
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return answered(ScriptedModel({"actor.perform": [text]}))


# --- which acts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "meant"),
    [
        ([2], [2]), ([2, 1], [2, 1]), ([0], []), ([], []), ([0, 2], [2]), ([2, 0, 1], [2, 1]), ([2, 2], [2]),
        ([99, 1, -1], [1]), ([99], []), ([4, 3, 2, 1], [4, 3, 2]),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("phases", ["one", "two"])
def test_numbers_are_acts_in_their_order(numbers: list[int], meant: list[int], phases: Phases) -> None:
    reply = json.dumps({"thought": "喉が渇いた。", "acts": numbers, "words": "おはよう"}, ensure_ascii=False)
    plain = "おはよう" if phases == "two" else reply
    thought, line = answered(ScriptedModel({"actor.think": [reply], "actor.perform": [plain]}), TurnForm(phases=phases))
    assert (thought.chosen, thought.text, line) == (tags(*meant), "喉が渇いた。", LINE)


@pytest.mark.parametrize(
    ("words", "numbers", "meant"),
    [
        ("{act}", [0], [2]),
        ("{act}。", [0], [2]),
        ("やなは{act}", [0], [2]),
        ("{act}", [1], [1]),
        ("あゆ: {act}", [0], []),
    ],
)
def test_an_act_that_stands_where_words_should_is_that_act(words: str, numbers: list[int], meant: list[int]) -> None:
    thought, line = said({"acts": numbers, "words": words.format(act=in_words(2))})
    assert (thought.chosen, line) == (tags(*meant), "")


def test_one_call_asks_for_all_of_it_by_a_schema() -> None:
    asked: list[Any] = []

    class Seen(ScriptedModel):
        async def chat(self, messages: Any, purpose: str, max_tokens: int, schema: Any = None) -> AsyncIterator[Piece]:
            asked.append((purpose, [one.role for one in messages], schema))
            async for piece in super().chat(messages, purpose, max_tokens, schema):
                yield piece

    answered(Seen({"actor.perform": ['{"acts": [0], "words": "うん"}']}))
    ((purpose, roles, schema),) = asked
    assert (purpose, roles) == ("actor.perform", ["system", "user"])
    assert schema["required"] == ["thought", "acts", "words", "next"]
    offered = len(offered_acts(*before()[1:], CHOICES))
    assert schema["properties"]["acts"]["items"]["enum"] == list(range(offered + 1))
    assert schema["properties"]["next"]["enum"] == ["あゆ", "ゆい"]


class Strict(ScriptedModel):
    """A server that refuses the schemas of its first calls, and answers everything else in prose."""

    def __init__(self, refused: int) -> None:
        super().__init__({"actor.perform": ["おはよう"]}, loop=True)
        self.refused = refused
        self.schemas: list[bool] = []

    async def chat(self, messages: Any, purpose: str, max_tokens: int, schema: Any = None) -> AsyncIterator[Piece]:
        self.schemas.append(schema is not None)
        if schema and sum(self.schemas) <= self.refused:
            raise ModelMisbehaved("model.bad-request")
        async for piece in super().chat(messages, purpose, max_tokens, schema):
            yield piece


@pytest.mark.parametrize(
    ("refused", "asked"),
    [(1, [True, False, True, True]), (2, [True, False, True, False, False]), (9, [True, False, True, False, False])],
)
def test_a_form_refused_once_is_tried_again_and_refused_twice_is_given_up(refused: int, asked: list[bool]) -> None:
    model = Strict(refused)
    mind, (_, view, decision) = LanguageMind(model), before()
    for _ in range(3):
        thought = asyncio.run(mind.think(view, decision))
        assert asyncio.run(mind.perform(view, decision, thought))[0].text
    assert model.schemas == asked


def test_words_are_asked_for_again_with_what_speaking_takes_and_who_is_next_stays() -> None:
    first = '{"acts": [2], "words": "うん", "next": "ゆい"}'
    model = ScriptedModel({"actor.perform": [first], "actor.retake": ["やあ"]})
    mind, (_, view, decision) = LanguageMind(model), before()
    thought = asyncio.run(mind.think(view, decision))
    again = asyncio.run(mind.retake(view, decision, thought, "別のことを。"))
    assert again is not None
    assert again.text == "「やあ」 [Next: ゆい]"
    _, asked = model.calls[1][1]
    assert "<scene_state" not in asked.content
    assert (in_words(2) in asked.content, "別のことを。" in asked.content) == (True, True)


def test_two_calls_tell_the_second_what_was_picked() -> None:
    model = ScriptedModel({"actor.think": ['{"thought": "…", "acts": [2]}'], "actor.perform": ["おはよう"]})
    answered(model, TurnForm(phases="two"))
    assert [purpose for purpose, _ in model.calls] == ["actor.think", "actor.perform"]
    assert in_words(2) in model.calls[1][1][-1].content


@pytest.mark.parametrize(
    ("reply", "chosen", "line"),
    [
        ("おはよう。(GET: マグカップ)", ("(GET: マグカップ)",), "「おはよう。」"),
        ("おはよう。（GET：マグカップ）", ("(GET: マグカップ)",), "「おはよう。」"),
        ("(MOVE: 居間) 「おはよう」 (GET: マグカップ)", ("(MOVE: 居間)", "(GET: マグカップ)"), LINE),
        ("おはよう。(GET: 竜)", (), "「おはよう。」"),  # nobody offered that
        ("おはよう。", (), "「おはよう。」"),
    ],
)
def test_tags_are_acts_too(reply: str, chosen: tuple[str, ...], line: str) -> None:
    thought, text = answered(ScriptedModel({"actor.perform": [reply]}), TurnForm(acts="tags"))
    assert (thought.chosen, text) == (chosen, line)


def test_where_acts_are_picked_none_is_asked_for_again() -> None:
    doubt = Doubt(clause="マグカップをこねる", read=False, candidates=("(GET: マグカップ)",), names=("マグカップ",))
    model = ScriptedModel({})
    assert asyncio.run(LanguageMind(model).read_again(doubt, "ja")) == UNDECIDED
    assert model.calls == []


# --- replies that are not what was asked for -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "turn"),
    [
        ('{"thought": "あ", "acts": [1, 2], "words": "やあ", "next": "あゆ"}', ("あ", (1, 2), "やあ", "あゆ")),
        ('{"thought": "あ", "acts": [1], "words": "やあ、お', ("あ", (1,), "やあ、お", "")),
        ('{"thought": "あ", "acts": [1, 2', ("あ", (1,), "", "")),
        ('```json\n{"acts": [2], "words": "やあ"}\n```', ("", (2,), "やあ", "")),
        ('{"words": "やあ"}', ("", (), "やあ", "")),
        ('{"acts": [1], "words": "やあ", "mood": 3}', ("", (1,), "やあ", "")),
    ],
)
def test_a_turn_is_read_as_far_as_it_came(reply: str, turn: tuple[str, tuple[int, ...], str, str]) -> None:
    read = read_picked_turn(reply)
    assert read is not None
    assert (read.thought, read.words, read.next) == (turn[0], turn[2], turn[3])
    assert read.acts[: len(turn[1])] == turn[1]


@pytest.mark.parametrize("reply", ["", "おはよう", '{"meant": 1}', '{"thought": "あ', "[1, 2]", '{"acts": {"a": 1}}'])
def test_what_is_no_such_turn_is_none(reply: str) -> None:
    assert read_picked_turn(reply) is None


def test_every_beginning_of_a_turn_is_read_or_is_none_and_words_only_grow() -> None:
    whole = json.dumps({"thought": "あ", "acts": [1, 2], "words": 'う"ん\n\\ 😀', "next": "あゆ"})
    read = [read_picked_turn(whole[:end]) for end in range(len(whole) + 1)]
    grown = [one.words for one in read if one]
    assert all(after.startswith(one) for one, after in pairwise(grown))
    assert read[-1] == PickedTurn(thought="あ", acts=(1, 2), words='う"ん\n\\ 😀', next="あゆ")


@pytest.mark.parametrize("reply", ["（微笑む）「おはよう」", "(GET: マグカップ)「おはよう」", '{"mood": "calm"}'])
def test_prose_is_read_freely(reply: str) -> None:
    thought, line = said(reply)
    assert (thought.chosen, line) == (None, reply)


@pytest.mark.parametrize("key", ["model.json-cut", "model.json-shape"])
def test_half_a_turn_is_better_than_none(key: str) -> None:
    thought, line = answered(Cut('{"thought": "喉が渇いた。", "acts": [2], "words": "おは', ModelMisbehaved(key)))
    assert (thought.text, thought.chosen, line) == ("喉が渇いた。", tags(2), "「おは」")


@pytest.mark.parametrize(
    ("begun", "key"), [('{"acts": [2], "words": "おは', "model.truncated"), ("", "model.json-cut")]
)
def test_any_other_fault_of_a_model_is_one(begun: str, key: str) -> None:
    with pytest.raises(ModelMisbehaved, match=key):
        answered(Cut(begun, ModelMisbehaved(key)))


# --- the words -------------------------------------------------------------------------------------------------------


def forms() -> Iterator[tuple[str, str]]:
    act, other = in_words(2), in_words(1)
    yield from {
        "おはよう": LINE, " 「おはよう」\n": LINE, "": "",
        "（微笑む）「おはよう」": "（微笑む）「おはよう」",
        f"（{act}）「おはよう」": LINE, f"({act}) おはよう": LINE,
        act: "", f"「{act}。」": "", f"（{act}）": "", other: "",
        f"（{other}）「おはよう」": f"（{other}）「おはよう」",
        f"{act}ね": f"「{act}ね」", "やな: おはよう": LINE, f"やな{LINE}": LINE,
        f"あゆ: {act}": "", f"やなは{act}。": "",
    }.items()  # fmt: skip


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("そうだね。" * 15 + "まだ途中で", "そうだね。" * 15), ("そうだね。" * 16, "そうだね。" * 16),
        ("うん！行くよ", "うん！行くよ"),
    ],
    ids=["cut", "whole", "short"],
)  # fmt: skip
def test_words_that_ran_into_their_limit_end_with_a_whole_sentence(words: str, kept: str) -> None:
    assert said({"acts": [2], "words": words})[1] == f"「{kept}」"


@pytest.mark.parametrize("phases", ["one", "two"])
def test_words_are_a_line_without_what_is_done_anyway(phases: Phases) -> None:
    for words, line in forms():
        picked = {"thought": "…", "acts": [2], "words": words}
        first = json.dumps(picked, ensure_ascii=False)
        model = ScriptedModel(
            {"actor.perform": [first]} if phases == "one" else {"actor.think": [first], "actor.perform": [words]}
        )
        assert answered(model, TurnForm(phases=phases))[1] == line


@pytest.mark.parametrize(
    ("words", "speech"), [("おはよう", "おはよう"), ("（微笑む）「おはよう」", "おはよう"), ("", None), ("2", None)]
)
def test_who_is_named_as_the_next_speaks_next_and_is_no_part_of_the_words(words: str, speech: str | None) -> None:
    words = in_words(2) if words == "2" else words
    picked = {"thought": "…", "acts": [2], "words": words, "next": "ゆい"}
    session = opened(garden_of(JAPANESE, SHEETS))
    session.mind = LanguageMind(ScriptedModel({"actor.perform": [json.dumps(picked, ensure_ascii=False)]}))

    async def through() -> Any:
        await session.open()
        return await play_turn(session, "やな")

    turn = asyncio.run(through())
    assert (turn.next_speaker, turn.next_reason) == ("ゆい", "tag")
    assert turn.take.ruling.parsed.speech == speech
    assert turn.deeds


def test_one_act_by_itself_as_old_journals_have_it_is_a_list_of_one() -> None:
    assert Thought.model_validate({"text": "…", "chosen": "(GET: 鍵)"}).chosen == ("(GET: 鍵)",)
    assert Thought.model_validate_json('{"text": "…", "chosen": null}').chosen is None
    assert Thought.model_validate_json('{"text": "…", "chosen": ["(GET: 鍵)"]}').chosen == ("(GET: 鍵)",)


# --- what may be told -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", "「マグカップはテーブルの上」"),
        ("おはよう", "「マグカップはテーブルの上」 「おはよう」"),
        ("マグカップはテーブルの上だよ", "「マグカップはテーブルの上だよ」"),
    ],
)
def test_what_is_picked_to_be_told_is_told_once(words: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = {**JAPANESE, "props": {**JAPANESE["props"], "テーブル": {"location": "台所", "fixed": True}}}
    session = opened(garden_of(world, SHEETS))
    asyncio.run(session.open())
    view = session.view("やな")
    decision = decide(view, session.standing.minds["やな"])
    told = SpeechAct(SpeechVerb.TELL, "あゆ", Fact(subject="マグカップ", relation="on", object="テーブル"))
    monkeypatch.setattr("hakoniwa.actor.turn_prompts.offered_speech_acts", lambda *_: [told])
    monkeypatch.setattr("hakoniwa.actor.turn_prompts.spoken_line", lambda *_: "マグカップはテーブルの上")
    last = len(offered_acts(view, decision, CHOICES)) + 1
    model = ScriptedModel({"actor.perform": [json.dumps({"thought": "", "acts": [last], "words": words})]})
    mind = LanguageMind(model)
    thought = asyncio.run(mind.think(view, decision))
    performance, _ = asyncio.run(mind.perform(view, decision, thought))
    assert (thought.chosen, performance.text) == ((), line)
    assert f"{last} あゆに「マグカップはテーブルの上」と言う" in model.calls[0][1][1].content
