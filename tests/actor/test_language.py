"""The language mind: two calls a turn, prompts whole in both languages, roles that alternate."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from jinja2 import Environment, UndefinedError
from jinja2.meta import find_undeclared_variables

from hakoniwa import prompts
from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.mind import MindState, decide
from hakoniwa.actor.turn_prompts import TurnForm
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel, Message
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.messages import LANGUAGES
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn
from hakoniwa.prompts import render
from hakoniwa.turn import Turn
from tests.gardens import FREE, first_asked, garden_of, shipped_garden

FILES = sorted(Path(prompts.__file__).parent.rglob("*.j2"))
NAMES = sorted({path.relative_to(FILES[0].parents[1]).as_posix().split(".")[0] for path in FILES})
NEEDS = re.compile(r"^\{# needs: (?P<names>.+?) #\}")

JAPANESE: dict[str, Any] = {
    "time": {"label": "朝", "clock": "07:10"},
    "meta": {"weather": "晴れ"},
    "location": {"current": "台所"},
    "locations": {"台所": {"description": "日が差している。", "exits": ["居間"]}, "居間": {"exits": ["台所"]}},
    "characters": {"やな": {"location": "台所"}, "あゆ": {"location": "台所"}, "ゆい": {"location": "台所"}},
    "props": {"マグカップ": {"location": "台所", "state": ["clean"]}},
}
ENGLISH: dict[str, Any] = {
    "time": {"label": "morning", "clock": "07:10"},
    "meta": {"weather": "sunny"},
    "location": {"current": "kitchen"},
    "locations": {"kitchen": {"exits": ["hall"]}, "hall": {"exits": ["kitchen"]}},
    "characters": {"Ann": {"location": "kitchen"}, "Theo": {"location": "kitchen"}},
    "props": {"mug": {"location": "kitchen"}},
}
DRINK = {"kind": "body", "goal": {"did": {"verb": "DRINK"}}}
SHEETS: dict[str, dict[str, Any]] = {
    "やな": {"persona": "よく笑う姉。", "desires": [{"name": "喉を潤したい", **DRINK}]},
    "あゆ": {"persona": "静かな妹。"},
    "Ann": {"persona": "Laughs a lot.", "desires": [{"name": "a drink", **DRINK}]},
    "Theo": {"persona": "Says little."},
}


def session_of(world: dict[str, Any], model: ChatModel, form: TurnForm = FREE) -> Session:
    garden = garden_of(world, SHEETS)
    journal = MemoryJournal()
    journal.create(garden)
    return Session(journal, garden, LanguageMind(model, form))


def scripted(
    think: Sequence[str] = ("喉が渇いた。",),
    perform: Sequence[str] = ("（微笑む）「おはよう」",),
    **more: Sequence[str],
) -> ScriptedModel:
    return ScriptedModel(
        {"actor.think": think, "actor.perform": perform, **{f"actor.{k}": v for k, v in more.items()}}, loop=True
    )


def turn_of(session: Session, who: str, heard: str = "") -> Turn:
    async def through() -> Turn:
        await session.open()
        if heard:
            await session.say(heard)
        return await play_turn(session, who)

    return asyncio.run(through())


# --- calls ---------------------------------------------------------------------------------------------------------


def test_a_turn_is_two_calls() -> None:
    model = scripted()
    turn = turn_of(session_of(JAPANESE, model), "やな")
    assert [purpose for purpose, _ in model.calls] == ["actor.think", "actor.perform"]
    assert (turn.thought.text, turn.take.performance.text) == ("喉が渇いた。", "（微笑む）「おはよう」")


def test_a_retake_is_one_call_more() -> None:
    model = scripted(perform=["(GET: 竜)"], retake=["（微笑む）「おはよう」"])
    turn_of(session_of(JAPANESE, model), "やな")
    assert [purpose for purpose, _ in model.calls] == ["actor.think", "actor.perform", "actor.retake"]


@pytest.mark.parametrize(("world", "who"), [(JAPANESE, "やな"), (ENGLISH, "Ann")])
def test_after_the_frame_roles_alternate_and_the_user_begins(world: dict[str, Any], who: str) -> None:
    model = scripted(perform=["(GET: 竜)"], retake=["(GET: 竜)"])
    turn_of(session_of(world, model), who)
    roles = [[message.role for message in messages] for _, messages in model.calls]
    assert roles == [
        ["system", "user"],
        *[["system", "user", "assistant", "user"]] * 3,
    ]


def test_the_second_phase_continues_the_first() -> None:
    model = scripted(perform=["(GET: 竜)"], retake=["（微笑む）「うん」"])
    turn_of(session_of(JAPANESE, model), "やな")
    think, (*first, thought, ask), (*again, same, corrected) = (messages for _, messages in model.calls)
    assert first == again == think
    assert thought == same == Message(role="assistant", content="喉が渇いた。")
    assert corrected.content.startswith(ask.content)
    assert "竜" in corrected.content.removeprefix(ask.content)


def test_the_numbers_decide_and_are_told() -> None:
    session = session_of(JAPANESE, scripted())
    asyncio.run(session.open())
    view = session.view("やな")
    decision = decide(view, session.standing.minds["やな"])
    thought = asyncio.run(session.mind.think(view, decision))
    assert thought.desires == decision.ranked
    assert thought.beliefs == decision.beliefs
    assert thought.means == decision.means


def test_what_a_model_says_is_no_line_of_the_phrasebook() -> None:
    session = session_of(JAPANESE, scripted())
    session.standing.minds["やな"] = MindState(said=("いい朝だ。",))
    turn_of(session, "やな")
    assert session.standing.minds["やな"].said == ("いい朝だ。",)


def test_blanks_around_a_reply_are_dropped() -> None:
    turn = turn_of(session_of(JAPANESE, scripted(["\n 喉が渇いた。 "], [" （微笑む）「おはよう」\n"])), "やな")
    assert (turn.thought.text, turn.take.performance.text) == ("喉が渇いた。", "（微笑む）「おはよう」")


def test_the_mind_bears_the_name_of_its_model() -> None:
    assert LanguageMind(scripted(), FREE).name == "scripted"


# --- prompts -------------------------------------------------------------------------------------------------------


def needs(path: Path) -> set[str]:
    found = NEEDS.match(path.read_text(encoding="utf-8"))
    assert found, f"{path.name} does not say what it needs"
    return {name.strip() for name in re.sub(r"\([^)]*\)", "", found["names"]).split(",")}


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_there_in_both_languages_and_needs_the_same(name: str) -> None:
    folder = FILES[0].parents[1]
    asked = [needs(folder / f"{name}.{language}.j2") for language in LANGUAGES]
    assert asked[0] == asked[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_prompt_uses_what_it_says_it_needs_and_nothing_else(path: Path) -> None:
    used = find_undeclared_variables(Environment().parse(path.read_text(encoding="utf-8")))
    assert used == needs(path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_value_that_is_missing_is_an_error(language: str) -> None:
    with pytest.raises(UndefinedError):
        render("actor/retake", language, me="やな")


def opening(model: ScriptedModel) -> str:
    return first_asked(model.calls[0][1])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["kitchen_morning", "tea_room", "three_voices", "hermit"])
def test_every_shipped_garden_can_be_asked_of_a_model(name: str, seed: int) -> None:
    model = scripted()
    garden = shipped_garden(name, seed)
    journal = MemoryJournal()
    journal.create(garden)
    session = Session(journal, garden, LanguageMind(model, FREE))

    async def round_once() -> None:
        await session.open()
        for who in session.cast:
            await play_turn(session, who)

    asyncio.run(round_once())
    assert {purpose for purpose, _ in model.calls} <= {"actor.think", "actor.perform", "actor.retake"}
    assert [
        text
        for _, messages in model.calls
        for text in (one.content for one in messages)
        if "{{" in text or "{%" in text
    ] == []


def test_what_all_share_stands_first_then_the_transcript_then_the_turn() -> None:
    model = scripted()
    turn_of(session_of(JAPANESE, model), "やな", heard="おはよう、やな")
    text = opening(model)
    places = [
        text.index(part)
        for part in ("よく笑う姉。", "静かな妹。", "おはよう、やな", "<scene_state", "あなたはやな。", "喉を潤したい")
    ]
    assert places == sorted(places)


def test_a_nomination_is_asked_for_only_where_there_is_a_choice() -> None:
    three, two = scripted(), scripted()
    turn_of(session_of(JAPANESE, three), "やな")
    turn_of(session_of(ENGLISH, two), "Ann")
    assert "[Next: あゆ]" in three.calls[1][1][-1].content
    assert "[Next" not in two.calls[1][1][-1].content


def test_the_forms_of_the_normal_reply_are_asked_for() -> None:
    model = scripted()
    turn_of(session_of(JAPANESE, model), "やな")
    assert "する事を（　）に、言う事を「　」に入れて" in model.calls[1][1][-1].content


def whole_prompt(world: dict[str, Any], who: str, heard: str) -> list[str]:
    """What a model is asked where nobody has set anything."""
    model = ScriptedModel({"actor.perform": ['{"thought": "…", "acts": [0], "words": "…"}'], "actor.retake": ["…"]})
    turn_of(session_of(world, model, TurnForm()), who, heard)
    return [message.content for message in model.calls[0][1]]


def test_a_whole_prompt_in_japanese() -> None:
    assert whole_prompt(JAPANESE, "やな", "おはよう") == snapshot(
        [
            """\
ここは箱庭。小さな世界で人が暮らし、その一部始終が芝居になる。あなたはそのつど、そのうちの一人を演じる。

【決まり】
- 使えるのは場面にあるものだけ。書かれていないものは、無い。
- 演じるのは自分の役だけ。ほかの人の台詞や行動は書かない。
- うまくいかなければ、謝ったり説明したりせず、別のやり方を取る。

【登場人物】
■ やな（誰か）
よく笑う姉。
■ あゆ（誰か）
静かな妹。
■ ゆい（誰か）
どこにでもいる人。\
""",
            """\
【これまで】
声「おはよう」

【いま】
<scene_state location="台所" time="朝 07:10" weather="晴れ">
<actor id="やな"/>
<actor id="あゆ"/>
<actor id="ゆい"/>
<environment>
マグカップ (きれい)
</environment>
<exits>居間</exits>
</scene_state>
あなたはやな。
見立て: あゆがここにいる／ゆいがここにいる／声が何か言っている
望み（強い順）: 喉を潤したい
いまやなにできること（番号で選ぶ）:
0 何もせず、話すだけ
1 居間へ行く
2 マグカップを手に取る
3 マグカップを調べる
4 あゆを調べる
5 ゆいを調べる

やなの番です。JSONで答えてください。
thought: いまの気持ちを短く。
acts: これからすることの番号を、する順に。話すだけなら0。
words: 口に出すやなの台詞を、話し言葉で一、二文。することの説明や、前に出た台詞は書かない。
next: 次に話しそうな人。\
""",
        ]
    )


def test_a_whole_prompt_in_english() -> None:
    assert whole_prompt(ENGLISH, "Ann", "Good morning") == snapshot(
        [
            """\
This is a miniature garden: a small world where people live, and all of it becomes a play. You play one of its people at a time.

[Rules]
- Only what is in the scene can be used. What is not written there is not there.
- Play your own part only. Never write another person's words or acts.
- If something does not work, do not apologise or explain: do it another way.

[The cast]
* Ann (誰か)
Laughs a lot.
* Theo (誰か)
Says little.\
""",  # noqa: E501
            """\
[So far]
A voice: "Good morning"

[Now]
<scene_state location="kitchen" time="morning 07:10" weather="sunny">
<actor id="Ann"/>
<actor id="Theo"/>
<environment>
mug
</environment>
<exits>hall</exits>
</scene_state>
You are Ann.
How you see it: Theo is here / A voice has said something / the mug is here
What you want, strongest first: a drink
What Ann can do now, by number:
0 nothing, only talk
1 go to the hall
2 pick up the mug
3 look closely at the mug
4 look closely at Theo

Ann, it is your turn: one short beat. Answer in JSON.
thought: how you feel, in a few words.
acts: the numbers of what you do now, in that order; 0 if you only talk.
words: your reply, in your manner: one or two short sentences of talk that nobody has said yet. Nobody narrates.\
""",
        ]
    )
