"""One GM step: a ruling whose delta is good JSON Patch for whoever keeps the world, and nothing else changes."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.step import rule_on
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import PatchOp
from tests.worlds import kitchen, lighthouse, small_worlds


def strictly(document: Any, delta: tuple[PatchOp, ...]) -> Any:
    """A delta applied to plain JSON to the letter of RFC 6902: what is replaced or removed must be there."""
    document = copy.deepcopy(document)
    for one in copy.deepcopy(delta):
        *way, last = [step.replace("~1", "/").replace("~0", "~") for step in one.path.split("/")[1:]]
        node = document
        for step in way:
            node = node[int(step)] if isinstance(node, list) else node[step]
        if isinstance(node, list):
            place = len(node) if last == "-" else int(last)
            assert place < len(node) + (one.op == "add"), one
            if one.op == "add":
                node.insert(place, one.value)
            elif one.op == "remove":
                del node[place]
            else:
                node[place] = one.value
        else:
            assert one.op == "add" or last in node, one
            if one.op == "remove":
                del node[last]
            else:
                node[last] = one.value
    return document


@given(st.data())
def test_the_caller_can_apply_every_delta_to_their_own_json(data: st.DataObject) -> None:
    world = data.draw(small_worlds())
    document = world.model_dump(mode="json", exclude_unset=True)
    for _ in range(3):
        who = data.draw(st.sampled_from([*world.characters]))
        options = list(possible_acts(world, who))
        if not options:
            continue
        acts = data.draw(st.lists(st.sampled_from(options), min_size=1, max_size=3))
        delta = rule_on(world, who, " ".join(act.tag for act in acts)).ruling.world_delta
        document, world = strictly(document, delta), apply(world, delta)
        assert WorldState.model_validate(document).hash == world.hash


@pytest.mark.parametrize(
    "reply",
    [
        "(GET: 匙) (PUT: 匙 -> 皿)",
        "(GET: 匙) (PUT: 匙 -> 箱) (GET: 匙)",
        "(GET: 箱) (MOVE: 廊下)",
        "(GET: 匙) (GIVE: 匙 -> あゆ)",
        "(OPEN: 箱) (CLOSE: 箱)",
        "(SIT) (MOVE: 廊下)",
    ],
)
def test_what_the_caller_left_out_is_added_and_not_replaced(reply: str) -> None:
    document = kitchen(
        locations={"キッチン": {"exits": ["廊下"]}, "廊下": {}},
        characters={"やな": {"location": "キッチン"}, "あゆ": {"location": "キッチン"}},
        props={"皿": {"location": "キッチン"}, "箱": {"on": "皿", "container": True}, "匙": {"inside": "箱"}},
    )
    world = WorldState.model_validate(document)
    ruling = rule_on(world, "やな", reply).ruling
    assert ruling.allowed

    after = strictly(document, ruling.world_delta)

    assert WorldState.model_validate(after).hash == apply(world, ruling.world_delta).hash


def test_speech_and_gestures_change_nothing_and_a_question_is_noted() -> None:
    world = lighthouse("ja")

    assert rule_on(world, "汐里", "（肩をすくめる）「冷えるね」").ruling.world_delta == ()
    (asked,) = rule_on(world, "汐里", "「鉄平、寒くないか？」").ruling.world_delta
    assert (asked.op, asked.path, asked.value) == ("add", "/events/-", "汐里が鉄平に尋ねた: 鉄平、寒くないか？")


def test_the_first_event_of_a_world_without_any_starts_the_list() -> None:
    document = kitchen()
    del document["events"]
    world = WorldState.model_validate(document)

    delta = rule_on(world, "やな", "(INSPECT: マグカップ) 「あゆ、これは？」").ruling.world_delta

    assert strictly(document, delta)["events"] == ["やなはマグカップをよく見た。", "やながあゆに尋ねた: あゆ、これは？"]


def test_the_clock_is_never_touched() -> None:
    world = lighthouse("en")
    for act in possible_acts(world, "Maren"):
        delta = rule_on(world, "Maren", act.tag).ruling.world_delta
        assert not any(one.path.startswith(("/time", "/meta", "/location/", "/rules")) for one in delta)
        assert {one.op for one in delta} <= {"add", "replace", "remove", "test"}


def test_a_step_leaves_the_world_it_was_given_alone() -> None:
    world = lighthouse("ja")
    before = world.model_dump()

    rule_on(world, "汐里", "(GET: 干し芋) (EAT: 干し芋) 「うまい」")

    assert world.model_dump() == before


def test_the_ruling_names_what_was_meant() -> None:
    ruling = rule_on(lighthouse("en"), "Maren", "(GET: the Biscuit) (PUT: it -> table's leg)").ruling

    assert [(one.written, one.resolved, one.how) for one in ruling.resolution] == [
        ("the Biscuit", "biscuit", "derived"), ("it", "biscuit", "pronoun"), ("table's leg", "table", "part"),
    ]  # fmt: skip
    assert [(one.target, one.destination) for one in ruling.parsed.action_intents] == [
        ("biscuit", None), ("biscuit", "table"),
    ]  # fmt: skip
    assert ruling.told == ("Maren picked up the biscuit.", "Maren put the biscuit on the table.")
