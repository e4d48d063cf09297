"""offered: what is meant comes first, then what serves a desire, then a bit of everything; idle laying comes last."""

from dataclasses import replace
from typing import Any

import pytest

from hakoniwa.actor.mind import Decision, decide
from hakoniwa.actor.turn_prompts import offered_acts
from hakoniwa.actor.view import CharacterView
from hakoniwa.gm.judge import denial_of
from tests.gardens import garden_of, opened

WORLD: dict[str, Any] = {
    "time": {"label": "朝"},
    "location": {"current": "台所"},
    "locations": {"台所": {"exits": ["居間"]}, "居間": {"exits": ["台所"]}},
    "characters": {"やな": {"location": "台所", "holding": ["本", "皿"]}, "あゆ": {"location": "台所"}},
    "props": {
        "本": {"location": "台所", "held_by": "やな", "affordances": ["読む"]},
        "皿": {"location": "台所", "held_by": "やな"},
        "棚": {"location": "台所", "fixed": True},
        "机": {"location": "台所", "fixed": True},
        "窓": {"location": "台所", "fixed": True, "state": ["closed"]},
        "箱": {"location": "台所", "container": True, "state": ["locked"], "affordances": ["開ける(要:鍵)"]},
    },
}
READ = {"name": "読みたい", "kind": "curiosity", "goal": {"did": {"verb": "READ", "target": ["本", "皿"]}}}
TIDY = {"name": "片付けたい", "kind": "duty", "goal": {"placed": {"本": "棚"}}}
AIR = {"name": "風を入れたい", "kind": "body", "goal": {"state": {"窓": "open"}}}
LOCKED = {"name": "箱を開けたい", "kind": "gain", "goal": {"state": {"箱": "open"}}}


def meant(*desires: dict[str, Any]) -> tuple[CharacterView, Decision]:
    session = opened(garden_of(WORLD, {"やな": {"desires": list(desires)}}))
    view = session.view("やな")
    return view, decide(view, session.standing.minds["やな"])


def tags(*desires: dict[str, Any], limit: int = 100) -> list[str]:
    return [act.tag for act in offered_acts(*meant(*desires), limit)]


@pytest.mark.parametrize("desire", [READ, TIDY, AIR, LOCKED], ids=lambda one: one["name"])
def test_what_is_meant_comes_first(desire: dict[str, Any]) -> None:
    view, decision = meant(desire)
    assert offered_acts(view, decision, 5)[0] == decision.acts[0]


def test_what_is_meant_is_offered_even_where_it_will_fail_and_nothing_else_is() -> None:
    view, decision = meant(LOCKED)
    first, *others = offered_acts(view, decision, 100)
    assert denial_of(view.believed, "やな", first) is not None
    assert [act.tag for act in others if denial_of(view.believed, "やな", act)] == []


def test_acts_on_what_is_wanted_come_before_all_others() -> None:
    places = [act.target == "窓" for act in offered_acts(*meant(AIR), 100)]
    assert places == sorted(places, reverse=True)
    assert sum(places) > 1


def test_a_thing_one_wants_to_read_is_not_offered_to_be_laid_everywhere() -> None:
    found = tags(READ)
    laid = [place for place, tag in enumerate(found) if "->" in tag and "PUT" in tag]
    assert min(laid) > max(place for place, tag in enumerate(found) if "->" not in tag)


def test_laying_a_thing_where_it_is_wanted_is_offered_early() -> None:
    assert tags(TIDY)[0] == "(PUT: 本 -> 棚)"
    assert "(PUT: 皿 -> 机)" in tags(TIDY)[-8:]


@pytest.mark.parametrize("limit", [0, 1, 6, 9])
def test_a_shorter_list_is_the_beginning_of_a_longer_one(limit: int) -> None:
    assert tags(READ, AIR, limit=limit) == tags(READ, AIR)[:limit]


@pytest.mark.parametrize(("done", "offers"), [(0, True), (1, True), (2, False)])
def test_what_was_done_time_and_again_is_not_offered_once_more(done: int, offers: bool) -> None:
    view, decision = meant(AIR)
    lately = decision.state.model_copy(update={"last_acts": ("(READ: 本)",) * done})
    assert ("(READ: 本)" in [act.tag for act in offered_acts(view, replace(decision, state=lately), 100)]) is offers


def test_no_act_is_offered_twice() -> None:
    found = tags(READ, TIDY, AIR)
    assert len(found) == len(set(found))
