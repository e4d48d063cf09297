"""Personality acts in code: two sheets that differ in one number do, want, believe or endure differently."""

from random import Random
from typing import Any

import pytest

from hakoniwa.actor.builtin import speak
from hakoniwa.actor.character import Character
from hakoniwa.actor.mind import (
    Decision,
    MindState,
    Mood,
    apply_shock,
    begin_turn,
    believe,
    compete,
    decide,
    learn,
    tries_after_denial,
    weight,
)
from hakoniwa.actor.view import CharacterView
from hakoniwa.stage.belief import believed_world, first_belief
from hakoniwa.stage.goal import Desire
from hakoniwa.stage.scene import look
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Turn, WitnessedEvent
from tests.gardens import garden_of, opened, played, shipped_garden

NUMBERS = (
    "openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism", "grit", "growth_mindset",
)  # fmt: skip


def person(**sheet: Any) -> Character:
    numbers = {name: sheet.pop(name) for name in NUMBERS if name in sheet}
    return Character.model_validate({"display_name": "澄", "persona": "…", "personality": numbers, **sheet})


def antechamber(status: str = "") -> dict[str, Any]:
    """A room with a locked door, somebody else in it, and nothing to search."""
    by_door = {"via": "扉"}
    return {
        "location": {"current": "控えの間"},
        "locations": {"控えの間": {"exits": {"奥の間": by_door}}, "奥の間": {"exits": {"控えの間": by_door}}},
        "characters": {
            "澄": {"location": "控えの間"},
            "連れ": {"location": "控えの間", "status": [status] if status else []},
        },
        "props": {
            "扉": {
                "location": "控えの間", "fixed": True, "state": ["locked"],
                "affordances": ["開ける", "解錠する(要:奥の鍵)", "蹴る"],
            },
        },
    }  # fmt: skip


def sees(
    character: Character, world: dict[str, Any], seed: int = 0, recent: tuple[WitnessedEvent, ...] = ()
) -> CharacterView:
    """澄's side of a turn in a world."""
    state = WorldState.model_validate(world)
    belief = first_belief(state, "澄", "all")
    return CharacterView(
        who="澄",
        character=character,
        scene=look(state, "澄", belief),
        belief=belief,
        believed=believed_world(belief, state),
        recent=recent,
        urges=(),
        dice=Random(seed),
    )


def lived(world: dict[str, Any], turns: int = 12, **sheet: Any) -> list[Turn]:
    """澄's own turns in a garden in which the other does nothing."""
    who = person(**sheet).model_dump(mode="json", exclude_unset=True)
    session = opened(garden_of(world, {"澄": who}))
    mine = [turn for turn in played(session, turns) if turn.speaker == "澄"]
    session.close()
    return mine


ENTER = {"desires": [{"name": "奥へ", "kind": "curiosity", "strength": 1, "urgency": 1, "goal": {"at": "奥の間"}}]}
MEEK = {"conscientiousness": 0.2, "extraversion": 0.2, "agreeableness": 0.8, "openness": 0.0}


# --- grit -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("grit", "tries"), [(0, 0), (0.39, 0), (0.4, 1), (0.69, 1), (0.7, 3), (1, 3)])
def test_grit_is_how_many_further_tries_a_denial_leaves(grit: float, tries: int) -> None:
    assert tries_after_denial(grit) == tries


@pytest.mark.parametrize(("grit", "tries"), [(0.1, 0), (0.5, 1), (0.9, 3)])
def test_grit_each_further_try_is_by_another_means(grit: float, tries: int) -> None:
    turns = lived(antechamber(), 14, grit=grit, **ENTER)

    assert (turns[0].thought.intention, turns[0].take.ruling.allowed) == ("(OPEN: 扉)", False)
    tried = [turn.thought.intention for turn in turns[1:] if turn.thought.means not in ("idle", "talk")]
    assert len(tried) == tries
    assert len({*tried, "(OPEN: 扉)"}) == tries + 1


# --- the same locked door, three people -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "value", "means", "deed"),
    [
        ("conscientiousness", 0.9, "inspect", "(INSPECT: 扉)"),
        ("agreeableness", 0.1, "force", "(KICK: 扉)"),
        ("extraversion", 0.9, "call", "(CALL: 連れ)"),
    ],
)
def test_before_a_locked_door_one_number_decides_the_means(number: str, value: float, means: str, deed: str) -> None:
    turns = lived(antechamber(), 4, grit=0.5, **{**MEEK, number: value}, **ENTER)

    assert (turns[1].thought.means, turns[1].thought.intention) == (means, deed)


# --- openness -------------------------------------------------------------------------------------------------------


def test_openness_is_how_much_enters_the_belief_block() -> None:
    world = antechamber()
    world["props"] |= {f"品{number}": {"location": "控えの間"} for number in range(12)}

    closed, curious = (believe(sees(person(openness=value), world), MindState()) for value in (0.0, 1.0))

    assert (len(closed), len(curious)) == (2, 8)
    assert curious[: len(closed)] == closed


def test_openness_is_the_weight_of_curiosity() -> None:
    assert weight("curiosity", person(openness=0.9)) > weight("curiosity", person(openness=0.1))
    assert wins(person(openness=0.9, desires=RIVALS["curiosity"])) == "curiosity"
    assert wins(person(openness=0.1, desires=RIVALS["curiosity"])) == "body"


# --- conscientiousness ----------------------------------------------------------------------------------------------


def rival(kind: str) -> list[dict[str, Any]]:
    """A need of the body against one of another kind, equally strong."""
    goal = {"goal": {"did": {"verb": "INSPECT", "target": ["扉"]}}}
    return [{"name": name, "kind": name, "strength": 0.5, "urgency": 0.5, **goal} for name in ("body", kind)]


RIVALS = {kind: rival(kind) for kind in ("safety", "company", "esteem", "curiosity", "duty", "gain")}


def wins(character: Character) -> str:
    decision = decide(sees(character, antechamber()), MindState())
    assert decision.desire is not None
    return decision.desire.name


def test_conscientiousness_is_the_weight_of_duty() -> None:
    assert wins(person(conscientiousness=0.9, desires=RIVALS["duty"])) == "duty"
    assert wins(person(conscientiousness=0.1, desires=RIVALS["duty"])) == "body"


def test_conscientiousness_finishes_what_was_begun() -> None:
    begun = MindState(intention="body")
    desires = [{**RIVALS["gain"][0], "strength": 0.5}, {**RIVALS["gain"][1], "strength": 0.7}]

    dutiful, careless = (
        compete(sees(person(conscientiousness=value, desires=desires), antechamber()), begun) for value in (0.9, 0.0)
    )

    assert (dutiful[0][1].name, careless[0][1].name) == ("body", "gain")


@pytest.mark.parametrize(("value", "deed"), [(0.9, "(INSPECT: 小箱)"), (0.2, "(OPEN: 小箱)")])
def test_conscientiousness_looks_before_opening(value: float, deed: str) -> None:
    world = antechamber()
    world["props"]["小箱"] = {"location": "控えの間", "container": True, "state": ["closed"]}
    desires = [{"name": "中身", "kind": "curiosity", "urgency": 1, "goal": {"state": {"小箱": "open"}}}]

    turns = lived(world, 4, conscientiousness=value, desires=desires)

    assert turns[0].thought.intention == deed
    assert "(OPEN: 小箱)" in [turn.thought.intention for turn in turns]


@pytest.mark.parametrize(("value", "first"), [(0.9, "begun"), (0.1, "new")])
def test_conscientiousness_keeps_what_was_begun_first(value: float, first: str) -> None:
    desires = [
        {
            "name": name,
            "kind": "body",
            "strength": strength,
            "urgency": 1,
            "goal": {"did": {"verb": "KICK", "target": ["扉"]}},
        }
        for name, strength in (("begun", 0.5), ("new", 0.65))
    ]
    view = sees(person(conscientiousness=value, desires=desires), antechamber())

    assert compete(view, MindState(intention="begun"))[0][1].name == first


# --- extraversion ---------------------------------------------------------------------------------------------------


def test_extraversion_is_the_weight_of_company() -> None:
    company = [{**RIVALS["company"][0]}, {**RIVALS["company"][1], "goal": {"talked": "*"}}]

    assert wins(person(extraversion=0.9, desires=company)) == "company"
    assert wins(person(extraversion=0.1, desires=company)) == "body"


def test_extraversion_is_how_readily_one_speaks_first() -> None:
    book = {"topics": {f"題{number}": {"ask": [f"その{number}はどう？"]} for number in range(8)}}

    def openings(value: float) -> int:
        sheet = person(extraversion=value, phrasebook=book)
        views = [sees(sheet, antechamber(), seed) for seed in range(300)]
        words = [speak(view, Decision(MindState(met=("連れ",)), means="direct")) for view in views]
        return sum(one is not None and one.asks for one in words)

    assert openings(1.0) > 1.15 * openings(0.0)


# --- agreeableness --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "belief"), [(0.9, "声の言葉は親切からだ"), (0.1, "声の言葉には裏がある")])
def test_agreeableness_reads_proposals_as_kind_or_suspect(value: float, belief: str) -> None:
    offer = WitnessedEvent(turn=0, kind="user", who="user", speech="君が開けてよ")

    block = believe(sees(person(agreeableness=value), antechamber(), recent=(offer,)), MindState())

    assert belief in block


def test_agreeableness_is_the_weight_of_gain_turned_round() -> None:
    assert wins(person(agreeableness=0.1, desires=RIVALS["gain"])) == "gain"
    assert wins(person(agreeableness=0.9, desires=RIVALS["gain"])) == "body"


# --- neuroticism ----------------------------------------------------------------------------------------------------


def test_neuroticism_is_the_size_of_a_shock() -> None:
    calm, shaken = (apply_shock(Mood(), -0.2, 0.2, value) for value in (0.0, 1.0))

    assert calm.valence > shaken.valence
    assert calm.arousal < shaken.arousal
    assert shaken.valence - Mood().valence == pytest.approx(4 * (calm.valence - Mood().valence), rel=0.01)


def test_neuroticism_makes_an_incident_upsetting() -> None:
    bang = WitnessedEvent(turn=0, kind="incident", who="gm", incident="bang")

    moods = [
        begin_turn(sees(person(neuroticism=value), antechamber(), recent=(bang,)), MindState()).mood.label
        for value in (0.0, 1.0)
    ]

    assert moods == ["calm", "tense"]


@pytest.mark.parametrize(
    ("numbers", "belief"),
    [
        ({"neuroticism": 0.9, "agreeableness": 0.2}, "連れは勝てない相手だ"),
        ({"neuroticism": 0.1, "agreeableness": 0.2}, "連れは倒しがいのある獲物だ"),
        ({"neuroticism": 0.1, "agreeableness": 0.8}, "連れはただ者ではなさそうだ"),
    ],
)
def test_neuroticism_sees_a_threat_where_a_fighter_sees_prey(numbers: dict[str, float], belief: str) -> None:
    assert belief in believe(sees(person(**numbers), antechamber(status="武装")), MindState())


def test_neuroticism_fears_strangers_but_not_friends() -> None:
    friend = {"speech": {"address": {"連れ": "お前"}}}

    assert "連れは勝てない相手だ" in believe(sees(person(neuroticism=0.9), antechamber()), MindState())
    assert "連れがここにいる" in believe(sees(person(neuroticism=0.9, **friend), antechamber()), MindState())
    assert "連れがここにいる" in believe(sees(person(neuroticism=0.2), antechamber()), MindState())


# --- growth mindset -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "belief"),
    [
        (0.9, "うまくいかなかった——一つ分かったことがある"),
        (0.1, "うまくいかなかった——やはり自分には無理だ"),
        (0.5, "うまくいかなかった"),
    ],
)
def test_growth_mindset_tells_a_failure_as_information_or_as_proof(value: float, belief: str) -> None:
    turns = lived(antechamber(), 4, growth_mindset=value, grit=0.5, **ENTER)

    assert not turns[0].take.ruling.allowed
    assert turns[1].thought.beliefs[0] == belief


# --- values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", RIVALS)
def test_values_decide_between_equal_desires(kind: str) -> None:
    desires = RIVALS[kind]

    assert wins(person(values={kind: 1.0, "body": 0.2}, desires=desires)) == kind
    assert wins(person(values={kind: 0.0, "body": 0.8}, desires=desires)) == "body"


def test_desires_compete_by_strength_and_urgency_too() -> None:
    def winner(strength: float, urgency: float) -> str:
        desires = [RIVALS["duty"][0], {**RIVALS["duty"][1], "strength": strength, "urgency": urgency}]
        return wins(person(desires=desires))

    assert [winner(0.9, 0.5), winner(0.5, 0.9), winner(0.2, 0.5), winner(0.5, 0.2)] == ["duty", "duty", "body", "body"]


def test_a_met_desire_falls_silent_and_grows_again() -> None:
    desire = Desire.model_validate({**RIVALS["duty"][0], "grows": 0.1})
    sheet = person(desires=[desire.model_dump()])
    view = sees(sheet, antechamber())
    decision = decide(view, MindState())
    met = learn(decision, view, view.believed, decision.acts, allowed=True)

    assert met.urgency["body"] == 0.0
    assert begin_turn(view, met).urgency["body"] == pytest.approx(0.1)


# --- the shipped people ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize(("who", "deed"), [("盗賊", "INSPECT"), ("騎士", "OPEN")])
def test_before_the_chest_the_thief_inspects_and_the_knight_opens(who: str, deed: str, seed: int) -> None:
    garden = shipped_garden("treasure_chest", seed)
    session = opened(garden.model_copy(update={"scenario": {**garden.scenario, "speakers": {"first": who}}}))

    turns = [turn for turn in played(session, 6) if turn.speaker == who]
    session.close()

    on_the_chest = [verb for turn in turns for verb, target in turn.deeds if target == "宝箱"]
    assert on_the_chest[0] == deed


def office(grit: float, seed: int) -> list[Turn]:
    session = opened(shipped_garden("detective_office", seed, {"レイモンド": {"personality": {"grit": grit}}}))
    turns = [turn for turn in played(session, 100) if turn.speaker == "レイモンド"]
    session.close()
    return turns


def after_the_drawer(turns: list[Turn]) -> list[Turn]:
    """The turns after the drawer would not open."""
    tries = [place for place, turn in enumerate(turns) if ("OPEN", "引き出し") in turn.deeds]
    assert not turns[tries[0]].take.ruling.allowed
    return turns[tries[0] + 1 :]


@pytest.mark.parametrize("seed", range(1, 4))
def test_with_grit_the_detective_hunts_for_the_key_and_without_it_he_turns_to_something_else(seed: int) -> None:
    stubborn, faint = after_the_drawer(office(0.9, seed)), after_the_drawer(office(0.1, seed))

    assert any(turn.thought.means == "search" for turn in stubborn[:2])
    assert any(("GET", "鍵") in turn.deeds for turn in stubborn)
    assert any(("OPEN", "引き出し") in turn.deeds and turn.take.ruling.allowed for turn in stubborn)
    assert not any(turn.thought.means == "search" for turn in faint[:3])
    tried = [verb for turn in faint[:5] for verb, target in turn.deeds if target in ("引き出し", "鍵")]
    assert set(tried) <= {"INSPECT"}
    assert any(turn.deeds for turn in faint[:3])
