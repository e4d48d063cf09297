"""What stands behind a turn, in people's words."""

import pytest

from hakoniwa.actor.mind import REST, MindState
from hakoniwa.app import new_session
from hakoniwa.gm.step import rule_on
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.play.plain_words import changes_told, chosen_because, chosen_desire, facts_told
from hakoniwa.stage.patch import apply
from hakoniwa.turn import ParsedOutput, PatchOp, Performance, RankedDesire, Ruling, Take, Thought, Turn

DELTA = (
    PatchOp(op="replace", path="/characters/やな/location", value="居間"),
    PatchOp(op="add", path="/props/マグ~1青/held_by", value="やな"),
    PatchOp(op="replace", path="/props/マグ~1青/location", value="居間"),
    PatchOp(op="replace", path="/props/窓/state", value=["open"]),
    PatchOp(op="add", path="/events/-", value="…"),
)


def test_a_delta_is_told_in_sentences() -> None:
    world = new_session(MemoryJournal(), "kitchen_morning", seed=1).world
    assert changes_told(world, DELTA, "ja") == (
        "やなは居間へ移った。", "やながマグ/青を手にした。", "窓の状態：開いている",
    )  # fmt: skip
    assert changes_told(world, DELTA[:1], "en") == ("やな went to the 居間.",)


def test_what_goes_into_a_pocket_or_onto_the_body_is_told_as_that() -> None:
    world = new_session(MemoryJournal(), "tea_room", seed=1).world
    out = rule_on(world, "Theo", "(REMOVE: spectacles)").ruling.world_delta
    held = apply(world, out)
    assert changes_told(world, out, "en") == ("Theo now holds the spectacles.",)
    for verb, told in (("STOW", "Theo put the spectacles away."), ("WEAR", "Theo put the spectacles on.")):
        delta = rule_on(held, "Theo", f"({verb}: spectacles)").ruling.world_delta
        assert told in changes_told(held, delta, "en")


def test_a_fact_has_no_mark_that_is_for_a_model() -> None:
    assert facts_told(["FACT: 窓は開いている。"]) == ("窓は開いている。",)


def turn_for(mind: MindState) -> Turn:
    wants = tuple(RankedDesire(desire=name, kind="body", score=score) for name, score in (("茶", 0.9), ("本", 0.5)))
    take = Take(performance=Performance(text=""), ruling=Ruling(parsed=ParsedOutput(), allowed=True))
    return Turn(number=4, speaker="やな", thought=Thought(text="…", desires=wants), take=take, mind=mind.model_dump())


@pytest.mark.parametrize("mind", [MindState(intention="本"), MindState(resting={"茶": 4 + REST})])
def test_it_is_said_why_a_stronger_desire_was_not_chosen(mind: MindState) -> None:
    assert chosen_desire(turn_for(mind)) == "本"
    assert chosen_because(turn_for(mind), "ja") == (
        "「茶」のほうが強い望みですが、いまはそのためにできることがないので、こちらにしました。"
    )


def test_the_strongest_desire_needs_no_reason() -> None:
    assert chosen_because(turn_for(MindState()), "ja") is None
