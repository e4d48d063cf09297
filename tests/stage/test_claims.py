"""Claims: which of two is believed, what seeing does to them, and how they enter the believed world."""

import pytest

from hakoniwa.stage.belief import Belief, believed_world, check_claims, first_belief, hear
from hakoniwa.stage.claims import MAX_CLAIMS, Claim, fact_in_words, with_claim
from hakoniwa.stage.scenario import find, load
from hakoniwa.stage.scene import look, to_compact_xml
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Fact

WORLD = load(find("detective_office")).world


def claim(subject: str, relation: str, thing: str, turn: int = 1, confidence: float = 0.5) -> Claim:
    fact = Fact.model_validate({"subject": subject, "relation": relation, "object": thing})
    return Claim(fact=fact, source="レイモンド", turn=turn, confidence=confidence)


def belief() -> Belief:
    return first_belief(WORLD, "助手", ["探偵事務所", "廊下", "給湯室"])


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ((1, 0.5), (2, 0.5), 2),  # the newer
        ((1, 0.8), (1, 0.4), 1),  # the trusted
        ((1, 0.8), (40, 0.4), 40),  # what was said long ago fades
    ],
)
def test_the_newer_beats_the_older_and_the_trusted_the_others(
    first: tuple[int, float], second: tuple[int, float], kept: int
) -> None:
    one = claim("鍵", "in", "戸棚", turn=first[0], confidence=first[1])
    other = claim("鍵", "in", "紅茶の缶", turn=second[0], confidence=second[1])
    assert [left.turn for left in with_claim([one], other)] == [kept] or first[0] == second[0] == kept


def test_a_thing_one_was_told_of_is_where_it_is_said_to_be() -> None:
    assert "鍵" not in believed_world(belief(), WORLD).props
    told = hear(belief(), claim("鍵", "in", "戸棚"))
    assert believed_world(told, WORLD).props["鍵"].inside == "戸棚"


def test_what_was_seen_beats_what_was_told_of_that_time() -> None:
    told = hear(belief(), claim("じょうろ", "at", "廊下", turn=0))
    assert believed_world(told, WORLD).props["じょうろ"].location == "給湯室"


def test_one_who_is_distrusted_is_not_believed() -> None:
    told = hear(belief(), claim("鍵", "in", "戸棚", confidence=0.1))
    assert "鍵" not in believed_world(told, WORLD).props


def opened(cupboard: str) -> WorldState:
    prop = WORLD.props[cupboard].with_field("state", ("open",))
    figure = WORLD.characters["助手"].with_field("location", prop.location)
    return WORLD.model_copy(
        update={"props": {**WORLD.props, cupboard: prop}, "characters": {**WORLD.characters, "助手": figure}}
    ).indexed(None)


def test_a_claim_seen_to_be_false_stays_as_false() -> None:
    told, found = check_claims(hear(belief(), claim("鍵", "in", "戸棚")), opened("戸棚"))
    assert [one.holds for one in found] == [False]
    assert [one.false for one in told.claims] == [True]
    assert "鍵" not in believed_world(told, opened("戸棚")).props


def test_a_claim_seen_to_be_true_is_knowledge_now() -> None:
    told, found = check_claims(hear(belief(), claim("紅茶の缶", "in", "戸棚")), opened("戸棚"))
    assert [one.holds for one in found] == [True]
    assert told.claims == ()


def test_a_claim_that_cannot_be_looked_at_stays_open() -> None:
    told, found = check_claims(hear(belief(), claim("鍵", "in", "戸棚")), WORLD)
    assert found == []
    assert told.claims


def test_claims_are_bounded() -> None:
    claims: tuple[Claim, ...] = ()
    for number in range(2 * MAX_CLAIMS):
        claims = with_claim(claims, claim(f"物{number}", "in", "戸棚", turn=number))
    assert len(claims) == MAX_CLAIMS


def test_the_scene_says_who_told_what() -> None:
    told = hear(belief(), claim("鍵", "in", "紅茶の缶"))
    assert '<told by="レイモンド">鍵は紅茶の缶の中</told>' in to_compact_xml(look(WORLD, "助手", told), "ja")


@pytest.mark.parametrize(
    ("relation", "thing", "words"),
    [("in", "戸棚", "鍵は戸棚の中"), ("held by", "助手", "鍵はミナが持っている"), ("state", "open", "鍵は開いている")],
)
def test_a_fact_in_words(relation: str, thing: str, words: str) -> None:
    known = fact_in_words(claim("鍵", relation, thing).fact, WORLD)
    assert known in (words, words.replace("ミナ", "助手"))
