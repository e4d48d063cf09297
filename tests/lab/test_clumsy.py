"""The clumsy model: deterministic, prone to err, and helped by what is in its prompt."""

import asyncio
import json

import pytest

from hakoniwa.errors import ModelError
from hakoniwa.lab.clumsy import ClumsyModel, Habits, phrases_for
from hakoniwa.llm import Message, Usage

SCENE = """\
<scene_state location="キッチン">
<actor id="やな"/>
<actor id="あゆ"/>
<environment>
テーブル
マグカップ (きれい、テーブルの上): 飲む
</environment>
</scene_state>"""
STORY = "【これまで】\nやな（首をかしげる）「おなかがすいた」"
TAIL = "あなたはやな。"
NEVER = Habits(imagines=0, loops=0, idles=0, misaddresses=0, breaks_form=0, fails=0)
ALWAYS = {"heeds_list": 1.0, "heeds_facts": 1.0, "heeds_guidance": 1.0}


def prompt(*lines: str, story: str = STORY) -> str:
    return "\n".join([story, "【いま】", SCENE, TAIL, *lines])


def asked(text: str, habits: Habits, seeds: int = 30, purpose: str = "actor.perform") -> list[str]:
    return [_reply(ClumsyModel(seed, habits), text, purpose) for seed in range(seeds)]


def _reply(model: ClumsyModel, text: str, purpose: str, schema: dict[str, object] | None = None) -> str:
    async def whole() -> str:
        stream = model.chat([Message(role="user", content=text)], purpose, 100, schema)
        return "".join([piece async for piece in stream if not isinstance(piece, Usage)])

    return asyncio.run(whole())


def share(replies: list[str], *signs: str) -> float:
    return sum(any(sign in one for sign in signs) for one in replies) / len(replies)


def test_the_same_seed_and_prompt_give_the_same_reply() -> None:
    assert asked(prompt(), Habits(fails=0)) == asked(prompt(), Habits(fails=0))
    assert len(set(asked(prompt(), Habits(fails=0)))) > 10


def test_left_to_itself_it_uses_what_is_not_there() -> None:
    things = phrases_for("ja").imagined.values()
    assert share(asked(prompt(), NEVER.with_field("imagines", 1.0)), *things) == 1.0
    assert share(asked(prompt(), NEVER), *things) == 0.0


@pytest.mark.parametrize(
    "listed", ["いまできる行動の例: 窓を磨く、床を掃く", "【GMより】卵はどこにもない。\nできること: 窓を磨く、床を掃く"]
)
def test_a_list_of_acts_or_a_guidance_card_is_taken_up_mostly(listed: str) -> None:
    habits = Habits(imagines=1.0, fails=0)
    replies = asked(prompt(listed), habits, seeds=100)
    assert 0.6 < share(replies, "窓を磨く", "床を掃く") < 0.9
    assert share(asked(prompt(), habits, seeds=100), "窓を磨く", "床を掃く") == 0.0


def test_a_fact_keeps_it_from_the_thing_the_fact_denies() -> None:
    tempted = "【これまで】\n卵を割ってオムレツを焼こうよ。"
    habits = NEVER.with_fields({"imagines": 1.0, "swayed": 1.0, **ALWAYS})
    assert share(asked(prompt(story=tempted), habits), "卵を割る", "オムレツを食べる") == 1.0
    told = prompt("FACT: キッチンに卵はない。", story=tempted)
    assert share(asked(told, habits), "卵を割る") == 0.0


def test_it_repeats_itself_until_told_that_the_talk_goes_in_circles() -> None:
    habits = NEVER.with_fields({"loops": 1.0, **ALWAYS})
    assert share(asked(prompt(), habits), "「おなかがすいた」") == 1.0
    assert share(asked(prompt("FACT: 会話が停滞気味。新しい話題や行動を。"), habits), "「おなかがすいた」") == 0.0


def test_it_calls_people_by_their_names_until_told_what_they_are_called() -> None:
    habits = NEVER.with_fields({"misaddresses": 1.0, **ALWAYS})
    assert share(asked(prompt(), habits), "「あゆ、") == 1.0
    assert share(asked(prompt("FACT: やなはあゆを「姉様」と呼ぶ。"), habits), "「あゆ、") == 0.0


def test_what_it_is_asked_for_before_changes_no_dice() -> None:
    """So that arms differ by their prompts alone."""

    def second_turn(retakes: int) -> str:
        model = ClumsyModel(7, Habits(fails=0))
        for purpose in ("actor.think", "actor.perform", *["actor.retake"] * retakes, "actor.think"):
            _reply(model, prompt(), purpose)
        return _reply(model, prompt(), "actor.perform")

    assert len({second_turn(retakes) for retakes in range(3)}) == 1


def test_an_act_is_chosen_by_its_number() -> None:
    listed = prompt("0 何もしないで話す", "1 窓を磨く", "2 床を掃く")
    models = [ClumsyModel(seed, Habits(fails=0)) for seed in range(40)]
    replies = [json.loads(_reply(one, listed, "actor.perform", {"properties": {"words": {}}})) for one in models]
    assert {tuple(one["acts"]) for one in replies} == {(0,), (1,), (2,)}
    assert all(one["words"] for one in replies)


def test_now_and_then_it_fails() -> None:
    with pytest.raises(ModelError):
        asked(prompt(), Habits(fails=1.0), seeds=1)


def test_it_speaks_english_to_an_english_prompt() -> None:
    things = "<environment>\nteapot (warm): pour\n</environment>"
    scene = f'[Now]\n<scene_state location="tea room">\n{things}\n</scene_state>\nYou are Theo.'
    assert share(asked(scene, NEVER), "teapot") == 1.0
