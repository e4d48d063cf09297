"""Two personas, one past: on hearing the same thing each calls to mind what it cares for."""

import pytest

from benchmarks.personas import overlaps, selections
from hakoniwa.memory.embedding.ginza import GinzaEmbedder
from tests.memory.history import EVENTS, GARDENER, INPUTS, NOW, history, overlap
from tests.memory.living import Cares, ghost_of, lived, somebody

ALIKE = 0.6  # from here on two would remember much the same


def test_the_past_is_long_and_varied() -> None:
    past = history()
    assert len({one.text for one in past}) == EVENTS == 500
    assert len({entity.name for one in past for entity in one.entities}) > 10
    assert past == history()
    assert len(set(INPUTS)) == 30


@pytest.mark.parametrize("vectors", [False, True], ids=["without vectors", "with vectors"])
def test_two_personas_remember_different_things_and_one_the_same_twice(
    vectors: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    between, within = overlaps(GinzaEmbedder() if vectors else None)
    with capsys.disabled():
        print(f"\n  overlap {between:.2f} between two personas, {within:.2f} of one asked twice", end=" ")
    assert between < ALIKE
    assert within == 1.0


def test_what_differs_is_what_they_care_for_and_not_who_they_are_called() -> None:
    sheet = GARDENER.persona.persona_text.replace("ミナ", "リナ")
    twin = Cares(somebody("リナ", persona_text=sheet), *GARDENER[1:])
    memories, head = lived(history(), "ミナ", "リナ")
    one, other = (selections(ghost_of(memories, head, cares, NOW)) for cares in (GARDENER, twin))
    assert [overlap(*pair) for pair in zip(one, other, strict=True)] == [1.0] * len(INPUTS)
