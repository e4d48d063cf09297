"""Meddling: things and incidents the user brings about are events like any other, and nobody's fault."""

import pytest

from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.play.user_acts import drop_prop
from hakoniwa.stage.patch import apply
from tests.worlds import tiny

ROOM = tiny(
    {
        "卓": {"location": "茶室", "fixed": True, "aliases": ["机"]},
        "箱": {"location": "茶室", "container": True, "state": ["open"]},
        "櫃": {"location": "茶室", "container": True, "state": ["closed"]},
        "笛": {"location": "茶室", "held_by": "楓"},
    },
    characters={"楓": {"location": "茶室", "holding": ["笛"]}, "蓬": {"location": "中庭", "holding": []}},
)


@pytest.mark.parametrize(
    ("place", "prop", "witnesses"),
    [
        (None, {"location": "茶室"}, ("楓",)),
        ("中庭", {"location": "中庭"}, ("蓬",)),
        ("机", {"location": "茶室", "on": "卓"}, ("楓",)),
        ("箱", {"location": "茶室", "inside": "箱"}, ("楓",)),
        ("櫃", {"location": "茶室", "inside": "櫃"}, ()),
    ],
)
def test_a_thing_is_there_and_those_who_can_see_it_know(
    place: str | None, prop: dict[str, str], witnesses: tuple[str, ...]
) -> None:
    event = drop_prop(ROOM, "鈴", place)
    after = apply(ROOM, event.world_delta)
    assert (event.kind, event.origin, event.witnesses) == ("prop", "user", witnesses)
    assert after.props["鈴"].model_dump(exclude_unset=True) == prop
    assert after.events == ("いつのまにか、そこに鈴がある。",)


@pytest.mark.parametrize("name", ["箱", "机", "楓", "中庭", "笛"])
def test_a_name_belongs_to_one_thing(name: str) -> None:
    with pytest.raises(UsageError, match=r"play\.prop-exists"):
        drop_prop(ROOM, name)


@pytest.mark.parametrize("name", ["", "あ" * 65, "鈴\x07"])
def test_some_names_cannot_be(name: str) -> None:
    with pytest.raises(UsageError, match=r"play\.bad-name"):
        drop_prop(ROOM, name)


def test_nothing_is_put_on_what_somebody_holds() -> None:
    with pytest.raises(UsageError, match=r"play\.not-a-place"):
        drop_prop(ROOM, "鈴", "笛")


def test_a_place_has_to_exist() -> None:
    with pytest.raises(UnknownName, match=r"unknown\.place"):
        drop_prop(ROOM, "鈴", "月面")


def test_a_new_thing_makes_people_curious() -> None:
    (urge,) = drop_prop(ROOM, "鈴").payload["urges"]
    assert (urge["kind"], urge["goal"]) == ("curiosity", {"did": {"verb": "INSPECT", "target": ["鈴"]}})
